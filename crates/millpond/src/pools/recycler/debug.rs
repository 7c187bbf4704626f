//! What a recycler does for its debug aids: its handles are watched.

use super::Recycler;
use crate::handle::HandleLayout;
use crate::reports::debug::LiveReport;
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> Recycler<T, R, H> {
    /// The live objects, grouped by the source lines that they were acquired at. O(capacity), takes
    /// memory. `None` unless the builder asked to
    /// [remember origins](crate::debug::DebugAids::remember_origins); see [`debug`](crate::debug).
    ///
    /// ```
    /// use millpond::Recycler;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_origins();
    /// let mut buffers = Recycler::<Vec<u8>>::builder().capacity(8).debug_aids(aids).build();
    /// let handles: Vec<_> = (0..5).map(|_| buffers.acquire().unwrap().0).collect();
    /// buffers.release(handles[0]);
    /// assert_eq!(buffers.live_report().unwrap().origins()[0].count(), 4);
    /// ```
    #[must_use]
    pub fn live_report(&self) -> Option<LiveReport> {
        self.handles.live_report()
    }
}
