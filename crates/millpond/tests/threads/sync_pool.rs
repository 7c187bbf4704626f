//! `SyncPool` on many threads: what its handles promise, exactness, and what other pools for threads are known to
//! get wrong.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier};
use std::thread;

use crate::allocations::{Allocations, during};
use millpond::{Handle, SyncPool, TakeError};

/// A value that counts how many of its kind there are, beside the first.
type Counted = Arc<()>;

fn alive(first: &Counted) -> usize {
    Arc::strong_count(first) - 1
}

/// A slot of 13 bits of generation answers an old key again after 8,191 lifetimes; one of 22 bits after 4 million.
#[test]
fn a_handle_stays_stale_through_all_lifetimes_of_its_slot() {
    let mut pool = SyncPool::new(1);
    let first = pool.insert(0).unwrap();
    pool.remove(first);
    for lifetime in 0..20_000 {
        let handle = pool.insert(lifetime).unwrap();
        assert!(!pool.contains(first) && pool.get(first).is_none() && !pool.remove(first));
        assert!(pool.remove(handle));
    }
    for bits in 15..31 {
        let later = Handle::from_parts(0, first.generation() + (1 << bits) - 1).unwrap();
        pool.insert_at(later, 0).unwrap();
        assert!(pool.contains(later) && !pool.contains(first));
        pool.take(later).unwrap();
        let next = pool.insert(0).unwrap();
        assert_eq!(next.generation(), later.generation() + 1);
        assert!(pool.contains(next) && !pool.contains(first));
        pool.remove(next);
    }
}

#[test]
fn a_slot_retires_after_its_last_lifetime_on_whatever_thread() {
    let mut pool = SyncPool::<u8>::new(2);
    for index in 0..2 {
        let last = Handle::from_parts(index, u32::MAX >> 1).unwrap();
        pool.insert_at(last, 1).unwrap();
    }
    thread::scope(|scope| {
        for (handle, _) in pool.iter() {
            let pool = &pool;
            scope.spawn(move || assert!(pool.remove(handle)));
        }
    });
    let full = pool.insert(1).unwrap_err();
    assert_eq!((full.capacity(), full.retired()), (2, 2));
    let stats = pool.stats();
    assert_eq!((stats.live, stats.retired, stats.inserted, stats.removed), (0, 2, 2, 2));
    pool.validate().unwrap();
}

/// With a name, generations begin in the middle, go on at 1 after the largest, and end before the first.
#[test]
fn generations_go_on_at_one_after_the_largest_on_whatever_thread() {
    const MAX: u32 = u32::MAX >> 1;
    const SLOTS: u32 = 4;
    let mut pool = SyncPool::builder().capacity(SLOTS as usize).name("sparks").build();
    let first = pool.generations().first();
    assert!(
        first > 1_000_000 && first < MAX - 1_000_000,
        "a name whose cycle has room on both sides"
    );
    for index in 0..SLOTS {
        pool.insert_at(Handle::from_parts(index, MAX - 20).unwrap(), u64::from(index)).unwrap();
    }
    let issued = std::sync::Mutex::new(pool.iter().map(|(handle, _)| handle).collect::<Vec<_>>());
    let next = std::sync::atomic::AtomicU64::new(u64::from(SLOTS));
    thread::scope(|scope| {
        for thread in 0..4 {
            let (pool, issued, next) = (&pool, &issued, &next);
            scope.spawn(move || {
                for turn in 0..500 {
                    let known = issued.lock().unwrap().clone();
                    // The youngest handles are those that may still be valid; the oldest are not, and stay so.
                    let handle = known[known.len() - 1 - (thread + turn) % known.len().min(6)];
                    if let Some(guard) = pool.get(handle) {
                        let seen = *guard;
                        let removed = pool.remove(handle);
                        // Its slot goes to nobody while the guard is there.
                        assert_eq!(*guard, seen);
                        drop(guard);
                        assert!(!removed || !pool.contains(handle));
                    }
                    let value = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if let Ok(handle) = pool.insert(value) {
                        issued.lock().unwrap().push(handle);
                    }
                }
            });
        }
    });
    let issued = issued.into_inner().unwrap();
    let distinct: std::collections::HashSet<_> =
        issued.iter().map(|handle| handle.to_bits()).collect();
    assert_eq!(distinct.len(), issued.len(), "no handle is issued twice");
    let live: Vec<_> = pool.iter().map(|(handle, _)| handle).collect();
    for handle in &issued {
        assert_eq!(pool.contains(*handle), live.contains(handle), "{handle}");
    }
    let generations = issued.iter().map(|handle| handle.generation());
    let (below, above): (Vec<_>, Vec<_>) = generations.partition(|generation| *generation < first);
    assert!(below.contains(&1) && above.contains(&MAX), "the largest was passed");
    pool.validate().unwrap();

    // The circle ends before the first generation: there a slot retires.
    pool.clear();
    pool.settle();
    let last = Handle::from_parts(0, first - 1).unwrap();
    pool.insert_at(last, 1).unwrap();
    assert!(pool.remove(last));
    assert_eq!(pool.stats().retired, 1);
    assert!(!pool.contains(last) && issued.iter().all(|handle| !pool.contains(*handle)));
    pool.validate().unwrap();
}

/// Whose first lifetimes begin elsewhere.
#[test]
fn pools_of_one_name_are_told_apart_by_their_salts() {
    let pool = |salt| SyncPool::builder().capacity(8).name("jobs").salt(salt).build();
    let (one, same, other) = (pool(1), pool(1), pool(2));
    let handles = [&one, &same, &other].map(|pool| pool.insert(5).unwrap());
    assert_eq!(handles[0], handles[1]);
    assert!(!other.contains(handles[0]) && other.get(handles[0]).is_none());
    assert!(!other.remove(handles[0]) && other.contains(handles[2]));
    assert_eq!(other.check(handles[0]), Err(millpond::Refusal::OtherPool));
}

/// One pool panics for the 4,097th thread.
#[test]
fn any_number_of_threads_may_insert_and_end() {
    let pool = SyncPool::<usize>::new(5000);
    for round in 0..50 {
        thread::scope(|scope| {
            for thread in 0..100 {
                let pool = &pool;
                scope.spawn(move || pool.insert(round * 100 + thread).unwrap());
            }
        });
    }
    // All slots are taken, by threads that are gone; and nothing of them stands in the way.
    assert!(pool.insert(0).is_err());
    let mut values: Vec<usize> = pool.iter().map(|(_, value)| *value).collect();
    values.sort_unstable();
    assert!(values.into_iter().eq(0..5000));
    for (handle, value) in &pool {
        drop(value);
        pool.take(handle).unwrap();
    }
    assert_eq!(pool.len(), 0);
    pool.validate().unwrap();
}

/// One pool waits here for ever, for the guard of the thread that waits.
#[test]
fn take_never_waits_for_a_guard() {
    let pool = SyncPool::new(1);
    let handle = pool.insert(String::from("kept")).unwrap();
    let guard = pool.get(handle).unwrap();
    assert_eq!(pool.take(handle), Err(TakeError::Busy));
    assert!(pool.contains(handle));
    drop(guard);
    assert_eq!(pool.take(handle).as_deref(), Ok("kept"));
    assert_eq!(pool.take(handle), Err(TakeError::Stale));
}

/// Where reclamation is deferred, the pool is full here, and panics.
#[test]
fn a_guard_that_stays_takes_no_slot_but_its_own() {
    const CAPACITY: usize = 1024;
    let pool = SyncPool::new(CAPACITY);
    let kept = pool.insert(0).unwrap();
    let guard = pool.get(kept).unwrap();
    for round in 1..20 * CAPACITY {
        let handle = pool.insert(round).unwrap();
        assert!(pool.remove(handle));
    }
    assert!(pool.remove(kept));
    let others: Vec<_> = (1..CAPACITY).map(|value| pool.insert(value).unwrap()).collect();
    assert!(pool.insert(0).is_err(), "the guard has one slot");
    assert_eq!(*guard, 0);
    drop(guard);
    pool.insert(0).unwrap();
    assert_eq!(others.len() + 1, pool.len());
}

/// A pool whose counter of live objects is read before it is written has room for some more, or some fewer.
#[test]
fn the_capacity_is_exact_whoever_fills_it() {
    const CAPACITY: usize = 1000;
    for round in 0..20 {
        let pool = SyncPool::builder().capacity(CAPACITY).homes(1 + round % 5).build();
        let barrier = Barrier::new(8);
        let inserted = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    barrier.wait();
                    while pool.insert(0_u8).is_ok() {
                        inserted.fetch_add(1, SeqCst);
                    }
                });
            }
        });
        assert_eq!((inserted.load(SeqCst), pool.len()), (CAPACITY, CAPACITY));
        pool.validate().unwrap();
    }
}

/// The stack of another pool gives one slot to two threads when its head comes back (ABA).
#[test]
fn no_slot_is_given_to_two_threads() {
    let pool = SyncPool::<AtomicBool>::builder().capacity(6).homes(2).build();
    let owned: Vec<AtomicBool> = (0..6).map(|_| AtomicBool::new(false)).collect();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20_000 {
                    let Ok(handle) = pool.insert(AtomicBool::new(false)) else { continue };
                    let slot = &owned[handle.index() as usize];
                    assert!(!slot.swap(true, SeqCst), "another thread has the slot");
                    assert!(!pool.get(handle).unwrap().swap(true, SeqCst));
                    slot.store(false, SeqCst);
                    assert!(pool.remove(handle));
                }
            });
        }
    });
    assert_eq!(pool.len(), 0);
    pool.validate().unwrap();
}

/// In other pools, a voice's samples are freed on the audio thread.
#[test]
fn destructors_run_where_they_are_wanted() {
    struct Noisy(thread::ThreadId);
    impl Drop for Noisy {
        fn drop(&mut self) {
            assert_eq!(thread::current().id(), self.0, "dropped on the wrong thread");
        }
    }
    let owner = thread::current().id();
    let mut pool = SyncPool::builder().capacity(4).drop_in_settle().build();
    let handles = [0, 1, 2].map(|_| pool.insert(Noisy(owner)).unwrap());
    let kept = pool.get_owned(handles[2]).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            let guard = pool.get(handles[0]).unwrap();
            assert!(handles.into_iter().all(|handle| pool.remove(handle)));
            assert!(handles.into_iter().all(|handle| pool.get(handle).is_none()));
            drop(guard);
        });
    });
    assert_eq!(pool.len(), 0);
    assert_eq!(pool.settle(), 2);
    assert_eq!(pool.settle(), 0, "the third has a guard");
    drop(kept);
    assert_eq!(pool.settle(), 1);
    pool.validate().unwrap();
}

#[test]
fn a_removed_value_stays_for_its_guards_and_no_longer() {
    let first = Counted::default();
    let pool = SyncPool::new(1);
    let handle = pool.insert(Arc::clone(&first)).unwrap();
    let guard = pool.get(handle).unwrap();
    let another = guard.clone();
    assert!(pool.remove(handle));
    assert!(!pool.remove(handle) && pool.get(handle).is_none());
    let of_a_removed_value = another.clone();
    drop((guard, another));
    assert_eq!((alive(&first), pool.len()), (1, 0));
    assert!(pool.insert(Arc::clone(&first)).is_err(), "its slot is not free yet");
    drop(of_a_removed_value);
    assert_eq!(alive(&first), 0);
    pool.insert(Arc::clone(&first)).unwrap();
}

#[test]
fn owned_guards_outlive_the_pool_and_the_last_drops_the_value() {
    let first = Counted::default();
    for removed in [false, true] {
        for defers in [false, true] {
            let builder = SyncPool::builder().capacity(100);
            let pool = if defers { builder.drop_in_settle() } else { builder }.build();
            let handles: Vec<_> =
                (0..100).map(|_| pool.insert(Arc::clone(&first)).unwrap()).collect();
            let guards: Vec<_> =
                handles[..40].iter().map(|handle| pool.get_owned(*handle).unwrap()).collect();
            if removed {
                handles[20..60].iter().for_each(|handle| assert!(pool.remove(*handle)));
            }
            drop(pool);
            assert_eq!(alive(&first), 40);
            thread::scope(|scope| {
                for guard in guards {
                    scope.spawn(move || drop(guard.clone()));
                }
            });
            assert_eq!(alive(&first), 0);
        }
    }
}

#[test]
fn the_memory_goes_with_the_last_guard() {
    for (removed, defers) in [(false, false), (true, false), (false, true), (true, true)] {
        let ((), allocations) = during(|| {
            let mut builder = SyncPool::builder().capacity(100);
            if defers {
                builder = builder.drop_in_settle();
            }
            let pool = builder.build();
            let handles: Vec<_> = (0..100).map(|value| pool.insert(value).unwrap()).collect();
            let guards: Vec<_> =
                handles.iter().step_by(7).map(|handle| pool.get_owned(*handle).unwrap()).collect();
            if removed {
                handles.iter().step_by(2).for_each(|handle| assert!(pool.remove(*handle)));
            }
            drop(pool);
            drop(guards);
        });
        assert_eq!(allocations.taken, allocations.freed, "removed {removed}, deferred {defers}");
    }
}

#[test]
fn an_iteration_meets_who_lives_throughout_exactly_once() {
    let pool = SyncPool::new(512);
    let mut steady: Vec<_> = (0..100).map(|value| pool.insert(value).unwrap()).collect();
    // Where a thread's first slot is depends on how many threads there were before it.
    steady.sort_by_key(|handle| handle.index());
    let done = AtomicBool::new(false);
    /// Also if the assertion fails: the others would go on for ever.
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, SeqCst);
        }
    }
    thread::scope(|scope| {
        let _stop = Stop(&done);
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(SeqCst) {
                    let handles: Vec<_> =
                        (0..100).filter_map(|value| pool.insert(1000 + value).ok()).collect();
                    handles.into_iter().for_each(|handle| assert!(pool.remove(handle)));
                }
            });
        }
        for _ in 0..200 {
            let met: Vec<_> =
                pool.iter().filter(|(_, value)| **value < 1000).map(|(handle, _)| handle).collect();
            assert_eq!(met, steady);
        }
    });
    assert_eq!(pool.len(), 100);
}

#[test]
fn no_step_takes_memory_after_creation() {
    let ((), creation) = during(|| drop(SyncPool::<[u64; 4]>::new(300)));
    assert!(creation.taken > 0);
    let mut pool = SyncPool::<[u64; 4]>::new(300);
    let mut handles = Vec::with_capacity(300);
    let ((), allocations) = during(|| {
        for _ in 0..3 {
            handles.extend((0..300).map_while(|_| pool.insert([1; 4]).ok()));
            assert!(pool.insert([1; 4]).is_err());
            let guard = pool.get(handles[7]).unwrap();
            let owned = pool.get_owned(handles[8]).unwrap();
            assert_eq!(pool.iter().count(), 300);
            assert!(pool.remove(handles[7]) && pool.remove(handles[8]));
            drop((guard, owned));
            pool.take(handles[9]).unwrap();
            pool.retain(|_, value| value[0] == 1);
            assert_eq!(pool.runs_mut().map(|(_, run)| run.len()).sum::<usize>(), 297);
            assert_eq!(pool.frozen().runs().count(), 2);
            handles.clear();
            pool.clear();
        }
    });
    assert_eq!(allocations, Allocations::default());
}

/// (With `&mut`, and without guards: see `tests/families`.)
#[test]
fn a_guard_whose_drop_panics_loses_no_slot() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("on purpose");
        }
    }
    let pool = SyncPool::new(1);
    for _ in 0..2 {
        let handle = pool.insert(Panics).unwrap_or_else(|full| panic!("{full}"));
        let guard = pool.get(handle).unwrap();
        assert!(pool.remove(handle));
        assert!(catch_unwind(AssertUnwindSafe(|| drop(guard))).is_err());
        pool.validate().unwrap();
    }
    assert!(pool.is_empty());
}

#[test]
fn a_leaked_guard_keeps_its_value_for_ever_and_harms_no_other() {
    let first = Counted::default();
    let pool = SyncPool::new(2);
    let handle = pool.insert(Arc::clone(&first)).unwrap();
    std::mem::forget(pool.get(handle));
    assert!(pool.remove(handle) && !pool.contains(handle));
    pool.insert(Arc::clone(&first)).unwrap();
    assert!(pool.insert(Arc::clone(&first)).is_err());
    drop(pool);
    assert_eq!(alive(&first), 1);
}

#[test]
fn exclusive_methods_skip_what_has_owned_guards() {
    let mut pool = SyncPool::new(8);
    let handles: Vec<_> = (0..5).map(|value| pool.insert(value).unwrap()).collect();
    let guard = pool.get_owned(handles[2]).unwrap();
    assert_eq!(pool.guarded(), 1);
    assert_eq!(pool.get_mut(handles[2]), Err(TakeError::Busy));
    assert_eq!(pool.get_mut(handles[1]), Ok(&mut 1));
    let runs: Vec<_> = pool.runs_mut().map(|(first, run)| (first, run.len())).collect();
    assert_eq!(runs, [(0, 2), (3, 2)]);
    pool.values_mut().for_each(|value| *value += 10);
    let frozen = pool.frozen();
    assert!(frozen.values().eq(&[10, 11, 2, 13, 14]));
    assert_eq!(frozen.runs().collect::<Vec<_>>(), [(0, &[10, 11, 2, 13, 14][..])]);
    pool.retain(|_, _| false);
    assert_eq!((pool.len(), *guard), (1, 2));
    assert_eq!(pool.drain().count(), 0, "its guard drops it");
    assert!(pool.is_empty() && *guard == 2);
    drop(guard);
    assert_eq!((0..9).filter(|value| pool.insert(*value).is_ok()).count(), 8);
}

/// (That the past comes back: the family `save_and_load`, kind `shared`.)
#[test]
fn a_past_with_handles_of_all_homes_comes_back_unless_somebody_looks_at_a_value() {
    let build = || SyncPool::builder().capacity(20).homes(3).name("past").lifetimes(5).build();
    let mut pool = build();
    let handles: Vec<_> = (0..15).map(|value| pool.home(value).insert(value).unwrap()).collect();
    handles.iter().step_by(3).for_each(|handle| assert!(pool.remove(*handle)));
    let (past, sum) = (pool.snapshot(), pool.checksum());
    let mut went_on = || -> Vec<_> {
        pool.restore(&past).unwrap();
        assert_eq!((pool.checksum(), pool.stats()), (sum, past.stats()));
        (0..10).map(|value| pool.home(value).insert(value).ok()).collect()
    };
    assert_eq!(went_on(), went_on());
    let guard = pool.get_owned(handles[1]).unwrap();
    assert!(pool.restore(&past).is_err(), "a value that somebody looks at cannot be replaced");
    assert!(pool.contains(handles[1]));
    drop(guard);
    let mut other = SyncPool::new(19);
    assert!(other.restore(&past).is_err() && other.save_into(&mut past.clone()).is_err());
    let mut twin = build();
    twin.restore(&past).unwrap();
    assert_eq!(twin.checksum(), sum);
}

#[test]
fn a_recorder_hears_of_all_threads() {
    let recorder = millpond::recorder::Recorder::to_writer(std::io::sink()).unwrap();
    let mut pool = SyncPool::<u32>::builder().capacity(64).name("shared").build();
    let early = pool.insert(0).unwrap();
    pool.record(&recorder);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for value in 0..100 {
                    let handle = pool.insert(value).unwrap();
                    assert!(pool.remove(handle));
                }
            });
        }
    });
    pool.remove(early);
    pool.stop_recording();
    pool.insert(1).unwrap();
    let summary = recorder.finish().unwrap();
    assert_eq!((summary.events, summary.dropped), (2 + 800, 0));
}

#[test]
fn a_batch_of_removals_does_what_they_do_one_by_one() {
    let first = Counted::default();
    for defers in [false, true] {
        let builder = SyncPool::builder().capacity(300).homes(3);
        let mut pool = if defers { builder.drop_in_settle() } else { builder }.build();
        let handles: Vec<_> =
            (0..300).map(|home| pool.home(home).insert(Arc::clone(&first)).unwrap()).collect();
        let guard = pool.get(handles[7]).unwrap();
        let owned = pool.get_owned(handles[8]).unwrap();
        assert!(pool.remove(handles[9]));
        // Handles of three homes in turn, one of them stale, one twice, and one of no slot.
        let beyond = Handle::from_parts(300, 1).unwrap();
        let twice = handles[..200].iter().chain(&handles[..1]).copied().chain([beyond]);
        assert_eq!(pool.remove_many(twice), 199);
        assert!(handles[..200].iter().all(|handle| !pool.contains(*handle)));
        assert_eq!(pool.len(), 100);
        let gone = if defers { 0 } else { 198 };
        assert_eq!(alive(&first), 300 - gone, "two have guards");
        drop((guard, owned));
        assert_eq!(pool.settle(), if defers { 200 } else { 0 });
        assert_eq!(alive(&first), 100);
        pool.validate().unwrap();
        assert_eq!(pool.remove_many(handles), 100);
        pool.settle();
        assert_eq!((pool.len(), alive(&first)), (0, 0));
        let refilled = (0..300).filter(|_| pool.insert(Arc::clone(&first)).is_ok());
        assert_eq!(refilled.count(), 300);
    }
}

#[test]
fn a_batch_of_insertions_is_all_or_nothing() {
    let first = Counted::default();
    let values = |count: usize| vec![Arc::clone(&first); count];
    let pool = SyncPool::builder().capacity(130).homes(2).build();
    let mut handles = Vec::new();
    assert_eq!(pool.insert_many(values(100), &mut handles).unwrap(), 100);
    assert_eq!(pool.insert_many(values(0), &mut handles).unwrap(), 0);
    for too_many in [31, 130, 131, 1000] {
        let full = pool.insert_many(values(too_many), &mut handles).unwrap_err();
        assert_eq!(full.to_string(), "the pool is full: all 130 slots are live");
        assert_eq!(full.into_inner().len(), too_many, "each value comes back");
        assert_eq!((pool.len(), handles.len(), alive(&first)), (100, 100, 100));
        pool.validate().unwrap();
    }
    assert_eq!(pool.insert_many(values(30), &mut handles).unwrap(), 30);
    assert_eq!(pool.stats().refused, 4);
    assert!(handles.iter().all(|handle| pool.contains(*handle)));
    handles.sort_unstable_by_key(|handle| handle.index());
    handles.dedup();
    assert_eq!(handles.len(), 130);
    assert_eq!(pool.remove_many(handles), 130);
    assert_eq!(alive(&first), 0);
}

/// Says that it has so many values, has fewer or more of them, and may panic.
struct Lying {
    says: usize,
    has: usize,
    panics_at: usize,
    next: usize,
}

impl Iterator for Lying {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        assert_ne!(self.next, self.panics_at, "as planned");
        self.next += 1;
        (self.next <= self.has).then_some(self.next)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.says, Some(self.says))
    }
}

impl ExactSizeIterator for Lying {}

#[test]
fn a_batch_of_values_that_lie_or_panic_leaves_no_slot_behind() {
    let mut pool = SyncPool::<usize>::new(10);
    let lying = |says, has, panics_at| Lying { says, has, panics_at, next: 0 };
    let mut handles = Vec::new();
    assert_eq!(pool.insert_many(lying(7, 3, 99), &mut handles).unwrap(), 3);
    assert_eq!((pool.len(), handles.len()), (3, 3));
    assert_eq!(pool.insert_many(lying(2, 9, 99), &mut handles).unwrap(), 2);
    assert!(pool.insert_many(lying(usize::MAX, 1, 99), &mut handles).is_err());
    let panicked =
        catch_unwind(AssertUnwindSafe(|| _ = pool.insert_many(lying(5, 5, 2), &mut handles)));
    assert!(panicked.is_err());
    assert_eq!((pool.len(), handles.len()), (7, 7), "two came before the panic");
    pool.validate().unwrap();
    assert!(handles.iter().all(|handle| pool.contains(*handle)));
    pool.clear();
    assert_eq!((0..10).filter(|value| pool.insert(*value).is_ok()).count(), 10);
}

/// Of 64 slots, each of four threads takes 24 at once, over and over: never are more taken than there are, and in the end all
/// are free.
#[test]
fn batches_of_many_threads_never_have_a_part_each() {
    let pool = SyncPool::<usize>::builder().capacity(64).homes(4).build();
    thread::scope(|scope| {
        for number in 0..4 {
            let pool = &pool;
            scope.spawn(move || {
                let mut handles = Vec::with_capacity(24);
                for _ in 0..500 {
                    match pool.insert_many([number; 24], &mut handles) {
                        Ok(count) => assert_eq!((count, handles.len()), (24, 24)),
                        Err(full) => assert_eq!((full.into_inner().len(), handles.len()), (24, 0)),
                    }
                    assert!(handles.iter().all(|handle| *pool.get(*handle).unwrap() == number));
                    let count = handles.len();
                    assert_eq!(pool.remove_many(handles.drain(..)), count);
                }
            });
        }
    });
    assert_eq!(pool.len(), 0);
    pool.validate().unwrap();
}

#[test]
fn many_threads_remove_in_batches_what_others_insert() {
    const THREADS: usize = 4;
    let pool = SyncPool::<usize>::builder().capacity(1000).homes(THREADS).build();
    let boxes: Vec<std::sync::Mutex<Vec<_>>> = (0..THREADS).map(|_| Default::default()).collect();
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (pool, boxes) = (&pool, &boxes);
            scope.spawn(move || {
                for _ in 0..500 {
                    let inserted: Vec<_> =
                        (0..64).filter_map(|value| pool.insert(value).ok()).collect();
                    boxes[(number + 1) % THREADS].lock().unwrap().extend(inserted);
                    let others = std::mem::take(&mut *boxes[number].lock().unwrap());
                    let count = others.len();
                    assert_eq!(pool.remove_many(others.iter().copied()), count);
                    assert_eq!(pool.remove_many(others), 0);
                }
            });
        }
    });
    for left in boxes {
        pool.remove_many(left.into_inner().unwrap());
    }
    assert_eq!(pool.len(), 0);
    pool.validate().unwrap();
}
