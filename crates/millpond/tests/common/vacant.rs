//! The vacant slots of a pool in the order in which they are handed out: a list, searched from one end to the other.

use millpond::reuse::{Fifo, LowestFirst, ReuseOrder, Roster};

/// See the module.
#[derive(Clone)]
pub(crate) struct Vacant {
    order: &'static str,
    /// The next one first.
    slots: Vec<usize>,
}

impl Vacant {
    /// All slots of a new pool, in the order of this [name](ReuseOrder::NAME).
    pub(crate) fn new(order: &'static str, slots: usize) -> Self {
        Self { order, slots: (0..slots).collect() }
    }

    /// The slot that comes next.
    pub(crate) fn next(&self) -> Option<usize> {
        self.slots.first().copied()
    }

    /// The lowest vacant slot, from this one on.
    pub(crate) fn first_from(&self, slot: usize) -> Option<usize> {
        self.slots.iter().copied().filter(|vacant| *vacant >= slot).min()
    }

    /// The slot that comes next is live now.
    pub(crate) fn take(&mut self) -> Option<usize> {
        let slot = self.next()?;
        self.slots.remove(self.place_of(slot));
        Some(slot)
    }

    /// A vacant slot that was claimed by its handle is live now. In a roster, the next one takes its place.
    pub(crate) fn claim(&mut self, slot: usize) {
        let place = self.place_of(slot);
        if self.order == Roster::NAME {
            self.slots.swap(0, place);
            self.slots.remove(0);
        } else {
            self.slots.remove(place);
        }
    }

    pub(crate) fn give_back(&mut self, slot: usize) {
        let place = if self.order == Fifo::NAME {
            self.slots.len()
        } else if self.order == LowestFirst::NAME {
            self.slots.partition_point(|other| *other < slot)
        } else {
            0
        };
        self.slots.insert(place, slot);
    }

    /// There are more slots, of which these are vacant: they come after all others, or according to their indices.
    pub(crate) fn grow(&mut self, slots: impl Iterator<Item = usize>) {
        self.slots.extend(slots);
    }

    /// The slots from this one on, none of them live, are no more.
    pub(crate) fn shrink(&mut self, to: usize) {
        self.slots.retain(|slot| *slot < to);
    }

    /// The pool was cleared: these slots are vacant, from the lowest on.
    pub(crate) fn reset(&mut self, slots: impl Iterator<Item = usize>) {
        self.slots = slots.collect();
    }

    fn place_of(&self, slot: usize) -> usize {
        self.slots.iter().position(|vacant| *vacant == slot).expect("a vacant slot")
    }
}
