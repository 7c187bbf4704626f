//! What a pool does for its debug aids.

use core::panic::Location;

use super::Pool;
use crate::handle::HandleLayout;
#[cfg(doc)]
use crate::reports::debug::DebugAids;
use crate::reports::debug::LiveReport;
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// Returns the live objects, grouped by the source line that inserted them. O(capacity + live ×
    /// log live); allocates. Returns `None` unless the builder was set to [remember
    /// origins](DebugAids::remember_origins); see [`debug`](crate::debug).
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
    #[must_use]
    pub fn live_report(&self) -> Option<LiveReport> {
        self.storage.watched()?.report(self.occupancy().iter())
    }

    /// Where each live object was inserted, if that was recorded.
    pub(crate) fn origins(&self) -> impl Iterator<Item = Option<&'static Location<'static>>> {
        let watch = self.storage.watched();
        watch.into_iter().flat_map(|watch| watch.origins(self.occupancy().iter()))
    }
}
