//! `HopSlotMap` beside `VecPool`.

#![allow(deprecated, reason = "slotmap will remove it")]

use millpond::VecPool;
use millpond::reuse::Lifo;

use crate::keys::{NewKey, OldKey};

type Old<V> = slotmap::HopSlotMap<OldKey, V>;
type New<V> = VecPool<V, Lifo, NewKey>;

#[path = "every_map.rs"]
mod every_map;
#[path = "growing.rs"]
mod growing;

fn empty<V>() -> New<V> {
    VecPool::default()
}

fn add<V>(pool: &mut New<V>, value: V) -> NewKey {
    pool.push(value)
}

#[test]
fn new() {
    let mut old = slotmap::HopSlotMap::new();
    let mut new = VecPool::new();
    let (key, handle) = (old.insert("a"), new.push("a"));
    assert_eq!(old.get(key), new.get(handle));
}

#[test]
fn with_capacity() {
    let mut old = slotmap::HopSlotMap::with_capacity(10);
    let mut new: VecPool<&str> = VecPool::with_capacity(10);
    assert!(old.capacity() >= 10 && new.capacity() >= 10);
    let (key, handle) = (old.insert("a"), new.push("a"));
    assert_eq!(old[key], new[handle]);
}
