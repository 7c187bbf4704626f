use super::Pool;
use crate::handle::{Handle, HandleLayout};
use crate::reuse::{Lifo, ReuseOrder};
use crate::settings::{BuildError, Settings, builder_methods};

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
    #[cfg(feature = "debug-aids")]
    pub(crate) debug_aids: crate::debug::DebugAids,
    values: core::marker::PhantomData<fn() -> T>,
}

impl<T> PoolBuilder<T> {
    pub(super) fn new() -> Self {
        Self {
            settings: Settings::new(),
            #[cfg(feature = "debug-aids")]
            debug_aids: crate::debug::DebugAids::none(),
            values: core::marker::PhantomData,
        }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Clone for PoolBuilder<T, R, H> {
    fn clone(&self) -> Self {
        Self {
            settings: self.settings.clone(),
            #[cfg(feature = "debug-aids")]
            debug_aids: self.debug_aids,
            values: self.values,
        }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> PoolBuilder<T, R, H> {
    #[cfg(feature = "alloc")]
    pub(crate) fn settings(&self) -> &Settings<R, H> {
        &self.settings
    }

    builder_methods!(PoolBuilder);

    fn with_settings<R2: ReuseOrder, H2: HandleLayout>(
        self,
        f: impl FnOnce(Settings<R, H>) -> Settings<R2, H2>,
    ) -> PoolBuilder<T, R2, H2> {
        PoolBuilder {
            settings: f(self.settings),
            #[cfg(feature = "debug-aids")]
            debug_aids: self.debug_aids,
            values: self.values,
        }
    }

    /// Aids for finding what is done wrong with the pool's objects; none unless asked for.
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().fill_dead_slots();
    /// let mut pool = Pool::<[u64; 4]>::builder().capacity(8).debug_aids(aids).build();
    /// let handle = pool.insert([1; 4]).unwrap();
    /// pool.remove(handle);
    /// pool.insert([2; 4]).unwrap(); // looks whether the slot was left alone meanwhile
    /// ```
    #[cfg(feature = "debug-aids")]
    pub fn debug_aids(mut self, aids: crate::debug::DebugAids) -> Self {
        self.debug_aids = aids;
        self
    }

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
        #[cfg_attr(not(feature = "debug-aids"), allow(unused_mut, reason = "watched below"))]
        let mut pool = Pool::from_settings(&self.settings)?;
        #[cfg(feature = "debug-aids")]
        if pool.watch(self.debug_aids, 0).is_err() {
            return Err(BuildError::OutOfMemory { capacity: pool.capacity() });
        }
        Ok(pool)
    }
}
