//! An array of slots, cut along runs.

use core::iter::FusedIterator;
use core::mem;

use crate::occupancy::Runs;

/// The slots of each run: `(first index, &[T])`, in index order, from both ends.
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
    /// Cuts what is left in two, if there is enough.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let Self { slots, runs } = self;
        match runs.split() {
            Some((left, _, right)) => {
                (Self { slots, runs: left }, Some(Self { slots, runs: right }))
            }
            None => (Self { slots, runs }, None),
        }
    }
}

impl<T> Clone for RunSlices<'_, T> {
    fn clone(&self) -> Self {
        Self { slots: self.slots, runs: self.runs.clone() }
    }
}

impl<'a, T> Iterator for RunSlices<'a, T> {
    type Item = (usize, &'a [T]);

    #[inline]
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

/// The slots of each run, to change: `(first index, &mut [T])`, in index order, from both ends.
#[derive(Debug)]
pub struct RunSlicesMut<'a, T> {
    /// The slots that neither end has passed, and the index of their first.
    slots: &'a mut [T],
    first: usize,
    runs: Runs<'a>,
}

impl<'a, T> RunSlicesMut<'a, T> {
    #[inline]
    pub(crate) fn new(slots: &'a mut [T], runs: Runs<'a>) -> Self {
        Self { slots, first: 0, runs }
    }
}

#[cfg(feature = "rayon")]
impl<T> RunSlicesMut<'_, T> {
    /// Cuts what is left in two, if there is enough.
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let Self { slots, first, runs } = self;
        match runs.split() {
            Some((left, at, right)) => {
                let (lower, upper) = slots.split_at_mut(at - first);
                let lower = Self { slots: lower, first, runs: left };
                (lower, Some(Self { slots: upper, first: at, runs: right }))
            }
            None => (Self { slots, first, runs }, None),
        }
    }
}

impl<'a, T> Iterator for RunSlicesMut<'a, T> {
    type Item = (usize, &'a mut [T]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let run = self.runs.next()?;
        let (passed, rest) = mem::take(&mut self.slots).split_at_mut(run.end - self.first);
        let slots = &mut passed[run.start - self.first..];
        self.slots = rest;
        self.first = run.end;
        Some((run.start, slots))
    }
}

impl<T> DoubleEndedIterator for RunSlicesMut<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let run = self.runs.next_back()?;
        let (rest, passed) = mem::take(&mut self.slots).split_at_mut(run.start - self.first);
        self.slots = rest;
        Some((run.start, &mut passed[..run.len()]))
    }
}

impl<T> FusedIterator for RunSlicesMut<'_, T> {}
