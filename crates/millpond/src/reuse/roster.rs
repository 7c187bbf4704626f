use alloc::boxed::Box;

use super::{Queue, ReuseOrder, Slots, sealed};
use crate::generations::Generations;
use crate::handle::{IndexWord, Word};
use crate::memory::{self, OutOfMemory};

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
        let count = slots.occupancy().slots();
        let roster = memory::from_fn(count, I::from_index)?;
        let reverse = memory::from_fn(count, I::from_index)?;
        Ok(Self { roster, reverse, partition: 0, retired_from: count })
    }

    #[inline]
    fn next<W: Word, S: Slots>(&mut self, _words: &Generations<W>, _slots: &S) -> Option<usize> {
        self.roster[..self.retired_from].get(self.partition).map(|slot| slot.to_index())
    }

    #[inline]
    fn take<W: Word, S: Slots>(&mut self, _index: usize, _words: &Generations<W>, _slots: &mut S) {
        self.partition += 1;
    }

    #[inline]
    fn claim<W: Word, S: Slots>(&mut self, index: usize, _words: &Generations<W>, _slots: &mut S) {
        self.swap(self.position_of(index), self.partition);
        self.partition += 1;
    }

    #[inline]
    fn give_back<W: Word, S: Slots>(
        &mut self,
        index: usize,
        _words: &mut Generations<W>,
        _slots: &mut S,
    ) {
        self.swap(self.position_of(index), self.partition - 1);
        self.partition -= 1;
    }

    fn retire(&mut self, index: usize) {
        self.swap(self.position_of(index), self.partition - 1);
        self.partition -= 1;
        self.retired_from -= 1;
        self.swap(self.partition, self.retired_from);
    }

    fn reset<W: Word, S: Slots>(&mut self, words: &Generations<W>, _slots: &mut S) {
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
}
