//! A permutation of a pool's slots in three parts: the live, the retired and the vacant ones.
//!
//! ```text
//! position   0         live        live + retired    slots
//!            │ live …  │ retired … │ next, vacant … │
//! ```
//!
//! An insertion takes the first vacant slot, and a removed slot becomes the first vacant one, so the slot freed last is
//! reused first. A removed slot skips the retired slots by swapping with one of them. So insertions and removals are
//! O(1), and without retired slots they do not move any other vacant slot.
//!
//! A slot that is about to become live out of turn changes places with the one that comes next, and that with the first
//! retired one.

use core::iter;
use core::ops::Range;

use super::Counters;
use crate::handle::Word;

/// Where the parts of a partition begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parting {
    pub(crate) live: usize,
    retired: usize,
}

impl Parting {
    #[inline(always)]
    pub(crate) fn of(counters: Counters) -> Self {
        Self::with_live(counters.live(), counters)
    }

    /// Where the parts begin in a partition with this many live slots.
    #[inline(always)]
    pub(crate) fn with_live(live: usize, counters: Counters) -> Self {
        debug_assert_eq!(live, counters.live());
        Self { live, retired: counters.retired() }
    }

    /// Whether there are retired slots to skip.
    #[inline(always)]
    pub(crate) fn has_retired(self) -> bool {
        self.retired > 0
    }

    /// The position of the slot that comes next, unless it is beyond the last.
    #[inline(always)]
    pub(crate) fn next(self) -> usize {
        self.live + self.retired
    }

    /// The position where a slot that had retired belongs, by the parts without it: it is the next vacant one now, or about to
    /// become live. The retired slots have lost their last position or their first one.
    pub(crate) fn unretired(self, is_vacant: bool) -> usize {
        if is_vacant { self.next() } else { self.live }
    }

    /// The position of the slot at this place if the vacant slots are listed before the retired
    /// ones, as in the saved form.
    #[inline]
    pub(crate) fn listed(self, place: usize, slots: usize) -> usize {
        let vacant_until = slots - self.retired;
        if place < self.live {
            place
        } else if place < vacant_until {
            place + self.retired
        } else {
            self.live + place - vacant_until
        }
    }

    /// The slots as the saved form lists them: the live, the vacant and the retired ones. Those from `used` on, which were
    /// never used and stand at their own positions, are one range.
    pub(crate) fn order(
        self,
        used: usize,
        slots: usize,
        slot_at: impl Fn(usize) -> usize + Copy,
    ) -> impl Iterator<Item = Range<usize>> {
        let slot = move |position| slot_at(position)..slot_at(position) + 1;
        let in_use = (0..self.live).chain(self.next()..used).map(slot);
        in_use.chain(iter::once(used..slots)).chain((self.live..self.next()).map(slot))
    }

    /// Whether a slot of this word belongs to the part that the position lies in.
    pub(crate) fn suits<W: Word>(self, position: usize, word: W) -> bool {
        if position < self.live {
            !word.is_dead()
        } else if position < self.next() {
            word == W::RETIRED
        } else {
            word.is_vacant()
        }
    }
}

/// Gives the slots of a pool their positions, those of each part in the order of their indices.
pub(crate) struct Sorting {
    pub(super) live: usize,
    pub(super) retired: usize,
    pub(super) vacant: usize,
}

impl Sorting {
    #[inline]
    pub(crate) fn new(parting: Parting) -> Self {
        Self { live: 0, retired: parting.live, vacant: parting.next() }
    }

    /// The position of the slot after the one before.
    #[inline]
    pub(crate) fn position<W: Word>(&mut self, word: W) -> usize {
        if word.is_vacant() {
            self.vacant += 1;
            self.vacant - 1
        } else if word.is_dead() {
            self.retired += 1;
            self.retired - 1
        } else {
            self.live += 1;
            self.live - 1
        }
    }
}
