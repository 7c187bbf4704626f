//! Walks over pools that threads share and nobody changes: once a walk has brought the bitmap up to date, none writes anything, so
//! that each processor keeps its copy of each line.

mod tests {
    use alloc::vec::Vec;
    use std::sync::Barrier;
    use std::thread;

    use crate::base::shared::tests::writes;
    use crate::reuse::{Fifo, LowestFirst, Roster};
    use crate::side_table::join;
    use crate::{Handle, PackedPool, Pool, SideTable, StaticPool, VecPool};

    const SLOTS: usize = 1000;

    /// How often a walk over a cold pool may write: one notes when it was, and the next ends a claim, with two numbers and the
    /// bits.
    const WRITES_MAX: usize = 5;

    /// A walk that two others come before writes nothing, on one thread or several. `walk` tells how many objects it found.
    #[track_caller]
    fn stay_clean<P: Sync>(pool: &P, live: usize, walk: impl Fn(&P) -> usize + Sync) {
        let walk_counted = || writes(|| assert_eq!(walk(pool), live));
        const THREADS: usize = 4;
        let barrier = Barrier::new(THREADS);
        let counted: Vec<[usize; 4]> = thread::scope(|scope| {
            let readers = [(); THREADS].map(|()| {
                scope.spawn(|| {
                    [(); 4].map(|()| {
                        barrier.wait();
                        walk_counted()
                    })
                })
            });
            readers.into_iter().map(|reader| reader.join().unwrap()).collect()
        });
        for [first, second, then @ ..] in counted {
            assert!(first + second <= WRITES_MAX, "{first}, {second}");
            assert_eq!(then, [0; 2], "from the third walk on, all lines stay");
        }
        // So do those of a thread that comes late.
        assert_eq!(walk_counted(), 0);
    }

    /// Inserts values, and removes those that are not to stay.
    macro_rules! fill {
        ($pool:expr, $stays:expr) => {{
            let pool = &mut *$pool;
            let handles: Vec<Handle<u64>> =
                (0..900).filter_map(|value| pool.insert(value).ok()).collect();
            for (_, handle) in handles.iter().enumerate().filter(|(i, _)| !$stays(*i)) {
                pool.remove(*handle);
            }
            pool.len()
        }};
    }

    const PATTERNS: [fn(usize) -> bool; 4] =
        [|_| true, |i| i % 3 != 1, |i| i < 70, |i| i / 64 == 1 || i % 50 == 2];

    #[test]
    fn no_reader_dirties_a_line_of_a_pool_that_nobody_changes() {
        for stays in PATTERNS {
            macro_rules! clean {
                ($($pool:expr),*) => {$(
                    // A cold pool, one that was walked mutably, and one that was changed after that.
                    for mutable_walks in 0..3 {
                        let mut pool = $pool;
                        let live = fill!(&mut pool, stays);
                        (0..mutable_walks).for_each(|_| pool.values_mut().for_each(|_| ()));
                        stay_clean(&pool, live, |pool| pool.values().count());
                        stay_clean(&pool, live, |pool| pool.into_iter().count());
                        stay_clean(&pool, live, |pool| pool.handles().count());
                        let _ = pool.insert(7);
                        let live = pool.len();
                        stay_clean(&pool, live, |pool| pool.values().fold(0, |n, _| n + 1));
                    }
                )*};
            }
            clean!(
                Pool::<u64>::new(SLOTS),
                Pool::<u64, Fifo>::with_capacity(SLOTS),
                Pool::<u64, LowestFirst>::with_capacity(SLOTS),
                Pool::<u64, Roster>::with_capacity(SLOTS),
                VecPool::<u64>::new(),
                StaticPool::<u64, SLOTS>::new(),
                PackedPool::<u64>::new(SLOTS)
            );
        }
    }

    #[test]
    fn no_reader_dirties_a_line_of_runs_tables_and_joins() {
        for stays in PATTERNS {
            let mut pool = Pool::<u64>::new(SLOTS);
            let live = fill!(&mut pool, stays);
            let mut table = SideTable::new();
            let handles: Vec<_> = pool.handles().collect();
            handles.iter().for_each(|handle| _ = table.insert(*handle, 1_u8));
            stay_clean(&pool, live, |pool| pool.runs().map(|(_, run)| run.len()).sum());
            stay_clean(&table, live, |table| table.values().count());
            stay_clean(&(pool, table), live, |(pool, table)| join(pool, (table,)).count());
        }
    }
}
