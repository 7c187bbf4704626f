use core::marker::PhantomData;

use super::SyncPool;
use crate::base::memory::OutOfMemory;
use crate::base::or_panic;
use crate::handle::Handle;
use crate::pools::settings::{BuildError, Settings};
use crate::slots::AnyCycle;
use crate::threads::sync::home;
use crate::threads::sync::slots::SharedSlots;

/// Builds a [`SyncPool`] with a capacity, homes, a name, a salt, a limit of lifetimes, and a rule
/// for where values are dropped.
///
/// ```
/// use millpond::SyncPool;
///
/// let jobs = SyncPool::<u32>::builder().capacity(4096).homes(16).name("jobs").build();
/// assert_eq!((jobs.capacity(), jobs.name()), (4096, Some("jobs")));
/// ```
#[derive(Debug)]
#[must_use = "call `.build()` to get the pool"]
pub struct SyncPoolBuilder<T> {
    settings: Settings,
    homes: usize,
    /// Removed values stay until `settle`.
    drop_in_settle: bool,
    values: PhantomData<fn() -> T>,
}

impl<T> SyncPoolBuilder<T> {
    pub(super) fn new() -> Self {
        let (settings, homes) = (Settings::NONE, home::default_number());
        Self { settings, homes, drop_in_settle: false, values: PhantomData }
    }

    /// Sets the number of slots. The pool allocates memory for them when it is built, and none
    /// later.
    pub fn capacity(mut self, slots: usize) -> Self {
        self.settings.capacity = Some(slots);
        self
    }

    /// Sets the number of homes, from which searches for free slots start: at least as many as
    /// threads that insert at the same time, and better four times as many. It only affects speed:
    /// any number of threads may insert.
    ///
    /// Limited to between 1 and one per 64 slots. The default is four times the number of threads
    /// that run in parallel on this machine, rounded up to a power of two, and 64 without the
    /// feature `std`. So it differs between machines: set it if [snapshots](SyncPool::restore) are
    /// restored on others. A home takes 128 bytes, and the bits of its free slots take at least 128.
    pub fn homes(mut self, homes: usize) -> Self {
        self.homes = homes;
        self
    }

    /// Sets a name for error messages. Pools with different names start their generations at
    /// different points, so that each refuses the other's handles; see
    /// [`PoolBuilder::name`](crate::PoolBuilder::name).
    pub fn name(mut self, name: &'static str) -> Self {
        self.settings.generations.name = Some(name);
        self
    }

    /// Sets a number that distinguishes this pool from others with the same name, or without one.
    pub fn salt(mut self, salt: u64) -> Self {
        self.settings.generations.salt = Some(salt);
        self
    }

    /// Limits the lifetimes of each slot, after which it retires; 0 counts as 1, and the maximum is
    /// 2^31 − 1. With 1, no slot is ever used twice.
    pub fn lifetimes(mut self, per_slot: u32) -> Self {
        self.settings.generations.count = per_slot;
        self
    }

    /// Leaves removed values in their slots until [`settle`](SyncPool::settle) drops them.
    /// Otherwise, the removal or the last guard drops them. This is for destructors that must not
    /// run on a real-time thread.
    pub fn drop_in_settle(mut self) -> Self {
        self.drop_in_settle = true;
        self
    }

    /// Enables aids for finding mistakes in the use of the pool's objects; off by default. See
    /// [`debug`](crate::debug).
    #[cfg(feature = "debug-aids")]
    pub fn debug_aids(mut self, aids: crate::reports::debug::DebugAids) -> Self {
        self.settings.debug_aids = aids;
        self
    }

    /// Builds the pool.
    ///
    /// # Panics
    ///
    /// If [`try_build`](Self::try_build) returns an error.
    #[must_use]
    #[track_caller]
    pub fn build(self) -> SyncPool<T> {
        or_panic(self.try_build())
    }

    /// Builds the pool.
    ///
    /// # Errors
    ///
    /// If no capacity was set, a handle cannot name that many slots, or there is not enough memory.
    pub fn try_build(self) -> Result<SyncPool<T>, BuildError> {
        let cycle = AnyCycle::new(&self.settings.generations);
        self.settings.allocate::<Handle<T>, _>(|capacity| self.build_with(capacity, cycle))
    }

    /// Builds a pool of this many slots with this cycle of generations, whatever was set.
    pub(in crate::threads::sync) fn build_with(
        &self,
        capacity: usize,
        cycle: AnyCycle,
    ) -> Result<SyncPool<T>, OutOfMemory> {
        let Self { settings, homes, drop_in_settle, .. } = self;
        SyncPool::of(SharedSlots::try_new(settings, *homes, *drop_in_settle, capacity, cycle)?)
    }
}

impl<T> Clone for SyncPoolBuilder<T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}
