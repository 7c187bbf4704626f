//! `millpond::FramePool`, which is reset as a whole: in the works that rebuild all they have.

use crate::contender::{Contender, Kind};
use crate::object::Value;

pub(crate) struct FramePool;

impl Contender for FramePool {
    const NAME: &'static str = "FramePool";
    const KIND: Kind = Kind::Millpond;
    const REMOVES: bool = false;
    type Key<T: Value> = millpond::FrameLink<T>;
    type Store<T: Value> = millpond::FramePool<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(millpond::FramePool::new(capacity))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        store.insert(value).ok().expect("room")
    }

    fn remove<T: Value>(_store: &mut Self::Store<T>, _key: Self::Key<T>) -> T {
        unreachable!("no work asks a pool that is reset to remove one object")
    }

    #[inline(always)]
    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        store.get(key).expect("of this frame")
    }

    #[inline(always)]
    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        store.get_mut(key).expect("of this frame")
    }

    fn clear<T: Value>(store: &mut Self::Store<T>) -> bool {
        store.reset();
        true
    }
}
