use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::slice;

use crate::occupancy::Runs;

/// Runs of slots, with the places of their values.
pub trait Cut {
    type Value;

    /// The first slot of the next run, where its value is, and how many they are.
    fn next(&mut self) -> Option<(usize, *mut Self::Value, usize)>;
}

/// An array of slots, and runs of it.
///
/// # Invariant
///
/// `first` points to an array of `count` slots, borrowed for `'a`. The slots that `runs` has yet to yield have values, and
/// nothing else refers to them if they are borrowed mutably: `runs` yields no slot twice, and two halves of a split none in
/// common.
#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "no value of it is public")]
pub struct FlatCut<'a, T> {
    /// Read-only, as in a slice's iterator: so runs of `&'a T` may be used where those of shorter borrows are wanted.
    first: *const T,
    count: usize,
    runs: Runs<'a>,
}

impl<T> Clone for FlatCut<'_, T> {
    fn clone(&self) -> Self {
        Self { runs: self.runs.clone(), ..*self }
    }
}

impl<T> Cut for FlatCut<'_, T> {
    type Value = T;

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, *mut T, usize)> {
        let run = self.runs.next()?;
        // One comparison, so that memory safety does not depend on the occupancy.
        assert!(run.end <= self.count, "a run is within the slots");
        Some((run.start, self.first.wrapping_add(run.start).cast_mut(), run.end - run.start))
    }
}

impl<'a, T> FlatCut<'a, T> {
    #[inline(always)]
    pub(crate) fn new(first: *const T, count: usize, runs: Runs<'a>) -> Self {
        Self { first, count, runs }
    }

    /// Splits the rest in two, if it is long enough.
    #[cfg(feature = "rayon")]
    fn split(self) -> (Self, Option<Self>) {
        self.runs.split_into(|runs| Self { runs, ..self })
    }
}

/// An iterator over the runs of a pool's live slots, as `(first index, &[T])`, in index order. A run
/// of a [`BlockPool`](crate::BlockPool) lies in one block.
pub struct ValueRuns<'a, T, C = FlatCut<'a, T>> {
    cut: C,
    borrow: PhantomData<&'a [T]>,
}

// SAFETY: it is a `&[T]` and a `Runs` in effect.
unsafe impl<T: Sync, C> Send for ValueRuns<'_, T, C> {}
// SAFETY: as above.
unsafe impl<T: Sync, C> Sync for ValueRuns<'_, T, C> {}

impl<T, C: Cut<Value = T>> ValueRuns<'_, T, C> {
    /// # Safety
    ///
    /// The runs are of slots that are borrowed for the lifetime of the items and have values, one behind the other.
    #[inline(always)]
    pub(crate) unsafe fn new(cut: C) -> Self {
        Self { cut, borrow: PhantomData }
    }
}

impl<'a, T, C: Cut<Value = T>> Iterator for ValueRuns<'a, T, C> {
    type Item = (usize, &'a [T]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (index, first, len) = self.cut.next()?;
        // SAFETY: these are slots with values, one behind the other, and are borrowed for `'a`, as `new` demands.
        Some((index, unsafe { slice::from_raw_parts(first, len) }))
    }
}

impl<T, C: Cut<Value = T>> FusedIterator for ValueRuns<'_, T, C> {}

impl<T, C: Clone> Clone for ValueRuns<'_, T, C> {
    fn clone(&self) -> Self {
        Self { cut: self.cut.clone(), ..*self }
    }
}

impl<T: fmt::Debug, C: Cut<Value = T> + Clone> fmt::Debug for ValueRuns<'_, T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

/// An iterator over the runs of a pool's live slots, as `(first index, &mut [T])`, in index order. A
/// run of a [`BlockPool`](crate::BlockPool) lies in one block.
pub struct ValueRunsMut<'a, T, C = FlatCut<'a, T>> {
    cut: C,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: it is a `&mut [T]` and a `Runs` in effect.
unsafe impl<T: Send, C> Send for ValueRunsMut<'_, T, C> {}
// SAFETY: as above; a shared one gives no access to the slots.
unsafe impl<T: Sync, C> Sync for ValueRunsMut<'_, T, C> {}

impl<T, C: Cut<Value = T>> ValueRunsMut<'_, T, C> {
    /// # Safety
    ///
    /// The runs are of slots that are borrowed mutably for the lifetime of the items, or at least those of the runs are;
    /// these have values, one behind the other, and come once.
    #[inline(always)]
    pub(crate) unsafe fn new(cut: C) -> Self {
        Self { cut, borrow: PhantomData }
    }
}

impl<'a, T, C: Cut<Value = T>> Iterator for ValueRunsMut<'a, T, C> {
    type Item = (usize, &'a mut [T]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (index, first, len) = self.cut.next()?;
        // SAFETY: these are slots with values, one behind the other, and nothing else refers to them for `'a`, as `new`
        // demands.
        Some((index, unsafe { slice::from_raw_parts_mut(first, len) }))
    }
}

impl<T, C: Cut<Value = T>> FusedIterator for ValueRunsMut<'_, T, C> {}

impl<T, C> fmt::Debug for ValueRunsMut<'_, T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueRunsMut").finish_non_exhaustive()
    }
}

/// Runs of a slice all of whose slots have values.
#[cfg(feature = "recycler")]
impl<'a, T> ValueRuns<'a, T> {
    #[inline]
    pub(crate) fn of_slice(slots: &'a [T], runs: Runs<'a>) -> Self {
        // SAFETY: all slots of a slice have values, and it is borrowed for `'a`.
        unsafe { Self::new(FlatCut::new(slots.as_ptr(), slots.len(), runs)) }
    }
}

/// Runs of a mutable slice all of whose slots have values.
#[cfg(feature = "recycler")]
impl<'a, T> ValueRunsMut<'a, T> {
    #[inline]
    pub(crate) fn of_slice(slots: &'a mut [T], runs: Runs<'a>) -> Self {
        // SAFETY: all slots of a slice have values, and it is borrowed mutably for `'a`.
        unsafe { Self::new(FlatCut::new(slots.as_mut_ptr(), slots.len(), runs)) }
    }
}

#[cfg(feature = "rayon")]
impl<T> ValueRuns<'_, T> {
    /// Splits the rest in two, if it is long enough.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let half = |cut| Self { cut, borrow: PhantomData };
        let (left, right) = self.cut.split();
        (half(left), right.map(half))
    }
}

#[cfg(feature = "rayon")]
impl<T> ValueRunsMut<'_, T> {
    /// Splits the rest in two, if it is long enough.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let half = |cut| Self { cut, borrow: PhantomData };
        let (left, right) = self.cut.split();
        (half(left), right.map(half))
    }
}
