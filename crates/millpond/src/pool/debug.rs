//! What a pool does for its debug aids.

use core::panic::Location;

use super::Pool;
use crate::debug::{DebugAids, LiveReport, Watch};
use crate::errors::refuse;
use crate::handle::{HandleLayout, Word};
use crate::memory::OutOfMemory;
use crate::reuse::ReuseOrder;
use crate::settings::BuildError;
use crate::storage::Storage;

impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// The live objects, grouped by the source lines that they were inserted at. O(capacity), takes
    /// memory. `None` unless the builder asked to
    /// [remember origins](DebugAids::remember_origins); see [`debug`](crate::debug).
    #[must_use]
    pub fn live_report(&self) -> Option<LiveReport> {
        self.storage.watched()?.report(self.occupancy().iter())
    }

    pub(super) fn watched_by(mut self, aids: DebugAids) -> Result<Self, BuildError> {
        let capacity = self.capacity();
        let DebugAids { fill, panics_on_refused_removal, origins, on_drop } = aids;
        if fill || panics_on_refused_removal || origins || on_drop.is_some() {
            let watch = Watch::try_new(self.name(), aids, capacity)
                .map_err(|OutOfMemory| BuildError::OutOfMemory { capacity })?;
            self.storage.watch(watch);
        }
        Ok(self)
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
        let origin = Location::caller();
        if let Some(watch) = self.storage.watched_mut() {
            watch.inserted(index, origin);
        }
    }

    /// A removal was refused.
    #[track_caller]
    #[inline]
    pub(super) fn note_refused_removal(&self, handle: H) {
        if self.storage.watched().is_some_and(Watch::panics_on_refused_removal) {
            refuse(self.name(), handle, self.check(handle));
        }
    }
}

/// A copy of a storage, watched as the original is.
pub(super) fn watched_like<T, R: ReuseOrder, W: Word>(
    mut copy: Storage<T, R, W>,
    original: &Storage<T, R, W>,
) -> Storage<T, R, W> {
    if let Some(watch) = original.watched() {
        copy.watch(watch.clone());
    }
    copy
}
