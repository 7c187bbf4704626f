//! Feature `rayon`: every live object exactly once, whatever the holes, and really on several threads.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use millpond::reuse::{Lifo, LowestFirst, ReuseOrder};
use millpond::{Handle, Handle32, HandleLayout, Pool, Recycler};
use rayon::iter::ParallelIterator;

const CAPACITY: usize = 3000;

/// Which slots are live: full, none, holes all over, long runs, one at each end.
const PATTERNS: [fn(usize) -> bool; 7] = [
    |_| true,
    |_| false,
    |i| i % 2 == 0,
    |i| i % 64 != 63,
    |i| i / 100 % 3 != 0,
    |i| i == 0 || i == CAPACITY - 1,
    |i| (i * i + i / 7) % 5 < 2,
];

fn pool<R: ReuseOrder, H: HandleLayout>(is_live: fn(usize) -> bool) -> Pool<usize, R, H> {
    let mut pool = Pool::<usize, R, H>::with_capacity(CAPACITY);
    for i in 0..CAPACITY {
        pool.insert(i).unwrap();
    }
    pool.retain(|_, i| is_live(*i));
    pool
}

fn every_object_once<R: ReuseOrder, H: HandleLayout>() {
    for is_live in PATTERNS {
        let expected: Vec<usize> = (0..CAPACITY).filter(|i| is_live(*i)).collect();
        let mut pool = pool::<R, H>(is_live);
        assert_eq!(pool.par_runs().map(|(_, run)| run.len()).sum::<usize>(), expected.len());
        pool.par_runs().for_each(|(first, run)| {
            assert!(!run.is_empty() && run.iter().copied().eq(first..first + run.len()));
        });
        let seen: BTreeSet<usize> = pool.par_values().copied().collect();
        assert!(seen.iter().eq(&expected));
        let handles: BTreeSet<H> = pool.par_iter().map(|(handle, _)| handle).collect();
        assert!(pool.handles().eq(handles));

        pool.par_values_mut().for_each(|value| *value += CAPACITY);
        pool.par_runs_mut().for_each(|(first, run)| {
            for (value, index) in run.iter_mut().zip(first..) {
                assert_eq!(*value, index + CAPACITY);
                *value += CAPACITY;
            }
        });
        pool.par_iter_mut().for_each(|(handle, value)| {
            assert_eq!(*value, handle.index() as usize + 2 * CAPACITY);
            *value = 7;
        });
        assert_eq!(pool.values().filter(|value| **value == 7).count(), expected.len());
        pool.validate().unwrap();
    }
}

#[test]
fn every_object_comes_exactly_once() {
    every_object_once::<Lifo, Handle<usize>>();
    every_object_once::<LowestFirst, Handle<usize>>();
    every_object_once::<Lifo, Handle32<usize, 16>>();
}

#[test]
fn empty_and_tiny_pools() {
    for capacity in [0, 1, 63, 64, 65, 128, 129] {
        let mut pool = Pool::new(capacity);
        for i in 0..capacity {
            pool.insert(i).unwrap();
        }
        assert_eq!(pool.par_values().count(), capacity);
        assert_eq!(
            pool.par_values_mut().map(|value| *value).sum::<usize>(),
            (0..capacity).sum::<usize>()
        );
    }
}

#[test]
fn a_recycler_lends_only_what_is_live() {
    let mut pool = Recycler::<u32>::new(1000);
    let handles: Vec<_> = (0..1000).map(|_| pool.acquire().unwrap().0).collect();
    for handle in handles.iter().step_by(3) {
        pool.release(*handle);
    }
    pool.par_runs_mut().for_each(|(_, run)| run.iter_mut().for_each(|object| *object += 1));
    let ones = pool.as_slice().iter().map(|object| *object as usize).sum::<usize>();
    assert_eq!(ones, pool.len());
    assert_eq!(pool.par_runs().map(|(_, run)| run.len()).sum::<usize>(), pool.len());
}

/// Two threads meet: the first that comes to a run waits there for another.
#[test]
fn a_full_pool_is_shared_out_among_threads() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut pool = pool::<Lifo, Handle<usize>>(|_| true);
    let (here, came) = (Mutex::new(HashSet::new()), Condvar::new());
    threads.install(|| {
        pool.par_runs_mut().for_each(|_| {
            let mut here = here.lock().unwrap();
            here.insert(std::thread::current().id());
            came.notify_all();
            // Long enough for any machine; nobody waits so long unless the other never comes.
            let patience = Duration::from_secs(60);
            drop(came.wait_timeout_while(here, patience, |here| here.len() < 2).unwrap());
        });
    });
    assert_eq!(here.into_inner().unwrap().len(), 2);
}
