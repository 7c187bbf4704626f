//! A number for the current thread, as a hint where to search for free slots first, from the standard library.

/// A number that usually differs between threads. Nothing is kept of a thread that has ended: the
/// number is in a thread-local variable without a destructor.
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

#[cfg(test)]
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
