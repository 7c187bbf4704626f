//! Pools of few objects, of which a program has thousands: each cell of a grid, each node of a scene may have one. What they
//! take, to the byte, the pool itself included. `ci/gates/check` compares it with what others take.

use crate::allocations::during;
use millpond::{Handle, VecPool};

/// Values of this size lie behind each other, aligned to 8.
type Value = [u64; 6];

/// What the pool itself takes: the addresses of its arrays, its counters, its reuse order, its name.
const HEADER: usize = size_of::<VecPool<Value>>();

/// The bytes of such pools together, and how often each asked the allocator for memory.
fn taken<P>(pools: usize, make: impl Fn() -> P) -> (usize, usize) {
    let mut kept = Vec::with_capacity(pools);
    let ((), allocations) = during(|| kept.extend((0..pools).map(|_| make())));
    assert_eq!((allocations.resized, allocations.taken % pools), (0, 0));
    let bytes = allocations.bytes_taken - allocations.bytes_freed;
    (pools * size_of::<P>() + bytes, allocations.taken / pools)
}

fn vec_pool_of<T>(objects: usize, value: impl Fn() -> T) -> VecPool<T> {
    let mut pool = VecPool::new();
    (0..objects).for_each(|_| _ = pool.push(value()));
    pool
}

/// Block and header: beside a value, a word and the entries of a stack, one of which is to spare; and a word of the bitmap.
fn bytes(value: usize, slots: usize) -> usize {
    (slots * (value + 4 + 4) + 4).next_multiple_of(8) + 8 + HEADER
}

#[test]
#[cfg(target_pointer_width = "64")]
fn thousands_of_pools_of_one_object_take_one_slot_each() {
    // Debug aids and a recorder have a pointer each in every pool, whoever of the crates that are built together asks for them.
    assert!([216, 224, 232].contains(&HEADER), "{HEADER}");
    assert_eq!(size_of::<millpond::Pool<Value>>(), HEADER - 16);
    for (objects, slots, requests) in [(0, 0, 0), (1, 1, 1), (2, 4, 2), (4, 4, 2), (5, 8, 3)] {
        let expected = if slots == 0 { HEADER } else { bytes(48, slots) };
        let taken = taken(4000, || vec_pool_of(objects, || [0_u64; 6]));
        assert_eq!(taken, (4000 * expected, requests), "{objects} objects of 48 bytes");
    }
    assert_eq!(bytes(48, 1) - HEADER, 72);
    // Small values come in fours from the beginning, and those between in pairs.
    let small = taken(4000, || vec_pool_of(1, || 0_u64));
    assert_eq!(small, (4000 * bytes(8, 4), 1));
    let middle = taken(4000, || vec_pool_of(1, || [0_u64; 4]));
    assert_eq!(middle, (4000 * bytes(32, 2), 1));
    let large = taken(4000, || vec_pool_of(1, || [0_u64; 8]));
    assert_eq!(large, (4000 * bytes(64, 1), 1));
}

/// With an optional feature, too, what a pool does not use takes no memory of its own.
#[test]
fn a_new_pool_that_grows_asks_for_nothing() {
    assert_eq!(taken(100, VecPool::<Value>::new), (100 * size_of::<VecPool<Value>>(), 0));
    let named = || VecPool::<Value>::builder().name("cells").capacity_max(9).build();
    assert_eq!(taken(100, named), (100 * size_of::<VecPool<Value>>(), 0));
}

/// Also after the pool has freed its first slots, whose generations it knows.
#[test]
fn a_small_pool_that_shrinks_keeps_its_old_handles_stale() {
    let mut pool = vec_pool_of(0, || [0_u64; 6]);
    let mut old: Vec<Handle<Value>> = Vec::new();
    for round in 0..6 {
        let handle = pool.push([round; 6]);
        assert!(!old.contains(&handle));
        assert_eq!(pool.capacity(), 1);
        pool.remove(handle);
        old.push(handle);
        assert_eq!(pool.shrink_to_fit(), 1);
        assert_eq!(pool.capacity(), 0);
    }
    assert!(old.iter().all(|handle| !pool.contains(*handle)));
}
