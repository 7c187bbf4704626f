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
struct Cut<'a, T> {
    /// Read-only, as in a slice's iterator: so runs of `&'a T` may be used where those of shorter borrows are wanted.
    first: *const T,
    count: usize,
    runs: Runs<'a>,
}

impl<T> Clone for Cut<'_, T> {
    fn clone(&self) -> Self {
        Self { runs: self.runs.clone(), ..*self }
    }
}

impl<T> Cut<'_, T> {
    /// The first slot of the next run, where its value is, and how many they are.
    #[inline(always)]
    fn next(&mut self) -> Option<(usize, *mut T, usize)> {
        let run = self.runs.next()?;
        // One comparison, so that memory safety does not depend on the occupancy.
        assert!(run.end <= self.count, "a run is within the slots");
        Some((run.start, self.first.wrapping_add(run.start).cast_mut(), run.end - run.start))
    }

    /// Splits the rest in two, if it is long enough.
    fn split(self) -> (Self, Option<Self>) {
        self.runs.split_into(|runs| Self { runs, ..self })
    }
}

/// An iterator over the runs of a pool's live slots, as `(first index, &[T])`, in index order.
pub struct ValueRuns<'a, T> {
    cut: Cut<'a, T>,
    borrow: PhantomData<&'a [T]>,
}

// SAFETY: it is a `&[T]` and a `Runs` in effect.
unsafe impl<T: Sync> Send for ValueRuns<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for ValueRuns<'_, T> {}

impl<'a, T> ValueRuns<'a, T> {
    /// # Safety
    ///
    /// `first` points to an array of `count` slots, borrowed for `'a`; the slots of the runs have values.
    #[inline(always)]
    pub(crate) unsafe fn new(first: *const T, count: usize, runs: Runs<'a>) -> Self {
        Self { cut: Cut { first, count, runs }, borrow: PhantomData }
    }
}

impl<'a, T> Iterator for ValueRuns<'a, T> {
    type Item = (usize, &'a [T]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (index, first, len) = self.cut.next()?;
        // SAFETY: these are slots with values, one behind the other, and are borrowed for `'a` (the cut's invariant).
        Some((index, unsafe { slice::from_raw_parts(first, len) }))
    }
}

impl<T> FusedIterator for ValueRuns<'_, T> {}

impl<T> Clone for ValueRuns<'_, T> {
    fn clone(&self) -> Self {
        Self { cut: self.cut.clone(), ..*self }
    }
}

impl<T: fmt::Debug> fmt::Debug for ValueRuns<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

/// An iterator over the runs of a pool's live slots, as `(first index, &mut [T])`, in index order.
pub struct ValueRunsMut<'a, T> {
    cut: Cut<'a, T>,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: it is a `&mut [T]` and a `Runs` in effect.
unsafe impl<T: Send> Send for ValueRunsMut<'_, T> {}
// SAFETY: as above; a shared one gives no access to the slots.
unsafe impl<T: Sync> Sync for ValueRunsMut<'_, T> {}

impl<'a, T> ValueRunsMut<'a, T> {
    /// # Safety
    ///
    /// `first` points to an array of `count` slots; those of the runs have values, and are borrowed mutably for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn new(first: *mut T, count: usize, runs: Runs<'a>) -> Self {
        Self { cut: Cut { first, count, runs }, borrow: PhantomData }
    }
}

impl<'a, T> Iterator for ValueRunsMut<'a, T> {
    type Item = (usize, &'a mut [T]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (index, first, len) = self.cut.next()?;
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

impl<T> ValueRuns<'_, T> {
    /// Splits the rest in two, if it is long enough.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let half = |cut| Self { cut, borrow: PhantomData };
        let (left, right) = self.cut.split();
        (half(left), right.map(half))
    }
}

impl<T> ValueRunsMut<'_, T> {
    /// Splits the rest in two, if it is long enough.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let half = |cut| Self { cut, borrow: PhantomData };
        let (left, right) = self.cut.split();
        (half(left), right.map(half))
    }
}
