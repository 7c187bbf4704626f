//! How a block pool allocates blocks, and frees them.

use super::{BlockPool, SeveralBlocks};
use crate::base::memory::OutOfMemory;
use crate::handle::{HandleLayout, Word};
use crate::pools::growing::{CannotGrow, NAMED_SLOTS};
use crate::pools::slot_pool::{Growing, Grows, Growth};
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::reuse::ReuseOrder;
use crate::slots::{BlockSizes, CheckWord, Core};
use crate::snapshot::Checksum;
use crate::values::BlockStorage;

/// The rules by which a pool grows and shrinks.
///
/// Part of every pool, and programs have thousands of small ones: no number of blocks or slots needs more than 32 bits.
#[derive(Clone, Copy, Debug)]
pub struct ByBlocks {
    /// At most this many blocks, if the handle layout can name their slots.
    max_blocks: u32,
    spare_blocks: Option<u32>,
    /// A slot of the last block that was live at the last check: while it is live, the block is not
    /// empty.
    witness: u32,
}

/// A number of blocks or slots; no layout can name more than this may be.
#[inline]
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl ByBlocks {
    pub(super) const UNLIMITED: Self =
        Self { max_blocks: u32::MAX, spare_blocks: None, witness: 0 };

    #[inline]
    pub(super) fn new(max_blocks: usize, spare_blocks: Option<usize>) -> Self {
        Self {
            max_blocks: narrow(max_blocks),
            spare_blocks: spare_blocks.map(narrow),
            ..Self::UNLIMITED
        }
    }

    #[inline]
    pub(super) fn max_blocks(&self) -> usize {
        self.max_blocks as usize
    }

    /// The number given to [`give_back_beyond`](super::BlockPoolBuilder::give_back_beyond).
    #[inline]
    pub(super) fn spare_blocks(&self) -> Option<usize> {
        self.spare_blocks.map(|blocks| blocks as usize)
    }

    /// At most this many blocks, and no more than the handle layout can name.
    #[inline]
    pub(super) fn max_blocks_of<H: HandleLayout>(&self, sizes: BlockSizes) -> usize {
        self.max_blocks().min(sizes.blocks_within(H::CAPACITY_MAX))
    }

    /// The largest number of slots.
    #[inline]
    pub(super) fn capacity_max<H: HandleLayout>(&self, sizes: BlockSizes) -> usize {
        sizes.start_of(self.max_blocks_of::<H>(sizes)).unwrap_or(H::CAPACITY_MAX)
    }

    /// The number of slots that the pool may have but has not now, and that have not retired.
    pub(super) fn usable_beyond<T, R: ReuseOrder, H: HandleLayout>(
        &self,
        storage: &BlockStorage<T, R, H>,
    ) -> usize {
        let place = storage.place();
        self.capacity_max::<H>(place.sizes()) - storage.words().slots() - place.retired_beyond()
    }

    /// Makes room for an insertion, and takes the slot that then comes next out of the order.
    #[cold]
    #[inline(never)]
    pub(super) fn take_beyond<T, R: ReuseOrder, H: HandleLayout>(
        &mut self,
        storage: &mut BlockStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> Result<usize, CannotGrow> {
        loop {
            self.grow_for_insertion(storage, core)?;
            // All slots of a block that was there before may have retired.
            if let Some((index, _)) = core.take_next(storage) {
                return Ok(index);
            }
        }
    }

    /// Grows by one block, for an insertion.
    #[cold]
    #[inline(never)]
    pub(super) fn grow_for_insertion<T, R: ReuseOrder, H: HandleLayout>(
        &mut self,
        storage: &mut BlockStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> Result<(), CannotGrow> {
        // Blocks all of whose slots have retired would be allocated for nothing.
        if self.usable_beyond::<T, R, H>(storage) == 0 {
            return Err(CannotGrow::AtLimit);
        }
        let room = storage.place().room();
        // Copying the books of a small pool costs less than the allocator's work for a move.
        let factor = if room < SLOTS_MOVED_LATE { 4 } else { 2 };
        let capacity_max = self.capacity_max::<H>(storage.place().sizes());
        self.take_block(storage, core, false, room.saturating_mul(factor).min(capacity_max))
    }

    /// Allocates the next block. `room`: how many slots to make room for in the books if they are
    /// full.
    fn take_block<T, R: ReuseOrder, H: HandleLayout>(
        &mut self,
        storage: &mut BlockStorage<T, R, H>,
        core: &mut Core<R, H>,
        reserved: bool,
        room: usize,
    ) -> Result<(), CannotGrow> {
        let (block, sizes) = (storage.place().block_count(), storage.place().sizes());
        if block >= self.max_blocks_of::<H>(sizes) {
            return Err(CannotGrow::AtLimit);
        }
        let fresh = core.circle().start().as_dead();
        let new = storage.try_add_block(Core::<R, H>::NEEDS, room, fresh, reserved);
        let new = new.map_err(|_| CannotGrow::OutOfMemory)?;
        core.grow(new.start, storage);
        Ok(())
    }

    /// Frees the blocks from this slot on, which have no values, and returns how many. The reuse
    /// order is brought up to date once, however many they are.
    fn give_back_from<T, R: ReuseOrder, H: HandleLayout>(
        slots: usize,
        storage: &mut BlockStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> usize {
        if slots == storage.words().slots() {
            return 0;
        }
        let blocks = storage.place().block_count();
        core.shrink(slots, storage, |storage| {
            while storage.words().slots() > slots {
                storage.remove_block();
            }
        });
        blocks - storage.place().block_count()
    }

    /// Not inlined, because every removal would have it.
    #[inline(never)]
    fn give_back_beyond<T, R: ReuseOrder, H: HandleLayout>(
        &mut self,
        spare_blocks: usize,
        storage: &mut BlockStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) {
        let (mut slots, mut vacant) = (storage.words().slots(), storage.words().vacant());
        while let Some(block) = storage.place().last_block_of(slots) {
            if let Some(live) = storage.live_in(&block, self.witness as usize) {
                self.witness = narrow(live);
                break;
            }
            vacant -= block.len() - storage.words().retired_in(block.clone());
            // The unit is the block that would then be the last.
            let sizes = storage.place().sizes();
            let before = sizes.blocks_within(slots).saturating_sub(2);
            if vacant < sizes.len_of(before).saturating_mul(spare_blocks) {
                break;
            }
            slots = block.start;
            self.witness = narrow(slots);
        }
        Self::give_back_from(slots, storage, core);
    }

    /// Where the block of a slot that the pool may have ends.
    fn end_of_block_with<H: HandleLayout>(&self, index: usize, sizes: BlockSizes) -> usize {
        sizes.end_of_block_with(index).min(self.capacity_max::<H>(sizes))
    }
}

/// Books with room for fewer slots than these get four times the room.
const SLOTS_MOVED_LATE: usize = 64;

impl<T, R: ReuseOrder, H: HandleLayout> Growth<T, R, H, SeveralBlocks<T, R, H>>
    for Growing<ByBlocks>
{
    #[inline]
    fn slots_max(&self, storage: &BlockStorage<T, R, H>) -> usize {
        self.0.capacity_max::<H>(storage.place().sizes())
    }

    fn usable_beyond(&self, storage: &BlockStorage<T, R, H>) -> usize {
        self.0.usable_beyond::<T, R, H>(storage)
    }

    #[inline]
    fn make_room(
        &mut self,
        storage: &mut BlockStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> Result<(), CannotGrow> {
        self.0.grow_for_insertion(storage, core)
    }

    #[inline(always)]
    fn take_beyond(
        &mut self,
        storage: &mut BlockStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> Result<usize, CannotGrow> {
        self.0.take_beyond(storage, core)
    }

    #[cold]
    fn grow_up_to(
        &mut self,
        handle: H,
        check: CheckWord<H::Word>,
        is_near: bool,
        storage: &mut BlockStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> Result<(), InsertAtErrorKind> {
        let index = handle.index() as usize;
        // Checked before a block is allocated, so that no handle from a file allocates for nothing.
        let word = self.word_of(index, storage, core).ok_or(InsertAtErrorKind::OutOfRange)?;
        check(&core.circle(), word, handle.word())?;
        let (slots, sizes) = (storage.words().slots(), storage.place().sizes());
        let end = self.0.end_of_block_with::<H>(index, sizes);
        if is_near && end > NAMED_SLOTS.max(slots.saturating_mul(2)) {
            // Any insertion would allocate the next block.
            if end > slots + sizes.len_of(storage.place().block_count()) {
                return Err(InsertAtErrorKind::TooFar);
            }
        }
        let doubled = storage.place().room().saturating_mul(2);
        let room = end.max(doubled.min(self.0.capacity_max::<H>(sizes)));
        while storage.words().slots() <= index {
            if let Err(why) = self.0.take_block(storage, core, false, room) {
                ByBlocks::give_back_from(slots, storage, core);
                return Err(match why {
                    CannotGrow::OutOfMemory => InsertAtErrorKind::OutOfMemory,
                    CannotGrow::AtLimit => InsertAtErrorKind::OutOfRange,
                });
            }
        }
        Ok(())
    }

    fn word_of(
        &self,
        index: usize,
        storage: &BlockStorage<T, R, H>,
        core: &Core<R, H>,
    ) -> Option<H::Word> {
        let fresh = || core.circle().start().as_dead();
        (index < Growth::<T, R, H, _>::slots_max(self, storage))
            .then(|| storage.place().known_word(index).unwrap_or_else(fresh))
    }

    #[inline]
    fn after_removal(&mut self, storage: &mut BlockStorage<T, R, H>, core: &mut Core<R, H>) {
        if let Some(spare_blocks) = self.0.spare_blocks() {
            self.0.give_back_beyond(spare_blocks, storage, core);
        }
    }

    fn known(&self, storage: &BlockStorage<T, R, H>) -> usize {
        storage.place().known()
    }

    /// Allocates missing blocks, and frees those that the other does not have.
    fn become_like(
        &mut self,
        storage: &mut BlockStorage<T, R, H>,
        core: &Core<R, H>,
        _: &Self,
        other: &BlockStorage<T, R, H>,
    ) -> Result<(), OutOfMemory> {
        let circle = core.circle();
        let fresh = circle.start().as_dead();
        storage.try_make_room(Core::<R, H>::NEEDS, other.place().known(), fresh)?;
        storage.try_resize(Core::<R, H>::NEEDS, other.words().slots(), &circle)?;
        storage.copy_known_from(other, fresh);
        Ok(())
    }

    fn block_sizes(&self, storage: &BlockStorage<T, R, H>) -> (usize, usize) {
        let sizes = storage.place().sizes();
        (sizes.first(), sizes.last())
    }

    fn add_to(&self, storage: &BlockStorage<T, R, H>, sum: &mut Checksum) {
        let sizes = storage.place().sizes();
        sum.add(&(sizes.first(), sizes.last(), storage.words().slots()));
        sum.add(&self.0.spare_blocks());
    }

    #[cfg(feature = "validate")]
    fn validate(
        &self,
        storage: &BlockStorage<T, R, H>,
        core: &Core<R, H>,
    ) -> Result<(), crate::reports::validate::Violation> {
        storage.validate_blocks(core.circle().start().as_dead())
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Grows<T, R, H, SeveralBlocks<T, R, H>>
    for Growing<ByBlocks>
{
    fn retired_beyond(&self, storage: &BlockStorage<T, R, H>) -> usize {
        storage.place().retired_beyond()
    }

    fn reserve(
        &mut self,
        missing: usize,
        storage: &mut BlockStorage<T, R, H>,
        core: &mut Core<R, H>,
    ) -> Result<(), OutOfMemory> {
        let words = storage.words();
        let (slots, needed) = (words.slots(), words.vacant() + missing);
        // All at once, so that the books are not copied again and again.
        let room = self.0.end_of_block_with::<H>(slots + missing - 1, storage.place().sizes());
        while storage.words().vacant() < needed {
            self.0.take_block(storage, core, true, room).map_err(|_| OutOfMemory)?;
        }
        Ok(())
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// Frees the empty blocks at the end, and returns how many. O(slots of these blocks + free
    /// slots; in [`Roster`](crate::reuse::Roster) and [`LowestFirst`](crate::reuse::LowestFirst),
    /// all slots), plus the cost of the global allocator. Does not allocate.
    ///
    /// Some 8 bytes per freed slot stay allocated, so that handles stay stale for ever, even once
    /// the block is allocated again.
    ///
    /// ```
    /// use millpond::BlockPool;
    ///
    /// let mut pool = BlockPool::with_blocks(64, 8);
    /// let handles: Vec<_> = (0..200).map(|i| pool.insert(i).unwrap()).collect();
    /// assert_eq!(pool.capacity(), 256);
    /// for handle in &handles[10..] {
    ///     pool.remove(*handle);
    /// }
    /// assert_eq!(pool.shrink_to_fit(), 3);
    /// assert_eq!(pool.capacity(), 64);
    ///
    /// pool.reserve(200).unwrap();
    /// assert!(!pool.contains(handles[199]));
    /// ```
    pub fn shrink_to_fit(&mut self) -> usize {
        let Self { storage, core, growth, .. } = self;
        let (mut slots, mut hint) = (storage.words().slots(), growth.0.witness as usize);
        while let Some(block) = storage.place().last_block_of(slots) {
            if let Some(live) = storage.live_in(&block, hint) {
                growth.0.witness = narrow(live);
                break;
            }
            (slots, hint) = (block.start, block.start);
        }
        ByBlocks::give_back_from(slots, storage, core)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::state::sealed;
    use alloc::vec::Vec;

    #[test]
    fn the_order_is_that_of_the_slots_that_are_there() {
        let mut pool = BlockPool::<u8>::builder().slots_per_block(4).max_blocks(9).build();
        let handles: Vec<_> = (0..12).map(|value| pool.insert(value).unwrap()).collect();
        for index in [9, 8, 4, 11, 1, 10, 3] {
            pool.remove(handles[index]);
        }
        pool.shrink_to_fit();
        let order: Vec<usize> = sealed::State::order(&pool).flatten().collect();
        assert_eq!(order, [3, 1, 4]);
    }
}
