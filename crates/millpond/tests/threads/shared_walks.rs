//! Walks over a pool that several threads share: the first of them bring its bitmap up to date.

use std::sync::Barrier;
use std::thread;

use millpond::side_table::join;
use millpond::{Pool, SideTable, StaticPool, VecPool};

const THREADS: usize = 4;

/// Calls the function on each thread at once.
fn on_threads(work: impl Fn() + Sync) {
    let barrier = Barrier::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                barrier.wait();
                work();
            });
        }
    });
}

macro_rules! finds_what_is_live {
    ($($name:ident: $pool:expr;)+) => {$(
        #[test]
        fn $name() {
            for round in 0..50 {
                let mut pool = $pool;
                let mut handles: Vec<_> = (0..300).map(|n| pool.insert(n).unwrap()).collect();
                let mut live: Vec<u64> = (0..300).collect();
                // Few changes, many, none and one between the walks, so that each kind of walk meets each state.
                for gone in [round % 3, 120, 0, 1, 40, 0, 0, 1] {
                    for _ in 0..gone {
                        let at = (live.len() * 7919 + round) % live.len();
                        assert_eq!(pool.remove(handles.remove(at)), Some(live.remove(at)));
                    }
                    for _ in 0..2 {
                        on_threads(|| {
                            assert!(pool.values().eq(&live));
                            assert!(pool.iter().map(|(handle, _)| handle).eq(handles.iter().copied()));
                            assert!(pool.runs().flat_map(|(_, run)| run).eq(&live));
                            assert!(pool.handles().rev().eq(handles.iter().rev().copied()));
                            pool.validate().unwrap();
                        });
                    }
                    let mut seen = Vec::new();
                    if gone == 1 {
                        pool.values_mut().for_each(|value| seen.push(*value));
                        assert_eq!(seen, live);
                    }
                    pool.validate().unwrap();
                }
            }
        }
    )+};
}
finds_what_is_live! {
    threads_that_walk_over_a_pool_find_what_is_live: Pool::<u64>::new(300);
    threads_that_walk_over_a_vec_pool_find_what_is_live: VecPool::<u64>::new();
    threads_that_walk_over_a_static_pool_find_what_is_live: StaticPool::<u64, 300>::new();
}

#[test]
fn threads_that_join_a_pool_and_a_table_find_what_both_have() {
    for round in 0..50 {
        let (mut pool, mut table) = (Pool::<u64>::new(300), SideTable::with_capacity(300));
        let handles: Vec<_> = (0..300).map(|n| pool.insert(n).unwrap()).collect();
        for handle in handles.iter().skip(round % 5).step_by(2) {
            table.insert(*handle, pool[*handle]).unwrap();
        }
        handles.iter().step_by(3).for_each(|handle| _ = pool.remove(*handle));
        let both: Vec<u64> = table
            .iter()
            .map(|(handle, _)| handle)
            .filter_map(|handle| pool.get(handle).copied())
            .collect();
        on_threads(|| {
            for _ in 0..3 {
                assert!(join(&pool, &table).map(|(_, value, _)| *value).eq(both.iter().copied()));
                assert_eq!(table.values().count(), table.len());
            }
        });
        pool.validate().unwrap();
    }
}

/// A clone that is made while walks write the bitmap of the original.
#[test]
fn a_pool_is_cloned_and_saved_while_threads_walk_over_it() {
    for _ in 0..50 {
        let mut pool = Pool::<u64>::new(300);
        let handles: Vec<_> = (0..300).map(|n| pool.insert(n).unwrap()).collect();
        handles.iter().step_by(3).for_each(|handle| _ = pool.remove(*handle));
        on_threads(|| {
            for _ in 0..3 {
                let clone = pool.clone();
                clone.validate().unwrap();
                assert!(clone.values().eq(pool.values()));
                let mut other = Pool::<u64>::new(300);
                other.restore(&pool.snapshot()).unwrap();
                other.validate().unwrap();
                assert!(other.iter().eq(pool.iter()));
            }
        });
    }
}
