//! `millpond_classic::BytemapPool`: a byte for each slot. Its loops go over the slot numbers and ask at each,
//! as programs with this design do.

use millpond_classic as classic;

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// See the module.
pub(crate) struct BytemapPool;

/// Its search for a free slot is longer the more slots there are: larger stores would take minutes.
const SLOTS_MAX: usize = 100_000;

impl Contender for BytemapPool {
    const NAME: &'static str = "classic::BytemapPool";
    const KIND: Kind = Kind::Millpond;
    type Key<T: Value> = i32;
    type Store<T: Value> = classic::BytemapPool<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        (capacity <= SLOTS_MAX).then(|| classic::BytemapPool::new(capacity))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        store.insert(value).ok().expect("room")
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
        for index in 0..store.capacity() {
            if let Some(key) = store.handle_at(index) {
                visit(Self::get_mut(store, key));
            }
        }
        true
    }

    #[inline(always)]
    fn retain<T: Value>(store: &mut Self::Store<T>, mut keep: impl FnMut(&mut T) -> bool) -> bool {
        for index in 0..store.capacity() {
            if let Some(key) = store.handle_at(index)
                && !keep(Self::get_mut(store, key))
            {
                store.remove_at(index);
            }
        }
        true
    }
}
