//! The program's allocator: the system's, which counts the requests of a soak.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

static COUNTER: Counter = Counter::new();

/// What some work requested from the allocator, on any thread. All zero if [`Counting`] is not the program's allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Blocks allocated, resized and freed.
    pub(crate) requests: u64,
    /// The bytes allocated, less the bytes freed.
    pub(crate) bytes_kept: i64,
}

/// Counts what some work requests from the allocator.
pub(crate) fn during<V>(work: impl FnOnce() -> V) -> (V, Asked) {
    COUNTER.during(work)
}

/// Whether requests are counted at all: the program's allocator may be another.
pub(crate) fn are_counted() -> bool {
    during(|| drop(std::hint::black_box(Box::new(0_u64)))).1.requests > 0
}

/// Counts while it is set; otherwise a request costs one test of it.
struct Counter {
    is_on: AtomicBool,
    requests: AtomicU64,
    bytes_kept: AtomicI64,
}

impl Counter {
    const fn new() -> Self {
        let (requests, bytes_kept) = (AtomicU64::new(0), AtomicI64::new(0));
        Self { is_on: AtomicBool::new(false), requests, bytes_kept }
    }

    fn asked(&self) -> Asked {
        let (requests, bytes_kept) = (&self.requests, &self.bytes_kept);
        Asked {
            requests: requests.load(Ordering::Relaxed),
            bytes_kept: bytes_kept.load(Ordering::Relaxed),
        }
    }

    fn during<V>(&self, work: impl FnOnce() -> V) -> (V, Asked) {
        let before = self.asked();
        self.is_on.store(true, Ordering::Relaxed);
        let value = work();
        self.is_on.store(false, Ordering::Relaxed);
        let after = self.asked();
        let requests = after.requests - before.requests;
        (value, Asked { requests, bytes_kept: after.bytes_kept - before.bytes_kept })
    }

    /// One request, which allocates some bytes and frees some. No block has more than `isize::MAX` bytes.
    fn count(&self, taken: usize, given_back: usize) {
        if self.is_on.load(Ordering::Relaxed) {
            self.requests.fetch_add(1, Ordering::Relaxed);
            self.bytes_kept.fetch_add(taken as i64 - given_back as i64, Ordering::Relaxed);
        }
    }
}

/// The system's allocator, counted.
#[derive(Debug)]
pub struct Counting;

// SAFETY: every request is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNTER.count(layout.size(), 0);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        COUNTER.count(layout.size(), 0);
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNTER.count(size, layout.size());
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        COUNTER.count(0, layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_and_not_given_back_is_kept() {
        let counter = Counter::new();
        counter.count(100, 0);
        let ((), asked) = counter.during(|| {
            counter.count(32, 0);
            counter.count(48, 32);
            counter.count(8, 0);
            counter.count(0, 48);
        });
        assert_eq!(asked, Asked { requests: 4, bytes_kept: 8 });
        counter.count(0, 8);
        assert_eq!(counter.during(|| counter.count(0, 8)).1, Asked { requests: 1, bytes_kept: -8 });
    }
}
