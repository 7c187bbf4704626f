//! The ways to store objects that a trace is replayed on.

use std::marker::PhantomData;

use millpond::reuse::ReuseOrder;
use millpond::{Handle, PackedPool, Pool, Recycler, VecPool};

use super::object::Value;

/// A way to store objects.
pub(super) trait Contender: 'static {
    type Store<T: Value>;
    /// The program's key of an object.
    type Key<T: Value>;

    fn new<T: Value>(capacity: usize) -> Self::Store<T>;
    /// `None` if there is no room, which does not happen.
    fn insert<T: Value>(store: &mut Self::Store<T>, number: u64) -> Option<Self::Key<T>>;
    /// The number of the removed object; `None` if there is none, which does not happen.
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> Option<u64>;
    /// Visits all objects and returns the sum of their numbers. A program also has the keys, so `keys` may be used.
    fn walk<T: Value>(
        store: &mut Self::Store<T>,
        keys: &mut [Option<Self::Key<T>>],
        way: Way,
    ) -> u64;
}

/// How all objects are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// One by one.
    Values,
    /// Slice by slice, where objects are adjacent.
    Runs,
}

/// The sum of the visited objects' numbers.
#[inline(always)]
fn visited<'a, T: Value>(objects: impl Iterator<Item = &'a mut T>) -> u64 {
    objects.fold(0, |sum: u64, object| sum.wrapping_add(object.visit()))
}

pub(super) struct Pooled<R>(PhantomData<R>);

impl<R: ReuseOrder> Contender for Pooled<R> {
    type Store<T: Value> = Pool<T, R>;
    type Key<T: Value> = Handle<T>;

    fn new<T: Value>(capacity: usize) -> Pool<T, R> {
        Pool::with_capacity(capacity)
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Pool<T, R>, number: u64) -> Option<Handle<T>> {
        store.insert(T::new(number)).ok()
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Pool<T, R>, key: Handle<T>) -> Option<u64> {
        store.remove(key).map(|object| object.number())
    }

    #[inline(always)]
    fn walk<T: Value>(store: &mut Pool<T, R>, _keys: &mut [Option<Handle<T>>], way: Way) -> u64 {
        match way {
            Way::Values => visited(store.values_mut()),
            Way::Runs => visited(store.runs_mut().flat_map(|(_, run)| run)),
        }
    }
}

pub(super) struct Packed;

impl Contender for Packed {
    type Store<T: Value> = PackedPool<T>;
    type Key<T: Value> = Handle<T>;

    fn new<T: Value>(capacity: usize) -> PackedPool<T> {
        PackedPool::new(capacity)
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut PackedPool<T>, number: u64) -> Option<Handle<T>> {
        store.insert(T::new(number)).ok()
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut PackedPool<T>, key: Handle<T>) -> Option<u64> {
        store.remove(key).map(|object| object.number())
    }

    #[inline(always)]
    fn walk<T: Value>(
        store: &mut PackedPool<T>,
        _keys: &mut [Option<Handle<T>>],
        _way: Way,
    ) -> u64 {
        visited(store.values_mut())
    }
}

/// Grows as objects are inserted, which shows in the times of single operations.
pub(super) struct Growing;

impl Contender for Growing {
    type Store<T: Value> = VecPool<T>;
    type Key<T: Value> = Handle<T>;

    fn new<T: Value>(capacity: usize) -> VecPool<T> {
        VecPool::builder().capacity_max(capacity).build()
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut VecPool<T>, number: u64) -> Option<Handle<T>> {
        store.insert(T::new(number)).ok()
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut VecPool<T>, key: Handle<T>) -> Option<u64> {
        store.remove(key).map(|object| object.number())
    }

    #[inline(always)]
    fn walk<T: Value>(store: &mut VecPool<T>, _keys: &mut [Option<Handle<T>>], way: Way) -> u64 {
        match way {
            Way::Values => visited(store.values_mut()),
            Way::Runs => visited(store.runs_mut().flat_map(|(_, run)| run)),
        }
    }
}

pub(super) struct Recycled;

impl Contender for Recycled {
    type Store<T: Value> = Recycler<T>;
    type Key<T: Value> = Handle<T>;

    fn new<T: Value>(capacity: usize) -> Recycler<T> {
        Recycler::new(capacity)
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Recycler<T>, number: u64) -> Option<Handle<T>> {
        let (handle, object) = store.acquire()?;
        object.renew(number);
        Some(handle)
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Recycler<T>, key: Handle<T>) -> Option<u64> {
        let number = store.get(key)?.number();
        store.release(key).then_some(number)
    }

    #[inline(always)]
    fn walk<T: Value>(store: &mut Recycler<T>, _keys: &mut [Option<Handle<T>>], way: Way) -> u64 {
        match way {
            Way::Values => visited(store.iter_mut().map(|(_, object)| object)),
            Way::Runs => visited(store.runs_mut().flat_map(|(_, run)| run)),
        }
    }
}

pub(super) struct Boxed;

impl Contender for Boxed {
    type Store<T: Value> = ();
    type Key<T: Value> = Box<T>;

    fn new<T: Value>(_capacity: usize) {}

    #[inline(always)]
    fn insert<T: Value>(_store: &mut (), number: u64) -> Option<Box<T>> {
        Some(Box::new(T::new(number)))
    }

    #[inline(always)]
    fn remove<T: Value>(_store: &mut (), key: Box<T>) -> Option<u64> {
        Some(key.number())
    }

    #[inline(always)]
    fn walk<T: Value>(_store: &mut (), keys: &mut [Option<Box<T>>], _way: Way) -> u64 {
        visited(keys.iter_mut().flatten().map(|object| &mut **object))
    }
}
