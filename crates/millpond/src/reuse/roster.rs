use core::iter;
use core::ops::Range;

use super::{Queue, ReuseOrder, Slots, sealed};
use crate::handle::IndexWord;
use crate::slots::{Place, SlotWords};
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
    type Queue<I: IndexWord> = RosterQueue;
}

/// ```text
/// position   0          partition        retired_from     slots
/// roster     │ live …   │ next, vacant … │ retired …      │
/// ```
///
/// The entries are the roster, and behind it the reverse table: `reverse[roster[p]] == p` for every position `p`.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct RosterQueue {
    partition: usize,
    retired_from: usize,
}

/// The live slots, then the vacant ones, then the retired ones.
#[inline]
pub(crate) fn roster<I: IndexWord>(words: &SlotWords<impl Place<Entry = I>>) -> &[I] {
    &words.entries()[..words.slots()]
}

/// Both tables of a roster.
struct Tables<'a, I> {
    roster: &'a mut [I],
    reverse: &'a mut [I],
}

impl<'a, I: IndexWord> Tables<'a, I> {
    #[inline]
    fn of<S: Slots<Entry = I>>(slots: &'a mut S) -> Self {
        let entries = slots.entries_mut();
        let (roster, reverse) = entries.split_at_mut(entries.len() / 2);
        Self { roster, reverse }
    }

    #[inline]
    fn place(&mut self, position: usize, slot: I) {
        self.roster[position] = slot;
        self.reverse[slot.to_index()] = I::from_index(position);
    }

    #[inline]
    fn position_of(&self, index: usize) -> usize {
        self.reverse[index].to_index()
    }

    #[inline]
    fn swap(&mut self, a: usize, b: usize) {
        let (slot_a, slot_b) = (self.roster[a], self.roster[b]);
        self.place(a, slot_b);
        self.place(b, slot_a);
    }
}

impl RosterQueue {
    pub(crate) fn partition(&self) -> usize {
        self.partition
    }

    /// Turns the order of a pool in which nothing is live: the highest slot first.
    pub(crate) fn highest_first<I: IndexWord, S: Slots<Entry = I>>(&mut self, slots: &mut S) {
        debug_assert_eq!(self.partition, 0);
        let mut tables = Tables::of(slots);
        let count = tables.roster.len();
        for position in 0..count {
            tables.place(position, I::from_index(count - 1 - position));
        }
    }
}

impl<I: IndexWord> Queue<I> for RosterQueue {
    type Entry = I;
    const EMPTY: Self = Self { partition: 0, retired_from: 0 };

    fn entry_count(slots: usize, _holds_links: bool) -> usize {
        2 * slots
    }

    fn reset<S: Slots<Entry = I>>(&mut self, slots: &mut S) {
        let live_count = slots.words().live();
        let (mut live, mut vacant, mut retired) = (0, 0, slots.words().slots());
        for index in 0..slots.words().slots() {
            let words = slots.words();
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
            Tables::of(slots).place(position, I::from_index(index));
        }
        self.partition = live_count;
        self.retired_from = retired;
    }

    #[inline]
    fn next<S: Slots<Entry = I>>(&mut self, slots: &S) -> Option<usize> {
        let roster = slots.words().entries();
        roster[..self.retired_from].get(self.partition).map(|slot| slot.to_index())
    }

    #[inline]
    fn take<S: Slots<Entry = I>>(&mut self, _index: usize, _slots: &mut S) {
        self.partition += 1;
    }

    #[inline]
    fn claim<S: Slots<Entry = I>>(&mut self, index: usize, slots: &mut S) {
        let mut tables = Tables::of(slots);
        tables.swap(tables.position_of(index), self.partition);
        self.partition += 1;
    }

    #[inline]
    fn give_back<S: Slots<Entry = I>>(&mut self, index: usize, slots: &mut S) {
        let mut tables = Tables::of(slots);
        self.partition -= 1;
        tables.swap(tables.position_of(index), self.partition);
    }

    fn retire<S: Slots<Entry = I>>(&mut self, index: usize, slots: &mut S) {
        Queue::<I>::give_back(self, index, slots);
        self.retired_from -= 1;
        Tables::of(slots).swap(self.partition, self.retired_from);
    }

    fn copy_state_from<S: Slots<Entry = I>>(
        &mut self,
        other: &Self,
        others: &[I],
        used: usize,
        slots: &mut S,
    ) {
        let Tables { roster, reverse } = Tables::of(slots);
        roster[..used].copy_from_slice(&others[..used]);
        reverse[..used].copy_from_slice(&others[others.len() / 2..][..used]);
        self.partition = other.partition;
        self.retired_from = other.retired_from;
    }

    fn order<'a, S: Slots<Entry = I>>(
        &'a self,
        slots: &'a S,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let words = slots.words();
        let slots = roster(words)[..used].iter().map(|slot| slot.to_index());
        slots.map(|index| index..index + 1).chain(iter::once(used..words.slots()))
    }

    #[cfg(feature = "serde")]
    const ORDER_OF: crate::snapshot::format::OrderOf = crate::snapshot::format::OrderOf::All;

    #[cfg(feature = "serde")]
    fn load<S: Slots<Entry = I>>(&mut self, order: &[u32], slots: &mut S) {
        for (position, slot) in order.iter().enumerate() {
            Tables::of(slots).place(position, I::from_index(*slot as usize));
        }
        self.partition = slots.words().live();
        self.retired_from = slots.words().slots() - slots.words().retired();
    }

    #[cfg(feature = "validate")]
    fn validate<S: Slots<Entry = I>>(&self, slots: &S) -> Result<(), Violation> {
        let words = slots.words();
        ensure(
            words.entries().len() == 2 * words.slots()
                && self.partition <= self.retired_from
                && self.retired_from <= words.slots(),
            "the roster's parts follow each other",
            format_args!("{} and {} of {}", self.partition, self.retired_from, words.slots()),
        )?;
        let reverse = &words.entries()[words.slots()..];
        for (position, slot) in roster(words).iter().enumerate() {
            let index = slot.to_index();
            ensure(
                reverse.get(index).map(|position| position.to_index()) == Some(position),
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
    fn broken(change: impl FnOnce(&mut RosterQueue, &mut [u32])) -> &'static str {
        let mut slots: HandleAllocator<Roster> = HandleAllocator::with_capacity(5);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        slots.validate().unwrap();
        let (queue, entries) = slots.order_mut();
        change(queue, entries);
        slots.validate().unwrap_err().rule()
    }

    #[test]
    fn validation_finds_what_is_broken() {
        assert_eq!(
            broken(|_, entries| entries.swap(0, 1)),
            "the reverse table is the roster's inverse"
        );
        assert_eq!(
            broken(|_, entries| entries[4] = 9),
            "the reverse table is the roster's inverse"
        );
        assert_eq!(
            broken(|queue, _| queue.partition -= 1),
            "the roster's parts are the live, the vacant and the retired slots"
        );
        assert_eq!(
            broken(|queue, _| queue.partition += 1),
            "the roster's parts are the live, the vacant and the retired slots"
        );
        assert_eq!(
            broken(|queue, _| queue.retired_from -= 1),
            "the roster's parts are the live, the vacant and the retired slots"
        );
        let follow = "the roster's parts follow each other";
        assert_eq!(broken(|queue, _| queue.retired_from += 1), follow);
        assert_eq!(broken(|queue, _| queue.retired_from = queue.partition - 1), follow);
        assert_eq!(
            broken(|_, entries| {
                // Both tables agree still.
                let (roster, reverse) = entries.split_at_mut(5);
                Tables { roster, reverse }.swap(0, 4);
            }),
            "the roster's parts are the live, the vacant and the retired slots"
        );
    }
}
