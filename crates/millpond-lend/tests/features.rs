//! A test for each row of the comparison with other pools in the guide, named after the row.

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use common::{AnyTimer, Client, Fault, Server, lender_of, loan_of, patient, poll_once, wait_until};
use futures_lite::future::block_on;
use millpond_lend::{AcquireError, Lender, Lenders};

#[test]
fn order_is_first_come_first_served_by_hand_off() {
    let (lender, _) = lender_of(|builder| builder.capacity(1));
    let loan = block_on(lender.acquire()).unwrap();
    let mut first = lender.acquire();
    let mut second = lender.acquire();
    assert!(poll_once(&mut first).is_pending());
    assert!(poll_once(&mut second).is_pending());
    drop(loan);
    // Handed over already: whoever asks now stands behind, though the first has not looked yet.
    assert!(lender.try_acquire().is_none());
    let mut hog = lender.acquire();
    assert!(poll_once(&mut hog).is_pending());
    assert!(poll_once(&mut second).is_pending());
    let std::task::Poll::Ready(Ok(loan)) = poll_once(&mut first) else { panic!("handed over") };
    drop(loan);
    assert!(poll_once(&mut hog).is_pending());
    assert!(poll_once(&mut second).is_ready());
}

#[test]
fn shrinking_is_exact() {
    let (lender, server) = lender_of(|builder| builder.capacity(10));
    let loans = block_on(lender.acquire_many(10)).unwrap();
    assert_eq!(lender.set_capacity(2), 2);
    drop(loans);
    wait_until("two are left", || lender.stats().existing == 2);
    assert_eq!(server.existing(), 2);
    let both = block_on(lender.acquire_many(2)).unwrap();
    assert_eq!(both.len(), 2);
    assert!(lender.try_acquire().is_none());
    let stats = lender.stats();
    assert_eq!((stats.capacity, stats.existing), (2, 2));
    assert_eq!(lender.set_capacity(999), 10, "not beyond what memory was taken for");
}

#[test]
fn two_are_opened_at_once_and_only_if_it_pays() {
    let (lender, server) = lender_of(|builder| builder.capacity(10));
    // Longer than a busy machine stops this thread in the middle of a poll.
    server.open_ms.store(300, SeqCst);
    let mut callers: Vec<_> = (0..10).map(|_| lender.acquire()).collect();
    for caller in &mut callers {
        assert!(poll_once(caller).is_pending());
    }
    wait_until("the first has begun", || server.begun.load(SeqCst) > 0);
    assert!(lender.stats().opening <= 2);
    let loans: Vec<_> = callers.into_iter().map(|caller| block_on(caller).unwrap()).collect();
    assert_eq!(loans.len(), 10);
    assert_eq!(server.opened.load(SeqCst), 10, "holds without end: all pay");
}

#[test]
fn an_opening_survives_its_caller() {
    let (lender, server) = lender_of(|builder| builder.capacity(1));
    server.open_ms.store(300, SeqCst);
    let mut caller = lender.acquire();
    assert!(poll_once(&mut caller).is_pending());
    drop(caller);
    wait_until("it is open", || lender.stats().idle == 1);
    assert_eq!(server.begun.load(SeqCst), 1);
    assert!(lender.try_acquire().is_some());
}

#[test]
fn acquire_timeout_is_five_seconds_and_says_why() {
    assert_eq!(millpond_lend::Settings::default().acquire_timeout_us, 5_000_000);
    let (lender, server) =
        lender_of(|builder| builder.capacity(2).acquire_timeout(Duration::from_millis(200)));
    let loan = loan_of(&lender);
    let line = line!() - 1;
    server.is_down.store(true, SeqCst);
    let mut first = lender.acquire();
    let _ = poll_once(&mut first);
    wait_until("an opening has failed", || lender.stats().open_failed > 0);
    drop(first);
    let error = block_on(lender.acquire()).unwrap_err();
    let AcquireError::TimedOut { waited_ms, ahead, holders, source, unopened } = &error else {
        panic!("{error}");
    };
    assert!(*waited_ms >= 200);
    assert_eq!(*ahead, 0);
    assert_eq!(**source.as_ref().unwrap(), Fault("connection refused"));
    assert_eq!(*unopened, None, "the maker's own error says it");
    let holder = holders[0].unwrap();
    assert_eq!(holder.handle, loan.handle());
    assert_eq!((holder.place.file(), holder.place.line()), (file!(), line));
    assert!(holders[1].is_none());
    let cause = std::error::Error::source(&error).unwrap();
    assert_eq!(cause.downcast_ref::<Fault>(), Some(&Fault("connection refused")));
    let said = error.to_string();
    assert!(said.contains("connection refused") && said.contains("features.rs"), "{said}");
}

#[test]
fn lifetimes_have_a_jitter_of_ten_per_cent() {
    use millpond_lend::{Ledger, Settings, ledger::Work};
    let settings = Settings {
        capacity: 100,
        openings_max: 100,
        idle_min: 100,
        idle_us: Settings::NEVER,
        ..Settings::default()
    };
    let mut ledger = Ledger::<u32, (), Fault>::new(settings);
    ledger.keeper_started();
    assert!(ledger.tick(0).is_empty());
    while let Some(Work::Open(handle)) = ledger.next_work() {
        assert!(ledger.opened(0, handle, 0).is_none());
    }
    assert_eq!(ledger.stats().idle, 100);
    let mut expired = std::collections::BTreeMap::new();
    for second in 0..=1_800 {
        let before = ledger.stats().closings.lifetime;
        assert!(ledger.tick(second * 1_000_000).is_empty());
        while let Some(work) = ledger.next_work() {
            match work {
                Work::Open(handle) => {
                    assert!(ledger.opened(second * 1_000_000, handle, 1).is_none());
                }
                Work::Close(handle, _) => ledger.closed(second * 1_000_000, handle),
                other => panic!("{other:?}"),
            }
        }
        let now = ledger.stats().closings.lifetime - before;
        if now > 0 {
            expired.insert(second, now);
        }
    }
    assert_eq!(expired.values().sum::<u64>(), 100);
    assert!(expired.keys().all(|second| (1_620..=1_800).contains(second)), "{expired:?}");
    assert!(expired.values().all(|count| *count <= 5), "{expired:?}");
}

#[test]
fn the_successor_opens_before_the_old_one_goes() {
    use millpond_lend::{Ledger, Settings, ledger::Work};
    let settings = Settings { capacity: 2, idle_us: Settings::NEVER, ..Settings::default() };
    let mut ledger = Ledger::<u32, (), Fault>::new(settings);
    ledger.keeper_started();
    let place = std::panic::Location::caller();
    let millpond_lend::ledger::Ask::Queued(waiter) = ledger.ask(0, 1, place) else { panic!() };
    let Some(Work::Open(handle)) = ledger.next_work() else { panic!("the first") };
    assert!(ledger.opened(0, handle, 1).is_none());
    let millpond_lend::ledger::Claim::Served(handle, object, _) = ledger.claim(waiter, None) else {
        panic!("served");
    };
    assert!(ledger.give_back(1, handle, object, false).is_none());
    assert!(ledger.tick(1_800_000_000).is_empty());
    let Some(Work::Open(successor)) = ledger.next_work() else { panic!("the successor first") };
    assert_eq!(ledger.stats().idle, 1, "the old one still serves");
    assert!(ledger.opened(1_800_000_001, successor, 2).is_none());
    let Some(Work::Close(closing, 1)) = ledger.next_work() else { panic!("then the old one") };
    assert_eq!(closing, handle);
}

#[test]
fn a_check_comes_only_after_idleness_or_suspicion() {
    let (lender, server) =
        lender_of(|builder| builder.capacity(3).check_after_idle(Duration::from_millis(100_000)));
    let loans = block_on(lender.acquire_many(3)).unwrap();
    drop(loans);
    for _ in 0..1_000 {
        drop(block_on(lender.acquire()).unwrap());
    }
    assert_eq!(server.checks.load(SeqCst), 0, "busy connections are not checked");
    // One loan comes back broken: the others are checked, once, in the background.
    server.restart();
    let mut loan = block_on(lender.acquire()).unwrap();
    assert!(!loan.works());
    loan.is_broken = true;
    drop(loan);
    wait_until("the dead are closed", || server.existing() == 0);
    assert_eq!(server.checks.load(SeqCst), 2);
    assert!(block_on(lender.acquire()).unwrap().works());
    let stats = lender.stats();
    assert_eq!((stats.closings.broken, stats.closings.check), (1, 2));
}

/// The server restarts while both are lent. One comes back broken, so the other is checked before the first who
/// waits has it, though nobody noticed that it is dead.
#[test]
fn a_loan_that_comes_back_under_suspicion_is_checked_before_it_is_lent() {
    let (lender, server) = lender_of(|builder| {
        builder.capacity(2).check_after_idle(Duration::from_millis(100_000)).idle_min(0)
    });
    let mut loans = block_on(lender.acquire_many(2)).unwrap();
    let (second, mut first) = (loans.pop().unwrap(), loans.pop().unwrap());
    let mut waiting = [lender.acquire(), lender.acquire()];
    assert!(waiting.iter_mut().all(|caller| poll_once(caller).is_pending()));
    server.restart();
    std::thread::sleep(Duration::from_millis(2));
    first.is_broken = true;
    drop(first);
    drop(second);
    let both = waiting.map(|caller| block_on(caller).unwrap());
    assert!(both.iter().all(|loan| loan.works()));
    assert_eq!(server.checks.load(SeqCst), 1);
}

#[test]
fn an_idle_object_is_checked_before_it_is_lent() {
    let (lender, server) =
        lender_of(|builder| builder.capacity(1).check_after_idle(Duration::from_millis(1)));
    drop(block_on(lender.acquire()).unwrap());
    server.restart();
    std::thread::sleep(Duration::from_millis(5));
    assert!(lender.try_acquire().is_none());
    assert!(block_on(lender.acquire()).unwrap().works());
    assert_eq!(server.checks.load(SeqCst), 1);
}

#[test]
fn a_loan_is_dropped_without_a_runtime() {
    let server = Arc::new(Server::default());
    let (lender, keeper) =
        patient(Lender::builder(Client(Arc::clone(&server)))).capacity(2).build();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.spawn(keeper.run(AnyTimer));
    let loan = runtime.block_on(lender.acquire()).unwrap();
    let other = runtime.block_on(lender.acquire()).unwrap();
    drop(runtime);
    drop(loan);
    assert_eq!(lender.stats().idle, 1);
    assert!(lender.try_acquire().is_some());
    let error = block_on(lender.acquire_many(2)).unwrap_err();
    assert!(matches!(error, AcquireError::NoKeeper));
    drop(lender);
    drop(other);
    assert_eq!(server.existing(), 0);
}

#[test]
fn runtimes_are_any_or_none() {
    async fn one_loan(lender: &Lender<Client>) {
        let loan = lender.acquire().await.unwrap();
        assert!(loan.works());
    }
    let fresh = || patient(Lender::builder(Client::default())).capacity(1).build();

    let (lender, keeper) = fresh();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        tokio::spawn(keeper.run(millpond_lend::TokioTimer));
        one_loan(&lender).await;
    });

    let (lender, keeper) = fresh();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.spawn(keeper.run(millpond_lend::TokioTimer));
    runtime.block_on(one_loan(&lender));

    let (lender, keeper) = fresh();
    smol::block_on(async {
        smol::spawn(keeper.run(AnyTimer)).detach();
        one_loan(&lender).await;
    });

    let (lender, keeper) = fresh();
    keeper.run_on_thread().unwrap();
    block_on(one_loan(&lender));
}

#[test]
fn a_limit_over_many_pools() {
    let server = Arc::new(Server::default());
    let maker = Arc::clone(&server);
    let (lenders, keeper) = patient(Lenders::builder(move |_: &u32| Client(Arc::clone(&maker))))
        .capacity(4)
        .capacity_total(6)
        .build();
    keeper.run_on_thread().unwrap();
    let all: Vec<_> = (0..20).map(|tenant| lenders.lender(&tenant)).collect();
    std::thread::scope(|scope| {
        for lender in &all {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let loan = block_on(lender.acquire()).unwrap();
                        assert!(server.existing() <= 6);
                        drop(loan);
                    }
                });
            }
        }
    });
    assert!(lenders.existing() <= 6);
    assert_eq!(all.iter().map(|lender| lender.stats().loans).sum::<u64>(), 1_200);
}

/// What a program may do with a lender and its loans on other threads, and after panics: when this compiles.
#[test]
fn lenders_and_loans_go_to_other_threads() {
    fn goes<T: Send + Sync>() {}
    fn survives<T: std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}
    goes::<Lender<Client>>();
    goes::<Lenders<u8, Client>>();
    goes::<millpond_lend::Loan<Client>>();
    goes::<AcquireError<common::Fault>>();
    survives::<Lender<NoState>>();
}

struct NoState;

impl millpond_lend::Maker for NoState {
    type Object = ();
    type Error = std::convert::Infallible;

    async fn open(&self) -> Result<(), std::convert::Infallible> {
        Ok(())
    }

    async fn check(&self, (): &mut ()) -> Result<(), std::convert::Infallible> {
        Ok(())
    }
}
