//! `fyrox_core::pool::Pool`: a record of generation and option for each object, a stack of free ones. Its
//! `retain` shows the objects read-only, so the works that change objects in it get a dash.

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// See the module.
pub(crate) struct FyroxPool;

impl Contender for FyroxPool {
    const NAME: &'static str = "fyrox-core";
    const KIND: Kind = Kind::Generational;
    type Key<T: Value> = fyrox_core::pool::Handle<T>;
    type Store<T: Value> = fyrox_core::pool::Pool<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(fyrox_core::pool::Pool::with_capacity(capacity as u32))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        store.spawn(value)
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> T {
        store.free(key)
    }

    #[inline(always)]
    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        store.borrow(key)
    }

    #[inline(always)]
    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        store.borrow_mut(key)
    }

    #[inline(always)]
    fn find<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> Option<&T> {
        store.try_borrow(key).ok()
    }

    #[inline(always)]
    fn walk_shared<T: Value>(store: &Self::Store<T>, mut visit: impl FnMut(&T)) -> bool {
        for value in store.iter() {
            visit(value);
        }
        true
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
}
