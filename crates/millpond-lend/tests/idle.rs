//! When idle objects are closed, by the ledger alone and a clock of the test's.

use std::convert::Infallible;
use std::panic::Location;

use millpond_lend::ledger::{Ask, Claim, Work};
use millpond_lend::{IdleOrder, Ledger, LoanHandle, Settings};

const IDLE_US: u64 = 100;

type Books = Ledger<(), (), Infallible>;

fn two_are_lent() -> (Books, [LoanHandle; 2]) {
    lent(IdleOrder::Fifo, Settings::NEVER)
}

/// `N` objects, all lent.
fn lent<const N: usize>(order: IdleOrder, check_after_idle_us: u64) -> (Books, [LoanHandle; N]) {
    let settings = Settings {
        capacity: N,
        idle_us: IDLE_US,
        order,
        check_after_idle_us,
        ..Settings::default()
    };
    let mut books = Books::new(settings);
    books.keeper_started();
    let Ask::Queued(waiter) = books.ask(0, N, Location::caller()) else { panic!("none is open") };
    while let Some(Work::Open(handle)) = books.next_work() {
        assert!(books.opened(0, handle, ()).is_none());
    }
    let Claim::Served(first, (), rest) = books.claim(waiter, None) else { panic!("all are open") };
    let mut handles = [first; N];
    for (handle, (other, ())) in handles[1..].iter_mut().zip(rest) {
        *handle = other;
    }
    (books, handles)
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

/// An object that has been idle for too long goes back to its place until it is checked, so that the next check is of it.
#[test]
fn the_next_object_in_order_is_the_one_that_is_checked() {
    for order in [IdleOrder::Lifo, IdleOrder::Fifo] {
        let (mut books, [first, second, third]) = lent(order, 10);
        for (at_us, handle) in [(1, first), (2, second), (3, third)] {
            assert!(books.give_back(at_us, handle, (), false).is_none());
        }
        let Ask::Queued(_) = books.ask(50, 1, Location::caller()) else { panic!("it is checked") };
        let Some(Work::Check(checked, ())) = books.next_work() else { panic!("all are idle") };
        let next = if matches!(order, IdleOrder::Lifo) { third } else { first };
        assert_eq!(checked, next, "{order:?}");
    }
}

/// Where nobody can check it, an object that another one's failure makes suspect waits for a keeper.
#[test]
fn without_a_keeper_a_suspect_object_is_not_lent() {
    let (mut books, [first, second]) = lent(IdleOrder::Lifo, Settings::NEVER);
    assert!(books.give_back(1, first, (), false).is_none());
    assert!(books.keeper_gone(2).is_empty());
    assert!(books.give_back(3, second, (), true).is_some());
    assert!(!matches!(books.ask(4, 1, Location::caller()), Ask::Lent(..)));
    books.keeper_started();
    let Ask::Queued(_) = books.ask(5, 1, Location::caller()) else { panic!("it is checked") };
    let Some(Work::Check(checked, ())) = books.next_work() else { panic!("it is idle") };
    assert_eq!(checked, first);
}
