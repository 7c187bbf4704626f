#[cfg(feature = "rayon")]
mod split;

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::slice;

use crate::occupancy::Runs;

/// An array of slots, and runs of it.
///
/// # Invariant
///
/// `first` points to an array of `count` slots, borrowed for `'a`. The slots that `runs` has yet to yield have values, and
/// nothing else refers to them if they are borrowed mutably: `runs` yields no slot twice, and two halves of a split none in
/// common.
struct Cut<'a, T, S> {
    /// Read-only, as in a slice's iterator: so runs of `&'a T` may be used where those of shorter borrows are wanted.
    first: *const T,
    count: usize,
    runs: Runs<'a>,
    borrow: PhantomData<S>,
}

// SAFETY: it is the borrowed slice `S` of all its slots and a `Runs` in effect.
unsafe impl<T, S: Send> Send for Cut<'_, T, S> {}
// SAFETY: as above; a shared one gives no access to the slots.
unsafe impl<T, S: Sync> Sync for Cut<'_, T, S> {}

impl<T, S> Clone for Cut<'_, T, S> {
    fn clone(&self) -> Self {
        Self { runs: self.runs.clone(), ..*self }
    }
}

impl<T, S> Cut<'_, T, S> {
    /// The first slot of the next run, where its value is, and how many they are.
    #[inline(always)]
    fn next(&mut self) -> Option<(usize, *mut T, usize)> {
        let run = self.runs.next()?;
        // One comparison, so that memory safety does not depend on the occupancy.
        assert!(run.end <= self.count, "a run is within the slots");
        Some((run.start, self.first.wrapping_add(run.start).cast_mut(), run.end - run.start))
    }
}

/// An iterator over the runs of a pool's live slots, as `(first index, &[T])`, in index order.
pub struct ValueRuns<'a, T>(Cut<'a, T, &'a [T]>);

impl<'a, T> ValueRuns<'a, T> {
    /// # Safety
    ///
    /// `first` points to an array of `count` slots, borrowed for `'a`; the slots of the runs have values.
    #[inline(always)]
    pub(crate) unsafe fn new(first: *const T, count: usize, runs: Runs<'a>) -> Self {
        Self(Cut { first, count, runs, borrow: PhantomData })
    }
}

impl<'a, T> Iterator for ValueRuns<'a, T> {
    type Item = (usize, &'a [T]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (index, first, len) = self.0.next()?;
        // SAFETY: these are slots with values, one behind the other, and are borrowed for `'a` (the cut's invariant).
        Some((index, unsafe { slice::from_raw_parts(first, len) }))
    }
}

impl<T> FusedIterator for ValueRuns<'_, T> {}

impl<T> Clone for ValueRuns<'_, T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for ValueRuns<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

/// An iterator over the runs of a pool's live slots, as `(first index, &mut [T])`, in index order.
pub struct ValueRunsMut<'a, T>(Cut<'a, T, &'a mut [T]>);

impl<'a, T> ValueRunsMut<'a, T> {
    /// # Safety
    ///
    /// `first` points to an array of `count` slots; those of the runs have values, and are borrowed mutably for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn new(first: *mut T, count: usize, runs: Runs<'a>) -> Self {
        Self(Cut { first, count, runs, borrow: PhantomData })
    }
}

impl<'a, T> Iterator for ValueRunsMut<'a, T> {
    type Item = (usize, &'a mut [T]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (index, first, len) = self.0.next()?;
        // SAFETY: these are slots with values, one behind the other, and nothing else refers to them for `'a` (the cut's
        // invariant).
        Some((index, unsafe { slice::from_raw_parts_mut(first, len) }))
    }
}

impl<T> FusedIterator for ValueRunsMut<'_, T> {}

impl<T> fmt::Debug for ValueRunsMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueRunsMut").finish_non_exhaustive()
    }
}
