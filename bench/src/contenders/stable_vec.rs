//! `stable_vec::StableVec`: values, a bit each, plain indices. It appends always: a place once left is not
//! used again by itself, so works that remove and insert get a dash.

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// See the module.
pub(crate) struct StableVec;

impl Contender for StableVec {
    const NAME: &'static str = "stable-vec";
    const KIND: Kind = Kind::Index;
    const REMOVES: bool = false;
    type Key<T: Value> = usize;
    type Store<T: Value> = stable_vec::StableVec<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(stable_vec::StableVec::with_capacity(capacity))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        store.push(value)
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> T {
        store.remove(key).expect("live")
    }

    #[inline(always)]
    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        store.get(key).expect("live")
    }

    #[inline(always)]
    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        store.get_mut(key).expect("live")
    }

    fn clear<T: Value>(store: &mut Self::Store<T>) -> bool {
        store.clear();
        true
    }

    #[inline(always)]
    fn walk_for<T: Value>(
        store: &mut Self::Store<T>,
        _keys: &[Self::Key<T>],
        mut visit: impl FnMut(&mut T),
    ) -> bool {
        for value in store.values_mut() {
            visit(value);
        }
        true
    }

    #[inline(always)]
    fn walk_for_each<T: Value>(store: &mut Self::Store<T>, visit: impl FnMut(&mut T)) -> bool {
        store.values_mut().for_each(visit);
        true
    }
}
