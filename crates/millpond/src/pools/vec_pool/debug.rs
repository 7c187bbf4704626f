//! What a pool that grows in one piece does for its debug aids.

use super::VecPool;
use crate::handle::HandleLayout;
#[cfg(doc)]
use crate::reports::debug::DebugAids;
use crate::reports::debug::LiveReport;
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Returns the live objects, grouped by the source line that inserted them. O(capacity + live ×
    /// log live); allocates. Returns `None` unless the builder was set to [remember
    /// origins](DebugAids::remember_origins); see [`debug`](crate::debug).
    ///
    /// ```
    /// use millpond::VecPool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_origins();
    /// let mut pool = VecPool::builder().debug_aids(aids).build();
    /// for value in 0..5 {
    ///     pool.push(value);
    /// }
    /// assert_eq!(pool.live_report().unwrap().origins()[0].count(), 5);
    /// ```
    #[must_use]
    pub fn live_report(&self) -> Option<LiveReport> {
        self.storage.watched()?.report(self.occupancy().iter())
    }
}
