//! Snapshots: what each type and each method promises of its own. (That a pool which goes back does what it
//! did, for every pool, order and kind of value: `tests/families/save_and_load.rs`.)

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::allocations::{Allocations, during};
use crate::common::{Counted, Ledger, in_every_order, panics};
use millpond::reuse::ReuseOrder;
use millpond::snapshot::{
    Checksum, Difference, History, RollbackError, SlotState, SnapshotError, State,
};
use millpond::{Handle, HandleAllocator, PackedPool, Pool, Recycler, VecPool};

#[test]
fn a_history_too_large_for_memory_panics() {
    let snapshot = HandleAllocator::new(1).snapshot();
    for frames in [1 << (usize::BITS - 24), usize::MAX / 256, usize::MAX] {
        let made = catch_unwind(|| History::new(frames, &snapshot).capacity());
        assert!(made.is_err(), "{frames}");
    }
}

#[test]
fn what_does_not_match_is_refused_and_nothing_happens() {
    let builder = |capacity| Pool::<u64>::builder().capacity(capacity).name("bullets");
    let mut pool = builder(8).build();
    let handle = pool.insert(1).unwrap();
    let sum = pool.checksum();
    let larger = builder(9).build().snapshot();
    let error = pool.restore(&larger).unwrap_err();
    assert_eq!(error, SnapshotError::OtherCapacity { pool: 8, snapshot: 9 });
    assert_eq!(error.to_string(), "the snapshot has 9 slots, the pool 8");
    let others = [builder(8).name("rockets"), builder(8).lifetimes(5), builder(8).wrap()];
    for mut other in others.map(|builder| builder.build().snapshot()) {
        let error = pool.restore(&other).unwrap_err();
        assert_eq!(error, SnapshotError::OtherLifetimes);
        assert_eq!(
            error.to_string(),
            "the snapshot is of a pool whose generations run differently: another name, salt, limit of \
             lifetimes, or wrapping"
        );
        assert_eq!(pool.save_into(&mut other), Err(SnapshotError::OtherLifetimes));
        assert!(other.as_pool().is_empty());
    }
    assert_eq!((pool.checksum(), pool[handle]), (sum, 1));
    // A twin of it, on another machine say, may.
    let mut twin = builder(8).build();
    twin.restore(&pool.snapshot()).unwrap();
    assert_eq!((twin.checksum(), twin[handle], twin.name()), (sum, 1, Some("bullets")));
}

/// A pool that never had a slot, as its past.
fn goes_back_to_no_slots<R: ReuseOrder>() {
    let mut pool = VecPool::<u64>::builder().reuse(R::default()).build();
    let mut past = pool.snapshot();
    pool.extend(0..100);
    pool.restore(&past).unwrap();
    pool.validate().unwrap();
    pool.save_into(&mut past).unwrap();
    assert_eq!((pool.capacity(), pool.iter().next()), (0, None));
    pool.extend(0..100);
    pool.validate().unwrap();
    assert_eq!(pool.len(), 100);
}

#[test]
fn a_pool_that_grows_goes_back_to_no_slots_in_every_order() {
    in_every_order!(goes_back_to_no_slots());
}

/// (What panics anywhere in a snapshot of any other pool: see `tests/families`.)
#[test]
fn a_recycler_whose_restore_panics_is_empty_and_can_be_restored() {
    let ledger = Ledger::default();
    let mut recycler = Recycler::from_fn(5, |index| ledger.value(index as u64));
    let handle = recycler.acquire().unwrap().0;
    let snapshot = recycler.snapshot_cloned();
    ledger.panic_in_clone_of(1);
    assert!(panics(|| recycler.restore(&snapshot).unwrap()) && recycler.is_empty());
    ledger.panic_in_clone_of(None);
    recycler.validate().unwrap();
    recycler.restore(&snapshot).unwrap();
    assert!(recycler.contains(handle));
}

#[test]
fn a_snapshot_whose_clone_panicked_is_refused() {
    let ledger = Ledger::default();
    let mut pool = Pool::new(8);
    pool.insert(ledger.value(1)).unwrap();
    let mut snapshot = pool.snapshot_cloned();
    ledger.panic_in_clone_of(1);
    assert!(panics(|| pool.save_into(&mut snapshot).unwrap()) && snapshot.as_pool().is_empty());
    let error = pool.restore(&snapshot).unwrap_err();
    assert_eq!(error, SnapshotError::Incomplete);
    let told = "the snapshot is empty: a value's clone panicked while it was taken";
    assert_eq!(error.to_string(), told);
    assert_eq!(pool.len(), 1);
}

#[test]
fn clone_from_is_used_where_both_sides_have_a_value() {
    let mut pool = Pool::new(4);
    let handle = pool.insert(String::from("a longer text")).unwrap();
    let mut snapshot = pool.snapshot_cloned();
    pool[handle].truncate(1);
    let (_, allocations) = during(|| pool.save_into(&mut snapshot).unwrap());
    assert_eq!(allocations, Allocations::default()); // the old text's memory is used again
    assert_eq!(snapshot.as_pool()[handle], "a");
}

#[test]
fn history_keeps_the_last_frames_and_forgets_an_abandoned_future() {
    let mut slots = HandleAllocator::new(100);
    let mut history = History::new(4, &slots.snapshot());
    let error = history.rollback_to(0, &mut slots).unwrap_err();
    assert_eq!(error.to_string(), "frame 0 is not saved: none is");
    let ((), allocations) = during(|| {
        for frame in 0..10 {
            history.save(frame, &slots).unwrap();
            let _ = slots.acquire();
        }
    });
    assert_eq!(allocations, Allocations::default(), "its memory was taken at the beginning");
    assert!(history.frames().eq([6, 7, 8, 9]));
    assert_eq!(history.get(7).unwrap().as_pool().len(), 7);
    let error = history.rollback_to(5, &mut slots).unwrap_err();
    assert_eq!(error, RollbackError::NotSaved { frame: 5, saved: Some((6, 9)) });
    assert_eq!(error.to_string(), "frame 5 is not saved: the oldest is 6, the newest 9");

    history.rollback_to(7, &mut slots).unwrap();
    assert_eq!(slots.len(), 7);
    history.save(7, &slots).unwrap();
    assert!(history.frames().eq([6, 7]));
    // Not every frame has to be saved.
    for frame in [20, 30, 40, 50] {
        history.save(frame, &slots).unwrap();
    }
    assert!(history.frames().eq([20, 30, 40, 50]));
    history.save(1, &slots).unwrap();
    assert!(history.frames().eq([1]));
    history.clear();
    assert_eq!(history.frames().len(), 0);

    let other = HandleAllocator::new(99);
    let error = history.save(3, &other).unwrap_err();
    assert_eq!(error, SnapshotError::OtherCapacity { pool: 99, snapshot: 100 });

    let mut none = History::new(0, &slots.snapshot());
    none.save(1, &slots).unwrap();
    assert_eq!((none.capacity(), none.get(1).is_none()), (0, true));
}

#[test]
fn a_difference_says_which_slot_and_how() {
    let mut pool = Pool::builder().capacity(6).lifetimes(2).build();
    let handles: Vec<Handle<i32>> = (0..4).map(|i| pool.insert(i).unwrap()).collect();
    let left = pool.snapshot();
    assert_eq!(left.diff(&left).count(), 0);

    pool[handles[0]] = 10;
    pool.remove(handles[1]);
    pool.remove(handles[2]);
    let again = pool.insert(12).unwrap();
    pool.remove(again);
    let right = pool.snapshot();
    let found: Vec<_> = left.diff(&right).collect();
    let slot = |index, left, right| Difference::Slot { index, left, right };
    let next = Handle::from_parts(1, 2).unwrap();
    assert_eq!(
        found,
        [
            Difference::Value { index: 0, handle: Some(handles[0]) },
            slot(1, SlotState::Live(handles[1]), SlotState::Vacant(next)),
            slot(2, SlotState::Live(handles[2]), SlotState::Retired),
            Difference::Order { position: 0, left: Some(4), right: Some(1) },
        ]
    );
    assert_eq!(found[2].to_string(), "slot 2: left 2v1 is live, right has retired");
    assert_eq!(found[3].to_string(), "order, place 0: left slot 4, right slot 1");

    let other = Pool::<i32>::new(7).snapshot();
    assert!(left.diff(&other).eq([Difference::Pool]));
    assert_eq!(
        Difference::<Handle<()>>::Pool.to_string(),
        "the pools differ in capacity, lifetimes or policy"
    );
}

/// Orders that differ anywhere, at any length.
#[test]
fn a_difference_of_orders_is_told_at_its_place() {
    let released = |order: &[u32]| {
        let mut slots = HandleAllocator::new(6);
        let handles: Vec<_> = (0..6).map(|_| slots.acquire().unwrap()).collect();
        order.iter().for_each(|&index| assert!(slots.release(handles[index as usize])));
        slots.snapshot()
    };
    let order = |left: &[u32], right: &[u32]| {
        let (left, right) = (released(left), released(right));
        left.diff_with(&right, |(), _| {}).last()
    };
    // Handed out from the right.
    assert_eq!(order(&[3, 2, 1, 0], &[3, 2, 1, 0]), None);
    let at = |position, left, right| Some(Difference::Order { position, left, right });
    assert_eq!(order(&[3, 2, 1, 0], &[2, 3, 1, 0]), at(2, Some(2), Some(3)));
    assert_eq!(order(&[5, 2, 1, 0], &[3, 2, 1, 0]), at(3, Some(5), Some(3)));
    assert_eq!(order(&[2, 1, 0], &[3, 2, 1, 0]), at(3, None, Some(3)));
    assert_eq!(order(&[5, 3, 2, 1, 0], &[3, 2, 1, 0]), at(4, Some(5), None));
}

/// Of pools whose order remembers nothing: the slots alone make the sum.
#[test]
fn a_checksum_sees_which_slot_and_in_which_lifetime_whether_live_or_dead() {
    use millpond::reuse::LowestFirst;
    let new = || Pool::<u64, LowestFirst>::with_capacity(10);
    let with = |claims: &[(u32, u32)], is_removed: bool| {
        let mut pool = new();
        for &(index, generation) in claims {
            let handle = Handle::from_parts(index, generation).unwrap();
            pool.insert_at(handle, 5).unwrap();
            if is_removed {
                pool.remove(handle);
            }
        }
        pool.checksum()
    };
    let sums = [
        new().checksum(),
        with(&[(3, 1)], false),
        with(&[(4, 1)], false),
        with(&[(3, 2)], false),
        with(&[(3, 1), (4, 1)], false),
        with(&[(3, 1)], true),
        with(&[(4, 1)], true),
        with(&[(3, 2)], true),
        with(&[(3, 1), (4, 1)], true),
    ];
    for (at, sum) in sums.iter().enumerate() {
        assert!(!sums[..at].contains(sum), "{at}");
    }
    // What only the statistics know is not part of it, and it takes no memory.
    let mut pool = new();
    let ((), allocations) = during(|| {
        _ = pool.vacant_entry().map(|entry| entry.handle());
        (0..10).for_each(|_| _ = pool.insert(5).unwrap());
        let sum = pool.checksum();
        assert!(pool.insert(5).is_err() && pool.vacant_entry().is_none());
        assert_eq!((pool.stats().refused, pool.checksum()), (2, sum));
    });
    assert_eq!(allocations, Allocations::default());
    // A slot that is as it was at the beginning is as if never used.
    let builder = || Pool::<u64>::builder().reuse(LowestFirst).capacity(10);
    let mut pool = builder().lifetimes(2).wrap().build();
    let sum_of_new = pool.checksum();
    for sum_is_of_new in [false, true, false, true] {
        let handle = pool.insert(5).unwrap();
        pool.remove(handle);
        assert_eq!(pool.checksum() == sum_of_new, sum_is_of_new);
    }
}

/// A recycler's objects count whether they are live or dead, and so does which they are.
#[test]
fn a_checksum_of_a_recycler_sees_dead_objects() {
    let mut pool = Recycler::<u64>::new(3);
    let mut sums = vec![pool.checksum()];
    let (handle, value) = pool.acquire().unwrap();
    *value = 7;
    sums.push(pool.checksum());
    pool.release(handle);
    sums.push(pool.checksum());
    pool.as_mut_slice()[0] = 8;
    sums.push(pool.checksum());
    pool.as_mut_slice().swap(0, 2);
    sums.push(pool.checksum());
    for (at, sum) in sums.iter().enumerate() {
        assert!(!sums[..at].contains(sum), "{at}");
    }
}

#[test]
fn a_snapshot_has_the_sum_of_its_pool_by_any_function() {
    let pool: Pool<u32> = (0..9).collect();
    let twice = |value: &u32, sum: &mut Checksum| sum.add(&(2 * value));
    let snapshot = pool.snapshot();
    assert_eq!(snapshot.checksum_with(twice), pool.checksum_with(twice));
    assert_ne!(snapshot.checksum_with(twice), snapshot.checksum());
}

/// An order with entries that do not count is the order without them.
#[test]
fn a_checksum_does_not_see_what_claims_have_left_in_a_stack() {
    let four = || {
        let mut slots = HandleAllocator::new(6);
        let handles: Vec<_> = (0..4).map(|_| slots.acquire().unwrap()).collect();
        (slots, handles)
    };
    let next =
        |handle: Handle<()>| Handle::from_parts(handle.index(), handle.generation() + 1).unwrap();
    let (mut claimed, handles) = four();
    claimed.release(handles[1]);
    claimed.release(handles[2]);
    claimed.acquire_at(next(handles[1])).unwrap(); // below slot 2 in the stack
    claimed.release(next(handles[1]));

    let (mut plain, handles) = four();
    plain.release(handles[1]);
    let again = plain.acquire().unwrap();
    plain.release(handles[2]);
    plain.release(again);
    assert_eq!(claimed.checksum(), plain.checksum());
    assert_eq!(claimed.snapshot().diff_with(&plain.snapshot(), |(), _| {}).next(), None);
    assert_eq!(claimed.snapshot().checksum(), plain.checksum());
    let rest = |mut slots: HandleAllocator| {
        std::iter::from_fn(move || slots.acquire()).collect::<Vec<_>>()
    };
    assert_eq!(rest(claimed), rest(plain));

    // A slot that was never used, claimed and freed: it comes first now, and not again among the others.
    let mut slots = HandleAllocator::new(4);
    let sum_of_new = slots.checksum();
    let claim = Handle::from_parts(2, 1).unwrap();
    slots.acquire_at(claim).unwrap();
    slots.release(claim);
    let snapshot = slots.snapshot();
    assert_ne!(slots.checksum(), sum_of_new);
    let mut twin = HandleAllocator::new(4);
    twin.acquire_at(claim).unwrap();
    twin.release(claim);
    assert_eq!(snapshot.checksum(), twin.checksum());
    assert_eq!(rest(twin).iter().map(|h| h.index()).collect::<Vec<_>>(), [2, 0, 1, 3]);
}

#[test]
fn after_a_clone_that_panicked_in_a_history_all_can_go_back_once_more() {
    // The values of the first pool are 0 to 3, those of the other 10 to 13.
    for victim in [0, 3, 10, 13, 20] {
        let ledger = Ledger::default();
        let (mut ships, mut holes) = (Pool::new(8), PackedPool::new(8));
        let like = (ships.snapshot_cloned(), holes.snapshot_cloned());
        let mut history = History::new(2, &like);
        let sums = |ships: &Pool<Counted>, holes: &PackedPool<Counted>| {
            (ships.checksum(), holes.checksum())
        };
        for frame in 0..3 {
            for value in 2 * frame..2 * frame + 2 {
                ships.insert(ledger.value(value)).unwrap();
                holes.insert(ledger.value(10 + value)).unwrap();
            }
            history.save(frame, (&ships, &holes)).unwrap();
        }
        history.rollback_to(1, (&mut ships, &mut holes)).unwrap();
        let before = sums(&ships, &holes);
        ships.clear();
        holes.clear();
        ledger.panic_in_clone_of(victim);
        let panicked = panics(|| history.rollback_to(1, (&mut ships, &mut holes)).unwrap());
        assert_eq!(panicked, victim < 20);
        ledger.panic_in_clone_of(None);
        ships.validate().unwrap();
        holes.validate().unwrap();
        history.rollback_to(1, (&mut ships, &mut holes)).unwrap();
        assert_eq!(sums(&ships, &holes), before);
        ledger.panic_in_clone_of(victim);
        assert_eq!(panics(|| history.save(2, (&ships, &holes)).unwrap()), panicked);
        ledger.panic_in_clone_of(None);
        assert!(history.frames().eq([1, 2].into_iter().take(2 - usize::from(panicked))));
        history.save(2, (&ships, &holes)).unwrap();
        history.rollback_to(2, (&mut ships, &mut holes)).unwrap();
        assert_eq!(sums(&ships, &holes), before);
        // If one of them does not fit, none is touched.
        let mut other = PackedPool::new(5);
        let error = history.rollback_to(1, (&mut ships, &mut other)).unwrap_err();
        assert!(matches!(error, RollbackError::Snapshot(_)));
        assert!(history.save(3, (&ships, &other)).is_err() && history.frames().eq([1, 2]));
        assert_eq!(sums(&ships, &holes), before);
    }
}

/// What restores a snapshot can be called without one.
#[test]
fn the_state_of_a_pool_of_another_shape_is_not_taken_on() {
    fn refuses<P: State<Value: Clone>>(mut pool: P, other: P) -> P {
        let taken = catch_unwind(AssertUnwindSafe(|| pool.clone_state_from(&other)));
        assert!(taken.is_err());
        pool
    }
    let [mut pool, small] = [8, 4].map(Pool::new);
    let [mut packed, small_packed] = [8, 4].map(PackedPool::new);
    for value in 0..8 {
        pool.insert(value).unwrap();
        packed.insert(value).unwrap();
    }
    let (pool, packed) = (refuses(pool, small), refuses(packed, small_packed));
    pool.validate().unwrap();
    packed.validate().unwrap();
    assert!(pool.values().copied().eq(0..8) && packed.values().copied().eq(0..8));
    let [recycler, small] = [8, 4].map(Recycler::<u8>::new);
    refuses(recycler, small).validate().unwrap();
}
