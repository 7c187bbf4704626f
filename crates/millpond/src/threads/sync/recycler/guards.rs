//! Guards of a recycler's objects.
//!
//! # Invariant
//!
//! A guard's thread owns the guard's object (see [`recycler`](super)) as long as the guard exists. A leaked guard owns
//! it forever.

use alloc::sync::Arc;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use super::SyncRecycler;

/// Exclusive access to an object of a [`SyncRecycler`]: [`Acquired`], which borrows the recycler, or
/// [`AcquiredOwned`], which shares it.
#[must_use = "dropping the guard gives the object back"]
pub struct AcquiredFrom<T, R: Deref<Target = SyncRecycler<T>>> {
    recycler: R,
    index: u32,
    /// `Sync` only if the object is, whatever the recycler: a reference to the guard lends the
    /// object.
    object: PhantomData<T>,
}

/// Exclusive access to an object of a [`SyncRecycler`], until the guard is dropped. The guard may
/// be sent to another thread.
///
/// The guard can be shared if the object can:
///
/// ```compile_fail
/// use std::cell::Cell;
///
/// fn share<T: Sync>(_: &T) {}
/// let recycler = millpond::SyncRecycler::<Cell<u8>>::new(1);
/// share(&recycler); // the recycler of objects that are `Send` is `Sync`
/// share(&recycler.acquire().unwrap()); // the guard lends a `&Cell<u8>`, which is not
/// ```
pub type Acquired<'a, T> = AcquiredFrom<T, &'a SyncRecycler<T>>;

/// Like [`Acquired`], but it borrows nothing: it shares ownership of the recycler.
///
/// ```compile_fail
/// use std::{cell::Cell, sync::Arc};
///
/// fn share<T: Sync>(_: &T) {}
/// let recycler = Arc::new(millpond::SyncRecycler::<Cell<u8>>::new(1));
/// share(&recycler.acquire_owned().unwrap()); // would let two threads have the `Cell`
/// ```
pub type AcquiredOwned<T> = AcquiredFrom<T, Arc<SyncRecycler<T>>>;

// SAFETY: a reference to the guard lends a shared reference to the object, and nothing else.
unsafe impl<T: Sync> Sync for Acquired<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for AcquiredOwned<T> {}

impl<T, R: Deref<Target = SyncRecycler<T>>> AcquiredFrom<T, R> {
    /// The caller has claimed this object.
    #[inline]
    pub(super) fn new(recycler: R, index: usize) -> Self {
        Self { recycler, index: index as u32, object: PhantomData }
    }

    /// Returns the object's index, which never changes.
    #[must_use]
    pub fn index(guard: &Self) -> usize {
        guard.index as usize
    }
}

impl<T, R: Deref<Target = SyncRecycler<T>>> Deref for AcquiredFrom<T, R> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.recycler.objects.place(self.index as usize).with(|object| {
            // SAFETY: the guard owns the object, which is there, and is borrowed as long as the reference lives.
            unsafe { &*object.cast::<T>() }
        })
    }
}

impl<T, R: Deref<Target = SyncRecycler<T>>> DerefMut for AcquiredFrom<T, R> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.recycler.objects.place(self.index as usize).with_mut(|object| {
            // SAFETY: the guard owns the object, which is there, and is borrowed exclusively.
            unsafe { &mut *object.cast::<T>() }
        })
    }
}

impl<T, R: Deref<Target = SyncRecycler<T>>> Drop for AcquiredFrom<T, R> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the guard owns the object, and is gone after this.
        unsafe { self.recycler.release(self.index as usize) };
    }
}

impl<T: fmt::Debug, R: Deref<Target = SyncRecycler<T>>> fmt::Debug for AcquiredFrom<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
