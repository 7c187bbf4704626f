//! The debug aids of a shared pool.
//!
//! # Invariant
//!
//! If the pool fills dead slots, every byte of a slot without a value is initialised, from the pool's creation or the
//! end of the value until the slot's owner writes the next value.

use core::mem::MaybeUninit;

use super::SyncPool;
use super::slots::SharedSlots;
use crate::base::bytes::{bytes_mut, initialised};
use crate::handle::{Explanation, Handle};
use crate::reports::debug::{Watch, fill, find_changed};

impl<T> SharedSlots<T> {
    fn live_slots(&self) -> impl Iterator<Item = usize> {
        (0..self.capacity()).filter(|index| self.word(*index).is_some_and(|word| word.is_live()))
    }

    /// Calls `f` with the bytes of a slot that this thread owns, and that has no value.
    fn with_bytes<V>(&self, index: usize, f: impl FnOnce(&mut [MaybeUninit<u8>]) -> V) -> V {
        self.values[index].with_mut(|value| {
            // SAFETY: this thread owns the slot, or is creating the pool.
            f(bytes_mut(unsafe { &mut *value }))
        })
    }

    /// Fills a slot whose value was dropped or moved out.
    pub(super) fn mark_dead(&self, index: usize) {
        if self.watch.as_ref().is_some_and(Watch::fills) {
            self.with_bytes(index, fill);
        }
    }

    /// Inspects a slot that this thread has claimed.
    ///
    /// # Panics
    ///
    /// If the slot was written to since it died. Its filling is restored first.
    #[track_caller]
    pub(super) fn inspect(&self, index: usize) {
        let Some(watch) = self.watch.as_ref().filter(|watch| watch.fills()) else { return };
        // SAFETY: the pool fills, and the slot has no value (invariant).
        let changed = self.with_bytes(index, |bytes| find_changed(unsafe { initialised(bytes) }));
        self.mark_dead(index);
        watch.inspected(index, changed);
    }

    /// Calls the report function, if any, for a pool that is dropped.
    pub(super) fn report_drop(&self) {
        if let Some(watch) = &self.watch {
            watch.report_drop(self.live_slots());
        }
    }
}

impl<T> SyncPool<T> {
    /// Returns the live objects, grouped by the source line that inserted them; exact while no
    /// other thread inserts or removes. O(capacity + live × log live); allocates. Returns `None`
    /// unless the builder was set to [remember origins](crate::debug::DebugAids::remember_origins); see
    /// [`debug`](crate::debug). The origin of objects restored by [`restore`](Self::restore) is
    /// unknown.
    ///
    /// ```
    /// use millpond::SyncPool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_origins();
    /// let pool = SyncPool::builder().capacity(8).debug_aids(aids).build();
    /// std::thread::scope(|scope| {
    ///     for value in 0..5 {
    ///         let pool = &pool;
    ///         scope.spawn(move || pool.insert(value).unwrap());
    ///     }
    /// });
    /// assert_eq!(pool.live_report().unwrap().origins()[0].count(), 5);
    /// ```
    #[cfg(feature = "debug-aids")]
    #[must_use]
    pub fn live_report(&self) -> Option<crate::reports::debug::LiveReport> {
        self.slots().watch.as_ref()?.report(self.slots().live_slots())
    }

    /// Returns the source line that removed the handle's object, the tick, and what lives in its slot now; see
    /// [`Pool::removal_of`](crate::Pool::removal_of). `None` also while another thread is just removing from the same slot.
    /// O(1).
    ///
    /// ```
    /// use millpond::SyncPool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_removals();
    /// let pool = SyncPool::builder().capacity(8).debug_aids(aids).build();
    /// let handle = pool.insert(1).unwrap();
    /// let line = line!() + 1;
    /// std::thread::scope(|scope| scope.spawn(|| pool.remove(handle)).join()).unwrap();
    /// assert_eq!(pool.removal_of(handle).unwrap().location().line(), line);
    /// ```
    #[cfg(feature = "debug-aids")]
    #[must_use]
    pub fn removal_of(&self, handle: Handle<T>) -> Option<crate::reports::debug::Removal> {
        if self.contains(handle) {
            return None;
        }
        self.slots().watch.as_ref()?.removal_of(handle, self.live_in(handle))
    }

    /// A removal was refused.
    #[track_caller]
    pub(super) fn note_refused_removal(&self, handle: Handle<T>) {
        if let Some(watch) = &self.slots().watch {
            watch.removal_refused(handle, self.explain(handle), self.live_in(handle));
        }
    }

    /// The caller has removed this object.
    #[track_caller]
    #[inline]
    pub(super) fn note_removal(&self, handle: Handle<T>) {
        if let Some(watch) = &self.slots().watch {
            watch.removed(handle);
        }
    }

    /// The caller is about to remove all objects.
    #[track_caller]
    pub(super) fn note_removal_of_all(&mut self) {
        if let Some(watch) = &self.slots().watch {
            for handle in self.slots().live_slots().filter_map(|index| self.handle_at(index)) {
                watch.removed(handle);
            }
        }
    }

    /// What is live in the handle's slot.
    fn live_in(&self, handle: Handle<T>) -> Option<Explanation> {
        self.handle_at(handle.index() as usize).map(|live| self.explain(live))
    }
}
