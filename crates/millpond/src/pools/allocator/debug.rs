//! What a handle allocator does for its debug aids, and for those of a pool that contains it.

use super::HandleAllocator;
use crate::handle::HandleLayout;
use crate::reports::debug::Watch;
use crate::slots::reuse::ReuseOrder;

impl<R: ReuseOrder, H: HandleLayout> HandleAllocator<R, H> {
    /// Returns the live handles, grouped by the source line that acquired them. O(capacity + live ×
    /// log live); allocates. [`handles`](Self::handles) iterates over the handles themselves.
    /// Returns `None` unless the builder was set to [remember
    /// origins](crate::debug::DebugAids::remember_origins); see [`debug`](crate::debug).
    ///
    /// ```
    /// use millpond::HandleAllocator;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_origins();
    /// let mut textures = HandleAllocator::builder().capacity(8).debug_aids(aids).build();
    /// let handles: Vec<_> = (0..5).map(|_| textures.acquire().unwrap()).collect();
    /// textures.release(handles[0]);
    /// assert_eq!(textures.live_report().unwrap().origins()[0].count(), 4);
    /// ```
    #[cfg(feature = "debug-aids")]
    #[must_use]
    pub fn live_report(&self) -> Option<crate::reports::debug::LiveReport> {
        self.watched()?.report(self.occupancy().iter())
    }

    /// Stops watching.
    pub(crate) fn unwatch(&mut self) {
        self.storage.unwatch();
    }

    pub(crate) fn watched(&self) -> Option<&Watch> {
        self.storage.watched()
    }

    /// The caller acquired this handle.
    #[track_caller]
    #[inline]
    pub(super) fn note_origin(&self, handle: H) {
        if let Some(watch) = self.watched() {
            watch.inserted(handle.index() as usize);
        }
    }

    /// A removal was refused.
    #[track_caller]
    #[inline]
    pub(crate) fn note_refused_removal(&self, handle: H) {
        if let Some(watch) = self.watched() {
            watch.removal_refused(handle, self.explain(handle));
        }
    }
}
