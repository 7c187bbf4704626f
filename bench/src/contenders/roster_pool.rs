//! `millpond_classic::RosterPool`: every slot always valid. As in `Recycler`, its `for` is the pass over the
//! whole array, dead slots too; it has no other loop.

use millpond_classic as classic;

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// See the module.
pub(crate) struct RosterPool;

impl Contender for RosterPool {
    const NAME: &'static str = "classic::RosterPool";
    const KIND: Kind = Kind::Millpond;
    type Key<T: Value> = millpond::Handle<T>;
    type Store<T: Value> = classic::RosterPool<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(classic::RosterPool::new(capacity))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        let key = store.allocate().expect("room");
        *Self::get_mut(store, key) = value;
        key
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> T {
        let value = *Self::get(store, key);
        store.free(key);
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
