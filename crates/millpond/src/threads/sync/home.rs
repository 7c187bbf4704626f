//! A number for the current thread: a hint where to search for free slots first.

/// A number that differs from thread to thread, mostly. Of no thread is anything kept: the number lives in a
/// thread-local variable without a destructor.
#[cfg(all(feature = "std", not(all(test, any(loom, shuttle)))))]
#[inline]
pub(super) fn of_this_thread() -> usize {
    use core::cell::Cell;
    use core::sync::atomic::{AtomicUsize, Ordering};

    /// The next thread's number.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    std::thread_local! {
        /// One more than the thread's number; 0 until it is asked for.
        static NUMBER: Cell<usize> = const { Cell::new(0) };
    }
    NUMBER.with(|number| match number.get() {
        0 => {
            let new = NEXT.fetch_add(1, Ordering::Relaxed);
            number.set(new.wrapping_add(1));
            new
        }
        known => known.wrapping_sub(1),
    })
}

/// A number that differs from thread to thread, mostly: without the standard library, where its stack lies. The
/// stacks of two threads are some hundred KiB apart at least where there are many homes to gain from.
#[cfg(all(not(feature = "std"), not(all(test, any(loom, shuttle)))))]
#[inline]
pub(super) fn of_this_thread() -> usize {
    let here = 0_u8;
    let address = core::ptr::from_ref(&here).addr() as u64;
    // 2^64 divided by the golden ratio: neighbouring stacks come far apart (Fibonacci hashing).
    ((address >> 21).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
}

/// In models, whatever the thread: schedules are tried again, and must come out the same.
#[cfg(all(test, any(loom, shuttle)))]
pub(super) fn of_this_thread() -> usize {
    0
}
