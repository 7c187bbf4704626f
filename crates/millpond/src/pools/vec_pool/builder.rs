use super::VecPool;
use crate::handle::{Handle, HandleLayout};
use crate::pools::builder::{Builder, Kind, Ordered};
use crate::pools::doubling::Growing;
use crate::pools::pool::{OneBlock, PoolBuilder};
use crate::pools::settings::{BuildError, Settings};
use crate::reports::debug::Watch;
use crate::slots::Block;
use crate::slots::reuse::{Lifo, ReuseOrder};
use crate::values::Storage;

impl<T> VecPool<T> {
    /// Creates an empty pool that has not allocated, and grows without a limit: first to as many slots as have their values in 64
    /// bytes, from 1 to 4, then to 4 or more, 8, 16 and so on.
    ///
    /// ```
    /// use millpond::VecPool;
    ///
    /// const NO_SHIPS: VecPool<String> = VecPool::new();
    /// let mut ships = NO_SHIPS;
    /// let cutter = ships.push("cutter".to_owned());
    /// assert_eq!((ships.len(), ships.capacity()), (1, 2));
    /// assert_eq!(ships[cutter], "cutter");
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::EMPTY
    }

    /// Returns a builder, to choose the capacity, the limit, the reuse order, the handle layout, a name and more.
    ///
    /// ```
    /// use millpond::reuse::LowestFirst;
    /// use millpond::{Handle32, VecPool};
    ///
    /// struct Tree;
    /// let mut trees = VecPool::<Tree>::builder()
    ///     .capacity(4096)
    ///     .capacity_max(100_000)
    ///     .reuse(LowestFirst)
    ///     .handle::<Handle32<Tree>>()
    ///     .name("trees")
    ///     .build();
    /// let tree: Handle32<Tree> = trees.push(Tree);
    /// ```
    pub fn builder() -> VecPoolBuilder<T> {
        Self::typed_builder()
    }
}

/// Builds a [`VecPool`] with a limit, and all that a [`PoolBuilder`](crate::PoolBuilder) has.
///
/// ```
/// use millpond::VecPool;
///
/// let pool = VecPool::<[f32; 4]>::builder().capacity(100).capacity_max(1000).name("sparks").build();
/// assert_eq!((pool.capacity(), pool.capacity_max()), (100, 1000));
/// ```
pub type VecPoolBuilder<T, R = Lifo, H = Handle<T>> = Builder<T, Growing, Ordered<R>, H>;

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Returns a builder for pools of exactly this type: `builder` starts with the default type
    /// parameters, this one with those of `Self`.
    ///
    /// ```
    /// use millpond::*;
    ///
    /// handle_type! { struct Key; }
    /// type Keyed = VecPool<u8, reuse::Fifo, Key>;
    /// let pool = Keyed::typed_builder().name("nodes").build();
    /// assert_eq!(pool.name(), Some("nodes"));
    /// ```
    pub fn typed_builder() -> VecPoolBuilder<T, R, H> {
        Builder::of(Settings::of_capacity(0), Growing)
    }
}

impl<T, R, H> VecPoolBuilder<T, R, H> {
    /// A builder with what another one has set, for slots beyond those of its pool.
    #[doc(hidden)]
    pub fn beyond(pool: &PoolBuilder<T, R, H>) -> Self {
        Self::of(pool.settings, Growing)
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Kind<T, Ordered<R>, H> for Growing {
    type Pool = VecPool<T, R, H>;

    fn build(builder: VecPoolBuilder<T, R, H>) -> Result<Self::Pool, BuildError> {
        let Builder { settings, .. } = builder;
        match settings.capacity {
            Some(0) => settings.allocate::<H, _>(|slots| {
                let Settings { generations, debug_aids, capacity_max, .. } = settings;
                let mut pool = VecPool::without_slots(&generations, capacity_max);
                pool.storage.watch(Watch::try_new(generations.name, debug_aids, slots)?);
                Ok(pool)
            }),
            _ => {
                let slots = settings
                    .slots::<R, H::Erased>(Storage::<T, OneBlock<R, H>>::VALUE, Block::try_new)?;
                Ok(VecPool::of_unused(slots, settings.capacity_max))
            }
        }
    }
}
