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
use crate::base::shared::OwnNumber;
use crate::base::{OrderEntry, OutOfMemory};
use crate::handle::Word;

/// Slots stored inline in the pool, with two entries each.
///
/// **Every bit of a new place is 0**, so that a pool in a `static` takes no space in the executable, however many slots it
/// has.
#[doc(hidden)]
pub struct Inline<T, K: SlotKind, const N: usize> {
    words: [K::Word; N],
    entries: [[K::Entry; 2]; N],
    values: [MaybeUninit<T>; N],
}

impl<T, K: SlotKind, const N: usize> Inline<T, K, N> {
    /// Slots that were never used; the entries are empty.
    pub(crate) const fn new() -> Self {
        Self {
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
    type Number = OwnNumber;
    const HAS_BITMAP: bool = false;
    const MOVES_VALUES: bool = true;
    const FIRST: u32 = 1;

    fn try_like(&self, _: Option<usize>) -> Result<Self, OutOfMemory> {
        Ok(Self::new())
    }

    #[inline(always)]
    fn parts(&self) -> Parts<'_, K::Word, K::Entry> {
        Parts {
            words: &self.words,
            bits: &[],
            entries: self.entries.as_flattened(),
            values: self.values.as_ptr().cast(),
        }
    }

    #[inline(always)]
    fn parts_mut(&mut self) -> PartsMut<'_, K::Word, K::Entry> {
        PartsMut {
            words: &mut self.words,
            bits: &mut [],
            entries: self.entries.as_flattened_mut(),
            values: self.values.as_mut_ptr().cast(),
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
    use crate::slots::reuse::Roster;

    #[test]
    fn every_bit_of_a_new_place_is_0() {
        let Inline { words, entries, values: _ } = Inline::<u8, (Roster, u32, u32), 70>::new();
        assert!(words.iter().chain(entries.as_flattened()).all(|word| *word == 0));
    }

    #[test]
    fn tells_how_many_slots_it_has_and_no_values() {
        let place = Inline::<u8, u32, 5>::new();
        assert_eq!(alloc::format!("{place:?}"), "Inline { slots: 5, .. }");
    }
}
