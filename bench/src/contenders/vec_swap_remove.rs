//! A `Vec` kept dense by `swap_remove`: no handles. Its loops are the plain `Vec` loop that others are
//! measured against.

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// An index is a key until the first removal.
pub(crate) struct VecSwapRemove;

impl Contender for VecSwapRemove {
    const NAME: &'static str = "Vec, swap_remove";
    const KIND: Kind = Kind::Array;
    const KEYS_LAST: bool = false;
    type Key<T: Value> = u32;
    type Store<T: Value> = Vec<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(Vec::with_capacity(capacity))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        store.push(value);
        store.len() as u32 - 1
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> T {
        store.swap_remove(key as usize)
    }

    #[inline(always)]
    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        &store[key as usize]
    }

    #[inline(always)]
    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        &mut store[key as usize]
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
        for value in store.iter_mut() {
            visit(value);
        }
        true
    }

    #[inline(always)]
    fn walk_for_each<T: Value>(store: &mut Self::Store<T>, visit: impl FnMut(&mut T)) -> bool {
        store.iter_mut().for_each(visit);
        true
    }

    #[inline(always)]
    fn walk_runs<T: Value>(store: &mut Self::Store<T>, mut visit: impl FnMut(&mut T)) -> bool {
        for value in store.as_mut_slice() {
            visit(value);
        }
        true
    }

    #[inline(always)]
    fn retain<T: Value>(store: &mut Self::Store<T>, mut keep: impl FnMut(&mut T) -> bool) -> bool {
        let mut index = 0;
        while index < store.len() {
            if keep(&mut store[index]) {
                index += 1;
            } else {
                store.swap_remove(index);
            }
        }
        true
    }
}
