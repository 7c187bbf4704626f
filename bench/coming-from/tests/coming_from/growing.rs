//! What each map has that becomes a pool that grows, beside what is in `every_map.rs`.

use super::{New, Old, every_map::three};

#[test]
fn with_key() {
    let mut old: Old<u32> = Old::with_key();
    let mut new: New<u32> = New::default();
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
