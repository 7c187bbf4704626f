//! `millpond_classic::PoolAllocator`: guards like a `Box`, here of one chunk that was taken before the work
//! begins. The pool does not know its objects; the program keeps the guards.

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, transmute_copy};
use std::ptr::NonNull;

use millpond_classic::{self as classic, PoolBox};

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// See the module.
pub(crate) struct PoolAllocator;

/// A guard whose owner sees to it that it is dropped once: the works copy their keys.
pub(crate) struct Guard<T>(NonNull<()>, PhantomData<T>);

impl<T> Clone for Guard<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Guard<T> {}

impl<T> Guard<T> {
    #[inline(always)]
    fn new(guard: PoolBox<T>) -> Self {
        const { assert!(size_of::<Option<PoolBox<T>>>() == size_of::<NonNull<()>>()) };
        let guard = ManuallyDrop::new(guard);
        // SAFETY: a guard is a pointer that is not null (or an option of it would be larger).
        Self(unsafe { transmute_copy(&guard) }, PhantomData)
    }

    /// The guard, which the caller may use, but drop only in place of all its copies.
    #[inline(always)]
    fn guard(self) -> ManuallyDrop<PoolBox<T>> {
        // SAFETY: the bits are those of a guard that was not dropped.
        unsafe { transmute_copy(&self.0) }
    }
}

impl Contender for PoolAllocator {
    const NAME: &'static str = "classic::PoolAllocator";
    const KIND: Kind = Kind::Millpond;
    const WALKS_WITHOUT_KEYS: bool = false;
    type Key<T: Value> = Guard<T>;
    type Store<T: Value> = classic::PoolAllocator<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        let pool = classic::PoolAllocator::with_chunk_slots(capacity);
        pool.reserve(capacity).unwrap();
        Some(pool)
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        Guard::new(store.alloc(value))
    }

    #[inline(always)]
    fn remove<T: Value>(_store: &mut Self::Store<T>, key: Self::Key<T>) -> T {
        PoolBox::into_inner(ManuallyDrop::into_inner(key.guard()))
    }

    #[inline(always)]
    fn get<T: Value>(_store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        let value = NonNull::from(&**key.guard());
        // SAFETY: the works do not use a key after its removal, and the value does not move before.
        unsafe { value.as_ref() }
    }

    #[inline(always)]
    fn get_mut<T: Value>(_store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        let mut value = NonNull::from(&mut **key.guard());
        // SAFETY: as in `get`, and the store is borrowed exclusively.
        unsafe { value.as_mut() }
    }

    #[inline(always)]
    fn walk_for<T: Value>(
        store: &mut Self::Store<T>,
        keys: &[Self::Key<T>],
        mut visit: impl FnMut(&mut T),
    ) -> bool {
        for &key in keys {
            visit(Self::get_mut(store, key));
        }
        true
    }

    fn dispose<T: Value>(store: &mut Self::Store<T>, keys: &[Self::Key<T>]) {
        for &key in keys {
            Self::remove(store, key);
        }
    }
}
