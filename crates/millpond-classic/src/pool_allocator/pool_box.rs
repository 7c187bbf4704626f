//! The guard of a value in a pool allocator.
//!
//! # Invariant
//!
//! The slot of a guard came from [`FreeSlot::fill_with`]: its value is initialised, and the guard alone owns it.

use core::borrow::{Borrow, BorrowMut};
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::pin::Pin;
use core::ptr::NonNull;

use millpond::__parts::guard::guard;

use super::chunks::{self, FreeSlot};

/// A value in a [`PoolAllocator`](super::PoolAllocator), like a `Box` whose memory returns to the
/// pool. It has eight bytes, and so does `Option<PoolBox<T>>`.
///
/// The value never moves. When the guard is dropped, the value is dropped in place, and its slot is
/// the next to be reused.
///
/// ```
/// use millpond_classic::{PoolAllocator, PoolBox};
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
    slot: NonNull<T>,
    owned: PhantomData<T>,
}

// SAFETY: what a shared guard gives to another thread is a shared reference to its value, nothing of the
// pool. (It is not `Send`: a guard that is dropped pushes to the pool's stack.)
unsafe impl<T: Sync> Sync for PoolBox<T> {}

/// A guard may move, because the value does not move with it.
impl<T> Unpin for PoolBox<T> {}

impl<T> PoolBox<T> {
    /// Makes a value in the slot. If `make` panics, the slot goes back to the list.
    #[inline]
    pub(super) fn construct(free: FreeSlot<'_, T>, make: impl FnOnce() -> T) -> Self {
        let value = make();
        Self { slot: free.fill_with(value), owned: PhantomData }
    }

    /// Moves the value out, and frees the slot. O(1).
    ///
    /// ```
    /// use millpond_classic::{PoolAllocator, PoolBox};
    ///
    /// let pool = PoolAllocator::new();
    /// let guard = pool.alloc(vec![1, 2]);
    /// let numbers: Vec<i32> = PoolBox::into_inner(guard);
    /// assert_eq!((numbers.len(), pool.len()), (2, 0));
    /// ```
    #[inline]
    #[must_use = "a value that is not wanted is destroyed by dropping its guard"]
    pub fn into_inner(this: Self) -> T {
        let this = ManuallyDrop::new(this);
        // SAFETY: the value is initialised, and the guard, which owns it, is not used again.
        let value = unsafe { this.slot.read() };
        // SAFETY: the slot was a guard's, and its value has been moved out.
        unsafe { chunks::end(this.slot) };
        value
    }

    /// Returns the same guard, pinned: the value stays where it is until it is dropped, even if the
    /// guard is leaked.
    ///
    /// ```
    /// use std::marker::PhantomPinned;
    ///
    /// use millpond_classic::{PoolAllocator, PoolBox};
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
        // happens, the slot is counted for ever, and keeps the memory.
        unsafe { Pin::new_unchecked(this) }
    }
}

impl<T> Drop for PoolBox<T> {
    #[inline]
    fn drop(&mut self) {
        let slot = self.slot;
        // The slot goes back also if the value's drop panics. SAFETY: a guard is dropped once, and its value is not
        // used after this.
        let _end = guard(slot, |slot| unsafe { chunks::end(*slot) });
        // SAFETY: the value is initialised, and the guard alone owns it.
        unsafe { slot.drop_in_place() };
    }
}

impl<T> Deref for PoolBox<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the value is initialised, and changes only through this guard.
        unsafe { self.slot.as_ref() }
    }
}

impl<T> DerefMut for PoolBox<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the value is initialised, and this guard, its only owner, is borrowed.
        unsafe { self.slot.as_mut() }
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
