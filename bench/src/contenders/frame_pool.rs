//! `millpond_memory::FramePool`, which is reset as a whole: in the works that rebuild all they have.

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// With links that are looked at, or, as the keys of the arenas here are pointers, without.
pub(crate) struct FramePool<const CHECKED: bool>;

impl<const CHECKED: bool> Contender for FramePool<CHECKED> {
    const NAME: &'static str = if CHECKED { "FramePool" } else { "FramePool, unchecked" };
    const KIND: Kind = Kind::Millpond;
    const REMOVES: bool = false;
    type Key<T: Value> = millpond_memory::FrameLink<T>;
    type Store<T: Value> = millpond_memory::FramePool<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(millpond_memory::FramePool::new(capacity))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        store.insert(value).unwrap_or_else(|_| unreachable!("there is room"))
    }

    fn remove<T: Value>(_store: &mut Self::Store<T>, _key: Self::Key<T>) -> T {
        unreachable!("no work asks a pool that is reset to remove one object")
    }

    #[inline(always)]
    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        if CHECKED {
            return store.get(key).expect("of this frame");
        }
        // SAFETY: the works use a key only until the next `clear`.
        unsafe { store.get_unchecked(key) }
    }

    #[inline(always)]
    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        if CHECKED {
            return store.get_mut(key).expect("of this frame");
        }
        // SAFETY: as in `get`.
        unsafe { store.get_unchecked_mut(key) }
    }

    fn clear<T: Value>(store: &mut Self::Store<T>) -> bool {
        store.reset();
        true
    }
}
