//! An allocator that counts what one thread asks of it, and refuses when told to.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// What a thread has asked of the allocator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    /// How many blocks were taken.
    pub taken: usize,
    /// How many blocks were resized.
    pub resized: usize,
    /// How many blocks were given back.
    pub freed: usize,
    /// How many bytes the taken blocks have.
    pub bytes_taken: usize,
    /// How many bytes the blocks that were given back had.
    pub bytes_freed: usize,
    /// How many of those that were taken were asked for as zeros: of large blocks, these are addresses, and memory when they are written to.
    pub bytes_zeroed: usize,
}

thread_local! {
    /// Of this thread only, so that tests beside each other do not count each other's.
    static COUNTS: Cell<Allocations> = const {
        Cell::new(Allocations {
            taken: 0,
            resized: 0,
            freed: 0,
            bytes_taken: 0,
            bytes_freed: 0,
            bytes_zeroed: 0,
        })
    };
}

thread_local! {
    /// Requests of this thread for so many bytes or more are refused.
    static REFUSED_FROM: Cell<usize> = const { Cell::new(usize::MAX) };
}

thread_local! {
    /// How many requests of this thread are answered before one is refused.
    static ANSWERED: Cell<Option<usize>> = const { Cell::new(None) };
}

fn is_refused(bytes: usize) -> bool {
    let is_next = ANSWERED.try_with(|answered| {
        let left = answered.get();
        answered.set(left.and_then(|left| left.checked_sub(1)));
        left == Some(0)
    });
    is_next == Ok(true) || REFUSED_FROM.try_with(|from| bytes >= from.get()).unwrap_or(false)
}

/// While the function runs, the system refuses one request: that after so many others. Returns also whether there was one.
pub fn refusing_one<V>(after: usize, work: impl FnOnce() -> V) -> (V, bool) {
    ANSWERED.set(Some(after));
    let value = work();
    (value, ANSWERED.take().is_none())
}

/// While the function runs, the system has no memory for requests of `from` bytes or more.
pub fn refusing<V>(from: usize, work: impl FnOnce() -> V) -> V {
    REFUSED_FROM.set(from);
    let value = work();
    REFUSED_FROM.set(usize::MAX);
    value
}

fn count(change: impl FnOnce(&mut Allocations)) {
    // A thread that ends may free memory after its counts are gone.
    let _ = COUNTS.try_with(|counts| {
        let mut now = counts.get();
        change(&mut now);
        counts.set(now);
    });
}

/// What this thread has asked for until now.
#[must_use]
pub fn so_far() -> Allocations {
    COUNTS.get()
}

/// What this thread asks for while the function runs.
pub fn during<V>(work: impl FnOnce() -> V) -> (V, Allocations) {
    let before = so_far();
    let value = work();
    let after = so_far();
    let allocations = Allocations {
        taken: after.taken - before.taken,
        resized: after.resized - before.resized,
        freed: after.freed - before.freed,
        bytes_taken: after.bytes_taken.wrapping_sub(before.bytes_taken),
        bytes_freed: after.bytes_freed.wrapping_sub(before.bytes_freed),
        bytes_zeroed: after.bytes_zeroed.wrapping_sub(before.bytes_zeroed),
    };
    (value, allocations)
}

/// The system's allocator, with a count.
#[derive(Debug)]
pub struct Counting;

// SAFETY: every request is passed on to the system's allocator as it is, or refused.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        count(|counts| {
            counts.taken += 1;
            counts.bytes_taken = counts.bytes_taken.wrapping_add(layout.size());
        });
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        count(|counts| {
            counts.taken += 1;
            counts.bytes_taken = counts.bytes_taken.wrapping_add(layout.size());
            counts.bytes_zeroed = counts.bytes_zeroed.wrapping_add(layout.size());
        });
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_refused(size) {
            return std::ptr::null_mut();
        }
        count(|counts| counts.resized += 1);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(|counts| {
            counts.freed += 1;
            counts.bytes_freed = counts.bytes_freed.wrapping_add(layout.size());
        });
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}
