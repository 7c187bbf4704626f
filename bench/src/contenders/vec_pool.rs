//! `millpond::VecPool`: grows as a `Vec` does, here with all its slots before the work begins, unless the work is to grow.

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// See the module.
pub(crate) struct VecPool;

impl Contender for VecPool {
    const NAME: &'static str = "VecPool";
    const KIND: Kind = Kind::Millpond;
    type Key<T: Value> = millpond::Handle<T>;
    type Store<T: Value> = millpond::VecPool<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(millpond::VecPool::with_capacity(capacity))
    }

    fn new_growing<T: Value>(_capacity: usize) -> Option<Self::Store<T>> {
        Some(millpond::VecPool::new())
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

    #[inline(always)]
    fn find<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> Option<&T> {
        store.get(key)
    }

    #[inline(always)]
    fn walk_shared<T: Value>(store: &Self::Store<T>, mut visit: impl FnMut(&T)) -> bool {
        for value in store.values() {
            visit(value);
        }
        true
    }

    fn duplicate<T: Value>(store: &Self::Store<T>) -> Option<Self::Store<T>> {
        Some(store.clone())
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
    fn retain<T: Value>(store: &mut Self::Store<T>, mut keep: impl FnMut(&mut T) -> bool) -> bool {
        store.retain(|_, value| keep(value));
        true
    }
}
