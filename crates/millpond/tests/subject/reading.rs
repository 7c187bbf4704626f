//! What must hold of any pool, also of one that was read from a file of anybody's making.

use super::{Basic, Key, Subject, Value};
use crate::common::Counted;
use millpond_testkit::allocations::Allocations;

/// All live objects of a pool by their slots, and what their values say. In whatever way it is asked of them, it
/// answers the same.
pub(crate) fn agreed(pool: &dyn Subject<Counted>) -> Vec<(Key, u64)> {
    pool.validate().unwrap();
    let said = |(handle, value): (Key, &Counted)| (handle, value.id());
    let mut live: Vec<_> = pool.iter().map(said).collect();
    if let Some(iter) = pool.iter_both_ends() {
        assert!(iter.rev().map(said).eq(live.iter().rev().copied()));
    }
    live.sort_unstable_by_key(|(handle, _)| handle.index());
    assert_eq!((pool.len(), pool.is_empty()), (live.len(), live.is_empty()));
    for &(handle, id) in &live {
        let value = pool.get(handle).unwrap();
        assert!(value.id() == id && pool.contains(handle), "{handle:?}");
        let index = pool.index_of(value);
        assert!(index.is_none_or(|index| index == Some(handle.index())), "{handle:?}: {index:?}");
    }
    for index in 0..pool.capacity() + 2 {
        let Some(there) = pool.at(index) else { break };
        let expected = live.binary_search_by_key(&index, |(handle, _)| handle.index());
        assert_eq!(there.map(said), expected.ok().map(|place| live[place]));
    }
    if let Some(runs) = pool.runs() {
        let in_runs = runs.iter().flat_map(|(first, run)| (*first..).zip(run));
        let expected = live.iter().map(|(handle, id)| (handle.index(), *id));
        assert!(in_runs.map(|(index, value)| (index, value.id())).eq(expected));
    }
    live
}

/// How many bytes may be taken for an input of so many: each of its bytes may be a slot, with a value of up to
/// 24 bytes, a word, places in orders and on the way; or a block of one.
fn bytes_justified(input: usize) -> usize {
    16_384 + 600 * input
}

/// Whether what was taken is justified by an input of so many bytes: of memory, that is. Slots that a file does not list are
/// asked for as zeros, and take addresses.
pub(crate) fn is_justified(taken: &Allocations, input: usize) -> bool {
    taken.bytes_taken - taken.bytes_zeroed <= bytes_justified(input)
        && taken.bytes_zeroed <= 2 << 30
}

/// A pool with more slots than these, which its file does not list, is not looked at slot by slot.
pub(crate) const LOOKED_AT_MAX: usize = 1 << 20;

/// A file in few bytes can tell of a pool that may grow to be large; it is not filled.
const FILLED_MAX: usize = 10_000;

/// Whatever it was read from: all that the pool says of itself agrees; it has room for as many as it says,
/// in slots that are not live; and what is removed is gone.
pub(crate) fn use_pool<T: Value, S: Basic<T> + ?Sized>(pool: &mut S) {
    pool.validate().unwrap();
    let mut live: Vec<Key> = pool.iter().map(|(handle, _)| handle).collect();
    assert_eq!(pool.len(), live.len());
    assert!(live.iter().all(|&handle| pool.get(handle).is_some()));
    if pool.capacity() <= FILLED_MAX {
        while let Ok(handle) = pool.insert(T::of(1)) {
            assert!(pool.contains(handle) && handle.index() < pool.capacity(), "{handle:?}");
            live.push(handle);
        }
        assert!(pool.is_full() && pool.len() == live.len());
        let mut slots: Vec<usize> = live.iter().map(|handle| handle.index()).collect();
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(slots.len(), live.len(), "a slot was handed out while it was live");
        pool.validate().unwrap();
    }
    for &handle in live.iter().step_by(2) {
        assert!(pool.remove(handle).is_some() && !pool.contains(handle), "{handle:?}");
    }
    pool.validate().unwrap();
    pool.clear();
    pool.validate().unwrap();
    assert!(live.iter().all(|&handle| !pool.contains(handle)));
}
