//! Values in blocks: growth.

use core::ops::Range;

use super::{Link, Storage};
use crate::base::memory::OutOfMemory;
use crate::handle::{HandleLayout, Word};
use crate::slots::{BlockSizes, Blocks, Circle, Needs, SlotKind, SlotWords};

/// The storage of a growing pool of this order and layout.
pub(crate) type BlockStorage<T, R, H> =
    Storage<Blocks<T, (R, <H as HandleLayout>::Word, <H as HandleLayout>::Index)>>;

impl<T, K: SlotKind> Storage<Blocks<T, K>> {
    /// No slots, and no memory.
    pub(crate) const fn growing(sizes: BlockSizes) -> Self {
        Self { words: SlotWords::growing(sizes) }
    }

    #[inline]
    pub(crate) fn place(&self) -> &Blocks<T, K> {
        self.words.place()
    }

    /// Allocates the next block. `room`: how many slots to make room for in the books if they are
    /// full; `ahead`: touch every page. Returns its slots, which are dead; the order does not know
    /// them yet.
    pub(crate) fn try_add_block(
        &mut self,
        needs: Needs<K::Entry>,
        room: usize,
        fresh: K::Word,
        ahead: bool,
    ) -> Result<Range<usize>, OutOfMemory> {
        let end = self.slots() + self.place().sizes().len_of(self.place().block_count());
        if end > self.place().room() {
            self.try_make_room(needs, room.max(end), fresh)?;
        }
        let new = self.words.try_add_block(needs.in_step, ahead)?;
        for index in new.clone() {
            self.write_link(index, Link::NONE);
            // As if a value had just been moved out.
            self.bury(index);
        }
        Ok(new)
    }

    /// Frees the last block, all of whose slots are dead and out of the order.
    pub(crate) fn remove_block(&mut self) {
        if Self::IS_POISONED {
            self.place().last_block().into_iter().flatten().for_each(|index| self.unearth(index));
        }
        self.words.remove_block();
    }

    /// Allocates or frees blocks until there are this many slots; the order is then out of date.
    /// Values in freed blocks are dropped.
    pub(crate) fn try_resize(
        &mut self,
        needs: Needs<K::Entry>,
        slots: usize,
        circle: &Circle<K::Word>,
    ) -> Result<(), OutOfMemory> {
        while let Some(block) = self.place().last_block().filter(|block| block.start >= slots) {
            for index in block {
                let Some(generation) = self.words.of_live(index) else { continue };
                drop(self.take(index, circle.word_after(generation)));
            }
            self.remove_block();
        }
        while self.slots() < slots {
            self.try_add_block(needs, slots, circle.start().as_dead(), false)?;
        }
        Ok(())
    }

    /// Makes room in the books for this many slots.
    pub(crate) fn try_make_room(
        &mut self,
        needs: Needs<K::Entry>,
        slots: usize,
        fresh: K::Word,
    ) -> Result<(), OutOfMemory> {
        let entries = (needs.entry_count)(slots, Self::LINKED);
        self.words.place_mut().try_make_room(slots, entries, needs.fit_entries, fresh)
    }

    /// Copies the words of former slots from `other`, which has the same number of slots.
    pub(crate) fn copy_known_from(&mut self, other: &Self, fresh: K::Word) {
        self.words.place_mut().copy_known_from(other.place(), fresh);
    }

    /// Sets the words of former slots, which come after those that exist: dead ones.
    #[cfg(feature = "serde")]
    pub(crate) fn load_known(&mut self, words: &[K::Word]) {
        assert!(words.iter().all(|word| word.is_dead()), "a live slot has a value");
        self.words.place_mut().load_known(words);
    }

    /// A copy with the same words. If a value's clone panics, what was copied is dropped.
    pub(crate) fn try_clone_blocks(
        &self,
        needs: Needs<K::Entry>,
        circle: &Circle<K::Word>,
    ) -> Result<Self, OutOfMemory>
    where
        T: Clone,
    {
        let mut storage = Self::growing(self.place().sizes());
        let fresh = circle.start().as_dead();
        storage.try_make_room(needs, self.place().room(), fresh)?;
        storage.try_resize(needs, self.slots(), circle)?;
        storage.clone_into_dead(self);
        storage.copy_known_from(self, fresh);
        Ok(storage)
    }

    /// Whether no slot of the block is live; otherwise one that is. `hint`: one that may be.
    pub(crate) fn live_in(&self, block: &Range<usize>, hint: usize) -> Option<usize> {
        if block.contains(&hint) && self.words.is_live(hint) {
            return Some(hint);
        }
        let below = block.start..hint.clamp(block.start, block.end);
        let above = below.end..block.end;
        below.rev().chain(above.rev()).find(|index| self.words.is_live(*index))
    }

    #[cfg(feature = "validate")]
    pub(crate) fn validate_blocks(
        &self,
        fresh: K::Word,
    ) -> Result<(), crate::reports::validate::Violation> {
        crate::reports::validate::ensure(
            self.place().is_consistent(fresh),
            "the blocks have all slots that are there, and slots that were never used have fresh words",
            format_args!("{} blocks, {} slots", self.place().block_count(), self.slots()),
        )
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::handle::Handle;
    use crate::slots::Core;
    use crate::slots::reuse::Lifo;

    #[test]
    fn validation_finds_what_is_broken() {
        type Short = BlockStorage<u8, Lifo, Handle<()>>;
        let mut storage = Short::growing(BlockSizes::new(4, 4).unwrap());
        storage.try_add_block(Core::<Lifo, Handle<()>>::NEEDS, 8, 3.as_dead(), false).unwrap();
        storage.validate_blocks(3.as_dead()).unwrap();
        // The words of four slots that were never there are not those of a pool that begins otherwise.
        let rule = storage.validate_blocks(5.as_dead()).unwrap_err().rule();
        assert!(rule.ends_with("slots that were never used have fresh words"), "{rule}");
    }
}
