//! Arenas that give everything back at once: in the works that rebuild all they have.

use std::num::NonZeroU32;
use std::ptr::NonNull;

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// `bumpalo::Bump`: `reset` keeps the largest chunk.
pub(crate) struct Bumpalo;

impl Contender for Bumpalo {
    const NAME: &'static str = "bumpalo";
    const KIND: Kind = Kind::Arena;
    const REMOVES: bool = false;
    type Key<T: Value> = NonNull<T>;
    type Store<T: Value> = bumpalo::Bump;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(bumpalo::Bump::with_capacity(capacity * size_of::<T>()))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        NonNull::from(store.alloc(value))
    }

    fn remove<T: Value>(_store: &mut Self::Store<T>, _key: Self::Key<T>) -> T {
        unreachable!("no work asks an arena to remove one object")
    }

    #[inline(always)]
    fn get<T: Value>(_store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        // SAFETY: the works use a key only until the next `clear`; nothing moves before.
        unsafe { key.as_ref() }
    }

    #[inline(always)]
    fn get_mut<T: Value>(_store: &mut Self::Store<T>, mut key: Self::Key<T>) -> &mut T {
        // SAFETY: as in `get`, and the store is borrowed exclusively.
        unsafe { key.as_mut() }
    }

    fn clear<T: Value>(store: &mut Self::Store<T>) -> bool {
        store.reset();
        true
    }
}

/// `typed_arena::Arena`: cannot be emptied, so `clear` makes a new one of the same size.
pub(crate) struct TypedArena;

/// The arena, and the size to make it with.
pub(crate) struct Sized<T> {
    arena: typed_arena::Arena<T>,
    capacity: usize,
}

impl Contender for TypedArena {
    const NAME: &'static str = "typed-arena";
    const KIND: Kind = Kind::Arena;
    const REMOVES: bool = false;
    type Key<T: Value> = NonNull<T>;
    type Store<T: Value> = Sized<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(Sized { arena: typed_arena::Arena::with_capacity(capacity), capacity })
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        NonNull::from(store.arena.alloc(value))
    }

    fn remove<T: Value>(_store: &mut Self::Store<T>, _key: Self::Key<T>) -> T {
        unreachable!("no work asks an arena to remove one object")
    }

    #[inline(always)]
    fn get<T: Value>(_store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        // SAFETY: the works use a key only until the next `clear`; nothing moves before.
        unsafe { key.as_ref() }
    }

    #[inline(always)]
    fn get_mut<T: Value>(_store: &mut Self::Store<T>, mut key: Self::Key<T>) -> &mut T {
        // SAFETY: as in `get`, and the store is borrowed exclusively.
        unsafe { key.as_mut() }
    }

    fn clear<T: Value>(store: &mut Self::Store<T>) -> bool {
        store.arena = typed_arena::Arena::with_capacity(store.capacity);
        true
    }
}

/// `Vec`, cleared: its keys are indices, and a stale one reads another object.
pub(crate) struct VecCleared;

impl Contender for VecCleared {
    const NAME: &'static str = "Vec, cleared";
    const KIND: Kind = Kind::Arena;
    const REMOVES: bool = false;
    type Key<T: Value> = NonZeroU32;
    type Store<T: Value> = Vec<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(Vec::with_capacity(capacity))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        store.push(value);
        NonZeroU32::new(store.len() as u32).expect("just pushed")
    }

    fn remove<T: Value>(_store: &mut Self::Store<T>, _key: Self::Key<T>) -> T {
        unreachable!("no work asks an arena to remove one object")
    }

    #[inline(always)]
    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        &store[key.get() as usize - 1]
    }

    #[inline(always)]
    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        &mut store[key.get() as usize - 1]
    }

    fn clear<T: Value>(store: &mut Self::Store<T>) -> bool {
        store.clear();
        true
    }
}
