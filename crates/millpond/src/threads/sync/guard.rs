//! Guards: shared references that keep a value alive.
//!
//! # Invariant
//!
//! A guard is counted in the word of its slot, from before it is made until it is dropped. So the value stays and is
//! not written (invariant 2 of [`slots`](super::slots)).

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::NonNull;

use super::slots::SharedSlots;
use crate::handle::{self, Handle};

/// A guard of a value in a [`SyncPool`](super::SyncPool): [`Shared`], which borrows the pool, or
/// [`SharedOwned`], which does not.
pub struct Guard<T, P> {
    slots: NonNull<SharedSlots<T>>,
    index: u32,
    /// Dropping the last guard drops the value.
    values: PhantomData<(T, P)>,
}

/// A guard of a value in a [`SyncPool`](super::SyncPool): the value stays at least as long as the
/// guard.
///
/// If the object is removed meanwhile, its handle is rejected at once, and the last guard drops the
/// value. If you leak a guard (`mem::forget`), the value and its slot are leaked, too.
pub type Shared<'a, T> = Guard<T, &'a T>;

/// Like [`Shared`], but independent of the pool: the value and its memory stay, even after the pool
/// is dropped. The guards of a pool share no counter; each is counted in its slot.
pub type SharedOwned<T> = Guard<T, T>;

// SAFETY: the value may be read on any thread that has a guard, and the last guard drops it there.
unsafe impl<T: Send + Sync, P> Send for Guard<T, P> {}
// SAFETY: as above; a reference to a guard is enough to read the value, and to make another guard.
unsafe impl<T: Send + Sync, P> Sync for Guard<T, P> {}

impl<'a, T> Shared<'a, T> {
    /// A guard of the handle's object, if that is live.
    #[inline]
    pub(super) fn new(slots: &'a SharedSlots<T>, handle: Handle<T>) -> Option<Self> {
        // SAFETY: the guard borrows the slots.
        unsafe { Self::of(NonNull::from(slots), handle) }
    }
}

impl<T, P> Guard<T, P> {
    /// A guard of the handle's object, if that is live.
    ///
    /// # Safety
    ///
    /// `slots` is the pointer that an existing pool has to its slots, or the guard borrows them. Without a borrow, the
    /// values are `Send` and `Sync`.
    #[inline]
    pub(super) unsafe fn of(slots: NonNull<SharedSlots<T>>, handle: Handle<T>) -> Option<Self> {
        let guard = || Self { slots, index: handle.index(), values: PhantomData };
        // SAFETY: the slots are there.
        unsafe { slots.as_ref() }.add_guard(handle).then(guard)
    }

    #[inline]
    fn slots(&self) -> &SharedSlots<T> {
        // SAFETY: the guard keeps its slot's share of the memory (invariant 4 of `slots`).
        unsafe { self.slots.as_ref() }
    }

    /// Returns the object's handle. It is refused once the object is removed, although this guard
    /// keeps the value.
    #[must_use]
    pub fn handle(guard: &Self) -> Handle<T> {
        let index = guard.index as usize;
        let generation = guard.slots().word(index).map_or(0, |word| word.generation());
        handle::kept(index, generation)
    }
}

impl<T, P> Deref for Guard<T, P> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard is counted as long as the reference to it lives.
        unsafe { self.slots().value(self.index as usize) }
    }
}

/// Returns another guard of the same value, even if the object was removed.
///
/// # Panics
///
/// If the value has 2^31 − 1 guards.
impl<T, P> Clone for Guard<T, P> {
    fn clone(&self) -> Self {
        // SAFETY: this is a guard of that slot.
        unsafe { self.slots().add_another_guard(self.index as usize) };
        Self { slots: self.slots, index: self.index, values: PhantomData }
    }
}

impl<T, P> Drop for Guard<T, P> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this guard is counted, and gone after this.
        unsafe { SharedSlots::drop_guard(self.slots, self.index as usize) };
    }
}

impl<T: fmt::Debug, P> fmt::Debug for Guard<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: fmt::Display, P> fmt::Display for Guard<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

#[cfg(all(test, feature = "std", not(any(loom, shuttle))))]
mod tests {
    use core::sync::atomic::Ordering::Relaxed;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use crate::SyncPool;
    use crate::threads::sync::word::{GUARDS_MAX, Word};

    /// Safe code can leak this many guards; here the count is set.
    #[test]
    fn a_guard_beyond_the_last_panics_and_is_not_counted() {
        let pool = SyncPool::new(1);
        let handle = pool.insert(5).unwrap();
        let guard = pool.get(handle).unwrap();
        let one = pool.slots().words[0].fetch_add(u64::from(GUARDS_MAX) - 2, Relaxed);
        let another = pool.get(handle).unwrap();
        let full = Word::from_bits(pool.slots().words[0].load(Relaxed));
        assert_eq!(full.guards(), GUARDS_MAX);
        assert!(catch_unwind(AssertUnwindSafe(|| pool.get(handle).is_some())).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| guard.clone())).is_err());
        assert_eq!(pool.slots().words[0].load(Relaxed), full.to_bits());
        assert!(full.is_live_in(handle.generation()), "no count has run over into the doomed bit");
        drop(another);
        pool.slots().words[0].store(one, Relaxed);
        assert_eq!(*guard, 5);
    }
}
