//! Words that lie in a block: how they are made, and get more slots.

use core::alloc::Layout;

use super::SlotWords;
use crate::base::memory::OutOfMemory;
use crate::handle::Word;
use crate::slots::{Block, Needs, Place, SlotKind, Slots, retired_among};

impl<K: SlotKind> SlotWords<Block<K>> {
    /// No slots, and no memory.
    pub(crate) const fn empty(value: Layout, start: u32) -> Self {
        Self::unused(Block::empty(value), start)
    }

    /// Slots without values that were never used and have this first generation.
    #[cfg(test)]
    pub(crate) fn try_new(
        slots: usize,
        entries: usize,
        is_synced: bool,
        start: u32,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self::of_unused(Block::try_new(slots, entries, Layout::new::<()>())?, is_synced, start))
    }

    /// The slots of a block, which were never used and have this first generation. `is_synced`: the bitmap is synced from the
    /// beginning.
    pub(crate) fn of_unused(place: Block<K>, is_synced: bool, start: u32) -> Self {
        let mut words = Self::unused(place, start);
        if is_synced {
            words.start_syncing();
        }
        words
    }

    /// Panics unless these slots were never used, and were made for such values; but they may have room for more than values
    /// without size need.
    #[inline(never)]
    pub(crate) fn expect_unused_for(&self, value: Layout) {
        let is_for = value == self.place.value_layout() || value == Layout::new::<()>();
        assert!(self.used() == 0 && is_for, "slots of another pool");
    }

    /// Another block with the same words, entries and counts.
    #[cfg(test)]
    pub(crate) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let (slots, entries) = (self.slots(), self.entries().len());
        let mut clone = Self::try_new(slots, entries, self.is_synced(), self.start())?;
        clone.copy_state_from(self, self.used());
        clone.entries_mut().copy_from_slice(self.entries());
        Ok(clone)
    }
}

impl<K: SlotKind, L> Slots<Block<K>, L> {
    /// Grows to this many slots; the new ones are as if never used. On an error, nothing changes. `touch`: touch
    /// every page.
    ///
    /// The entries of a reuse order that needs these move with the slots.
    #[inline]
    pub(crate) fn try_grow(
        &mut self,
        needs: Needs<K::Entry>,
        slots: usize,
        touch: bool,
    ) -> Result<(), OutOfMemory> {
        let Self { words, .. } = self;
        if let Some(watch) = words.place.watch_mut() {
            watch.try_grow(slots)?;
        }
        let entries = (needs.entry_count)(slots);
        words.place.try_grow(slots, entries, needs.fit_entries, touch)?;
        if needs.is_synced {
            // From the beginning, when there are no slots, and the bitmap has all of them.
            words.start_syncing();
        }
        Ok(())
    }

    /// The same, on a short path, if the block is [small](Block::grow_small); otherwise nothing changes.
    #[cfg(feature = "vec")]
    #[inline(always)]
    pub(crate) fn grow_small(&mut self, needs: Needs<K::Entry>, slots: usize) -> bool {
        if slots >= Block::<K>::SLOTS_BEYOND_SMALL {
            return false;
        }
        let place = &mut self.words.place;
        let (former, entries) = (place.entry_count(), (needs.entry_count)(slots));
        let has_grown = place.grow_small(slots, entries);
        if has_grown {
            (needs.fit_entries)(place.parts_mut().entries, former, entries);
            if needs.is_synced {
                self.words.start_syncing();
            }
        }
        has_grown
    }

    /// The first of the new slots, those from this one on, existed before and had these words.
    pub(crate) fn bring_back(&mut self, from: usize, former: &[K::Word]) {
        debug_assert!(former.iter().all(|word| word.is_dead()));
        self.words.place.parts_mut().words[from..from + former.len()].copy_from_slice(former);
        self.words.retired += retired_among(former) as u32;
    }
}
