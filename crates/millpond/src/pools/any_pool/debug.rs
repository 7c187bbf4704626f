//! What an `AnyPool` does for its debug aids: it watches its slots, and fills the rooms of dead
//! ones.

use super::AnyPool;
use crate::handle::HandleLayout;
use crate::slots::reuse::ReuseOrder;

impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout>
    AnyPool<D, SLOT_BYTES, R, H>
{
    /// Returns the live values, grouped by the source line that inserted them. O(capacity + live ×
    /// log live); allocates. Returns `None` unless the builder was set to [remember
    /// origins](crate::debug::DebugAids::remember_origins); see [`debug`](crate::debug).
    ///
    /// ```
    /// use std::any::Any;
    ///
    /// use millpond::AnyPool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_origins();
    /// let mut events = AnyPool::<dyn Any, 16>::builder().capacity(8).debug_aids(aids).build();
    /// for event in 0..5 {
    ///     events.insert(event).unwrap();
    /// }
    /// assert_eq!(events.live_report().unwrap().origins()[0].count(), 5);
    /// ```
    #[cfg(feature = "debug-aids")]
    #[must_use]
    pub fn live_report(&self) -> Option<crate::reports::debug::LiveReport> {
        self.slots.live_report()
    }

    /// Inspects the slot that comes next.
    #[track_caller]
    #[inline]
    pub(super) fn inspect_next(&mut self) {
        if self.slots.watched().is_some() {
            if let Some(handle) = self.slots.next_handle() {
                self.inspect(handle);
            }
        }
    }

    /// Inspects the slot that `handle` names, if it is dead.
    #[track_caller]
    #[inline]
    pub(super) fn inspect(&mut self, handle: H) {
        if let Some(watch) = self.slots.watched() {
            self.storage.inspect(handle.index() as usize, watch);
        }
    }
}
