//! Slots stored inline in the pool.
//!
//! ```text
//! pool     words │ entries of the reuse order │ values         no bitmap
//!          4 n   │ 8 n                        │ n × size_of::<T>()   bytes
//! ```
//!
//! Invariant: the contract of [`Place`], which arrays in a struct always fulfil.

use core::fmt;
use core::mem::MaybeUninit;

use super::{Parts, PartsMut, Place, SlotKind};
use crate::base::entry::Entry;
use crate::handle::Word;
use crate::occupancy::TopBit;

/// Slots stored inline in the pool, with two entries each.
///
/// **Every bit of a new place is 0** unless the first generation is not 1, so that a pool in a
/// `static` takes no space in the executable, however many slots it has. So each word is stored as
/// its exclusive or with that of an unused slot.
#[doc(hidden)]
pub struct Inline<T, K: SlotKind, const N: usize> {
    /// The first generation of every slot, and generation 1, differ in these bits.
    start_and_1: u32,
    words: [K::Word; N],
    entries: [[K::Entry; 2]; N],
    values: [MaybeUninit<T>; N],
}

impl<T, K: SlotKind, const N: usize> Inline<T, K, N> {
    /// Slots that were never used, the first generation of which is `start`; the entries are empty.
    pub(crate) const fn new(start: u32) -> Self {
        Self {
            start_and_1: start ^ 1,
            words: [K::Word::ZERO; N],
            entries: [[K::Entry::EMPTY; 2]; N],
            values: [const { MaybeUninit::uninit() }; N],
        }
    }
}

// SAFETY: the arrays are fields, with lengths fixed by the type: they stay where they are until the
// place moves, and only `parts_mut` lends them mutably.
unsafe impl<T, K: SlotKind, const N: usize> Place for Inline<T, K, N> {
    type Word = K::Word;
    type Entry = K::Entry;
    type Value = T;
    const HAS_BITMAP: bool = false;
    const MOVES_VALUES: bool = true;
    // The word of a slot that was never used is a dead one.
    const TOP_BIT: TopBit = TopBit::Live;

    #[inline(always)]
    fn key(&self) -> K::Word {
        let one = K::Word::from_generation(1).as_dead();
        K::Word::from_generation(self.start_and_1).difference(one)
    }

    #[inline(always)]
    fn parts(&self) -> Parts<'_, K::Word, K::Entry, T> {
        Parts {
            words: &self.words,
            bits: &[],
            entries: self.entries.as_flattened(),
            values: self.values.as_ptr(),
        }
    }

    #[inline(always)]
    fn parts_mut(&mut self) -> PartsMut<'_, K::Word, K::Entry, T> {
        PartsMut {
            words: &mut self.words,
            bits: &mut [],
            entries: self.entries.as_flattened_mut(),
            values: self.values.as_mut_ptr(),
        }
    }
}

impl<T, K: SlotKind, const N: usize> fmt::Debug for Inline<T, K, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inline").field("slots", &N).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::Bare;

    impl<W: Word, T, const N: usize> Inline<T, Bare<W, u32>, N> {
        fn has_zero_bits(&self) -> bool {
            let Self { start_and_1, words, entries, values: _ } = self;
            *start_and_1 == 0
                && words.iter().all(|word| *word == W::ZERO)
                && entries.as_flattened().iter().all(|entry| *entry == 0)
        }
    }

    #[test]
    fn every_bit_of_a_new_place_is_0_unless_it_starts_at_another_generation() {
        assert!(Inline::<u8, Bare<u32, u32>, 70>::new(1).has_zero_bits());
        assert!(!Inline::<u8, Bare<u32, u32>, 70>::new(2).has_zero_bits());
    }

    #[test]
    fn words_are_kept_as_differences_to_that_of_a_fresh_slot() {
        for start in [1, 2, 254, u32::MAX >> 1] {
            let place = Inline::<(), Bare<u32, u32>, 3>::new(start);
            assert_eq!(place.key(), start.as_dead());
            let parts = place.parts();
            let fresh = parts.words.iter().map(|word| word.difference(place.key()));
            assert!(fresh.eq([start.as_dead(); 3]));
            assert_eq!(parts.entries.len(), 6);
        }
    }

    #[test]
    fn tells_how_many_slots_it_has_and_no_values() {
        let place = Inline::<u8, Bare<u32, u32>, 5>::new(1);
        assert_eq!(alloc::format!("{place:?}"), "Inline { slots: 5, .. }");
    }
}
