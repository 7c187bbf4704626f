//! A phase in which a shared pool is only read.
//!
//! # Invariant
//!
//! A frozen view borrows the pool exclusively. So values stay live and are not written: only owned guards may exist
//! beside it, and they only read. The bits of the occupancy are those of live values.

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;
use core::sync::atomic::Ordering::Relaxed;

use super::FrozenRuns;
use super::atomics::AtomicU64;
use super::slots::SharedSlots;
use super::word::Word;
use crate::handle::Handle;
use crate::occupancy::Occupancy;

/// A view of a [`SyncPool`](super::SyncPool) in which nothing changes, for any number of threads;
/// returned by [`SyncPool::frozen`](super::SyncPool::frozen). Lookups need no guard.
pub struct Frozen<'a, T> {
    slots: &'a SharedSlots<T>,
    /// The words and values of `slots`, the same number of each. They are stored here because the
    /// compiler reloads everything from memory after the load of an atomic.
    words: &'a [AtomicU64],
    first_value: NonNull<T>,
    occupancy: Occupancy<'a>,
    /// Acts as a reference to the values; whether they are `Send` does not matter.
    values: PhantomData<&'a T>,
}

// SAFETY: values are only read through it, and never dropped.
unsafe impl<T: Sync> Send for Frozen<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Frozen<'_, T> {}

impl<'a, T> Frozen<'a, T> {
    /// The pool is borrowed exclusively for this lifetime, and the occupancy is that of its live values.
    pub(super) fn new(slots: &'a SharedSlots<T>, occupancy: Occupancy<'a>) -> Self {
        let (words, first_value) = (&*slots.words, slots.first_value());
        Self { slots, words, first_value, occupancy, values: PhantomData }
    }

    pub(super) fn slots(&self) -> &'a SharedSlots<T> {
        self.slots
    }

    /// Returns a reference to the handle's value, or `None` if the handle is refused. One load and
    /// one comparison.
    #[inline]
    #[must_use]
    pub fn get(&self, handle: Handle<T>) -> Option<&'a T> {
        let index = handle.index() as usize;
        let word = Word::from_bits(self.words.get(index)?.load(Relaxed));
        // Without guards, as nearly all are: a comparison alone, without the guards to be left out.
        if word != Word::live(handle.generation())
            && !is_live_with_guards(word, handle.generation())
        {
            return None;
        }
        let value = self.first_value.as_ptr().wrapping_add(index);
        // SAFETY: there are as many values as words; this one is live, and the pool is borrowed exclusively (this file's
        // invariant).
        Some(unsafe { &*value })
    }

    /// Returns the handle of the object in slot `index`, or `None` if the slot is not live. O(1).
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<Handle<T>> {
        self.slots.handle_at(index)
    }

    /// Returns the number of live objects.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.occupancy.live()
    }

    /// Returns whether no object is live.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over the runs of live values in index order, as `(first index, slice)`.
    #[inline]
    pub fn runs(&self) -> FrozenRuns<'a, T> {
        let (first, runs) = (self.first_value.as_ptr(), self.occupancy.runs());
        // SAFETY: a run is of live values, which nobody writes (this file's invariant).
        unsafe { FrozenRuns::new(first, self.words.len(), runs) }
    }

    /// Iterates over the values in index order.
    pub fn values(&self) -> impl Iterator<Item = &'a T> + use<'a, T> {
        self.iter().map(|(_, value)| value)
    }

    /// Iterates over handles and values in index order.
    pub fn iter(&self) -> impl Iterator<Item = (Handle<T>, &'a T)> + use<'a, T> {
        let frozen = *self;
        frozen.occupancy.iter().filter_map(move |index| {
            let handle = frozen.handle_at(index)?;
            Some((handle, frozen.get(handle)?))
        })
    }
}

#[cold]
#[inline]
fn is_live_with_guards(word: Word, generation: u32) -> bool {
    word.is_live_in(generation)
}

impl<T> Clone for Frozen<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Frozen<'_, T> {}

impl<T: fmt::Debug> fmt::Debug for Frozen<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
