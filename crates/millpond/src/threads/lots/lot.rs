use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use super::{DYING_BITS, KILLED_BITS};
use crate::handle::{self, HandleLayout, Word, handle_of_live};
use crate::reports::errors::{Full, FullPool};
use crate::values::chunks::ChunkMut;

/// The live values of one chunk of slots, and the lot of handles for its insertions.
pub struct Task<'a, T, H: HandleLayout> {
    pub(super) lot: Lot<'a, T, H>,
    pub(super) chunk: ChunkMut<'a, T>,
}

impl<'a, T, H: HandleLayout> Task<'a, T, H> {
    /// Returns the task's number: its first slot divided by the chunk size.
    #[must_use]
    pub fn number(&self) -> usize {
        self.lot.number
    }

    /// Returns the number of values. O(slots / 64).
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunk.live()
    }

    /// Returns whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `f` with each value and the lot, in index order.
    #[inline]
    pub fn run(&mut self, mut f: impl FnMut(&mut T, &mut Lot<'a, T, H>)) {
        let Self { lot, chunk } = self;
        chunk.for_each(|index, value| {
            lot.current = index;
            f(value, lot);
        });
    }
}

impl<T, H: HandleLayout> fmt::Debug for Task<'_, T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("number", &self.number()).field("len", &self.len()).finish()
    }
}

/// Inserts and removes objects in one task.
pub struct Lot<'a, T, H: HandleLayout> {
    pub(super) number: usize,
    /// The slots of the lot. Those after the births are left.
    pub(super) slots: &'a [H::Index],
    pub(super) births: &'a mut Vec<T>,
    /// A bit for each of the task's own slots whose object is to die.
    pub(super) dying: &'a mut [u64],
    pub(super) first: usize,
    /// A bit for each slot of the pool, set if another task kills its object.
    pub(super) killed: &'a [AtomicU32],
    pub(super) words: &'a [H::Word],
    /// What the word of a slot that was never used stands for.
    pub(super) unused: H::Word,
    pub(super) full: FullPool,
    /// The slot of the current value.
    pub(super) current: usize,
}

impl<T, H: HandleLayout> Lot<'_, T, H> {
    /// Returns the number of the task.
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the handle of the current value.
    #[must_use]
    pub fn handle(&self) -> H {
        handle_of_live(self.current, self.words)
    }

    /// Inserts `value` and returns its handle, which is valid once the update has settled. O(1),
    /// without an atomic.
    ///
    /// # Errors
    ///
    /// If the lot's handles are used up. The error returns `value`.
    #[inline]
    pub fn insert(&mut self, value: T) -> Result<H, Full<T>> {
        let next = self.slots.get(self.births.len()).map(|slot| slot.to_index());
        match next.and_then(|slot| Some((slot, self.words.get(slot)?))) {
            Some((slot, word)) => {
                self.births.push(value);
                let word = if word.is_unused() { self.unused } else { *word };
                Ok(handle::kept::<H>(slot, word.as_live()))
            }
            None => Err(Full { value, pool: self.full }),
        }
    }

    /// Returns how many more objects can be inserted in this task.
    #[must_use]
    pub fn left(&self) -> usize {
        self.slots.len() - self.births.len()
    }

    /// Removes the current object when the update settles.
    #[inline]
    pub fn die(&mut self) {
        // A lot that was swapped with another task's has nothing there, or another task's bits.
        let slot = self.current.wrapping_sub(self.first);
        if let Some(bits) = self.dying.get_mut(slot / DYING_BITS) {
            *bits |= 1 << (slot % DYING_BITS);
        }
    }

    /// Removes the handle's object, of any task, when the update settles. Returns whether `handle`
    /// was valid at the beginning of the update, but not whether another task removed the object
    /// first, because that would depend on the threads.
    #[inline]
    pub fn kill(&mut self, handle: H) -> bool {
        let contains = self.contains(handle);
        if contains {
            let index = handle.index() as usize;
            if let Some(bits) = self.killed.get(index / KILLED_BITS) {
                // Bits are set on any thread in any order, and read when all are done.
                bits.fetch_or(1 << (index % KILLED_BITS), Relaxed);
            }
        }
        contains
    }

    /// Returns whether `handle` was valid at the beginning of the update.
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
