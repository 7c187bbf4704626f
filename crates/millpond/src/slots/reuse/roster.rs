//! A permutation of all slots, with the vacant ones at its end. Invariant: behind the live and the retired slots, the roster has each vacant slot once ([`Queue`]).

use core::ops::Range;

use super::{OrderOf, Queue, ReuseOrder, sealed};
use crate::handle::Word;
use crate::reports::validate::{Violation, ensure};
use crate::slots::{Parting, Place, SlotWords, Sorting};

/// Swap-delete: a permutation of all slots, split by a partition into live and vacant ones.
///
/// This is design 1 of the crate `millpond-classic`. The slot freed last is reused first, and the
/// part below the partition is a dense list of the live slots.
///
/// **Cost**: 8 bytes per slot, the roster and the reverse table (4 with handles of at most 16 index
/// bits). Take, give back and claim are always O(1). A claim swaps the claimed slot with the next
/// one in the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roster;

impl sealed::Sealed for Roster {}

impl ReuseOrder for Roster {
    const NAME: &'static str = "Roster";
    type Queue<I: Word> = RosterQueue<false>;
}

/// The same for slots stored inline in the pool: **every bit of a new order is 0**, and every bit
/// of its entries. Each entry is stored as its exclusive or with its place in its table, because a
/// new pool's order is that of the indices.
#[derive(Clone, Copy, Debug, Default)]
#[doc(hidden)]
pub struct InlineRoster;

impl sealed::Sealed for InlineRoster {}

impl ReuseOrder for InlineRoster {
    // A pool with it has no other.
    const NAME: &'static str = "";
    type Queue<I: Word> = RosterQueue<true>;
}

/// The entries are the roster, a [partition](crate::slots::Parting) of all slots, and behind it the reverse table:
/// `reverse[roster[p]] == p` for every position `p`. The words count the lengths of the parts.
///
/// In each table, an entry is an index, or, of `DIFFERENCES`, the bits in which this and its place in the table differ.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct RosterQueue<const DIFFERENCES: bool>;

/// The entry for the index at this place of a table.
#[inline]
fn stored<const DIFFERENCES: bool, I: Word>(index: usize, at: usize) -> I {
    I::from_index(if DIFFERENCES { index ^ at } else { index })
}

/// The index that this entry means at this place.
#[inline]
fn meant<const DIFFERENCES: bool, I: Word>(entry: I, at: usize) -> usize {
    if DIFFERENCES { entry.to_index() ^ at } else { entry.to_index() }
}

/// The live slots, then the retired ones, then the vacant ones.
#[inline]
pub(crate) fn roster<I: Word>(words: &SlotWords<impl Place<Entry = I>>) -> &[I] {
    &words.entries()[..words.slots()]
}

/// Both tables of a roster.
struct Tables<'a, I, const D: bool> {
    roster: &'a mut [I],
    reverse: &'a mut [I],
}

impl<'a, I: Word, const D: bool> Tables<'a, I, D> {
    #[inline]
    fn of(slots: &'a mut SlotWords<impl Place<Entry = I>>) -> Self {
        let entries = slots.entries_mut();
        let (roster, reverse) = entries.split_at_mut(entries.len() / 2);
        Self { roster, reverse }
    }

    #[inline]
    fn position_of(&self, slot: usize) -> usize {
        meant::<D, _>(self.reverse[slot], slot)
    }

    #[inline]
    fn slot_at(&self, position: usize) -> usize {
        meant::<D, _>(self.roster[position], position)
    }

    #[inline]
    fn place(&mut self, position: usize, slot: usize) {
        self.roster[position] = stored::<D, _>(slot, position);
        self.reverse[slot] = stored::<D, _>(position, slot);
    }

    /// Swaps the slots at two positions.
    #[inline]
    fn swap(&mut self, a: usize, b: usize) {
        let (slot_a, slot_b) = (self.slot_at(a), self.slot_at(b));
        self.place(a, slot_b);
        self.place(b, slot_a);
    }

    /// A live slot dies. `parting` is the one afterwards: the slot is the last retired one if it retires, and otherwise must
    /// [pass](RosterQueue::pass_retired) the retired ones.
    #[inline(always)]
    fn end(&mut self, slot: usize, parting: Parting) {
        self.place(self.position_of(slot), self.slot_at(parting.live));
        self.place(parting.live, slot);
    }
}

/// Where the parts of the roster begin.
#[inline]
fn parting(slots: &SlotWords<impl Place>) -> Parting {
    Parting::of(slots.counters())
}

impl<const D: bool> RosterQueue<D> {
    /// Takes the slot that comes next, if it must pass retired ones.
    #[cold]
    #[inline(never)]
    fn next_past_retired<I: Word, P: Place<Entry = I>>(
        &mut self,
        slots: &mut SlotWords<P>,
    ) -> Option<(usize, P::Word)> {
        let index = Queue::<I>::next(self, slots)?;
        Self::pass_retired(slots);
        Some((index, slots.begin(index)))
    }

    /// Puts these slots where they belong.
    fn sort(
        indices: Range<usize>,
        mut sorting: Sorting,
        slots: &mut SlotWords<impl Place<Entry = impl Word>>,
    ) {
        for index in indices {
            let Some(word) = slots.get(index) else { continue };
            Tables::<_, D>::of(slots).place(sorting.position(word), index);
        }
    }

    /// Swaps the slots on both sides of the retired ones, one of which is about to become live, or has died.
    #[cold]
    #[inline(never)]
    fn pass_retired(slots: &mut SlotWords<impl Place<Entry = impl Word>>) {
        let parting = parting(slots);
        Tables::<_, D>::of(slots).swap(parting.live, parting.next());
    }
}

// SAFETY: as the invariant says.
unsafe impl<I: Word, const D: bool> Queue<I> for RosterQueue<D> {
    type Entry = I;
    const EMPTY: Self = Self;

    fn entry_count(slots: usize) -> usize {
        2 * slots
    }

    fn reset<P: Place<Entry = I>>(&mut self, slots: &mut SlotWords<P>) {
        Self::sort(0..slots.slots(), Sorting::new(parting(slots)), slots);
    }

    #[inline]
    fn next<P: Place<Entry = I>>(&mut self, slots: &SlotWords<P>) -> Option<usize> {
        let position = Some(parting(slots).next()).filter(|next| *next < slots.slots())?;
        Some(meant::<D, _>(*slots.entries().get(position)?, position))
    }

    #[inline(always)]
    fn take_next<P: Place<Entry = I>>(
        &mut self,
        slots: &mut SlotWords<P>,
    ) -> Option<(usize, P::Word)> {
        if parting(slots).has_retired() {
            return self.next_past_retired(slots);
        }
        let index = Queue::<I>::next(self, slots)?;
        Some((index, slots.begin(index)))
    }

    #[inline]
    fn take_at<P: Place<Entry = I>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        let parting = parting(slots);
        let mut tables = Tables::<_, D>::of(slots);
        tables.swap(tables.position_of(index), parting.next());
        tables.swap(parting.live, parting.next());
    }

    #[inline]
    fn give_back<P: Place<Entry = I>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        // It is dead already.
        let parting = parting(slots);
        Tables::<_, D>::of(slots).end(index, parting);
        if parting.has_retired() {
            Self::pass_retired(slots);
        }
    }

    fn retire<P: Place<Entry = I>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        let parting = parting(slots);
        Tables::<_, D>::of(slots).end(index, parting);
    }

    fn unretire<P: Place<Entry = I>>(
        &mut self,
        index: usize,
        slots: &mut SlotWords<P>,
        is_vacant: bool,
    ) {
        // That of the slots as they are now, with one retired slot less.
        let parting = parting(slots);
        let mut tables = Tables::<_, D>::of(slots);
        tables.swap(tables.position_of(index), parting.unretired(is_vacant));
    }

    fn grow<P: Place<Entry = I>>(&mut self, from: usize, slots: &mut SlotWords<P>) {
        let count = slots.slots();
        let vacant = (from..count).filter(|index| slots.is_vacant(*index)).count();
        let (next, retired) = (parting(slots).next(), count - from - vacant);
        if retired > 0 {
            // The vacant slots make room for those that had retired before they were removed.
            let mut tables = Tables::<_, D>::of(slots);
            for position in (next - retired..from).rev() {
                tables.place(position + retired, tables.slot_at(position));
            }
        }
        let sorting = Sorting { live: 0, retired: next - retired, vacant: from + retired };
        Self::sort(from..count, sorting, slots);
    }

    fn shrink<P: Place<Entry = I>>(&mut self, to: usize, slots: &mut SlotWords<P>) {
        let count = slots.slots();
        let mut tables = Tables::<_, D>::of(slots);
        let mut kept = 0;
        for position in 0..count {
            let index = tables.slot_at(position);
            if index < to {
                tables.place(kept, index);
                kept += 1;
            }
        }
    }

    fn fit_entries(entries: &mut [I], from: usize, to: usize) {
        let (len, from, to) = (entries.len(), from / 2, to / 2);
        let kept = from.min(to);
        let halves = [(len - 2 * from, len - 2 * to), (len - from, len - to)];
        // First the one whose place nobody needs any more.
        let order = if from < to { [0, 1] } else { [1, 0] };
        for (from, to) in order.map(|half| halves[half]) {
            entries.copy_within(from..from + kept, to);
        }
        for (_, start) in halves {
            entries[start + kept..start + to].fill(I::EMPTY);
        }
    }

    fn copy_entries_from<P: Place<Entry = I>>(
        &self,
        others: &[I],
        used: usize,
        slots: &mut SlotWords<P>,
    ) {
        let Tables { roster, reverse } = Tables::<_, D>::of(slots);
        roster[..used].copy_from_slice(&others[..used]);
        reverse[..used].copy_from_slice(&others[others.len() / 2..][..used]);
    }

    fn order<'a, P: Place<Entry = I>>(
        &'a self,
        slots: &'a SlotWords<P>,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let (count, parting) = (slots.slots(), parting(slots));
        let slot_at = move |position: usize| meant::<D, _>(slots.entries()[position], position);
        parting.order(used, count, slot_at)
    }

    const ORDER_OF: OrderOf = OrderOf::All;

    fn load<P: Place<Entry = I>>(&mut self, order: &[u32], slots: &mut SlotWords<P>) {
        let parting = parting(slots);
        for (place, slot) in order.iter().enumerate() {
            Tables::<_, D>::of(slots).place(parting.listed(place, order.len()), *slot as usize);
        }
    }

    fn validate<P: Place<Entry = I>>(&self, slots: &SlotWords<P>) -> Result<(), Violation> {
        let (entries, count, parting) = (slots.entries(), slots.slots(), parting(slots));
        ensure(
            entries.len() >= 2 * count,
            "the roster has two entries for each slot",
            format_args!("{} for {count}", entries.len()),
        )?;
        let (roster, reverse) = entries.split_at(entries.len() / 2);
        for (position, entry) in roster[..count].iter().enumerate() {
            let slot = meant::<D, _>(*entry, position);
            let back = reverse[..count].get(slot).map(|entry| meant::<D, _>(*entry, slot));
            ensure(
                back == Some(position),
                "the reverse table is the roster's inverse",
                format_args!("slot {slot} at position {position}"),
            )?;
            ensure(
                slots.get(slot).is_some_and(|word| parting.suits(position, word)),
                "the roster's parts are the live, the vacant and the retired slots",
                format_args!("slot {slot} at position {position}"),
            )?;
        }
        Ok(())
    }

    fn validate_unused<P: Place<Entry = I>>(
        &self,
        used: usize,
        slots: &SlotWords<P>,
    ) -> Result<(), Violation> {
        let moved = (used..slots.slots()).find(|&at| meant::<D, _>(slots.entries()[at], at) != at);
        ensure(
            moved.is_none(),
            "slots that were never used stand at their own positions",
            format_args!("position {moved:?}, though only {used} were used"),
        )
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::pools::allocator::HandleAllocator;
    use crate::slots::reuse::tests::{WRONG, taken_from_broken};
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
                Tables::<_, false> { roster, reverse }.swap(0, 4);
            }),
            "the roster's parts are the live, the vacant and the retired slots"
        );
    }

    #[test]
    fn validation_finds_an_unused_slot_that_was_moved() {
        let rule = "slots that were never used stand at their own positions";
        let moved = broken(|entries| {
            let (roster, reverse) = entries.split_at_mut(5);
            Tables::<_, false> { roster, reverse }.swap(3, 4);
        });
        assert_eq!(moved, rule);
    }

    #[test]
    fn entries_of_a_new_order_are_0_where_each_is_a_difference() {
        for index in 0..300 {
            assert_eq!(stored::<true, u16>(index, index), 0);
            assert_eq!(meant::<true, u16>(0, index), index);
            for at in [0, 1, 255, 256, 65_535] {
                assert_eq!(meant::<true, u16>(stored::<true, _>(index, at), at), index);
            }
        }
    }

    #[test]
    fn a_roster_that_has_a_live_slot_among_the_vacant_ones_panics() {
        // Its vacant slots are at 3 and behind.
        let taken = taken_from_broken::<Roster>(|slots| slots.order_mut().1[4] = 2);
        assert!(taken.unwrap_err().contains(WRONG));
    }
}
