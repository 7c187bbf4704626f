//! How a block pool takes blocks, and gives them back.

use core::fmt;

use super::{Block, BlockPool, Room};
use crate::errors::PoolName;
use crate::handle::HandleLayout;
use crate::memory::OutOfMemory;
use crate::reuse::ReuseOrder;

/// A block that a [`BlockPool`] has just taken: what its
/// [growth hook](super::BlockPoolBuilder::on_growth) is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Growth {
    /// The pool's name, if it was given one.
    pub name: Option<&'static str>,
    /// Which block: its first slot has the index `block * slots_per_block`.
    pub block: usize,
    /// How many slots the block has.
    pub slots_per_block: usize,
    /// How many slots the pool has now, with those of the block.
    pub capacity: usize,
    /// How many slots the pool may have at most.
    pub capacity_max: usize,
    /// Whether the program asked for room ahead, with `reserve`; otherwise an insertion had to wait for
    /// the memory.
    pub reserved: bool,
}

/// How often a [`BlockPool`] has grown and shrunk; made by
/// [`BlockPool::growth_stats`](BlockPool::growth_stats).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct GrowthStats {
    /// How many blocks are there.
    pub blocks: usize,
    /// How many of them were there at once at most.
    pub blocks_peak: usize,
    /// How many blocks were taken in all, by insertions and by `reserve`.
    pub taken: u64,
    /// How many of these an insertion had to wait for.
    pub taken_by_insertions: u64,
    /// How many blocks were given back.
    pub given_back: u64,
}

/// A [`BlockPool`] could not make the room that was asked for.
///
/// ```
/// use millpond::BlockPool;
///
/// let mut pool = BlockPool::<u8>::with_blocks(64, 2);
/// let error = pool.reserve(200).unwrap_err();
/// assert!(!error.is_out_of_memory());
/// assert_eq!(
///     error.to_string(),
///     "the pool cannot make room for 200 more values: it may have 128 slots, and 0 are live",
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReserveError {
    pub(crate) name: Option<&'static str>,
    pub(crate) additional: usize,
    pub(crate) live: usize,
    pub(crate) retired: usize,
    pub(crate) capacity_max: usize,
    pub(crate) out_of_memory: bool,
}

impl ReserveError {
    /// Whether there was no memory; otherwise the pool may not have so many slots.
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        self.out_of_memory
    }
}

impl fmt::Display for ReserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = PoolName(self.name);
        write!(f, "{name} cannot make room for {} more values: ", self.additional)?;
        if self.out_of_memory {
            return f.write_str("there is no memory");
        }
        write!(f, "it may have {} slots, and {} are live", self.capacity_max, self.live)?;
        match self.retired {
            0 => Ok(()),
            retired => write!(f, ", {retired} retired"),
        }
    }
}

impl core::error::Error for ReserveError {}

/// The number of blocks and what changed it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ledger {
    pub(super) stats: GrowthStats,
    /// No block below this one can be taken.
    takeable_from: usize,
}

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// Takes blocks until this many values more can be inserted without any growth, so that it happens
    /// before play and not in it. O(slots taken + blocks).
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
    /// assert_eq!(pool.growth_stats().taken_by_insertions, 0);
    /// # Ok::<(), millpond::block_pool::ReserveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool may not have so many slots, and then nothing has happened; or there is no memory,
    /// and then the blocks that were taken stay, until [`shrink_to_fit`](Self::shrink_to_fit).
    pub fn reserve(&mut self, additional: usize) -> Result<(), ReserveError> {
        let retired: usize = self.blocks.iter().map(Block::retired).sum();
        let error = |out_of_memory| ReserveError {
            name: self.name(),
            additional,
            live: self.len(),
            retired,
            capacity_max: self.capacity_max(),
            out_of_memory,
        };
        if additional > self.capacity_max() - self.len() - retired {
            return Err(error(false));
        }
        let out_of_memory = error(true);
        let there = self.blocks.iter().filter_map(Block::pool);
        let mut room: usize =
            there.map(|pool| pool.capacity() - pool.len() - pool.stats().retired).sum();
        while room < additional {
            let block = self.next_takeable();
            let gained = self.slots_per_block() - self.blocks.get(block).map_or(0, Block::retired);
            self.take_block(block, true).map_err(|_| out_of_memory)?;
            room += gained;
        }
        Ok(())
    }

    /// Gives back every block without values, and says how many these were. O(blocks), and what the
    /// allocator takes.
    ///
    /// Of a block that is given back the generation words stay (4.125 bytes for each slot, with the bit;
    /// 2.125 with [`Handle32`](crate::Handle32) of 16 or more index bits), so that its handles stay stale
    /// for ever, also once the block is taken again.
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
        (0..self.blocks.len()).filter(|block| self.give_back(*block)).count()
    }

    /// How often the pool has grown and shrunk. O(1). A program that has no use for a hook asks once a
    /// frame whether `taken_by_insertions` has changed.
    #[must_use]
    pub fn growth_stats(&self) -> GrowthStats {
        self.ledger.stats
    }

    /// The block that is taken next: the lowest that is not there and has a slot that is not retired. If
    /// the pool is at its limit, a number at or beyond it.
    pub(super) fn next_takeable(&mut self) -> usize {
        // All blocks are there as a rule.
        if self.ledger.stats.blocks == self.blocks.len() {
            return self.blocks.len();
        }
        let from = self.ledger.takeable_from;
        let found = self.blocks[from..].iter().position(Block::is_takeable);
        self.ledger.takeable_from = found.map_or(self.blocks.len(), |at| from + at);
        self.ledger.takeable_from
    }

    /// Grows by one block, for an insertion; gives the block.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self) -> Result<usize, CannotGrow> {
        let block = self.next_takeable();
        if block >= self.max_blocks {
            return Err(CannotGrow::AtLimit);
        }
        self.take_block(block, false).map_err(|OutOfMemory| CannotGrow::OutOfMemory)?;
        Ok(block)
    }

    /// Takes a block that is within the limit, and not there, and tells the hook.
    pub(super) fn take_block(&mut self, block: usize, reserved: bool) -> Result<(), OutOfMemory> {
        debug_assert!(block < self.max_blocks);
        if block >= self.blocks.len() {
            let more = block + 1 - self.blocks.len();
            self.blocks.try_reserve(more).map_err(|_| OutOfMemory)?;
            self.room.try_grow(block + 1)?;
            self.table.try_grow(block + 1)?;
        }
        self.addresses.try_reserve(1).map_err(|_| OutOfMemory)?;
        if block >= self.blocks.len() {
            self.blocks.resize_with(block + 1, || Block::Unused);
        }
        self.blocks[block].try_take(1 << self.shift, self.circle, self.name)?;
        #[cfg(feature = "debug-aids")]
        if self.watch(block).is_err() {
            self.blocks[block].give_back();
            return Err(OutOfMemory);
        }
        if self.blocks[block].has_room() {
            self.room.insert(block);
        }
        self.note_place(block);
        let stats = &mut self.ledger.stats;
        stats.blocks += 1;
        stats.blocks_peak = stats.blocks_peak.max(stats.blocks);
        stats.taken += 1;
        stats.taken_by_insertions += u64::from(!reserved);
        self.tell_size();
        if let Some(hook) = self.on_growth {
            hook(Growth {
                name: self.name(),
                block,
                slots_per_block: self.slots_per_block(),
                capacity: self.capacity(),
                capacity_max: self.capacity_max(),
                reserved,
            });
        }
        Ok(())
    }

    /// Gives a block back, if it is there and has no values.
    pub(super) fn give_back(&mut self, block: usize) -> bool {
        let address = self.blocks[block].pool().map(|pool| pool.address());
        self.table.forget(block);
        if !self.blocks[block].give_back() {
            if let Some(pool) = self.blocks[block].pool() {
                self.table.note(block, pool);
            }
            return false;
        }
        self.room.remove(block);
        let noted = |at: &(usize, usize)| Some(at.0).cmp(&address);
        if let Ok(at) = self.addresses.binary_search_by(noted) {
            self.addresses.remove(at);
        }
        self.ledger.takeable_from = self.ledger.takeable_from.min(block);
        self.ledger.stats.blocks -= 1;
        self.ledger.stats.given_back += 1;
        self.tell_size();
        true
    }

    /// Tells whoever listens that there are more slots now, or fewer.
    fn tell_size(&mut self) {
        if self.tap.is_on() {
            self.tap.resized(self.stats());
        }
    }

    /// A block has lost its last value: gives it back if the pool was told to and has more room than it
    /// was told to keep.
    #[cold]
    pub(super) fn give_back_by_rule(&mut self, block: usize) {
        let Some(spare_blocks) = self.spare_blocks else { return };
        // What is retired counts as room here, so that this does not have to look at all blocks.
        let room_elsewhere = self.capacity() - self.slots_per_block() - self.len();
        if room_elsewhere >> self.shift >= spare_blocks {
            self.give_back(block);
        }
    }

    /// Makes all that is known of the blocks true, when no slot is live.
    pub(super) fn recount(&mut self) {
        self.deaths = self.births;
        self.ledger.takeable_from = 0;
        let stats = &mut self.ledger.stats;
        stats.blocks = self.blocks.iter().filter(|block| block.pool().is_some()).count();
        stats.blocks_peak = stats.blocks_peak.max(stats.blocks);
        stats.taken = stats.given_back + stats.blocks as u64;
        if self.note_room().is_err() {
            panic!("no memory for the map of {}", PoolName(self.name()));
        }
        self.note_places();
    }

    /// Takes on these numbers of blocks, and finds out which have room and where their slots are.
    #[cfg(feature = "serde")]
    pub(super) fn load_growth(&mut self, stats: GrowthStats) -> Result<(), OutOfMemory> {
        self.ledger = Ledger { stats, takeable_from: 0 };
        self.note_room()?;
        self.note_places();
        Ok(())
    }

    /// Finds out which blocks have room.
    fn note_room(&mut self) -> Result<(), OutOfMemory> {
        self.room = Room::new();
        self.room.try_grow(self.blocks.len())?;
        for block in (0..self.blocks.len()).filter(|at| self.blocks[*at].has_room()) {
            self.room.insert(block);
        }
        Ok(())
    }

    /// Finds out where the slots of all blocks are.
    pub(super) fn note_places(&mut self) {
        self.table.forget_all();
        self.addresses.clear();
        self.addresses.reserve(self.ledger.stats.blocks);
        (0..self.blocks.len()).for_each(|block| self.note_place(block));
    }

    /// Keeps where the block's slots are, for lookups and for [`index_of`](Self::index_of).
    fn note_place(&mut self, block: usize) {
        let Some(pool) = self.blocks[block].pool() else { return };
        self.table.note(block, pool);
        if size_of::<T>() > 0 {
            let address = pool.address();
            let at = self.addresses.partition_point(|(other, _)| *other < address);
            self.addresses.insert(at, (address, block));
        }
    }
}

/// Why an insertion finds no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CannotGrow {
    AtLimit,
    OutOfMemory,
}
