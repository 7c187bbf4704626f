use alloc::boxed::Box;
use core::panic::Location;

use super::{DebugAids, LiveReport};
use crate::memory::{self, OutOfMemory};

/// The aids of one pool, and what they remember.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    name: Option<&'static str>,
    aids: DebugAids,
    /// Where the object of each slot was inserted; of dead slots, whatever it was before.
    origins: Box<[Option<&'static Location<'static>>]>,
}

impl Watch {
    pub(crate) fn try_new(
        name: Option<&'static str>,
        aids: DebugAids,
        slots: usize,
    ) -> Result<Self, OutOfMemory> {
        let origins = memory::filled(if aids.origins { slots } else { 0 }, None)?;
        Ok(Self { name, aids, origins })
    }

    pub(crate) fn fills(&self) -> bool {
        self.aids.fill
    }

    pub(crate) fn panics_on_refused_removal(&self) -> bool {
        self.aids.panics_on_refused_removal
    }

    pub(crate) fn name(&self) -> Option<&'static str> {
        self.name
    }

    /// An object was inserted into this slot, at this place.
    pub(crate) fn inserted(&mut self, index: usize, origin: &'static Location<'static>) {
        if let Some(place) = self.origins.get_mut(index) {
            *place = Some(origin);
        }
    }

    /// What is said of these live slots; `None` if their origins are not remembered.
    pub(crate) fn report(&self, live: impl Iterator<Item = usize>) -> Option<LiveReport> {
        let places = live.filter_map(|index| self.origins.get(index).copied().flatten());
        self.aids.origins.then(|| LiveReport::new(self.name, places))
    }

    /// Tells whoever wants to know that the pool goes with these live slots.
    pub(crate) fn report_drop(&self, live: impl Iterator<Item = usize>) {
        if let (Some(on_drop), Some(report)) = (self.aids.on_drop, self.report(live)) {
            if report.live() > 0 {
                on_drop(&report);
            }
        }
    }
}
