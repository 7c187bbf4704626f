//! When another opening pays, by the ledger alone and a clock of the test's.

use std::convert::Infallible;
use std::panic::Location;

use millpond_lend::ledger::{Ask, Claim, Work};
use millpond_lend::{Ledger, Settings};

const OPEN_US: u64 = 20_000;

type Books = Ledger<(), (), Infallible>;

/// One object of a hundred, which took 20 ms to open, and ten loans of `hold_us` each; then one loan is
/// out, and the time is returned.
fn seasoned(hold_us: u64) -> (Books, u64) {
    let settings =
        Settings { capacity: 100, check_after_idle_us: Settings::NEVER, ..Settings::default() };
    let mut books = Books::new(settings);
    books.keeper_started();
    let Ask::Queued(first) = books.ask(0, 1, Location::caller()) else { panic!("nothing is open") };
    let Some(Work::Open(handle)) = books.next_work() else { panic!("the first pays") };
    assert!(books.opened(OPEN_US, handle, ()).is_none());
    let Claim::Served(mut handle, ..) = books.claim(first, None) else { panic!("served") };
    let mut now_us = OPEN_US;
    for _ in 0..10 {
        now_us += hold_us;
        assert!(books.give_back(now_us, handle, (), false).is_none());
        let Ask::Lent(again, ()) = books.ask(now_us, 1, Location::caller()) else {
            panic!("idle");
        };
        handle = again;
    }
    assert_eq!(books.stats().mean_hold_us, hold_us);
    assert_eq!(books.stats().mean_open_us, OPEN_US);
    (books, now_us)
}

/// Openings that begin together and fail together are one failure: the pauses double from round to round,
/// not from opening to opening, up to a quarter of a second while somebody waits.
#[test]
fn the_pause_doubles_with_each_round_that_fails() {
    let settings = Settings { capacity: 8, openings_max: 4, ..Settings::default() };
    let mut books = Books::new(settings);
    books.keeper_started();
    let mut now_us = 0;
    ten_wait(&mut books, now_us);
    for round in 0..6 {
        let mut begun = 0;
        while let Some(work) = books.next_work() {
            let Work::Open(handle) = work else { panic!("{work:?}") };
            assert!(books.open_failed(now_us, handle, None, false).is_empty());
            begun += 1;
        }
        assert_eq!(begun, 4, "round {round}");
        assert!(books.tick(now_us).is_empty());
        let pause_us = books.next_alarm_us() - now_us;
        let longest_us = (50_000 << round).min(250_000);
        assert!((longest_us / 2..=longest_us).contains(&pause_us), "round {round}: {pause_us}");
        now_us += pause_us;
        assert!(books.tick(now_us).is_empty());
    }
}

fn ten_wait(books: &mut Books, now_us: u64) {
    for _ in 0..10 {
        assert!(matches!(books.ask(now_us, 1, Location::caller()), Ask::Queued(_)));
    }
}

/// Ten callers who wait together need a tenth of the time.
#[test]
fn short_loans_pay_for_an_opening_once_the_waits_add_up_to_one() {
    let (mut books, now_us) = seasoned(1_000);
    ten_wait(&mut books, now_us);
    assert!(books.next_work().is_none(), "ten waits of 1 ms are shorter than 20 ms");
    let enough_us = now_us + OPEN_US / 10;
    assert!(books.tick(enough_us - 1).is_empty());
    assert!(books.next_work().is_none());
    assert!(books.next_alarm_us() <= enough_us, "the keeper looks again in time");
    assert!(books.tick(enough_us).is_empty());
    assert!(matches!(books.next_work(), Some(Work::Open(_))), "they have waited for 20 ms");
    assert!(books.next_work().is_none(), "the next one has to pay anew");
}

/// Each waits for less than an opening takes, and all are served by the object that exists.
#[test]
fn many_short_waits_pay_as_well() {
    let (mut books, mut now_us) = seasoned(1_000);
    let mut out = books.all_holders(now_us).next().expect("a loan").handle;
    let mut waits = 0;
    while books.next_work().is_none() {
        let Ask::Queued(waiter) = books.ask(now_us, 1, Location::caller()) else { panic!("out") };
        now_us += 500;
        assert!(books.give_back(now_us, out, (), false).is_none());
        let Claim::Served(handle, ..) = books.claim(waiter, None) else { panic!("served") };
        out = handle;
        waits += 1;
        assert!(waits <= 41, "40 waits of 0.5 ms are as long as an opening");
    }
    assert_eq!(waits, 41, "the next caller finds that it pays");
}

#[test]
fn long_loans_pay_at_once_for_two() {
    // The last of ten waits 10 × 300 ms ÷ 100 > 20 ms.
    let (mut books, now_us) = seasoned(300_000);
    ten_wait(&mut books, now_us);
    let openings = std::iter::from_fn(|| books.next_work()).count();
    assert_eq!(openings, 2);
}
