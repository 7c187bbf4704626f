//! What must hold of a pool that was read from a file of anybody's making.

use super::{Basic, Key, Value};

/// How many bytes may be taken for an input of so many: each of its bytes may be a slot, with a value of up to
/// 24 bytes, a word, places in orders and on the way; or a block of one.
pub(crate) fn bytes_justified(input: usize) -> usize {
    16_384 + 600 * input
}

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
