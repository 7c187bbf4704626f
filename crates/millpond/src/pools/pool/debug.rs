//! What a pool does for its debug aids.

use core::panic::Location;

use super::Pool;
use crate::base::memory::OutOfMemory;
use crate::handle::HandleLayout;
use crate::reports::debug::{DebugAids, LiveReport, Watch};
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// The live objects, grouped by the source lines that they were inserted at. O(capacity), takes
    /// memory. `None` unless the builder asked to
    /// [remember origins](DebugAids::remember_origins); see [`debug`](crate::debug).
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

    /// Where the live objects were inserted, as far as that is remembered.
    pub(crate) fn origins(&self) -> impl Iterator<Item = Option<&'static Location<'static>>> {
        let watch = self.storage.watched();
        watch.into_iter().flat_map(|watch| watch.origins(self.occupancy().iter()))
    }

    /// Has the slots watched from now on, if there is anything to do.
    pub(crate) fn watch(&mut self, aids: DebugAids) -> Result<(), OutOfMemory> {
        self.storage.watch(Watch::try_new(self.name(), aids, self.capacity())?);
        Ok(())
    }

    /// No longer.
    pub(crate) fn unwatch(&mut self) {
        self.storage.unwatch();
    }

    /// Looks at the slot that comes next.
    #[track_caller]
    #[inline]
    pub(super) fn inspect_next(&mut self) {
        if self.storage.watched().is_some() {
            if let Some(handle) = self.core.peek(&self.storage) {
                self.storage.inspect(handle.index() as usize);
            }
        }
    }

    /// An object was inserted into this slot by whoever called.
    #[track_caller]
    #[inline]
    pub(super) fn note_origin(&mut self, index: usize) {
        if let Some(watch) = self.storage.watched_mut() {
            watch.inserted(index);
        }
    }

    /// A removal was refused.
    #[track_caller]
    #[inline]
    pub(super) fn note_refused_removal(&self, handle: H) {
        if let Some(watch) = self.storage.watched() {
            watch.removal_refused(handle, self.check(handle));
        }
    }
}
