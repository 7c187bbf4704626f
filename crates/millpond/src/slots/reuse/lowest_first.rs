//! The vacant slots by their indices. Invariant: `vacant` and the tree have the bits of the words in which a slot is vacant ([`Queue`]).

use core::iter;
use core::ops::Range;

use super::{OrderOf, Queue, ReuseOrder, sealed};
use crate::handle::Word;
use crate::reports::validate::{Violation, ensure};
use crate::slots::bit_tree::{self, BitTree};
use crate::slots::{Place, SlotWords};

/// Reuses the vacant slot with the lowest index.
///
/// Live objects stay together at low addresses. The next slots depend only on which slots are live,
/// not on the history: two pools with the same occupancy use the same slots next.
///
/// **Cost**: 1/63 of a bit per slot: a tree of five bitmaps above the occupancy, with one bit for
/// 64 below. The lowest word of 64 slots with a vacant one is known; the tree is read only when
/// that word's last vacant slot is taken. *Take* (in that case), *give back* and *claim* read at
/// most a word or two per level, and nearly always only one level (and the words of up to 64 more
/// slots if some have retired). All are O(1), and the worst case in a pool of 1,000 slots takes as
/// long as in one of 10,000,000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LowestFirst;

impl sealed::Sealed for LowestFirst {}

impl ReuseOrder for LowestFirst {
    const NAME: &'static str = "LowestFirst";
    type Queue<I: Word> = LowestFirstQueue;
}

const WORD_BITS: usize = u64::BITS as usize;

/// ```text
/// lowest_word     the lowest word of the occupancy that has a vacant slot
/// vacant          its vacant slots, as bits
/// others          the other words that have one: a tree of bitmaps
/// (occupancy)     a bit for each slot: set if it is live
/// ```
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct LowestFirstQueue {
    /// [`NONE`](bit_tree::NONE) if no slot is vacant.
    lowest_word: usize,
    vacant: u64,
    /// 2^32 slots are 2^26 words. The entries are the words of the tree.
    others: BitTree<5>,
}

impl LowestFirstQueue {
    /// The vacant slots of a word of the occupancy, as bits; none if the word is out of range.
    #[inline]
    fn vacant_bits(word: usize, words: &SlotWords<impl Place>) -> u64 {
        let dead = words.dead_bits(word);
        // A dead slot may be retired; only a pool with retired slots needs to check.
        if words.retired() == 0 { dead } else { Self::without_retired(word, dead, words) }
    }

    #[cold]
    #[inline(never)]
    fn without_retired(word: usize, dead: u64, words: &SlotWords<impl Place>) -> u64 {
        let (mut rest, mut vacant) = (dead, 0);
        while rest != 0 {
            let bit = rest.trailing_zeros();
            vacant |= u64::from(words.is_vacant(word * WORD_BITS + bit as usize)) << bit;
            rest &= rest - 1;
        }
        vacant
    }

    /// Goes on to the next word, because the lowest one has no vacant slot left.
    #[inline(never)]
    fn leave_lowest<P: Place<Entry = u64>>(&mut self, slots: &mut SlotWords<P>) {
        self.lowest_word = self.others.lowest();
        if self.lowest_word == bit_tree::NONE {
            self.vacant = 0;
        } else {
            self.others.remove_lowest(slots.entries_mut());
            self.vacant = Self::vacant_bits(self.lowest_word, slots);
        }
    }

    /// Rebuilds the order for the slots below this one.
    fn rebuild<P: Place<Entry = u64>>(&mut self, until: usize, slots: &mut SlotWords<P>) {
        let occupancy = 0..until.div_ceil(WORD_BITS);
        self.others = BitTree::with_room(occupancy.end).0;
        self.others.fill_below(occupancy.end, slots.entries_mut());
        if slots.retired() + slots.live() > 0 {
            for word in occupancy.clone() {
                if Self::vacant_bits(word, slots) & bits_below(until, word) == 0 {
                    self.others.remove(word, slots.entries_mut());
                }
            }
        }
        self.leave_lowest(slots);
        self.vacant &= bits_below(until, self.lowest_word.min(occupancy.end));
    }
}

/// The bits of the slots of a word that are below this slot.
#[inline]
fn bits_below(slot: usize, word: usize) -> u64 {
    match slot.saturating_sub(word * WORD_BITS) {
        slots if slots < WORD_BITS => (1 << slots) - 1,
        _ => !0,
    }
}

// SAFETY: as the invariant says.
unsafe impl<I: Word> Queue<I> for LowestFirstQueue {
    type Entry = u64;
    const EMPTY: Self = Self { lowest_word: bit_tree::NONE, vacant: 0, others: BitTree::EMPTY };
    const SEARCHES_BITMAP: bool = true;

    fn entry_count(slots: usize) -> usize {
        BitTree::<5>::with_room(slots.div_ceil(WORD_BITS)).1
    }

    fn grow<P: Place<Entry = u64>>(&mut self, _from: usize, slots: &mut SlotWords<P>) {
        self.rebuild(slots.slots(), slots);
    }

    fn shrink<P: Place<Entry = u64>>(&mut self, to: usize, slots: &mut SlotWords<P>) {
        self.rebuild(to, slots);
    }

    #[inline]
    fn next<P: Place<Entry = u64>>(&mut self, _slots: &SlotWords<P>) -> Option<usize> {
        let bit = self.vacant.trailing_zeros() as usize;
        (self.vacant != 0).then(|| self.lowest_word * WORD_BITS + bit)
    }

    #[inline]
    fn take<P: Place<Entry = u64>>(&mut self, _index: usize, slots: &mut SlotWords<P>) {
        self.vacant &= self.vacant.wrapping_sub(1);
        if self.vacant == 0 {
            self.leave_lowest(slots);
        }
    }

    #[inline]
    fn take_at<P: Place<Entry = u64>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        let (word, bit) = (index / WORD_BITS, 1 << (index % WORD_BITS));
        if word == self.lowest_word {
            self.vacant &= !bit;
            if self.vacant == 0 {
                self.leave_lowest(slots);
            }
        } else if Self::vacant_bits(word, slots) == bit {
            self.others.remove(word, slots.entries_mut());
        }
    }

    #[inline]
    fn give_back<P: Place<Entry = u64>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        let (word, bit) = (index / WORD_BITS, 1 << (index % WORD_BITS));
        if word == self.lowest_word {
            self.vacant |= bit;
        } else if word > self.lowest_word {
            self.others.insert(word, slots.entries_mut());
        } else {
            // So far no slot of this word was vacant.
            if self.vacant != 0 {
                self.others.insert(self.lowest_word, slots.entries_mut());
            }
            self.lowest_word = word;
            self.vacant = bit;
        }
    }

    fn copy_entries_from<P: Place<Entry = u64>>(
        &self,
        others: &[u64],
        _used: usize,
        slots: &mut SlotWords<P>,
    ) {
        // Without slots, either of them may have no room at all.
        let own = slots.entries_mut();
        let count = own.len().min(others.len());
        own[..count].copy_from_slice(&others[..count]);
    }

    fn order<'a, P: Place<Entry = u64>>(
        &'a self,
        _slots: &'a SlotWords<P>,
        _used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        iter::empty()
    }

    const ORDER_OF: OrderOf = OrderOf::Nothing;

    fn load<P: Place<Entry = u64>>(&mut self, _order: &[u32], slots: &mut SlotWords<P>) {
        Queue::<I>::reset(self, slots);
    }

    fn validate<P: Place<Entry = u64>>(&self, slots: &SlotWords<P>) -> Result<(), Violation> {
        ensure(
            slots.is_synced() || slots.slots() == 0,
            "the bitmap that an order searches is synced",
            format_args!("{} slots", slots.slots()),
        )?;
        let vacant = |word| Self::vacant_bits(word, slots);
        let words = slots.slots().div_ceil(WORD_BITS);
        let lowest = (0..words).find(|word| vacant(*word) != 0).unwrap_or(bit_tree::NONE);
        let bits = if lowest == bit_tree::NONE { 0 } else { vacant(lowest) };
        ensure(
            (self.lowest_word, self.vacant) == (lowest, bits),
            "the lowest word with vacant slots is known, and so are these",
            format_args!("{lowest}, {bits:#x}, not {}, {:#x}", self.lowest_word, self.vacant),
        )?;
        // The first block rebuilds the tree.
        if words == 0 {
            return Ok(());
        }
        let entries = &slots.entries()[..BitTree::<5>::with_room(words).1];
        self.others.validate(entries, words, |word| word != lowest && vacant(word) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pools::allocator::HandleAllocator;
    use crate::slots::bitmap::BitmapState;
    use crate::slots::reuse::tests::{WRONG, taken_from_broken};
    use alloc::vec::Vec;

    /// Sizes at which the last word of a level is full, or has one bit.
    #[test]
    fn the_lowest_comes_next_across_all_levels() {
        for capacity in [64 * 64, 64 * 64 + 1, 64 * 64 * 64, 64 * 64 * 64 + 65] {
            let mut slots: HandleAllocator<LowestFirst> = HandleAllocator::with_capacity(capacity);
            slots.validate().unwrap();
            let handles: Vec<_> = (0..capacity).map(|_| slots.acquire().unwrap()).collect();
            assert!(handles.iter().enumerate().all(|(at, handle)| handle.index() as usize == at));
            slots.validate().unwrap();
            assert_eq!(slots.acquire(), None);
            let mut freed = [capacity - 1, 63, capacity / 2, 64, 4094, 0, capacity - 64];
            freed.iter().for_each(|&index| assert!(slots.release(handles[index])));
            slots.validate().unwrap();
            freed.sort_unstable();
            for index in freed {
                assert_eq!(slots.acquire().map(|handle| handle.index() as usize), Some(index));
            }
            assert_eq!(slots.acquire(), None);
            slots.validate().unwrap();
        }
    }

    /// A sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut LowestFirstQueue, &mut [u64])) -> &'static str {
        let mut slots: HandleAllocator<LowestFirst> = HandleAllocator::with_capacity(5000);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        slots.validate().unwrap();
        let (queue, entries) = slots.order_mut();
        change(queue, entries);
        slots.validate().unwrap_err().rule()
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let lowest = "the lowest word with vacant slots is known, and so are these";
        assert_eq!(broken(|queue, _| queue.lowest_word = 1), lowest);
        assert_eq!(broken(|queue, _| queue.lowest_word = usize::MAX), lowest);
        assert_eq!(broken(|queue, _| queue.vacant |= 1), lowest);
        assert_eq!(broken(|queue, _| queue.vacant &= queue.vacant - 1), lowest);
        let others = "a tree of bits is like a new one with its numbers";
        assert_eq!(broken(|queue, words| queue.others.insert(0, words)), others);
        assert_eq!(broken(|queue, words| queue.others.remove_lowest(words)), others);
        assert_eq!(broken(|queue, words| queue.others.remove(78, words)), others);
        let mut slots: HandleAllocator<LowestFirst> = HandleAllocator::with_capacity(5);
        let words = slots.storage.slots_mut().broken();
        words.end_all_slowly();
        words.place_mut().bitmap_mut().unwrap().set(BitmapState::OLD);
        let rule = slots.validate().unwrap_err().rule();
        assert_eq!(rule, "the bitmap that an order searches is synced");
    }

    #[test]
    fn bits_of_a_live_slot_panic() {
        let taken = taken_from_broken::<LowestFirst>(|slots| slots.order_mut().0.vacant |= 0b101);
        assert!(taken.unwrap_err().contains(WRONG));
    }
}
