//! What the pools for threads answer to small questions: what `{:?}` tells, how much an iterator says is left, what a
//! frozen pool has, why something is refused, and what a checksum is of. (What they do while many threads use them: the
//! programs `sync_*` and `lots`.)

use std::cell::Cell;

use super::debug_output::tells;
use millpond::lots::Lots;
use millpond::snapshot::SnapshotError;
use millpond::sync::RestoreError;
use millpond::{Handle, Pool, Refusal, SyncPool, SyncRecycler, TakeError};

/// Every other of the values 0 to 69, in the slots with these numbers.
fn every_other_of_70() -> SyncPool<u64> {
    let mut pool = SyncPool::builder().capacity(70).homes(1).build();
    (0..70).for_each(|value| assert_eq!(pool.insert(value as u64).unwrap().index(), value));
    pool.retain(|_, value| *value % 2 == 0);
    pool
}

#[test]
fn a_shared_pool_and_what_it_lends_tell_what_they_are() {
    let builder = SyncPool::<u64>::builder().capacity(4).homes(1).salt(0).drop_in_settle();
    tells(&builder, &["SyncPoolBuilder", "capacity: Some(4)", "homes: 1", "drop_in_settle: true"]);
    let mut pool = SyncPool::<&str>::builder().capacity(4).homes(1).build();
    pool.insert("egg").unwrap();
    pool.insert("hen").unwrap();
    let both = ["0v1", "egg", "1v1", "hen"];
    tells(&pool, &both);
    tells(pool.frozen(), &both);
    tells(pool.snapshot(), &both);
    let mut iter = pool.iter();
    iter.next();
    tells(&iter, &["Iter", "next: 1"]);
    tells(pool.home(3), &["Home", "3"]);
    tells(pool.frozen().runs(), &["0", "egg", "hen"]);
    tells(pool.runs_mut(), &["ValueRunsMut"]);
    let mut drain = pool.drain();
    drain.next();
    tells(&drain, &["Drain", "next: 1"]);
}

#[test]
fn a_shared_recycler_tells_what_it_is() {
    let builder = SyncRecycler::builder().capacity(2).homes(3).name("buffers");
    let told = ["SyncRecyclerBuilder", "capacity: Some(2)", "buffers", "homes: 3"];
    tells(&builder, &told);
    let recycler = builder.build_with(|_| 0);
    let _lent = recycler.acquire();
    let told = ["SyncRecycler", "buffers", "capacity: 2", "available: 1", "retired: 0"];
    tells(&recycler, &told);
    assert_eq!(recycler.name(), Some("buffers"));
    assert_eq!(SyncRecycler::<u8>::new(2).name(), None);
}

#[test]
fn lots_and_tasks_tell_what_they_are() {
    let mut pool = Pool::new(6);
    (0..3).for_each(|value| _ = pool.insert(value).unwrap());
    let mut lots = Lots::new(2, 1);
    tells(&lots, &["Lots", "chunk_slots: 2", "births_each: 1"]);
    let mut update = pool.set_aside(&mut lots);
    tells(&update, &["Update", "Lots", "chunk_slots: 2"]);
    let mut tasks = update.tasks();
    tells(&tasks, &["Tasks", "chunk_slots: 2"]);
    let (mut first, second) = (tasks.next().unwrap(), tasks.next().unwrap());
    tells(&first, &["Task", "number: 0", "len: 2"]);
    tells(&second, &["Task", "number: 1", "len: 1"]);
    first.run(|value, lot| {
        tells(&lot, &["Lot", "number: 0", if *value == 0 { "left: 1" } else { "left: 0" }]);
        assert_eq!(lot.insert(7).is_ok(), *value == 0);
    });
    update.settle();
    assert!(pool.values().eq(&[0, 1, 2, 7]));
}

/// At each step, no more than the slots that it has not reached; nothing once it has ended.
#[track_caller]
fn tells_what_is_left_of_70_slots<V>(mut iter: impl Iterator<Item = (Handle<u64>, V)>) {
    assert_eq!(iter.size_hint(), (0, Some(70)));
    while let Some((handle, _)) = iter.next() {
        let left = 70 - handle.index() as usize - 1;
        assert_eq!(iter.size_hint(), (0, Some(left)));
    }
    assert_eq!(iter.size_hint(), (0, Some(0)));
    assert!(iter.next().is_none(), "it stays at its end");
    assert_eq!(iter.size_hint(), (0, Some(0)));
}

#[test]
fn iterators_of_a_shared_pool_tell_what_is_left() {
    let mut pool = every_other_of_70();
    tells_what_is_left_of_70_slots(pool.iter());
    assert_eq!(pool.frozen().iter().count(), 35);
    tells_what_is_left_of_70_slots(pool.drain());
    assert!(pool.is_empty());
}

#[test]
fn a_frozen_pool_has_what_is_live_with_guards_or_without() {
    let mut pool = every_other_of_70();
    let handles: Vec<_> = pool.iter().map(|(handle, _)| handle).collect();
    let (stale, guarded, free) = (handles[3], handles[4], handles[5]);
    assert!(pool.remove(stale));
    // Its slot has an object again, and is not the stale handle's.
    let next = Handle::from_parts(stale.index(), stale.generation() + 1).unwrap();
    pool.insert_at(next, 100).unwrap();
    let guard = pool.get_owned(guarded).unwrap();
    assert!(pool.remove(free));
    let doomed_guard = pool.get_owned(handles[6]).unwrap();
    assert!(pool.remove(handles[6]));

    let frozen = pool.frozen();
    assert_eq!((frozen.get(next), frozen.get(guarded)), (Some(&100), Some(&*guard)));
    let beyond = Handle::from_parts(70, 1).unwrap();
    for refused in [stale, free, handles[6], beyond, Handle::DANGLING] {
        assert_eq!(frozen.get(refused), None, "{refused}");
    }
    assert_eq!((frozen.len(), frozen.is_empty(), *doomed_guard), (33, false, 12));
    pool.clear();
    assert_eq!((pool.frozen().len(), pool.frozen().is_empty()), (0, true));
}

#[test]
fn there_is_at_least_one_home_and_at_most_one_for_64_slots() {
    let homes = |homes| SyncPool::<u64>::builder().capacity(192).homes(homes).build().homes();
    assert_eq!([0, 1, 2, 3, 4].map(homes), [1, 1, 2, 3, 3]);
    assert_eq!(SyncPool::<u64>::new(0).homes(), 1);
}

#[test]
fn any_number_is_a_home() {
    let pool = SyncPool::<usize>::builder().capacity(192).homes(3).build();
    for round in 0..3 {
        // Homes with neighbouring numbers are far apart. There are three, so of the four numbers
        // that two bits have, one names a home a second time.
        let slots = [0, 1, 2, 3, 4].map(|home| pool.home(home).insert(0).unwrap().index());
        let expected =
            [0, 128, 64, 1, 2].map(|slot| slot + if slot < 64 { 3 * round } else { round });
        assert_eq!(slots, expected);
    }
    assert!(pool.home(usize::MAX).insert(0).is_ok());
}

#[test]
fn exclusive_access_is_refused_to_stale_handles_and_to_guarded_values() {
    let mut pool = SyncPool::new(2);
    let handle = pool.insert(1).unwrap();
    let guard = pool.get_owned(handle).unwrap();
    assert_eq!(pool.get_mut(handle), Err(TakeError::Busy));
    assert!(pool.remove(handle));
    assert_eq!(pool.get_mut(handle), Err(TakeError::Stale), "removed, though its guard is there");
    drop(guard);
    for refused in [handle, Handle::from_parts(0, 9).unwrap(), Handle::from_parts(2, 1).unwrap()] {
        assert_eq!(pool.get_mut(refused), Err(TakeError::Stale), "{refused}");
    }
    let stale = "the handle is refused: its object is not in the pool";
    assert_eq!(TakeError::Stale.to_string(), stale);
    assert_eq!(TakeError::Busy.to_string(), "the value has guards, and is still live");
}

#[test]
fn a_pool_with_other_homes_or_other_generations_is_not_restored() {
    let builder = || SyncPool::<u64>::builder().capacity(128);
    let mut pool = builder().homes(2).name("jobs").build();
    let handle = pool.insert(1).unwrap();
    let mut past = pool.snapshot();
    for (mut other, why) in [
        (builder().homes(1).name("jobs").build(), SnapshotError::OtherHomes),
        (builder().homes(2).name("tasks").build(), SnapshotError::OtherLifetimes),
    ] {
        assert_eq!(other.save_into(&mut past), Err(why));
        let error = other.restore(&past).unwrap_err();
        assert_eq!(error, RestoreError::Snapshot(why));
        assert_eq!(error.to_string(), why.to_string());
        assert!(other.is_empty());
    }
    let _guard = pool.get_owned(handle).unwrap();
    let error = pool.restore(&past).unwrap_err();
    assert_eq!(error.to_string(), "a value in the pool has an owned guard");
}

#[test]
fn a_checksum_with_a_function_is_of_what_the_function_adds() {
    let mut pool = every_other_of_70();
    let past = pool.snapshot();
    let whole = pool.checksum();
    assert_eq!(pool.checksum_with(|value, sum| sum.add(value)), whole);
    assert_eq!(past.checksum_with(|value, sum| sum.add(value)), whole);
    let calls = Cell::new(0);
    let of_handles = pool.checksum_with(|_, _| calls.set(calls.get() + 1));
    assert_eq!(past.checksum_with(|_, _| calls.set(calls.get() + 1)), of_handles);
    assert_eq!(calls.get(), 2 * 35);
    let first = pool.handle_at(0).unwrap();
    *pool.get_mut(first).unwrap() += 1;
    assert_eq!(pool.checksum_with(|_, _| ()), of_handles, "the function leaves values out");
    assert_ne!(pool.checksum_with(|value, sum| sum.add(value)), whole);
    assert!(pool.remove(first));
    assert_ne!(pool.checksum_with(|_, _| ()), of_handles);
}

#[test]
fn a_generation_that_no_slot_can_have_reached_is_another_pools() {
    let mut pool = SyncPool::<u64>::builder().capacity(2).homes(1).name("jobs").build();
    let first = pool.insert(0).unwrap();
    let check = |pool: &SyncPool<u64>, slot, lifetimes| {
        pool.check(Handle::from_parts(slot, first.generation() + lifetimes).unwrap())
    };
    for value in 1..6 {
        pool.take(first).unwrap();
        pool.revive(first, value).unwrap();
    }
    // Six insertions, but of one handle: the slot is in its first lifetime.
    assert_eq!(pool.stats().inserted, 6);
    assert_eq!(check(&pool, 0, 3), Err(Refusal::OtherPool));
    pool.take(first).unwrap();
    let far = Handle::from_parts(0, first.generation() + 10).unwrap();
    pool.insert_at(far, 6).unwrap();
    // Few insertions, but a slot in its eleventh lifetime.
    assert_eq!(pool.stats().inserted, 7);
    let refusals = [9, 10, 11].map(|lifetimes| check(&pool, 1, lifetimes).unwrap_err());
    assert_eq!(refusals, [Refusal::NeverIssued, Refusal::NeverIssued, Refusal::OtherPool]);
}
