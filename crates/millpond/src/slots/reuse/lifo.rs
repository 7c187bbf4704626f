use alloc::vec;
#[cfg(target_has_atomic = "32")]
use alloc::vec::Vec;
use core::iter;
use core::mem::offset_of;
use core::ops::Range;

use super::{Queue, ReuseOrder, Slots, sealed};
use crate::handle::IndexWord;
#[cfg(feature = "validate")]
use crate::reports::validate::{Violation, ensure};
use crate::slots::{Place, SlotWords};

/// Reuses the slot freed last, while it is still in the cache. The default.
///
/// The order is a stack in an array: neighbouring entries share cache lines, whereas a list through
/// the slots would wait for each line in turn (17 ns against 49 ns per operation in bursts at
/// 1,000,000 slots). Slots that were never used are not on the stack: a counter yields them, the
/// lowest first, when the stack is empty.
///
/// **Cost**: 4 bytes per slot and 1/64 more (half that with handles of at most 16 index bits). Take
/// and give back are O(1) in a program that never claims a slot. A claim leaves the slot's entry in
/// the stack, where it is skipped once it is on top. When such entries have filled the spare 1/64,
/// one give back sweeps them out, which is O(slots) in that call (about 1 ms for 1,000,000 slots).
/// So with claims all operations are O(1) amortised, but not in each call; the other orders do not
/// have this cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifo;

impl sealed::Sealed for Lifo {}

impl ReuseOrder for Lifo {
    const NAME: &'static str = "Lifo";
    type Queue<I: IndexWord> = LifoQueue;
}

/// Every vacant slot has an entry on the stack, or is one of the fresh ones, which are used when
/// the stack is empty. The topmost entry of a vacant slot is the one that counts; other entries are
/// ghosts, left by claims: those of live slots, and older ones of vacant slots. By the time an
/// older entry is on top, the newer one above it was taken, so a slot whose entry is on top is
/// vacant exactly if that entry counts. A fresh slot that was claimed and is live, or has since got
/// an entry, is skipped in the same way.
///
/// The stack is the array of entries, which has room for every slot and for ghosts.
///
/// The order is *plain* if there are no ghosts and all slots that were ever used have been live at
/// once: then the entry on top of the stack is vacant, and only a fresh slot can bring a new peak.
/// Without claims, it stays plain.
#[doc(hidden)]
#[derive(Clone, Debug)]
#[repr(C)]
pub struct LifoQueue {
    len: usize,
    /// Slots from this one on have no entry, unless they were claimed.
    fresh_from: usize,
}

impl LifoQueue {
    /// For [`CoreOffsets`](crate::CoreOffsets).
    pub(crate) const OFFSETS: [usize; 2] = [offset_of!(Self, len), offset_of!(Self, fresh_from)];

    #[inline]
    fn room_for(slots: usize) -> usize {
        slots + slots / 64 + 1
    }

    #[inline]
    fn top<I: IndexWord>(&self, entries: &[I]) -> Option<usize> {
        // One test for "empty" and "in range": 0 − 1 is out of any range.
        entries.get(self.len.wrapping_sub(1)).map(|slot| slot.to_index())
    }

    /// Whether there are more entries and fresh slots than those that count.
    fn has_ghosts(&self, words: &SlotWords<impl Place>) -> bool {
        // Each vacant slot is in there at least once.
        self.len + words.slots() - self.fresh_from > words.vacant()
    }

    /// The next slot when the stack is empty or has a ghost on top.
    #[cold]
    #[inline(never)]
    fn next_past_ghosts<I: IndexWord>(
        &mut self,
        words: &SlotWords<impl Place<Entry = I>>,
    ) -> Option<usize> {
        while let Some(top) = self.top(words.entries()) {
            if words.is_vacant(top) {
                return Some(top);
            }
            self.len -= 1;
        }
        while self.fresh_from < words.slots() {
            if words.is_vacant(self.fresh_from) {
                return Some(self.fresh_from);
            }
            self.fresh_from += 1;
        }
        None
    }

    /// Like [`give_back`](Queue::give_back), if the stack is full.
    #[cold]
    #[inline(never)]
    fn sweep_and_give_back<I: IndexWord, S: Slots<Entry = I>>(
        &mut self,
        index: usize,
        slots: &mut S,
    ) {
        self.sweep(slots);
        slots.entries_mut()[self.len] = I::from_index(index);
        self.len += 1;
    }

    /// Removes the ghosts. The rest keeps its order and fits, because each slot has one entry.
    fn sweep<I: IndexWord, S: Slots<Entry = I>>(&mut self, slots: &mut S) {
        // From the top down, so that the first entry found of a vacant slot is the one that counts.
        // Kept entries move to the upper end; the marks identify the older entries.
        slots.begin_marking();
        let mut kept_from = self.len;
        for at in (0..self.len).rev() {
            let slot = slots.words().entries()[at];
            if slots.words().is_vacant(slot.to_index()) && slots.mark(slot.to_index()) {
                kept_from -= 1;
                slots.entries_mut()[kept_from] = slot;
            }
        }
        slots.end_marking();
        slots.entries_mut().copy_within(kept_from..self.len, 0);
        self.len -= kept_from;
    }
}

impl<I: IndexWord> Queue<I> for LifoQueue {
    type Entry = I;
    const EMPTY: Self = Self { len: 0, fresh_from: 0 };
    const MAY_BE_PLAIN: bool = true;

    fn entry_count(slots: usize, _holds_links: bool) -> usize {
        Self::room_for(slots)
    }

    fn reset<S: Slots<Entry = I>>(&mut self, _slots: &mut S) {
        self.len = 0;
        self.fresh_from = 0;
    }

    #[inline]
    fn next<S: Slots<Entry = I>>(&mut self, slots: &S) -> Option<usize> {
        let next = self.top(slots.words().entries()).unwrap_or(self.fresh_from);
        match slots.words().is_vacant(next) {
            true => Some(next),
            false => self.next_past_ghosts(slots.words()),
        }
    }

    #[inline]
    fn take<S: Slots<Entry = I>>(&mut self, index: usize, _slots: &mut S) {
        match self.len.checked_sub(1) {
            Some(below) => self.len = below,
            None => self.fresh_from = index + 1,
        }
    }

    fn is_plain(&self, words: &SlotWords<impl Place<Entry = I>>) -> bool {
        !self.has_ghosts(words) && words.peak() + words.retired() >= self.fresh_from
    }

    #[inline(always)]
    fn take_plain<S: Slots<Entry = I>>(
        &mut self,
        slots: &S,
        may_be_peak: impl FnOnce(),
    ) -> Option<(usize, S::Word)> {
        // Two branches and no common path: the processor predicts which, and waits for neither.
        match self.top(slots.words().entries()) {
            Some(top) => {
                let word = slots.words().get(top)?;
                self.len -= 1;
                Some((top, word))
            }
            None => {
                let fresh = self.fresh_from;
                let word = slots.words().get(fresh)?;
                self.fresh_from += 1;
                may_be_peak();
                Some((fresh, word))
            }
        }
    }

    #[inline]
    fn claim<S: Slots<Entry = I>>(&mut self, index: usize, slots: &mut S) {
        // Ghosts on top are removed at once, so that a pool that is loaded from the lowest slot up,
        // or filled entirely by claims, leaves none for later.
        let words = slots.words();
        let is_gone = |slot| slot == index || !words.is_vacant(slot);
        while self.top(words.entries()).is_some_and(is_gone) {
            self.len -= 1;
        }
        while self.fresh_from < words.slots() && is_gone(self.fresh_from) {
            self.fresh_from += 1;
        }
    }

    #[inline]
    fn give_back<S: Slots<Entry = I>>(&mut self, index: usize, slots: &mut S) {
        let Some(room) = slots.entries_mut().get_mut(self.len) else {
            return self.sweep_and_give_back(index, slots);
        };
        *room = I::from_index(index);
        self.len += 1;
    }

    fn grow<S: Slots<Entry = I>>(&mut self, _from: usize, _slots: &mut S) {
        // They are fresh.
    }

    fn shrink<S: Slots<Entry = I>>(&mut self, to: usize, slots: &mut S) {
        let entries = slots.entries_mut();
        let mut kept = 0;
        for at in 0..self.len {
            if entries[at].to_index() < to {
                entries[kept] = entries[at];
                kept += 1;
            }
        }
        self.len = kept;
        self.fresh_from = self.fresh_from.min(to);
    }

    fn copy_state_from<S: Slots<Entry = I>>(
        &mut self,
        other: &Self,
        others: &[I],
        _used: usize,
        slots: &mut S,
    ) {
        slots.entries_mut()[..other.len].copy_from_slice(&others[..other.len]);
        self.len = other.len;
        self.fresh_from = other.fresh_from;
    }

    fn order<'a, S: Slots<Entry = I>>(
        &'a self,
        slots: &'a S,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let words = slots.words();
        let has_ghosts = self.has_ghosts(words);
        let mut seen = vec![0_u64; if has_ghosts { words.slots().div_ceil(64) } else { 0 }];
        let mut counts = move |index: usize| {
            let Some(bits) = seen.get_mut(index / 64) else { return true };
            let is_first = *bits >> (index % 64) & 1 == 0;
            *bits |= 1 << (index % 64);
            is_first && words.is_vacant(index)
        };
        let stack = words.entries()[..self.len].iter().rev().map(|slot| slot.to_index());
        let fresh = self.fresh_from..used.max(self.fresh_from);
        let rest = fresh.end..words.slots();
        let counted = stack.chain(fresh).filter(move |&index| counts(index));
        counted.map(|index| index..index + 1).chain(iter::once(rest))
    }

    #[cfg(target_has_atomic = "32")]
    fn list_upcoming<S: Slots<Entry = I>>(
        &self,
        slots: &S,
        used: usize,
        count: usize,
        list: &mut Vec<I>,
    ) {
        let words = slots.words();
        if self.has_ghosts(words) {
            list.extend(self.upcoming(slots, used).take(count).map(I::from_index));
            return;
        }
        let on_stack = count.min(self.len);
        list.extend(words.entries()[self.len - on_stack..self.len].iter().rev().copied());
        let fresh = (self.fresh_from..words.slots()).take(count - on_stack);
        list.extend(fresh.map(I::from_index));
    }

    /// The uppermost entries are written anew, without those that are taken. Fresh slots that are skipped get an
    /// entry: then all that were on the stack are listed, so they come to lie at its bottom.
    #[cfg(target_has_atomic = "32")]
    fn take_upcoming<S: Slots<Entry = I>>(
        &mut self,
        listed: &[I],
        taken: impl DoubleEndedIterator<Item = Range<usize>> + Clone,
        slots: &mut S,
    ) -> bool {
        if self.has_ghosts(slots.words()) {
            return false;
        }
        // Entries listed beyond the last one taken stay as they are.
        let mut until = taken.clone().next_back().map_or(0, |last| last.end);
        let from_stack = until.min(self.len);
        self.fresh_from += until - from_stack;
        self.len -= from_stack;
        let mut put_back = |rest: &[I]| {
            let room = &mut slots.entries_mut()[self.len..][..rest.len()];
            room.iter_mut().zip(rest.iter().rev()).for_each(|(entry, slot)| *entry = *slot);
            self.len += rest.len();
        };
        for range in taken.rev() {
            put_back(&listed[range.end..until]);
            until = range.start;
        }
        put_back(&listed[..until]);
        true
    }

    #[cfg(feature = "serde")]
    fn load<S: Slots<Entry = I>>(&mut self, order: &[u32], slots: &mut S) {
        for (entry, slot) in slots.entries_mut().iter_mut().zip(order.iter().rev()) {
            *entry = I::from_index(*slot as usize);
        }
        self.len = order.len();
        self.fresh_from = slots.words().slots();
    }

    #[cfg(feature = "validate")]
    fn validate<S: Slots<Entry = I>>(&self, slots: &S) -> Result<(), Violation> {
        let words = slots.words();
        let entries = words.entries();
        ensure(
            (entries.len() >= Self::room_for(words.slots()) || words.slots() == 0)
                && self.len <= entries.len(),
            "the stack has room for each slot and for ghosts",
            format_args!("{} entries in {}", self.len, entries.len()),
        )?;
        let mut has_entry = vec![false; words.slots()];
        for entry in &entries[..self.len] {
            let index = entry.to_index();
            ensure(
                index < words.slots(),
                "an entry of the stack is a slot",
                format_args!("{index} of {}", words.slots()),
            )?;
            has_entry[index] = true;
        }
        let fresh_from = self.fresh_from.min(words.slots());
        let lost = (0..fresh_from).find(|&index| words.is_vacant(index) && !has_entry[index]);
        ensure(
            lost.is_none(),
            "each vacant slot has an entry in the stack or is fresh",
            format_args!("slot {lost:?} has none"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::Word;
    use crate::pools::allocator::HandleAllocator;
    use crate::slots::Block;

    fn new_words(slots: usize) -> SlotWords<Block<u32, u32, ()>> {
        SlotWords::try_new(slots, LifoQueue::room_for(slots), false, 1.as_dead()).unwrap()
    }

    fn order() -> LifoQueue {
        <LifoQueue as Queue<u32>>::EMPTY
    }

    /// A copy of a sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut LifoQueue, &mut [u32])) -> &'static str {
        let mut slots: HandleAllocator<Lifo> = HandleAllocator::with_capacity(5);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        slots.validate().unwrap();
        let (queue, entries) = slots.order_mut();
        change(queue, entries);
        slots.validate().unwrap_err().rule()
    }

    #[test]
    fn has_spare_room_for_a_sixty_fourth_of_ghosts_and_one() {
        let room = [0, 1, 63, 64, 6400].map(LifoQueue::room_for);
        assert_eq!(room, [1, 2, 64, 66, 6501]);
    }

    #[test]
    fn a_sweep_keeps_the_uppermost_entry_of_each_vacant_slot_in_order() {
        let mut words = new_words(5);
        words.set_live(0, 1);
        words.set_live(3, 1);
        // Slot 3 is live, slot 4 has two entries, and what is above the top is none.
        words.entries_mut().copy_from_slice(&[4, 3, 2, 4, 1, 0]);
        let mut queue = LifoQueue { len: 5, fresh_from: 5 };
        queue.sweep(&mut words);
        assert_eq!(words.entries()[..queue.len], [2, 4, 1]);
        let vacant: Vec<_> = (0..5).filter(|&index| words.is_vacant(index)).collect();
        assert_eq!(vacant, [1, 2, 4]);
        assert!(words.occupancy().iter().eq([0, 3]));
    }

    /// What `take` and `take_next` leave behind would have to be swept out some day.
    #[test]
    fn without_claims_there_are_no_ghosts() {
        let mut words = new_words(9);
        let mut queue = order();
        for round in 0..40_usize {
            if round % 5 > 1 {
                let taken = if round % 2 == 0 {
                    let next = queue.next(&words).unwrap();
                    queue.take(next, &mut words);
                    next
                } else {
                    queue.take_next(&mut words).unwrap().0
                };
                words.set_live(taken, 1);
            } else if words.live() > 0 {
                let index = words.occupancy().iter().nth(round % words.live()).unwrap();
                words.set_dead(index, 1.as_dead());
                queue.give_back(index, &mut words);
            }
            assert_eq!(queue.len + 9 - queue.fresh_from, 9 - words.live(), "round {round}");
            if words.live() == 9 {
                words = new_words(9);
                queue.reset(&mut words);
            }
        }
    }

    #[test]
    fn a_pool_that_is_loaded_from_the_lowest_slot_up_has_no_ghosts_afterwards() {
        let mut words = new_words(5);
        let mut queue = order();
        // All but two of them are given back, and claimed in the order of their slots.
        for index in 0..4 {
            assert_eq!(queue.take_next(&mut words), Some((index, 1.as_dead())));
            words.set_live(index, 1);
        }
        for index in [3, 2, 1] {
            words.set_dead(index, 1.as_dead());
            queue.give_back(index, &mut words);
        }
        for index in 1..5 {
            queue.claim(index, &mut words);
            words.set_live(index, 1);
            assert_eq!(
                (queue.len, queue.fresh_from),
                (3_usize.saturating_sub(index), 4 + index / 4)
            );
        }
        assert_eq!(queue.next(&words), None);
    }

    /// The marks lie where the bitmap does, which may be old.
    #[test]
    fn a_sweep_keeps_slots_that_were_live_when_the_bitmap_was_made() {
        let mut words = new_words(300);
        (0..100).for_each(|index| words.set_live(index, 1));
        words.refresh();
        assert!(!words.is_in_step());
        (0..100).for_each(|index| words.set_dead(index, 1.as_dead()));
        let entries: Vec<u32> = (0..100).collect();
        words.entries_mut()[..100].copy_from_slice(&entries);
        let mut queue = LifoQueue { len: 100, fresh_from: 100 };
        queue.sweep(&mut words);
        assert_eq!(words.entries()[..queue.len], entries);
        assert_eq!(words.occupancy().iter().next(), None);
    }

    /// The first and the third of four: the others keep their places.
    #[test]
    #[cfg(target_has_atomic = "32")]
    fn upcoming_slots_are_taken_without_ghosts() {
        let mut words = new_words(9);
        (0..4).for_each(|index| {
            if index % 2 == 0 {
                words.set_live(index, 1)
            }
        });
        words.entries_mut()[..2].copy_from_slice(&[1, 3]);
        let mut queue = LifoQueue { len: 2, fresh_from: 4 };
        let mut listed = Vec::<u32>::new();
        queue.list_upcoming(&words, 4, 4, &mut listed);
        assert_eq!(listed, [3, 1, 4, 5]);
        assert!(queue.take_upcoming(&listed, [0..1, 2..3].into_iter(), &mut words));
        words.set_live(3, 1);
        words.set_live(4, 1);
        assert!(!queue.has_ghosts(&words));
        assert!(queue.upcoming(&words, 5).eq([1, 5, 6, 7, 8]));
    }

    #[test]
    fn validation_finds_what_is_broken() {
        assert_eq!(
            broken(|queue, _| queue.len -= 1),
            "each vacant slot has an entry in the stack or is fresh"
        );
        assert_eq!(
            broken(|queue, _| queue.len = 99),
            "the stack has room for each slot and for ghosts"
        );
        assert_eq!(broken(|_, stack| stack[0] = 5), "an entry of the stack is a slot");
        assert_eq!(
            broken(|_, stack| stack[0] = 2),
            "each vacant slot has an entry in the stack or is fresh"
        );
    }
}
