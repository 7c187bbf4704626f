//! A phase in which a shared pool is only read.
//!
//! # Invariant
//!
//! A frozen view borrows the pool exclusively. So values stay live and are not written: only owned guards may exist
//! beside it, and they only read. The bits of the occupancy are those of live values.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::slice;

use super::slots::Slots;
use crate::handle::{Handle, Issue};
use crate::occupancy::{LiveSlots, Occupancy, Runs};

/// A view of a [`SyncPool`](super::SyncPool) in which nothing changes, for any number of threads; made by
/// [`SyncPool::frozen`](super::SyncPool::frozen). Lookups need no guard.
pub struct Frozen<'a, T> {
    slots: &'a Slots<T>,
    occupancy: Occupancy<'a>,
    /// It is as a reference to the values; whether those may be sent does not matter.
    values: PhantomData<&'a T>,
}

// SAFETY: values are only read through it, and never dropped.
unsafe impl<T: Sync> Send for Frozen<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Frozen<'_, T> {}

impl<'a, T> Frozen<'a, T> {
    /// The pool is borrowed exclusively for this lifetime, and the occupancy is that of its live values.
    pub(super) fn new(slots: &'a Slots<T>, occupancy: Occupancy<'a>) -> Self {
        Self { slots, occupancy, values: PhantomData }
    }

    #[cfg(feature = "serde")]
    pub(super) fn slots(&self) -> &'a Slots<T> {
        self.slots
    }

    /// Returns a reference to the value, or `None` if the handle is refused. One load, and a comparison.
    #[inline]
    #[must_use]
    pub fn get(&self, handle: Handle<T>) -> Option<&'a T> {
        let index = handle.index() as usize;
        let word = self.slots.word(index)?;
        // SAFETY: the value is live, and the pool is borrowed exclusively (this file's invariant).
        word.is_live_in(handle.generation()).then(|| unsafe { self.slots.value(index) })
    }

    /// Whether `handle` names a live object.
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: Handle<T>) -> bool {
        self.get(handle).is_some()
    }

    /// How many objects live.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.occupancy.live()
    }

    /// Whether no object lives.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which slots are live.
    #[inline]
    #[must_use]
    pub fn occupancy(&self) -> Occupancy<'a> {
        self.occupancy
    }

    /// The runs of live values: `(first index, slice)`, in index order, from both ends.
    #[inline]
    pub fn runs(&self) -> FrozenRuns<'a, T> {
        FrozenRuns { slots: self.slots, runs: self.occupancy.runs(), values: PhantomData }
    }

    /// The values in index order.
    pub fn values(&self) -> impl Iterator<Item = &'a T> + use<'a, T> {
        self.iter().map(|(_, value)| value)
    }

    /// The handles and values in index order.
    pub fn iter(&self) -> FrozenIter<'a, T> {
        FrozenIter { frozen: *self, live: self.occupancy.iter() }
    }
}

impl<T> Clone for Frozen<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Frozen<'_, T> {}

impl<'a, T> IntoIterator for Frozen<'a, T> {
    type Item = (Handle<T>, &'a T);
    type IntoIter = FrozenIter<'a, T>;

    fn into_iter(self) -> FrozenIter<'a, T> {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Frozen<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// The handles and values of a [`Frozen`] pool, in index order.
pub struct FrozenIter<'a, T> {
    frozen: Frozen<'a, T>,
    live: LiveSlots<'a>,
}

impl<'a, T> Iterator for FrozenIter<'a, T> {
    type Item = (Handle<T>, &'a T);

    fn next(&mut self) -> Option<Self::Item> {
        let index = self.live.next()?;
        let handle = Handle::from_kept_parts(index, self.frozen.slots.word(index)?.generation());
        Some((handle, self.frozen.get(handle)?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.live.size_hint()
    }
}

impl<T> ExactSizeIterator for FrozenIter<'_, T> {}
impl<T> FusedIterator for FrozenIter<'_, T> {}

impl<T> fmt::Debug for FrozenIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrozenIter").finish_non_exhaustive()
    }
}

/// The runs of live values of a [`Frozen`] pool: `(first index, &[T])`.
pub struct FrozenRuns<'a, T> {
    slots: &'a Slots<T>,
    runs: Runs<'a>,
    values: PhantomData<&'a T>,
}

// SAFETY: as `Frozen`.
unsafe impl<T: Sync> Send for FrozenRuns<'_, T> {}
// SAFETY: as `Frozen`.
unsafe impl<T: Sync> Sync for FrozenRuns<'_, T> {}

impl<'a, T> FrozenRuns<'a, T> {
    fn slice(&self, run: core::ops::Range<usize>) -> (usize, &'a [T]) {
        // SAFETY: a run lies within the array.
        let first = unsafe { self.slots.pointer_to_all().add(run.start) };
        // SAFETY: a run is of live values, which nobody writes (this file's invariant).
        (run.start, unsafe { slice::from_raw_parts(first, run.len()) })
    }
}

impl<'a, T> Iterator for FrozenRuns<'a, T> {
    type Item = (usize, &'a [T]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.runs.next().map(|run| self.slice(run))
    }
}

impl<T> DoubleEndedIterator for FrozenRuns<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.runs.next_back().map(|run| self.slice(run))
    }
}

impl<T> FusedIterator for FrozenRuns<'_, T> {}

impl<T> fmt::Debug for FrozenRuns<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrozenRuns").finish_non_exhaustive()
    }
}
