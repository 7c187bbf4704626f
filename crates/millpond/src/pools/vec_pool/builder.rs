use super::VecPool;
use crate::handle::{Handle, HandleLayout};
use crate::pools::builder::{Builder, Kind, Ordered};
use crate::pools::pool::PoolBuilder;
use crate::pools::settings::{BuildError, Settings};
use crate::slots::reuse::{Lifo, ReuseOrder};

impl<T> VecPool<T> {
    /// Creates an empty pool that has not allocated, and grows without a limit: 4 slots, 8, 16 and so on.
    ///
    /// ```
    /// use millpond::VecPool;
    ///
    /// const NO_SHIPS: VecPool<String> = VecPool::new();
    /// let mut ships = NO_SHIPS;
    /// let cutter = ships.push("cutter".to_owned());
    /// assert_eq!((ships.len(), ships.capacity()), (1, 4));
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
pub type VecPoolBuilder<T, R = Lifo, H = Handle<T>> = Builder<T, Ordered<OfVecPool>, R, H>;

/// The kind of a [`VecPool`].
#[derive(Clone, Copy, Debug)]
pub struct OfVecPool {
    slots_max: usize,
}

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
        Builder::of(Settings::of_capacity(0), Ordered(OfVecPool { slots_max: usize::MAX }))
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> VecPoolBuilder<T, R, H> {
    /// A builder of a pool without slots, with the name, the salt, the lifetimes and the debug aids of `builder`.
    pub(crate) fn like(builder: &PoolBuilder<T, R, H>) -> Self {
        let kind = OfVecPool { slots_max: usize::MAX };
        Self::of(builder.settings.clone(), Ordered(kind)).capacity(0)
    }

    /// Limits the number of slots: an insertion that would need one more is refused. By default, the limit is what the
    /// handle layout can name.
    ///
    /// ```
    /// use millpond::VecPool;
    ///
    /// let mut pool = VecPool::builder().capacity_max(10).name("ships").build();
    /// assert!((0..10).all(|i| pool.insert(i).is_ok()));
    /// let full = pool.insert(10).unwrap_err();
    /// assert_eq!(full.to_string(), "pool \"ships\" is full: all 10 slots are live");
    /// ```
    pub fn capacity_max(mut self, slots: usize) -> Self {
        self.kind.0.slots_max = slots;
        self
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Kind<T, R, H> for Ordered<OfVecPool> {
    type Pool = VecPool<T, R, H>;

    fn build(builder: VecPoolBuilder<T, R, H>) -> Result<VecPool<T, R, H>, BuildError> {
        let Builder { settings, kind, .. } = builder;
        let capacity = settings.checked_capacity()?;
        let mut pool = VecPool::without_slots(&settings.lifetimes, kind.0.slots_max);
        let capacity_max = pool.capacity_max();
        if capacity > capacity_max {
            return Err(BuildError::ReservedTooMuch { reserved: capacity, capacity_max });
        }
        settings.allocate(|_| pool.watch(settings.debug_aids))?;
        settings.allocate(|capacity| {
            let VecPool { storage, core, growth, .. } = &mut pool;
            growth.grow(capacity, storage, core, true)
        })?;
        Ok(pool)
    }
}
