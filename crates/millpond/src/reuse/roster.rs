use alloc::boxed::Box;
use core::iter;
use core::ops::Range;

use super::{Queue, ReuseOrder, Slots, sealed};
use crate::handle::IndexWord;
use crate::memory::{self, OutOfMemory};
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// Swap-delete: a permutation of all slots, split by a partition into live and vacant ones.
///
/// Design 1 of [`classic`](crate::classic). The slot freed last is handed out next, and the part
/// below the partition is a dense list of the live slots.
///
/// **Cost**: 8 bytes per slot, the roster and the reverse table (4 with handles of at most 16 index
/// bits). Take, give back and claiming a named slot are O(1), always. A claim swaps the claimed slot
/// with the next one in the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roster;

impl sealed::Sealed for Roster {}

impl ReuseOrder for Roster {
    const NAME: &'static str = "Roster";
    type Queue<I: IndexWord> = RosterQueue<I>;
}

/// ```text
/// position   0          partition        retired_from     slots
/// roster     │ live …   │ next, vacant … │ retired …      │
/// ```
///
/// `reverse[roster[p]] == p` for every position `p`.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct RosterQueue<I> {
    roster: Box<[I]>,
    reverse: Box<[I]>,
    partition: usize,
    retired_from: usize,
}

impl<I: IndexWord> RosterQueue<I> {
    /// The live slots, then the vacant ones, then the retired ones.
    pub(crate) fn roster(&self) -> &[I] {
        &self.roster
    }

    pub(crate) fn partition(&self) -> usize {
        self.partition
    }

    /// Turns the order of a pool in which nothing is live: the highest slot first.
    pub(crate) fn highest_first(&mut self) {
        debug_assert_eq!(self.partition, 0);
        self.roster.reverse();
        for (position, slot) in self.roster.iter().enumerate() {
            self.reverse[slot.to_index()] = I::from_index(position);
        }
    }

    #[inline]
    fn position_of(&self, index: usize) -> usize {
        self.reverse[index].to_index()
    }

    #[inline]
    fn swap(&mut self, a: usize, b: usize) {
        let (slot_a, slot_b) = (self.roster[a], self.roster[b]);
        self.roster[a] = slot_b;
        self.roster[b] = slot_a;
        self.reverse[slot_b.to_index()] = I::from_index(a);
        self.reverse[slot_a.to_index()] = I::from_index(b);
    }
}

impl<I: IndexWord> Queue<I> for RosterQueue<I> {
    fn try_new<S: Slots>(slots: &mut S) -> Result<Self, OutOfMemory> {
        let count = slots.words().slots();
        let roster = memory::from_fn(count, I::from_index)?;
        let reverse = memory::from_fn(count, I::from_index)?;
        Ok(Self { roster, reverse, partition: 0, retired_from: count })
    }

    #[inline]
    fn next<S: Slots>(&mut self, _slots: &S) -> Option<usize> {
        self.roster[..self.retired_from].get(self.partition).map(|slot| slot.to_index())
    }

    #[inline]
    fn take<S: Slots>(&mut self, _index: usize, _slots: &mut S) {
        self.partition += 1;
    }

    #[inline]
    fn claim<S: Slots>(&mut self, index: usize, _slots: &mut S) {
        self.swap(self.position_of(index), self.partition);
        self.partition += 1;
    }

    #[inline]
    fn give_back<S: Slots>(&mut self, index: usize, _slots: &mut S) {
        self.swap(self.position_of(index), self.partition - 1);
        self.partition -= 1;
    }

    fn retire(&mut self, index: usize) {
        self.swap(self.position_of(index), self.partition - 1);
        self.partition -= 1;
        self.retired_from -= 1;
        self.swap(self.partition, self.retired_from);
    }

    fn reset<S: Slots>(&mut self, slots: &mut S) {
        let words = slots.words();
        let (mut live, mut vacant, mut retired) = (0, 0, words.slots());
        let live_count = (0..words.slots()).filter(|&i| words.of_live(i).is_some()).count();
        for index in 0..words.slots() {
            let position = if words.of_live(index).is_some() {
                live += 1;
                live - 1
            } else if words.is_vacant(index) {
                vacant += 1;
                live_count + vacant - 1
            } else {
                retired -= 1;
                retired
            };
            self.roster[position] = I::from_index(index);
            self.reverse[index] = I::from_index(position);
        }
        self.partition = live_count;
        self.retired_from = retired;
    }

    fn take_over(&mut self, other: &Self, used: usize) {
        self.roster[..used].copy_from_slice(&other.roster[..used]);
        self.reverse[..used].copy_from_slice(&other.reverse[..used]);
        self.partition = other.partition;
        self.retired_from = other.retired_from;
    }

    /// All slots, the live and the retired ones too.
    fn order<'a, S: Slots>(
        &'a self,
        _slots: &'a S,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let slots = self.roster[..used].iter().map(|slot| slot.to_index());
        slots.map(|index| index..index + 1).chain(iter::once(used..self.roster.len()))
    }

    #[cfg(feature = "serde")]
    const ORDER_OF: crate::snapshot::format::OrderOf = crate::snapshot::format::OrderOf::All;

    #[cfg(feature = "serde")]
    fn load<S: Slots>(&mut self, order: &[u32], slots: &mut S) {
        for (position, slot) in order.iter().enumerate() {
            let slot = I::from_index(*slot as usize);
            self.roster[position] = slot;
            self.reverse[slot.to_index()] = I::from_index(position);
        }
        self.partition = slots.words().live();
        self.retired_from = slots.words().slots() - slots.words().retired();
    }

    #[cfg(feature = "validate")]
    fn validate<S: Slots>(&self, slots: &S) -> Result<(), Violation> {
        let words = slots.words();
        ensure(
            self.roster.len() == words.slots()
                && self.reverse.len() == words.slots()
                && self.partition <= self.retired_from
                && self.retired_from <= words.slots(),
            "the roster's parts follow each other",
            format_args!("{} and {} of {}", self.partition, self.retired_from, words.slots()),
        )?;
        for (position, slot) in self.roster.iter().enumerate() {
            let index = slot.to_index();
            ensure(
                self.reverse.get(index).map(|position| position.to_index()) == Some(position),
                "the reverse table is the roster's inverse",
                format_args!("slot {index} at position {position}"),
            )?;
            let as_in_its_part = if position < self.partition {
                words.of_live(index).is_some()
            } else if position < self.retired_from {
                words.is_vacant(index)
            } else {
                words.of_live(index).is_none() && !words.is_vacant(index)
            };
            ensure(
                as_in_its_part,
                "the roster's parts are the live, the vacant and the retired slots",
                format_args!("slot {index} at position {position}"),
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HandleAllocator;
    use alloc::vec::Vec;

    /// A copy of a sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut RosterQueue<u32>)) -> &'static str {
        let mut slots: HandleAllocator<Roster> = HandleAllocator::with_capacity(5);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        slots.validate().unwrap();
        change(slots.core_mut().queue_mut());
        slots.validate().unwrap_err().rule()
    }

    #[test]
    fn validation_finds_what_is_broken() {
        assert_eq!(
            broken(|queue| queue.roster.swap(0, 1)),
            "the reverse table is the roster's inverse"
        );
        assert_eq!(
            broken(|queue| queue.roster[4] = 9),
            "the reverse table is the roster's inverse"
        );
        assert_eq!(
            broken(|queue| queue.partition -= 1),
            "the roster's parts are the live, the vacant and the retired slots"
        );
        assert_eq!(
            broken(|queue| queue.partition += 1),
            "the roster's parts are the live, the vacant and the retired slots"
        );
        assert_eq!(
            broken(|queue| queue.retired_from -= 1),
            "the roster's parts are the live, the vacant and the retired slots"
        );
        let follow = "the roster's parts follow each other";
        assert_eq!(broken(|queue| queue.retired_from += 1), follow);
        assert_eq!(broken(|queue| queue.roster = queue.roster[..4].into()), follow);
        assert_eq!(broken(|queue| queue.reverse = queue.reverse[..4].into()), follow);
        assert_eq!(broken(|queue| queue.retired_from = queue.partition - 1), follow);
        assert_eq!(
            broken(|queue| queue.swap(0, 4)),
            "the roster's parts are the live, the vacant and the retired slots"
        );
    }
}
