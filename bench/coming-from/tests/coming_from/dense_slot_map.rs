//! `DenseSlotMap` beside `PackedPool`.

use millpond::PackedPool;

use crate::keys::{NewKey, OldKey};

type Old<V> = slotmap::DenseSlotMap<OldKey, V>;
type New<V> = PackedPool<V, NewKey>;

#[path = "detached.rs"]
mod detached;
#[path = "every_map.rs"]
mod every_map;

fn empty<V>() -> New<V> {
    PackedPool::with_capacity(100)
}

fn add<V>(pool: &mut New<V>, value: V) -> NewKey {
    pool.insert(value).expect("there is room")
}

#[test]
fn new() {
    let mut old = slotmap::DenseSlotMap::new();
    let mut new = PackedPool::new(10);
    let (key, handle) = (old.insert("a"), new.insert("a").unwrap());
    assert_eq!(old.get(key), new.get(handle));
}

#[test]
fn with_capacity() {
    let mut old = slotmap::DenseSlotMap::with_capacity(10);
    let mut new = PackedPool::new(10);
    assert!(old.capacity() >= 10 && new.capacity() == 10);
    let (key, handle) = (old.insert("a"), new.insert("a").unwrap());
    assert_eq!(old[key], new[handle]);
}

#[test]
fn with_key() {
    let mut old: Old<u32> = slotmap::DenseSlotMap::with_key();
    let mut new: New<u32> = PackedPool::with_capacity(10);
    let (key, handle) = (old.insert(1), new.insert(1).unwrap());
    assert_eq!(old[key], new[handle]);
}

#[test]
fn insert() {
    let (mut old, mut new) = (Old::<u32>::default(), empty());
    for value in 0..100 {
        let (key, handle) = (old.insert(value), new.insert(value).unwrap());
        assert_eq!(old[key], new[handle]);
    }
    assert_eq!(new.insert(100).unwrap_err().into_inner(), 100); // it is full
}

#[test]
fn reserve() {
    let mut old = Old::<u32>::default();
    old.reserve(10);
    let new = New::<u32>::with_capacity(10);
    assert!(old.capacity() >= 10 && new.capacity() == 10);
}

#[test]
fn try_reserve() {
    let mut old = Old::<u32>::default();
    assert!(old.try_reserve(usize::MAX).is_err());
    assert!(New::<u32>::typed_builder().capacity(usize::MAX).try_build().is_err());
}

#[test]
fn get_unchecked() {
    let (old, keys, new, handles) = every_map::three();
    // SAFETY: the keys are live.
    let olds = keys.map(|key| unsafe { *old.get_unchecked(key) });
    assert_eq!(olds, handles.map(|handle| *new.get(handle).unwrap()));
}

#[test]
fn get_unchecked_mut() {
    let (mut old, keys, mut new, handles) = every_map::three();
    // SAFETY: the key is live.
    unsafe { *old.get_unchecked_mut(keys[1]) += 1 };
    *new.get_mut(handles[1]).unwrap() += 1;
    assert_eq!(old[keys[1]], new[handles[1]]);
}

#[test]
fn keys_as_slice() {
    let (mut old, keys, mut new, handles) = every_map::three();
    (old.remove(keys[0]), new.remove(handles[0]));
    assert_eq!(old.keys_as_slice(), [keys[2], keys[1]]);
    assert_eq!(new.as_handle_slice(), [handles[2], handles[1]]);
}

#[test]
fn values_as_slice() {
    let (mut old, keys, mut new, handles) = every_map::three();
    (old.remove(keys[0]), new.remove(handles[0]));
    assert_eq!(old.values_as_slice(), new.as_slice());
}

#[test]
fn values_as_mut_slice() {
    let (mut old, _, mut new, _) = every_map::three();
    old.values_as_mut_slice()[1] += 1;
    new.as_mut_slice()[1] += 1;
    assert_eq!(old.values_as_slice(), new.as_slice());
}

#[test]
fn as_slices() {
    let (old, _, new, handles) = every_map::three();
    let (_, values) = old.as_slices();
    assert_eq!((handles.as_slice(), values), (new.as_handle_slice(), new.as_slice()));
}

#[test]
fn as_mut_slices() {
    let (mut old, keys, mut new, handles) = every_map::three();
    let (all, values) = old.as_mut_slices();
    all.iter().zip(values).filter(|(key, _)| **key != keys[0]).for_each(|(_, value)| *value += 1);
    new.iter_mut().filter(|(handle, _)| *handle != handles[0]).for_each(|(_, value)| *value += 1);
    assert_eq!(old.values_as_slice(), new.as_slice());
}
