//! The guard of a value in a pool allocator.
//!
//! # Invariant
//!
//! The slot of a guard is initialised, and the guard alone owns it.

use core::borrow::{Borrow, BorrowMut};
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::pin::Pin;
use core::ptr::NonNull;

use super::chunks::{FreeSlot, Live};

/// A value in a [`PoolAllocator`](super::PoolAllocator), like a `Box` whose memory returns to the
/// pool. It has eight bytes, and so does `Option<PoolBox<T>>`.
///
/// The value never moves. When the guard is dropped, the value is dropped in place, and its slot is
/// the next to be reused.
///
/// ```
/// use millpond::classic::{PoolAllocator, PoolBox};
///
/// let pool = PoolAllocator::new();
/// let name: PoolBox<String> = pool.alloc("spark".to_string());
/// assert_eq!(name.len(), 5);
/// assert_eq!(PoolBox::into_inner(name), "spark");
/// assert!(pool.is_empty());
/// assert_eq!(size_of::<Option<PoolBox<String>>>(), 8);
/// ```
///
/// The guard's own functions are called as `PoolBox::function(guard)`, as with a `Box`.
pub struct PoolBox<T> {
    slot: NonNull<Live<T>>,
    value: PhantomData<T>,
}

// SAFETY: what a shared guard gives to another thread is a shared reference to its value, nothing of the
// pool. (It is not `Send`: a guard that is dropped pushes to the pool's stack.)
unsafe impl<T: Sync> Sync for PoolBox<T> {}

/// A guard may move, because the value does not move with it.
impl<T> Unpin for PoolBox<T> {}

impl<T> PoolBox<T> {
    /// Makes a value in the slot. If `make` panics, the slot goes back to the stack.
    #[inline]
    pub(super) fn construct(free: FreeSlot<T>, make: impl FnOnce() -> T) -> Self {
        // SAFETY: the slot is within its chunk, and nobody else uses it.
        let place = unsafe { &raw mut (*free.as_ptr()).value };
        // SAFETY: as above; and the slot has no value that would be lost.
        unsafe { place.write(make()) };
        let (chunks, slot) = free.into_parts();
        chunks.count_insertion();
        // SAFETY: the slot is within its chunk, and nobody else uses it.
        let place = unsafe { &raw mut (*slot.as_ptr()).chunks };
        // SAFETY: as above. Now both fields are initialised, and the guard is the slot's only owner.
        unsafe { place.write(chunks) };
        Self { slot, value: PhantomData }
    }

    /// Splits the slot into the place of the value, and the slot, which goes back to the stack when
    /// it is dropped.
    ///
    /// # Safety
    ///
    /// The guard is not used again. The caller moves the value out or drops it before it drops the
    /// slot.
    #[inline]
    unsafe fn empty(&mut self) -> (*mut T, FreeSlot<T>) {
        // SAFETY: the slot is within its chunk.
        let chunks = unsafe { &raw const (*self.slot.as_ptr()).chunks };
        // SAFETY: the slot is initialised, and the guard, which would use this again, is not.
        let chunks = unsafe { chunks.read() };
        chunks.count_removal();
        // SAFETY: the slot is within its chunk.
        let value = unsafe { &raw mut (*self.slot.as_ptr()).value };
        // SAFETY: the slot was one of these chunks when it was initialised with them, and the guard
        // was its only owner.
        (value, unsafe { FreeSlot::emptied(chunks, self.slot) })
    }

    /// Moves the value out, and frees the slot. O(1).
    ///
    /// ```
    /// use millpond::classic::{PoolAllocator, PoolBox};
    ///
    /// let pool = PoolAllocator::new();
    /// let guard = pool.alloc(vec![1, 2]);
    /// let numbers: Vec<i32> = PoolBox::into_inner(guard);
    /// assert_eq!((numbers.len(), pool.len()), (2, 0));
    /// ```
    #[inline]
    #[must_use = "a value that is not wanted is destroyed by dropping its guard"]
    pub fn into_inner(this: Self) -> T {
        let mut this = ManuallyDrop::new(this);
        // SAFETY: the guard is not used again.
        let (value, _free) = unsafe { this.empty() };
        // SAFETY: the value is initialised, and the slot goes back after this.
        unsafe { value.read() }
    }

    /// Returns the same guard, pinned: the value stays where it is until it is dropped, even if the
    /// guard is leaked.
    ///
    /// ```
    /// use std::marker::PhantomPinned;
    ///
    /// use millpond::classic::{PoolAllocator, PoolBox};
    ///
    /// let pool = PoolAllocator::new();
    /// let pinned = PoolBox::into_pin(pool.alloc((1, PhantomPinned)));
    /// assert_eq!(pinned.0, 1);
    /// ```
    #[inline]
    #[must_use]
    pub fn into_pin(this: Self) -> Pin<Self> {
        // SAFETY: the value is never moved but by `into_inner`, which takes the guard itself. Its slot
        // is used again only after the value was destroyed, by dropping the guard. If that never
        // happens, the slot keeps the chunks, and so its memory, for ever.
        unsafe { Pin::new_unchecked(this) }
    }
}

impl<T> Drop for PoolBox<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: a guard is dropped once.
        let (value, _free) = unsafe { self.empty() };
        // SAFETY: the value is initialised, and the slot goes back after this, also if it panics.
        unsafe { value.drop_in_place() };
    }
}

impl<T> Deref for PoolBox<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the slot is initialised, and changes only through this guard.
        unsafe { &(*self.slot.as_ptr()).value }
    }
}

impl<T> DerefMut for PoolBox<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the slot is initialised, and this guard, its only owner, is borrowed.
        unsafe { &mut (*self.slot.as_ptr()).value }
    }
}

impl<T> From<PoolBox<T>> for Pin<PoolBox<T>> {
    fn from(guard: PoolBox<T>) -> Self {
        PoolBox::into_pin(guard)
    }
}

impl<T> AsRef<T> for PoolBox<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T> AsMut<T> for PoolBox<T> {
    fn as_mut(&mut self) -> &mut T {
        self
    }
}

impl<T> Borrow<T> for PoolBox<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T> BorrowMut<T> for PoolBox<T> {
    fn borrow_mut(&mut self) -> &mut T {
        self
    }
}

/// Compares the values, as with a `Box`.
impl<T: PartialEq> PartialEq for PoolBox<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for PoolBox<T> {}

impl<T: PartialOrd> PartialOrd for PoolBox<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: Ord> Ord for PoolBox<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: Hash> Hash for PoolBox<T> {
    fn hash<S: Hasher>(&self, state: &mut S) {
        (**self).hash(state);
    }
}

impl<T: fmt::Debug> fmt::Debug for PoolBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: fmt::Display> fmt::Display for PoolBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
