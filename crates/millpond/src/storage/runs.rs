use core::fmt;
use core::iter::FusedIterator;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::slice;

use crate::occupancy::{Occupancy, Runs};

/// The runs of a pool's live slots: `(first index, &[T])`, in index order, from both ends.
pub struct ValueRuns<'a, T> {
    values: &'a [MaybeUninit<T>],
    runs: Runs<'a>,
}

impl<'a, T> ValueRuns<'a, T> {
    #[inline]
    pub(super) fn new(values: &'a [MaybeUninit<T>], occupancy: &'a Occupancy) -> Self {
        debug_assert_eq!(values.len(), occupancy.slots());
        Self { values, runs: occupancy.runs() }
    }

    /// # Safety
    ///
    /// All of the slots are live.
    #[inline]
    unsafe fn slice(&self, run: Range<usize>) -> (usize, &'a [T]) {
        let values = &self.values[run.clone()];
        let first = values.as_ptr().cast::<T>();
        // SAFETY: the slots are live, so their values are initialised (invariant 2), and the array is
        // borrowed for `'a`. `MaybeUninit<T>` has the layout of `T`.
        (run.start, unsafe { slice::from_raw_parts(first, values.len()) })
    }
}

impl<'a, T> Iterator for ValueRuns<'a, T> {
    type Item = (usize, &'a [T]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let run = self.runs.next()?;
        // SAFETY: these are the slots of a run.
        Some(unsafe { self.slice(run) })
    }
}

impl<T> DoubleEndedIterator for ValueRuns<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let run = self.runs.next_back()?;
        // SAFETY: these are the slots of a run.
        Some(unsafe { self.slice(run) })
    }
}

impl<T> FusedIterator for ValueRuns<'_, T> {}

impl<T> Clone for ValueRuns<'_, T> {
    fn clone(&self) -> Self {
        Self { values: self.values, runs: self.runs.clone() }
    }
}

impl<T: fmt::Debug> fmt::Debug for ValueRuns<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

/// The runs of a pool's live slots, to change: `(first index, &mut [T])`, in index order, from both
/// ends.
pub struct ValueRunsMut<'a, T> {
    /// The slots that neither end has passed, and the index of their first.
    values: &'a mut [MaybeUninit<T>],
    first: usize,
    runs: Runs<'a>,
}

impl<'a, T> ValueRunsMut<'a, T> {
    #[inline]
    pub(super) fn new(values: &'a mut [MaybeUninit<T>], occupancy: &'a Occupancy) -> Self {
        debug_assert_eq!(values.len(), occupancy.slots());
        Self { values, first: 0, runs: occupancy.runs() }
    }

    /// # Safety
    ///
    /// All of the slots are live.
    #[inline]
    unsafe fn initialised(values: &'a mut [MaybeUninit<T>]) -> &'a mut [T] {
        let first = values.as_mut_ptr().cast::<T>();
        // SAFETY: the slots are live, so their values are initialised (invariant 2); the array is
        // borrowed for `'a`. `MaybeUninit<T>` has the layout of `T`.
        unsafe { slice::from_raw_parts_mut(first, values.len()) }
    }
}

impl<'a, T> Iterator for ValueRunsMut<'a, T> {
    type Item = (usize, &'a mut [T]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let run = self.runs.next()?;
        let values = core::mem::take(&mut self.values);
        let (passed, rest) = values.split_at_mut(run.end - self.first);
        let values = &mut passed[run.start - self.first..];
        self.values = rest;
        self.first = run.end;
        // SAFETY: these are the slots of a run.
        Some((run.start, unsafe { Self::initialised(values) }))
    }
}

impl<T> DoubleEndedIterator for ValueRunsMut<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let run = self.runs.next_back()?;
        let values = core::mem::take(&mut self.values);
        let (rest, passed) = values.split_at_mut(run.start - self.first);
        self.values = rest;
        // SAFETY: these are the slots of a run.
        Some((run.start, unsafe { Self::initialised(&mut passed[..run.len()]) }))
    }
}

impl<T> FusedIterator for ValueRunsMut<'_, T> {}

impl<T> fmt::Debug for ValueRunsMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueRunsMut").field("runs", &self.runs).finish_non_exhaustive()
    }
}
