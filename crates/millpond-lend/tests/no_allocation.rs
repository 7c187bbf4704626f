//! A loan allocates nothing: neither from an idle object, nor by waiting and being handed one.

mod common;

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use common::{lender_of, wait_until};
use futures_lite::future::block_on;
use millpond_testkit::allocations;

#[global_allocator]
static COUNTING: allocations::Counting = allocations::Counting;

fn allocations(work: impl FnOnce()) -> usize {
    allocations::during(work).1.taken
}

fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn allocations_are_counted() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
}

#[test]
fn a_loan_of_an_idle_object_allocates_nothing() {
    let (lender, _) = lender_of(|builder| builder.capacity(2));
    drop(block_on(lender.acquire()).unwrap());
    wait_until("one is idle", || lender.stats().idle > 0);
    let count = allocations(|| {
        for _ in 0..100 {
            let Poll::Ready(Ok(loan)) = poll(&mut lender.acquire()) else { panic!("idle") };
            drop(loan);
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn a_loan_that_is_handed_over_allocates_nothing() {
    let (lender, _) = lender_of(|builder| builder.capacity(1));
    let mut loan = Some(block_on(lender.acquire()).unwrap());
    let count = allocations(|| {
        for _ in 0..100 {
            let mut next = lender.acquire();
            assert!(poll(&mut next).is_pending());
            drop(loan.take());
            let Poll::Ready(Ok(handed)) = poll(&mut next) else { panic!("handed over") };
            loan = Some(handed);
        }
    });
    assert_eq!(count, 0);
}
