//! Random schedules for shuttle: 64 threads at once, in orders that are rare on a real machine. `ci/shuttle` runs them.
//! Only one thread runs at a time here, so they find mistakes in the steps, not in the memory orders.

use std::sync::Arc;
use std::vec::Vec;

use shuttle::rand::{Rng, thread_rng};
use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::thread;

use super::{SyncPool, SyncRecycler, TakeError};

const THREADS: usize = 64;
const SCHEDULES: usize = 1000;

/// Random schedules, and schedules that run one thread as long as it goes, but for a few switches (PCT).
fn in_many_orders(f: impl Fn() + Send + Sync + Copy + 'static) {
    shuttle::check_random(f, SCHEDULES);
    shuttle::check_pct(f, SCHEDULES, 3);
}

struct Value(Arc<AtomicUsize>);

impl Drop for Value {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

#[test]
fn handles_never_lie_and_the_capacity_is_exact() {
    in_many_orders(|| {
        const CAPACITY: usize = 40;
        let pool = Arc::new(SyncPool::builder().capacity(CAPACITY).homes(4).build());
        let alive = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let (pool, alive) = (Arc::clone(&pool), Arc::clone(&alive));
                thread::spawn(move || {
                    let mut removed = Vec::new();
                    for _ in 0..3 {
                        alive.fetch_add(1, SeqCst);
                        let Ok(handle) = pool.home(number).insert(Value(Arc::clone(&alive))) else {
                            continue;
                        };
                        let guard = pool.get(handle).expect("it is this thread's own");
                        if thread_rng().gen_bool(0.5) {
                            assert!(matches!(pool.take(handle), Err(TakeError::Busy)));
                            drop(guard);
                            assert!(pool.take(handle).is_ok());
                        } else {
                            assert!(pool.remove(handle));
                            assert!(pool.get(handle).is_none());
                            drop(guard);
                        }
                        removed.push(handle);
                    }
                    assert!(removed.iter().all(|handle| !pool.contains(*handle)));
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!((pool.len(), alive.load(SeqCst)), (0, 0));
        for _ in 0..CAPACITY {
            alive.fetch_add(1, SeqCst);
            assert!(pool.insert(Value(Arc::clone(&alive))).is_ok(), "no slot was lost");
        }
    });
}

#[test]
fn others_finish_while_one_thread_stands_still_anywhere() {
    in_many_orders(|| {
        let pool = Arc::new(SyncPool::builder().capacity(4).build());
        // One thread stops for ever with a guard in its hand, as if it had been parked there: it leaks the guard.
        let stuck = pool.insert(0_usize).unwrap();
        core::mem::forget(pool.get(stuck));
        pool.remove(stuck);
        let threads: Vec<_> = (1..THREADS)
            .map(|number| {
                let pool = Arc::clone(&pool);
                thread::spawn(move || {
                    // Three slots are left. Whoever finds none goes on as well.
                    if let Ok(handle) = pool.insert(number) {
                        assert_eq!(*pool.get(handle).unwrap(), number);
                        assert!(pool.remove(handle));
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(pool.len(), 0);
        assert_eq!((0..4).filter(|number| pool.insert(*number).is_ok()).count(), 3);
    });
}

#[test]
fn an_object_is_lent_to_one_thread_at_a_time_and_whoever_waits_gets_one() {
    in_many_orders(|| {
        let recycler =
            Arc::new(SyncRecycler::builder().capacity(3).build_with(|_| AtomicUsize::new(0)));
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let recycler = Arc::clone(&recycler);
                thread::spawn(move || {
                    let object = if number % 2 == 0 {
                        recycler.acquire_blocking()
                    } else {
                        recycler.acquire()
                    };
                    if let Some(object) = object {
                        assert_eq!(object.fetch_add(1, SeqCst), 0);
                        thread::yield_now();
                        assert_eq!(object.fetch_sub(1, SeqCst), 1);
                    } else {
                        assert!(number % 2 == 1, "who waits gets one");
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(recycler.available(), 3);
    });
}
