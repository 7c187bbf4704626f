use core::fmt;
use core::iter::FusedIterator;
use core::mem::MaybeUninit;
use core::slice;

use crate::occupancy::Occupancy;
use crate::values::slices::{RunSlices, RunSlicesMut};

/// An iterator over the runs of a pool's live slots, as `(first index, &[T])`, in index order, from
/// both ends.
pub struct ValueRuns<'a, T> {
    /// Cut along the runs of the values' occupancy.
    runs: RunSlices<'a, MaybeUninit<T>>,
}

impl<'a, T> ValueRuns<'a, T> {
    #[inline]
    pub(super) fn new(values: &'a [MaybeUninit<T>], occupancy: Occupancy<'a>) -> Self {
        debug_assert_eq!(values.len(), occupancy.slots());
        Self { runs: RunSlices::new(values, occupancy.runs()) }
    }
}

#[cfg(feature = "rayon")]
impl<T> ValueRuns<'_, T> {
    /// Splits the rest in two, if it is long enough.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let (left, right) = self.runs.split();
        (Self { runs: left }, right.map(|runs| Self { runs }))
    }
}

/// # Safety
///
/// All of the slots are live.
#[inline]
unsafe fn initialised<T>(values: &[MaybeUninit<T>]) -> &[T] {
    let first = values.as_ptr().cast::<T>();
    // SAFETY: the slots are live, so their values are initialised (invariant 2). `MaybeUninit<T>` has
    // the layout of `T`.
    unsafe { slice::from_raw_parts(first, values.len()) }
}

impl<'a, T> Iterator for ValueRuns<'a, T> {
    type Item = (usize, &'a [T]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (first, values) = self.runs.next()?;
        // SAFETY: these are the slots of a run.
        Some((first, unsafe { initialised(values) }))
    }
}

impl<T> DoubleEndedIterator for ValueRuns<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let (first, values) = self.runs.next_back()?;
        // SAFETY: these are the slots of a run.
        Some((first, unsafe { initialised(values) }))
    }
}

impl<T> FusedIterator for ValueRuns<'_, T> {}

impl<T> Clone for ValueRuns<'_, T> {
    fn clone(&self) -> Self {
        Self { runs: self.runs.clone() }
    }
}

impl<T: fmt::Debug> fmt::Debug for ValueRuns<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

/// An iterator over the runs of a pool's live slots, as `(first index, &mut [T])`, in index order,
/// from both ends.
pub struct ValueRunsMut<'a, T> {
    /// Cut along the runs of the values' occupancy.
    runs: RunSlicesMut<'a, MaybeUninit<T>>,
}

impl<'a, T> ValueRunsMut<'a, T> {
    #[inline]
    pub(super) fn new(values: &'a mut [MaybeUninit<T>], occupancy: Occupancy<'a>) -> Self {
        debug_assert_eq!(values.len(), occupancy.slots());
        Self { runs: RunSlicesMut::new(values, occupancy.runs()) }
    }
}

#[cfg(feature = "rayon")]
impl<T> ValueRunsMut<'_, T> {
    /// Splits the rest in two, if it is long enough.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let (left, right) = self.runs.split();
        (Self { runs: left }, right.map(|runs| Self { runs }))
    }
}

/// # Safety
///
/// All of the slots are live.
#[inline]
unsafe fn initialised_mut<T>(values: &mut [MaybeUninit<T>]) -> &mut [T] {
    let first = values.as_mut_ptr().cast::<T>();
    // SAFETY: the slots are live, so their values are initialised (invariant 2). `MaybeUninit<T>` has
    // the layout of `T`.
    unsafe { slice::from_raw_parts_mut(first, values.len()) }
}

impl<'a, T> Iterator for ValueRunsMut<'a, T> {
    type Item = (usize, &'a mut [T]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (first, values) = self.runs.next()?;
        // SAFETY: these are the slots of a run.
        Some((first, unsafe { initialised_mut(values) }))
    }
}

impl<T> DoubleEndedIterator for ValueRunsMut<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let (first, values) = self.runs.next_back()?;
        // SAFETY: these are the slots of a run.
        Some((first, unsafe { initialised_mut(values) }))
    }
}

impl<T> FusedIterator for ValueRunsMut<'_, T> {}

impl<T> fmt::Debug for ValueRunsMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueRunsMut").finish_non_exhaustive()
    }
}
