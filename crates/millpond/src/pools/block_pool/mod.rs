//! [`BlockPool`], which grows without moving a value, and what its methods return.

mod builder;
mod faces;
mod growth;
#[cfg(feature = "serde")]
mod saved;
mod traits;

pub use crate::pools::faces::Handles;
pub use crate::pools::growing::ReserveError;
pub use crate::values::{BlockRuns as ValueRuns, BlockRunsMut as ValueRunsMut};
pub use builder::{BlockPoolBuilder, OfBlockPool};
pub use faces::{Drain, ExtractIf, IntoIter, Iter, IterMut, VacantEntry, Values, ValuesMut};
pub use growth::ByBlocks;

use core::ops::RangeInclusive;

use crate::handle::{Handle, HandleLayout};
use crate::pools::slot_pool::{Growing, SlotPool};
use crate::slots::lifetimes::Lifetimes;
use crate::slots::reuse::{Lifo, ReuseOrder};
use crate::slots::{BlockSizes, Blocks, Core};
use crate::values::Storage;

/// A pool of values that grows block by block, up to an optional limit. No value ever moves, and
/// every handle stays valid.
///
/// Needs the feature `blocks`.
///
/// Use it when the number of values is not known in advance, or varies a lot between levels: the
/// pool allocates what it needs, up to the limit, and can free it again. If the peak is known, a
/// [`Pool`](crate::Pool) of that capacity has the same methods, is a little faster, and never waits
/// for memory.
///
/// ```text
/// handle 9v3 ──▶ index 9, generation 3
///                     │
///   generations  [ 1 ][ †2 ] … [ 3 ] …          as in a `Pool`: one array each for the generations,
///   occupancy      1    0   …    1              the occupancy and the reuse order
///   blocks       │ 0..4 │ 4..8 │ 8..16 │ 16..32 │ …
///                    │      │       └▶ [ d ][ c ]…  values: each block is an array of its own,
///                    │      └▶ [   ][ b ]…          and stays where it is
///                    └▶ [ a ][   ]…
/// ```
///
/// **Memory**: a new pool has none. Then the blocks double, from 4 slots on, or have the
/// [sizes](BlockPoolBuilder::block_sizes) set on the builder. Each slot takes, as in a
/// [`Pool`](crate::Pool), the value, a generation word (4 bytes; 2 with
/// [`Handle32`](crate::Handle32) of 16 or more index bits), one bit, and the [reuse
/// order](crate::reuse)'s data; each block takes 8 to 16 bytes more. Blocks that
/// [`reserve`](Self::reserve) allocates are touched at once. The system provides the pages of a
/// block that an insertion allocates when they are first used: no insertion waits for all of them,
/// and unused pages take no memory.
///
/// **Growth**: an insertion that finds no free slot allocates a block. At the limit, or without
/// memory, it is refused, and the error returns the value. Values stay where they are. The
/// generations, the occupancy and the reuse order, some 8 bytes per slot, move to an array of twice
/// the size when theirs is full, as a `Vec`'s elements do. [`reserve`](Self::reserve) allocates
/// blocks in advance, outside of play.
///
/// **Shrinking**: [`shrink_to_fit`](Self::shrink_to_fit) frees the empty blocks at the end; so does
/// a removal, if the pool was [built so](BlockPoolBuilder::give_back_beyond). With
/// [`LowestFirst`](crate::reuse::LowestFirst), values go to the lowest slots, so that the last
/// blocks run empty. The generations of freed slots stay, so that their handles stay stale.
///
/// **Time**: insert (without growth), get and remove are O(1), as in a `Pool`; each access first
/// looks up the value's block. Iterating costs what it costs in a
/// [`Pool`](crate::Pool).
///
/// **Safety**: as for [`Pool`](crate::Pool): a handle is valid for one lifetime of one slot. After
/// that, the pool refuses it, whether its block is still there, was freed, or was allocated again.
///
/// ```
/// use millpond::BlockPool;
///
/// let mut ships = BlockPool::new();
/// assert_eq!(ships.capacity(), 0);
/// let cutter = ships.push("cutter");
/// assert_eq!(ships.capacity(), 4);
///
/// let address = &raw const ships[cutter];
/// for _ in 0..200 {
///     ships.push("barge");
/// }
/// assert_eq!(ships.capacity(), 256);
/// assert_eq!(&raw const ships[cutter], address); // nothing moved
///
/// ships.retain(|handle, _| handle == cutter);
/// ships.shrink_to_fit();
/// assert_eq!((ships.capacity(), ships[cutter]), (4, "cutter"));
/// ```
///
/// # Methods
///
/// They are those of [`SlotPool`]; the page of [`Pool`](crate::Pool#methods) lists them by what they do. Its own: [`push`](Self::push), [`reserve`](Self::reserve), [`shrink_to_fit`](Self::shrink_to_fit), [`capacity_max`](Self::capacity_max).
pub type BlockPool<T, R = Lifo, H = Handle<T>> =
    SlotPool<T, Growing<ByBlocks>, R, H, SeveralBlocks<T, R, H>>;

/// The place of a [`BlockPool`].
#[doc(hidden)]
pub type SeveralBlocks<T, R, H> =
    Blocks<T, (R, <H as HandleLayout>::Word, <H as HandleLayout>::Index)>;

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    const fn without_blocks(sizes: BlockSizes, lifetimes: &Lifetimes, growth: ByBlocks) -> Self {
        Self::of_parts(Storage::growing(sizes), Core::fresh(lifetimes), Growing(growth))
    }

    /// Returns a builder for pools with the reuse order and handle layout of `Self`, for use where
    /// the type is named.
    ///
    /// ```
    /// use millpond::reuse::Fifo;
    /// use millpond::{BlockPool, Handle};
    ///
    /// struct Label;
    /// type Nodes = BlockPool<String, Fifo, Handle<Label>>;
    /// let mut nodes = Nodes::typed_builder().name("nodes").build();
    /// let root: Handle<Label> = nodes.push("root".to_owned());
    /// ```
    pub fn typed_builder() -> BlockPoolBuilder<T, R, H> {
        BlockPoolBuilder::default()
    }

    /// Returns the size of the first block and of the largest, in slots: between the two, blocks
    /// double.
    ///
    /// ```
    /// use millpond::BlockPool;
    ///
    /// assert_eq!(BlockPool::<u8>::with_blocks(64, 16).block_sizes(), 64..=64);
    /// let pool = BlockPool::<u8>::builder().block_sizes(8..=1024).build();
    /// assert_eq!(pool.block_sizes(), 8..=1024);
    /// ```
    #[must_use]
    pub fn block_sizes(&self) -> RangeInclusive<usize> {
        self.sizes().first()..=self.sizes().last()
    }

    fn sizes(&self) -> BlockSizes {
        self.storage.place().sizes()
    }

    /// Returns the largest number of blocks that the pool may have.
    #[inline]
    #[must_use]
    pub fn max_blocks(&self) -> usize {
        self.growth.0.max_blocks_of::<H>(self.sizes())
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;

    impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
        /// Breaks a rule that validation checks.
        pub(crate) fn miscount(&mut self) {
            self.core.count_eviction();
        }
    }

    #[test]
    fn validation_asks_what_knows_the_handles() {
        let mut pool = BlockPool::<u8>::with_blocks(2, 2);
        pool.validate().unwrap();
        pool.miscount();
        assert_eq!(pool.validate().unwrap_err().rule(), "the counters agree");
    }
}
