//! What a block pool does for its debug aids.

use alloc::boxed::Box;
use core::panic::Location;

use super::BlockPool;
use crate::handle::HandleLayout;
#[cfg(doc)]
use crate::reports::debug::DebugAids;
use crate::reports::debug::LiveReport;
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// Returns the live objects, grouped by the source line that inserted them. O(capacity + live ×
    /// log live); allocates. Returns `None` unless the builder was set to [remember
    /// origins](DebugAids::remember_origins); see [`debug`](crate::debug).
    ///
    /// ```
    /// use millpond::BlockPool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_origins();
    /// let mut pool = BlockPool::builder().debug_aids(aids).build();
    /// for value in 0..5 {
    ///     pool.push(value);
    /// }
    /// assert_eq!(pool.live_report().unwrap().origins()[0].count(), 5);
    /// ```
    #[must_use]
    pub fn live_report(&self) -> Option<LiveReport> {
        self.live_report_with(core::iter::empty())
    }

    /// The report of this pool's live objects and of the objects of other pools.
    pub(crate) fn live_report_with(
        &self,
        others: impl Iterator<Item = Option<&'static Location<'static>>>,
    ) -> Option<LiveReport> {
        self.storage.watched()?.report_with(others, self.occupancy().iter())
    }

    /// Watches this copy's storage in the way that `original` is watched.
    pub(super) fn watch_like(&mut self, original: &Self) {
        self.storage.watch(original.storage.watched().cloned().map(Box::new));
    }
}
