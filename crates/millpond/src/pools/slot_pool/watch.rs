//! What a pool does for its debug aids.

use super::{Growth, PoolPlace, SlotPool};
use crate::base::OutOfMemory;
use crate::handle::HandleLayout;
use crate::pools::settings::BuildError;
use crate::pools::watching::watching;
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: Growth<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// Returns the live objects, grouped by the source line that inserted them. O(capacity + live ×
    /// log live); allocates. Returns `None` unless the builder was set to [remember
    /// origins](crate::debug::DebugAids::remember_origins); see [`debug`](crate::debug).
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_origins();
    /// let mut pool = Pool::builder().capacity(8).debug_aids(aids).build();
    /// for value in 0..5 {
    ///     pool.insert(value).unwrap();
    /// }
    /// assert_eq!(pool.live_report().unwrap().origins()[0].count(), 5);
    /// ```
    #[cfg(feature = "debug-aids")]
    #[must_use]
    pub fn live_report(&self) -> Option<crate::reports::debug::LiveReport> {
        self.watched()?.report(self.occupancy().iter())
    }

    /// Returns the source line that removed the handle's object, the tick, and what lives in its slot now. O(1). Returns
    /// `None` if the object is live, if another one has been removed from the slot since, or unless the builder was set to
    /// [remember removals](crate::debug::DebugAids::remember_removals); see [`debug`](crate::debug).
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_removals();
    /// let mut pool = Pool::<u8>::builder().capacity(8).debug_aids(aids).build();
    /// let bullet = pool.insert(1).unwrap();
    /// assert!(pool.removal_of(bullet).is_none());
    /// pool.clear(); // this line
    /// let removal = pool.removal_of(bullet).unwrap();
    /// assert_eq!(removal.location().file(), file!());
    /// assert!(removal.to_string().ends_with("; nothing lives in slot 0 now"));
    /// ```
    #[cfg(feature = "debug-aids")]
    #[must_use]
    pub fn removal_of(&self, handle: H) -> Option<crate::reports::debug::Removal> {
        if self.contains(handle) {
            return None;
        }
        self.watched()?.removal_of(handle, self.live_in(handle))
    }

    /// What watches over the slots, if any aid is enabled.
    pub(crate) fn watched(&self) -> Option<&crate::reports::debug::Watch> {
        self.storage.watched()
    }

    /// The pool, watched from now on, if any aid is enabled.
    pub(crate) fn watched_by(
        mut self,
        aids: crate::reports::debug::DebugAids,
    ) -> Result<Self, BuildError> {
        if cfg!(feature = "debug-aids") {
            let capacity = self.capacity();
            let watch = crate::reports::debug::Watch::try_new(self.name(), aids, capacity)
                .map_err(|OutOfMemory| BuildError::OutOfMemory { capacity })?;
            self.storage.watch(watch);
        }
        Ok(self)
    }

    /// Stops watching.
    pub(crate) fn unwatch(&mut self) {
        self.storage.unwatch();
    }

    /// Inspects the slot that comes next, if there is one.
    #[track_caller]
    #[inline]
    pub(in crate::pools) fn inspect_next(&mut self) {
        if cfg!(feature = "debug-aids") && self.storage.watched().is_some() {
            if let Some(handle) = self.storage.slots_mut().peek() {
                self.storage.inspect(handle.index() as usize);
            }
        }
    }
}

watching! {
    [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: Growth<T, R, H::Erased, P>] SlotPool<T, G, R, H, P>, H
}
