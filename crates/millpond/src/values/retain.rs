//! Removal of many values: of those that a function rejects, and of all.

use super::Storage;
use crate::base::guard::guard;
use crate::handle::{self, HandleLayout, Word};
use crate::occupancy::WORD_SLOTS;
use crate::slots::reuse::Queue;
use crate::slots::{Ledger, Place};

/// Values of 64 adjacent slots that are to be removed.
///
/// Judging a value then has no branch except those of the user's function, which pays off as long
/// as few values die.
struct Removals<'a, T, P, Q, L>
where
    P: Place<Word = L::Word, Entry = Q::Entry>,
    Q: Queue<L::Index>,
    L: HandleLayout,
{
    storage: &'a mut Storage<T, P, Ledger<Q, L>>,
    first: usize,
    /// Bit `i` is set if the value of slot `first + i` is to be removed.
    bits: u64,
}

impl<T, P, Q, L> Removals<'_, T, P, Q, L>
where
    P: Place<Word = L::Word, Entry = Q::Entry>,
    Q: Queue<L::Index>,
    L: HandleLayout,
{
    /// # Safety
    ///
    /// Slot `first + bit` is live.
    #[inline(always)]
    unsafe fn judge<H: HandleLayout<Word = L::Word>>(
        &mut self,
        bit: usize,
        keep: &mut impl FnMut(H, &mut T) -> bool,
    ) {
        let index = self.first + bit;
        // SAFETY: a live slot is a slot.
        let word = unsafe { self.storage.words().stored_unchecked(index) };
        // So that the handle is made without a test.
        // SAFETY: as the caller promises, and the word of a live slot is its generation.
        unsafe { core::hint::assert_unchecked(word != L::Word::ZERO && !word.is_dead()) };
        // SAFETY: as the caller promises.
        let value = unsafe { self.storage.get_unchecked_mut(index) };
        self.bits |= u64::from(!keep(handle::kept::<H>(index, word), value)) << bit;
    }
}

impl<T, P, Q, L> Drop for Removals<'_, T, P, Q, L>
where
    P: Place<Word = L::Word, Entry = Q::Entry>,
    Q: Queue<L::Index>,
    L: HandleLayout,
{
    /// Carries them out. Not inline: the loop that judges has it behind each word, and again where the user's function panics.
    #[inline(never)]
    fn drop(&mut self) {
        if Storage::<T, P>::MAY_FORGET {
            return self.storage.slots_mut().end_each(self.first, self.bits);
        }
        while self.bits != 0 {
            let index = self.first + self.bits.trailing_zeros() as usize;
            self.bits &= self.bits - 1;
            drop(self.storage.end(index));
        }
    }
}

impl<T, P, Q, L> Storage<T, P, Ledger<Q, L>>
where
    P: Place<Word = L::Word, Entry = Q::Entry>,
    Q: Queue<L::Index>,
    L: HandleLayout,
{
    /// Removes the values for which the function, which gets their slot and generation, returns `false`, in index order, after it has
    /// judged all of the same 64 slots. If it panics, the values that it has rejected so far are
    /// removed; if a value's drop panics, those not yet dropped stay.
    #[inline]
    pub(crate) fn retain<H: HandleLayout<Word = L::Word>>(
        &mut self,
        mut keep: impl FnMut(H, &mut T) -> bool,
    ) {
        for word in 0..self.words().used().div_ceil(WORD_SLOTS) {
            let mut live = self.words().live_bits(word);
            let first = word * WORD_SLOTS;
            let mut removals = Removals { storage: self, first, bits: 0 };
            if live == !0 {
                for bit in 0..WORD_SLOTS {
                    // SAFETY: the slot was live when the word was read, and nothing is removed before the removals are dropped.
                    unsafe { removals.judge(bit, &mut keep) };
                }
            } else {
                while live != 0 {
                    // SAFETY: as above.
                    unsafe { removals.judge(live.trailing_zeros() as usize, &mut keep) };
                    live &= live - 1;
                }
            }
        }
    }

    /// Removes and drops all values. If a drop panics, the values that were not yet dropped stay.
    pub(crate) fn clear(&mut self) {
        let cycle = self.slots().ledger().cycle();
        // The reuse order matches the words again at the end.
        let mut storage = guard(self, |storage| storage.slots_mut().reset_order());
        // The constant first, so that nothing else is generated for such values.
        if Self::MAY_FORGET || !core::mem::needs_drop::<T>() && !storage.has_dead_to_keep() {
            return storage.words_mut().set_all_dead(&cycle);
        }
        for index in 0..storage.words().used() {
            let Some(generation) = storage.words().of_live(index) else { continue };
            storage.drop_value(index, cycle.word_after(generation));
        }
    }
}
