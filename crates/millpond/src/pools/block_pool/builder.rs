use core::marker::PhantomData;
use core::ops::{Bound, RangeBounds};

use super::growth::Growing;
use super::{BlockPool, Growth};
use crate::handle::{Handle, HandleLayout};
use crate::pools::pool::PoolBuilder;
use crate::pools::settings::{BuildError, Settings, order_and_handle_methods, settings_methods};
use crate::slots::BlockSizes;
use crate::slots::reuse::{Lifo, ReuseOrder};

/// Builds a [`BlockPool`]: the sizes of its blocks, how many there may be, when they are given back, who
/// is told of growth, and all that a [`PoolBuilder`](crate::PoolBuilder) has.
///
/// ```
/// use millpond::BlockPool;
///
/// let pool = BlockPool::<[f32; 4]>::builder()
///     .slots_per_block(1024)
///     .max_blocks(64)
///     .reserve(2048)
///     .name("sparks")
///     .build();
/// assert_eq!((pool.capacity(), pool.capacity_max()), (2048, 65_536));
/// ```
#[derive(Debug)]
#[must_use = "call `.build()` to get the pool"]
pub struct BlockPoolBuilder<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    pub(super) settings: Settings<R, H>,
    pub(super) growth: GrowthSettings,
    values: PhantomData<fn() -> T>,
}

/// What a builder has gathered about blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GrowthSettings {
    /// The sizes of the first block and of the largest.
    pub(super) block_sizes: Option<(usize, usize)>,
    pub(super) max_blocks: Option<usize>,
    pub(super) capacity_max: Option<usize>,
    pub(super) reserved: usize,
    pub(super) spare_blocks: Option<usize>,
    pub(super) on_growth: Option<fn(Growth)>,
}

/// Blocks that double from 4 slots on, without a limit.
impl<T, R: ReuseOrder, H: HandleLayout> Default for BlockPoolBuilder<T, R, H> {
    fn default() -> Self {
        Self { settings: Settings::new(), growth: GrowthSettings::default(), values: PhantomData }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> BlockPoolBuilder<T, R, H> {
    /// A builder of slots with the name, the salt, the lifetimes and the debug aids that this one's have.
    pub(crate) fn like(builder: &PoolBuilder<T, R, H>) -> Self {
        Self {
            settings: builder.settings().clone(),
            growth: GrowthSettings::default(),
            values: PhantomData,
        }
    }

    /// Of a part of a pool, whose first slot has this number in the whole.
    pub(crate) fn part_from(self, slot: usize) -> Self {
        Self { settings: self.settings.part_from(slot), ..self }
    }

    /// How many slots the pool grows by each time: a power of two. As a rule so many that growing is rare, and so
    /// few that an unfilled block is no loss: a few pages' worth, such as 1024 values of 16 bytes.
    pub fn slots_per_block(mut self, slots: usize) -> Self {
        self.growth.block_sizes = Some((slots, slots));
        self
    }

    /// How many slots the first block has, and how many blocks may have at most: powers of two. The second block has
    /// as many as the first, each one after that twice as many as the one before, up to the largest. Without this or
    /// [`slots_per_block`](Self::slots_per_block), the sizes are `4..`.
    ///
    /// ```
    /// use millpond::BlockPool;
    ///
    /// let mut pool = BlockPool::builder().block_sizes(8..=16).build();
    /// let capacities: Vec<usize> = (0..64).map(|i| {
    ///     pool.push(i);
    ///     pool.capacity()
    /// }).collect();
    /// assert_eq!([0, 8, 16, 32, 48].map(|i| capacities[i]), [8, 16, 32, 48, 64]);
    /// ```
    pub fn block_sizes(mut self, sizes: impl RangeBounds<usize>) -> Self {
        let first = match sizes.start_bound() {
            Bound::Included(first) => *first,
            Bound::Excluded(before) => before.saturating_add(1),
            Bound::Unbounded => 1,
        };
        let last = match sizes.end_bound() {
            Bound::Included(last) => *last,
            Bound::Excluded(after) => after.saturating_sub(1),
            // The largest power of two: no block has so many slots.
            Bound::Unbounded => 1 << (usize::BITS - 1),
        };
        self.growth.block_sizes = Some((first, last));
        self
    }

    /// The limit: an insertion that would need one block more is refused. Without a limit, it is what
    /// the handle layout can name, in whole blocks.
    pub fn max_blocks(mut self, blocks: usize) -> Self {
        self.growth.max_blocks = Some(blocks);
        self
    }

    /// The limit in slots: as many blocks as have at most so many together. If the number of blocks is limited
    /// [as well](Self::max_blocks), the lower limit holds.
    ///
    /// ```
    /// use millpond::BlockPool;
    ///
    /// let pool = BlockPool::<u8>::builder().capacity_max(100).build();
    /// assert_eq!((pool.capacity_max(), pool.max_blocks()), (64, 5)); // 4 + 4 + 8 + 16 + 32
    /// ```
    pub fn capacity_max(mut self, slots: usize) -> Self {
        self.growth.capacity_max = Some(slots);
        self
    }

    /// The pool has at least so many slots from the beginning.
    pub fn reserve(mut self, slots: usize) -> Self {
        self.growth.reserved = slots;
        self
    }

    /// When the last block becomes empty, that very removal gives it back, if the others then have room for at least
    /// `spare_blocks` times as many values as the last of them has slots; and then the one before it, if it is empty
    /// too. So a number of values that goes up and down by less than that much never takes and gives back the same
    /// block again and again. Slots that have retired are no room. Without this, only
    /// [`shrink_to_fit`](BlockPool::shrink_to_fit) gives blocks back.
    ///
    /// A removal then looks whether a slot of the last block is live, which takes O(slots of that block) at worst.
    ///
    /// ```
    /// use millpond::BlockPool;
    ///
    /// let mut pool =
    ///     BlockPool::builder().slots_per_block(16).max_blocks(8).give_back_beyond(1).build();
    /// let handles: Vec<_> = (0..64).map(|i| pool.insert(i).unwrap()).collect();
    /// assert_eq!(pool.capacity(), 64);
    /// handles.iter().for_each(|handle| assert!(pool.remove(*handle).is_some()));
    /// assert_eq!(pool.capacity(), 16); // one block stays, the spare one
    /// ```
    pub fn give_back_beyond(mut self, spare_blocks: usize) -> Self {
        self.growth.spare_blocks = Some(spare_blocks);
        self
    }

    /// Called after the pool has taken a block, by an insertion (before the value moves in) or by
    /// [`reserve`](BlockPool::reserve): to log it, to count it, to raise a flag. If it panics, the
    /// insertion has not happened, and the block stays. A program that prefers to ask has
    /// [`growth_stats`](BlockPool::growth_stats).
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// use millpond::BlockPool;
    ///
    /// static CAPACITY: AtomicUsize = AtomicUsize::new(0);
    ///
    /// let mut pool = BlockPool::builder()
    ///     .slots_per_block(16)
    ///     .max_blocks(8)
    ///     .on_growth(|growth| CAPACITY.store(growth.capacity, Ordering::Relaxed))
    ///     .build();
    /// (0..17).for_each(|i| assert!(pool.insert(i).is_ok()));
    /// assert_eq!(CAPACITY.load(Ordering::Relaxed), 32);
    /// ```
    pub fn on_growth(mut self, hook: fn(Growth)) -> Self {
        self.growth.on_growth = Some(hook);
        self
    }

    settings_methods!(without capacity);
    order_and_handle_methods!(BlockPoolBuilder<T>, keeps growth, values);

    /// The pool.
    ///
    /// # Panics
    ///
    /// Where [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> BlockPool<T, R, H> {
        match self.try_build() {
            Ok(pool) => pool,
            Err(error) => panic!("{error}"),
        }
    }

    /// The pool.
    ///
    /// ```
    /// use millpond::{BlockPool, BuildError, Handle32};
    ///
    /// let builder = || BlockPool::<u8>::builder().handle::<Handle32<u8, 8>>();
    /// let error = builder().slots_per_block(64).max_blocks(5).try_build().unwrap_err();
    /// assert_eq!(error, BuildError::CapacityTooLarge { capacity: 320, capacity_max: 256 });
    /// let error = builder().slots_per_block(65).try_build().unwrap_err();
    /// assert_eq!(error, BuildError::SlotsPerBlock { slots_per_block: 65 });
    /// assert_eq!(builder().slots_per_block(64).build().capacity_max(), 256);
    /// ```
    ///
    /// # Errors
    ///
    /// If a size of blocks is not a power of two, the first is larger than the last, the handle layout
    /// cannot name so many slots, or there is no memory for those that were reserved.
    pub fn try_build(self) -> Result<BlockPool<T, R, H>, BuildError> {
        let GrowthSettings { block_sizes, max_blocks, capacity_max, reserved, .. } = self.growth;
        let layout_max = H::CAPACITY_MAX;
        let sizes = match block_sizes {
            None => BlockSizes::DOUBLING,
            Some((first, last)) => {
                if let Some(slots_per_block) =
                    [first, last].into_iter().find(|size| !size.is_power_of_two())
                {
                    return Err(BuildError::SlotsPerBlock { slots_per_block });
                }
                let of_all = first.saturating_mul(max_blocks.unwrap_or(1).max(1));
                let too_large =
                    BuildError::CapacityTooLarge { capacity: of_all, capacity_max: layout_max };
                match BlockSizes::new(first, last) {
                    Some(sizes) if first <= layout_max => sizes,
                    None if first > last => return Err(BuildError::BlockSizes { first, last }),
                    _ => return Err(too_large),
                }
            }
        };
        let within = |slots: usize| sizes.blocks_within(slots.min(layout_max));
        let mut limit = within(capacity_max.unwrap_or(layout_max));
        if let Some(blocks) = max_blocks {
            if blocks > within(layout_max) {
                let capacity = sizes.start_of(blocks).unwrap_or(usize::MAX);
                return Err(BuildError::CapacityTooLarge { capacity, capacity_max: layout_max });
            }
            limit = limit.min(blocks);
        }
        let growth = Growing::new(limit, self.growth.spare_blocks, self.growth.on_growth);
        let mut pool = BlockPool::without_blocks(sizes, &self.settings.lifetimes, growth);
        let out_of_memory = BuildError::OutOfMemory { capacity: reserved };
        #[cfg(feature = "debug-aids")]
        pool.watch(self.settings.debug_aids).map_err(|_| out_of_memory)?;
        pool.reserve(reserved).map_err(|error| match error.is_out_of_memory() {
            true => out_of_memory,
            false => {
                BuildError::ReservedTooMuch { reserved, capacity_max: pool_limit(&sizes, limit) }
            }
        })?;
        Ok(pool)
    }
}

/// How many slots so many blocks have, which the handle layout can name.
fn pool_limit(sizes: &BlockSizes, blocks: usize) -> usize {
    sizes.start_of(blocks).unwrap_or(usize::MAX)
}
