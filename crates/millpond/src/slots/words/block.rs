//! Words that lie in a block: how they are made, and get more slots.

use core::alloc::Layout;

use super::SlotWords;
use crate::base::memory::OutOfMemory;
use crate::handle::Word;
use crate::slots::{Block, OwnSlots, Place, SlotKind, Slots, retired_among};

impl<K: SlotKind> SlotWords<Block<K>> {
    /// Slots without values that were never used and have this first generation.
    #[cfg(test)]
    pub(crate) fn try_new(slots: usize, start: u32) -> Result<Self, OutOfMemory> {
        Ok(Self::of_unused(Block::try_new(slots, Layout::new::<()>())?, start))
    }

    /// The slots of a block, which were never used and have this first generation.
    pub(crate) fn of_unused(place: Block<K>, start: u32) -> Self {
        let mut words = Self::unused(place, start);
        if K::IS_SYNCED {
            words.start_syncing();
        }
        words
    }

    /// Another block with the same words, entries and counts.
    #[cfg(test)]
    pub(crate) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let mut clone = Self::try_new(self.slots(), self.start())?;
        if self.is_synced() {
            clone.start_syncing();
        }
        clone.copy_state_from(self, self.used());
        clone.entries_mut().copy_from_slice(self.entries());
        Ok(clone)
    }
}

impl<K: SlotKind, L> OwnSlots<Block<K>, L> {
    /// The same slots, if they were never used, and were made for such values; but they may have room for more than values
    /// without size need.
    ///
    /// # Panics
    ///
    /// If not. They are dropped here, so that a program has no code for it with each type of values.
    #[inline(never)]
    pub(crate) fn expect_unused_for(mut self, value: Layout) -> Self {
        let words = self.sealed().words();
        let is_for = value == words.place().value_layout() || value == Layout::new::<()>();
        assert!(words.used() == 0 && is_for, "slots of another pool");
        self
    }
}

impl<K: SlotKind, L> Slots<Block<K>, L> {
    /// Grows to this many slots; the new ones are as if never used. On an error, nothing changes. `touch`: touch
    /// every page.
    ///
    /// The entries of a reuse order that needs these move with the slots.
    #[inline]
    pub(crate) fn try_grow(&mut self, slots: usize, touch: bool) -> Result<(), OutOfMemory> {
        let Self { words, .. } = self;
        if let Some(Some(watch)) = words.place.watch_mut() {
            watch.try_grow(slots)?;
        }
        words.place.try_grow(slots, touch)?;
        if K::IS_SYNCED {
            // From the beginning, when there are no slots, and the bitmap has all of them.
            words.start_syncing();
        }
        Ok(())
    }

    /// The first of the new slots, those from this one on, existed before and had these words.
    pub(crate) fn bring_back(&mut self, from: usize, former: &[K::Word]) {
        debug_assert!(former.iter().all(|word| word.is_dead()));
        self.words.place.parts_mut().words[from..from + former.len()].copy_from_slice(former);
        self.words.retired += retired_among(former) as u32;
    }
}
