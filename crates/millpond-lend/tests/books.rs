//! What the books say and do in single steps, by the ledger alone and a clock of the test's.

use std::convert::Infallible;
use std::panic::Location;

use millpond_lend::ledger::{Ask, Claim, Lacking, WaiterHandle, Work};
use millpond_lend::{AcquireError, Ledger, LoanHandle, Settings};

type Books = Ledger<u32, (), Infallible>;

const SECOND_US: u64 = 1_000_000;

fn books_of(settings: Settings) -> Books {
    let mut books = Books::new(settings);
    books.keeper_started();
    books
}

fn queued(books: &mut Books, now_us: u64) -> WaiterHandle {
    match books.ask(now_us, 1, Location::caller()) {
        Ask::Queued(waiter) => waiter,
        other => panic!("{other:?}"),
    }
}

fn served(books: &mut Books, waiter: WaiterHandle) -> LoanHandle {
    match books.claim(waiter, None) {
        Claim::Served(handle, ..) => handle,
        other => panic!("{other:?}"),
    }
}

/// A loan of a new object, asked for and opened at this moment.
fn new_loan(books: &mut Books, now_us: u64) -> LoanHandle {
    let waiter = queued(books, now_us);
    let Some(Work::Open(handle)) = books.next_work() else { panic!("none is opened") };
    assert!(books.opened(now_us, handle, 0).is_none());
    served(books, waiter)
}

fn give_back(books: &mut Books, now_us: u64, handle: LoanHandle) {
    assert!(books.give_back(now_us, handle, 0, false).is_none());
}

#[test]
fn a_time_out_names_the_four_oldest_loans_and_how_many_were_ahead() {
    let mut books = books_of(Settings { capacity: 6, ..Settings::default() });
    let mut loans: Vec<_> = (0..6).map(|ms| new_loan(&mut books, ms * 1_000)).collect();
    // The first is lent anew, and is now the youngest.
    give_back(&mut books, 6_000, loans[0]);
    assert!(
        matches!(books.ask(7_000, 1, Location::caller()), Ask::Lent(handle, _) if handle == loans[0])
    );
    loans.rotate_left(1);
    let waiters: Vec<_> = (0..3).map(|_| queued(&mut books, 10_000)).collect();
    let now_us = 10_000 + Settings::default().acquire_timeout_us;
    assert!(books.tick(now_us).is_empty());
    for (place, waiter) in waiters.into_iter().enumerate() {
        let Claim::Failed(AcquireError::TimedOut { waited_ms, ahead, holders, .. }) =
            books.claim(waiter, None)
        else {
            panic!("its time is over")
        };
        assert_eq!((waited_ms, ahead as usize), (5_000, place));
        let named = holders.map(|holder| holder.expect("six are out"));
        assert_eq!(named.map(|holder| holder.handle), loans[..4]);
        assert_eq!(named.map(|holder| holder.held_ms), [5_009, 5_008, 5_007, 5_006]);
    }
    assert_eq!(books.validate(), Ok(()));
}

#[test]
fn the_counts_are_those_of_what_happened() {
    let mut books = books_of(Settings { capacity: 2, waiters_max: 2, ..Settings::default() });
    let loans = [new_loan(&mut books, 0), new_loan(&mut books, 0)];
    let [first, second] = [queued(&mut books, 100), queued(&mut books, 100)];
    assert!(matches!(
        books.ask(100, 1, Location::caller()),
        Ask::Failed(AcquireError::Refused { waiters: 2 })
    ));
    assert!(books.cancel(150, second).0.is_empty());
    give_back(&mut books, 1_100, loans[0]);
    assert_eq!(served(&mut books, first), loans[0]);
    give_back(&mut books, 1_200, loans[0]);
    let stats = books.stats();
    assert_eq!((stats.peak_out, stats.peak_waiting), (2, 2));
    assert_eq!((stats.refused, stats.cancelled, stats.loans, stats.opened), (1, 1, 3, 2));
    // 1,000 µs are in the bucket from 512 to below 1,024.
    assert_eq!((stats.waits[0], stats.waits[10], stats.waits.iter().sum()), (2, 1, 3));
    assert_eq!((stats.idle, stats.out, stats.existing, stats.waiting), (1, 1, 2, 0));
}

#[test]
fn an_object_is_checked_when_it_was_idle_for_longer_than_the_setting() {
    let idle_us = Settings::default().check_after_idle_us;
    for (idle_us, is_checked) in [(idle_us, false), (idle_us + 1, true)] {
        let mut books = books_of(Settings { capacity: 1, ..Settings::default() });
        let loan = new_loan(&mut books, 0);
        give_back(&mut books, SECOND_US, loan);
        let asked = books.ask(SECOND_US + idle_us, 1, Location::caller());
        assert_eq!(matches!(asked, Ask::Queued(_)), is_checked, "{asked:?}");
        assert_eq!(matches!(books.next_work(), Some(Work::Check(..))), is_checked);
    }
}

/// A check proves that the object worked when it began, not that it survived what happened since.
#[test]
fn a_check_that_began_before_the_suspicion_is_no_proof() {
    let mut books = books_of(Settings { capacity: 2, ..Settings::default() });
    let loans = [new_loan(&mut books, 0), new_loan(&mut books, 0)];
    assert!(books.give_back_to_check(10, loans[0], 0).is_none());
    let Some(Work::Check(handle, object)) = books.next_work() else { panic!("it is checked") };
    assert!(books.give_back(20, loans[1], 0, true).is_none());
    assert!(matches!(books.next_work(), Some(Work::Close(..))));
    assert!(books.checked(30, handle, object).is_none());
    let Some(Work::Check(again, object)) = books.next_work() else { panic!("checked again") };
    assert_eq!(again, handle);
    assert!(books.checked(40, again, object).is_none());
    assert!(books.next_work().is_none());
    assert_eq!((books.stats().idle, books.stats().checks), (1, 2));
}

/// What failed together with an earlier failure says nothing of objects that were opened since.
#[test]
fn old_news_make_nothing_suspect() {
    let mut books = books_of(Settings { capacity: 3, ..Settings::default() });
    let loans = [new_loan(&mut books, 0), new_loan(&mut books, 0)];
    assert!(books.give_back(10, loans[0], 0, true).is_none());
    let Some(Work::Close(closing, _)) = books.next_work() else { panic!("it is closed") };
    books.closed(11, closing);
    let young = new_loan(&mut books, 15);
    give_back(&mut books, 16, young);
    assert!(books.give_back(20, loans[1], 0, true).is_none());
    assert!(matches!(books.next_work(), Some(Work::Close(..))));
    assert!(books.next_work().is_none());
    assert_eq!((books.stats().idle, books.stats().checks), (1, 0));
}

#[test]
fn shrinking_closes_what_has_been_idle_longest() {
    let mut books = books_of(Settings { capacity: 3, ..Settings::default() });
    let loans: Vec<_> = (0..3).map(|_| new_loan(&mut books, 0)).collect();
    for (now_us, at) in [(10, 1), (11, 2), (12, 0)] {
        give_back(&mut books, now_us, loans[at]);
    }
    let (set, to_drop) = books.set_capacity(20, 1);
    assert_eq!((set, to_drop.len()), (1, 0));
    for expected in [loans[1], loans[2]] {
        assert!(matches!(books.next_work(), Some(Work::Close(handle, _)) if handle == expected));
    }
    assert!(books.next_work().is_none());
    assert_eq!(books.stats().closings.capacity, 2);
}

#[test]
fn a_loan_that_is_detached_makes_room_for_who_waits() {
    let mut books = books_of(Settings { capacity: 1, ..Settings::default() });
    let loan = new_loan(&mut books, 0);
    let waiter = queued(&mut books, 1);
    assert!(books.next_work().is_none());
    books.detach(2, loan);
    let Some(Work::Open(handle)) = books.next_work() else { panic!("there is room") };
    assert!(books.opened(3, handle, 7).is_none());
    assert_eq!(served(&mut books, waiter), handle);
    assert_eq!((books.stats().closings.detached, books.stats().existing), (1, 1));
}

/// Who sets a longer least pause than a quarter of a second gets it, though somebody waits.
#[test]
fn no_pause_is_shorter_than_half_of_the_least() {
    let least_us = 2 * SECOND_US;
    let mut books = books_of(Settings {
        backoff_min_us: least_us,
        backoff_max_us: 8 * SECOND_US,
        acquire_timeout_us: Settings::NEVER,
        ..Settings::default()
    });
    queued(&mut books, 0);
    let mut now_us = 0;
    for round in 0..4 {
        let Some(Work::Open(handle)) = books.next_work() else { panic!("round {round}") };
        assert!(books.open_failed(now_us, handle, None, false).is_empty());
        assert!(books.tick(now_us).is_empty());
        let pause_us = books.next_alarm_us() - now_us;
        assert!((least_us / 2..=least_us).contains(&pause_us), "round {round}: {pause_us}");
        now_us += pause_us;
        assert!(books.tick(now_us).is_empty());
    }
}

/// A future that was leaked, and a lender whose callers wait for ever: the object goes on after a minute.
#[test]
fn without_a_time_out_an_object_that_is_not_fetched_is_kept_for_a_minute() {
    for acquire_timeout_us in [Settings::NEVER, 3_600 * SECOND_US] {
        let never = Settings::NEVER;
        let mut books = books_of(Settings {
            capacity: 1,
            acquire_timeout_us,
            idle_us: never,
            lifetime_us: never,
            ..Settings::default()
        });
        let loan = new_loan(&mut books, 0);
        let leaked = queued(&mut books, 1);
        let next = queued(&mut books, 2);
        give_back(&mut books, 10, loan);
        assert!(matches!(books.claim(next, None), Claim::Pending(_)));
        assert!(books.tick(11).is_empty());
        let due_us = books.next_alarm_us();
        assert!(due_us <= 10 + 61 * SECOND_US, "{due_us}");
        assert!(books.tick(due_us).is_empty());
        assert_eq!(served(&mut books, next), loan);
        assert!(matches!(books.claim(leaked, None), Claim::Failed(AcquireError::TimedOut { .. })));
        assert_eq!(books.validate(), Ok(()));
    }
}

/// Evictions that come faster than openings end: each opening serves one caller, and is then closed.
#[test]
fn evictions_that_are_more_frequent_than_openings_starve_nobody() {
    let mut books = books_of(Settings { capacity: 1, ..Settings::default() });
    for round in 0..20 {
        let now_us = round * 100;
        let waiter = queued(&mut books, now_us);
        let Some(Work::Open(handle)) = books.next_work() else { panic!("round {round}") };
        assert!(books.evict_all(now_us + 1).is_empty());
        assert!(books.opened(now_us + 2, handle, 0).is_none());
        assert_eq!(served(&mut books, waiter), handle);
        assert!(books.evict_all(now_us + 3).is_empty());
        give_back(&mut books, now_us + 4, handle);
        let Some(Work::Close(closing, _)) = books.next_work() else { panic!("it is evicted") };
        books.closed(now_us + 5, closing);
        assert_eq!(books.validate(), Ok(()));
    }
    assert_eq!(books.stats().closings.evicted, 20);
    // Without a caller, it is of no use.
    let waiter = queued(&mut books, 5_000);
    let Some(Work::Open(handle)) = books.next_work() else { panic!("one pays") };
    assert!(books.evict_all(5_001).is_empty());
    assert!(books.cancel(5_002, waiter).0.is_empty());
    assert!(books.opened(5_003, handle, 0).is_none());
    assert!(matches!(books.next_work(), Some(Work::Close(..))));
}

/// The clock of a machine goes back, and leaps: nothing panics, and nobody is lost.
#[test]
fn a_clock_that_goes_back_breaks_nothing() {
    let mut books = books_of(Settings { capacity: 2, ..Settings::default() });
    let mut out = Vec::new();
    let mut waiting = std::collections::VecDeque::new();
    let times = [5_000_000, 0, 9_000_000, 1, u64::MAX, 3, u64::MAX / 2, 0, 40_000_000_000, 7];
    for (round, now_us) in times.into_iter().cycle().take(400).enumerate() {
        match books.ask(now_us, 1, Location::caller()) {
            Ask::Lent(handle, _) => out.push(handle),
            Ask::Queued(waiter) => waiting.push_back(waiter),
            Ask::Failed(_) => {}
        }
        drop(books.tick(now_us));
        while let Some(work) = books.next_work() {
            match work {
                Work::Open(handle) => drop(books.opened(now_us, handle, 0)),
                Work::Check(handle, object) => drop(books.checked(now_us, handle, object)),
                Work::Close(handle, _) | Work::Abort(handle) => books.closed(now_us, handle),
            }
        }
        waiting.retain(|waiter| match books.claim(*waiter, None) {
            Claim::Pending(_) => true,
            Claim::Served(handle, ..) => {
                out.push(handle);
                false
            }
            Claim::Failed(_) | Claim::Unknown => false,
        });
        if round % 3 == 0
            && let Some(handle) = out.pop()
        {
            let _ = books.give_back(now_us, handle, 0, false);
        }
        assert!(books.stats().existing <= 2);
    }
    for handle in out.drain(..) {
        let _ = books.give_back(0, handle, 0, false);
    }
    assert_eq!(books.stats().out, 0);
}

#[test]
fn the_counters_are_displayed() {
    let mut books = books_of(Settings { capacity: 2, ..Settings::default() });
    let loan = new_loan(&mut books, 0);
    assert!(books.discard(1_000, loan, 0).is_none());
    assert_eq!(
        books.stats().to_string(),
        "objects: 1 of 2: 0 out (at most 1 at once), 0 idle, 0 opening, 0 checking, 1 closing\n\
         callers: 1 loans, 99 % of the waits below 1 us; 0 waiting (at most 1 at once), \
         0 timed out, 0 refused, 0 gave up\n\
         openings: 1 (mean 0 us), 0 failed; 0 checks; mean loan 1000 us\n\
         closed: 1 discarded"
    );
    assert_eq!(millpond_lend::Closings::default().to_string(), "none");
}

/// What its caller lacks then, it may get from an object that has to be checked.
#[test]
fn a_reserved_object_that_is_given_up_is_lacking_again() {
    let mut books = books_of(Settings { capacity: 3, ..Settings::default() });
    let loans: Vec<_> = (0..3).map(|_| new_loan(&mut books, 0)).collect();
    loans[..2].iter().for_each(|loan| give_back(&mut books, 0, *loan));
    give_back(&mut books, 2 * SECOND_US, loans[2]);
    let asked = books.ask(2 * SECOND_US, 2, Location::caller());
    assert!(matches!(asked, Ask::Queued(_)));
    assert!(matches!(books.next_work(), Some(Work::Check(..))));
    assert_eq!((books.stats().idle, books.stats().checking), (1, 1));
    assert!(books.give_up_reserved(2 * SECOND_US, &mut Vec::new()));
    assert!(matches!(books.next_work(), Some(Work::Close(handle, _)) if handle == loans[2]));
    assert!(matches!(books.next_work(), Some(Work::Check(..))));
    assert_eq!(books.validate(), Ok(()));
}

/// One place is lacking, and two lenders may give one up: the first that has an object returned does.
#[test]
fn for_one_place_that_is_lacking_one_object_is_closed() {
    let lacking = Lacking::default();
    let mut lenders = [(); 2].map(|()| {
        let mut books = books_of(Settings { capacity: 1, ..Settings::default() });
        books.share_total(lacking.clone());
        books.allow(0, 1);
        let loan = new_loan(&mut books, 0);
        books.give_up_returned(1);
        (books, loan)
    });
    lacking.set(1);
    for (books, loan) in &mut lenders {
        give_back(books, 1, *loan);
        assert_eq!(books.validate(), Ok(()));
    }
    assert_eq!(lenders.map(|(books, _)| books.stats().closings.capacity), [1, 0]);
}
