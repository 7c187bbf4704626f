use core::ops::{Bound, RangeBounds};

use super::BlockPool;
use super::growth::ByBlocks;
use crate::base::or_panic;
use crate::handle::{Handle, HandleLayout};
use crate::pools::builder::{Builder, Kind, Ordered};
use crate::pools::pool::PoolBuilder;
use crate::pools::settings::{BuildError, Settings};
use crate::slots::BlockSizes;
use crate::slots::lifetimes::Lifetimes;
use crate::slots::reuse::{Lifo, ReuseOrder};

impl<T> BlockPool<T> {
    /// Creates an empty pool that has not allocated, whose blocks double: 4 slots, 4, 8, 16 and so
    /// on.
    ///
    /// ```
    /// use millpond::BlockPool;
    ///
    /// const NO_SHIPS: BlockPool<String> = BlockPool::new();
    /// let mut ships = NO_SHIPS;
    /// let cutter = ships.push("cutter".to_owned());
    /// assert_eq!((ships.len(), ships.capacity()), (1, 4));
    /// assert_eq!(ships[cutter], "cutter");
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::without_blocks(BlockSizes::DOUBLING, &Lifetimes::PLAIN, ByBlocks::UNLIMITED)
    }

    /// Creates an empty pool that has not allocated, and grows by `slots_per_block` slots up to
    /// `max_blocks` times.
    ///
    /// ```
    /// use millpond::BlockPool;
    ///
    /// let mut pool = BlockPool::with_blocks(2, 2);
    /// assert!((0..4).all(|i| pool.insert(i).is_ok()));
    /// let full = pool.insert(4).unwrap_err();
    /// assert_eq!(full.to_string(), "the pool is full: all 4 slots are live");
    /// ```
    ///
    /// # Panics
    ///
    /// If `slots_per_block` is not a power of two, or handles of eight bytes cannot name that many
    /// slots; the builder's [`try_build`](BlockPoolBuilder::try_build) returns an error instead.
    #[must_use]
    #[track_caller]
    pub fn with_blocks(slots_per_block: usize, max_blocks: usize) -> Self {
        let builder = Self::builder().slots_per_block(slots_per_block).max_blocks(max_blocks);
        or_panic(builder.try_build())
    }

    /// Returns a builder, to choose the block sizes, the limit, the reuse order, the handle layout,
    /// a name and more.
    ///
    /// ```
    /// use millpond::reuse::LowestFirst;
    /// use millpond::{BlockPool, Handle32};
    ///
    /// struct Tree;
    /// let mut trees = BlockPool::<Tree>::builder()
    ///     .slots_per_block(4096)
    ///     .max_blocks(100)
    ///     .reuse(LowestFirst)
    ///     .handle::<Handle32<Tree>>()
    ///     .name("trees")
    ///     .build();
    /// let tree: Handle32<Tree> = trees.insert(Tree).unwrap();
    /// ```
    pub fn builder() -> BlockPoolBuilder<T> {
        BlockPoolBuilder::default()
    }
}

/// Builds a [`BlockPool`] with block sizes, a limit, a rule for freeing empty blocks, and all that a
/// [`PoolBuilder`](crate::PoolBuilder) has.
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
pub type BlockPoolBuilder<T, R = Lifo, H = Handle<T>> = Builder<T, Ordered<OfBlockPool>, R, H>;

/// The kind of a [`BlockPool`]: what its builder has gathered about blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct OfBlockPool {
    /// The sizes of the first block and of the largest.
    block_sizes: Option<(usize, usize)>,
    max_blocks: Option<usize>,
    capacity_max: Option<usize>,
    spare_blocks: Option<usize>,
}

/// Blocks that double from 4 slots on, without a limit.
impl<T, R: ReuseOrder, H: HandleLayout> Default for BlockPoolBuilder<T, R, H> {
    fn default() -> Self {
        Self::of(Settings::of_capacity(0), Ordered::default())
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> BlockPoolBuilder<T, R, H> {
    /// A builder with the name, the salt, the lifetimes and the debug aids of `builder`.
    pub(crate) fn like(builder: &PoolBuilder<T, R, H>) -> Self {
        Self::of(builder.settings.clone(), Ordered::default()).capacity(0)
    }

    /// Makes all blocks the same size, `slots`, a power of two. Choose it large enough that growth
    /// is rare, and small enough that an unfilled block is no loss: a few pages, such as 1024
    /// values of 16 bytes.
    pub fn slots_per_block(mut self, slots: usize) -> Self {
        self.kind.0.block_sizes = Some((slots, slots));
        self
    }

    /// Sets the size of the first block and of the largest, in slots: powers of two. The second
    /// block is as large as the first, and each later one twice as large as the one before, up to
    /// the largest. Without this or [`slots_per_block`](Self::slots_per_block), the sizes are
    /// `4..`.
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
            // The largest power of two: no block has this many slots.
            Bound::Unbounded => 1 << (usize::BITS - 1),
        };
        self.kind.0.block_sizes = Some((first, last));
        self
    }

    /// Limits the number of blocks: an insertion that would need one more is refused. By default,
    /// the limit is what the handle layout can name, in whole blocks.
    pub fn max_blocks(mut self, blocks: usize) -> Self {
        self.kind.0.max_blocks = Some(blocks);
        self
    }

    /// Limits the number of slots: the pool takes only as many blocks as have at most `slots` slots
    /// together. If the number of blocks is limited [as well](Self::max_blocks), the lower limit
    /// holds.
    ///
    /// ```
    /// use millpond::BlockPool;
    ///
    /// let pool = BlockPool::<u8>::builder().capacity_max(100).build();
    /// assert_eq!((pool.capacity_max(), pool.max_blocks()), (64, 5)); // 4 + 4 + 8 + 16 + 32
    /// ```
    pub fn capacity_max(mut self, slots: usize) -> Self {
        self.kind.0.capacity_max = Some(slots);
        self
    }

    /// Allocates blocks for at least `slots` slots when the pool is built: another name for
    /// [`capacity`](Self::capacity).
    pub fn reserve(mut self, slots: usize) -> Self {
        self.settings.capacity = Some(slots);
        self
    }

    /// After each removal, frees the last block if it is empty and the remaining blocks have at
    /// least `spare_blocks` times as many free slots as the last of them has slots; then the block
    /// before it by the same rule, and so on. So while the number of values varies by less than
    /// this margin, the pool does not allocate and free the same block over and over. Retired slots
    /// do not count as free. Without this, only [`shrink_to_fit`](BlockPool::shrink_to_fit) frees
    /// blocks.
    ///
    /// A removal then checks whether the last block has a live slot, which is O(slots of that
    /// block) in the worst case. If it frees blocks, it costs what
    /// [`shrink_to_fit`](BlockPool::shrink_to_fit) costs.
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
        self.kind.0.spare_blocks = Some(spare_blocks);
        self
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Kind<T, R, H> for Ordered<OfBlockPool> {
    type Pool = BlockPool<T, R, H>;

    fn build(builder: BlockPoolBuilder<T, R, H>) -> Result<BlockPool<T, R, H>, BuildError> {
        let Builder { settings, kind, .. } = builder;
        let OfBlockPool { block_sizes, max_blocks, capacity_max, spare_blocks } = kind.0;
        let reserved = settings.capacity.unwrap_or(0);
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
        let growth = ByBlocks::new(limit, spare_blocks);
        let mut pool = BlockPool::without_blocks(sizes, &settings.lifetimes, growth);
        let out_of_memory = BuildError::OutOfMemory { capacity: reserved };
        pool.watch(settings.debug_aids).map_err(|_| out_of_memory)?;
        pool.reserve(reserved).map_err(|error| match error.is_out_of_memory() {
            true => out_of_memory,
            false => {
                BuildError::ReservedTooMuch { reserved, capacity_max: pool_limit(&sizes, limit) }
            }
        })?;
        Ok(pool)
    }
}

/// The number of slots in `blocks` blocks that the handle layout can name.
#[inline]
fn pool_limit(sizes: &BlockSizes, blocks: usize) -> usize {
    sizes.start_of(blocks).unwrap_or(usize::MAX)
}
