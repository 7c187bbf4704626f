//! Handles, entries and claims at their limits, in every pool that has them.

use std::cell::Cell;

use crate::allocations;
use millpond::debug::DebugAids;
use millpond::reuse::{Fifo, Lifo, ReuseOrder};
use millpond::{Handle, InsertAtErrorKind, PackedPool, Pool, Recycler, StaticPool, VecPool};

/// A hidden constructor once made handles that were equal to the word of a dead slot, and handles of generation 0,
/// which `insert_at` took. It cannot be called any more; what can be made of bits is one of a lifetime, or dangling.
#[test]
fn no_handle_that_safe_code_can_make_is_equal_to_the_word_of_a_dead_slot() {
    let mut pool: Pool<String> = Pool::new(4);
    let handle = pool.insert("hello".repeat(10)).unwrap();
    pool.remove(handle);
    for generation in [0x8000_0000, 0x8000_0001, 0x8000_0002, u32::MAX, 0] {
        for index in [0, 1, 3, u32::MAX] {
            let made = Handle::<String>::from_parts(index, generation);
            assert!(made.is_none_or(Handle::is_dangling), "{made:?}");
            let forged =
                Handle::from_bits_or_dangling(u64::from(index) << 32 | u64::from(generation));
            assert!(forged.is_dangling() && !pool.contains(forged));
            assert!(pool.get(forged).is_none() && pool.remove(forged).is_none());
        }
    }
}

/// A name with the salt 0 was once like the name alone.
#[test]
fn salt_0_tells_a_pool_from_one_without_a_salt() {
    let mut plain = Pool::<u64>::builder().capacity(1).name("bullets").build();
    let mut salted = Pool::<u64>::builder().capacity(1).name("bullets").salt(0).build();
    let handle = plain.insert(1).unwrap();
    salted.insert(1).unwrap();
    assert_eq!(salted.get(handle), None);
}

#[test]
fn recycler_evicts_retains_and_walks_its_live_objects() {
    let mut recycler = Recycler::from_fn(4, |index| index * 10);
    assert!(recycler.acquire_or_evict(|_, object| *object).unwrap().2.is_none());
    let handles: Vec<_> = (0..3).map(|_| recycler.acquire().unwrap().0).collect();
    recycler.release(handles[0]);
    let live: Vec<_> = recycler.iter().map(|(handle, object)| (handle.index(), *object)).collect();
    assert_eq!(live, [(0, 0), (2, 20), (3, 30)]);
    assert!(recycler.iter_mut().rev().map(|(handle, _)| handle.index()).eq([3, 2, 0]));
    recycler.iter_mut().for_each(|(_, object)| *object += 1);
    assert_eq!(recycler.as_slice(), [1, 10, 21, 31]);
    recycler.retain(|_, object| *object != 21);
    assert_eq!((recycler.len(), recycler.is_live(2)), (2, false));

    while recycler.acquire().is_some() {}
    let (handle, object, evicted) = recycler.acquire_or_evict(|_, object| *object).unwrap();
    assert_eq!((*object, handle.index()), (1, 0));
    let evicted = evicted.unwrap();
    assert!(!recycler.contains(evicted) && recycler.contains(handle));
    assert_eq!(recycler.stats().evicted, 1);
    assert!(Recycler::<u64>::new(0).acquire_or_evict(|_, object| *object).is_none());
}

thread_local! {
    static MAY_CLONE: Cell<bool> = const { Cell::new(true) };
}

/// `Copy`, and yet `clone` is a function like any other.
#[derive(Debug, PartialEq)]
struct Twin(u64);

impl Copy for Twin {}

#[allow(clippy::non_canonical_clone_impl, reason = "what it is here for")]
impl Clone for Twin {
    fn clone(&self) -> Self {
        assert!(MAY_CLONE.get(), "a restore copies");
        *self
    }
}

/// Restores a pool that is empty by now, while no value may be cloned.
macro_rules! restored_by_copy {
    ($pool:expr) => {{
        let mut pool = $pool;
        let handles = [3, 4, 5].map(|value| pool.insert(Twin(value)).unwrap());
        let mut snapshot = pool.snapshot();
        pool.clear();
        MAY_CLONE.set(false);
        pool.restore(&snapshot).unwrap();
        pool.save_into(&mut snapshot).unwrap();
        MAY_CLONE.set(true);
        assert_eq!(handles.map(|handle| pool[handle].0), [3, 4, 5]);
        pool.validate().unwrap();
    }};
}

fn watched_and_restored_by_copy<R: ReuseOrder>() {
    let builder = Pool::<Twin>::builder().reuse(R::default()).capacity(5);
    restored_by_copy!(builder.debug_aids(DebugAids::all()).build());
    let builder = VecPool::<Twin>::builder().reuse(R::default()).capacity_max(6);
    restored_by_copy!(builder.debug_aids(DebugAids::all()).build());
    let builder = PackedPool::<Twin>::builder().capacity(5);
    restored_by_copy!(builder.debug_aids(DebugAids::all()).build());
}

/// A restore of values that are `Copy` once called their `clone`, in pools with debug aids and in packed
/// pools, and left the pool half-way if that panicked.
#[test]
fn values_that_are_copy_are_restored_without_their_clone() {
    watched_and_restored_by_copy::<Lifo>();
    watched_and_restored_by_copy::<Fifo>();
    restored_by_copy!(PackedPool::<Twin>::new(5));
    restored_by_copy!(StaticPool::<Twin, 5>::new());
}

/// A claim that was refused once took slots, and kept their words.
#[test]
fn refused_claim_takes_no_slots() {
    let mut pool = VecPool::<u64>::builder().lifetimes(3).build();
    let beyond = Handle::from_parts(64 * 900, 9).unwrap();
    let (error, asked) = allocations::during(|| pool.insert_at(beyond, 1).unwrap_err());
    assert_eq!((error.kind(), error.into_inner()), (InsertAtErrorKind::BeyondLifetimes, 1));
    assert_eq!((asked.taken, asked.resized), (0, 0));

    let mut pool = VecPool::<u64>::new();
    let handle = pool.insert(1).unwrap();
    pool.remove(handle);
    pool.shrink_to_fit();
    let (error, asked) = allocations::during(|| pool.insert_at(handle, 1).unwrap_err());
    assert_eq!((error.kind(), asked.taken), (InsertAtErrorKind::Stale, 0));
    let next = Handle::from_parts(0, handle.generation() + 1).unwrap();
    assert_eq!(pool.insert_at(next, 2).unwrap(), next);
    pool.validate().unwrap();
}

/// Only some kinds of pools once counted that there was no entry to be had.
#[test]
fn missing_entry_counts_as_a_refusal_in_every_pool() {
    macro_rules! refused {
        ($pool:expr) => {{
            let mut pool = $pool;
            assert!(pool.vacant_entry().is_none());
            pool.stats().refused
        }};
    }
    assert_eq!(refused!(Pool::<u64>::new(0)), 1);
    assert_eq!(refused!(VecPool::<u64>::builder().capacity_max(0).build()), 1);
    assert_eq!(refused!(PackedPool::<u64>::new(0)), 1);
    assert_eq!(refused!(StaticPool::<u64, 0>::new()), 1);
}

/// The words of a bitmap that was not gathered yet were once counted beyond the largest number: a panic, or
/// the bits of the first slots again.
#[test]
fn no_slot_is_live_beyond_the_last_however_far() {
    let mut objects = Recycler::<u64>::new(70);
    let mut pool = Pool::<u64>::new(70);
    (0..70).for_each(|_| {
        objects.acquire().unwrap();
        pool.insert(1).unwrap();
    });
    for gathered in [false, true] {
        for index in [70, 127, 128, usize::MAX - 63, usize::MAX] {
            assert!(!objects.is_live(index) && !pool.occupancy().is_live(index), "{index}");
        }
        for word in [2, usize::MAX / 64, usize::MAX / 64 + 1, usize::MAX / 64 + 2, usize::MAX] {
            assert_eq!((pool.occupancy().word(word), objects.occupancy().word(word)), (0, 0));
        }
        if !gathered {
            pool.values_mut().for_each(|value| *value = 2);
            objects.runs_mut().for_each(drop);
        }
    }
}
