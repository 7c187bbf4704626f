use super::PackedPool;
use crate::handle::{Handle, HandleLayout};
use crate::reuse::{Lifo, ReuseOrder};
use crate::settings::{BuildError, Settings, builder_methods};

/// Builds a [`PackedPool`]: capacity, reuse order, handle layout, name, salt, and what happens when
/// the generations of a slot are used up.
///
/// ```
/// use millpond::PackedPool;
/// use millpond::reuse::LowestFirst;
///
/// let pool =
///     PackedPool::<[f32; 4]>::builder().capacity(1000).reuse(LowestFirst).name("sparks").build();
/// assert_eq!(pool.name(), Some("sparks"));
/// ```
#[derive(Debug)]
#[must_use = "call `.build()` to get the pool"]
pub struct PackedPoolBuilder<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    settings: Settings<R, H>,
    values: core::marker::PhantomData<fn() -> T>,
}

impl<T> PackedPoolBuilder<T> {
    pub(super) fn new() -> Self {
        Self { settings: Settings::new(), values: core::marker::PhantomData }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> PackedPoolBuilder<T, R, H> {
    builder_methods!(PackedPoolBuilder);

    fn with_settings<R2: ReuseOrder, H2: HandleLayout>(
        self,
        f: impl FnOnce(Settings<R, H>) -> Settings<R2, H2>,
    ) -> PackedPoolBuilder<T, R2, H2> {
        PackedPoolBuilder { settings: f(self.settings), values: self.values }
    }

    /// The pool.
    ///
    /// # Panics
    ///
    /// Where [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> PackedPool<T, R, H> {
        self.try_build().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The pool.
    ///
    /// ```
    /// use millpond::{BuildError, Handle32, PackedPool};
    ///
    /// let tiny = PackedPool::<u8>::builder().handle::<Handle32<u8, 8>>();
    /// let error = tiny.capacity(300).try_build().unwrap_err();
    /// assert_eq!(error, BuildError::CapacityTooLarge { capacity: 300, capacity_max: 256 });
    /// ```
    ///
    /// # Errors
    ///
    /// If no capacity was set, the handle layout cannot name so many slots, or there is no memory.
    pub fn try_build(self) -> Result<PackedPool<T, R, H>, BuildError> {
        PackedPool::from_settings(&self.settings)
    }
}
