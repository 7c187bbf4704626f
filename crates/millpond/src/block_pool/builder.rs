use core::marker::PhantomData;

use super::{BlockPool, Growth};
use crate::PoolBuilder;
use crate::handle::{Handle, HandleLayout};
use crate::reuse::{Lifo, ReuseOrder};
use crate::settings::{BuildError, Settings, order_and_handle_methods, settings_methods};

/// Builds a [`BlockPool`]: the size of its blocks, how many there may be, when they are given back, who
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
    pub(super) slots_per_block: Option<usize>,
    pub(super) max_blocks: Option<usize>,
    pub(super) reserved: usize,
    pub(super) spare_blocks: Option<usize>,
    pub(super) on_growth: Option<fn(Growth)>,
}

impl<T> BlockPoolBuilder<T> {
    pub(super) fn new() -> Self {
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

    /// How many slots the pool grows by: a power of two. As a rule so many that growing is rare, and so
    /// few that an unfilled block is no loss: a few pages' worth, such as 1024 values of 16 bytes.
    pub fn slots_per_block(mut self, slots: usize) -> Self {
        self.growth.slots_per_block = Some(slots);
        self
    }

    /// The limit: an insertion that would need one block more is refused. Without it, the limit is what
    /// the handle layout can name.
    pub fn max_blocks(mut self, blocks: usize) -> Self {
        self.growth.max_blocks = Some(blocks);
        self
    }

    /// The pool has at least so many slots from the beginning.
    pub fn reserve(mut self, slots: usize) -> Self {
        self.growth.reserved = slots;
        self
    }

    /// A block that becomes empty is given back in that very removal, if the other blocks have room for
    /// at least `spare_blocks` blocks' worth of values. So a number of values that goes up and down by
    /// less than that much never takes and gives back the same block again and again. Without this, only
    /// [`shrink_to_fit`](BlockPool::shrink_to_fit) gives blocks back.
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
    /// If no number of slots per block was set, or one that is not a power of two, the handle layout
    /// cannot name so many slots, or there is no memory for those that were reserved.
    pub fn try_build(self) -> Result<BlockPool<T, R, H>, BuildError> {
        let slots_per_block = self.growth.slots_per_block.unwrap_or(0);
        if !slots_per_block.is_power_of_two() {
            return Err(BuildError::SlotsPerBlock { slots_per_block });
        }
        let capacity_max = H::CAPACITY_MAX;
        let max_blocks = self.growth.max_blocks.unwrap_or(capacity_max / slots_per_block);
        let capacity = slots_per_block.saturating_mul(max_blocks);
        if slots_per_block.max(capacity) > capacity_max {
            let capacity = slots_per_block.max(capacity);
            return Err(BuildError::CapacityTooLarge { capacity, capacity_max });
        }
        let reserved = self.growth.reserved;
        let mut pool = BlockPool::from_builder(self, slots_per_block.trailing_zeros(), max_blocks);
        pool.reserve(reserved).map_err(|error| match error.is_out_of_memory() {
            true => BuildError::OutOfMemory { capacity: reserved },
            false => BuildError::ReservedTooMuch { reserved, capacity_max: capacity },
        })?;
        Ok(pool)
    }
}
