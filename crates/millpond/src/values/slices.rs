//! An array of slots, cut along runs.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ops::Range;
use core::slice;

use crate::occupancy::Runs;

/// An iterator over the slots of each run, as `(first index, &[T])`, in index order, from both
/// ends.
#[derive(Debug)]
pub struct RunSlices<'a, T> {
    slots: &'a [T],
    runs: Runs<'a>,
}

impl<'a, T> RunSlices<'a, T> {
    #[inline]
    pub(crate) fn new(slots: &'a [T], runs: Runs<'a>) -> Self {
        Self { slots, runs }
    }
}

#[cfg(feature = "rayon")]
impl<T> RunSlices<'_, T> {
    /// Splits the rest in two, if it is long enough.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let Self { slots, runs } = self;
        runs.split_into(|runs| Self { slots, runs })
    }
}

impl<T> Clone for RunSlices<'_, T> {
    fn clone(&self) -> Self {
        Self { slots: self.slots, runs: self.runs.clone() }
    }
}

impl<'a, T> Iterator for RunSlices<'a, T> {
    type Item = (usize, &'a [T]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.runs.next().map(|run| (run.start, &self.slots[run]))
    }
}

impl<T> DoubleEndedIterator for RunSlices<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.runs.next_back().map(|run| (run.start, &self.slots[run]))
    }
}

impl<T> FusedIterator for RunSlices<'_, T> {}

/// An iterator over the slots of each run, as `(first index, &mut [T])`, in index order, from both
/// ends.
///
/// # Invariant
///
/// `slots` is an array of `count` slots, borrowed mutably for `'a`, and nothing else refers to those that
/// `runs` has yet to yield: `runs` yields no slot twice, and two halves of a split none in common.
pub struct RunSlicesMut<'a, T> {
    slots: *mut T,
    count: usize,
    runs: Runs<'a>,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: it is a `&mut [T]` and a `Runs` in effect.
unsafe impl<T: Send> Send for RunSlicesMut<'_, T> {}
// SAFETY: as above; a shared one gives no access to the slots.
unsafe impl<T: Sync> Sync for RunSlicesMut<'_, T> {}

impl<'a, T> RunSlicesMut<'a, T> {
    #[inline]
    pub(crate) fn new(slots: &'a mut [T], runs: Runs<'a>) -> Self {
        Self { slots: slots.as_mut_ptr(), count: slots.len(), runs, borrow: PhantomData }
    }

    /// # Safety
    ///
    /// The run comes from `self.runs`.
    #[inline]
    unsafe fn cut(&self, run: Range<usize>) -> (usize, &'a mut [T]) {
        // One comparison, so that memory safety does not depend on the occupancy.
        assert!(run.end <= self.count, "a run is within the slots");
        // SAFETY: a run starts in front of its end, which is within the array, as just tested.
        let first = unsafe { self.slots.add(run.start) };
        // SAFETY: as above, these are slots of the array, and as `runs` has yielded them just now, and yields
        // none twice, nothing else refers to them for `'a`.
        (run.start, unsafe { slice::from_raw_parts_mut(first, run.end - run.start) })
    }
}

#[cfg(feature = "rayon")]
impl<T> RunSlicesMut<'_, T> {
    /// Splits the rest in two, if it is long enough.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        self.runs.split_into(|runs| Self { runs, ..self })
    }
}

impl<'a, T> Iterator for RunSlicesMut<'a, T> {
    type Item = (usize, &'a mut [T]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let run = self.runs.next()?;
        // SAFETY: the run comes from `self.runs`.
        Some(unsafe { self.cut(run) })
    }
}

impl<T> DoubleEndedIterator for RunSlicesMut<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let run = self.runs.next_back()?;
        // SAFETY: the run comes from `self.runs`.
        Some(unsafe { self.cut(run) })
    }
}

impl<T> FusedIterator for RunSlicesMut<'_, T> {}

impl<T> fmt::Debug for RunSlicesMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunSlicesMut").finish_non_exhaustive()
    }
}
