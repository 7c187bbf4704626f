//! `millpond::PackedPool` and `millpond::PackedVecPool`: values always adjacent, handles still stable. The second has all its
//! slots before the work begins, unless the work is to grow.

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// The contender of a packed pool, and how it begins where the work is to grow.
macro_rules! packed {
    ($name:ident $(, growing: $new_growing:item)?) => {
        /// See the module.
        pub(crate) struct $name;

        impl Contender for $name {
            const NAME: &'static str = stringify!($name);
            const KIND: Kind = Kind::Millpond;
            type Key<T: Value> = millpond::Handle<T>;
            type Store<T: Value> = millpond::$name<T>;

            fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
                Some(millpond::$name::with_capacity(capacity))
            }

            $($new_growing)?

            #[inline(always)]
            fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
                store.insert(value).expect("room")
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
                for value in store.as_mut_slice() {
                    visit(value);
                }
                true
            }

            #[inline(always)]
            fn retain<T: Value>(store: &mut Self::Store<T>, mut keep: impl FnMut(&mut T) -> bool) -> bool {
                store.retain(|_, value| keep(value));
                true
            }
        }
    };
}

packed!(PackedPool);
packed! {
    PackedVecPool, growing: fn new_growing<T: Value>(_capacity: usize) -> Option<Self::Store<T>> {
        Some(millpond::PackedVecPool::new())
    }
}
