use core::mem::{self, MaybeUninit};

use super::Storage;
use crate::occupancy::{Occupancy, WORD_SLOTS};
use crate::slots::Place;

impl<T, P: Place, L> Storage<T, P, L> {
    /// All slots, to be cut into chunks, with the words as they are stored.
    #[inline]
    pub(crate) fn words_and_chunk_mut(&mut self) -> (&[P::Word], ChunkMut<'_, T>) {
        let (words, values, occupancy) = self.split_mut();
        (words, ChunkMut::new(values, occupancy))
    }
}

/// Adjacent slots of a pool, for mutable access to the live values: of all, or of single ones by ascending index.
#[derive(Debug)]
pub(crate) struct ChunkMut<'a, T> {
    slots: &'a mut [MaybeUninit<T>],
    /// The index of the first of the slots.
    first: usize,
    /// The occupancy of the whole pool.
    occupancy: Occupancy<'a>,
}

impl<'a, T> ChunkMut<'a, T> {
    /// All slots of a pool.
    #[inline]
    fn new(slots: &'a mut [MaybeUninit<T>], occupancy: Occupancy<'a>) -> Self {
        debug_assert_eq!(slots.len(), occupancy.slots());
        Self { slots, first: 0, occupancy }
    }

    #[inline]
    pub(crate) fn occupancy(&self) -> Occupancy<'a> {
        self.occupancy
    }

    /// The 64 values of a word that was not passed yet, if all of its slots are live; cuts them off, with those before.
    #[inline]
    pub(crate) fn seek_word(&mut self, word: usize) -> Option<&'a mut [T; WORD_SLOTS]> {
        if self.occupancy.word(word) != !0 {
            return None;
        }
        let skipped = (word * WORD_SLOTS).checked_sub(self.first)?;
        let (passed, rest) = mem::take(&mut self.slots).split_at_mut(skipped + WORD_SLOTS);
        self.slots = rest;
        self.first = (word + 1) * WORD_SLOTS;
        let values = passed.last_chunk_mut::<WORD_SLOTS>()?;
        let values = core::ptr::from_mut(values).cast::<[T; WORD_SLOTS]>();
        // SAFETY: all of these are live by the values' occupancy (invariant 2), and
        // they are lent for `'a`. `MaybeUninit<T>` has the layout of `T`.
        Some(unsafe { &mut *values })
    }

    /// The value in a slot that was not passed yet, if the slot is live; cuts it off, with those before.
    #[inline]
    pub(crate) fn seek(&mut self, index: usize) -> Option<&'a mut T> {
        if !self.occupancy.is_live(index) {
            return None;
        }
        let skipped = index.checked_sub(self.first)?;
        let (passed, rest) = mem::take(&mut self.slots).split_at_mut(skipped + 1);
        self.slots = rest;
        self.first = index + 1;
        // SAFETY: the slot is live by the values' occupancy (invariant 2).
        Some(unsafe { passed[skipped].assume_init_mut() })
    }

    /// Cuts off the first slots: `count` of them, or all if there are fewer.
    #[inline]
    pub(crate) fn take_front(&mut self, count: usize) -> Self {
        let slots = mem::take(&mut self.slots);
        let (front, rest) = slots.split_at_mut(count.min(slots.len()));
        let chunk = Self { first: self.first, slots: front, occupancy: self.occupancy };
        self.first += chunk.slots.len();
        self.slots = rest;
        chunk
    }

    /// The index of the first slot.
    #[inline]
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// How many of the slots are live.
    pub(crate) fn live(&self) -> usize {
        let mut at = self.first;
        let end = at + self.slots.len();
        let mut live = 0;
        while at < end {
            let (bits, slots) = self.bits(at, end);
            live += bits.count_ones() as usize;
            at += slots;
        }
        live
    }

    /// Calls the function with the index and the value of each live slot, in index order.
    #[inline(always)]
    pub(crate) fn for_each(&mut self, mut f: impl FnMut(usize, &mut T)) {
        let (mut at, end) = (self.first, self.first + self.slots.len());
        while at < end {
            let (mut bits, slots) = self.bits(at, end);
            let piece = &mut self.slots[at - self.first..][..slots];
            if bits == !0 {
                for (slot, index) in piece.iter_mut().zip(at..) {
                    // SAFETY: all of these are live by the slots' occupancy (invariant 2).
                    f(index, unsafe { slot.assume_init_mut() });
                }
            } else {
                while bits != 0 {
                    let bit = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    // SAFETY: the slot is live by the slots' occupancy (invariant 2).
                    f(at + bit, unsafe { piece[bit].assume_init_mut() });
                }
            }
            at += slots;
        }
    }

    /// Which slots from `at` on are live, as far as they share a word of the occupancy and lie before `end`; and how many
    /// slots these are.
    #[inline(always)]
    fn bits(&self, at: usize, end: usize) -> (u64, usize) {
        let shift = at % WORD_SLOTS;
        let slots = (WORD_SLOTS - shift).min(end - at);
        let bits = self.occupancy.word(at / WORD_SLOTS) >> shift;
        (bits & (!0 >> (WORD_SLOTS - slots)), slots)
    }
}
