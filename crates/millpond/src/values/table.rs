//! The storage of a side table.

use super::Storage;
use crate::base::memory::OutOfMemory;
use crate::handle::Word;
use crate::occupancy::WORD_SLOTS;
use crate::slots::{Block, OwnSlots, Place, SlotKind, SlotWords, full_word};

/// Storage without a reuse order.
pub(crate) type TableStorage<T, W> = Storage<T, Block<W>>;

impl<T, W: Word> TableStorage<T, W> {
    /// Slots that were never used, every page touched.
    pub(crate) fn try_table(slots: usize) -> Result<Self, OutOfMemory> {
        let block = Block::try_new(slots, Self::VALUE)?;
        Ok(Self::of_unused(OwnSlots::new(SlotWords::unused(block, 0), ())))
    }

    /// Grows to this many slots. On an error, nothing changes.
    pub(crate) fn try_grow_table(&mut self, slots: usize) -> Result<(), OutOfMemory> {
        self.try_grow(slots, true)
    }

    /// Makes all slots, which are dead, as if never used.
    pub(crate) fn forget_words(&mut self) {
        self.words_mut().forget();
    }
}

impl<T, K: SlotKind, L> Storage<T, Block<K>, L> {
    /// The 64 values of a word, if all of its slots are live.
    #[inline]
    pub(crate) fn get_word(&self, word: usize) -> Option<&[T; WORD_SLOTS]> {
        full_word(self.words().as_slice(), word)?;
        let values = self.values().get(word * WORD_SLOTS..)?.first_chunk::<WORD_SLOTS>()?;
        let values = core::ptr::from_ref(values).cast::<[T; WORD_SLOTS]>();
        // SAFETY: all of these slots are live, as just tested, and so their values initialised
        // (invariant 2). `MaybeUninit<T>` has the layout of `T`.
        Some(unsafe { &*values })
    }
}

impl<T, P: Place, L> Storage<T, P, L> {
    /// Mutable references to the values of several live slots at once.
    ///
    /// # Safety
    ///
    /// All slots are live, and no two are the same.
    pub(crate) unsafe fn get_disjoint_unchecked_mut<const N: usize>(
        &mut self,
        indices: [usize; N],
    ) -> [&mut T; N] {
        // SAFETY: as the caller promises.
        let values = unsafe { self.get_each_unchecked_mut(indices.map(Some)) };
        values.map(|value| value.expect("a value for an index"))
    }
}
