//! `thunderation::Arena`: a maintained fork of thunderdome, in safe code, with typed keys.

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// See the module.
pub(crate) struct Thunderation;

impl Contender for Thunderation {
    const NAME: &'static str = "thunderation";
    const KIND: Kind = Kind::Generational;
    type Key<T: Value> = thunderation::Key<()>;
    type Store<T: Value> = thunderation::Arena<(), T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(thunderation::Arena::with_capacity(capacity))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        store.insert(value)
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
        for (_, value) in store.iter() {
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
        for (_, value) in store.iter_mut() {
            visit(value);
        }
        true
    }

    #[inline(always)]
    fn walk_for_each<T: Value>(store: &mut Self::Store<T>, mut visit: impl FnMut(&mut T)) -> bool {
        store.iter_mut().for_each(|(_, value)| visit(value));
        true
    }

    #[inline(always)]
    fn retain<T: Value>(store: &mut Self::Store<T>, mut keep: impl FnMut(&mut T) -> bool) -> bool {
        store.retain(|_, value| keep(value));
        true
    }
}
