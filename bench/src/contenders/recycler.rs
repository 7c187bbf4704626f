//! `millpond::Recycler`: every slot always valid. Its `for` is the pass over the whole array, dead slots
//! too, without a branch; its runs visit the live ones.

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// See the module.
pub(crate) struct Recycler;

impl Contender for Recycler {
    const NAME: &'static str = "Recycler";
    const KIND: Kind = Kind::Millpond;
    type Key<T: Value> = millpond::Handle<T>;
    type Store<T: Value> = millpond::Recycler<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(millpond::Recycler::new(capacity))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        let (key, slot) = store.acquire().expect("room");
        *slot = value;
        key
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> T {
        let value = *store.get(key).expect("live");
        store.release(key);
        value
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
    fn walk_runs<T: Value>(store: &mut Self::Store<T>, mut visit: impl FnMut(&mut T)) -> bool {
        for (_, run) in store.runs_mut() {
            for value in run {
                visit(value);
            }
        }
        true
    }

    #[inline(always)]
    fn walk_for<T: Value>(
        store: &mut Self::Store<T>,
        _keys: &[Self::Key<T>],
        mut visit: impl FnMut(&mut T),
    ) -> bool {
        for value in store.as_mut_slice() {
            visit(value);
        }
        true
    }
}
