use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::AtomicU32;

use super::mark_dead;
use crate::handle::{HandleLayout, Word, handle_of_live};
use crate::reports::errors::{Full, FullPool};

/// The live values of one chunk of slots, and the lot of handles that goes with them.
pub struct Task<'a, T, H: HandleLayout> {
    lot: Lot<'a, T, H>,
    /// The runs of live values, cut at the chunk's ends.
    runs: Vec<(usize, &'a mut [T])>,
}

impl<'a, T, H: HandleLayout> Task<'a, T, H> {
    pub(super) fn new(lot: Lot<'a, T, H>) -> Self {
        Self { lot, runs: Vec::new() }
    }

    pub(super) fn push(&mut self, first: usize, run: &'a mut [T]) {
        self.runs.push((first, run));
    }

    /// The task's number: that of its first slot, divided by the slots of a chunk.
    #[must_use]
    pub fn number(&self) -> usize {
        self.lot.number
    }

    /// How many values it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.iter().map(|(_, run)| run.len()).sum()
    }

    /// Whether it has no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Calls the function with each value, in index order.
    pub fn run(&mut self, mut f: impl FnMut(&mut T, &mut Lot<'a, T, H>)) {
        let Self { lot, runs } = self;
        for (first, run) in runs {
            for (value, index) in run.iter_mut().zip(*first..) {
                lot.current = index;
                f(value, lot);
            }
        }
    }
}

impl<T, H: HandleLayout> fmt::Debug for Task<'_, T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("number", &self.number()).field("len", &self.len()).finish()
    }
}

/// Through which the values of one task are born and die.
pub struct Lot<'a, T, H: HandleLayout> {
    number: usize,
    /// The handles that are left to it begin behind the births.
    handles: &'a [H],
    births: &'a mut Vec<T>,
    deaths: &'a [AtomicU32],
    words: &'a [H::Word],
    full: FullPool,
    /// The slot of the present value.
    current: usize,
}

impl<'a, T, H: HandleLayout> Lot<'a, T, H> {
    pub(super) fn new(
        number: usize,
        handles: &'a [H],
        births: &'a mut Vec<T>,
        deaths: &'a [AtomicU32],
        words: &'a [H::Word],
        full: FullPool,
    ) -> Self {
        Self { number, handles, births, deaths, words, full, current: 0 }
    }

    /// The handle of the present value.
    #[must_use]
    pub fn handle(&self) -> H {
        handle_of_live(self.current, self.words)
    }

    /// A new object: its handle is good once the update has settled. O(1), without an atomic.
    ///
    /// # Errors
    ///
    /// If the lot's handles are used up: the error gives the value back.
    #[inline]
    pub fn insert(&mut self, value: T) -> Result<H, Full<T>> {
        match self.handles.get(self.births.len()) {
            Some(handle) => {
                self.births.push(value);
                Ok(*handle)
            }
            None => Err(Full { value, pool: self.full }),
        }
    }

    /// How many more objects can be born in this task.
    #[must_use]
    pub fn left(&self) -> usize {
        self.handles.len() - self.births.len()
    }

    /// The present object dies when the update settles.
    #[inline]
    pub fn die(&mut self) {
        mark_dead(self.deaths, self.current);
    }

    /// The handle's object dies when the update settles, in whatever task it is. Returns whether the handle was good at the
    /// beginning of the update, never whether another task came first: that would depend on the threads.
    #[inline]
    pub fn kill(&mut self, handle: H) -> bool {
        let contains = self.contains(handle);
        if contains {
            mark_dead(self.deaths, handle.index() as usize);
        }
        contains
    }

    /// Whether the handle was good at the beginning of the update.
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        let word = self.words.get(handle.index() as usize);
        word.is_some_and(|word| !word.is_dead() && *word == handle.word())
    }
}

impl<T, H: HandleLayout> fmt::Debug for Lot<'_, T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lot").field("number", &self.number).field("left", &self.left()).finish()
    }
}
