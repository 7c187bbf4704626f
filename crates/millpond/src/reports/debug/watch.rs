use alloc::boxed::Box;
use core::panic::Location;

use super::fill::Changed;
use super::origin::OriginCell;
use super::{DebugAids, LiveReport};
use crate::base::memory::{self, OutOfMemory};
use crate::handle::{Explanation, HandleLayout};
use crate::reports::errors::{PoolName, refuse};

/// The aids of one pool, or of a part of one, and what they store. Threads may share it.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Watch(Box<Watched>);

#[derive(Clone, Debug)]
struct Watched {
    name: Option<&'static str>,
    aids: DebugAids,
    /// Where the object of each slot was inserted; for dead slots, any earlier place.
    origins: Box<[OriginCell]>,
}

impl Watch {
    /// Watches over this many slots, if any aid is enabled.
    pub(crate) fn try_new(
        name: Option<&'static str>,
        aids: DebugAids,
        slots: usize,
    ) -> Result<Option<Self>, OutOfMemory> {
        if aids.is_none() {
            return Ok(None);
        }
        let remembered = if aids.origins { slots } else { 0 };
        let origins = memory::from_fn(remembered, |_| OriginCell::default())?;
        Ok(Some(Self(memory::boxed(Watched { name, aids, origins })?)))
    }

    /// There will be this many slots.
    pub(crate) fn try_grow(&mut self, slots: usize) -> Result<(), OutOfMemory> {
        let known = &self.0.origins;
        if self.remembers() && slots > known.len() {
            let origin = |index| known.get(index).cloned().unwrap_or_default();
            self.0.origins = memory::from_fn(slots, origin)?;
        }
        Ok(())
    }

    pub(crate) fn fills(&self) -> bool {
        self.0.aids.fill
    }

    /// Whether it stores where objects were inserted.
    pub(crate) fn remembers(&self) -> bool {
        self.0.aids.origins
    }

    /// Whether a report of live objects on drop is requested.
    pub(crate) fn reports_drops(&self) -> bool {
        self.0.aids.on_drop.is_some()
    }

    /// The caller inserted an object into slot `index`.
    #[track_caller]
    pub(crate) fn inserted(&self, index: usize) {
        self.set_origin(index, Some(Location::caller()));
    }

    /// Slot `index` has another object than before, of unknown origin.
    pub(crate) fn restored(&self, index: usize) {
        self.set_origin(index, None);
    }

    fn set_origin(&self, index: usize, place: Option<&'static Location<'static>>) {
        if let Some(origin) = self.0.origins.get(index) {
            origin.set(place);
        }
    }

    /// A removal was refused, for this reason.
    #[track_caller]
    pub(crate) fn removal_refused<H: HandleLayout>(&self, handle: H, why: Explanation) {
        let Watched { name, aids, .. } = &*self.0;
        if aids.panics_on_refused_removal {
            let index = (aids.first_slot as u32).saturating_add(handle.index());
            let in_the_whole = H::from_parts(index, handle.generation()).unwrap_or(handle);
            refuse(*name, in_the_whole, why.in_slot(index));
        }
    }

    /// Panics if a dead slot was written to.
    #[track_caller]
    pub(crate) fn inspected(&self, index: usize, changed: Option<Changed>) {
        if let Some(changed) = changed {
            let (name, slot) = (PoolName(self.0.name), self.0.aids.first_slot + index);
            panic!("{name}: slot {slot} was written to while it was dead: {changed}");
        }
    }

    /// Where the objects of these live slots were inserted, if known.
    pub(crate) fn origins(
        &self,
        live: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = Option<&'static Location<'static>>> {
        live.map(|index| self.0.origins.get(index).and_then(OriginCell::get))
    }

    /// Calls the report function, if any, for a pool that is dropped with these live slots.
    pub(crate) fn report_drop(&self, live: impl Iterator<Item = usize>) {
        if let Some(on_drop) = self.0.aids.on_drop {
            let report = LiveReport::new(self.0.name, self.origins(live));
            if report.live() > 0 {
                on_drop(&report);
            }
        }
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
        self.remembers().then(|| LiveReport::new(self.0.name, others.chain(self.origins(live))))
    }
}
