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

use super::slots::Slots;
use crate::handle::{Handle, Issue};

/// A guard of a value in a [`SyncPool`](super::SyncPool): the value stays at least as long as the
/// guard.
///
/// If the object is removed meanwhile, its handle is refused at once, and the last guard drops the
/// value. A leaked guard (`mem::forget`) keeps the value and its slot for ever.
pub struct Shared<'a, T> {
    slots: &'a Slots<T>,
    index: u32,
    /// Dropping the last guard drops the value.
    values: PhantomData<T>,
}

/// Like [`Shared`], but independent of the pool: the value and its memory stay, even after the pool
/// is dropped. The guards of a pool share no counter; each is counted in its slot.
pub struct SharedOwned<T> {
    slots: NonNull<Slots<T>>,
    index: u32,
    /// Dropping the last guard drops the value.
    values: PhantomData<T>,
}

// SAFETY: the value may be read on any thread that has a guard, and the last guard drops it there.
unsafe impl<T: Send + Sync> Send for Shared<'_, T> {}
// SAFETY: as above; a reference to a guard is enough to read the value, and to make another guard.
unsafe impl<T: Send + Sync> Sync for Shared<'_, T> {}
// SAFETY: as for `Shared`.
unsafe impl<T: Send + Sync> Send for SharedOwned<T> {}
// SAFETY: as for `Shared`.
unsafe impl<T: Send + Sync> Sync for SharedOwned<T> {}

impl<'a, T> Shared<'a, T> {
    /// A guard of the handle's object, if that is live.
    #[inline]
    pub(super) fn new(slots: &'a Slots<T>, handle: Handle<T>) -> Option<Self> {
        let guard = || Self { slots, index: handle.index(), values: PhantomData };
        slots.add_guard(handle).then(guard)
    }
}

impl<T: Send + Sync> SharedOwned<T> {
    /// A guard of the handle's object, if that is live.
    ///
    /// # Safety
    ///
    /// `slots` is the pointer that an existing pool has to its slots.
    #[inline]
    pub(super) unsafe fn new(slots: NonNull<Slots<T>>, handle: Handle<T>) -> Option<Self> {
        let guard = || Self { slots, index: handle.index(), values: PhantomData };
        // SAFETY: the pool is there.
        unsafe { slots.as_ref() }.add_guard(handle).then(guard)
    }
}

impl<T> SharedOwned<T> {
    #[inline]
    fn slots(&self) -> &Slots<T> {
        // SAFETY: the guard keeps its slot's share of the memory (invariant 4 of `slots`).
        unsafe { self.slots.as_ref() }
    }
}

impl<T> Shared<'_, T> {
    #[inline]
    fn slots(&self) -> &Slots<T> {
        self.slots
    }
}

macro_rules! guard {
    ($guard:ident<$($lifetime:lifetime,)? T>) => {
        impl<$($lifetime,)? T> $guard<$($lifetime,)? T> {
            /// Returns the object's handle. It is refused once the object is removed, although this
            /// guard keeps the value.
            #[must_use]
            pub fn handle(guard: &Self) -> Handle<T> {
                let index = guard.index as usize;
                let generation = guard.slots().word(index).map_or(0, |word| word.generation());
                Handle::from_kept_parts(index, generation)
            }
        }

        impl<$($lifetime,)? T> Deref for $guard<$($lifetime,)? T> {
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
        impl<$($lifetime,)? T> Clone for $guard<$($lifetime,)? T> {
            fn clone(&self) -> Self {
                // SAFETY: this is a guard of that slot.
                unsafe { self.slots().add_another_guard(self.index as usize) };
                Self { slots: self.slots, index: self.index, values: PhantomData }
            }
        }

        impl<$($lifetime,)? T> Drop for $guard<$($lifetime,)? T> {
            #[inline]
            fn drop(&mut self) {
                // SAFETY: this guard is counted, and gone after this.
                unsafe { Slots::drop_guard(NonNull::from(self.slots), self.index as usize) };
            }
        }

        impl<$($lifetime,)? T: fmt::Debug> fmt::Debug for $guard<$($lifetime,)? T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&**self, f)
            }
        }

        impl<$($lifetime,)? T: fmt::Display> fmt::Display for $guard<$($lifetime,)? T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&**self, f)
            }
        }
    };
}
guard!(Shared<'a, T>);
guard!(SharedOwned<T>);

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
