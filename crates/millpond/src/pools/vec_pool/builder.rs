use core::marker::PhantomData;

use super::VecPool;
use crate::base::or_panic;
use crate::handle::{Handle, HandleLayout};
use crate::pools::settings::{BuildError, Settings, order_and_handle_methods, settings_methods};
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
        VecPoolBuilder::new()
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
#[derive(Debug)]
#[must_use = "call `.build()` to get the pool"]
pub struct VecPoolBuilder<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    settings: Settings<R, H>,
    slots_max: usize,
    values: PhantomData<fn() -> T>,
}

impl<T, R: ReuseOrder, H: HandleLayout> VecPoolBuilder<T, R, H> {
    pub(super) fn new() -> Self {
        Self { settings: Settings::of_capacity(0), slots_max: usize::MAX, values: PhantomData }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Clone for VecPoolBuilder<T, R, H> {
    fn clone(&self) -> Self {
        Self { settings: self.settings.clone(), ..*self }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> VecPoolBuilder<T, R, H> {
    /// Sets the number of slots that the pool has from the beginning, 0 by default. Every page of them is touched.
    pub fn capacity(mut self, slots: usize) -> Self {
        self.settings.capacity = Some(slots);
        self
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
        self.slots_max = slots;
        self
    }

    settings_methods!(without capacity);
    order_and_handle_methods!(VecPoolBuilder<T>, keeps slots_max, values);

    /// Builds the pool.
    ///
    /// # Panics
    ///
    /// If [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> VecPool<T, R, H> {
        or_panic(self.try_build())
    }

    /// Builds the pool.
    ///
    /// ```
    /// use millpond::{BuildError, Handle32, VecPool};
    ///
    /// let tiny = || VecPool::<u8>::builder().handle::<Handle32<u8, 8>>();
    /// let error = tiny().capacity(300).try_build().unwrap_err();
    /// assert_eq!(error, BuildError::CapacityTooLarge { capacity: 300, capacity_max: 256 });
    /// assert_eq!(tiny().build().capacity_max(), 256);
    /// ```
    ///
    /// # Errors
    ///
    /// If the handle layout cannot name that many slots, they are more than the limit, or there is not
    /// enough memory for them.
    pub fn try_build(self) -> Result<VecPool<T, R, H>, BuildError> {
        let capacity = self.settings.checked_capacity()?;
        let mut pool = VecPool::without_slots(&self.settings.lifetimes, self.slots_max);
        let capacity_max = pool.capacity_max();
        if capacity > capacity_max {
            return Err(BuildError::ReservedTooMuch { reserved: capacity, capacity_max });
        }
        self.settings.allocate(|_| pool.watch(self.settings.debug_aids))?;
        self.settings.allocate(|capacity| {
            let VecPool { storage, core, growing } = &mut pool;
            growing.grow(capacity, storage, core, true)
        })?;
        Ok(pool)
    }
}
