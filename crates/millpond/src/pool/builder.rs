use core::marker::PhantomData;

use super::Pool;
use crate::handle::{Handle, HandleLayout};
use crate::reuse::{Lifo, ReuseOrder};
use crate::settings::{BuildError, Settings, order_and_handle_methods, settings_methods};

/// Builds a [`Pool`]: capacity, reuse order, handle layout, name, salt, and what happens when the
/// generations of a slot are used up.
///
/// ```
/// use millpond::Pool;
/// use millpond::reuse::LowestFirst;
///
/// let pool = Pool::<[f32; 4]>::builder().capacity(1000).reuse(LowestFirst).name("sparks").build();
/// assert_eq!(pool.name(), Some("sparks"));
/// ```
#[derive(Debug)]
#[must_use = "call `.build()` to get the pool"]
pub struct PoolBuilder<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    settings: Settings<R, H>,
    values: PhantomData<fn() -> T>,
}

impl<T> PoolBuilder<T> {
    pub(super) fn new() -> Self {
        Self { settings: Settings::new(), values: PhantomData }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Clone for PoolBuilder<T, R, H> {
    fn clone(&self) -> Self {
        Self { settings: self.settings.clone(), values: self.values }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> PoolBuilder<T, R, H> {
    #[cfg(feature = "alloc")]
    pub(crate) fn settings(&self) -> &Settings<R, H> {
        &self.settings
    }

    /// Of a part of a pool, whose first slot has this number in the whole.
    #[cfg(feature = "alloc")]
    pub(crate) fn part_from(self, slot: usize) -> Self {
        Self { settings: self.settings.part_from(slot), ..self }
    }

    settings_methods!();
    order_and_handle_methods!(PoolBuilder<T>, keeps values);

    /// The pool.
    ///
    /// # Panics
    ///
    /// Where [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> Pool<T, R, H> {
        match self.try_build() {
            Ok(pool) => pool,
            Err(error) => panic!("{error}"),
        }
    }

    /// The pool.
    ///
    /// ```
    /// use millpond::{BuildError, Handle32, Pool};
    ///
    /// let tiny = Pool::<u8>::builder().handle::<Handle32<u8, 8>>();
    /// let error = tiny.capacity(300).try_build().unwrap_err();
    /// assert_eq!(error, BuildError::CapacityTooLarge { capacity: 300, capacity_max: 256 });
    /// ```
    ///
    /// # Errors
    ///
    /// If no capacity was set, the handle layout cannot name so many slots, or there is no memory.
    pub fn try_build(self) -> Result<Pool<T, R, H>, BuildError> {
        Pool::from_settings(&self.settings)
    }
}
