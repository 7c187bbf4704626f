//! Users' code that the lender runs may use the lender: no lock is held.

mod common;

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, OnceLock, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use common::{AnyTimer, Client, patient};
use futures_lite::future::block_on;
use millpond_lend::{AcquireError, Lender, Lenders, Maker};

static LENDER: OnceLock<Lender<Curious>> = OnceLock::new();
static IS_BROKEN: AtomicBool = AtomicBool::new(false);
static IS_DOWN: AtomicBool = AtomicBool::new(false);
static IS_FINAL: AtomicBool = AtomicBool::new(false);

/// How often each kind of users' code has looked at the lender.
static LOOKS: [AtomicU64; 7] = [const { AtomicU64::new(0) }; 7];
const KINDS: [&str; 7] = ["open", "is_broken", "close", "object", "error", "wake", "waker"];

fn look(kind: &str) {
    if let Some(lender) = LENDER.get() {
        let _ = lender.stats();
        drop(lender.try_acquire());
        let index = KINDS.iter().position(|known| *known == kind).unwrap();
        LOOKS[index].fetch_add(1, SeqCst);
    }
}

struct Object;

impl Drop for Object {
    fn drop(&mut self) {
        look("object");
    }
}

#[derive(Debug)]
struct Down;

impl fmt::Display for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("down")
    }
}

impl std::error::Error for Down {}

impl Drop for Down {
    fn drop(&mut self) {
        look("error");
    }
}

struct Curious;

impl Maker for Curious {
    type Object = Object;
    type Error = Down;

    async fn open(&self) -> Result<Object, Down> {
        look("open");
        if IS_DOWN.load(SeqCst) { Err(Down) } else { Ok(Object) }
    }

    async fn check(&self, _: &mut Object) -> Result<(), Down> {
        Ok(())
    }

    fn is_broken(&self, _: &mut Object) -> bool {
        // A loan that ends in here asks again; one look is enough.
        if !IS_BROKEN.swap(false, SeqCst) {
            return false;
        }
        look("is_broken");
        true
    }

    fn is_final(&self, _: &Down) -> bool {
        IS_FINAL.load(SeqCst)
    }

    async fn close(&self, object: Object) {
        look("close");
        drop(object);
    }
}

struct Bell;

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        look("wake");
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        look("waker");
    }
}

fn use_it() {
    let (lender, keeper) = patient(Lender::builder(Curious))
        .capacity(1)
        .backoff(Duration::from_millis(1), Duration::from_millis(2))
        .build();
    keeper.run_on_thread().unwrap();
    let lender = LENDER.get_or_init(|| lender);
    let loan = block_on(lender.acquire()).unwrap();
    {
        let mut waiting = pin!(lender.acquire());
        for _ in 0..2 {
            let waker = Waker::from(Arc::new(Bell));
            assert!(waiting.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
        drop(loan);
    }
    IS_BROKEN.store(true, SeqCst);
    drop(block_on(lender.acquire()).unwrap());
    let loan = block_on(lender.acquire()).unwrap();
    IS_DOWN.store(true, SeqCst);
    loan.discard();
    let failed = lender.stats().open_failed;
    let mut waiting = pin!(lender.acquire());
    let _ = waiting.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    while lender.stats().open_failed < failed + 2 {
        thread::yield_now();
    }
    IS_DOWN.store(false, SeqCst);
    drop(block_on(waiting).unwrap());
    drop_an_answer_with_the_last_reference_to_its_error(lender);
    lender.evict_all();
    drop(block_on(lender.close(Duration::from_secs(60))));
}

/// A caller is told of an error, does not look, and is dropped when the lender knows of a later one.
fn drop_an_answer_with_the_last_reference_to_its_error(lender: &Lender<Curious>) {
    IS_FINAL.store(true, SeqCst);
    IS_DOWN.store(true, SeqCst);
    block_on(lender.acquire()).unwrap().discard();
    let mut told = Box::pin(lender.acquire());
    while told.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
        told = Box::pin(lender.acquire());
    }
    while lender.stats().waiting > 0 {
        thread::yield_now();
    }
    // After two more the keeper has dropped what it held of the error that was told.
    let failed = lender.stats().open_failed;
    while lender.stats().open_failed < failed + 2 {
        assert!(block_on(lender.acquire()).is_err());
    }
    let error = KINDS.iter().position(|kind| *kind == "error").unwrap();
    let looks = LOOKS[error].load(SeqCst);
    drop(told);
    assert!(LOOKS[error].load(SeqCst) > looks, "its answer was the last reference");
    IS_DOWN.store(false, SeqCst);
    IS_FINAL.store(false, SeqCst);
}

/// Asks for a tenant when it is woken.
struct NewTenant(Lenders<u8, Client>);

impl Wake for NewTenant {
    fn wake(self: Arc<Self>) {
        let tenant = self.0.lender(&2);
        assert_eq!((tenant.stats().existing, self.0.existing()), (0, 0));
    }
}

/// A caller is told that there is no keeper, and the task of the keeper itself is woken.
#[test]
fn no_lock_of_lenders_is_held_while_users_code_runs() {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        let (lenders, keeper) =
            patient(Lenders::builder(|_: &u8| Client::default())).capacity(1).build();
        let waker = Waker::from(Arc::new(NewTenant(lenders.clone())));
        let mut cx = Context::from_waker(&waker);
        let mut running = Box::pin(keeper.run(AnyTimer));
        assert!(running.as_mut().poll(&mut cx).is_pending());
        let tenant = lenders.lender(&1);
        let mut waiting = pin!(tenant.acquire());
        assert!(waiting.as_mut().poll(&mut cx).is_pending());
        drop(running);
        let told = waiting.as_mut().poll(&mut cx);
        done.send(matches!(told, Poll::Ready(Err(AcquireError::NoKeeper)))).unwrap();
    });
    let is_told =
        is_done.recv_timeout(Duration::from_secs(120)).expect("it hangs, or it has failed");
    assert!(is_told);
}

static TENANTS: OnceLock<Lenders<Tenant, Client>> = OnceLock::new();
static TENANT_LOOKS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// Looks at the lenders when it is named, copied or dropped.
#[derive(PartialEq, Eq, Hash)]
struct Tenant(u8);

impl Tenant {
    fn look(kind: usize) {
        if let Some(lenders) = TENANTS.get() {
            assert!(lenders.existing() < 2);
            TENANT_LOOKS[kind].fetch_add(1, SeqCst);
        }
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::look(0);
        self.0.fmt(f)
    }
}

impl Clone for Tenant {
    fn clone(&self) -> Self {
        Self::look(1);
        Self(self.0)
    }
}

impl Drop for Tenant {
    fn drop(&mut self) {
        Self::look(2);
    }
}

#[test]
fn no_lock_of_lenders_is_held_while_tenants_are_named_copied_or_dropped() {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        let (lenders, keeper) =
            patient(Lenders::builder(|_: &Tenant| Client::default())).capacity(1).build();
        keeper.run_on_thread().unwrap();
        let lenders = TENANTS.get_or_init(|| lenders);
        drop(block_on(lenders.lender(&Tenant(1)).acquire()).unwrap());
        assert!(lenders.remove(&Tenant(1)));
        assert!(!lenders.remove(&Tenant(1)));
        done.send(()).unwrap();
    });
    is_done.recv_timeout(Duration::from_secs(120)).expect("it hangs, or it has failed");
    assert!(TENANT_LOOKS.iter().all(|looks| looks.load(SeqCst) > 0));
}

#[test]
fn no_lock_is_held_while_users_code_runs() {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        use_it();
        done.send(()).unwrap();
    });
    is_done.recv_timeout(Duration::from_secs(120)).expect("it hangs, or it has failed");
    for (kind, looks) in KINDS.iter().zip(&LOOKS) {
        assert!(looks.load(SeqCst) > 0, "{kind} was not run");
    }
}
