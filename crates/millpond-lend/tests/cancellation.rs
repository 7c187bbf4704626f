//! Every future is dropped after its k-th poll, for all k, and nothing is lost: no object, no place, and
//! the next caller is served.

mod common;

use std::convert::Infallible;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use common::{AnyTimer, Client, Server, patient, poll_once};
use futures_lite::future::{block_on, yield_now};
use millpond_lend::{AcquireError, Lender, Maker};

/// Polls a future `times` times while the keeper runs beside it, then drops it. Returns whether it was
/// ready before.
async fn poll_and_drop<F: Future>(future: F, times: usize) -> bool {
    let mut future = pin!(future);
    for _ in 0..times {
        if future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
            return true;
        }
        yield_now().await;
    }
    false
}

fn run(test: impl Future<Output = ()>, keeper: impl Future<Output = ()>) {
    block_on(futures_lite::future::or(test, async {
        keeper.await;
        std::future::pending().await
    }));
}

fn lender(capacity: usize) -> (Lender<Client>, impl Future<Output = ()>, Arc<Server>) {
    let server = Arc::new(Server::default());
    let builder = patient(Lender::builder(Client(Arc::clone(&server)))).capacity(capacity);
    let (lender, keeper) = builder.build();
    (lender, keeper.run(AnyTimer), server)
}

#[test]
fn acquire_is_dropped_after_each_poll() {
    for polls in 0..12 {
        let (lender, keeper, server) = lender(1);
        let mut ready = false;
        run(
            async {
                ready = poll_and_drop(lender.acquire(), polls).await;
                let loan = lender.acquire().await.unwrap();
                assert!(loan.works());
                drop(loan);
                assert_eq!((lender.stats().idle, lender.stats().existing), (1, 1), "{polls} polls");
                assert_eq!(lender.stats().waiting, 0);
            },
            keeper,
        );
        assert!(polls != 11 || ready, "the last one is polled to its end");
        assert_eq!(server.opened.load(SeqCst), 1);
    }
}

#[test]
fn acquire_many_is_dropped_after_each_poll_with_some_in_hand() {
    for polls in 0..20 {
        let (lender, keeper, _) = lender(3);
        let mut ready = false;
        run(
            async {
                let first = lender.acquire().await.unwrap();
                ready = poll_and_drop(lender.acquire_many(2), polls).await;
                let others = lender.acquire_many(2).await.unwrap();
                drop((first, others));
                assert_eq!(lender.stats().idle, lender.stats().existing, "{polls} polls");
            },
            keeper,
        );
        assert!(polls != 19 || ready, "the last one is polled to its end");
    }
}

#[test]
fn an_object_in_hand_goes_to_the_next() {
    let (lender, keeper, _) = lender(1);
    run(
        async {
            let loan = lender.acquire().await.unwrap();
            let mut first = lender.acquire();
            let mut second = lender.acquire();
            assert!(poll_once(&mut first).is_pending());
            assert!(poll_once(&mut second).is_pending());
            drop(loan);
            drop(first);
            assert!(poll_once(&mut second).is_ready());
            assert_eq!(lender.stats().cancelled, 1);
        },
        keeper,
    );
}

#[test]
fn close_is_dropped_after_each_poll_and_closes_all_the_same() {
    for polls in 0..8 {
        let (lender, keeper, server) = lender(2);
        run(
            async {
                let loans = lender.acquire_many(2).await.unwrap();
                poll_and_drop(lender.close(Duration::from_secs(20)), polls).await;
                drop(loans);
                if polls == 0 {
                    // A future that was never polled has done nothing.
                    assert!(lender.acquire().await.is_ok());
                    return;
                }
                assert!(matches!(lender.acquire().await, Err(AcquireError::Closed)));
                while server.existing() > 0 {
                    yield_now().await;
                }
            },
            keeper,
        );
    }
}

#[test]
fn the_keeper_is_dropped_after_each_poll() {
    for polls in 0..12 {
        let (lender, keeper, server) = lender(2);
        let mut caller = lender.acquire();
        assert!(poll_once(&mut caller).is_pending());
        block_on(poll_and_drop(keeper, polls));
        match block_on(caller) {
            Ok(loan) => drop(loan),
            Err(error) => assert!(matches!(error, AcquireError::NoKeeper), "{error}"),
        }
        assert_eq!(lender.stats().existing as u64, server.existing());
        drop(lender);
        assert_eq!(server.existing(), 0, "{polls} polls");
    }
}

struct Bell;

impl Wake for Bell {
    fn wake(self: Arc<Self>) {}
}

/// A future may be polled by one task after the other: only the last one's waker is kept, and none once it is dropped.
#[test]
fn closing_keeps_one_waker_however_many_have_polled_it() {
    let (lender, keeper, _) = lender(1);
    run(
        async {
            let loan = lender.acquire().await.unwrap();
            let bells: Vec<_> = (0..100).map(|_| Arc::new(Bell)).collect();
            let mut closing = Box::pin(lender.close(Duration::from_secs(60)));
            for bell in &bells {
                let waker = Waker::from(Arc::clone(bell));
                assert!(closing.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            }
            let kept: Vec<_> = bells.iter().map(|bell| Arc::strong_count(bell) - 1).collect();
            assert_eq!((kept[..99].iter().sum::<usize>(), kept[99]), (0, 1));
            drop(closing);
            assert_eq!(Arc::strong_count(&bells[99]), 1);
            drop(loan);
        },
        keeper,
    );
}

/// The shortest grace counts, for all who wait.
#[test]
fn closing_twice_ends_with_the_first_grace_that_is_over() {
    let (lender, keeper, server) = lender(2);
    run(
        async {
            let mut loans = lender.acquire_many(2).await.unwrap();
            let mut patient = Box::pin(lender.close(Duration::from_secs(3_600)));
            assert!(poll_once(&mut patient).is_pending());
            drop(loans.pop());
            let report = lender.close(Duration::ZERO).await;
            assert_eq!(report.still_out.len(), 1);
            assert_eq!(patient.await.still_out, report.still_out);
            assert_eq!(lender.close(Duration::MAX).await.still_out, report.still_out);
            drop(loans);
            assert!(lender.close(Duration::MAX).await.still_out.is_empty());
            assert_eq!((lender.validate(), server.existing()), (Ok(()), 0));
        },
        keeper,
    );
}

/// Panics whenever it is dropped; counts how often.
struct Grenade(Arc<AtomicU64>);

impl Drop for Grenade {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
        panic!("a grenade, as the test wants it");
    }
}

struct Grenades(Arc<AtomicU64>);

impl Maker for Grenades {
    type Object = Grenade;
    type Error = Infallible;

    async fn open(&self) -> Result<Grenade, Infallible> {
        Ok(Grenade(Arc::clone(&self.0)))
    }

    async fn check(&self, _: &mut Grenade) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Two panics at once would end the program: a future that is dropped with two objects that nobody closes any more.
#[test]
fn objects_in_hand_that_panic_are_dropped_one_by_one() {
    let dropped = Arc::new(AtomicU64::new(0));
    let builder = patient(Lender::builder(Grenades(Arc::clone(&dropped)))).capacity(2);
    let (lender, keeper) = builder.build();
    let mut keeper = Box::pin(keeper.run(AnyTimer));
    let mut many = lender.acquire_many(2);
    assert!(poll_once(&mut many).is_pending());
    while lender.stats().out < 2 {
        assert!(poll_once(&mut keeper).is_pending());
    }
    drop(keeper);
    lender.evict_all();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(many))).is_ok());
    assert_eq!((dropped.load(SeqCst), lender.stats().existing), (2, 0));
    assert_eq!(lender.validate(), Ok(()));
}
