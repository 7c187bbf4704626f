use core::mem::{self, MaybeUninit};

use crate::occupancy::{Occupancy, WORD_SLOTS};

/// Lends single values mutably, by ascending index.
#[derive(Debug)]
pub(crate) struct CursorMut<'a, T> {
    /// The slots not passed yet, and the index of their first.
    rest: &'a mut [MaybeUninit<T>],
    first: usize,
    occupancy: Occupancy<'a>,
}

impl<'a, T> CursorMut<'a, T> {
    #[inline]
    pub(super) fn new(values: &'a mut [MaybeUninit<T>], occupancy: Occupancy<'a>) -> Self {
        debug_assert_eq!(values.len(), occupancy.slots());
        Self { rest: values, first: 0, occupancy }
    }

    #[inline]
    pub(crate) fn occupancy(&self) -> Occupancy<'a> {
        self.occupancy
    }

    /// The 64 values of a word that was not passed yet, if all of its slots are live; the cursor passes
    /// them.
    #[inline]
    pub(crate) fn seek_word(&mut self, word: usize) -> Option<&'a mut [T; WORD_SLOTS]> {
        if self.occupancy.word(word) != !0 {
            return None;
        }
        let skipped = (word * WORD_SLOTS).checked_sub(self.first)?;
        let (passed, rest) = mem::take(&mut self.rest).split_at_mut(skipped + WORD_SLOTS);
        self.rest = rest;
        self.first = (word + 1) * WORD_SLOTS;
        let values = passed.last_chunk_mut::<WORD_SLOTS>()?;
        let values = core::ptr::from_mut(values).cast::<[T; WORD_SLOTS]>();
        // SAFETY: all of these are live by the values' occupancy (invariant 2), and
        // they are lent for `'a`. `MaybeUninit<T>` has the layout of `T`.
        Some(unsafe { &mut *values })
    }

    /// The value in a slot that was not passed yet, if the slot is live; the cursor passes it.
    #[inline]
    pub(crate) fn seek(&mut self, index: usize) -> Option<&'a mut T> {
        if !self.occupancy.is_live(index) {
            return None;
        }
        let skipped = index.checked_sub(self.first)?;
        let (passed, rest) = mem::take(&mut self.rest).split_at_mut(skipped + 1);
        self.rest = rest;
        self.first = index + 1;
        // SAFETY: the slot is live by the values' occupancy (invariant 2).
        Some(unsafe { passed[skipped].assume_init_mut() })
    }
}
