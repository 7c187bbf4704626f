//! The slot freed first comes next: a doubly linked list of the vacant slots. Every operation is O(1), also in the middle.
//!
//! Invariant: the list has each vacant slot once, and no other ([`Queue`]).

use core::iter;
use core::ops::Range;

use super::{Queue, ReuseOrder, sealed};
use crate::base::OrderEntry;
use crate::handle::Word;
use crate::reports::validate::{Violation, ensure};
use crate::slots::{Place, SlotWords};

/// Reuses the slot freed first, so that each slot rests as long as possible.
///
/// So stale references are caught even long after the removal, and generations are used up evenly:
/// a pool with `d` dead slots reuses a slot only after `d` others.
///
/// Of a pool that grows, slots that were freed by `shrink_to_fit` come back behind all others, in the order of their
/// indices: which of them rested longest is forgotten.
///
/// **Cost**: 8 bytes per slot (a doubly linked list in an array). Take, give back and claim are
/// always O(1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fifo;

impl sealed::Sealed for Fifo {}

impl ReuseOrder for Fifo {
    const NAME: &'static str = "Fifo";
    type Queue<I: Word> = FifoQueue;
}

/// The two ends of the list, whose links are in the array of entries.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct FifoQueue {
    first: u32,
    last: u32,
}

/// The neighbours of a vacant slot in a list.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Link {
    pub(crate) next: u32,
    pub(crate) previous: u32,
}

impl Link {
    /// "No slot": no layout names an index of `u32::MAX`.
    pub(crate) const NO_SLOT: u32 = u32::MAX;
    pub(crate) const NONE: Self = Self { next: Self::NO_SLOT, previous: Self::NO_SLOT };
}

impl OrderEntry for Link {
    const EMPTY: Self = Self::NONE;
    const EMPTY_IS_ZERO: bool = false;
}

#[inline]
fn link(slots: &mut SlotWords<impl Place<Entry = Link>>, slot: u32) -> &mut Link {
    &mut slots.entries_mut()[slot as usize]
}

// SAFETY: as the invariant says.
unsafe impl<I: Word> Queue<I> for FifoQueue {
    type Entry = Link;
    const EMPTY: Self = Self { first: Link::NO_SLOT, last: Link::NO_SLOT };
    const GOES_ROUND: bool = true;

    fn entry_count(slots: usize) -> usize {
        slots
    }

    #[inline]
    fn next<P: Place<Entry = Link>>(&mut self, _slots: &SlotWords<P>) -> Option<usize> {
        (self.first != Link::NO_SLOT).then_some(self.first as usize)
    }

    /// Out of the list.
    #[inline]
    fn take_at<P: Place<Entry = Link>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        let Link { next, previous } = *link(slots, index as u32);
        match previous {
            Link::NO_SLOT => self.first = next,
            previous => link(slots, previous).next = next,
        }
        match next {
            Link::NO_SLOT => self.last = previous,
            next => link(slots, next).previous = previous,
        }
    }

    /// Behind all others.
    #[inline]
    fn give_back<P: Place<Entry = Link>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        let slot = index as u32;
        *link(slots, slot) = Link { next: Link::NO_SLOT, previous: self.last };
        match self.last {
            Link::NO_SLOT => self.first = slot,
            last => link(slots, last).next = slot,
        }
        self.last = slot;
    }

    fn grow<P: Place<Entry = Link>>(&mut self, from: usize, slots: &mut SlotWords<P>) {
        for index in from..slots.slots() {
            if slots.is_vacant(index) {
                Queue::<I>::give_back(self, index, slots);
            }
        }
    }

    fn shrink<P: Place<Entry = Link>>(&mut self, to: usize, slots: &mut SlotWords<P>) {
        for index in to..slots.slots() {
            if slots.is_vacant(index) {
                Queue::<I>::take_at(self, index, slots);
            }
        }
    }

    fn copy_entries_from<P: Place<Entry = Link>>(
        &self,
        others: &[Link],
        used: usize,
        slots: &mut SlotWords<P>,
    ) {
        // Slots from `used` on were never in another place, so that only the outermost of their links can have changed.
        let count = slots.slots();
        let (until, links) = ((used + 1).min(count), slots.entries_mut());
        links[..until].copy_from_slice(&others[..until]);
        if let Some(last) = count.checked_sub(1) {
            links[last] = others[last];
        }
    }

    fn order<'a, P: Place<Entry = Link>>(
        &'a self,
        slots: &'a SlotWords<P>,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut next = self.first;
        iter::from_fn(move || {
            let first = (next != Link::NO_SLOT).then_some(next as usize)?;
            let end = if first < used { first + 1 } else { slots.slots() };
            next = slots.entries()[end - 1].next;
            Some(first..end)
        })
    }

    fn load<P: Place<Entry = Link>>(&mut self, order: &[u32], slots: &mut SlotWords<P>) {
        *self = <Self as Queue<I>>::EMPTY;
        for slot in order {
            Queue::<I>::give_back(self, *slot as usize, slots);
        }
    }

    /// The links lead from the first slot to the last through each vacant slot once, and back.
    fn validate<P: Place<Entry = Link>>(&self, slots: &SlotWords<P>) -> Result<(), Violation> {
        let words = slots;
        let vacant = (0..words.slots()).filter(|&index| words.is_vacant(index)).count();
        let (mut at, mut previous) = (self.first, Link::NO_SLOT);
        for _ in 0..vacant {
            let index = at as usize;
            ensure(
                words.is_vacant(index),
                "the list has each vacant slot and no other",
                format_args!("slot {at} comes after slot {previous}"),
            )?;
            let link = words.entries()[index];
            ensure(
                link.previous == previous,
                "the list leads back the way that it came",
                format_args!("slot {at} comes after {previous}, {link:?}"),
            )?;
            (at, previous) = (link.next, at);
        }
        ensure(
            at == Link::NO_SLOT && self.last == previous,
            "the list ends after the last vacant slot",
            format_args!("{at} comes after {previous}, and {} is the last", self.last),
        )
    }

    fn validate_unused<P: Place<Entry = Link>>(
        &self,
        used: usize,
        slots: &SlotWords<P>,
    ) -> Result<(), Violation> {
        let end = slots.slots().saturating_sub(1);
        let neighbours = |slot: u32| Link { next: slot + 1, previous: slot - 1 };
        let moved = (used + 1..end).find(|&slot| slots.entries()[slot] != neighbours(slot as u32));
        ensure(
            moved.is_none(),
            "slots that were never used follow each other in the list",
            format_args!("slot {moved:?}, though only {used} were used"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pools::allocator::HandleAllocator;
    use crate::slots::reuse::tests::{WRONG, taken_from_broken};
    use alloc::vec::Vec;

    /// A copy of a sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut FifoQueue, &mut [Link])) -> &'static str {
        let mut slots: HandleAllocator<Fifo> = HandleAllocator::with_capacity(5);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        slots.validate().unwrap();
        let (queue, entries) = slots.order_mut();
        change(queue, entries);
        slots.validate().unwrap_err().rule()
    }

    /// Slots 3 to 6 were never used.
    #[test]
    fn validation_finds_an_unused_slot_that_was_moved() {
        let mut slots: HandleAllocator<Fifo> = HandleAllocator::with_capacity(7);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        let (_, links) = slots.order_mut();
        // 3 5 4 6 1
        (links[3].next, links[5]) = (5, Link { next: 4, previous: 3 });
        (links[4], links[6].previous) = (Link { next: 6, previous: 5 }, 4);
        let rule = "slots that were never used follow each other in the list";
        assert_eq!(slots.validate().unwrap_err().rule(), rule);
    }

    #[test]
    fn validation_finds_what_is_broken() {
        assert_eq!(
            broken(|_, links| links[3].previous = 4),
            "the list leads back the way that it came"
        );
        assert_eq!(
            broken(|_, links| links[3].next = 0),
            "the list has each vacant slot and no other"
        );
        assert_eq!(
            broken(|_, links| links[3].next = 99),
            "the list has each vacant slot and no other"
        );
        assert_eq!(
            broken(|_, links| links[1].next = 3),
            "the list ends after the last vacant slot"
        );
        assert_eq!(
            broken(|queue, _| *queue = <FifoQueue as Queue<u32>>::EMPTY),
            "the list has each vacant slot and no other"
        );
    }

    #[test]
    fn a_list_that_names_a_live_slot_panics() {
        let taken = taken_from_broken::<Fifo>(|slots| slots.order_mut().0.first = 3);
        assert!(taken.unwrap_err().contains(WRONG));
        let taken = taken_from_broken::<Fifo>(|slots| slots.order_mut().1[4].next = 2);
        assert!(taken.unwrap_err().contains(WRONG));
        let taken = taken_from_broken::<Fifo>(|slots| slots.order_mut().0.first = 99);
        assert!(taken.is_err(), "there is no such slot");
    }
}
