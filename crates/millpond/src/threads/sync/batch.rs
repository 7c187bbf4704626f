//! Removals in batches: free slots whose bits share a word are given back by one atomic write.
//!
//! # Invariant
//!
//! `bits` are the bits of slots that this thread owns, whose values are gone and whose words are those of free slots. A
//! batch borrows the slots from a pool, which is not closed meanwhile.

use super::free::WORD_SLOTS;
use super::order;
use super::slots::{Doom, SharedSlots};
use super::word::Word;
use crate::base::guard::guard;
use crate::handle;
use crate::handle::Handle;

/// Slots that this thread has emptied and not freed yet. Dropping the batch frees them.
pub(super) struct Batch<'a, T> {
    slots: &'a SharedSlots<T>,
    /// Which word of free bits, and which of its bits are to be set.
    word: usize,
    bits: u64,
}

impl<'a, T> Batch<'a, T> {
    /// A batch for slots whose pool is not closed before the batch is dropped.
    pub(super) fn new(slots: &'a SharedSlots<T>) -> Self {
        Self { slots, word: 0, bits: 0 }
    }

    /// Same as for [`Slots::remove`].
    #[inline]
    pub(super) fn remove(&mut self, handle: Handle<T>) -> bool {
        match self.slots.doom(handle) {
            Doom::Refused => false,
            Doom::Stays => true,
            Doom::Owned(index) => {
                // SAFETY: this thread owns the slot, which has a value.
                unsafe { self.end(index) };
                true
            }
        }
    }

    /// Removes the live object in this slot, whose word
    /// [`word_for_writing`](Slots::word_for_writing) has returned. Writes no atomic except that of
    /// the batch, unless the value has guards.
    ///
    /// # Safety
    ///
    /// The caller has exclusive access (invariant 5 of [`slots`](super::slots)).
    #[inline]
    pub(super) unsafe fn remove_exclusively(&mut self, index: usize, word: Word) {
        if word.guards() > 0 || self.slots.defers {
            self.remove(handle::kept(index, word.generation()));
        } else {
            // SAFETY: a live value without guards, which no other thread can find: this thread owns
            // the slot.
            unsafe { self.end(index) };
        }
    }

    /// Ends a lifetime.
    ///
    /// # Safety
    ///
    /// This thread owns the slot, which has a value.
    #[inline]
    pub(super) unsafe fn end(&mut self, index: usize) {
        let batch = guard(self, move |batch| {
            batch.slots.prepare_free(index);
            batch.put(index);
        });
        // SAFETY: this thread owns the slot, and the value is not accessed after this.
        unsafe { batch.slots.drop_value(index) };
    }

    #[inline]
    fn put(&mut self, index: usize) {
        if index / WORD_SLOTS != self.word {
            self.give_back();
            self.word = index / WORD_SLOTS;
        }
        self.bits |= 1 << (index % WORD_SLOTS);
    }

    fn give_back(&mut self) {
        let bits = core::mem::take(&mut self.bits);
        if bits != 0 {
            self.slots.free.word(self.word).fetch_or(bits, order::give_back());
        }
    }
}

impl<T> Drop for Batch<'_, T> {
    fn drop(&mut self) {
        self.give_back();
    }
}
