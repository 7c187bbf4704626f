//! Snapshots: what each type and each method promises of its own. (That a pool which goes back does what it
//! did, for every pool, order and kind of value: `tests/families/save_and_load.rs`.)

use std::panic::catch_unwind;

use crate::allocations::{Allocations, during};
use crate::common;
use crate::common::{Random, in_every_order};
use millpond::overflow::{Overflow, PolicyPool, Spill};
use millpond::reuse::ReuseOrder;
use millpond::snapshot::{Difference, History, RollbackError, SlotState, SnapshotError};
use millpond::{
    BlockPool, Handle, HandleAllocator, PackedPool, Pool, Recycler, Refusal, SideTable, StaticPool,
};

#[test]
fn a_history_too_large_for_memory_panics() {
    let snapshot = HandleAllocator::new(1).snapshot();
    for frames in [1 << 40, usize::MAX / 256, usize::MAX] {
        let made = catch_unwind(|| History::new(frames, &snapshot).capacity());
        assert!(made.is_err(), "{frames}");
    }
}

#[test]
fn a_checksum_takes_no_memory() {
    fn check<R: millpond::reuse::ReuseOrder>() {
        let mut pool = Pool::<u64, R>::with_capacity(300);
        let handles: Vec<_> = (0..200).map(|i| pool.insert(i).unwrap()).collect();
        handles.iter().step_by(3).for_each(|handle| _ = pool.remove(*handle));
        let (_, allocations) = during(|| pool.checksum());
        assert_eq!(allocations, Allocations::default());
    }
    common::in_every_order!(check());
}

#[test]
fn a_handle_issued_later_is_refused_until_the_same_inputs_issue_it_again() {
    let mut pool = Pool::new(8);
    let old = pool.insert("old").unwrap();
    let snapshot = pool.snapshot();
    let new = pool.insert("new").unwrap();
    pool.remove(old);
    pool.restore(&snapshot).unwrap();
    assert!(pool.contains(old) && !pool.contains(new));
    assert_eq!(pool.insert("new").unwrap(), new);
    assert_eq!(pool[new], "new");
}

#[test]
fn what_does_not_match_is_refused_and_nothing_happens() {
    let build = |capacity, name| Pool::<u64>::builder().capacity(capacity).name(name).build();
    let mut pool = build(8, "bullets");
    let handle = pool.insert(1).unwrap();
    let sum = pool.checksum();

    let larger = build(9, "bullets").snapshot();
    let error = pool.restore(&larger).unwrap_err();
    assert_eq!(error, SnapshotError::OtherCapacity { pool: 8, snapshot: 9 });
    let mut other = build(8, "rockets").snapshot();
    assert_eq!(pool.restore(&other), Err(SnapshotError::OtherLifetimes));
    assert_eq!(pool.save_into(&mut other), Err(SnapshotError::OtherLifetimes));
    assert!(other.as_pool().is_empty());
    let limited = Pool::builder().capacity(8).name("bullets").lifetimes(5).build().snapshot();
    assert_eq!(pool.restore(&limited), Err(SnapshotError::OtherLifetimes));
    let wrapping = Pool::builder().capacity(8).name("bullets").wrap().build().snapshot();
    assert_eq!(pool.restore(&wrapping), Err(SnapshotError::OtherLifetimes));
    assert_eq!((pool.checksum(), pool[handle]), (sum, 1));

    // A twin of it, on another machine say, may.
    let mut twin = build(8, "bullets");
    twin.restore(&pool.snapshot()).unwrap();
    assert_eq!((twin.checksum(), twin[handle]), (sum, 1));
    assert_eq!(twin.name(), Some("bullets"));
}

#[test]
fn a_snapshot_that_is_refused_says_why() {
    for (error, told) in [
        (
            SnapshotError::OtherCapacity { pool: 8, snapshot: 9 },
            "the snapshot has 9 slots, the pool 8",
        ),
        (SnapshotError::OtherBlocks, "the snapshot is of a pool with larger or smaller blocks"),
        (
            SnapshotError::OtherLifetimes,
            "the snapshot is of a pool whose generations run differently: another name, salt, limit of \
             lifetimes, or wrapping",
        ),
        (
            SnapshotError::Incomplete,
            "the snapshot is empty: a value's clone panicked while it was taken",
        ),
    ] {
        assert_eq!(error.to_string(), told);
    }
}

/// Values that are copied and values that are cloned come back alike.
#[test]
fn a_side_table_goes_back_by_copy_as_by_clone() {
    let mut random = Random(5);
    let mut copied = SideTable::<Handle<u64>, u64>::with_capacity(150);
    let mut cloned = SideTable::<Handle<u64>, Box<u64>>::with_capacity(150);
    let (mut copies, mut clones) = (copied.snapshot(), cloned.snapshot_cloned());
    for step in 0..400 {
        let handle = Handle::from_parts(random.below(150) as u32, 1 + random.below(3) as u32);
        let handle = handle.unwrap();
        match random.below(10) {
            0..6 => {
                let both = (copied.insert(handle, step), cloned.insert(handle, Box::new(step)));
                assert_eq!(both.0.is_ok(), both.1.is_ok());
            }
            6 => assert_eq!(copied.remove(handle), cloned.remove(handle).map(|value| *value)),
            7 => {
                copied.save_into(&mut copies).unwrap();
                cloned.save_into(&mut clones).unwrap();
            }
            8 if step % 50 == 0 => (copied.clear(), cloned.clear()).0,
            _ => {
                copied.restore(&copies).unwrap();
                cloned.restore(&clones).unwrap();
                copied.validate().unwrap();
            }
        }
        assert!(
            copied.iter().map(|(h, value)| (h, *value)).eq(cloned.iter().map(|(h, v)| (h, **v)))
        );
        assert_eq!(copied.checksum(), cloned.checksum());
    }
    assert!(copied.len() > 20);
}

#[test]
fn a_block_pool_has_the_blocks_that_it_had() {
    let mut pool = BlockPool::<u64>::with_blocks(4, 10);
    let handles: Vec<_> = (0..12).map(|i| pool.insert(i).unwrap()).collect();
    let large = pool.snapshot();
    handles[4..].iter().for_each(|handle| _ = pool.remove(*handle));
    pool.shrink_to_fit();
    let small = pool.snapshot();
    assert_eq!((large.as_pool().capacity(), pool.capacity()), (12, 4));

    let before = &handles[7];
    pool.restore(&large).unwrap();
    pool.validate().unwrap();
    assert_eq!((pool.capacity(), pool.len(), pool.get(*before)), (12, 12, Some(&7)));
    // Between states of the same blocks, nothing is taken.
    pool.remove(handles[5]);
    let ((), allocations) = during(|| pool.restore(&large).unwrap());
    assert_eq!(allocations, Allocations::default());
    pool.restore(&small).unwrap();
    pool.validate().unwrap();
    assert_eq!((pool.capacity(), pool.len(), pool.get(*before)), (4, 4, None));
    assert_eq!(pool.insert(20).unwrap().generation(), 2);

    let other = BlockPool::<u64>::with_blocks(8, 5).snapshot();
    assert_eq!(pool.restore(&other), Err(SnapshotError::OtherBlocks));
}

/// A pool that never had a block, as its past: what is kept beside the values is there, and of no slots.
fn goes_back_to_no_blocks<R: ReuseOrder>() {
    let mut pool = BlockPool::<u64>::builder().reuse(R::default()).slots_per_block(4).build();
    let past = pool.snapshot();
    pool.extend(0..100);
    pool.restore(&past).unwrap();
    pool.validate().unwrap();
    assert_eq!((pool.capacity(), pool.iter().next()), (0, None));
    pool.extend(0..100);
    pool.validate().unwrap();
    assert_eq!(pool.len(), 100);
}

#[test]
fn a_block_pool_goes_back_to_no_blocks_in_every_order() {
    in_every_order!(goes_back_to_no_blocks());
}

/// Slots far behind those that were in use: one was claimed by its handle, or went there when its
/// generations were used up. A pool of the same kind becomes the same by a snapshot, and goes on alike.
macro_rules! far_slots_go_with_the_state {
    ($($test:ident: $pool:expr;)*) => {$(
        #[test]
        fn $test() {
            for (claims, retires) in [(true, false), (false, true), (true, true)] {
                let (mut pool, mut twin) = ($pool, $pool);
                let claimed = Handle::from_parts(7, 2).unwrap();
                if claims {
                    pool.insert_at(claimed, 70).unwrap();
                }
                let mut gone = Vec::new();
                for _ in 0..if retires { 2 } else { 0 } {
                    gone.push(pool.insert(1).unwrap());
                    pool.remove(gone[gone.len() - 1]);
                }
                assert_eq!(pool.stats().retired, usize::from(retires));
                let snapshot = pool.snapshot();
                twin.restore(&snapshot).unwrap();
                twin.validate().unwrap();
                assert_eq!(twin.get(claimed), claims.then_some(&70));
                assert!(gone.iter().all(|handle| twin.check(*handle) == Err(Refusal::Stale)));
                assert_eq!(snapshot.diff(&twin.snapshot()).next(), None);
                assert_eq!((twin.stats(), twin.is_full()), (pool.stats(), false));
                while let Ok(handle) = pool.insert(2) {
                    assert_eq!(twin.insert(2).unwrap(), handle);
                }
                assert!(twin.insert(2).is_err() && twin.iter().eq(pool.iter()));
                // And back, in one that has used all of its slots.
                pool.restore(&snapshot).unwrap();
                pool.validate().unwrap();
                assert_eq!(snapshot.diff(&pool.snapshot()).next(), None);
            }
        }
    )*};
}

far_slots_go_with_the_state! {
    far_slots_of_a_pool: Pool::<i32>::builder().capacity(10).lifetimes(2).build();
    far_slots_of_a_packed_pool: PackedPool::<i32>::builder().capacity(10).lifetimes(2).build();
    far_slots_of_a_static_pool: StaticPool::<i32, 10>::builder().lifetimes(2).build();
    far_slots_of_a_block_pool:
        BlockPool::<i32>::builder().slots_per_block(2).max_blocks(5).lifetimes(2).build();
}

#[test]
fn the_objects_of_a_recycler_are_what_they_were_dead_or_alive() {
    let mut recycler = Recycler::from_fn(4, |index| index);
    let (first, _) = recycler.acquire().unwrap();
    let (second, _) = recycler.acquire().unwrap();
    recycler.release(first);
    let snapshot = recycler.snapshot();
    recycler.as_mut_slice().fill(9);
    recycler.release(second);
    recycler.restore(&snapshot).unwrap();
    recycler.validate().unwrap();
    assert_eq!(recycler.as_slice(), [0, 1, 2, 3]);
    assert!(recycler.contains(second) && !recycler.contains(first));
}

#[test]
fn a_block_that_was_given_back_has_the_generations_that_it_had() {
    let mut pool = BlockPool::<u64>::with_blocks(2, 2);
    let come_and_go = |pool: &mut BlockPool<u64>| {
        let handle = pool.insert(1).unwrap();
        pool.remove(handle);
        pool.shrink_to_fit();
        handle.generation()
    };
    assert_eq!(come_and_go(&mut pool), 1);
    let snapshot = pool.snapshot();
    assert_eq!((come_and_go(&mut pool), come_and_go(&mut pool)), (2, 3));
    pool.restore(&snapshot).unwrap();
    pool.validate().unwrap();
    assert_eq!((pool.capacity(), come_and_go(&mut pool)), (0, 2));
}

#[test]
fn a_pool_keeps_its_name_and_its_hook() {
    let mut released =
        Recycler::builder().capacity(2).on_release(|value: &mut u8| *value = 9).build();
    let (handle, _) = released.acquire().unwrap();
    let snapshot = released.snapshot();
    released.restore(&snapshot).unwrap();
    released.release(handle);
    assert_eq!(released.as_slice(), [9, 0]);
}

#[test]
fn zero_sized_and_large_values() {
    let mut units = Pool::<()>::new(100);
    let handle = units.insert(()).unwrap();
    let snapshot = units.snapshot();
    units.clear();
    units.restore(&snapshot).unwrap();
    assert!(units.contains(handle));

    #[derive(Clone, Copy)]
    #[repr(align(4096))]
    struct Page([u8; 4096]);
    let mut pages = Pool::new(3);
    let handle = pages.insert(Page([7; 4096])).unwrap();
    let snapshot = pages.snapshot();
    pages[handle].0[4095] = 0;
    pages.restore(&snapshot).unwrap();
    assert_eq!(pages[handle].0[4095], 7);
}

mod clones {
    //! Values that are cloned, counted, and may refuse to be.

    use super::common::{Counted, Ledger, panics};
    use super::*;
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    thread_local! {
        /// How many clones or drops of [`Fragile`] there are until one panics.
        static UNTIL_PANIC: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    fn count_down() {
        let left = UNTIL_PANIC.get();
        UNTIL_PANIC.set(left.wrapping_sub(1));
        if left == 0 {
            UNTIL_PANIC.set(usize::MAX);
            panic!("as asked");
        }
    }

    struct Fragile(Counted);

    impl Clone for Fragile {
        fn clone(&self) -> Self {
            count_down();
            Self(self.0.clone())
        }
    }

    impl Drop for Fragile {
        fn drop(&mut self) {
            count_down();
        }
    }

    /// Panics at each possible place of a restore and of a save. The pool that was written is empty then,
    /// sound and of use; nothing is dropped twice, and nothing leaks.
    macro_rules! survives_panics {
        ($make:expr, $insert:expr, $remove:expr) => {{
            for broken_save in [false, true] {
                // Slots that retire stand in the order in which they were used up: in either.
                let removals = [[7, 2, 1], [1, 1, 5]].into_iter();
                for (removed, until_panic) in removals.flat_map(|at| (0..40).map(move |n| (at, n)))
                {
                    let ledger = Ledger::default();
                    let mut pool = $make;
                    for id in 0..10 {
                        $insert(&mut pool, Fragile(ledger.value(id)));
                    }
                    let mut snapshot = pool.snapshot_cloned();
                    for nth in removed {
                        $remove(&mut pool, nth);
                    }
                    $insert(&mut pool, Fragile(ledger.value(20)));
                    let saved_sum = pool.checksum_with(|value, sum| sum.add(&value.0.id()));

                    UNTIL_PANIC.set(until_panic);
                    let result = catch_unwind(AssertUnwindSafe(|| {
                        if broken_save {
                            pool.save_into(&mut snapshot).unwrap();
                        } else {
                            pool.restore(&snapshot).unwrap();
                        }
                    }));
                    UNTIL_PANIC.set(usize::MAX);
                    pool.validate().unwrap();
                    snapshot.as_pool().validate().unwrap();
                    if result.is_err() && broken_save {
                        assert!(snapshot.as_pool().is_empty());
                        assert_eq!(pool.restore(&snapshot), Err(SnapshotError::Incomplete));
                        let sum = pool.checksum_with(|value, sum| sum.add(&value.0.id()));
                        assert_eq!(sum, saved_sum);
                        pool.save_into(&mut snapshot).unwrap();
                    } else if result.is_err() {
                        assert!(pool.is_empty());
                        pool.restore(&snapshot).unwrap();
                    }
                    assert_eq!(pool.len(), snapshot.as_pool().len());
                    pool.validate().unwrap();
                    assert_eq!(
                        pool.checksum_with(|value, sum| sum.add(&value.0.id())),
                        snapshot.checksum_with(|value, sum| sum.add(&value.0.id())),
                    );
                    drop(pool);
                    drop(snapshot);
                    assert_eq!(ledger.alive(), 0, "after {until_panic}");
                }
            }
        }};
    }

    /// Slots that last, and slots that retire: those that were to live again once retired twice, and the second panic
    /// ended the program.
    const LIFETIMES: [u32; 2] = [u32::MAX, 1];

    fn pool<R: millpond::reuse::ReuseOrder>() {
        let builder = Pool::<Fragile>::builder().reuse(R::default()).capacity(12);
        for lifetimes in LIFETIMES {
            survives_panics!(
                builder.clone().lifetimes(lifetimes).build(),
                |pool: &mut Pool<Fragile, R>, value| drop(pool.insert(value)),
                |pool: &mut Pool<Fragile, R>, nth| {
                    let handle = pool.handles().nth(nth).unwrap();
                    drop(pool.remove(handle));
                }
            );
        }
    }

    #[test]
    fn a_panicking_clone_or_drop_leaves_pools_valid() {
        common::in_every_order!(pool());
    }

    #[test]
    fn a_panicking_clone_or_drop_leaves_block_pools_valid() {
        survives_panics!(
            BlockPool::<Fragile>::with_blocks(4, 4),
            |pool: &mut BlockPool<Fragile>, value| drop(pool.insert(value)),
            |pool: &mut BlockPool<Fragile>, nth| {
                let handle = pool.handles().nth(nth).unwrap();
                drop(pool.remove(handle));
                pool.shrink_to_fit();
            }
        );
    }

    #[test]
    fn a_panicking_clone_or_drop_leaves_packed_pools_valid() {
        survives_panics!(
            PackedPool::<Fragile>::new(12),
            |pool: &mut PackedPool<Fragile>, value| drop(pool.insert(value)),
            |pool: &mut PackedPool<Fragile>, nth| {
                let handle = pool.handles().nth(nth).unwrap();
                drop(pool.remove(handle));
            }
        );
    }

    #[test]
    fn a_panicking_clone_or_drop_leaves_static_pools_valid() {
        for lifetimes in LIFETIMES {
            survives_panics!(
                StaticPool::<Fragile, 12>::builder().lifetimes(lifetimes).build(),
                |pool: &mut StaticPool<Fragile, 12>, value| drop(pool.insert(value)),
                |pool: &mut StaticPool<Fragile, 12>, nth| {
                    let handle = pool.handles().nth(nth).unwrap();
                    drop(pool.remove(handle));
                }
            );
        }
    }

    /// What has come back before the panic lives and dies like any object: no slot is used up by it.
    #[test]
    fn a_panicking_clone_uses_up_no_slot() {
        macro_rules! uses_up_no_slot {
            ($pool:expr) => {
                let ledger = Ledger::default();
                let mut pool = $pool;
                let handles: Vec<_> =
                    (0..6).map(|id| pool.insert(ledger.value(id)).unwrap()).collect();
                let snapshot = pool.snapshot_cloned();
                let mut pool = $pool;
                ledger.panic_in_clone_of(4);
                assert!(panics(|| pool.restore(&snapshot).unwrap()));
                ledger.panic_in_clone_of(None);
                pool.validate().unwrap();
                let stats = pool.stats();
                assert_eq!((stats.live, stats.retired, stats.refused), (0, 0, 0));
                assert!(handles.iter().all(|handle| !pool.contains(*handle)));
                let room = std::iter::repeat_with(|| pool.insert(ledger.value(9)));
                assert_eq!(room.take_while(Result::is_ok).count(), 8);
            };
        }
        uses_up_no_slot!(Pool::new(8));
        uses_up_no_slot!(PackedPool::new(8));
        uses_up_no_slot!(StaticPool::<Counted, 8>::new());
        uses_up_no_slot!(BlockPool::with_blocks(4, 2));
    }

    #[test]
    fn a_panicking_clone_or_drop_leaves_side_tables_valid() {
        survives_panics!(
            SideTable::<Handle<u64>, Fragile>::with_capacity(30),
            |table: &mut SideTable<Handle<u64>, Fragile>, value: Fragile| {
                let handle = Handle::from_parts(value.0.id() as u32, 1).unwrap();
                drop(table.insert(handle, value));
            },
            |table: &mut SideTable<Handle<u64>, Fragile>, nth| {
                let handle = table.iter().nth(nth).unwrap().0;
                drop(table.remove(handle));
            }
        );
    }

    #[test]
    fn a_panicking_clone_leaves_recyclers_valid() {
        let ledger = Ledger::default();
        let mut recycler = Recycler::from_fn(5, |index| Fragile(ledger.value(index as u64)));
        let handle = recycler.acquire().unwrap().0;
        let snapshot = recycler.snapshot_cloned();
        for until_panic in 0..5 {
            UNTIL_PANIC.set(until_panic * 2); // a clone, and a drop of what it replaces
            let restored = catch_unwind(AssertUnwindSafe(|| recycler.restore(&snapshot).unwrap()));
            UNTIL_PANIC.set(usize::MAX);
            assert!(restored.is_err());
            recycler.validate().unwrap();
            assert!(recycler.is_empty());
            recycler.restore(&snapshot).unwrap();
            assert!(recycler.contains(handle));
        }
        drop((recycler, snapshot));
        assert_eq!(ledger.alive(), 0);
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
}

#[test]
fn history_keeps_the_last_frames_and_forgets_an_abandoned_future() {
    let mut slots = HandleAllocator::new(100);
    let mut history = History::new(4, &slots.snapshot());
    let error = history.rollback_to(0, &mut slots).unwrap_err();
    assert_eq!(error.to_string(), "frame 0 is not saved: none is");
    for frame in 0..10 {
        history.save(frame, &slots).unwrap();
        let _ = slots.acquire();
    }
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
fn a_history_takes_its_memory_at_the_beginning() {
    let mut pool = Pool::<[f32; 4]>::new(1000);
    let mut history = History::new(9, &pool.snapshot());
    let ((), allocations) = during(|| {
        for frame in 0..100 {
            history.save(frame, &pool).unwrap();
            for at in 0..20 {
                let _ = pool.insert([at as f32; 4]);
            }
            if frame % 10 == 9 {
                history.rollback_to(frame - 5, &mut pool).unwrap();
            }
        }
    });
    assert_eq!(allocations, Allocations::default());
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
    assert_eq!(found[2].to_string(), "slot 2: left 2v1 is live, right is dead for ever");
    assert_eq!(found[3].to_string(), "order, place 0: left slot 4, right slot 1");

    let other = Pool::<i32>::new(7).snapshot();
    assert!(left.diff(&other).eq([Difference::Pool]));
    assert_eq!(
        Difference::<Handle<()>>::Pool.to_string(),
        "the pools differ in capacity, block sizes, lifetimes or policy"
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

#[test]
fn a_checksum_sees_every_part_of_the_state() {
    let base = || {
        let mut pool = Pool::<u64>::new(10);
        let handles: Vec<_> = (0..5).map(|i| pool.insert(i).unwrap()).collect();
        (pool, handles)
    };
    type Change<'a> = &'a dyn Fn(&mut Pool<u64>, &[Handle<u64>]);
    let sum = |change: Change<'_>| {
        let (mut pool, handles) = base();
        change(&mut pool, &handles);
        pool.checksum()
    };
    let sums = [
        sum(&|_, _| {}),
        sum(&|pool, handles| pool[handles[0]] = 9),
        sum(&|pool, handles| _ = pool.remove(handles[0])),
        sum(&|pool, handles| _ = pool.remove(handles[4])),
        // The same slots are live with the same values: a generation differs.
        sum(&|pool, handles| {
            pool.remove(handles[4]);
            pool.insert(4).unwrap();
        }),
        // The order differs.
        sum(&|pool, handles| [0, 1].into_iter().for_each(|i| _ = pool.remove(handles[i]))),
        sum(&|pool, handles| [1, 0].into_iter().for_each(|i| _ = pool.remove(handles[i]))),
        Pool::<u64>::new(10).checksum(),
        Pool::<u64>::new(11).checksum(),
        Pool::<u64>::builder().capacity(10).name("other").build().checksum(),
    ];
    for (at, sum) in sums.iter().enumerate() {
        assert!(!sums[..at].contains(sum), "{at}");
    }
    // What only the statistics know is not part of it.
    let mut full = Pool::<u64>::new(0);
    let sum_before = full.checksum();
    assert!(full.insert(1).is_err());
    assert_eq!((full.stats().refused, full.checksum()), (1, sum_before));
    let (mut pool, _) = base();
    let _ = pool.vacant_entry();
    assert_eq!(pool.checksum(), sums[0]);
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

/// A list has a link from the first slot that was never used to the one that was freed last.
#[test]
fn links_lead_both_ways_after_a_restore() {
    fn check<T: Copy, R: millpond::reuse::ReuseOrder>(value: T) {
        let mut pool = Pool::<T, R>::with_capacity(100);
        let handles: Vec<_> = (0..5).map(|_| pool.insert(value).unwrap()).collect();
        pool.remove(handles[3]);
        let snapshot = pool.snapshot();
        pool.insert(value).unwrap();
        pool.restore(&snapshot).unwrap();
        pool.validate().unwrap();
    }
    fn each<R: millpond::reuse::ReuseOrder>() {
        check::<u32, R>(1);
        check::<[u64; 3], R>([1; 3]);
    }
    common::in_every_order!(each());
}

#[test]
fn the_live_slots_are_known_after_a_restore_whatever_was_walked_before() {
    fn check<R: millpond::reuse::ReuseOrder>() {
        let mut pool = Pool::<u64, R>::with_capacity(100);
        let handles: Vec<_> = (0..80).map(|i| pool.insert(i).unwrap()).collect();
        let snapshot = pool.snapshot();
        handles[10..].iter().for_each(|handle| _ = pool.remove(*handle));
        assert_eq!(pool.values_mut().count(), 10);
        pool.restore(&snapshot).unwrap();
        pool.validate().unwrap();
        assert_eq!((pool.values().count(), pool.values_mut().count()), (80, 80));
    }
    common::in_every_order!(check());
}

/// Loading the objects one by one, in any order, comes to the same state as far as it is known from them.
#[test]
fn objects_loaded_one_by_one_in_any_order_come_to_the_same_state() {
    fn check<R: millpond::reuse::ReuseOrder>() {
        let mut original = Pool::<u64, R>::with_capacity(100);
        for value in 0..60 {
            original.insert(value).unwrap();
        }
        let mut saved: Vec<_> = original.iter().map(|(handle, value)| (handle, *value)).collect();
        let whole = original.snapshot();
        let mut random = Random(3);
        for _ in 0..20 {
            for at in (1..saved.len()).rev() {
                saved.swap(at, random.below(at + 1));
            }
            let mut loaded = Pool::<u64, R>::with_capacity(100);
            for &(handle, value) in &saved {
                loaded.insert_at(handle, value).unwrap();
            }
            loaded.validate().unwrap();
            assert!(loaded.iter().eq(original.iter()));
            let differences: Vec<_> = whole.diff(&loaded.snapshot()).collect();
            match R::NAME {
                // Its order says in which order the live objects came, and the cursor was not moved.
                "Roster" | "NextFit" => {
                    assert!(differences.iter().all(|d| matches!(d, Difference::Order { .. })));
                }
                _ => assert_eq!(differences, []),
            }
        }
    }
    common::in_every_order!(check());
}

/// Debug aids look after the pool, not after its past.
#[test]
fn a_watched_pool_is_restored_with_its_dead_slots_as_they_should_be() {
    use millpond::debug::DebugAids;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static REPORTS: AtomicUsize = AtomicUsize::new(0);
    let aids = DebugAids::all().report_on_drop(|_| _ = REPORTS.fetch_add(1, Ordering::Relaxed));
    let mut pool = Pool::<[u64; 3]>::builder().capacity(10).debug_aids(aids).build();
    let handles: Vec<_> = (0..6).map(|i| pool.insert([i; 3]).unwrap()).collect();
    pool.remove(handles[2]);
    // Of a pool that is not watched: its dead slots hold anything.
    let mut plain = Pool::<[u64; 3]>::new(10);
    plain.restore(&pool.snapshot()).unwrap();
    (0..4).for_each(|i| _ = plain.insert([i; 3]));
    plain.handles().collect::<Vec<_>>().into_iter().for_each(|h| _ = plain.remove(h));
    assert_eq!(REPORTS.load(Ordering::Relaxed), 0); // a snapshot that goes is no leak

    pool.restore(&plain.snapshot()).unwrap();
    while pool.insert([1; 3]).is_ok() {} // looks at the slots that it takes
    assert_eq!(pool.len(), 10);
    drop(pool);
    assert_eq!(REPORTS.load(Ordering::Relaxed), 1);
}

#[test]
fn a_watched_block_pool_knows_where_objects_come_from_that_a_restore_has_left() {
    use millpond::debug::DebugAids;

    let aids = DebugAids::none().remember_origins();
    let mut pool = BlockPool::builder().slots_per_block(2).debug_aids(aids).build();
    (0..3).for_each(|value| _ = pool.insert(value).unwrap());
    let small = pool.snapshot();
    (3..6).for_each(|value| _ = pool.insert(value).unwrap());
    let large = pool.snapshot();
    pool.restore(&small).unwrap();
    let report = pool.live_report().unwrap();
    assert_eq!((report.live(), report.origins()[0].count()), (3, 3));
    pool.restore(&large).unwrap();
    let report = pool.live_report().unwrap();
    assert_eq!((report.live(), report.origins()[0].count()), (6, 3));
    assert!(report.to_string().ends_with("3  restored from a snapshot"));
}

/// The bitmap of live slots is brought up to date by walks, so snapshots of different ages have bitmaps that
/// are old, and bitmaps that are not; going back to one after the other must leave no bit of a third.
#[test]
fn bits_of_a_fuller_past_do_not_come_back() {
    let mut pool: Pool<Box<u64>> = Pool::new(256);
    pool.insert(Box::new(0)).unwrap();
    let old = pool.snapshot_cloned();
    let mut walked = pool.snapshot_cloned();
    pool.values_mut().for_each(|_| ());
    pool.save_into(&mut walked).unwrap();
    while pool.insert(Box::new(7)).is_ok() {}
    pool.values_mut().for_each(|_| ());
    // At once, as a walk in between would bring the bitmap up to date.
    pool.restore(&old).unwrap();
    pool.restore(&walked).unwrap();
    pool.validate().unwrap();
    assert!(pool.occupancy().iter().eq([0]));
    let mut visited = 0;
    pool.retain(|_, value| {
        **value += 1;
        visited += 1;
        true
    });
    assert_eq!((visited, pool.len()), (1, 1));
}

/// Random operations with snapshots of different ages, and walks at random moments between them.
#[test]
fn snapshots_of_different_ages_and_walks_in_any_order() {
    fn play<R: millpond::reuse::ReuseOrder>(seed: u64) {
        let mut random = common::Random(seed);
        let mut pool: Pool<Box<u64>, R> = Pool::with_capacity(200);
        let mut snapshots: Vec<_> = (0..3).map(|_| pool.snapshot_cloned()).collect();
        let mut lives: Vec<Vec<usize>> = vec![Vec::new(); 3];
        for _ in 0..120 {
            let at = random.next() as usize % 3;
            match random.next() % 6 {
                0 => (0..random.next() % 150).for_each(|i| drop(pool.insert(Box::new(i)))),
                1 => pool.retain(|handle, _| handle.index() % 3 == 0),
                2 => pool.values_mut().for_each(|value| **value += 1),
                3 => {
                    pool.save_into(&mut snapshots[at]).unwrap();
                    lives[at] = pool.occupancy().iter().collect();
                }
                4 => {
                    pool.restore(&snapshots[at]).unwrap();
                    assert!(pool.occupancy().iter().eq(lives[at].iter().copied()));
                }
                _ => pool.clear(),
            }
            pool.validate().unwrap();
            assert_eq!(pool.occupancy().iter().count(), pool.len());
        }
    }
    for seed in 1..8 {
        play::<millpond::reuse::Lifo>(seed);
        play::<millpond::reuse::Fifo>(seed);
        play::<millpond::reuse::Roster>(seed);
        play::<millpond::reuse::Intrusive>(seed);
        play::<millpond::reuse::LowestFirst>(seed);
    }
}

#[test]
fn a_history_of_several_pools_goes_back_as_one() {
    use millpond::overflow::{EvictOldest, Policy};
    use millpond::snapshot::Kept;

    let mut ships = Pool::<u64>::new(4);
    let mut names = SideTable::<_, u32>::with_capacity(4);
    let mut oldest = EvictOldest::beside(&ships);
    let mut random = 1_u64;
    let like = (ships.snapshot(), names.snapshot(), Kept(oldest.clone()), Kept(random));
    let mut history = History::new(3, &like);
    let mut sums = Vec::new();
    let step = |ships: &mut Pool<u64>,
                names: &mut SideTable<_, u32>,
                oldest: &mut EvictOldest<_>,
                random: &mut u64| {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (ship, _) = oldest.insert(ships, *random >> 40).unwrap();
        names.insert(ship, (*random >> 50) as u32).unwrap();
        (ships.checksum(), names.checksum(), *random)
    };
    for frame in 0..10 {
        history.save(frame, (&ships, &names, &oldest, &random)).unwrap();
        sums.push(step(&mut ships, &mut names, &mut oldest, &mut random));
    }
    // The same frames again give the same sums: the ages of the ships went back with them.
    let state = (&mut ships, &mut names, &mut oldest, &mut random);
    history.rollback_to(7, state).unwrap();
    for sum in &sums[7..] {
        assert_eq!(step(&mut ships, &mut names, &mut oldest, &mut random), *sum);
    }
    // If one of them does not fit, none is touched.
    let before = (ships.checksum(), names.checksum(), random);
    let mut other = SideTable::<Handle<u64>, u32>::with_capacity(5);
    let state = (&mut ships, &mut other, &mut oldest, &mut random);
    assert!(matches!(history.rollback_to(7, state), Err(RollbackError::Snapshot(_))));
    assert!(history.save(11, (&ships, &other, &oldest, &random)).is_err());
    assert_eq!((ships.checksum(), names.checksum(), random), before);
    assert_eq!(history.frames().collect::<Vec<_>>(), [7, 8, 9]);
}

#[test]
fn a_pool_that_went_back_without_its_ages_still_evicts() {
    use millpond::overflow::{EvictOldest, Policy};

    let mut pool = Pool::new(3);
    let mut oldest = EvictOldest::beside(&pool);
    for value in 0..3 {
        oldest.insert(&mut pool, value).unwrap();
    }
    let saved = pool.snapshot();
    for value in 3..6 {
        oldest.insert(&mut pool, value).unwrap();
    }
    pool.restore(&saved).unwrap();
    for value in 6..20 {
        let (handle, evicted) = oldest.insert(&mut pool, value).unwrap();
        assert!(evicted.is_some_and(|(_, old)| old < value) && pool[handle] == value);
    }
    let mut last = Pool::<u64>::builder().capacity(1).lifetimes(1).build();
    last.insert(1).unwrap();
    assert!(EvictOldest::beside(&last).insert(&mut last, 2).is_err());
}

/// Panics when it is cloned for the time that the fuse says.
struct Fused(u32);

thread_local!(static FUSE: std::cell::Cell<u32> = const { std::cell::Cell::new(u32::MAX) });

impl Clone for Fused {
    fn clone(&self) -> Self {
        match FUSE.replace(FUSE.get().wrapping_sub(1)) {
            0 => panic!("on purpose"),
            _ => Self(self.0),
        }
    }
}

#[test]
fn after_a_clone_that_panicked_in_a_history_all_can_go_back_once_more() {
    for fuse in 0..12 {
        FUSE.set(u32::MAX);
        let (mut ships, mut holes) = (Pool::new(8), PackedPool::new(8));
        let like = (ships.snapshot_cloned(), holes.snapshot_cloned());
        let mut history = History::new(2, &like);
        let sums = |ships: &Pool<Fused>, holes: &PackedPool<Fused>| {
            let add = |value: &Fused, sum: &mut millpond::snapshot::Checksum| sum.add(&value.0);
            (ships.checksum_with(add), holes.checksum_with(add))
        };
        for frame in 0..3 {
            for value in 0..2 {
                ships.insert(Fused(value)).unwrap();
                holes.insert(Fused(value)).unwrap();
            }
            history.save(frame, (&ships, &holes)).unwrap();
        }
        history.rollback_to(1, (&mut ships, &mut holes)).unwrap();
        let before = sums(&ships, &holes);
        ships.clear();
        holes.clear();
        FUSE.set(fuse);
        let panicked = common::panics(|| history.rollback_to(1, (&mut ships, &mut holes)).unwrap());
        assert_eq!(panicked, fuse < 8, "{fuse}");
        FUSE.set(u32::MAX);
        ships.validate().unwrap();
        holes.validate().unwrap();
        history.rollback_to(1, (&mut ships, &mut holes)).unwrap();
        assert_eq!(sums(&ships, &holes), before);
        FUSE.set(fuse);
        let panicked = common::panics(|| history.save(2, (&ships, &holes)).unwrap());
        FUSE.set(u32::MAX);
        assert_eq!(
            history.frames().collect::<Vec<_>>(),
            if panicked { vec![1] } else { vec![1, 2] }
        );
        history.save(2, (&ships, &holes)).unwrap();
        history.rollback_to(2, (&mut ships, &mut holes)).unwrap();
        assert_eq!(sums(&ships, &holes), before);
    }
}

#[test]
fn a_policy_pool_goes_back_with_the_ages_of_its_objects() {
    let build = |policy, slots| PolicyPool::new(policy, Pool::<u64>::builder().capacity(slots), 0);
    let mut pool = build(Overflow::EvictOldest, 3);
    let insert = |pool: &mut PolicyPool<u64>, value| pool.insert_by(value, |_, _| 0).unwrap();
    let [first, second, third] = [0, 1, 2].map(|value| insert(&mut pool, value).0);
    // Oldest is not the object in the lowest slot: that is where one whose age is not known would go first.
    pool.remove(first);
    let newest = insert(&mut pool, 3).0;
    let (saved, sum) = (pool.snapshot(), pool.checksum());
    assert_eq!(saved.checksum(), sum);
    for _ in 0..2 {
        for oldest in [second, third, newest] {
            assert_eq!(insert(&mut pool, 9).1.unwrap().0, oldest);
        }
        assert_ne!(pool.checksum(), sum);
        pool.restore(&saved).unwrap();
        assert_eq!(pool.checksum(), sum);
    }
    let error = build(Overflow::Refuse, 3).restore(&saved).unwrap_err();
    assert_eq!(error, SnapshotError::OtherPolicy);
    assert_eq!(error.to_string(), "the snapshot is of a pool with another policy");
    let error = build(Overflow::EvictOldest, 4).restore(&saved).unwrap_err();
    assert_eq!(error, SnapshotError::OtherCapacity { pool: 4, snapshot: 3 });
}

/// Which of the live objects is the oldest is part of the state, whatever else is the same.
#[test]
fn the_ages_of_objects_are_in_the_checksum_of_a_policy_pool() {
    let build = |policy| {
        let mut pool = PolicyPool::new(policy, Pool::<u64>::builder().capacity(3), 0);
        let handles = [0; 3].map(|value| pool.insert_by(value, |_, _| 0).unwrap().0);
        (pool, handles)
    };
    for (policy, counts) in [(Overflow::EvictOldest, true), (Overflow::Refuse, false)] {
        let ((mut pool, handles), (mut other, _)) = (build(policy), build(policy));
        for (pool, removed) in [(&mut pool, [0, 1]), (&mut other, [1, 0])] {
            removed.iter().for_each(|at: &usize| _ = pool.remove(handles[*at]).unwrap());
            removed.iter().for_each(|_| _ = pool.insert_by(0, |_, _| 0).unwrap());
        }
        assert!(pool.iter().eq(other.iter()));
        assert_eq!(pool.checksum() != other.checksum(), counts, "{policy}");
    }
}

/// Pools made of others tell the differences of all their parts: of values, of slots and of the order.
#[test]
fn a_comparison_of_pools_made_of_others_sees_every_part() {
    macro_rules! sees {
        ($pool:expr, $insert:expr) => {{
            let (mut pool, insert) = ($pool, $insert);
            let handles = [0, 1, 2, 3, 4, 5].map(|value| insert(&mut pool, value));
            // The last two slots of the second part.
            let [index, other_index] = [4, 5].map(|at: usize| handles[at].index() as usize);
            let before = pool.snapshot();
            *pool.get_mut(handles[4]).unwrap() += 100;
            let after = pool.snapshot();
            let changed = Difference::Value { index, handle: Some(handles[4]) };
            assert_eq!(before.diff(&after).collect::<Vec<_>>(), [changed]);

            let mut twin = pool.clone();
            pool.remove(handles[5]).unwrap();
            let (left, right) = (after.diff(&pool.snapshot()).next(), SlotState::Live(handles[5]));
            assert!(
                matches!(left, Some(Difference::Slot { index: at, left, .. })
                    if at == other_index && left == right),
                "{left:?}"
            );
            // The same slots are dead, and the same one comes next, but then another.
            pool.remove(handles[4]).unwrap();
            twin.remove(handles[4]).unwrap();
            twin.remove(handles[5]).unwrap();
            for pool in [&mut pool, &mut twin] {
                pool.remove(handles[2]).unwrap();
            }
            let (left, right) = (pool.snapshot(), twin.snapshot());
            let differences: Vec<_> = left.diff(&right).collect();
            let (left, right) = (Some(index), Some(other_index));
            assert_eq!(differences, [Difference::Order { position: 1, left, right }]);
        }};
    }
    sees!(Spill::new(Pool::<u64>::new(2), Pool::<u64>::new(4)), |pool: &mut Spill<_, _>, value| {
        pool.insert(value).unwrap()
    });
    for (policy, first, more) in [(Overflow::Refuse, 6, 0), (Overflow::Spill, 2, 4)] {
        sees!(
            PolicyPool::new(policy, Pool::<u64>::builder().capacity(first), more),
            |pool: &mut PolicyPool<u64>, value| pool.insert_by(value, |_, _| 0).unwrap().0
        );
    }
}

/// Between the slots of two pools there may be billions that never were.
#[test]
fn a_comparison_skips_the_gap_between_two_pools() {
    let mut second = Pool::new(4);
    second.insert(1).unwrap();
    let mut spill = Spill::new(BlockPool::<u64>::new(), second);
    let first = spill.insert(2).unwrap();
    let before = spill.snapshot();
    let mut after = spill.snapshot();
    assert_eq!(before.diff(&after).count(), 0);
    spill.iter_mut().for_each(|(_, value)| *value += 10);
    spill.save_into(&mut after).unwrap();
    let slots: Vec<_> = before
        .diff(&after)
        .map(|difference| match difference {
            Difference::Value { index, .. } => index,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(slots.len(), 2, "{slots:?}");
    assert!(slots[0] == first.index() as usize && slots[1] > 1 << 30, "{slots:?}");
}
