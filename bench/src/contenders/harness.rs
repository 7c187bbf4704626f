//! Not a contender: the harness of the frames alone. It makes objects, reads events and keeps handles, and no
//! object is stored or visited.

use std::hint::black_box;

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// See the module.
pub(crate) struct Harness;

pub(crate) const NAME: &str = "limit: the harness alone";

impl Contender for Harness {
    const NAME: &'static str = NAME;
    const KIND: Kind = Kind::Limit;
    const UPDATES: bool = false;
    type Key<T: Value> = u32;
    /// What every handle names.
    type Store<T: Value> = T;

    fn new<T: Value>(_capacity: usize) -> Option<Self::Store<T>> {
        Some(T::default())
    }

    #[inline(always)]
    fn insert<T: Value>(_store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        black_box(&value);
        0
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Self::Store<T>, _key: Self::Key<T>) -> T {
        *store
    }

    #[inline(always)]
    fn get<T: Value>(store: &Self::Store<T>, _key: Self::Key<T>) -> &T {
        store
    }

    #[inline(always)]
    fn get_mut<T: Value>(store: &mut Self::Store<T>, _key: Self::Key<T>) -> &mut T {
        store
    }

    #[inline(always)]
    fn walk_for<T: Value>(
        store: &mut Self::Store<T>,
        _keys: &[Self::Key<T>],
        _visit: impl FnMut(&mut T),
    ) -> bool {
        black_box(store);
        true
    }

    #[inline(always)]
    fn walk_for_each<T: Value>(store: &mut Self::Store<T>, _visit: impl FnMut(&mut T)) -> bool {
        black_box(store);
        true
    }

    #[inline(always)]
    fn walk_runs<T: Value>(store: &mut Self::Store<T>, _visit: impl FnMut(&mut T)) -> bool {
        black_box(store);
        true
    }
}
