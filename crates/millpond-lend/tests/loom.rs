//! Every interleaving of returns with callers who give up, time out, want several objects, or belong to
//! another tenant, as loom finds them:
//! `RUSTFLAGS='--cfg millpond_loom' CARGO_TARGET_DIR=target/loom cargo test -p millpond-lend --test loom`
#![cfg(millpond_loom)]

mod common;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use common::{Client, Server, poll_once};
use loom::thread;
use millpond_lend::{AcquireError, Lender, Lenders, Loan, Timer};

/// The keeper is polled by hand.
#[derive(Clone)]
struct Forever;

impl Timer for Forever {
    async fn sleep_until(&self, _: Instant) {
        std::future::pending().await
    }
}

type Keeper = Pin<Box<dyn Future<Output = ()> + Send>>;

fn poll(keeper: &mut Keeper) {
    let mut cx = Context::from_waker(Waker::noop());
    let _ = keeper.as_mut().poll(&mut cx);
}

/// A lender with one object, which is open and idle.
fn lender(acquire_timeout_ms: u64) -> (Lender<Client>, Keeper, Arc<Server>) {
    lender_of(1, acquire_timeout_ms)
}

/// A lender with so many objects, all of which are open and idle.
fn lender_of(capacity: usize, acquire_timeout_ms: u64) -> (Lender<Client>, Keeper, Arc<Server>) {
    let server = Arc::new(Server::default());
    let (lender, keeper) = Lender::builder(Client(Arc::clone(&server)))
        .capacity(capacity)
        .idle_min(capacity)
        .acquire_timeout(Duration::from_millis(acquire_timeout_ms))
        .check_after_idle(Duration::from_millis(1_000_000))
        .build();
    let mut keeper: Keeper = Box::pin(keeper.run(Forever));
    poll(&mut keeper);
    assert_eq!(lender.stats().idle, capacity);
    (lender, keeper, server)
}

/// Tenants with one place in all, and the loan of it that the first one has.
fn tenants_of_one_place<const N: usize>(
    names: [&'static str; N],
) -> ([Lender<Client>; N], Loan<Client>, Keeper, Arc<Server>) {
    let server = Arc::new(Server::default());
    let of = Arc::clone(&server);
    let (lenders, keeper) = Lenders::builder(move |_: &&str| Client(Arc::clone(&of)))
        .capacity(1)
        .capacity_total(1)
        .acquire_timeout(Duration::from_millis(1_000_000))
        .check_after_idle(Duration::from_millis(1_000_000))
        .build();
    let mut keeper: Keeper = Box::pin(keeper.run(Forever));
    let tenants = names.map(|name| lenders.lender(&name));
    let mut first = tenants[0].acquire();
    assert!(poll_once(&mut first).is_pending());
    poll(&mut keeper);
    let Poll::Ready(Ok(loan)) = poll_once(&mut first) else { panic!("the place is free") };
    drop(first);
    (tenants, loan, keeper, server)
}

#[test]
fn a_return_against_a_caller_who_waits() {
    loom::model(|| {
        let (lender, _keeper, server) = lender(1_000_000);
        let loan = lender.try_acquire().unwrap();
        let waiter = {
            let lender = lender.clone();
            thread::spawn(move || drop(loom::future::block_on(lender.acquire()).unwrap()))
        };
        drop(loan);
        waiter.join().unwrap();
        assert!(lender.try_acquire().is_some());
        assert_eq!(server.opened.load(SeqCst), 1);
    });
}

#[test]
fn a_return_against_a_cancel() {
    loom::model(|| {
        let (lender, _keeper, _) = lender(1_000_000);
        let loan = lender.try_acquire().unwrap();
        let impatient = {
            let lender = lender.clone();
            thread::spawn(move || {
                let mut caller = lender.acquire();
                let _ = poll_once(&mut caller);
            })
        };
        drop(loan);
        impatient.join().unwrap();
        assert!(lender.try_acquire().is_some(), "the object is lost");
    });
}

#[test]
fn a_return_against_a_cancel_and_a_time_out() {
    loom::model(|| {
        let (lender, mut keeper, server) = lender(0);
        let loan = lender.try_acquire().unwrap();
        let impatient = {
            let lender = lender.clone();
            thread::spawn(move || {
                let mut caller = lender.acquire();
                match poll_once(&mut caller) {
                    Poll::Pending => match poll_once(&mut caller) {
                        Poll::Ready(Err(error)) => {
                            assert!(matches!(error, AcquireError::TimedOut { .. }));
                        }
                        Poll::Ready(Ok(_)) | Poll::Pending => {}
                    },
                    Poll::Ready(Ok(_)) => {}
                    Poll::Ready(Err(error)) => {
                        assert!(matches!(error, AcquireError::TimedOut { .. }));
                    }
                }
            })
        };
        let returning = thread::spawn(move || drop(loan));
        poll(&mut keeper);
        impatient.join().unwrap();
        returning.join().unwrap();
        poll(&mut keeper);
        assert!(lender.try_acquire().is_some(), "the object is lost");
        assert_eq!((server.opened.load(SeqCst), lender.stats().waiting), (1, 0));
    });
}

#[test]
fn two_returns_against_a_caller_who_wants_both_and_gives_up() {
    loom::model(|| {
        let (lender, _keeper, server) = lender_of(2, 1_000_000);
        let loans = [lender.try_acquire().unwrap(), lender.try_acquire().unwrap()];
        let impatient = {
            let lender = lender.clone();
            thread::spawn(move || {
                let mut caller = lender.acquire_many(2);
                if let Poll::Ready(both) = poll_once(&mut caller) {
                    assert_eq!(both.unwrap().len(), 2);
                }
            })
        };
        let [first, second] = loans;
        let returning = thread::spawn(move || drop(first));
        drop(second);
        impatient.join().unwrap();
        returning.join().unwrap();
        assert_eq!(lender.validate(), Ok(()));
        assert!(lender.try_acquire().is_some(), "an object is lost");
        assert_eq!((server.opened.load(SeqCst), lender.stats().existing), (2, 2));
    });
}

#[test]
fn two_callers_who_want_both_are_served_one_after_the_other() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let (lender, _keeper, _) = lender_of(2, 1_000_000);
        let other = {
            let lender = lender.clone();
            thread::spawn(move || {
                assert_eq!(loom::future::block_on(lender.acquire_many(2)).unwrap().len(), 2);
            })
        };
        assert_eq!(loom::future::block_on(lender.acquire_many(2)).unwrap().len(), 2);
        other.join().unwrap();
        assert_eq!((lender.validate(), lender.stats().idle), (Ok(()), 2));
    });
}

/// One place for two tenants: Ann's loan comes back while Bob asks, and the place is his in the end.
#[test]
fn a_return_against_an_ask_of_another_tenant() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let ([ann, bob], loan, mut keeper, server) = tenants_of_one_place(["ann", "bob"]);
        let returning = thread::spawn(move || drop(loan));
        let mut second = bob.acquire();
        assert!(poll_once(&mut second).is_pending());
        poll(&mut keeper);
        returning.join().unwrap();
        // What the keeper is woken for now, it does in as many rounds as a place takes to move.
        for _ in 0..4 {
            poll(&mut keeper);
            assert!(server.existing() <= 1);
        }
        let Poll::Ready(Ok(loan)) = poll_once(&mut second) else {
            panic!("the place does not move")
        };
        drop(loan);
        assert_eq!((ann.validate(), bob.validate()), (Ok(()), Ok(())));
        assert_eq!((ann.stats().existing, bob.stats().existing), (0, 1));
    });
}

/// One place for three tenants: Ann's loan comes back while the keeper works, Bob is first in line, then Carl, and no
/// two of them have it at once.
#[test]
fn a_return_against_the_keeper_of_two_tenants_in_line() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let ([ann, bob, carl], loan, mut keeper, server) =
            tenants_of_one_place(["ann", "bob", "carl"]);
        let mut second = bob.acquire();
        assert!(poll_once(&mut second).is_pending());
        poll(&mut keeper);
        let mut third = carl.acquire();
        assert!(poll_once(&mut third).is_pending());
        poll(&mut keeper);
        let mut again = ann.acquire();
        assert!(poll_once(&mut again).is_pending());
        let returning = thread::spawn(move || drop(loan));
        poll(&mut keeper);
        returning.join().unwrap();
        for (turn, caller) in [&mut second, &mut third, &mut again].into_iter().enumerate() {
            for _ in 0..4 {
                poll(&mut keeper);
                assert!(server.existing() <= 1);
            }
            let Poll::Ready(Ok(loan)) = poll_once(caller) else { panic!("turn {turn}") };
            drop(loan);
        }
        assert_eq!((ann.validate(), bob.validate(), carl.validate()), (Ok(()), Ok(()), Ok(())));
    });
}
