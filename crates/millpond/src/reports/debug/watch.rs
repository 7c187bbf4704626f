use alloc::boxed::Box;
use core::panic::Location;

use super::fill::Changed;
use super::{DebugAids, LiveReport};
use crate::base::memory::{self, OutOfMemory};
use crate::handle::{Explanation, HandleLayout};
use crate::reports::errors::PoolName;

/// The aids of one pool, or of a part of one, and what they store.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Watch {
    name: Option<&'static str>,
    aids: DebugAids,
    /// Where the object of each slot was inserted; for dead slots, any earlier place.
    origins: Box<[Option<&'static Location<'static>>]>,
}

impl Watch {
    /// Watches over this many slots, if any aid is enabled.
    pub(crate) fn try_new(
        name: Option<&'static str>,
        aids: DebugAids,
        slots: usize,
    ) -> Result<Option<Box<Self>>, OutOfMemory> {
        if aids.is_none() {
            return Ok(None);
        }
        let origins = memory::filled(if aids.origins { slots } else { 0 }, None)?;
        Ok(Some(Box::new(Self { name, aids, origins })))
    }

    /// There will be this many slots.
    pub(crate) fn try_grow(&mut self, slots: usize) -> Result<(), OutOfMemory> {
        let known = self.origins.len();
        if self.remembers() && slots > known {
            let mut origins = memory::filled(slots, None)?;
            origins[..known].copy_from_slice(&self.origins);
            self.origins = origins;
        }
        Ok(())
    }

    pub(crate) fn fills(&self) -> bool {
        self.aids.fill
    }

    /// Whether it stores where objects were inserted.
    pub(crate) fn remembers(&self) -> bool {
        self.aids.origins
    }

    /// Whether a report of live objects on drop is requested.
    pub(crate) fn reports_drops(&self) -> bool {
        self.aids.on_drop.is_some()
    }

    /// The caller inserted an object into slot `index`.
    #[track_caller]
    pub(crate) fn inserted(&mut self, index: usize) {
        if let Some(place) = self.origins.get_mut(index) {
            *place = Some(Location::caller());
        }
    }

    /// Slot `index` has another object than before, of unknown origin.
    pub(crate) fn restored(&mut self, index: usize) {
        if let Some(place) = self.origins.get_mut(index) {
            *place = None;
        }
    }

    /// A removal was refused, for this reason.
    #[track_caller]
    pub(crate) fn removal_refused<H: HandleLayout>(&self, handle: H, why: Explanation) {
        self.aids.removal_refused(self.name, handle, why);
    }

    /// Panics if a dead slot was written to.
    #[track_caller]
    pub(crate) fn inspected(&self, index: usize, changed: Option<Changed>) {
        inspected(self.name, self.aids.first_slot + index, changed);
    }

    /// Where the objects of these live slots were inserted, if known.
    pub(crate) fn origins(
        &self,
        live: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = Option<&'static Location<'static>>> {
        live.map(|index| self.origins.get(index).copied().flatten())
    }

    /// Calls the report function, if any, for a pool that is dropped with these live slots.
    pub(crate) fn report_drop(&self, live: impl Iterator<Item = usize>) {
        self.aids.report_drop(self.name, self.origins(live));
    }

    /// The report of these live slots; `None` if origins are not stored.
    pub(crate) fn report(&self, live: impl Iterator<Item = usize>) -> Option<LiveReport> {
        self.report_with(core::iter::empty(), live)
    }

    /// The report of these live slots and of the objects of other pools.
    pub(crate) fn report_with(
        &self,
        others: impl Iterator<Item = Option<&'static Location<'static>>>,
        live: impl Iterator<Item = usize>,
    ) -> Option<LiveReport> {
        self.aids.report(self.name, others.chain(self.origins(live)))
    }
}

/// Panics if this slot of a pool was written to while it was dead.
#[track_caller]
pub(crate) fn inspected(name: Option<&'static str>, slot: usize, changed: Option<Changed>) {
    if let Some(changed) = changed {
        panic!("{}: slot {slot} was written to while it was dead: {changed}", PoolName(name));
    }
}
