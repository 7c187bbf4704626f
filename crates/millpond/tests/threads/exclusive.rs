//! `SyncPool` by `&mut`, beyond what every pool has: guards that stay on other threads meanwhile, values that are kept
//! after their removal, and slots at the end of their generations.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::thread;

use millpond::InsertAtErrorKind::{Occupied, Retired, Stale};
use millpond::debug::DebugAids;
use millpond::sync::SyncSnapshot;
use millpond::{Handle, SyncPool};
use rayon::prelude::*;

fn full_of(values: u32) -> (SyncPool<u32>, Vec<Handle<u32>>) {
    let pool = SyncPool::builder().capacity(values as usize).homes(1).build();
    let handles = (0..values).map(|value| pool.insert(value).unwrap()).collect();
    (pool, handles)
}

#[test]
fn a_value_that_is_kept_is_revived_once_nobody_looks_at_it() {
    let mut pool = SyncPool::<u32>::builder().capacity(3).build();
    let handle = pool.insert(1).unwrap();
    let guard = pool.get_owned(handle).unwrap();
    assert!(pool.remove(handle));
    let error = pool.revive(handle, 2).unwrap_err();
    assert_eq!((error.kind(), error.into_inner(), *guard), (Occupied, 2, 1));
    drop(guard);
    assert_eq!(pool.revive(handle, 2).unwrap(), handle);
    assert_eq!(*pool.get(handle).unwrap(), 2);
    assert_eq!(pool.revive(handle, 3).unwrap_err().kind(), Occupied);
    // One more insertion, though the slot's generation has not moved.
    let stats = pool.stats();
    assert_eq!((stats.inserted, stats.removed, stats.live), (2, 1, 1));
    pool.take(handle).unwrap();
    let later = Handle::from_parts(handle.index(), handle.generation() + 1).unwrap();
    assert_eq!(pool.insert_at(later, 4).unwrap(), later);
    pool.take(later).unwrap();
    assert_eq!(pool.revive(handle, 5).unwrap_err().kind(), Stale);
    assert_eq!(pool.revive(later, 5).unwrap(), later);
    assert_eq!(pool.stats().inserted, 4);
    pool.validate().unwrap();
}

#[test]
fn revivals_and_evictions_are_counted_through_snapshots_and_files() {
    let (mut pool, handles) = full_of(4);
    for handle in &handles[..3] {
        pool.take(*handle).unwrap();
        pool.revive(*handle, 7).unwrap();
    }
    let (_, evicted) = pool.insert_or_evict(9, |_, value| *value);
    assert_eq!(evicted, Some((handles[3], 3)));
    let stats = pool.stats();
    assert_eq!((stats.inserted, stats.removed, stats.evicted, stats.live), (8, 4, 1, 4));
    let past = pool.snapshot();
    let saved = serde_json::to_string(&past).unwrap();
    pool.clear();
    pool.restore(&past).unwrap();
    assert_eq!(pool.stats(), stats);
    let loaded: SyncPool<u32> = serde_json::from_str(&saved).unwrap();
    assert_eq!(loaded.stats(), stats);
    let loaded: SyncSnapshot<u32> = serde_json::from_str(&saved).unwrap();
    assert_eq!((loaded.stats(), loaded.checksum()), (stats, past.checksum()));
    let never = Handle::from_parts(0, 50).unwrap();
    assert_eq!(pool.check(never), Err(millpond::Refusal::NeverIssued));
}

#[test]
fn a_slot_in_its_last_lifetime_is_neither_revived_nor_evicted() {
    let mut pool = SyncPool::<u32>::builder().capacity(2).homes(1).lifetimes(2).build();
    let first = pool.insert(1).unwrap();
    pool.take(first).unwrap();
    let last = pool.insert(2).unwrap();
    let other = pool.insert(3).unwrap();
    assert_eq!(last.index(), first.index());
    // The smallest key has the one whose slot would retire.
    let (new, evicted) = pool.insert_or_evict(4, |_, value| *value);
    assert_eq!(evicted, Some((other, 3)));
    let full = pool.try_insert_or_evict(5, |_, value| *value).unwrap_err();
    assert_eq!((full.capacity(), full.into_inner()), (2, 5));
    assert!(pool.is_full() && pool.contains(last) && pool.contains(new));
    pool.take(last).unwrap();
    // Its bit is set, but nothing can be moved in; the pool finds that out without an insertion.
    assert!(pool.is_full());
    assert_eq!(pool.revive(last, 6).unwrap_err().kind(), Retired);
    assert!(pool.insert(6).is_err());
    assert_eq!((pool.stats().retired, pool.stats().refused), (1, 2));
    pool.validate().unwrap();
}

#[test]
fn a_pool_of_several_words_is_full_of_live_and_of_spent_slots() {
    for lifetimes in [1, u32::MAX] {
        let builder = SyncPool::<u32>::builder().capacity(200).homes(3).name("jobs");
        let pool = builder.lifetimes(lifetimes).build();
        let mut handles: Vec<_> = (0..200).map(|value| pool.insert(value).unwrap()).collect();
        handles.sort_by_key(|handle| handle.index());
        assert!(pool.is_full());
        for index in [0, 1, 63, 64, 127, 128, 199] {
            pool.take(handles[index]).unwrap();
            assert_eq!(pool.is_full(), lifetimes == 1, "slot {index}");
            assert_eq!(pool.insert(0).is_ok(), lifetimes != 1);
            assert!(pool.is_full());
        }
        assert_eq!(pool.insert(0).unwrap_err().name(), Some("jobs"));
    }
}

#[test]
fn what_has_guards_is_not_evicted() {
    let (mut pool, handles) = full_of(3);
    let guards = [0, 1].map(|at: usize| pool.get_owned(handles[at]).unwrap());
    let mut shown = Vec::new();
    let (new, evicted) = pool.insert_or_evict(9, |handle, value| {
        shown.push(handle);
        *value
    });
    assert_eq!((shown, evicted), (vec![handles[2]], Some((handles[2], 2))));
    let guard = pool.get_owned(new).unwrap();
    let full = pool.try_insert_or_evict(10, |_, value| *value).unwrap_err();
    assert_eq!(full.into_inner(), 10);
    assert!(catch_unwind(AssertUnwindSafe(|| pool.insert_or_evict(10, |_, v| *v))).is_err());
    drop((guards, guard));
    let (_, evicted) = pool.insert_or_evict(10, |_, value| *value);
    assert_eq!(evicted, Some((handles[0], 0)));
    assert_eq!((pool.stats().evicted, pool.stats().refused, pool.len()), (2, 2, 3));
    pool.validate().unwrap();
}

/// What is evicted moves out, wherever destructors are to run.
#[test]
fn an_eviction_leaves_removed_values_to_settle() {
    let mut pool = SyncPool::<u32>::builder().capacity(2).homes(1).drop_in_settle().build();
    let handles = [1, 2].map(|value| pool.insert(value).unwrap());
    assert!(pool.remove(handles[0]));
    let (new, evicted) = pool.insert_or_evict(3, |_, value| *value);
    assert_eq!((evicted, pool.len()), (Some((handles[1], 2)), 1));
    assert_eq!((pool.settle(), *pool.get(new).unwrap()), (1, 3));
    pool.validate().unwrap();
}

/// Last guards go on another thread, and give slots back, while this one inserts, evicts and revives.
#[test]
fn slots_come_back_while_the_pool_is_borrowed_exclusively() {
    const SLOTS: u32 = 130;
    let first = Arc::new(());
    let value = |number| (Arc::clone(&first), number);
    let mut pool = SyncPool::builder().capacity(SLOTS as usize).homes(2).build();
    let (to, from) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || from.into_iter().for_each(drop::<Option<_>>));
        let mut removed = Vec::new();
        for step in 0..20_000_u32 {
            match step % 5 {
                0 => {
                    if let Ok(handle) = pool.insert(value(step)) {
                        to.send(pool.get_owned(handle)).unwrap();
                    }
                }
                1 => {
                    let (new, evicted) = match pool.try_insert_or_evict(value(step), |_, v| v.1) {
                        Ok(inserted) => inserted,
                        Err(_) => continue,
                    };
                    assert!(evicted.is_none_or(|(old, _)| old != new && !pool.contains(old)));
                    to.send(pool.get_owned(new)).unwrap();
                }
                2 | 3 => {
                    let live = pool.iter().nth(step as usize % 7);
                    let Some(handle) = live.map(|(handle, _)| handle) else { continue };
                    assert!(pool.remove(handle));
                    removed.push(handle);
                }
                _ => {
                    let Some(handle) = removed.pop() else { continue };
                    match pool.revive(handle, value(step)) {
                        Ok(revived) => assert_eq!(pool.get(revived).unwrap().1, step),
                        Err(error) => assert!([Occupied, Stale].contains(&error.kind())),
                    }
                }
            }
        }
        drop(to);
    });
    pool.validate().unwrap();
    let stats = pool.stats();
    assert_eq!((pool.len(), stats.inserted - stats.removed), (stats.live, stats.live as u64));
    assert_eq!(Arc::strong_count(&first), 1 + pool.len());
    drop(pool);
    assert_eq!(Arc::strong_count(&first), 1);
}

#[test]
fn rayon_shows_each_value_once_and_none_with_a_guard() {
    const SLOTS: u32 = 5000;
    let (mut pool, handles) = full_of(SLOTS);
    handles.iter().step_by(3).for_each(|handle| assert!(pool.remove(*handle)));
    let guards: Vec<_> = handles
        .iter()
        .skip(1)
        .step_by(300)
        .map(|handle| pool.get_owned(*handle).unwrap())
        .collect();
    pool.par_runs_mut().for_each(|(first, run)| {
        for (value, index) in run.iter_mut().zip(first..) {
            assert_eq!(*value as usize, index);
            *value += SLOTS;
        }
    });
    pool.par_values_mut().for_each(|value| *value += SLOTS);
    let expected = |value: &u32| match value {
        value if (value - 1) % 300 == 0 => *value,
        value => value + 2 * SLOTS,
    };
    let live: Vec<_> = (0..SLOTS).filter(|value| value % 3 != 0).collect();
    assert!(guards.iter().all(|guard| **guard < SLOTS), "nobody wrote to a guarded value");
    let frozen = pool.frozen();
    assert!(frozen.values().copied().eq(live.iter().map(expected)));
    let mut values: Vec<_> = frozen.par_values().copied().collect();
    values.sort_unstable();
    let mut all: Vec<_> = live.iter().map(expected).collect();
    all.sort_unstable();
    assert_eq!(values, all);
    assert_eq!(frozen.par_runs().map(|(_, run)| run.len()).sum::<usize>(), live.len());
    assert_eq!(frozen.par_iter().filter(|(h, v)| frozen.get(*h) == Some(v)).count(), live.len());
}

/// A slot that was written to after its object's death is found when it is claimed; the claim has not happened then.
#[test]
fn a_claim_that_the_debug_aids_refuse_is_not_counted() {
    let aids = DebugAids::none().fill_dead_slots();
    let mut pool = SyncPool::<u64>::builder().capacity(1).debug_aids(aids).build();
    let handle = pool.insert(1).unwrap();
    let late: *mut u64 = pool.get_mut(handle).unwrap();
    pool.take(handle).unwrap();
    // SAFETY: the pool's memory is there; what is wrong with it is what the aids are for.
    unsafe { late.write(5) };
    let far = Handle::from_parts(0, 10).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| pool.insert_at(far, 2))).is_err());
    assert_eq!(pool.stats().inserted, 1);
    pool.validate().unwrap();
    assert_eq!(pool.insert_at(far, 2).unwrap(), far);
    assert_eq!(pool.stats().inserted, 2);
}

/// Where a home searches next follows from its word and the free slots, which is what a snapshot and a file have.
#[test]
fn homes_that_work_beyond_their_parts_come_back() {
    let mut pool = SyncPool::<u32>::builder().capacity(32 * 64).homes(4).build();
    // Each part has 512 slots.
    let own: [Vec<_>; 2] =
        [0, 1].map(|home| (0..800).map(|value| pool.home(home).insert(value).unwrap()).collect());
    let replace = |pool: &SyncPool<u32>, own: &mut [Vec<_>; 2], seed: u32| -> Vec<_> {
        let mut random = seed;
        let mut replaced = |turn: usize| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let object = &mut own[turn % 2][(random >> 8) as usize % 800];
            assert!(pool.remove(*object));
            *object = pool.home(turn % 2).insert(random).unwrap();
            *object
        };
        (0..4000).map(&mut replaced).collect()
    };
    let mut before = own;
    let handles = replace(&pool, &mut before, 1);
    assert!(handles.iter().any(|handle| (512..1024).contains(&handle.index())), "beyond");
    let (past, saved) = (pool.snapshot(), serde_json::to_string(&pool.frozen()).unwrap());
    let future = replace(&pool, &mut before.clone(), 2);
    pool.restore(&past).unwrap();
    assert_eq!(replace(&pool, &mut before.clone(), 2), future);
    let loaded: SyncPool<u32> = serde_json::from_str(&saved).unwrap();
    assert_eq!(replace(&loaded, &mut before, 2), future);
}

#[test]
fn two_snapshots_differ_in_slots_values_and_homes() {
    let mut pool = SyncPool::builder().capacity(128).homes(2).build();
    let first = pool.home(0).insert(1).unwrap();
    let second = pool.home(1).insert(2).unwrap();
    let left = pool.snapshot();
    *pool.get_mut(first).unwrap() = 10;
    pool.remove(second);
    (0..64).for_each(|value| _ = pool.home(0).insert(value).unwrap());
    let right = pool.snapshot();
    let lines: Vec<_> = left.diff(&right).map(|difference| difference.to_string()).collect();
    assert_eq!(lines[0], "slot 0: the values of 0v1 differ");
    assert_eq!(lines[1], "slot 1: left is dead, 1v1 comes next, right 1v1 is live");
    assert_eq!(lines[64], "slot 64: left 64v1 is live, right 64v2 is live");
    assert_eq!(lines[65..], ["order, place 0: left slot 0, right slot 1"]);
    assert_eq!(left.diff_with(&right, |_, _| ()).count(), lines.len() - 1);
    assert_eq!(left.diff(&left).count(), 0);
    let other = SyncPool::<i32>::new(5).snapshot();
    assert_eq!(
        left.diff(&other).map(|d| d.to_string()).collect::<Vec<_>>(),
        ["the pools differ in capacity, lifetimes or policy"]
    );
}
