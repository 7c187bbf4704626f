//! What a packed pool does for its debug aids.

use super::PackedPool;
use crate::debug::{DebugAids, LiveReport, Watch};
use crate::handle::HandleLayout;
use crate::memory::OutOfMemory;

impl<T, H: HandleLayout> PackedPool<T, H> {
    /// The live values, grouped by the source lines that they were inserted at. O(live), takes memory.
    /// `None` unless the builder asked to
    /// [remember origins](crate::debug::DebugAids::remember_origins); see [`debug`](crate::debug).
    ///
    /// ```
    /// use millpond::PackedPool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_origins();
    /// let mut sprites = PackedPool::builder().capacity(8).debug_aids(aids).build();
    /// for sprite in 0..5 {
    ///     sprites.insert(sprite).unwrap();
    /// }
    /// assert_eq!(sprites.live_report().unwrap().origins()[0].count(), 5);
    /// ```
    #[must_use]
    pub fn live_report(&self) -> Option<LiveReport> {
        self.watch.as_ref()?.report(slots_of(self.as_handle_slice()))
    }

    /// Has the slots watched from now on, if there is anything to do.
    pub(super) fn watch(&mut self, aids: DebugAids) -> Result<(), OutOfMemory> {
        let watch = Watch::try_new(self.name(), aids, 0, self.capacity())?;
        self.watch_with(watch);
        Ok(())
    }

    /// The same, with what is remembered already.
    pub(super) fn watch_with(&mut self, watch: Option<alloc::boxed::Box<Watch>>) {
        if watch.as_ref().is_some_and(|watch| watch.fills()) {
            self.values.fill_dead();
        }
        self.watch = watch;
    }

    /// No longer.
    pub(super) fn unwatch(&mut self) {
        self.values.leave_dead();
        self.watch = None;
    }

    /// Looks at the place that the next value goes to.
    #[track_caller]
    #[inline]
    pub(super) fn inspect_next(&mut self) {
        if let Some(watch) = &self.watch {
            self.values.inspect_next(watch);
        }
    }

    /// A value was inserted by whoever called.
    #[track_caller]
    #[inline]
    pub(super) fn note_origin(&mut self, handle: H) {
        if let Some(watch) = &mut self.watch {
            watch.inserted(handle.index() as usize);
        }
    }

    /// A removal was refused.
    #[track_caller]
    #[inline]
    pub(super) fn note_refused_removal(&self, handle: H) {
        if let Some(watch) = &self.watch {
            watch.removal_refused(handle, self.check(handle));
        }
    }

    /// The state of another pool is about to be taken over.
    pub(super) fn note_restored(&mut self, other: &Self) {
        if let Some(watch) = &mut self.watch {
            let differs = |index: &usize| self.roster.word(*index) != other.roster.word(*index);
            (0..other.capacity()).filter(differs).for_each(|index| watch.restored(index));
        }
    }
}

/// The slots of handles.
pub(super) fn slots_of<H: HandleLayout>(handles: &[H]) -> impl Iterator<Item = usize> {
    handles.iter().map(|handle| handle.index() as usize)
}

/// Says which values are still live, if the aids are to.
impl<T, H: HandleLayout> Drop for PackedPool<T, H> {
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            watch.report_drop(slots_of(self.as_handle_slice()));
        }
    }
}
