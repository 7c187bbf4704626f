//! `PackedVecPool`: grows as a `Vec` does, keeps every handle and the order of the values, shrinks without reviving
//! anything, and stops at its limit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::allocations::{self, Allocations};
use crate::common::{Counted, Ledger, Random};
use millpond::snapshot::SnapshotError;
use millpond::{
    BuildError, Handle, Handle32, InsertAtErrorKind, PackedPool, PackedVecPool, Refusal, VecPool,
};

#[test]
fn it_doubles_from_4_slots_up_to_its_limit() {
    let capacities = |mut pool: PackedVecPool<u64>| {
        let mut capacities = vec![pool.capacity()];
        while pool.len() < 100 && pool.insert(0).is_ok() {
            if capacities.last() != Some(&pool.capacity()) {
                capacities.push(pool.capacity());
            }
        }
        capacities
    };
    assert_eq!(capacities(PackedVecPool::new()), [0, 4, 8, 16, 32, 64, 128]);
    assert_eq!(capacities(PackedVecPool::with_capacity(10)), [10, 20, 40, 80, 160]);
    assert_eq!(capacities(PackedVecPool::with_capacity(1)), [1, 4, 8, 16, 32, 64, 128]);
    assert_eq!(capacities(PackedVecPool::builder().capacity_max(21).build()), [0, 4, 8, 16, 21]);
    assert_eq!(capacities(PackedVecPool::builder().capacity_max(0).build()), [0]);
    assert_eq!(capacities(PackedVecPool::builder().capacity(3).capacity_max(3).build()), [3]);
}

#[test]
fn the_handle_layout_is_a_limit() {
    let builder = PackedVecPool::<u64>::builder().handle::<Handle32<u64, 6>>();
    let mut pool = builder.clone().capacity_max(1000).build();
    assert_eq!((pool.capacity_max(), pool.reserve(65).is_err()), (64, true));
    let handles: Vec<_> = std::iter::from_fn(|| pool.insert(1).ok()).collect();
    assert_eq!((handles.len(), pool.capacity(), pool.is_full()), (64, 64, true));
    let too_many = builder.capacity(65).try_build().unwrap_err();
    assert_eq!(too_many, BuildError::CapacityTooLarge { capacity: 65, capacity_max: 64 });
    let too_many = PackedVecPool::<u64>::builder().capacity(5).capacity_max(4).try_build();
    let expected = BuildError::ReservedTooMuch { reserved: 5, capacity_max: 4 };
    assert_eq!(too_many.unwrap_err(), expected);
}

#[test]
fn an_empty_pool_takes_nothing_and_each_growth_enlarges_three_arrays() {
    let (mut pool, asked) = allocations::during(PackedVecPool::<[u64; 2]>::new);
    assert_eq!(asked, Allocations::default());
    let (_, asked) = allocations::during(|| pool.push([1; 2]));
    assert_eq!((asked.taken, asked.freed, asked.resized), (3, 0, 0));
    assert_eq!(asked.bytes_taken, 4 * (16 + 16));
    let ((), asked) = allocations::during(|| (0..3).for_each(|_| _ = pool.push([1; 2])));
    assert_eq!(asked, Allocations::default());
    let (_, asked) = allocations::during(|| pool.push([1; 2]));
    assert_eq!((asked.taken, asked.freed, asked.resized), (0, 0, 3));
    pool.clear();
    let (freed, asked) = allocations::during(|| pool.shrink_to_fit());
    // The generations stay.
    assert_eq!((freed, asked.freed, pool.capacity()), (8, 4, 0));
    assert_eq!((asked.taken, pool.as_slice().len()), (3, 0));
}

/// What growth does not move is not asked for: the worst growth of a full pool takes its size once more.
#[test]
fn a_growth_takes_as_much_as_there_is_and_an_insertion_without_it_nothing() {
    let mut pool = PackedVecPool::<[u64; 4]>::with_capacity(1000);
    let ((), asked) = allocations::during(|| pool.extend([[1; 4]; 1000]));
    assert_eq!(asked, Allocations::default());
    let ((), asked) = allocations::during(|| _ = pool.push([2; 4]));
    assert_eq!((asked.taken, asked.resized, asked.bytes_taken, pool.capacity()), (0, 3, 0, 2000));
    // A smaller pool has both at the same time.
    pool.retain(|handle, _| handle.index() < 500);
    let (freed, asked) = allocations::during(|| pool.shrink_to_fit());
    // Beside the words, where they are and how many.
    let words = 4 * (2000 - 500) + 4 * (1001 - 500) + 3 * size_of::<usize>();
    assert_eq!((freed, asked.bytes_taken), (1500, 500 * (32 + 16) + words));
}

#[test]
fn the_order_of_the_values_stays_through_growth_and_shrinking() {
    let (mut pool, mut random) = (PackedVecPool::<u64>::new(), Random(7));
    let mut order: Vec<(Handle<u64>, u64)> = Vec::new();
    for step in 0..3000 {
        match random.below(12) {
            0..6 => order.push((pool.push(step), step)),
            6..10 if !order.is_empty() => {
                let (handle, value) = order.swap_remove(random.below(order.len()));
                assert_eq!(pool.remove(handle), Some(value));
            }
            10 => _ = pool.shrink_to_fit(),
            _ => pool.reserve(random.below(9)).unwrap(),
        }
        if step % 500 == 499 {
            pool.sort_by_key(|value| value % 7);
            order.sort_by_key(|(_, value)| value % 7);
        }
        pool.validate().unwrap();
        assert!(pool.iter().map(|(handle, value)| (handle, *value)).eq(order.iter().copied()));
    }
}

#[test]
fn a_removed_object_comes_back_though_its_slot_was_freed() {
    let mut pool = PackedVecPool::new();
    let handles: Vec<_> = (0..6000).map(|value| pool.push(value)).collect();
    pool.remove(handles[5999]);
    pool.retain(|_, value| *value < 2);
    pool.shrink_to_fit();
    // The first of the slots that were freed, and the last.
    assert_eq!(pool.capacity(), 2);
    pool.revive(handles[2], 76).unwrap();
    pool.revive(handles[5999], 77).unwrap();
    assert_eq!(
        (pool[handles[2]], pool[handles[5999]], pool.as_slice()),
        (76, 77, &[0, 1, 76, 77][..])
    );
    pool.validate().unwrap();
    let error = pool.revive(Handle::from_parts(9000, 1).unwrap(), 1).unwrap_err();
    assert_eq!(error.kind(), InsertAtErrorKind::NeverLived);
}

/// Slots that have retired and exist again are no room; the others come in their order, behind those that there were.
#[test]
fn slots_that_exist_again_come_after_the_vacant_ones_without_those_that_retired() {
    let mut pool = PackedVecPool::builder().lifetimes(2).build();
    let mut handles: Vec<_> = (0..8).map(|value| pool.push(value)).collect();
    for index in [3, 5] {
        pool.remove(handles[index]).unwrap();
        handles[index] = pool.push(9);
        pool.remove(handles[index]).unwrap(); // retires
    }
    [4, 6, 7].iter().for_each(|index: &usize| _ = pool.remove(handles[*index]).unwrap());
    assert_eq!(pool.shrink_to_fit(), 5);
    pool.remove(handles[1]);
    assert_eq!((pool.capacity(), pool.stats().retired), (3, 0));
    pool.reserve(4).unwrap();
    pool.validate().unwrap();
    assert_eq!(pool.stats().retired, 2);
    let next: Vec<_> =
        (0..6).map(|value| pool.push(value)).map(|h| (h.index(), h.generation())).collect();
    assert_eq!(next, [(1, 2), (4, 2), (6, 2), (7, 2), (8, 1), (9, 1)]);
    pool.validate().unwrap();
}

/// Pools of which the same comes next have equal checksums.
#[test]
fn a_checksum_does_not_tell_how_many_retired_slots_at_a_time_exist_again() {
    let grown_by = |steps: &[usize]| {
        let mut pool = PackedVecPool::builder().lifetimes(2).capacity_max(12).build();
        let mut handles: Vec<_> = (0..12).map(|value| pool.push(value)).collect();
        for index in [4, 6, 7, 9] {
            pool.remove(handles[index]).unwrap();
            handles[index] = pool.push(0);
        }
        handles[3..].iter().for_each(|handle| _ = pool.remove(*handle).unwrap());
        assert_eq!((pool.shrink_to_fit(), pool.stats().retired), (9, 0));
        pool.remove(handles[1]);
        steps.iter().for_each(|more| pool.reserve(*more).unwrap());
        assert_eq!((pool.capacity(), pool.stats().retired), (12, 4));
        pool.validate().unwrap();
        pool.checksum()
    };
    assert_eq!(grown_by(&[2, 6]), grown_by(&[6]));
}

/// The generations of a pool with a name go on at 1 after the largest. Whether a slot has done that is found out anew when
/// it exists again.
#[test]
fn a_slot_that_exists_again_may_be_in_a_generation_before_the_first() {
    let builder = PackedVecPool::<u8>::builder().handle::<Handle32<u8, 24>>().name("ships");
    let mut pool = builder.build();
    pool.push(0);
    let first = pool.generations().first();
    let mut lifetimes = 0;
    let mut live_once = |pool: &mut PackedVecPool<u8, Handle32<u8, 24>>, index| {
        let handle = pool.insert_with(|_| 1).unwrap();
        assert_eq!((handle.index(), pool.remove(handle)), (index, Some(1)));
        lifetimes += 1;
        handle.generation()
    };
    while live_once(&mut pool, 1) >= first {}
    pool.shrink_to_fit();
    pool.clear();
    pool.push(2);
    pool.reserve(1).unwrap();
    pool.validate().unwrap();
    while pool.stats().retired == 0 {
        live_once(&mut pool, 1);
    }
    assert_eq!(lifetimes, pool.generations().lifetimes_max());
    pool.validate().unwrap();
}

#[test]
fn a_restore_takes_on_the_slots_and_between_equal_ones_no_memory() {
    let mut pool = PackedVecPool::<u64>::new();
    let empty = pool.snapshot();
    let handles: Vec<_> = (0..12).map(|value| pool.push(value)).collect();
    let large = pool.snapshot();
    pool.remove(handles[5]);
    let ((), asked) = allocations::during(|| pool.restore(&large).unwrap());
    assert_eq!(asked, Allocations::default());
    pool.extend(0..100);
    pool.restore(&large).unwrap();
    assert_eq!((pool.capacity(), pool.len(), pool[handles[5]]), (16, 12, 5));
    pool.restore(&empty).unwrap();
    assert_eq!((pool.capacity(), pool.len(), pool.contains(handles[5])), (0, 0, false));
    pool.validate().unwrap();
    pool.restore(&large).unwrap();
    assert_eq!((pool.capacity(), pool.as_slice()), (16, &(0..12).collect::<Vec<_>>()[..]));
    let limited = PackedVecPool::<u64>::builder().capacity_max(100).build();
    let error = pool.restore(&limited.snapshot()).unwrap_err();
    assert_eq!(error, SnapshotError::OtherCapacity { pool: u32::MAX as usize, snapshot: 100 });
    // What comes next depends on how many slots there are, and so does the sum.
    let (a, mut b) = (PackedVecPool::<u64>::new(), PackedVecPool::<u64>::new());
    assert_eq!(a.checksum(), b.checksum());
    b.reserve(9).unwrap();
    assert_ne!(a.checksum(), b.checksum());
}

#[test]
fn a_restore_in_which_a_clone_panics_leaves_the_pool_whole() {
    let ledger = Ledger::default();
    let mut pool = PackedVecPool::<Counted>::new();
    pool.extend((0..40).map(|id| ledger.value(id)));
    let large = pool.snapshot_cloned();
    pool.retain(|_, value| value.id() < 3);
    pool.shrink_to_fit();
    ledger.panic_in_clone_of(20);
    assert!(catch_unwind(AssertUnwindSafe(|| pool.restore(&large))).is_err());
    pool.validate().unwrap();
    assert_eq!((pool.len(), pool.capacity()), (0, 3));
    ledger.panic_in_clone_of(None);
    pool.extend((50..60).map(|id| ledger.value(id)));
    pool.restore(&large).unwrap();
    pool.validate().unwrap();
    assert_eq!((pool.len(), pool.capacity()), (40, 40));
    drop((pool, large));
    assert_eq!(ledger.alive(), 0);
}

/// Code that panics in the middle of an insertion, with or without growth, inserts nothing, and what was inserted stays.
#[test]
fn code_that_panics_while_the_pool_grows_leaves_it_whole() {
    let ledger = Ledger::default();
    let mut pool = PackedVecPool::<Counted>::new();
    for live in 0..9 {
        let made = catch_unwind(AssertUnwindSafe(|| _ = pool.insert_with(|_| panic!("made"))));
        assert!(made.is_err());
        pool.validate().unwrap();
        assert_eq!(pool.len(), live);
        pool.push(ledger.value(live as u64));
    }
    let values = (9..100).map(|id| if id == 50 { panic!("on the way") } else { ledger.value(id) });
    assert!(catch_unwind(AssertUnwindSafe(|| pool.extend(values))).is_err());
    pool.validate().unwrap();
    assert!(pool.values().map(Counted::id).eq(0..50));
    drop(pool);
    assert_eq!(ledger.alive(), 0);
}

/// What was read has the limit, the slots that were freed, and the order of the values.
#[test]
fn a_saved_pool_is_read_and_a_damaged_one_refused() {
    let mut pool = PackedVecPool::<u64>::builder().capacity_max(50).name("saved").build();
    let handles: Vec<_> = (0..20).map(|value| pool.push(value)).collect();
    pool.retain(|_, value| *value % 3 == 0 && *value < 12);
    pool.shrink_to_fit();
    pool.push(40);
    pool.sort_by(|a, b| b.cmp(a));
    let text = serde_json::to_string(&pool).unwrap();
    let mut read: PackedVecPool<u64> = serde_json::from_str(&text).unwrap();
    assert_eq!((read.capacity(), read.capacity_max(), read.stats()), (10, 50, pool.stats()));
    assert_eq!(read.as_slice(), pool.as_slice());
    assert!(handles[10..].iter().all(|handle| read.check(*handle) == Err(Refusal::Stale)));
    (0..40).for_each(|value| assert_eq!(read.insert(value).ok(), pool.insert(value).ok()));
    read.validate().unwrap();
    assert_eq!(read.checksum(), pool.checksum());

    let refused = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        serde_json::from_str::<PackedVecPool<u64>>(&changed).unwrap_err().to_string()
    };
    let limit = "a limit of 4294967296 slots is more than the handle layout can name";
    assert_eq!(refused("\"capacity_max\":50", "\"capacity_max\":4294967296"), limit);
    let there = refused("\"slots_there\":10", "\"slots_there\":21");
    assert_eq!(there.split(" at line").next(), Some("21 slots exist, but 20 have a generation"));
    // A live slot among those that were freed, or an order of too many.
    refused("\"slots_there\":10", "\"slots_there\":9");
    refused("\"slots_there\":10", "\"slots_there\":12");
    let other = refused("\"pool\":\"PackedVecPool\"", "\"pool\":\"PackedPool\"");
    assert!(other.starts_with("a saved pool of another kind"), "{other}");
    assert!(serde_json::from_str::<PackedPool<u64>>(&text).is_err());
    assert!(serde_json::from_str::<VecPool<u64>>(&text).is_err());
}

/// A slot that was claimed far from the others, and freed, is not as in a new pool when it exists again, in a read pool either.
#[test]
fn a_read_pool_knows_of_freed_slots_beyond_its_peak() {
    let mut pool = PackedVecPool::<u64>::new();
    let far = pool.insert_at(Handle::from_parts(7, 3).unwrap(), 1).unwrap();
    pool.remove(far);
    pool.shrink_to_fit();
    let text = serde_json::to_string(&pool).unwrap();
    let mut read: PackedVecPool<u64> = serde_json::from_str(&text).unwrap();
    assert_eq!((read.capacity(), read.check(far)), (0, Err(Refusal::Stale)));
    for pool in [&mut pool, &mut read] {
        pool.reserve(8).unwrap();
        pool.validate().unwrap();
    }
    let snapshot = read.snapshot();
    read.extend(0..8);
    read.restore(&snapshot).unwrap();
    read.extend(0..8);
    assert_eq!(read.handle_at(7), Handle::from_parts(7, 4));
    read.validate().unwrap();
}

/// A program may hold its pools in a `static`: an empty one needs no code to run before.
#[test]
fn an_empty_pool_is_a_constant() {
    static SPARKS: std::sync::Mutex<PackedVecPool<u64>> =
        std::sync::Mutex::new(PackedVecPool::new());
    let handle = SPARKS.lock().unwrap().push(1);
    assert_eq!(SPARKS.lock().unwrap().get(handle), Some(&1));
}

#[test]
fn values_without_size_take_only_the_books() {
    let mut pool = PackedVecPool::<()>::new();
    let (handles, asked) = allocations::during(|| [(); 4].map(|()| pool.push(())));
    assert_eq!((asked.taken, asked.bytes_taken), (2, 4 * 16));
    pool.remove(handles[3]);
    assert_eq!((pool.shrink_to_fit(), pool.capacity(), pool.len()), (1, 3, 3));
    pool.extend([(); 10]);
    pool.validate().unwrap();
}
