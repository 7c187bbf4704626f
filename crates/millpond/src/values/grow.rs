//! Growing and shrinking of slots in one block: it is extended, or they move to a smaller one.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::Storage;
use crate::base::memory::OutOfMemory;
use crate::slots::{Block, OwnSlots, Place, SlotKind, SlotWords};

impl<T, K: SlotKind, L> Storage<T, Block<K>, L> {
    /// No slots, and no memory.
    pub(crate) const fn empty(start: u32, ledger: L) -> Self {
        let slots = OwnSlots::new(SlotWords::unused(Block::empty(Self::VALUE), start), ledger);
        Self { slots, values: PhantomData }
    }

    /// Grows to this many slots; the new ones are as if never used. On an error, nothing changes. `touch`: touch every page.
    ///
    /// The reuse order's entries move with the slots. The order itself must be told: [`Slots::grow`](crate::slots::Slots::grow) afterwards.
    pub(crate) fn try_grow(&mut self, slots: usize, touch: bool) -> Result<(), OutOfMemory> {
        self.lend_to_grow(|own| own.try_grow(slots, touch))
    }

    /// A block of fewer slots, for [`move_to`](Self::move_to).
    pub(crate) fn try_smaller(&self, slots: usize) -> Result<Block<K>, OutOfMemory> {
        match slots {
            0 => Ok(Block::empty(Self::VALUE)),
            _ => Block::try_growing(slots, Self::VALUE),
        }
    }

    /// Moves to a block of fewer slots; those that are no more must be dead.
    ///
    /// The reuse order's entries move with the slots. The order itself must be told: [`Slots::shrink`](crate::slots::Slots::shrink) around it.
    pub(crate) fn move_to(&mut self, block: Block<K>) {
        let kept = block.parts().words.len();
        let are_dead = (kept..self.words().slots()).all(|index| !self.words().is_live(index));
        assert!(kept <= self.words().slots() && are_dead, "a value would be lost");
        self.replace_block(block);
    }

    /// Moves to a block of at least as many slots, none of which was used in it. On an error, nothing changes. For blocks in memory that is lent, which [`try_grow`](Self::try_grow) cannot extend.
    ///
    /// The reuse order's entries move with the slots. The order itself must be told: [`Slots::grow`](crate::slots::Slots::grow) afterwards.
    #[cfg(feature = "__c")]
    pub(crate) fn try_move_up(&mut self, block: Block<K>) -> Result<(), OutOfMemory> {
        let (from, slots) = (self.words().slots(), block.parts().words.len());
        assert!(from <= slots, "a value would be lost");
        if let Some(watch) = self.words_mut().place_mut().watch_mut().and_then(Option::as_mut) {
            watch.try_grow(slots)?;
        }
        self.replace_block(block);
        if K::IS_SYNCED {
            // From the beginning, when there are no slots, and the bitmap has all of them.
            self.words_mut().start_syncing();
        }
        Ok(())
    }

    /// See [`SlotWords::refresh`]; no prefix is known then.
    #[cfg(feature = "__c")]
    pub(crate) fn refresh_and_forget_prefix(&mut self) {
        self.words_mut().refresh();
        self.words_mut().forget_prefix();
    }

    /// Moves to another block, in which no slot was used.
    fn replace_block(&mut self, mut block: Block<K>) {
        let kept = block.parts().words.len().min(self.words().slots());
        assert!(
            size_of::<T>() == 0 || block.value_layout() == Self::VALUE,
            "no room for the values"
        );
        // No user code from here on.
        self.poison_dead(false);
        let values = self.first();
        let from = self.words_mut().place_mut().parts_mut();
        block.take_over(from);
        // SAFETY: both have this many slots with room for a `T`, as just tested, in memory of their own.
        unsafe {
            block.parts_mut().values.cast::<MaybeUninit<T>>().copy_from_nonoverlapping(values, kept)
        };
        if let (Some(to), Some(from)) =
            (block.bitmap_mut(), self.words_mut().place_mut().bitmap_mut())
        {
            to.set(from.own());
        }
        if let (Some(to), Some(from)) =
            (block.watch_mut(), self.words_mut().place_mut().watch_mut())
        {
            *to = from.take();
        }
        // Each value is in both blocks until the former one is gone, which drops none.
        *self.words_mut().place_mut() = block;
        self.words_mut().recount_retired();
        self.poison_dead(true);
    }
}

#[cfg(all(test, feature = "tables"))]
mod tests {
    use crate::handle::Word;
    use crate::values::table::TableStorage;
    use alloc::rc::Rc;
    use alloc::vec::Vec;

    #[test]
    fn a_storage_that_grows_keeps_its_slots_and_drops_each_value_once() {
        let counted = Rc::new(());
        let mut storage = TableStorage::<_, u32>::empty(0, ());
        let mut expected = Vec::new();
        for slots in [1, 3, 64, 65, 256, 257, 1000] {
            let before = storage.words().slots();
            storage.try_grow_table(slots).unwrap();
            assert_eq!(storage.words().slots(), slots);
            assert!(storage.words().as_slice()[before..].iter().all(|word| *word == 0));
            storage.put(slots - 1, slots as u32, counted.clone());
            expected.push((slots - 1, slots as u32));
            if slots == 64 {
                storage.drop_value(2, 9_u32.as_dead());
                expected.remove(1);
            }
            let live = storage.iter().map(|(index, _)| index);
            assert!(live.eq(expected.iter().map(|(index, _)| *index)));
            assert!(
                expected.iter().all(|(index, word)| storage.words().get(*index) == Some(*word))
            );
            assert_eq!(Rc::strong_count(&counted), expected.len() + 1);
        }
        assert_eq!(storage.words().get(2), Some(9_u32.as_dead()));
        drop(storage);
        assert_eq!(Rc::strong_count(&counted), 1);
    }
}
