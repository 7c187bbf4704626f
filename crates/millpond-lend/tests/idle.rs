//! When idle objects are closed, by the ledger alone and a clock of the test's.

use std::convert::Infallible;
use std::panic::Location;

use millpond_lend::ledger::{Ask, Claim, Work};
use millpond_lend::{IdleOrder, Ledger, LoanHandle, Settings};

const IDLE_US: u64 = 100;

type Books = Ledger<(), (), Infallible>;

/// Two objects, both lent.
fn two_are_lent() -> (Books, [LoanHandle; 2]) {
    let settings = Settings {
        capacity: 2,
        idle_us: IDLE_US,
        order: IdleOrder::Fifo,
        check_after_idle_us: Settings::NEVER,
        ..Settings::default()
    };
    let mut books = Books::new(settings);
    books.keeper_started();
    let Ask::Queued(waiter) = books.ask(0, 2, Location::caller()) else { panic!("none is open") };
    while let Some(Work::Open(handle)) = books.next_work() {
        assert!(books.opened(0, handle, ()).is_none());
    }
    let Claim::Served(first, (), rest) = books.claim(waiter, None) else { panic!("both are open") };
    (books, [first, rest[0].0])
}

/// An object that was kept for a caller who gave up is idle from then on: it stands behind those that
/// were idle already, and its time is over after theirs.
#[test]
fn the_time_of_an_object_that_nobody_fetched_begins_anew() {
    let (mut books, [first, second]) = two_are_lent();
    let Ask::Queued(waiter) = books.ask(10, 1, Location::caller()) else { panic!("both are lent") };
    assert!(books.give_back(20, second, (), false).is_none());
    assert!(books.give_back(90, first, (), false).is_none());
    assert!(books.cancel(95, waiter).0.is_empty());
    assert!(books.tick(95).is_empty());
    assert_eq!(books.next_alarm_us(), 90 + IDLE_US);

    let Ask::Lent(lent, ()) = books.ask(150, 1, Location::caller()) else { panic!("two are idle") };
    assert_eq!(lent, first);
    assert!(books.tick(150).is_empty());
    assert_eq!(books.next_alarm_us(), 95 + IDLE_US);
    assert!(books.tick(94 + IDLE_US).is_empty());
    assert!(books.next_work().is_none());
    assert!(books.tick(95 + IDLE_US).is_empty());
    let Some(Work::Close(closed, ())) = books.next_work() else { panic!("its time is over") };
    assert_eq!(closed, second);
    assert_eq!(books.stats().closings.idle, 1);
}
