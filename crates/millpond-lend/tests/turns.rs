//! A keeper whose work ends at once lets other tasks run: turns are counted, not time.

mod common;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::task::{Context, Waker};
use std::time::Duration;

use common::{AnyTimer, Bell, Fault, patient, poll_once};
use millpond_lend::ledger::{Ask, Work};
use millpond_lend::{Ledger, Lender, Lenders, Maker, Settings, TokioTimer};

/// More failures than a keeper that never yields would need to be seen.
const FAILURES: u64 = 200_000;

/// Fails at once, so many times; then it never answers.
#[derive(Clone, Default)]
struct FailsAtOnce(Arc<AtomicU64>);

impl Maker for FailsAtOnce {
    type Object = ();
    type Error = Fault;

    async fn open(&self) -> Result<(), Fault> {
        if self.0.fetch_add(1, SeqCst) == FAILURES {
            std::future::pending::<()>().await;
        }
        Err(Fault("connection refused"))
    }

    async fn check(&self, _: &mut ()) -> Result<(), Fault> {
        Ok(())
    }
}

/// Polls the keeper once, and returns whether it wants to be polled again at once.
fn turn(keeper: &mut Pin<Box<dyn Future<Output = ()> + Send>>) -> bool {
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(Arc::clone(&bell));
    assert!(keeper.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    bell.0.load(SeqCst) > 0
}

#[test]
fn one_poll_is_a_bounded_number_of_openings() {
    let maker = FailsAtOnce::default();
    let builder =
        patient(Lender::builder(maker.clone())).capacity(4).backoff(Duration::ZERO, Duration::ZERO);
    let (lender, keeper) = builder.build();
    let mut keeper: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(keeper.run(AnyTimer));
    let mut caller = lender.acquire();
    assert!(poll_once(&mut caller).is_pending());
    let mut openings = 0;
    for poll in 1..=20 {
        assert!(turn(&mut keeper), "it has more to do");
        let begun = maker.0.load(SeqCst) - openings;
        assert!((1..=64).contains(&begun), "{begun} openings in poll {poll}");
        openings += begun;
    }
}

#[test]
fn one_poll_is_a_bounded_number_of_openings_of_all_tenants() {
    let maker = FailsAtOnce::default();
    let of = maker.clone();
    let builder = patient(Lenders::builder(move |_: &u8| of.clone()));
    let (lenders, keeper) =
        builder.capacity(1).capacity_total(2).backoff(Duration::ZERO, Duration::ZERO).build();
    let mut keeper: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(keeper.run(AnyTimer));
    let tenants = [1, 2, 3].map(|tenant| lenders.lender(&tenant));
    let mut callers = tenants.each_ref().map(Lender::acquire);
    assert!(callers.iter_mut().all(|caller| poll_once(caller).is_pending()));
    for poll in 1..=5 {
        let before = maker.0.load(SeqCst);
        assert!(turn(&mut keeper), "it has more to do");
        let begun = maker.0.load(SeqCst) - before;
        assert!((1..=1_024).contains(&begun), "{begun} openings in poll {poll}");
    }
}

/// On one thread, another task has fifty turns long before the openings are over.
#[test]
fn other_tasks_of_the_same_thread_have_their_turns() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let maker = FailsAtOnce::default();
        let builder = patient(Lender::builder(maker.clone()))
            .capacity(1)
            .backoff(Duration::ZERO, Duration::ZERO);
        let (lender, keeper) = builder.build();
        tokio::spawn(keeper.run(TokioTimer));
        let caller = tokio::spawn(async move { lender.acquire().await.is_ok() });
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        assert!(maker.0.load(SeqCst) < FAILURES, "the keeper has had the thread for itself");
        caller.abort();
    });
}

/// A first pause of nothing: the second attempt comes at once, and then the pauses grow.
#[test]
fn a_least_pause_of_nothing_grows_too() {
    let mut books = Ledger::<(), (), Infallible>::new(Settings {
        backoff_min_us: 0,
        backoff_max_us: 5_000_000,
        acquire_timeout_us: Settings::NEVER,
        ..Settings::default()
    });
    books.keeper_started();
    assert!(matches!(books.ask(0, 1, std::panic::Location::caller()), Ask::Queued(_)));
    let mut now_us = 0;
    for round in 0..20 {
        let Some(Work::Open(handle)) = books.next_work() else { panic!("round {round}") };
        assert!(books.open_failed(now_us, handle, None, false).is_empty());
        assert!(books.tick(now_us).is_empty());
        let is_again = books.stats().opening > 0;
        assert_eq!(is_again, round == 0, "round {round}");
        now_us = if is_again { now_us } else { books.next_alarm_us() };
        assert!(books.tick(now_us).is_empty());
    }
    // Half of the longest pause in need, in most of the rounds.
    assert!((500_000..10_000_000).contains(&now_us), "{now_us}");
}
