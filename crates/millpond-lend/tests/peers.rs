//! A test for each defect of other pools that was reproduced.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::task::Poll;
use std::time::Duration;

use common::{Client, Fault, Server, lender_of, loan_of, patient, poll_once, wait_until};
use futures_lite::future::block_on;
use millpond_lend::{AcquireError, BlockingLender, BlockingMaker, Lender, Lenders};

/// bb8 and r2d2: a wrong password is a time-out, without its cause.
#[test]
fn a_wrong_password_is_told_at_once() {
    let (lender, server) = lender_of(|builder| builder.capacity(4));
    server.refuses_password.store(true, SeqCst);
    for _ in 0..3 {
        let error = block_on(lender.acquire()).unwrap_err();
        assert!(
            matches!(&error, AcquireError::Opening(cause) if **cause == Fault("wrong password"))
        );
        let cause = std::error::Error::source(&error).unwrap();
        assert_eq!(cause.to_string(), "wrong password");
    }
    assert_eq!(lender.stats().timed_out, 0);
}

/// bb8: a server that does not answer is a time-out, without its cause.
#[test]
fn a_server_that_is_down_is_named_in_the_time_out() {
    let (lender, server) = lender_of(|builder| builder.acquire_timeout(Duration::from_millis(100)));
    server.is_down.store(true, SeqCst);
    let mut first = lender.acquire();
    let _ = poll_once(&mut first);
    wait_until("an opening has failed", || lender.stats().open_failed > 0);
    let error = block_on(lender.acquire()).unwrap_err();
    assert!(error.to_string().contains("connection refused"), "{error}");
}

/// deadpool never times out by default: nested acquisition hangs.
#[test]
fn nested_acquisition_ends_and_names_itself() {
    let (lender, _) =
        lender_of(|builder| builder.capacity(1).acquire_timeout(Duration::from_millis(100)));
    let outer = loan_of(&lender);
    let error = block_on(lender.acquire()).unwrap_err();
    let AcquireError::TimedOut { holders: [Some(holder), ..], .. } = error else {
        panic!("{error}");
    };
    assert_eq!(holder.handle, outer.handle());
}

/// Two callers who need two of two each, one at a time, block each other in every other pool.
#[test]
fn several_at_once_do_not_block_each_other() {
    let (lender, _) = lender_of(|builder| builder.capacity(2));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    assert_eq!(block_on(lender.acquire_many(2)).unwrap().len(), 2);
                }
            });
        }
    });
    let error = block_on(lender.acquire_many(3)).unwrap_err();
    assert!(matches!(error, AcquireError::TooMany { asked: 3, capacity: 2 }));
}

/// bb8: a task that takes again at once got 1,372 loans, twenty others together 20. Here nobody who waits is
/// overtaken: between the moment in which a caller stands in the line and its loan, each other caller gets one.
#[test]
fn a_hog_gets_its_share() {
    const CALLERS: u64 = 21;
    let (lender, _) = lender_of(|builder| builder.capacity(1));
    let loans = AtomicU64::new(0);
    let first = block_on(lender.acquire()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..CALLERS {
            scope.spawn(|| {
                for _ in 0..100 {
                    let mut caller = lender.acquire();
                    let loan = match poll_once(&mut caller) {
                        Poll::Ready(loan) => loan.unwrap(),
                        Poll::Pending => {
                            let before = loans.load(SeqCst);
                            let loan = block_on(caller).unwrap();
                            let others = loans.load(SeqCst) - before;
                            // One may have had its loan before, and has not counted it yet.
                            assert!(others < CALLERS, "{others} loans while this one waited");
                            loan
                        }
                    };
                    loans.fetch_add(1, SeqCst);
                    drop(loan);
                }
            });
        }
        wait_until("all wait", || lender.stats().waiting == 21);
        drop(first);
    });
    assert_eq!(loans.load(SeqCst), 2_100);
}

/// bb8 and deadpool: 1,000 short tasks at start open 100 of 100.
#[test]
fn a_thousand_short_tasks_open_few() {
    let (lender, server) = lender_of(|builder| builder.capacity(100).waiters_max(2_000));
    // A busy machine that stops this thread for as long as an opening takes makes another one pay.
    server.open_ms.store(200, SeqCst);
    let mut callers: Vec<_> = (0..1_000).map(|_| lender.acquire()).collect();
    for caller in &mut callers {
        assert!(poll_once(caller).is_pending());
    }
    for caller in callers {
        drop(block_on(caller).unwrap());
    }
    let opened = server.begun.load(SeqCst);
    assert!(opened <= 10, "{opened} were opened");
}

/// deadpool: opening takes 20 ms, callers give up after 10: 50 begun, none kept.
#[test]
fn impatient_callers_do_not_waste_openings() {
    let (lender, server) = lender_of(|builder| builder.capacity(4));
    server.open_ms.store(20, SeqCst);
    for _ in 0..50 {
        let mut caller = lender.acquire();
        let _ = poll_once(&mut caller);
        std::thread::sleep(Duration::from_millis(2));
    }
    // The last of the openings may still be under way.
    let idle = || lender.stats().idle as u64;
    wait_until("every one is kept", || idle() > 0 && idle() == server.begun.load(SeqCst));
    assert!(idle() <= 4);
}

/// deadpool: after a failover, each dead connection is an error of its own.
#[test]
fn a_failover_is_one_error() {
    let (lender, server) = lender_of(|builder| builder.capacity(8));
    drop(block_on(lender.acquire_many(8)).unwrap());
    server.restart();
    let mut errors = 0;
    for _ in 0..50 {
        let mut loan = block_on(lender.acquire()).unwrap();
        if !loan.works() {
            loan.is_broken = true;
            errors += 1;
        }
    }
    assert_eq!(errors, 1, "one dead connection makes the others suspect");
    wait_until("the dead are gone", || lender.stats().checking + lender.stats().closing == 0);
    let loans = block_on(lender.acquire_many(8)).unwrap();
    assert!(loans.iter().all(|loan| loan.works()));
}

/// async-bb8-diesel: a connection that has died silently stops everybody.
#[test]
fn a_check_that_hangs_is_given_up() {
    let (lender, server) = lender_of(|builder| {
        builder
            .capacity(1)
            .check_after_idle(Duration::ZERO)
            .check_timeout(Duration::from_millis(50))
            .open_timeout(Duration::from_millis(50))
    });
    drop(block_on(lender.acquire()).unwrap());
    std::thread::sleep(Duration::from_millis(2));
    server.hangs.store(true, SeqCst);
    let mut caller = lender.acquire();
    assert!(poll_once(&mut caller).is_pending());
    wait_until("the check is given up", || lender.stats().closings.check == 1);
    server.hangs.store(false, SeqCst);
    assert!(block_on(caller).unwrap().works());
    assert_eq!(server.existing(), 1);
}

/// sqlx: the pool is closed too early, or never.
#[test]
fn closing_waits_for_loans_and_not_for_ever() {
    let (lender, server) = lender_of(|builder| builder.capacity(3));
    let loans = block_on(lender.acquire_many(2)).unwrap();
    drop(block_on(lender.acquire()).unwrap());
    let mut waiting = lender.acquire_many(3);
    assert!(poll_once(&mut waiting).is_pending());
    let report = block_on(lender.close(Duration::from_millis(50)));
    assert!(matches!(block_on(waiting), Err(AcquireError::Closed)));
    // Its time may have been over before the keeper had its turn.
    assert!(report.closed <= 1);
    assert_eq!(report.still_out.len(), 2);
    assert_eq!(report.still_out[0].handle, loans[0].handle());
    assert!(matches!(block_on(lender.acquire()), Err(AcquireError::Closed)));
    wait_until("the idle one is closed", || server.existing() == 2);
    drop(loans);
    // What comes back late is closed, without a keeper.
    wait_until("none exists", || server.existing() == 0);

    // With one object, a caller who comes before the lender closes waits for that, and opens no other.
    let (lender, server) = lender_of(|builder| builder.capacity(1));
    let loan = block_on(lender.acquire()).unwrap();
    std::thread::scope(|scope| {
        let closing = scope.spawn(|| block_on(lender.close(Duration::from_secs(60))));
        assert!(matches!(block_on(lender.acquire()), Err(AcquireError::Closed)));
        drop(loan);
        let report = closing.join().unwrap();
        assert_eq!((report.closed, report.still_out.len()), (1, 0));
    });
    assert_eq!(server.existing(), 0);
}

/// async-kit, commons-pool: opening fails or panics, and callers wait without end.
#[test]
fn an_opening_that_panics_or_hangs_stops_nobody() {
    let (lender, server) = lender_of(|builder| {
        builder
            .capacity(1)
            .open_timeout(Duration::from_millis(30))
            .backoff(Duration::from_millis(1), Duration::from_millis(10))
    });
    server.panics.store(true, SeqCst);
    let mut caller = lender.acquire();
    assert!(poll_once(&mut caller).is_pending());
    wait_until("one has panicked", || lender.stats().open_failed > 0);
    server.panics.store(false, SeqCst);
    block_on(caller).unwrap().discard();
    wait_until("it is closed", || lender.stats().existing == 0);

    server.hangs.store(true, SeqCst);
    let failed = lender.stats().open_failed;
    let mut caller = lender.acquire();
    assert!(poll_once(&mut caller).is_pending());
    wait_until("one was given up", || lender.stats().open_failed > failed);
    server.hangs.store(false, SeqCst);
    assert!(block_on(caller).unwrap().works());
}

/// FIFO under overload serves only those about to give up: the line is bounded.
#[test]
fn too_many_waiters_are_refused() {
    let (lender, _) = lender_of(|builder| builder.capacity(1).waiters_max(2));
    let _loan = block_on(lender.acquire()).unwrap();
    let mut waiting = [lender.acquire(), lender.acquire()];
    assert!(waiting.iter_mut().all(|caller| poll_once(caller).is_pending()));
    assert!(matches!(block_on(lender.acquire()), Err(AcquireError::Refused { waiters: 2 })));
}

/// A keeper that nobody runs: told at once, not after a time-out.
#[test]
fn no_keeper_is_told_at_once() {
    let (lender, keeper) = patient(Lender::builder(Client::default())).build();
    assert!(matches!(block_on(lender.acquire()), Err(AcquireError::NoKeeper)));
    drop(keeper);
    assert!(matches!(block_on(lender.acquire()), Err(AcquireError::NoKeeper)));
    assert!(lender.try_acquire().is_none());

    let (lenders, keeper) = Lenders::builder(|_: &u8| Client::default()).build();
    let early = lenders.lender(&1);
    assert!(matches!(block_on(early.acquire()), Err(AcquireError::NoKeeper)));
    let running = keeper.run(common::AnyTimer);
    let late = lenders.lender(&2);
    let mut waiting = [early.acquire(), late.acquire()];
    assert!(waiting.iter_mut().all(|caller| poll_once(caller).is_pending()));
    drop(running);
    for caller in waiting {
        assert!(matches!(block_on(caller), Err(AcquireError::NoKeeper)));
    }
}

/// npgsql, pgcat: idle connections of one tenant keep all others out.
#[test]
fn an_idle_tenant_gives_way() {
    let server = Arc::new(Server::default());
    let maker = Arc::clone(&server);
    let (lenders, keeper) = patient(Lenders::builder(move |_: &&str| Client(Arc::clone(&maker))))
        .capacity(4)
        .capacity_total(4)
        .build();
    keeper.run_on_thread().unwrap();
    let (ann, bob) = (lenders.lender(&"ann"), lenders.lender(&"bob"));
    drop(block_on(ann.acquire_many(4)).unwrap());
    let loans = block_on(bob.acquire_many(4)).unwrap();
    assert_eq!(server.existing(), 4);
    assert_eq!(ann.stats().existing, 0);
    // All are out with Bob; Ann has none, and gets the next that comes back, though Bob waits, too.
    let mut more = bob.acquire();
    assert!(poll_once(&mut more).is_pending());
    let mut poor = ann.acquire();
    assert!(poll_once(&mut poor).is_pending());
    std::thread::sleep(Duration::from_millis(50));
    drop(loans);
    assert!(block_on(poor).unwrap().works());
    assert!(block_on(more).unwrap().works());
    assert!(server.existing() <= 4);
    assert!(lenders.remove(&"bob"));
    assert!(!lenders.remove(&"bob"));
}

/// A tenant in need gets the place of the next loan that comes back, not of one that is held for long.
#[test]
fn a_loan_that_is_held_for_long_keeps_no_other_tenant_out() {
    let (lenders, keeper) = patient(Lenders::builder(|_: &&str| Client::default()))
        .capacity(4)
        .capacity_total(4)
        .build();
    keeper.run_on_thread().unwrap();
    let (ann, bob) = (lenders.lender(&"ann"), lenders.lender(&"bob"));
    let mut loans = block_on(ann.acquire_many(4)).unwrap();
    for held in 0..4 {
        let mut poor = bob.acquire();
        assert!(poll_once(&mut poor).is_pending());
        // So that the keeper knows of Bob before a loan comes back.
        std::thread::sleep(Duration::from_millis(20));
        let mut kept = loans.split_off(held);
        let rest = kept.split_off(1);
        drop(loans);
        drop(rest);
        let loan = block_on(poor).unwrap();
        assert!(loan.works());
        loan.discard();
        drop(kept);
        loans = block_on(ann.acquire_many(4)).unwrap();
    }
    assert_eq!((ann.validate(), bob.validate()), (Ok(()), Ok(())));
}

/// A tenant in need that waits for a loan to come back takes an idle object that appears meanwhile, and the loan need
/// not be closed any more.
#[test]
fn an_idle_object_is_taken_before_a_loan_is_waited_for() {
    let (lenders, keeper) = patient(Lenders::builder(|_: &&str| Client::default()))
        .capacity(4)
        .capacity_total(4)
        .build();
    keeper.run_on_thread().unwrap();
    let [ann, bob, carl] = ["ann", "bob", "carl"].map(|tenant| lenders.lender(&tenant));
    let held = block_on(ann.acquire_many(3)).unwrap();
    let short = block_on(carl.acquire()).unwrap();
    let mut poor = bob.acquire();
    assert!(poll_once(&mut poor).is_pending());
    // So that the keeper has asked for one of Ann's loans.
    std::thread::sleep(Duration::from_millis(20));
    drop(short);
    assert!(block_on(poor).unwrap().works());
    drop(held);
    assert_eq!((ann.stats().idle, ann.stats().closings.capacity), (3, 0));
    assert_eq!((ann.validate(), carl.stats().existing), (Ok(()), 0));
}

/// pgcat: which tenant loses its connection is that of the one that nobody has used for longest.
#[test]
fn the_object_that_was_idle_longest_gives_way() {
    for longest in [0, 1] {
        let (lenders, keeper) = patient(Lenders::builder(|_: &u8| Client::default()))
            .capacity(2)
            .capacity_total(2)
            .build();
        keeper.run_on_thread().unwrap();
        let rich = [1, 2].map(|tenant| lenders.lender(&tenant));
        drop(rich.each_ref().map(|lender| block_on(lender.acquire()).unwrap()));
        std::thread::sleep(Duration::from_millis(5));
        drop(block_on(rich[1 - longest].acquire()).unwrap());
        drop(block_on(lenders.lender(&3).acquire()).unwrap());
        let left = rich.each_ref().map(|lender| lender.stats().existing);
        assert_eq!((left[longest], left[1 - longest]), (0, 1));
    }
}

/// A tenant that is forgotten has callers for as long as its lender is kept: they are not left to starve.
#[test]
fn a_tenant_that_was_removed_is_served_to_the_end() {
    let (lenders, keeper) = patient(Lenders::builder(|_: &u8| Client::default()))
        .acquire_timeout(Duration::from_millis(20_000))
        .capacity(1)
        .capacity_total(1)
        .build();
    keeper.run_on_thread().unwrap();
    let removed = lenders.lender(&1);
    assert!(lenders.remove(&1));
    let other = lenders.lender(&2);
    for _ in 0..2 {
        assert!(block_on(other.acquire()).unwrap().works());
        assert!(block_on(removed.acquire()).unwrap().works());
    }
    let shared = removed.clone();
    drop(removed);
    drop(shared);
    assert!(block_on(other.acquire()).unwrap().works());
}

/// A program may keep the lenders of its tenants alone: the total is still shared.
#[test]
fn tenants_are_served_after_their_lenders_are_dropped() {
    let server = Arc::new(Server::default());
    let maker = Arc::clone(&server);
    let (lenders, keeper) = patient(Lenders::builder(move |_: &u8| Client(Arc::clone(&maker))))
        .acquire_timeout(Duration::from_millis(20_000))
        .capacity(1)
        .capacity_total(1)
        .build();
    let keeper = keeper.run_on_thread().unwrap();
    let tenants = [1, 2].map(|tenant| lenders.lender(&tenant));
    drop(lenders);
    for tenant in tenants.iter().chain(&tenants) {
        assert!(block_on(tenant.acquire()).unwrap().works());
        assert_eq!(server.existing(), 1);
    }
    drop(tenants);
    keeper.join().unwrap();
    assert_eq!(server.existing(), 0);
}

struct Files;

impl BlockingMaker for Files {
    type Object = u64;
    type Error = Fault;

    fn open(&self) -> Result<u64, Fault> {
        Ok(0)
    }

    fn check(&self, _: &mut u64) -> Result<(), Fault> {
        Ok(())
    }
}

/// mobc's `set_max_open_conns` has no effect; r2d2 has no such call. Threads, and the same books.
#[test]
fn threads_share_a_blocking_lender_that_changes_its_size() {
    let lender = patient(BlockingLender::builder(Files)).capacity(4).build().unwrap();
    let most = AtomicU64::new(0);
    let out = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..500 {
                    let mut loan = lender.acquire().unwrap();
                    most.fetch_max(out.fetch_add(1, SeqCst) + 1, SeqCst);
                    *loan += 1;
                    out.fetch_sub(1, SeqCst);
                }
            });
        }
    });
    assert!(most.load(SeqCst) <= 4);
    let counted: u64 = {
        let stats = lender.stats();
        block_on(async {
            (0..stats.idle).filter_map(|_| lender.try_acquire().map(|l| l.detach())).sum()
        })
    };
    assert_eq!(counted, 4_000);
    lender.set_capacity(1);
    assert!(lender.acquire_many(2).is_err());
    assert!(lender.close(Duration::from_secs(10)).still_out.is_empty());
}
