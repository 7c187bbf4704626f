use alloc::boxed::Box;
use core::panic::Location;

use super::{DebugAids, LiveReport};
use crate::memory::{self, OutOfMemory};

/// The aids of one pool, or of one block of a pool, and what they remember.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    name: Option<&'static str>,
    aids: DebugAids,
    /// The number that the first slot has in the whole pool.
    first: usize,
    /// Where the object of each slot was inserted; of dead slots, whatever it was before.
    origins: Box<[Option<&'static Location<'static>>]>,
}

impl Watch {
    pub(crate) fn try_new(
        name: Option<&'static str>,
        aids: DebugAids,
        first: usize,
        slots: usize,
    ) -> Result<Self, OutOfMemory> {
        let origins = memory::filled(if aids.origins { slots } else { 0 }, None)?;
        Ok(Self { name, aids, first, origins })
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

    /// The number that the slot has in the whole pool.
    pub(crate) fn slot(&self, index: usize) -> usize {
        self.first + index
    }

    /// An object was inserted into this slot, at this place.
    pub(crate) fn inserted(&mut self, index: usize, origin: &'static Location<'static>) {
        if let Some(place) = self.origins.get_mut(index) {
            *place = Some(origin);
        }
    }

    /// Another object than before is in this slot, and nobody knows where it was inserted.
    pub(crate) fn restored(&mut self, index: usize) {
        if let Some(place) = self.origins.get_mut(index) {
            *place = None;
        }
    }

    /// Where the objects of these live slots were inserted, as far as that is known.
    pub(crate) fn origins(
        &self,
        live: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = Option<&'static Location<'static>>> {
        live.map(|index| self.origins.get(index).copied().flatten())
    }

    /// Tells whoever wants to know that the pool goes with these live slots.
    pub(crate) fn report_drop(&self, live: impl Iterator<Item = usize>) {
        self.aids.report_drop(self.name, self.origins(live));
    }

    /// What is said of these live slots; `None` if their origins are not remembered.
    pub(crate) fn report(&self, live: impl Iterator<Item = usize>) -> Option<LiveReport> {
        self.aids.report(self.name, self.origins(live))
    }
}
