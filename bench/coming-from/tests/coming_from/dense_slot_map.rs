//! `DenseSlotMap` beside `PackedVecPool`.

use millpond::PackedVecPool;

use crate::keys::{NewKey, OldKey};

type Old<V> = slotmap::DenseSlotMap<OldKey, V>;
type New<V> = PackedVecPool<V, NewKey>;

#[path = "detached.rs"]
mod detached;
#[path = "every_map.rs"]
mod every_map;
#[path = "growing.rs"]
mod growing;

fn empty<V>() -> New<V> {
    PackedVecPool::default()
}

fn add<V>(pool: &mut New<V>, value: V) -> NewKey {
    pool.push(value)
}

#[test]
fn new() {
    let mut old = slotmap::DenseSlotMap::new();
    let mut new = PackedVecPool::new();
    let (key, handle) = (old.insert("a"), new.push("a"));
    assert_eq!(old.get(key), new.get(handle));
}

#[test]
fn with_capacity() {
    let mut old = slotmap::DenseSlotMap::with_capacity(10);
    let mut new: PackedVecPool<&str> = PackedVecPool::with_capacity(10);
    assert!(old.capacity() >= 10 && new.capacity() >= 10);
    let (key, handle) = (old.insert("a"), new.push("a"));
    assert_eq!(old[key], new[handle]);
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
