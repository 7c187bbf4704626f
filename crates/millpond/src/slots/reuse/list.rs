//! A doubly linked list of the vacant slots. Every operation is O(1), also in the middle.
//!
//! Invariant: the list has each vacant slot once, and no other ([`Queue`]).

use core::iter;
use core::marker::PhantomData;
use core::ops::Range;

use super::Queue;
use crate::base::entry::Entry;
use crate::handle::IndexWord;
use crate::reports::validate::{Violation, ensure};
use crate::slots::Link;
use crate::slots::{Place, SlotWords};

/// A link in an array, for slots that have no room for it.
#[doc(hidden)]
pub trait LinkEntry: Entry {
    fn new(link: Link) -> Self;
    fn link(self) -> Link;
}

impl LinkEntry for Link {
    #[inline]
    fn new(link: Link) -> Self {
        link
    }

    #[inline]
    fn link(self) -> Link {
        self
    }
}

/// The two ends of a list of the vacant slots, whose links are in the slots or in an array of `E`. `LAST_FIRST`: the slot
/// freed last comes first, and otherwise last.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct ListQueue<E, const LAST_FIRST: bool> {
    first: u32,
    last: u32,
    entries: PhantomData<E>,
}

#[inline]
fn link<E: LinkEntry, P: Place<Entry = E>>(slots: &SlotWords<P>, index: usize) -> Link {
    slots.link(index).unwrap_or_else(|| slots.entries()[index].link())
}

#[inline]
fn set_link<E: LinkEntry, P: Place<Entry = E>>(slots: &mut SlotWords<P>, index: usize, link: Link) {
    if !slots.set_link(index, link) {
        slots.entries_mut()[index] = E::new(link);
    }
}

#[inline]
fn set_next<E: LinkEntry>(slots: &mut SlotWords<impl Place<Entry = E>>, slot: u32, next: u32) {
    let link = link(slots, slot as usize);
    set_link(slots, slot as usize, Link { next, ..link });
}

#[inline]
fn set_previous<E: LinkEntry>(
    slots: &mut SlotWords<impl Place<Entry = E>>,
    slot: u32,
    previous: u32,
) {
    let link = link(slots, slot as usize);
    set_link(slots, slot as usize, Link { previous, ..link });
}

impl<E: LinkEntry, const LAST_FIRST: bool> ListQueue<E, LAST_FIRST> {
    pub(super) const NONE: Self =
        Self { first: Link::NO_SLOT, last: Link::NO_SLOT, entries: PhantomData };

    #[inline]
    fn push_first(&mut self, index: usize, slots: &mut SlotWords<impl Place<Entry = E>>) {
        let slot = index as u32;
        set_link(slots, index, Link { next: self.first, previous: Link::NO_SLOT });
        match self.first {
            Link::NO_SLOT => self.last = slot,
            first => set_previous(slots, first, slot),
        }
        self.first = slot;
    }

    #[inline]
    fn push_last(&mut self, index: usize, slots: &mut SlotWords<impl Place<Entry = E>>) {
        let slot = index as u32;
        set_link(slots, index, Link { next: Link::NO_SLOT, previous: self.last });
        match self.last {
            Link::NO_SLOT => self.first = slot,
            last => set_next(slots, last, slot),
        }
        self.last = slot;
    }

    /// Removes a slot that is in the list.
    #[inline]
    fn remove(&mut self, index: usize, slots: &mut SlotWords<impl Place<Entry = E>>) {
        let Link { next, previous } = link(slots, index);
        match previous {
            Link::NO_SLOT => self.first = next,
            previous => set_next(slots, previous, next),
        }
        match next {
            Link::NO_SLOT => self.last = previous,
            next => set_previous(slots, next, previous),
        }
    }
}

// SAFETY: as the invariant says.
unsafe impl<I: IndexWord, E: LinkEntry, const LAST_FIRST: bool> Queue<I>
    for ListQueue<E, LAST_FIRST>
{
    type Entry = E;
    const EMPTY: Self = Self::NONE;
    const GOES_ROUND: bool = !LAST_FIRST;

    fn entry_count(slots: usize, holds_links: bool) -> usize {
        if E::LINKS_IN_SLOTS && holds_links { 0 } else { slots }
    }

    #[inline]
    fn next<P: Place<Entry = E>>(&mut self, _slots: &SlotWords<P>) -> Option<usize> {
        (self.first != Link::NO_SLOT).then_some(self.first as usize)
    }

    #[inline]
    fn take<P: Place<Entry = E>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        self.remove(index, slots);
    }

    #[inline]
    fn take_at<P: Place<Entry = E>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        self.remove(index, slots);
    }

    #[inline]
    fn give_back<P: Place<Entry = E>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        match LAST_FIRST {
            true => self.push_first(index, slots),
            false => self.push_last(index, slots),
        }
    }

    fn grow<P: Place<Entry = E>>(&mut self, from: usize, slots: &mut SlotWords<P>) {
        for index in from..slots.slots() {
            if slots.is_vacant(index) {
                self.push_last(index, slots);
            }
        }
    }

    fn shrink<P: Place<Entry = E>>(&mut self, to: usize, slots: &mut SlotWords<P>) {
        for index in to..slots.slots() {
            if slots.is_vacant(index) {
                self.remove(index, slots);
            }
        }
    }

    fn copy_state_from<P: Place<Entry = E>>(
        &mut self,
        other: &Self,
        others: &[E],
        used: usize,
        slots: &mut SlotWords<P>,
    ) {
        *self = other.clone();
        if slots.holds_links() {
            // They come with the slots.
            return;
        }
        // Slots from `used` on were never in another place, so that only the outermost of their links can have changed.
        let count = slots.slots();
        let (until, links) = ((used + 1).min(count), slots.entries_mut());
        links[..until].copy_from_slice(&others[..until]);
        if let Some(last) = count.checked_sub(1) {
            links[last] = others[last];
        }
    }

    fn order<'a, P: Place<Entry = E>>(
        &'a self,
        slots: &'a SlotWords<P>,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut next = self.first;
        iter::from_fn(move || {
            let first = (next != Link::NO_SLOT).then_some(next as usize)?;
            let end = if first < used { first + 1 } else { slots.slots() };
            next = link(slots, end - 1).next;
            Some(first..end)
        })
    }

    fn load<P: Place<Entry = E>>(&mut self, order: &[u32], slots: &mut SlotWords<P>) {
        *self = Self::NONE;
        for slot in order {
            self.push_last(*slot as usize, slots);
        }
    }

    /// The links lead from the first slot to the last through each vacant slot once, and back.
    fn validate<P: Place<Entry = E>>(&self, slots: &SlotWords<P>) -> Result<(), Violation> {
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
            let link = link(slots, index);
            ensure(
                link.previous == previous,
                "the list leads back the way that it came",
                format_args!(
                    "slot {at} comes after {previous} and leads back to {}",
                    link.previous
                ),
            )?;
            (at, previous) = (link.next, at);
        }
        ensure(
            at == Link::NO_SLOT && self.last == previous,
            "the list ends after the last vacant slot",
            format_args!("{at} comes after {previous}, and {} is the last", self.last),
        )
    }

    fn validate_unused<P: Place<Entry = E>>(
        &self,
        used: usize,
        slots: &SlotWords<P>,
    ) -> Result<(), Violation> {
        let end = slots.slots().saturating_sub(1);
        let neighbours = |slot: u32| Link { next: slot + 1, previous: slot - 1 };
        let moved = (used + 1..end).find(|&slot| link(slots, slot) != neighbours(slot as u32));
        ensure(
            moved.is_none(),
            "slots that were never used follow each other in the list",
            format_args!("slot {moved:?}, though only {used} were used"),
        )
    }
}
