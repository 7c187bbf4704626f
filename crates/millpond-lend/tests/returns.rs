//! Objects that come back and have to be checked before they are lent again, because only what is behind them
//! knows what their callers have left there.

mod common;

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

use common::{patient, poll_once, wait_until};
use futures_lite::future::block_on;
use millpond_lend::ledger::{Ask, Claim, Work};
use millpond_lend::{Ledger, Lender, LoanHandle, Maker, Settings};

type Books = Ledger<u32, (), Infallible>;

/// One object, and it is lent.
fn one_is_lent() -> (Books, LoanHandle, u32) {
    let mut books = Books::new(Settings { capacity: 1, ..Settings::default() });
    books.keeper_started();
    let Ask::Queued(waiter) = books.ask(0, 1, Location::caller()) else { panic!("none is open") };
    let Some(Work::Open(handle)) = books.next_work() else { panic!("one pays") };
    assert!(books.opened(0, handle, 7).is_none());
    let Claim::Served(handle, object, _) = books.claim(waiter, None) else { panic!("it is open") };
    (books, handle, object)
}

#[test]
fn nobody_has_it_before_it_is_checked() {
    let (mut books, handle, object) = one_is_lent();
    let Ask::Queued(waiter) = books.ask(1, 1, Location::caller()) else { panic!("it is lent") };
    assert!(books.give_back_to_check(2, handle, object).is_none());
    assert!(matches!(books.claim(waiter, None), Claim::Pending(_)));
    assert_eq!((books.stats().checking, books.stats().out), (1, 0));
    let Some(Work::Check(checked, object)) = books.next_work() else { panic!("it is checked") };
    assert_eq!(checked, handle);
    assert!(books.checked(3, handle, object).is_none());
    assert!(matches!(books.claim(waiter, None), Claim::Served(_, 7, _)));
    assert_eq!(books.validate(), Ok(()));
}

#[test]
fn what_is_to_go_is_closed_and_not_checked_before() {
    let evict = |books: &mut Books, handle| assert!(books.evict(2, handle, &mut Vec::new()));
    let close = |books: &mut Books, _| drop(books.close(2));
    let shrink = |books: &mut Books, _| drop(books.set_capacity(2, 0));
    for (end, why) in
        [(evict as fn(&mut Books, LoanHandle), "evicted"), (close, "closed"), (shrink, "shrunk")]
    {
        let (mut books, handle, object) = one_is_lent();
        end(&mut books, handle);
        assert!(books.give_back_to_check(3, handle, object).is_none());
        assert!(matches!(books.next_work(), Some(Work::Close(_, 7))), "{why}");
        assert!(books.next_work().is_none(), "{why}");
        assert_eq!((books.validate(), books.stats().checks), (Ok(()), 0), "{why}");
    }
}

#[test]
fn without_a_keeper_it_is_dropped() {
    let (mut books, handle, object) = one_is_lent();
    assert!(books.keeper_gone(1).is_empty());
    assert_eq!(books.give_back_to_check(2, handle, object), Some(7));
    let stats = books.stats();
    assert_eq!((stats.existing, stats.closings.check), (0, 1));
    assert_eq!(books.give_back_to_check(3, handle, 8), Some(8), "the loan is over");
    assert_eq!(books.validate(), Ok(()));
}

/// Sessions in which callers leave something.
struct Sessions;

#[derive(Default)]
struct Session {
    left: &'static str,
}

impl Maker for Sessions {
    type Object = Session;
    type Error = Infallible;

    async fn open(&self) -> Result<Session, Infallible> {
        Ok(Session::default())
    }

    async fn check(&self, session: &mut Session) -> Result<(), Infallible> {
        session.left = "";
        Ok(())
    }

    fn needs_check(&self, session: &mut Session) -> bool {
        assert_ne!(session.left, "a bomb", "the maker panics, as the test wants it");
        !session.left.is_empty()
    }
}

#[test]
fn a_lender_cleans_up_behind_its_callers() {
    let (lender, keeper) = patient(Lender::builder(Sessions)).capacity(1).build();
    keeper.run_on_thread().unwrap();
    let mut loan = block_on(lender.acquire()).unwrap();
    loan.left = "a transaction";
    let mut next = lender.acquire();
    assert!(poll_once(&mut next).is_pending());
    drop(loan);
    let mut loan = block_on(next).unwrap();
    assert_eq!((loan.left, lender.stats().checks), ("", 1));
    loan.left = "a bomb";
    let first = loan.handle();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(loan))).is_err());
    wait_until("it is gone", || lender.stats().existing == 0);
    let loan = block_on(lender.acquire()).unwrap();
    assert_ne!(loan.handle(), first);
    drop(loan);
    assert_eq!((lender.validate(), lender.stats().idle), (Ok(()), 1));
    assert_eq!((lender.stats().checks, lender.stats().closings.broken), (1, 1));
}
