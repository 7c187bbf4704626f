//! Users' code that panics while a panic unwinds already: it costs an object at most, never the process. A second panic
//! that leaves a drop aborts the process, so each case runs in a process of its own.

mod common;

use std::convert::Infallible;
use std::fmt;
use std::future::{Future, pending};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::pin::{Pin, pin};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use common::{AnyTimer, patient, poll_once, wait_until};
use futures_lite::future::block_on;
use millpond_lend::{
    AcquireError, BlockingLender, BlockingMaker, Lender, Lenders, Maker, Threaded, Timer,
};

const CHILD: &str = "MILLPOND_LEND_SECOND_PANIC";

/// Each case, and what panics in it.
const CASES: [(&str, fn()); 23] = [
    ("a verdict on a loan", || verdict(|wrong| wrong.is_broken = true)),
    ("a verdict on whether to check", || verdict(|wrong| wrong.needs_check = true)),
    ("a payload", || verdict(|wrong| wrong.payload = true)),
    ("a verdict on threads", verdict_on_threads),
    ("a verdict on a tenant", verdict_on_a_tenant),
    ("verdicts on two loans", two_verdicts),
    ("verdicts on two loans of a caller that is well", two_verdicts_first),
    ("an object without a keeper", object_without_a_keeper),
    ("a discarded object", discarded_object),
    ("the maker, after its verdict", maker_after_its_verdict),
    ("all that a lender leaves", all_that_is_left),
    ("objects that leaked futures were given", leaked_futures),
    ("a waker, with its future", waker_of_a_future),
    ("a waker, with a call of close", waker_of_close),
    ("a check, and its object", check_and_object),
    ("a check on a thread, and its object", check_and_object_on_a_thread),
    ("a check's error, and its object", error_and_object),
    ("a check's future, and its object", future_and_object),
    ("whether an error is final, and the error", final_and_error),
    ("a call on a thread, and the keeper's waker", call_and_waker),
    ("a result that nobody fetched, and its waker", unfetched_result),
    ("a timer, and its sleep", timer_and_sleep),
    ("tenants, and what makes their makers", tenants_and_their_makers),
];

#[test]
fn a_second_panic_never_ends_the_process() {
    if let Ok(wanted) = std::env::var(CHILD) {
        let (_, case) = CASES.iter().find(|(name, _)| *name == wanted).expect("a case");
        return case();
    }
    let failed: Vec<String> = CASES
        .iter()
        .filter_map(|(name, _)| {
            let output = Command::new(std::env::current_exe().unwrap())
                .args(["a_second_panic_never_ends_the_process", "--exact", "--nocapture"])
                .env(CHILD, name)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            let last: Vec<_> = said.lines().rev().take(4).collect();
            (!output.status.success()).then(|| format!("{name}: {}: {last:#?}", output.status))
        })
        .collect();
    assert!(failed.is_empty(), "{} of {}: {failed:#?}", failed.len(), CASES.len());
}

/// Panics on purpose.
fn oops() {
    panic!("as the test wants it");
}

/// Panics with `value` in hand, as a caller may, and catches it.
fn panic_with<T>(value: T) {
    let caught = catch_unwind(AssertUnwindSafe(move || {
        let _in_hand = value;
        oops();
    }));
    assert!(caught.is_err());
}

/// Panics whenever it is dropped.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        oops();
    }
}

impl fmt::Display for Bomb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a bomb")
    }
}

impl std::error::Error for Bomb {}

/// An object with faults.
#[derive(Default)]
struct Faulty {
    is_broken: bool,
    needs_check: bool,
    /// Whether the panic's payload panics when it is dropped.
    payload: bool,
    bomb: Option<Bomb>,
}

#[derive(Default)]
struct Faults {
    _bomb: Option<Bomb>,
}

impl BlockingMaker for Faults {
    type Object = Faulty;
    type Error = Infallible;

    fn open(&self) -> Result<Faulty, Infallible> {
        Ok(Faulty::default())
    }

    fn check(&self, object: &mut Faulty) -> Result<(), Infallible> {
        assert!(object.bomb.is_none(), "as the test wants it");
        Ok(())
    }

    fn is_broken(&self, object: &mut Faulty) -> bool {
        if object.payload {
            panic_any(Bomb);
        }
        assert!(!object.is_broken, "as the test wants it");
        false
    }

    fn needs_check(&self, object: &mut Faulty) -> bool {
        assert!(!object.needs_check, "as the test wants it");
        false
    }
}

impl Maker for Faults {
    type Object = Faulty;
    type Error = Infallible;

    async fn open(&self) -> Result<Faulty, Infallible> {
        BlockingMaker::open(self)
    }

    async fn check(&self, object: &mut Faulty) -> Result<(), Infallible> {
        BlockingMaker::check(self, object)
    }

    fn is_broken(&self, object: &mut Faulty) -> bool {
        BlockingMaker::is_broken(self, object)
    }

    fn needs_check(&self, object: &mut Faulty) -> bool {
        BlockingMaker::needs_check(self, object)
    }
}

/// A lender of two, whose keeper has a thread.
fn lender_of_two<M: Maker>(maker: M) -> Lender<M> {
    let builder = patient(Lender::builder(maker)).capacity(2).check_after_idle(Duration::MAX);
    let (lender, keeper) = builder.build();
    keeper.run_on_thread().unwrap();
    lender
}

/// The lender has lost `lost` objects, and lends two.
fn goes_on<M: Maker>(lender: &Lender<M>, lost: u64) {
    let loans = block_on(lender.acquire_many(2)).unwrap();
    assert_eq!((lender.validate(), loans.len()), (Ok(()), 2));
    loans.into_iter().for_each(|loan| mem::forget(loan.detach()));
    let closings = lender.stats().closings;
    assert_eq!(closings.broken + closings.interrupted, lost);
}

fn verdict(fault: fn(&mut Faulty)) {
    let lender = lender_of_two::<Faults>(Faults::default());
    let mut loan = block_on(lender.acquire()).unwrap();
    fault(&mut loan);
    panic_with(loan);
    goes_on(&lender, 1);
}

fn verdict_on_threads() {
    let lender = patient(BlockingLender::builder(Faults::default())).capacity(2).build().unwrap();
    let mut loan = lender.acquire().unwrap();
    loan.is_broken = true;
    panic_with(loan);
    assert_eq!(lender.acquire_many(2).map(|loans| loans.len()).unwrap(), 2);
    assert_eq!((lender.validate(), lender.stats().closings.interrupted), (Ok(()), 1));
}

fn verdict_on_a_tenant() {
    let (lenders, keeper) =
        patient(Lenders::builder(|_: &u8| Faults::default())).capacity(2).build();
    keeper.run_on_thread().unwrap();
    let tenant = lenders.lender(&1);
    let mut loan = block_on(tenant.acquire()).unwrap();
    loan.is_broken = true;
    panic_with(loan);
    goes_on(&tenant, 1);
}

fn two_bad_loans(lender: &Lender<Faults>) -> Vec<millpond_lend::Loan<Faults>> {
    let mut loans = block_on(lender.acquire_many(2)).unwrap();
    loans.iter_mut().for_each(|loan| loan.is_broken = true);
    loans
}

fn two_verdicts() {
    let lender = lender_of_two::<Faults>(Faults::default());
    panic_with(two_bad_loans(&lender));
    goes_on(&lender, 2);
}

/// The caller gets the first panic, and the second loan ends in its unwinding.
fn two_verdicts_first() {
    let lender = lender_of_two::<Faults>(Faults::default());
    let loans = two_bad_loans(&lender);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(loans))).is_err());
    goes_on(&lender, 2);
}

/// Opens a lender's objects by hand; then the keeper is gone.
fn loans_without_a_keeper<M: Maker>(
    lender: &Lender<M>,
    keeper: millpond_lend::Keeper<M>,
) -> Vec<millpond_lend::Loan<M>> {
    let mut keeper = Box::pin(keeper.run(AnyTimer));
    let mut both = lender.acquire_many(2);
    loop {
        assert!(poll_once(&mut keeper).is_pending());
        if let Poll::Ready(loans) = poll_once(&mut both) {
            return loans.unwrap();
        }
    }
}

fn object_without_a_keeper() {
    let (lender, keeper) = patient(Lender::builder(Faults::default())).capacity(2).build();
    let mut loans = loans_without_a_keeper::<Faults>(&lender, keeper);
    drop(block_on(lender.close(Duration::ZERO)));
    loans.iter_mut().for_each(|loan| loan.bomb = Some(Bomb));
    panic_with(loans);
    assert_eq!((lender.validate(), lender.stats().existing), (Ok(()), 0));
}

/// A caller's guard that discards its loan.
struct Discards(Option<millpond_lend::Loan<Faults>>);

impl Drop for Discards {
    fn drop(&mut self) {
        if let Some(loan) = self.0.take() {
            loan.discard();
        }
    }
}

fn discarded_object() {
    let (lender, keeper) = patient(Lender::builder(Faults::default())).capacity(2).build();
    let mut loans = loans_without_a_keeper::<Faults>(&lender, keeper);
    let mut loan = loans.remove(0);
    loan.bomb = Some(Bomb);
    panic_with(Discards(Some(loan)));
    assert_eq!((lender.validate(), lender.stats().out), (Ok(()), 1));
}

fn maker_after_its_verdict() {
    let builder = patient(Lender::builder(Faults { _bomb: Some(Bomb) })).capacity(2);
    let (lender, keeper) = builder.build();
    let mut loans = loans_without_a_keeper::<Faults>(&lender, keeper);
    loans.truncate(1);
    loans[0].is_broken = true;
    drop(lender);
    // The loan is all that is left of the lender.
    let caught = catch_unwind(AssertUnwindSafe(|| drop(loans)));
    assert!(caught.is_err(), "the verdict");
}

/// A maker that panics in drop, whose openings fail with errors that do, at a keeper whose waker does.
struct Fails {
    _bomb: Bomb,
}

impl Maker for Fails {
    type Object = Bomb;
    type Error = Bomb;

    async fn open(&self) -> Result<Bomb, Bomb> {
        Err(Bomb)
    }

    async fn check(&self, _: &mut Bomb) -> Result<(), Bomb> {
        Ok(())
    }
}

/// A waker that panics when it is dropped.
struct BadBell(Bomb);

impl Wake for BadBell {
    fn wake(self: Arc<Self>) {}

    fn wake_by_ref(self: &Arc<Self>) {}
}

/// A waker that panics when it wakes; what it panics with notes that it is caught.
struct PanicsAwake(Arc<AtomicBool>);

struct Caught(Arc<AtomicBool>);

impl Drop for Caught {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

impl Wake for PanicsAwake {
    fn wake(self: Arc<Self>) {
        panic_any(Caught(Arc::clone(&self.0)));
    }
}

/// A waker of which the caller holds no reference any more when `work` is over.
fn with_bad_bell<R>(work: impl FnOnce(&mut Context<'_>) -> R) -> R {
    let kept = Waker::from(Arc::new(BadBell(Bomb)));
    let result = work(&mut Context::from_waker(&kept));
    let _ = catch_unwind(AssertUnwindSafe(|| drop(kept)));
    result
}

fn all_that_is_left() {
    let builder = patient(Lender::builder(Fails { _bomb: Bomb })).capacity(2);
    let (lender, keeper) = builder.build();
    let mut keeper = Box::pin(keeper.run(AnyTimer));
    let mut caller = lender.acquire();
    assert!(poll_once(&mut caller).is_pending());
    with_bad_bell(|cx| assert!(keeper.as_mut().poll(cx).is_pending()));
    assert_eq!(lender.stats().open_failed, 1);
    drop(caller);
    mem::forget(keeper);
    let mut closing = Box::pin(lender.close(Duration::from_secs(60)));
    with_bad_bell(|cx| assert!(closing.as_mut().poll(cx).is_pending()));
    panic_with(closing);
    let mut caller = lender.acquire();
    assert!(poll_once(&mut caller).is_ready());
    drop(caller);
    panic_with(lender);
}

/// Opens bombs.
struct Bombs {
    _bomb: Bomb,
}

impl Maker for Bombs {
    type Object = Bomb;
    type Error = Infallible;

    async fn open(&self) -> Result<Bomb, Infallible> {
        Ok(Bomb)
    }

    async fn check(&self, _: &mut Bomb) -> Result<(), Infallible> {
        Ok(())
    }
}

/// A future is given two objects and leaked, and so is the lender's last caller: the objects go with the lender.
fn leaked_futures() {
    let (lender, keeper) = patient(Lender::builder(Bombs { _bomb: Bomb })).capacity(2).build();
    let mut keeper = Box::pin(keeper.run(AnyTimer));
    let lender = Arc::new(lender);
    let mut both = lender.acquire_many(2);
    assert!(poll_once(&mut both).is_pending());
    wait_until("both are handed over", || {
        assert!(poll_once(&mut keeper).is_pending());
        lender.stats().out == 2
    });
    mem::forget(both);
    drop(keeper);
    assert_eq!(lender.stats().out, 2);
    panic_with(lender);
}

fn waker_of_a_future() {
    let lender = lender_of_two::<Faults>(Faults::default());
    let both = block_on(lender.acquire_many(2)).unwrap();
    let mut waiting = lender.acquire();
    with_bad_bell(|cx| assert!(Pin::new(&mut waiting).poll(cx).is_pending()));
    panic_with(waiting);
    drop(both);
    goes_on(&lender, 0);
}

fn waker_of_close() {
    let lender = lender_of_two::<Faults>(Faults::default());
    let loan = block_on(lender.acquire()).unwrap();
    let mut closing = Box::pin(lender.close(Duration::from_secs(60)));
    with_bad_bell(|cx| assert!(closing.as_mut().poll(cx).is_pending()));
    panic_with(closing);
    drop(loan);
    assert!(block_on(lender.close(Duration::from_secs(60))).still_out.is_empty());
}

/// Checks panic, with an object in the keeper's hand that panics when it is dropped.
fn check_and_object() {
    let lender = lender_of_checked::<Faults>(Faults::default());
    block_on(lender.acquire()).unwrap().bomb = Some(Bomb);
    let loan = block_on(lender.acquire()).unwrap();
    assert_eq!((loan.handle().to_string().as_str(), lender.stats().closings.check), ("0v2", 1));
}

/// A lender that checks each object before each loan.
fn lender_of_checked<M: Maker>(maker: M) -> Lender<M> {
    let builder = patient(Lender::builder(maker)).capacity(1).check_after_idle(Duration::ZERO);
    let (lender, keeper) = builder.build();
    keeper.run_on_thread().unwrap();
    lender
}

fn check_and_object_on_a_thread() {
    let lender = lender_of_checked(Threaded::new(Faults::default()));
    block_on(lender.acquire()).unwrap().bomb = Some(Bomb);
    let loan = block_on(lender.acquire()).unwrap();
    assert_eq!((loan.handle().to_string().as_str(), lender.stats().closings.check), ("0v2", 1));
}

/// Whose checks fail, with an error that panics when it is dropped; counts the objects that are closed.
struct FailsChecks(Arc<AtomicU64>);

impl BlockingMaker for FailsChecks {
    type Object = Bomb;
    type Error = Bomb;

    fn open(&self) -> Result<Bomb, Bomb> {
        Ok(Bomb)
    }

    fn check(&self, _: &mut Bomb) -> Result<(), Bomb> {
        Err(Bomb)
    }

    fn close(&self, object: Bomb) {
        self.0.fetch_add(1, SeqCst);
        drop(object);
    }
}

impl Maker for FailsChecks {
    type Object = Bomb;
    type Error = Bomb;

    async fn open(&self) -> Result<Bomb, Bomb> {
        Ok(Bomb)
    }

    async fn check(&self, _: &mut Bomb) -> Result<(), Bomb> {
        Err(Bomb)
    }

    async fn close(&self, object: Bomb) {
        BlockingMaker::close(self, object);
    }
}

fn error_and_object() {
    fn of<M: Maker>(closed: &AtomicU64, maker: M) {
        let lender = lender_of_checked(maker);
        drop(block_on(lender.acquire()).unwrap());
        thread::sleep(Duration::from_millis(1));
        mem::forget(block_on(lender.acquire()).unwrap().detach());
        assert_eq!((lender.validate(), lender.stats().closings.check), (Ok(()), 1));
        wait_until("it is closed", || closed.load(SeqCst) == 1);
    }
    let [closed, of_threads] = <[Arc<AtomicU64>; 2]>::default();
    of::<FailsChecks>(&closed, FailsChecks(Arc::clone(&closed)));
    of(&of_threads, Threaded::new(FailsChecks(Arc::clone(&of_threads))));
}

/// Whose checks never end, in a future that panics when it is dropped.
struct HangsInChecks;

impl Maker for HangsInChecks {
    type Object = Bomb;
    type Error = Infallible;

    async fn open(&self) -> Result<Bomb, Infallible> {
        Ok(Bomb)
    }

    async fn check(&self, _: &mut Bomb) -> Result<(), Infallible> {
        let _bomb = Bomb;
        pending().await
    }
}

fn future_and_object() {
    let builder = patient(Lender::builder(HangsInChecks)).capacity(1);
    let (lender, keeper) =
        builder.check_after_idle(Duration::ZERO).check_timeout(Duration::from_millis(1)).build();
    keeper.run_on_thread().unwrap();
    drop(block_on(lender.acquire()).unwrap());
    thread::sleep(Duration::from_millis(1));
    mem::forget(block_on(lender.acquire()).unwrap().detach());
    assert_eq!((lender.validate(), lender.stats().closings.check), (Ok(()), 1));
}

/// Whose verdict on an error panics.
struct PanicsAtErrors(AtomicBool);

impl Maker for PanicsAtErrors {
    type Object = ();
    type Error = Bomb;

    async fn open(&self) -> Result<(), Bomb> {
        if self.0.swap(true, SeqCst) { Ok(()) } else { Err(Bomb) }
    }

    async fn check(&self, _: &mut ()) -> Result<(), Bomb> {
        Ok(())
    }

    fn is_final(&self, _: &Bomb) -> bool {
        panic!("as the test wants it");
    }
}

fn final_and_error() {
    let lender = lender_of_two(PanicsAtErrors(AtomicBool::new(false)));
    drop(block_on(lender.acquire()).unwrap());
    assert_eq!((lender.validate(), lender.stats().open_failed), (Ok(()), 1));
}

/// Whose openings panic, or open bombs, once they are let.
struct Late {
    is_shut: Arc<AtomicBool>,
    panics: bool,
}

impl BlockingMaker for Late {
    type Object = Bomb;
    type Error = Infallible;

    fn open(&self) -> Result<Bomb, Infallible> {
        wait_until("it is let", || !self.is_shut.load(SeqCst));
        assert!(!self.panics, "as the test wants it");
        Ok(Bomb)
    }

    fn check(&self, _: &mut Bomb) -> Result<(), Infallible> {
        Ok(())
    }
}

fn call_and_waker() {
    let is_shut = Arc::new(AtomicBool::new(true));
    let maker = Threaded::new(Late { is_shut: Arc::clone(&is_shut), panics: true });
    let mut opening = Box::pin(maker.open());
    let is_caught = Arc::new(AtomicBool::new(false));
    let waker = Waker::from(Arc::new(PanicsAwake(Arc::clone(&is_caught))));
    assert!(opening.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    is_shut.store(false, SeqCst);
    wait_until("its panic is caught", || is_caught.load(SeqCst));
    assert!(block_on(opening).is_err(), "its maker has panicked");
}

/// A future is dropped in an unwinding while its waker is kept, and another one when its result waits for it.
fn unfetched_result() {
    let is_shut = Arc::new(AtomicBool::new(true));
    let maker = Threaded::new(Late { is_shut: Arc::clone(&is_shut), panics: false });
    let [mut given_up, mut unfetched] = [(); 2].map(|()| Box::pin(maker.open()));
    with_bad_bell(|cx| assert!(given_up.as_mut().poll(cx).is_pending()));
    panic_with(given_up);
    let woken = Arc::new(common::Bell::default());
    let waker = Waker::from(Arc::clone(&woken));
    assert!(unfetched.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    is_shut.store(false, SeqCst);
    wait_until("its result is there", || woken.0.load(SeqCst) > 0);
    panic_with(unfetched);
}

/// A timer that panics when it is dropped, and so do its sleeps.
struct BadTimer {
    _bomb: Bomb,
}

impl Timer for BadTimer {
    async fn sleep_until(&self, _: Instant) {
        let _bomb = Bomb;
        pending().await
    }
}

fn timer_and_sleep() {
    let (lender, keeper) = patient(Lender::builder(Faults::default())).build();
    panic_with(keeper.run(BadTimer { _bomb: Bomb }));
    let mut caller = pin!(lender.acquire());
    let told = caller.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(told, Poll::Ready(Err(AcquireError::NoKeeper))));
    let (lender, keeper) = patient(Lender::builder(Faults::default())).build();
    let mut keeper = Box::pin(keeper.run(BadTimer { _bomb: Bomb }));
    let mut caller = lender.acquire();
    assert!(poll_once(&mut caller).is_pending());
    assert!(poll_once(&mut keeper).is_pending());
    // Its first panic is the sleep's.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(keeper)));
}

/// Panics when it is dropped.
#[derive(PartialEq, Eq, Hash)]
struct Tenant(u8);

impl Clone for Tenant {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Drop for Tenant {
    fn drop(&mut self) {
        oops();
    }
}

fn tenants_and_their_makers() {
    let bomb = Bomb;
    let make = move |_: &Tenant| {
        let _ = &bomb;
        Bombs { _bomb: Bomb }
    };
    let (lenders, keeper) = patient(Lenders::builder(make)).capacity(2).build();
    for tenant in [1, 2] {
        let tenant = mem::ManuallyDrop::new(Tenant(tenant));
        assert!(poll_once(&mut lenders.lender(&tenant).acquire()).is_ready(), "no keeper");
    }
    drop(keeper);
    panic_with(lenders);
}
