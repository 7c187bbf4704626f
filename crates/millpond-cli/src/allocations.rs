//! The program's allocator: the system's, with a count of what the work of a soak asks of it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counts while this is set; otherwise a request costs one look at it.
static COUNTING: AtomicBool = AtomicBool::new(false);
static REQUESTS: AtomicU64 = AtomicU64::new(0);

/// Counts the requests of some work: blocks taken, resized and given back, by any thread.
/// Zero if [`Counting`] is not the program's allocator.
pub(crate) fn during<V>(work: impl FnOnce() -> V) -> (V, u64) {
    let before = REQUESTS.load(Ordering::Relaxed);
    COUNTING.store(true, Ordering::Relaxed);
    let value = work();
    COUNTING.store(false, Ordering::Relaxed);
    (value, REQUESTS.load(Ordering::Relaxed) - before)
}

/// Whether requests are counted at all: the program's allocator may be another.
pub(crate) fn are_counted() -> bool {
    during(|| drop(std::hint::black_box(Box::new(0_u64)))).1 > 0
}

fn count() {
    if COUNTING.load(Ordering::Relaxed) {
        REQUESTS.fetch_add(1, Ordering::Relaxed);
    }
}

/// The system's allocator, with a count.
#[derive(Debug)]
pub struct Counting;

// SAFETY: every request is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count();
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}
