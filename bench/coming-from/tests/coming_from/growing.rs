//! What the maps have that become a `VecPool`, beside those of `every_map.rs`.

use millpond::VecPool;

use super::{New, Old, every_map::three};

#[test]
fn with_key() {
    let mut old: Old<u32> = Old::with_key();
    let mut new: New<u32> = VecPool::default();
    let (key, handle) = (old.insert(1), new.push(1));
    assert_eq!(old[key], new[handle]);
}

#[test]
fn insert() {
    let (mut old, mut new) = (Old::default(), New::default());
    for value in 0..1000 {
        let (key, handle) = (old.insert(value), new.push(value));
        assert_eq!(old[key], new[handle]);
    }
    assert_eq!(old.len(), new.len());
}

#[test]
fn reserve() {
    let (mut old, _, mut new, _) = three();
    old.reserve(100);
    new.reserve(100).expect("memory");
    assert!(old.capacity() >= 103 && new.capacity() >= 103);
}

#[test]
fn try_reserve() {
    let (mut old, _, mut new, _) = three();
    assert!(old.try_reserve(100).is_ok() && new.reserve(100).is_ok());
    // (slotmap adds to it without a test.)
    let too_many = usize::MAX / 2;
    assert!(old.try_reserve(too_many).is_err() && new.reserve(too_many).is_err());
}

#[test]
fn get_unchecked() {
    let (old, keys, new, handles) = three();
    // SAFETY: the keys are live.
    let olds = keys.map(|key| unsafe { *old.get_unchecked(key) });
    // SAFETY: the handles are live.
    assert_eq!(olds, handles.map(|handle| unsafe { *new.get_unchecked(handle) }));
}

#[test]
fn get_unchecked_mut() {
    let (mut old, keys, mut new, handles) = three();
    // SAFETY: the key is live.
    unsafe { *old.get_unchecked_mut(keys[1]) += 1 };
    // SAFETY: the handle is live.
    unsafe { *new.get_unchecked_mut(handles[1]) += 1 };
    assert_eq!(old[keys[1]], new[handles[1]]);
}
