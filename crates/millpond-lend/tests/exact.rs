//! Never more objects than the capacity, whatever user code does between two steps of the ledger.

mod common;

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use common::{AnyTimer, patient, poll_once};
use futures_lite::future::block_on;
use millpond_lend::{Lender, Lenders, Maker};

type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

/// How many objects exist, and the keeper, which runs whenever the code of an object does.
#[derive(Default)]
struct World {
    existing: AtomicUsize,
    most: AtomicUsize,
    is_armed: AtomicBool,
    keeper: Mutex<Option<Running>>,
}

impl World {
    /// Lets the keeper work, unless it is what runs this code.
    fn turn(&self) {
        let Ok(mut keeper) = self.keeper.try_lock() else { return };
        let Some(running) = &mut *keeper else { return };
        for _ in 0..4 {
            let _ = running.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        }
    }
}

/// An object that exists until its drop has ended.
struct Counted(Arc<World>);

impl Counted {
    fn new(world: &Arc<World>) -> Self {
        let existing = world.existing.fetch_add(1, SeqCst) + 1;
        world.most.fetch_max(existing, SeqCst);
        Self(Arc::clone(world))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.turn();
        // The longer it takes, the more is opened in the meantime, if anything is.
        thread::yield_now();
        self.0.existing.fetch_sub(1, SeqCst);
    }
}

/// Which user code panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Panics {
    IsBroken,
    NeedsCheck,
    Check,
    Close,
}

struct Counting {
    world: Arc<World>,
    panics: Panics,
}

impl Counting {
    fn maybe(&self, here: Panics) {
        let panics = here == self.panics && self.world.is_armed.load(SeqCst);
        assert!(!panics, "the maker panics in {here:?}, as the test wants it");
    }
}

impl Maker for Counting {
    type Object = Counted;
    type Error = Infallible;

    async fn open(&self) -> Result<Counted, Infallible> {
        Ok(Counted::new(&self.world))
    }

    async fn check(&self, _: &mut Counted) -> Result<(), Infallible> {
        self.maybe(Panics::Check);
        Ok(())
    }

    fn is_broken(&self, _: &mut Counted) -> bool {
        self.maybe(Panics::IsBroken);
        self.panics == Panics::Close
    }

    fn needs_check(&self, _: &mut Counted) -> bool {
        self.maybe(Panics::NeedsCheck);
        self.panics == Panics::Check
    }

    async fn close(&self, object: Counted) {
        self.maybe(Panics::Close);
        drop(object);
    }
}

const PLACES: [Panics; 4] = [Panics::IsBroken, Panics::NeedsCheck, Panics::Check, Panics::Close];

/// The keeper runs in the middle of the drop of each object, so whatever is opened too early is seen.
#[test]
fn no_place_is_free_before_its_object_is_gone() {
    for panics in PLACES {
        let world = Arc::new(World::default());
        let maker = Counting { world: Arc::clone(&world), panics };
        let (lender, keeper) = patient(Lender::builder(maker)).capacity(1).build();
        *world.keeper.lock().unwrap() = Some(Box::pin(keeper.run(AnyTimer)));
        for is_armed in [true, false, true, true] {
            let mut first = lender.acquire();
            let loan = loop {
                match poll_once(&mut first) {
                    Poll::Ready(loan) => break loan.unwrap(),
                    Poll::Pending => world.turn(),
                }
            };
            let mut next = lender.acquire();
            assert!(poll_once(&mut next).is_pending());
            world.is_armed.store(is_armed, SeqCst);
            let _ = catch_unwind(AssertUnwindSafe(|| drop(loan)));
            world.turn();
            assert_eq!(world.most.load(SeqCst), 1, "{panics:?}");
            world.is_armed.store(false, SeqCst);
        }
        assert_eq!(lender.validate(), Ok(()));
        world.keeper.lock().unwrap().take();
    }
}

/// Many threads, whose returns panic one time in three.
#[test]
fn under_stress_there_are_never_more_objects_than_the_capacity() {
    for panics in PLACES {
        let world = Arc::new(World::default());
        world.is_armed.store(true, SeqCst);
        let maker = Counting { world: Arc::clone(&world), panics };
        let (lender, keeper) = patient(Lender::builder(maker)).capacity(3).build();
        keeper.run_on_thread().unwrap();
        thread::scope(|scope| {
            for caller in 0..8 {
                let (lender, world) = (&lender, &world);
                scope.spawn(move || {
                    for round in 0..60 {
                        let loan = block_on(lender.acquire()).unwrap();
                        world.is_armed.store((caller + round) % 3 == 0, SeqCst);
                        let _ = catch_unwind(AssertUnwindSafe(|| drop(loan)));
                    }
                });
            }
        });
        let most = world.most.load(SeqCst);
        assert!((1..=3).contains(&most), "{panics:?}: {most}");
        assert_eq!(lender.validate(), Ok(()));
    }
}

/// Tenants' makers. That of Ann never finishes what it has begun to open; that of Carl closes Ann's lender.
struct Of {
    world: Arc<World>,
    tenant: &'static str,
    ann: Arc<Mutex<Option<Lender<Of>>>>,
}

impl Maker for Of {
    type Object = Counted;
    type Error = Infallible;

    async fn open(&self) -> Result<Counted, Infallible> {
        if self.tenant == "carl" {
            let is_armed = |_: &mut Context<'_>| match self.world.is_armed.load(SeqCst) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            };
            poll_fn(is_armed).await;
            let ann = self.ann.lock().unwrap().take().unwrap();
            assert!(poll_once(&mut Box::pin(ann.close(Duration::MAX))).is_pending());
        }
        let object = Counted::new(&self.world);
        if self.tenant == "ann" {
            std::future::pending::<()>().await;
        }
        Ok(object)
    }

    async fn check(&self, _: &mut Counted) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Ann's lender is closed in the middle of an opening, after its keeper's turn and before the places are shared. Bob,
/// whose keeper has the next turn, gets the place once the opening has been stopped.
#[test]
fn the_place_of_an_opening_is_free_when_it_has_been_stopped() {
    let world = Arc::new(World::default());
    let kept = Arc::new(Mutex::new(None));
    let (of, ann_of) = (Arc::clone(&world), Arc::clone(&kept));
    let make = move |tenant: &&'static str| Of {
        world: Arc::clone(&of),
        tenant,
        ann: Arc::clone(&ann_of),
    };
    let builder = patient(Lenders::builder(make)).capacity(1).capacity_total(2);
    let (lenders, keeper) = builder.build();
    *world.keeper.lock().unwrap() = Some(Box::pin(keeper.run(AnyTimer)));
    let [bob, ann, carl] = ["bob", "ann", "carl"].map(|tenant| lenders.lender(&tenant));
    let mut opening = ann.acquire();
    assert!(poll_once(&mut opening).is_pending());
    world.turn();
    assert_eq!(world.existing.load(SeqCst), 1);
    *kept.lock().unwrap() = Some(ann.clone());
    let mut closer = carl.acquire();
    assert!(poll_once(&mut closer).is_pending());
    world.turn();
    let mut waiting = bob.acquire();
    assert!(poll_once(&mut waiting).is_pending());
    world.turn();
    world.is_armed.store(true, SeqCst);
    world.turn();
    let Poll::Ready(Ok(carls)) = poll_once(&mut closer) else { panic!("it is open") };
    let Poll::Ready(Ok(bobs)) = poll_once(&mut waiting) else { panic!("Ann's place is free") };
    assert_eq!(world.most.load(SeqCst), 2);
    drop((carls, bobs));
    world.keeper.lock().unwrap().take();
}
