use alloc::boxed::Box;
use core::panic::Location;

use super::fill::Changed;
use super::origin::OriginCell;
use super::removal::{By, RemovalCell};
use super::{DebugAids, LiveReport, Removal};
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
    /// The latest removal from each slot.
    removals: Box<[RemovalCell]>,
    /// Where the iteration began that removes objects.
    iteration: OriginCell,
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
        let remembered = if aids.removals { slots } else { 0 };
        let removals = memory::from_fn(remembered, |_| RemovalCell::default())?;
        let iteration = OriginCell::default();
        Ok(Some(Self(memory::boxed(Watched { name, aids, origins, removals, iteration })?)))
    }

    /// There will be this many slots.
    pub(crate) fn try_grow(&mut self, slots: usize) -> Result<(), OutOfMemory> {
        if self.0.aids.origins {
            grow(&mut self.0.origins, slots)?;
        }
        if self.0.aids.removals {
            grow(&mut self.0.removals, slots)?;
        }
        Ok(())
    }

    pub(crate) fn fills(&self) -> bool {
        self.0.aids.fill
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

    /// The object of slot `from` is in slot `to` now.
    pub(crate) fn moved(&self, from: usize, to: usize) {
        self.set_origin(to, self.0.origins.get(from).and_then(OriginCell::get));
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

    /// A removal was refused, for this reason. `now` is what is live in the slot.
    #[track_caller]
    pub(crate) fn removal_refused<H: HandleLayout>(
        &self,
        handle: H,
        why: Explanation,
        now: Option<Explanation>,
    ) {
        let Watched { name, aids, .. } = &*self.0;
        if aids.panics_on_refused_removal {
            let index = (aids.first_slot as u32).saturating_add(handle.index());
            let in_the_whole = H::from_parts(index, handle.generation()).unwrap_or(handle);
            let removal = self.removal_of(handle, now).map(|removal| removal.in_slot(index));
            refuse_removed(*name, in_the_whole, why.in_slot(index), removal);
        }
    }

    /// Panics if it is known what removed the object of this handle, which is refused for this reason. `now` is what is live
    /// in the slot.
    #[track_caller]
    pub(crate) fn tell_removal<H: HandleLayout>(
        &self,
        handle: H,
        why: Explanation,
        now: Option<Explanation>,
    ) {
        if let Some(removal) = self.removal_of(handle, now) {
            refuse_removed(self.0.name, handle, why, Some(removal));
        }
    }

    /// Whether it stores where objects were removed.
    pub(crate) fn remembers_removals(&self) -> bool {
        self.0.aids.removals
    }

    /// The caller removes this object.
    #[track_caller]
    pub(crate) fn removed<H: HandleLayout>(&self, handle: H) {
        self.removed_in(Location::caller(), handle);
    }

    /// The caller begins to remove objects, one by one.
    #[track_caller]
    pub(crate) fn iterated(&self) {
        self.0.iteration.set(Some(Location::caller()));
    }

    /// The iteration that was begun last removes this object.
    pub(crate) fn removed_in_iteration<H: HandleLayout>(&self, handle: H) {
        if let Some(place) = self.0.iteration.get() {
            self.removed_in(place, handle);
        }
    }

    fn removed_in<H: HandleLayout>(&self, place: &'static Location<'static>, handle: H) {
        if let Some(removal) = self.0.removals.get(handle.index() as usize) {
            removal.set(handle.generation(), place, self.0.aids.clock.map_or(0, |clock| clock()));
        }
    }

    /// What removed the handle's object, if that is known. `now` is what is live in the slot.
    pub(crate) fn removal_of<H: HandleLayout>(
        &self,
        handle: H,
        now: Option<Explanation>,
    ) -> Option<Removal> {
        let index = handle.index() as usize;
        let origin = self.0.origins.get(index).and_then(OriginCell::get);
        let now = now.map(|live| (live, origin));
        self.0.removals.get(index)?.removal_of(handle, self.0.aids.clock.is_some(), now)
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
        self.0.aids.origins.then(|| LiveReport::new(self.0.name, self.origins(live)))
    }
}

/// Makes so many cells, at least as many as there are, which keep what they know.
fn grow<C: Clone + Default>(cells: &mut Box<[C]>, slots: usize) -> Result<(), OutOfMemory> {
    if slots > cells.len() {
        *cells = memory::from_fn(slots, |index| cells.get(index).cloned().unwrap_or_default())?;
    }
    Ok(())
}

/// Panics as [`refuse`] does, and says what removed the object, if that is known.
#[track_caller]
fn refuse_removed<H: HandleLayout>(
    name: Option<&'static str>,
    handle: H,
    why: Explanation,
    removal: Option<Removal>,
) -> ! {
    match removal {
        None => refuse(name, handle, why),
        // The handle is stale, and the explanation ends with the words that its object was removed.
        Some(removal) => {
            panic!("{} refuses handle {why:#}: {why}{}", PoolName(name), By(&removal))
        }
    }
}
