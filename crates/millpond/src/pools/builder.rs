//! [`Builder`], of which the builders of the pools on the heap are names.

#![allow(private_interfaces, private_bounds, reason = "nobody outside can name or implement them")]

use core::marker::PhantomData;

use crate::base::or_panic;
use crate::handle::HandleLayout;
use crate::pools::settings::{BuildError, Settings};
use crate::slots::generation_settings::generation_methods;
use crate::slots::reuse::ReuseOrder;

/// Builds a pool. [`PoolBuilder`](crate::PoolBuilder) and the builders of the other pools on the heap are names of it:
/// write these, and read here what they share.
///
/// `T` are the values, `K` is the kind of pool with the settings that only this kind has, `R` is the reuse order and `H` are
/// the handles.
#[derive(Debug)]
#[must_use = "call `.build()` to get the pool"]
pub struct Builder<T, K, R, H> {
    pub(crate) settings: Settings,
    pub(crate) kind: K,
    #[allow(clippy::type_complexity, reason = "three types, and no value")]
    types: PhantomData<fn() -> (T, R, H)>,
}

/// A kind of pool: what its builder makes. Sealed.
#[doc(hidden)]
pub trait Kind<T, R, H>: Sized {
    type Pool;

    fn build(builder: Builder<T, Self, R, H>) -> Result<Self::Pool, BuildError>;
}

/// A reuse order that can be chosen.
#[derive(Debug)]
pub struct Ordered<R>(PhantomData<R>);

impl<T, K, R, H> Builder<T, K, R, H> {
    pub(crate) const fn of(settings: Settings, kind: K) -> Self {
        Self { settings, kind, types: PhantomData }
    }

    /// Of a part of a pool, whose first slot has this number in the whole: reports about slots and handles count from there.
    #[doc(hidden)]
    pub fn part_from(mut self, slot: usize) -> Self {
        self.settings.debug_aids = self.settings.debug_aids.part_from(slot);
        self
    }

    /// The capacity that is set, if the handles can name as many slots: for what is built beside the pool.
    ///
    /// # Errors
    ///
    /// The error of [`try_build`](Self::try_build), unless that is about memory.
    #[doc(hidden)]
    pub fn checked_capacity(&self) -> Result<usize, BuildError>
    where
        H: HandleLayout,
    {
        self.settings.checked_capacity(H::CAPACITY_MAX)
    }

    /// Sets the number of slots that the pool has from the beginning. All of their memory is allocated and touched when it
    /// is built; a [`Pool`](crate::Pool) and the others that do not grow need it, and allocate none later. Those that grow
    /// begin without slots unless it is set.
    pub fn capacity(mut self, slots: usize) -> Self {
        self.settings.capacity = Some(slots);
        self
    }

    /// Enables aids for finding mistakes in the use of the pool's objects; off by default. See
    /// [`debug`](crate::debug).
    #[cfg(feature = "debug-aids")]
    pub fn debug_aids(mut self, aids: crate::reports::debug::DebugAids) -> Self {
        self.settings.debug_aids = aids;
        self
    }

    generation_methods!(settings.generations);

    /// Sets the layout of the pool's handles: [`Handle`](crate::Handle) (the default),
    /// [`Handle32`](crate::Handle32) or a type of your own.
    pub fn handle<H2: HandleLayout>(self) -> Builder<T, K, R, H2> {
        Builder::of(self.settings, self.kind)
    }
}

impl<T, K, R, H> Builder<T, K, Ordered<R>, H> {
    /// Sets the order in which free slots are reused; see [`reuse`](crate::reuse).
    pub fn reuse<R2: ReuseOrder>(self, _order: R2) -> Builder<T, K, Ordered<R2>, H> {
        Builder::of(self.settings, self.kind)
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
        Self::of(self.settings, self.kind.clone())
    }
}
