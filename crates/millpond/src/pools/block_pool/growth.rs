//! How a block pool allocates blocks, and frees them.

use super::BlockPool;
use crate::handle::{HandleLayout, Word};
use crate::pools::growing::{CannotGrow, NAMED_SLOTS, ReserveError};
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::reuse::ReuseOrder;
use crate::slots::{BlockSizes, CheckWord, Core};
use crate::values::BlockStorage;

/// The rules by which a pool grows and shrinks.
///
/// Part of every pool, and programs have thousands of small ones: no number of blocks or slots needs more than 32 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growing {
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

impl Growing {
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
}

/// Books with room for fewer slots than these get four times the room.
const SLOTS_MOVED_LATE: usize = 64;

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// Allocates blocks until `additional` more values can be inserted without growth, so that
    /// growth happens before play and not during it. Every page of the new blocks is touched.
    /// O(slots).
    ///
    /// ```
    /// use millpond::BlockPool;
    ///
    /// let mut pool = BlockPool::<[f32; 4]>::with_blocks(1024, 64);
    /// pool.reserve(3000)?;
    /// assert_eq!(pool.capacity(), 3 * 1024);
    /// for _ in 0..3000 {
    ///     pool.insert([0.0; 4]).unwrap(); // takes no memory
    /// }
    /// assert_eq!(pool.capacity(), 3 * 1024);
    /// # Ok::<(), millpond::block_pool::ReserveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the slots would exceed the pool's limit, in which case the pool is unchanged; or if
    /// memory runs out, in which case the blocks allocated so far stay until
    /// [`shrink_to_fit`](Self::shrink_to_fit).
    pub fn reserve(&mut self, additional: usize) -> Result<(), ReserveError> {
        let vacant = self.storage.words().vacant();
        let error = |pool: &Self, out_of_memory| ReserveError {
            name: pool.name(),
            additional,
            live: pool.len(),
            retired: pool.storage.words().retired() + pool.storage.place().retired_beyond(),
            capacity_max: pool.capacity_max(),
            out_of_memory,
        };
        let Some(missing) = additional.checked_sub(vacant) else { return Ok(()) };
        if missing > self.growth.usable_beyond::<T, R, H>(&self.storage) {
            return Err(error(self, false));
        }
        // All at once, so that the books are not copied again and again.
        let room = self.end_of_block_with(self.capacity() + missing - usize::from(missing > 0));
        while self.storage.words().vacant() < additional {
            if self.take_block(true, room).is_err() {
                return Err(error(self, true));
            }
        }
        Ok(())
    }

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
        let (mut slots, mut hint) = (self.capacity(), self.growth.witness as usize);
        while let Some(block) = self.storage.place().last_block_of(slots) {
            if let Some(live) = self.storage.live_in(&block, hint) {
                self.growth.witness = narrow(live);
                break;
            }
            (slots, hint) = (block.start, block.start);
        }
        self.give_back_from(slots)
    }

    /// Where the block of a slot that the pool may have ends.
    fn end_of_block_with(&self, index: usize) -> usize {
        self.sizes().end_of_block_with(index).min(self.capacity_max())
    }

    /// See [`Growing::take_block`].
    fn take_block(&mut self, reserved: bool, room: usize) -> Result<(), CannotGrow> {
        let Self { storage, core, growth } = self;
        growth.take_block(storage, core, reserved, room)
    }

    /// Grows until the handle's slot exists and can begin the handle's lifetime; on an error, the
    /// pool is unchanged.
    #[cold]
    pub(super) fn grow_up_to(
        &mut self,
        handle: H,
        check: CheckWord<H::Word>,
        is_near: bool,
    ) -> Result<(), InsertAtErrorKind> {
        let index = handle.index() as usize;
        if index >= self.capacity_max() {
            return Err(InsertAtErrorKind::OutOfRange);
        }
        // Checked before a block is allocated, so that no handle from a file allocates for nothing.
        check(&self.core.circle(), self.word_of(index), handle.word())?;
        let end = self.end_of_block_with(index);
        if is_near && end > NAMED_SLOTS.max(self.capacity().saturating_mul(2)) {
            // Any insertion would allocate the next block.
            let next = self.sizes().len_of(self.storage.place().block_count());
            if end > self.capacity() + next {
                return Err(InsertAtErrorKind::TooFar);
            }
        }
        let slots = self.capacity();
        let room = end.max(self.storage.place().room().saturating_mul(2).min(self.capacity_max()));
        while self.capacity() <= index {
            if let Err(why) = self.take_block(false, room) {
                self.give_back_from(slots);
                return Err(match why {
                    CannotGrow::OutOfMemory => InsertAtErrorKind::OutOfMemory,
                    CannotGrow::AtLimit => InsertAtErrorKind::OutOfRange,
                });
            }
        }
        Ok(())
    }

    /// Frees the blocks from this slot on, which have no values, and returns how many. The reuse
    /// order is brought up to date once, however many they are.
    fn give_back_from(&mut self, slots: usize) -> usize {
        if slots == self.capacity() {
            return 0;
        }
        let blocks = self.storage.place().block_count();
        self.core.shrink(slots, &mut self.storage, |storage| {
            while storage.words().slots() > slots {
                storage.remove_block();
            }
        });
        blocks - self.storage.place().block_count()
    }

    /// After removals: frees the last block if it is empty, the pool was built to do so, and the
    /// rest has as much room as the pool was built to keep; then the block before it.
    #[inline]
    pub(super) fn give_back_by_rule(&mut self) {
        if let Some(spare_blocks) = self.growth.spare_blocks() {
            self.give_back_beyond(spare_blocks);
        }
    }

    /// Not inlined, because every removal would have it.
    #[inline(never)]
    fn give_back_beyond(&mut self, spare_blocks: usize) {
        let (mut slots, mut vacant) = (self.capacity(), self.storage.words().vacant());
        while let Some(block) = self.storage.place().last_block_of(slots) {
            if let Some(live) = self.storage.live_in(&block, self.growth.witness as usize) {
                self.growth.witness = narrow(live);
                break;
            }
            vacant -= block.len() - self.storage.words().retired_in(block.clone());
            // The unit is the block that would then be the last.
            let before = self.sizes().blocks_within(slots).saturating_sub(2);
            if vacant < self.sizes().len_of(before).saturating_mul(spare_blocks) {
                break;
            }
            slots = block.start;
            self.growth.witness = narrow(slots);
        }
        self.give_back_from(slots);
    }
}
