//! The debug aids of a shared pool.
//!
//! # Invariant
//!
//! 1. A pointer in `origins` is null, or comes from a `&'static Location`.
//! 2. If the pool fills dead slots, every byte of a slot without a value is initialised, from the pool's creation or
//!    the end of the value until the slot's owner writes the next value.

use alloc::boxed::Box;
use core::panic::Location;
use core::ptr::{from_ref, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use super::SyncPool;
use super::slots::Slots;
use crate::base::memory::{self, OutOfMemory};
use crate::handle::Handle;
use crate::reports::debug::{DebugAids, LiveReport, fill, find_changed, inspected};
use crate::values::{bytes_mut, initialised};

/// The aids of a shared pool, and what they store.
#[derive(Debug)]
pub(super) struct SharedAids {
    aids: DebugAids,
    /// Where the object of each slot was inserted; for dead slots, any earlier place.
    origins: Box<[AtomicPtr<Location<'static>>]>,
}

impl SharedAids {
    pub(super) fn try_new(aids: DebugAids, slots: usize) -> Result<Self, OutOfMemory> {
        let remembered = if aids.origins { slots } else { 0 };
        let origins = memory::from_fn(remembered, |_| AtomicPtr::new(null_mut()))?;
        Ok(Self { aids, origins })
    }

    /// Records where the object of this slot was inserted; `None` if that is unknown.
    pub(super) fn set_origin(&self, index: usize, place: Option<&'static Location<'static>>) {
        if let Some(origin) = self.origins.get(index) {
            origin.store(place.map_or(null_mut(), |place| from_ref(place).cast_mut()), Relaxed);
        }
    }

    fn origin(&self, index: usize) -> Option<&'static Location<'static>> {
        let origin = self.origins.get(index)?.load(Relaxed);
        // SAFETY: null, or a static location (invariant 1), which is never written.
        unsafe { origin.as_ref() }
    }
}

impl<T> Slots<T> {
    /// Where the live objects were inserted, if known.
    fn origins(&self) -> impl Iterator<Item = Option<&'static Location<'static>>> {
        let live = (0..self.capacity())
            .filter(|index| self.word(*index).is_some_and(|word| word.is_live()));
        live.map(|index| self.aids.origin(index))
    }

    /// Fills a slot whose value was dropped or moved out.
    pub(super) fn bury(&self, index: usize) {
        if self.aids.aids.fill {
            self.values[index].with_mut(|value| {
                // SAFETY: this thread owns the slot, or is creating the pool.
                fill(bytes_mut(unsafe { &mut *value }), 0);
            });
        }
    }

    /// Inspects a slot that this thread has claimed.
    ///
    /// # Panics
    ///
    /// If the slot was written to since it died. Its filling is restored first.
    #[track_caller]
    pub(super) fn inspect(&self, index: usize) {
        if !self.aids.aids.fill {
            return;
        }
        let changed = self.values[index].with_mut(|value| {
            // SAFETY: this thread owns the slot.
            let bytes = bytes_mut(unsafe { &mut *value });
            // SAFETY: the pool fills, and the slot has no value (invariant 2).
            find_changed(unsafe { initialised(bytes) }, 0)
        });
        self.bury(index);
        inspected(self.name(), index, changed);
    }

    #[track_caller]
    pub(super) fn removal_refused(&self, handle: Handle<T>) {
        if self.aids.aids.panics_on_refused_removal {
            self.aids.aids.removal_refused(self.name(), handle, self.explain(handle));
        }
    }

    /// Calls the report function, if any, for a pool that is dropped.
    pub(super) fn report_drop(&self) {
        self.aids.aids.report_drop(self.name(), self.origins());
    }
}

impl<T> SyncPool<T> {
    /// Returns the live objects, grouped by the source line that inserted them; exact while no
    /// other thread inserts or removes. O(capacity + live × log live); allocates. Returns `None`
    /// unless the builder was set to [remember origins](DebugAids::remember_origins); see
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
    #[must_use]
    pub fn live_report(&self) -> Option<LiveReport> {
        self.slots().aids.aids.report(self.name(), self.slots().origins())
    }
}
