//! `VecPool`: grows as a `Vec` does, keeps every handle, shrinks without reviving anything, and stops at its limit.

use crate::allocations;
use crate::common::{Ledger, panics};
use millpond::reuse::{Fifo, Lifo};
use millpond::snapshot::SnapshotError;
use millpond::{
    BuildError, Handle, Handle32, InsertAtErrorKind, PackedVecPool, Pool, Refusal, VecPool,
};

#[test]
fn it_doubles_from_4_slots_up_to_its_limit() {
    let capacities = |mut pool: VecPool<u64>| {
        let mut capacities = vec![pool.capacity()];
        while pool.len() < 100 && pool.insert(0).is_ok() {
            if capacities.last() != Some(&pool.capacity()) {
                capacities.push(pool.capacity());
            }
        }
        capacities
    };
    assert_eq!(capacities(VecPool::new()), [0, 4, 8, 16, 32, 64, 128]);
    assert_eq!(capacities(VecPool::with_capacity(10)), [10, 20, 40, 80, 160]);
    assert_eq!(capacities(VecPool::with_capacity(1)), [1, 4, 8, 16, 32, 64, 128]);
    assert_eq!(capacities(VecPool::builder().capacity_max(21).build()), [0, 4, 8, 16, 21]);
    assert_eq!(capacities(VecPool::builder().capacity_max(1).build()), [0, 1]);
    assert_eq!(capacities(VecPool::builder().capacity_max(0).build()), [0]);
    assert_eq!(capacities(VecPool::builder().capacity(3).capacity_max(3).build()), [3]);
}

#[test]
fn the_handle_layout_is_a_limit() {
    let mut pool =
        VecPool::<u64>::builder().handle::<Handle32<u64, 6>>().capacity_max(1000).build();
    assert_eq!((pool.capacity_max(), pool.reserve(65).is_err()), (64, true));
    let handles: Vec<_> = std::iter::from_fn(|| pool.insert(1).ok()).collect();
    assert_eq!((handles.len(), pool.capacity(), pool.is_full()), (64, 64, true));
    assert_eq!(VecPool::<u64>::new().capacity_max(), u32::MAX as usize);
    let beyond = VecPool::<u64>::builder().capacity_max(usize::MAX - 3).build();
    assert_eq!(beyond.capacity_max(), (usize::MAX - 3).min(u32::MAX as usize));
    let too_many = VecPool::<u64>::builder().handle::<Handle32<u64, 6>>().capacity(65).try_build();
    let expected = BuildError::CapacityTooLarge { capacity: 65, capacity_max: 64 };
    assert_eq!(too_many.unwrap_err(), expected);
    let too_many = VecPool::<u64>::builder().capacity(5).capacity_max(4).try_build();
    let expected = BuildError::ReservedTooMuch { reserved: 5, capacity_max: 4 };
    assert_eq!(too_many.unwrap_err(), expected);
}

#[test]
fn an_empty_pool_takes_nothing_and_each_growth_one_block() {
    let (mut pool, asked) = allocations::during(VecPool::<[u64; 2]>::new);
    assert_eq!(asked, allocations::Allocations::default());
    let (_, asked) = allocations::during(|| pool.push([1; 2]));
    assert_eq!((asked.taken, asked.freed, asked.resized), (1, 0, 0));
    let ((), asked) = allocations::during(|| (0..3).for_each(|_| _ = pool.push([1; 2])));
    assert_eq!(asked, allocations::Allocations::default());
    // A small block moves; one of more than 1 KiB is resized.
    let (_, asked) = allocations::during(|| pool.push([1; 2]));
    assert_eq!((asked.taken, asked.freed, asked.resized), (1, 1, 0));
    (0..27).for_each(|_| _ = pool.push([1; 2]));
    let (_, asked) = allocations::during(|| pool.push([1; 2]));
    assert_eq!((asked.taken, asked.freed, asked.resized), (0, 0, 1));
    pool.clear();
    let (freed, asked) = allocations::during(|| pool.shrink_to_fit());
    // The generations stay.
    assert_eq!((freed, asked.freed, pool.capacity()), (64, 2, 0));
    assert_eq!(asked.taken, 3);
}

#[test]
fn values_keep_their_bytes_when_growth_aligns_them() {
    // From 65 slots on they begin at a cache line, wherever the allocator has put the memory.
    for slots in [65, 100, 1000, 10_000] {
        let mut pool = VecPool::<[u64; 8]>::with_capacity(64);
        let handles: Vec<_> = (0..64).map(|value| pool.push([value; 8])).collect();
        pool.reserve(slots - 64).unwrap();
        assert_eq!((&raw const pool[handles[0]]).addr() % 64, 0);
        for (handle, value) in handles.into_iter().zip(0..) {
            assert_eq!(pool[handle], [value; 8]);
        }
        pool.validate().unwrap();
    }
}

#[test]
fn a_removed_object_comes_back_though_its_slot_was_freed() {
    let mut pool = VecPool::new();
    let handles: Vec<_> = (0..6000).map(|value| pool.push(value)).collect();
    pool.remove(handles[5999]);
    pool.retain(|_, value| *value < 2);
    pool.shrink_to_fit();
    // The first of the slots that were freed, and the last.
    assert_eq!(pool.capacity(), 2);
    pool.revive(handles[2], 76).unwrap();
    pool.revive(handles[5999], 77).unwrap();
    assert_eq!((pool[handles[2]], pool[handles[5999]], pool.len()), (76, 77, 4));
    pool.validate().unwrap();
    let error = pool.revive(Handle::from_parts(9000, 1).unwrap(), 1).unwrap_err();
    assert_eq!(error.kind(), InsertAtErrorKind::NeverLived);
}

#[test]
fn a_restore_takes_on_the_slots_and_between_equal_ones_no_memory() {
    let mut pool = VecPool::<u64>::new();
    let empty = pool.snapshot();
    let handles: Vec<_> = (0..12).map(|value| pool.push(value)).collect();
    let large = pool.snapshot();
    pool.remove(handles[5]);
    let ((), asked) = allocations::during(|| pool.restore(&large).unwrap());
    assert_eq!(asked, allocations::Allocations::default());
    pool.extend(0..100);
    pool.restore(&large).unwrap();
    assert_eq!((pool.capacity(), pool.len(), pool[handles[5]]), (16, 12, 5));
    pool.restore(&empty).unwrap();
    assert_eq!((pool.capacity(), pool.len(), pool.contains(handles[5])), (0, 0, false));
    pool.validate().unwrap();
    let limited = VecPool::<u64>::builder().capacity_max(100).build();
    let error = pool.restore(&limited.snapshot()).unwrap_err();
    assert_eq!(error, SnapshotError::OtherCapacity { pool: u32::MAX as usize, snapshot: 100 });
    // What comes next depends on how many slots there are, and so does the sum.
    let (mut a, mut b) = (VecPool::<u64, Fifo>::default(), VecPool::<u64, Fifo>::default());
    assert_eq!(a.checksum(), b.checksum());
    b.reserve(9).unwrap();
    let sums = [&mut a, &mut b].map(|pool| {
        (0..4).for_each(|value| _ = pool.push(value));
        pool.checksum()
    });
    assert_ne!(sums[0], sums[1]);
}

/// A bitmap that is synced, and live slots that are known to be the lowest, are so after the pool has grown.
#[test]
fn what_is_known_of_the_slots_is_known_after_growth() {
    for live in [0, 1, 3, 4, 63, 64, 65, 127, 128] {
        for walks in 0..3 {
            for hole in [false, true] {
                let mut pool = VecPool::<u64>::with_capacity(128);
                let handles: Vec<_> = (0..live).map(|value| pool.push(value)).collect();
                if hole && live > 1 {
                    pool.remove(handles[0]);
                }
                for _ in 0..walks {
                    pool.values_mut().for_each(|value| *value += 1);
                }
                // What every walk meets.
                let walked = |pool: &mut VecPool<u64>| {
                    pool.validate().unwrap();
                    let shared: Vec<_> = pool.iter().map(|(h, value)| (h, *value)).collect();
                    assert!(
                        pool.iter_mut().map(|(h, value)| (h, *value)).eq(shared.iter().copied())
                    );
                    shared
                };
                let expected = walked(&mut pool.clone());
                pool.reserve(300).unwrap();
                assert_eq!(walked(&mut pool), expected);
                let last = pool.push(7);
                assert_eq!(walked(&mut pool).len(), expected.len() + 1);
                pool.remove(last);
                pool.shrink_to_fit();
                assert_eq!(walked(&mut pool), expected);
            }
        }
    }
}

/// What was read has the limit, the slots that were freed, and the order.
#[test]
fn a_saved_pool_is_read_and_a_damaged_one_refused() {
    let mut pool = VecPool::<u64, Lifo>::builder().capacity_max(50).name("saved").build();
    let handles: Vec<_> = (0..20).map(|value| pool.push(value)).collect();
    pool.retain(|_, value| *value % 3 == 0 && *value < 12);
    pool.shrink_to_fit();
    pool.push(40);
    let text = serde_json::to_string(&pool).unwrap();
    let mut read: VecPool<u64> = serde_json::from_str(&text).unwrap();
    assert_eq!((read.capacity(), read.capacity_max(), read.stats()), (10, 50, pool.stats()));
    assert!(handles[10..].iter().all(|handle| read.check(*handle) == Err(Refusal::Stale)));
    (0..40).for_each(|value| assert_eq!(read.insert(value).ok(), pool.insert(value).ok()));

    let refused = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        serde_json::from_str::<VecPool<u64>>(&changed).unwrap_err().to_string()
    };
    let limit = "a limit of 4294967296 slots is more than the handle layout can name";
    assert_eq!(refused("\"capacity_max\":50", "\"capacity_max\":4294967296"), limit);
    let known = "20 slots are more than the handle layout can name";
    assert_eq!(refused("\"capacity_max\":50", "\"capacity_max\":19"), known);
    let there = refused("\"slots_there\":10", "\"slots_there\":21");
    assert_eq!(there.split(" at line").next(), Some("21 slots exist, but 20 have a generation"));
    // A live slot among those that were freed, or an order of too many.
    refused("\"slots_there\":10", "\"slots_there\":9");
    refused("\"slots_there\":10", "\"slots_there\":12");
    let other = refused("\"pool\":\"VecPool\"", "\"pool\":\"Pool\"");
    assert!(other.starts_with("a saved pool of another kind"), "{other}");
    assert!(serde_json::from_str::<Pool<u64>>(&text).is_err());
    let of_a_pool = serde_json::to_string(&Pool::<u64>::new(3)).unwrap();
    assert!(serde_json::from_str::<VecPool<u64>>(&of_a_pool).is_err());
}

/// A program may hold its pools in a `static`: an empty one needs no code to run before.
#[test]
fn an_empty_pool_is_a_constant() {
    static SHIPS: std::sync::Mutex<VecPool<u64>> = std::sync::Mutex::new(VecPool::new());
    let handle = SHIPS.lock().unwrap().push(1);
    assert_eq!(SHIPS.lock().unwrap().get(handle), Some(&1));
}

/// Slots that are freed and come back with a snapshot do not begin anew, also if a copy panics on the way.
#[test]
fn a_restore_that_grows_and_panics_makes_no_stale_handle_valid() {
    let ledger = Ledger::default();
    let mut pool = VecPool::new();
    let mut handles: Vec<_> = (0..8).map(|id| pool.push(ledger.value(id))).collect();
    let stale = handles.pop().unwrap();
    pool.remove(stale).unwrap();
    handles.push(pool.push(ledger.value(8)));
    assert_eq!(handles[7].index(), stale.index());
    let past = pool.snapshot_cloned();
    handles[4..].iter().for_each(|handle| drop(pool.remove(*handle).unwrap()));
    assert_eq!(pool.shrink_to_fit(), 4);
    ledger.panic_in_clone_of(0);
    assert!(panics(|| pool.restore(&past).unwrap()));
    pool.validate().unwrap();
    assert_eq!(pool.capacity(), 8);
    for id in 10..18 {
        pool.push(ledger.value(id));
        assert!(!pool.contains(stale));
    }
    drop((pool, past));
    assert_eq!(ledger.alive(), 0);
}

/// They are not there, and no other will come.
#[test]
fn slots_that_have_retired_and_were_freed_are_told_of_in_a_refusal() {
    let mut pool = VecPool::<u64>::builder().capacity_max(3).lifetimes(1).build();
    let handles: Vec<_> = (0..3).map(|n| pool.push(n)).collect();
    handles.iter().for_each(|handle| _ = pool.remove(*handle));
    assert_eq!((pool.shrink_to_fit(), pool.capacity()), (3, 0));
    let full = pool.insert(4).unwrap_err();
    assert_eq!((full.capacity(), full.retired()), (3, 3));
    let why = "the pool is full: of 3 slots, 0 are live and 3 retired, 3 were live at the peak";
    assert_eq!(full.to_string(), why);
    let mut pool = PackedVecPool::<u64>::builder().capacity_max(3).lifetimes(1).build();
    let handles: Vec<_> = (0..3).map(|n| pool.push(n)).collect();
    handles.iter().for_each(|handle| _ = pool.remove(*handle));
    assert_eq!((pool.shrink_to_fit(), pool.capacity()), (3, 0));
    assert_eq!(pool.insert(4).unwrap_err().to_string(), why);
}
