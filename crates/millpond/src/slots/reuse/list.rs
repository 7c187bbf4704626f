//! A doubly linked list of slots, generic over where the links are. Every operation is O(1), also
//! in the middle.

use core::iter;
use core::ops::Range;

use super::Link;
#[cfg(feature = "validate")]
use crate::reports::validate::{Violation, ensure};
#[cfg(feature = "validate")]
use crate::slots::{Place, SlotWords};

/// Where the links of a list's slots are.
pub(super) trait Links {
    fn link(&self, index: usize) -> Link;
    fn set_link(&mut self, index: usize, link: Link);
}

impl Links for [Link] {
    #[inline]
    fn link(&self, index: usize) -> Link {
        self[index]
    }

    #[inline]
    fn set_link(&mut self, index: usize, link: Link) {
        self[index] = link;
    }
}

/// The two ends of a list.
#[derive(Clone, Debug)]
pub(super) struct List {
    first: u32,
    last: u32,
}

impl List {
    pub(super) const EMPTY: Self = Self { first: Link::NO_SLOT, last: Link::NO_SLOT };

    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        (self.first != Link::NO_SLOT).then_some(self.first as usize)
    }

    #[inline]
    pub(super) fn push_first<L: Links + ?Sized>(&mut self, index: usize, links: &mut L) {
        let slot = index as u32;
        links.set_link(index, Link { next: self.first, previous: Link::NO_SLOT });
        match self.first {
            Link::NO_SLOT => self.last = slot,
            first => set_previous(links, first, slot),
        }
        self.first = slot;
    }

    #[inline]
    pub(super) fn push_last<L: Links + ?Sized>(&mut self, index: usize, links: &mut L) {
        let slot = index as u32;
        links.set_link(index, Link { next: Link::NO_SLOT, previous: self.last });
        match self.last {
            Link::NO_SLOT => self.first = slot,
            last => set_next(links, last, slot),
        }
        self.last = slot;
    }

    /// Removes a slot that is in the list.
    #[inline]
    pub(super) fn remove<L: Links + ?Sized>(&mut self, index: usize, links: &mut L) {
        let Link { next, previous } = links.link(index);
        match previous {
            Link::NO_SLOT => self.first = next,
            previous => set_next(links, previous, next),
        }
        match next {
            Link::NO_SLOT => self.last = previous,
            next => set_previous(links, next, previous),
        }
    }
}

impl List {
    /// The slots from the first to the last, those from `used` on, which follow each other, as one range.
    pub(super) fn order(
        &self,
        slots: usize,
        used: usize,
        link: impl Fn(usize) -> Link,
    ) -> impl Iterator<Item = Range<usize>> {
        let mut next = self.first;
        iter::from_fn(move || {
            let first = (next != Link::NO_SLOT).then_some(next as usize)?;
            let end = if first < used { first + 1 } else { slots };
            next = link(end - 1).next;
            Some(first..end)
        })
    }
}

/// Copies the links of another list. Slots from `used` on were never in another place, so that only the
/// outermost of their links can have changed. The links are those of this number of slots, and maybe more.
pub(super) fn copy_links<E: Copy>(links: &mut [E], others: &[E], used: usize, slots: usize) {
    let until = (used + 1).min(slots);
    links[..until].copy_from_slice(&others[..until]);
    if let Some(last) = slots.checked_sub(1) {
        links[last] = others[last];
    }
}

#[cfg(feature = "validate")]
impl List {
    /// The links lead from the first slot to the last through each vacant slot once, and back.
    pub(super) fn validate(
        &self,
        words: &SlotWords<impl Place>,
        link: impl Fn(usize) -> Link,
    ) -> Result<(), Violation> {
        let vacant = (0..words.slots()).filter(|&index| words.is_vacant(index)).count();
        let (mut at, mut previous) = (self.first, Link::NO_SLOT);
        for _ in 0..vacant {
            let index = at as usize;
            ensure(
                words.is_vacant(index),
                "the list has each vacant slot and no other",
                format_args!("slot {at} comes after slot {previous}"),
            )?;
            let link = link(index);
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
}

#[inline]
fn set_next<L: Links + ?Sized>(links: &mut L, slot: u32, next: u32) {
    let link = links.link(slot as usize);
    links.set_link(slot as usize, Link { next, ..link });
}

#[inline]
fn set_previous<L: Links + ?Sized>(links: &mut L, slot: u32, previous: u32) {
    let link = links.link(slot as usize);
    links.set_link(slot as usize, Link { previous, ..link });
}
