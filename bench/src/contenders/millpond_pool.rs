//! `millpond::Pool` with each reuse order, and with handles of four bytes.

use std::marker::PhantomData;

use millpond::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::{Handle, Handle32, Pool};

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// Pools that differ by their reuse order.
pub(crate) struct PoolWith<R>(PhantomData<R>);

/// A reuse order and the name of its pool in the tables.
pub(crate) trait Order: ReuseOrder {
    const POOL: &'static str;
}

impl Order for Lifo {
    const POOL: &'static str = "Pool, Lifo";
}
impl Order for Fifo {
    const POOL: &'static str = "Pool, Fifo";
}
impl Order for LowestFirst {
    const POOL: &'static str = "Pool, LowestFirst";
}
impl Order for Roster {
    const POOL: &'static str = "Pool, Roster";
}

/// What both kinds of pool do alike: all but `new` and the types.
macro_rules! pool_operations {
    () => {
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
        fn retain<T: Value>(
            store: &mut Self::Store<T>,
            mut keep: impl FnMut(&mut T) -> bool,
        ) -> bool {
            store.retain(|_, value| keep(value));
            true
        }
    };
}

impl<R: Order> Contender for PoolWith<R> {
    const NAME: &'static str = R::POOL;
    const KIND: Kind = Kind::Millpond;
    type Key<T: Value> = Handle<T>;
    type Store<T: Value> = Pool<T, R>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(Pool::with_capacity(capacity))
    }

    pool_operations!();
}

/// Handles of four bytes, 16 bits for the index: pools of up to 65,536 slots.
pub(crate) struct PoolNarrow;

impl Contender for PoolNarrow {
    const NAME: &'static str = "Pool, Lifo, Handle32<16>";
    const KIND: Kind = Kind::Millpond;
    type Key<T: Value> = Handle32<T, 16>;
    type Store<T: Value> = Pool<T, Lifo, Handle32<T, 16>>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        let builder = Pool::builder().handle::<Handle32<T, 16>>();
        // 65,535 lifetimes per slot: fewer than a long replay of a short trace asks of its hottest.
        (capacity <= 1 << 16).then(|| builder.capacity(capacity).wrap().build())
    }

    pool_operations!();
}
