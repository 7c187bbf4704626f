//! Slots whose objects are out of the pool and will come back.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::base::memory::{self, OutOfMemory};
use crate::handle::{self, HandleLayout, Word};
use crate::reports::errors::InsertAtErrorKind;

/// The slots that keep their lifetimes while their objects are out of the pool, in ascending order, each with the generation
/// of that lifetime. To everything else, they have retired. **All bits are 0** until there is one.
#[derive(Debug, Default)]
#[expect(clippy::box_collection, reason = "a pointer that is null in a pool that never detaches")]
pub(crate) struct Detached(Option<Box<Vec<(u32, u32)>>>);

impl Detached {
    pub(crate) const NONE: Self = Self(None);

    /// The slots, each with its generation.
    pub(crate) fn as_slice(&self) -> &[(u32, u32)] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Where in the list the slot is, or would be.
    fn place_of(&self, slot: u32) -> usize {
        self.as_slice().partition_point(|(other, _)| *other < slot)
    }

    /// Whether the slot is out, in this generation.
    pub(crate) fn has(&self, slot: u32, generation: u32) -> bool {
        self.as_slice().get(self.place_of(slot)) == Some(&(slot, generation))
    }

    /// Whether the slot is out, in any generation.
    pub(crate) fn has_slot(&self, slot: u32) -> bool {
        matches!(self.as_slice().get(self.place_of(slot)), Some((other, _)) if *other == slot)
    }

    /// Makes room for so many in all, so that no list of as many takes memory.
    #[cfg(feature = "__c")]
    pub(crate) fn try_reserve_total(&mut self, slots: usize) -> Result<(), OutOfMemory> {
        match slots.saturating_sub(self.as_slice().len()) {
            0 => Ok(()),
            more => self.try_with_room_for(more).map(|_| ()),
        }
    }

    /// The list, with room for so many more.
    fn try_with_room_for(&mut self, more: usize) -> Result<&mut Vec<(u32, u32)>, OutOfMemory> {
        let slots = match &mut self.0 {
            Some(slots) => slots,
            none => none.insert(memory::boxed(Vec::new())?),
        };
        slots.try_reserve(more).map_err(|_| OutOfMemory)?;
        Ok(slots)
    }

    /// The same.
    ///
    /// # Panics
    ///
    /// Without memory, where a vector would abort.
    fn with_room_for(&mut self, more: usize) -> &mut Vec<(u32, u32)> {
        self.try_with_room_for(more).unwrap_or_else(|OutOfMemory| {
            panic!("no memory for the list of objects that are out of their pool")
        })
    }

    pub(crate) fn add(&mut self, slot: u32, generation: u32) {
        let place = self.place_of(slot);
        self.with_room_for(1).insert(place, (slot, generation));
    }

    /// Returns whether it was there.
    pub(crate) fn take(&mut self, slot: u32, generation: u32) -> bool {
        let (is_out, place) = (self.has(slot, generation), self.place_of(slot));
        if let (true, Some(slots)) = (is_out, &mut self.0) {
            slots.remove(place);
        }
        is_out
    }

    pub(crate) fn clear(&mut self) {
        if let Some(slots) = &mut self.0 {
            slots.clear();
        }
    }

    /// Keeps the slots for which `is_out` says so.
    pub(crate) fn retain(&mut self, is_out: impl Fn(usize) -> bool) {
        if let Some(slots) = &mut self.0 {
            slots.retain(|(slot, _)| is_out(*slot as usize));
        }
    }

    /// Adds the other pool's slots that are not here and for which `may_come` says so.
    pub(crate) fn add_from(&mut self, other: &Self, may_come: impl Fn(usize) -> bool) {
        for (slot, generation) in other.as_slice() {
            if !self.has_slot(*slot) && may_come(*slot as usize) {
                self.add(*slot, *generation);
            }
        }
    }
}

impl Detached {
    /// The lifetime of a slot of this word, whose object is out of the pool, is about to go on, if it is this one.
    pub(crate) fn reattach<H: HandleLayout>(
        &mut self,
        handle: H,
        word: Option<H::Word>,
    ) -> Result<(), InsertAtErrorKind> {
        if !word.ok_or(InsertAtErrorKind::OutOfRange)?.is_dead() {
            return Err(InsertAtErrorKind::Occupied);
        }
        match self.take(handle.index(), handle.generation()) {
            true => Ok(()),
            false => Err(InsertAtErrorKind::Stale),
        }
    }

    /// Why a slot cannot be claimed: one whose object is out of the pool has not retired.
    pub(crate) fn explain(&self, slot: u32, why: InsertAtErrorKind) -> InsertAtErrorKind {
        if self.has_slot(slot) { InsertAtErrorKind::Occupied } else { why }
    }

    /// The handles of the slots.
    pub(crate) fn handles<H: HandleLayout>(&self) -> impl ExactSizeIterator<Item = H> + '_ {
        self.as_slice().iter().map(|(slot, generation)| {
            handle::kept::<H>(*slot as usize, H::Word::from_generation(*generation))
        })
    }
}

/// Panics without memory.
impl Clone for Detached {
    fn clone(&self) -> Self {
        let mut clone = Self::NONE;
        clone.clone_from(self);
        clone
    }

    /// Takes no memory if there was room for as many before.
    fn clone_from(&mut self, other: &Self) {
        self.clear();
        if let slots @ [_, ..] = other.as_slice() {
            self.with_room_for(slots.len()).extend_from_slice(slots);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_found_in_their_generation_and_in_order() {
        let mut detached = Detached::NONE;
        for slot in [7, 2, 9] {
            detached.add(slot, slot + 10);
        }
        assert_eq!(detached.as_slice(), [(2, 12), (7, 17), (9, 19)]);
        assert!(detached.has(7, 17) && !detached.has(7, 16) && !detached.has(8, 17));
        assert!(detached.has_slot(9) && !detached.has_slot(3));
        let copy = detached.clone();
        assert!(!detached.take(7, 16) && detached.take(7, 17) && !detached.take(7, 17));
        assert_eq!(detached.as_slice(), [(2, 12), (9, 19)]);
        assert_eq!(copy.as_slice().len(), 3);
        detached.clone_from(&Detached::NONE);
        assert!(detached.as_slice().is_empty());
    }
}
