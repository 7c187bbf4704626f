//! `DenseSlotMap` beside `PackedPool`, which does not grow, and from which values can be taken out.

use millpond::PackedPool;

use super::Old;
use crate::keys::NewKey;

#[path = "detached.rs"]
mod detached;

type New<V> = PackedPool<V, NewKey>;

fn empty<V>() -> New<V> {
    PackedPool::with_capacity(8)
}

fn add<V>(pool: &mut New<V>, value: V) -> NewKey {
    pool.insert(value).map_err(|_| ()).unwrap()
}
