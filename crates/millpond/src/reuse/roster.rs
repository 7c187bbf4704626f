use core::iter;
use core::marker::PhantomData;
use core::ops::Range;

use super::{Queue, ReuseOrder, Slots, sealed};
use crate::handle::IndexWord;
use crate::slots::{Entry, Place, SlotWords};
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

/// The same for slots that lie in the pool itself: **every bit of a new order is 0**, and so of its entries. Each
/// is kept as its difference (the exclusive or) to its place in its table, as the order of a new pool is that of the
/// indices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InlineRoster;

impl sealed::Sealed for InlineRoster {}

impl ReuseOrder for InlineRoster {
    const NAME: &'static str = Roster::NAME;
    type Queue<I: IndexWord> = RosterQueue<Difference<I>>;
}

/// An index as it is kept in a table.
#[doc(hidden)]
pub trait RosterEntry: Entry {
    /// What stands at this place of the table for the index.
    fn new(index: usize, at: usize) -> Self;
    /// The index for which this stands at a place.
    fn index(self, at: usize) -> usize;
}

impl<I: IndexWord> RosterEntry for I {
    #[inline]
    fn new(index: usize, _at: usize) -> Self {
        I::from_index(index)
    }

    #[inline]
    fn index(self, _at: usize) -> usize {
        self.to_index()
    }
}

/// The bits in which an index and its place in a table differ.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Difference<I>(I);

impl<I: IndexWord> Entry for Difference<I> {
    const EMPTY: Self = Self(I::ZERO);
}

impl<I: IndexWord> RosterEntry for Difference<I> {
    #[inline]
    fn new(index: usize, at: usize) -> Self {
        Self(I::from_index(index ^ at))
    }

    #[inline]
    fn index(self, at: usize) -> usize {
        self.0.to_index() ^ at
    }
}

/// ```text
/// position   0          live             slots − retired  slots
/// roster     │ live …   │ next, vacant … │ retired …      │
/// ```
///
/// The entries are the roster, and behind it the reverse table: `reverse[roster[p]] == p` for every position `p`.
/// How long the parts are is what the words count.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct RosterQueue<E> {
    entries: PhantomData<E>,
}

/// The live slots, then the vacant ones, then the retired ones.
#[inline]
pub(crate) fn roster<I: IndexWord>(words: &SlotWords<impl Place<Entry = I>>) -> &[I] {
    &words.entries()[..words.slots()]
}

/// Both tables of a roster.
struct Tables<'a, E> {
    roster: &'a mut [E],
    reverse: &'a mut [E],
}

impl<'a, E: RosterEntry> Tables<'a, E> {
    #[inline]
    fn of<S: Slots<Entry = E>>(slots: &'a mut S) -> Self {
        let entries = slots.entries_mut();
        let (roster, reverse) = entries.split_at_mut(entries.len() / 2);
        Self { roster, reverse }
    }

    #[inline]
    fn place(&mut self, position: usize, slot: usize) {
        self.roster[position] = E::new(slot, position);
        self.reverse[slot] = E::new(position, slot);
    }

    #[inline]
    fn position_of(&self, index: usize) -> usize {
        self.reverse[index].index(index)
    }

    #[inline]
    fn swap(&mut self, a: usize, b: usize) {
        let (slot_a, slot_b) = (self.roster[a].index(a), self.roster[b].index(b));
        self.place(a, slot_b);
        self.place(b, slot_a);
    }
}

impl<E: RosterEntry> RosterQueue<E> {
    /// Turns the order of a pool in which nothing is live: the highest slot first.
    pub(crate) fn highest_first<S: Slots<Entry = E>>(&mut self, slots: &mut S) {
        debug_assert_eq!(slots.words().live(), 0);
        let mut tables = Tables::of(slots);
        let count = tables.roster.len();
        for position in 0..count {
            tables.place(position, count - 1 - position);
        }
    }
}

impl<I: IndexWord, E: RosterEntry> Queue<I> for RosterQueue<E> {
    type Entry = E;
    const EMPTY: Self = Self { entries: PhantomData };

    fn entry_count(slots: usize, _holds_links: bool) -> usize {
        2 * slots
    }

    fn reset<S: Slots<Entry = E>>(&mut self, slots: &mut S) {
        let live_count = slots.words().live();
        let (mut live, mut vacant, mut retired) = (0, 0, 0);
        for index in 0..slots.words().slots() {
            let words = slots.words();
            let position = if words.of_live(index).is_some() {
                live += 1;
                live - 1
            } else if words.is_vacant(index) {
                vacant += 1;
                live_count + vacant - 1
            } else {
                retired += 1;
                words.slots() - retired
            };
            Tables::of(slots).place(position, index);
        }
    }

    #[inline]
    fn next<S: Slots<Entry = E>>(&mut self, slots: &S) -> Option<usize> {
        let words = slots.words();
        if words.vacant() == 0 {
            return None;
        }
        let position = words.live();
        words.entries().get(position).map(|slot| slot.index(position))
    }

    #[inline]
    fn take<S: Slots<Entry = E>>(&mut self, _index: usize, _slots: &mut S) {}

    #[inline]
    fn claim<S: Slots<Entry = E>>(&mut self, index: usize, slots: &mut S) {
        let first_vacant = slots.words().live();
        let mut tables = Tables::of(slots);
        tables.swap(tables.position_of(index), first_vacant);
    }

    #[inline]
    fn give_back<S: Slots<Entry = E>>(&mut self, index: usize, slots: &mut S) {
        // It is dead already: the last live position is that of the first vacant slot from now on.
        let first_vacant = slots.words().live();
        let mut tables = Tables::of(slots);
        tables.swap(tables.position_of(index), first_vacant);
    }

    fn retire<S: Slots<Entry = E>>(&mut self, index: usize, slots: &mut S) {
        Queue::<I>::give_back(self, index, slots);
        let words = slots.words();
        let (first_vacant, first_retired) = (words.live(), words.slots() - words.retired());
        Tables::of(slots).swap(first_vacant, first_retired);
    }

    fn grow<S: Slots<Entry = E>>(&mut self, from: usize, slots: &mut S) {
        let count = slots.words().slots();
        let vacant = (from..count).filter(|index| slots.words().is_vacant(*index)).count();
        let retired_before = slots.words().retired() - (count - from - vacant);
        let mut first_retired = from - retired_before;
        for index in from..count {
            let is_vacant = slots.words().is_vacant(index);
            let mut tables = Tables::of(slots);
            tables.place(index, index);
            if is_vacant {
                tables.swap(index, first_retired);
                first_retired += 1;
            }
        }
    }

    fn shrink<S: Slots<Entry = E>>(&mut self, to: usize, slots: &mut S) {
        let count = slots.words().slots();
        let mut tables = Tables::of(slots);
        let mut kept = 0;
        for position in 0..count {
            let index = tables.roster[position].index(position);
            if index < to {
                tables.place(kept, index);
                kept += 1;
            }
        }
    }

    fn move_entries(from: &[E], to: &mut [E]) {
        let ((roster, reverse), half) = (from.split_at(from.len() / 2), to.len() / 2);
        to[..roster.len()].copy_from_slice(roster);
        to[half..half + reverse.len()].copy_from_slice(reverse);
    }

    fn copy_state_from<S: Slots<Entry = E>>(
        &mut self,
        _other: &Self,
        others: &[E],
        used: usize,
        slots: &mut S,
    ) {
        let Tables { roster, reverse } = Tables::of(slots);
        roster[..used].copy_from_slice(&others[..used]);
        reverse[..used].copy_from_slice(&others[others.len() / 2..][..used]);
    }

    fn order<'a, S: Slots<Entry = E>>(
        &'a self,
        slots: &'a S,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let words = slots.words();
        let slots = words.entries()[..used].iter().enumerate();
        slots
            .map(|(position, slot)| slot.index(position))
            .map(|index| index..index + 1)
            .chain(iter::once(used..words.slots()))
    }

    #[cfg(all(feature = "serde", feature = "alloc"))]
    const ORDER_OF: crate::snapshot::format::OrderOf = crate::snapshot::format::OrderOf::All;

    #[cfg(all(feature = "serde", feature = "alloc"))]
    fn load<S: Slots<Entry = E>>(&mut self, order: &[u32], slots: &mut S) {
        for (position, slot) in order.iter().enumerate() {
            Tables::of(slots).place(position, *slot as usize);
        }
    }

    #[cfg(feature = "validate")]
    fn validate<S: Slots<Entry = E>>(&self, slots: &S) -> Result<(), Violation> {
        let words = slots.words();
        ensure(
            words.entries().len() >= 2 * words.slots(),
            "the roster has two entries for each slot",
            format_args!("{} for {}", words.entries().len(), words.slots()),
        )?;
        let (roster, reverse) = words.entries().split_at(words.entries().len() / 2);
        let (roster, reverse) = (&roster[..words.slots()], &reverse[..words.slots()]);
        for (position, slot) in roster.iter().enumerate() {
            let index = slot.index(position);
            ensure(
                reverse.get(index).map(|position| position.index(index)) == Some(position),
                "the reverse table is the roster's inverse",
                format_args!("slot {index} at position {position}"),
            )?;
            let as_in_its_part = if position < words.live() {
                words.of_live(index).is_some()
            } else if position < words.slots() - words.retired() {
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

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::HandleAllocator;
    use alloc::vec::Vec;

    /// A copy of a sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut [u32])) -> &'static str {
        let mut slots: HandleAllocator<Roster> = HandleAllocator::with_capacity(5);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        slots.validate().unwrap();
        change(slots.order_mut().1);
        slots.validate().unwrap_err().rule()
    }

    #[test]
    fn validation_finds_what_is_broken() {
        assert_eq!(
            broken(|entries| entries.swap(0, 1)),
            "the reverse table is the roster's inverse"
        );
        assert_eq!(broken(|entries| entries[4] = 9), "the reverse table is the roster's inverse");
        assert_eq!(
            broken(|entries| {
                // Both tables agree still.
                let (roster, reverse) = entries.split_at_mut(5);
                Tables { roster, reverse }.swap(0, 4);
            }),
            "the roster's parts are the live, the vacant and the retired slots"
        );
    }

    #[test]
    fn entries_of_a_new_order_are_0_where_each_is_a_difference() {
        for index in 0..300 {
            assert_eq!(<Difference<u16> as RosterEntry>::new(index, index).0, 0);
            assert_eq!(Difference::<u16>::EMPTY.index(index), index);
            for at in [0, 1, 255, 256, 65_535] {
                assert_eq!(<Difference<u16> as RosterEntry>::new(index, at).index(at), index);
            }
        }
    }
}
