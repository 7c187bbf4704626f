//! What a handle allocator does for its debug aids, and for those of a pool that contains it.

use super::{HandleAllocator, WatchedWords};
use crate::base::entry::Entry;
use crate::base::memory::OutOfMemory;
use crate::handle::{HandleLayout, Word};
use crate::reports::debug::{DebugAids, Watch};
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
        self.slots.watch.as_ref()?.report(self.occupancy().iter())
    }

    /// Watches the slots from now on, if any aid is enabled.
    pub(super) fn watch(&mut self, aids: DebugAids) -> Result<(), OutOfMemory> {
        self.slots.watch = Watch::try_new(self.name(), aids, self.capacity())?;
        Ok(())
    }

    /// Stops watching.
    pub(crate) fn unwatch(&mut self) {
        self.slots.watch = None;
    }

    pub(crate) fn watched(&self) -> Option<&Watch> {
        self.slots.watch.as_ref()
    }

    /// The caller acquired a handle of slot `index`.
    #[track_caller]
    #[inline]
    pub(super) fn note_origin(&self, index: usize) {
        if let Some(watch) = &self.slots.watch {
            watch.inserted(index);
        }
    }

    /// A removal was refused.
    #[track_caller]
    #[inline]
    pub(crate) fn note_refused_removal(&self, handle: H) {
        if let Some(watch) = &self.slots.watch {
            watch.removal_refused(handle, self.explain(handle));
        }
    }

    /// The state of `other` is about to be copied; slots from `used` on are the same in both.
    pub(super) fn note_restored(&self, other: &Self, used: usize) {
        if let Some(watch) = self.slots.watch.as_ref().filter(|watch| watch.remembers()) {
            let differs =
                |index: &usize| self.slots.words.get(*index) != other.slots.words.get(*index);
            (0..used).filter(differs).for_each(|index| watch.restored(index));
        }
    }
}

/// Reports the handles that are still live, if that aid is enabled.
impl<W: Word, E: Entry> Drop for WatchedWords<W, E> {
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            watch.report_drop(self.words.occupancy().iter());
        }
    }
}
