//! A loan allocates nothing: neither from an idle object, nor by waiting and being handed one.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use common::{lender_of, wait_until};
use futures_lite::future::block_on;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

// SAFETY: every call goes to the system's allocator with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
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
