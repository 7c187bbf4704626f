//! [`Builder`], of which the builders of the pools on the heap are names.

#![allow(private_interfaces, private_bounds, reason = "nobody outside can name or implement them")]

use core::marker::PhantomData;

use crate::base::or_panic;
use crate::handle::HandleLayout;
use crate::pools::settings::{BuildError, Settings};
use crate::slots::lifetimes::lifetimes_methods;
use crate::slots::reuse::ReuseOrder;

/// Builds a pool. [`PoolBuilder`](crate::PoolBuilder) and the builders of the other pools on the heap are names of it:
/// write these, and read here what they share.
///
/// `T` are the values, `K` is the kind of pool with the settings that only this kind has, `R` is the reuse order and `H` are
/// the handles.
#[derive(Debug)]
#[must_use = "call `.build()` to get the pool"]
pub struct Builder<T, K, R, H> {
    pub(in crate::pools) settings: Settings<R, H>,
    pub(in crate::pools) kind: K,
    values: PhantomData<fn() -> T>,
}

/// A kind of pool: what its builder makes. Sealed.
#[doc(hidden)]
pub trait Kind<T, R, H>: Sized {
    type Pool;

    fn build(builder: Builder<T, Self, R, H>) -> Result<Self::Pool, BuildError>;
}

/// A kind of pool that has a reuse order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ordered<K>(pub(in crate::pools) K);

impl<T, K, R, H> Builder<T, K, R, H> {
    pub(in crate::pools) const fn of(settings: Settings<R, H>, kind: K) -> Self {
        Self { settings, kind, values: PhantomData }
    }

    pub(crate) fn settings(&self) -> &Settings<R, H> {
        &self.settings
    }

    /// Of a part of a pool, whose first slot has this number in the whole.
    pub(crate) fn part_from(self, slot: usize) -> Self {
        Self { settings: self.settings.part_from(slot), ..self }
    }

    /// Sets the number of slots that the pool has from the beginning. All of their memory is allocated and touched when it
    /// is built; a [`Pool`](crate::Pool) and the others that do not grow need it, and allocate none later. Those that grow
    /// begin without slots unless it is set.
    pub fn capacity(mut self, slots: usize) -> Self {
        self.settings.capacity = Some(slots);
        self
    }

    lifetimes_methods!(settings.lifetimes);

    /// Enables aids for finding mistakes in the use of the pool's objects; off by default. See
    /// [`debug`](crate::debug).
    #[cfg(feature = "debug-aids")]
    pub fn debug_aids(mut self, aids: crate::reports::debug::DebugAids) -> Self {
        self.settings.debug_aids = aids;
        self
    }

    /// Sets the layout of the pool's handles: [`Handle`](crate::Handle) (the default),
    /// [`Handle32`](crate::Handle32) or a type of your own.
    pub fn handle<H2: HandleLayout>(self) -> Builder<T, K, R, H2> {
        Builder::of(self.settings.with_types(), self.kind)
    }
}

impl<T, K, R, H> Builder<T, Ordered<K>, R, H> {
    /// Sets the order in which free slots are reused; see [`reuse`](crate::reuse).
    pub fn reuse<R2: ReuseOrder>(self, _order: R2) -> Builder<T, Ordered<K>, R2, H> {
        Builder::of(self.settings.with_types(), self.kind)
    }
}

impl<T, K: Kind<T, R, H>, R, H> Builder<T, K, R, H> {
    /// Builds the pool.
    ///
    /// # Panics
    ///
    /// If [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> K::Pool {
        or_panic(self.try_build())
    }

    /// Builds the pool.
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
    /// If no capacity was set for a pool that does not grow, the handle layout cannot name that many slots, they are more
    /// than the limit of a pool that grows, or there is not enough memory.
    pub fn try_build(self) -> Result<K::Pool, BuildError> {
        K::build(self)
    }
}

impl<T, K: Clone, R, H> Clone for Builder<T, K, R, H> {
    fn clone(&self) -> Self {
        Self::of(self.settings.clone(), self.kind.clone())
    }
}
