//! One heap allocation per object, as `Box` does it: on the system's allocator (glibc on most Linux
//! machines), on mimalloc and on jemalloc, each called directly, so that all are in one process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// An allocator to call, and its name in the tables.
pub(crate) trait Heap: 'static {
    const NAME: &'static str;
    type Allocator: GlobalAlloc + 'static;
    const ALLOCATOR: Self::Allocator;
}

/// The system's `malloc`.
pub(crate) struct SystemHeap;

impl Heap for SystemHeap {
    const NAME: &'static str = if cfg!(target_env = "gnu") { "Box, glibc" } else { "Box, system" };
    type Allocator = System;
    const ALLOCATOR: System = System;
}

/// mimalloc.
#[cfg(feature = "allocators")]
pub(crate) struct MiHeap;

#[cfg(feature = "allocators")]
impl Heap for MiHeap {
    const NAME: &'static str = "Box, mimalloc";
    type Allocator = mimalloc::MiMalloc;
    const ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
}

/// jemalloc.
#[cfg(feature = "allocators")]
pub(crate) struct JeHeap;

#[cfg(feature = "allocators")]
impl Heap for JeHeap {
    const NAME: &'static str = "Box, jemalloc";
    type Allocator = tikv_jemallocator::Jemalloc;
    const ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
}

/// Objects of their own on heap `H`; the program keeps the pointers.
pub(crate) struct BoxOn<H>(PhantomData<H>);

impl<H: Heap> Contender for BoxOn<H> {
    const NAME: &'static str = H::NAME;
    const KIND: Kind = Kind::Allocator;
    const WALKS_WITHOUT_KEYS: bool = false;
    type Key<T: Value> = NonNull<T>;
    type Store<T: Value> = ();

    fn new<T: Value>(_capacity: usize) -> Option<Self::Store<T>> {
        const { assert!(size_of::<T>() > 0) };
        Some(())
    }

    #[inline(always)]
    fn insert<T: Value>(_store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        // SAFETY: `new` has checked that the size is not zero.
        let memory = unsafe { H::ALLOCATOR.alloc(Layout::new::<T>()) };
        let object = NonNull::new(memory.cast::<T>()).expect("memory");
        // SAFETY: fresh memory of the layout of `T`.
        unsafe { object.write(value) };
        object
    }

    #[inline(always)]
    fn remove<T: Value>(_store: &mut Self::Store<T>, key: Self::Key<T>) -> T {
        // SAFETY: the works remove each key once, so it still points to the value that `insert` wrote.
        let value = unsafe { key.read() };
        // SAFETY: the memory comes from this allocator and layout, and is given back once.
        unsafe { H::ALLOCATOR.dealloc(key.as_ptr().cast(), Layout::new::<T>()) };
        value
    }

    #[inline(always)]
    fn get<T: Value>(_store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        // SAFETY: the works do not use a key after its removal.
        unsafe { key.as_ref() }
    }

    #[inline(always)]
    fn get_mut<T: Value>(_store: &mut Self::Store<T>, mut key: Self::Key<T>) -> &mut T {
        // SAFETY: as in `get`, and the store is borrowed exclusively.
        unsafe { key.as_mut() }
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
