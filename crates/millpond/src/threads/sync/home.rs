//! A number for the current thread, as a hint where to search for free slots first.

/// A number that usually differs between threads. Nothing is kept of a thread that has ended: the
/// number is in a thread-local variable without a destructor.
#[cfg(all(feature = "std", not(all(test, any(loom, shuttle)))))]
#[inline]
pub(super) fn of_this_thread() -> usize {
    use core::cell::Cell;
    use core::sync::atomic::{AtomicUsize, Ordering};

    /// The next thread's number.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    std::thread_local! {
        /// One more than the thread's number; 0 until it is first used.
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

/// The default number of homes: four for each thread that can run at the same time, so that of all threads few of those
/// that run share one. A power of two, as that many threads with successive numbers then have a home each.
#[cfg(all(feature = "std", not(all(test, any(loom, shuttle)))))]
#[inline]
pub(super) fn default_number() -> usize {
    use std::sync::OnceLock;

    /// To ask takes the system some microseconds.
    static NUMBER: OnceLock<usize> = OnceLock::new();
    *NUMBER.get_or_init(|| {
        let parallel = std::thread::available_parallelism().map_or(16, usize::from);
        (4 * parallel.min(1 << 16)).next_power_of_two()
    })
}

/// The default number of homes, as the number of processors is not known. Threads come to homes by chance here, so there
/// are many.
#[cfg(any(not(feature = "std"), all(test, any(loom, shuttle))))]
#[inline]
pub(super) fn default_number() -> usize {
    64
}

/// A number that usually differs between threads; without the standard library, it is computed from
/// the address of the stack. The stacks of two threads are at least some hundred KiB apart on
/// machines that benefit from many homes.
#[cfg(all(not(feature = "std"), not(all(test, any(loom, shuttle)))))]
#[inline]
pub(super) fn of_this_thread() -> usize {
    let here = 0_u8;
    let address = core::ptr::from_ref(&here).addr() as u64;
    // 2^64 divided by the golden ratio: neighbouring stacks come far apart (Fibonacci hashing).
    ((address >> 21).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
}

/// In models, the same for all threads: schedules are replayed, and must give the same results.
#[cfg(all(test, any(loom, shuttle)))]
pub(super) fn of_this_thread() -> usize {
    0
}

#[cfg(all(test, feature = "std", not(any(loom, shuttle))))]
mod tests {
    #[test]
    fn by_default_there_are_homes_for_all_threads_that_can_run() {
        let homes = super::default_number();
        let parallel = std::thread::available_parallelism().unwrap().get();
        assert!(homes.is_power_of_two() && (4 * parallel..8 * parallel).contains(&homes));
        let pool = |slots| crate::SyncPool::<u8>::new(slots).homes();
        assert_eq!((pool(64 * homes), pool(64), pool(128)), (homes, 1, 2));
    }

    #[test]
    fn each_thread_has_a_number_of_its_own() {
        let number = super::of_this_thread();
        let of_others = [(); 3].map(|()| std::thread::spawn(super::of_this_thread).join().unwrap());
        assert_eq!(super::of_this_thread(), number, "it stays the same");
        let mut all = [number, of_others[0], of_others[1], of_others[2]];
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{all:?}");
    }
}
