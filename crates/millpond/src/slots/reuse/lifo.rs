//! The stack of vacant slots.
//!
//! # Invariant
//!
//! 1. Each entry on the stack is a slot, and the array has more entries than there are slots (unless both are none).
//! 2. The slots from `fresh_from` to `fresh_until` were never used; if there are any, `fresh_until` is the number of slots.

use alloc::vec;
use core::iter;
use core::mem::{self, offset_of};
use core::ops::Range;

use super::{Queue, ReuseOrder, sealed};
use crate::handle::Word;
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
    type Queue<I: Word> = LifoQueue;
}

/// Every vacant slot has an entry on the stack, or comes behind those that have one, which are used first. The topmost entry
/// of a vacant slot is the one that counts; other entries are stale, left by claims: those of live slots, and older ones of
/// vacant slots. By the time an older entry is on top, the newer one above it was taken, so a slot whose entry is on top is
/// vacant exactly if that entry counts. Each insertion tests this.
///
/// ```text
///   slots     0 ──────────── fresh_from ── fresh_until ── the last
///             on the stack,  never used    a claim went beyond: each is tested
///             live, retired
/// ```
///
/// The stack is the array of entries, which has room for every slot and for stale entries. It grows downward from the array's
/// end, where in a block the words begin, so that an entry is found from their address.
#[doc(hidden)]
#[derive(Clone, Debug)]
#[repr(C)]
pub struct LifoQueue {
    /// Where the entry on top is, counted from the end of the array: never positive.
    top: isize,
    /// Slots from this one on have no entry, unless they were claimed.
    fresh_from: u32,
    /// Slots from this one on may have been claimed.
    fresh_until: u32,
}

impl LifoQueue {
    /// For [`SlotOffsets`](crate::SlotOffsets).
    pub(crate) const OFFSETS: [usize; 3] =
        [offset_of!(Self, top), offset_of!(Self, fresh_from), offset_of!(Self, fresh_until)];

    /// How many entries are on the stack.
    #[inline]
    fn len(&self) -> usize {
        self.top.unsigned_abs()
    }

    /// The entries on the stack, that on top first.
    #[inline]
    fn stack<'a, I>(&self, entries: &'a [I]) -> &'a [I] {
        &entries[entries.len() - self.len()..]
    }

    /// Whether there are more entries, and slots behind them, than those that count.
    fn has_stale(&self, words: &SlotWords<impl Place>) -> bool {
        // Each vacant slot is in there at least once.
        self.len() + words.slots() - self.fresh_from as usize > words.vacant()
    }

    /// Finds out which slots are fresh.
    #[inline]
    fn settle_fresh(&mut self, slots: &SlotWords<impl Place>) {
        let is_unused = self.fresh_from as usize >= slots.ever_used();
        self.fresh_until = if is_unused { slots.slots() as u32 } else { self.fresh_from };
    }

    /// Puts entries on the stack, for which there is room.
    fn push<I: Word>(&mut self, above: &[I], slots: &mut SlotWords<impl Place<Entry = I>>) {
        let top = slots.entries().len() - self.len();
        slots.entries_mut()[top - above.len()..top].copy_from_slice(above);
        self.top -= above.len() as isize;
    }

    /// The entry on top, or the slot behind the stack.
    #[inline]
    fn first<I: Word>(&self, entries: &[I]) -> usize {
        self.stack(entries).first().map_or(self.fresh_from as usize, |slot| slot.to_index())
    }

    /// Drops the entries on top, and goes past the slots behind the stack, that are stale, or of the slot that is taken (none
    /// has the highest number).
    #[inline(always)]
    fn pass<I: Word>(&mut self, taken: usize, words: &SlotWords<impl Place<Entry = I>>) {
        let is_gone = |slot| slot == taken || !words.is_vacant(slot);
        while self.top != 0 && is_gone(self.first(words.entries())) {
            self.top += 1;
        }
        while (self.fresh_from as usize) < words.slots() && is_gone(self.fresh_from as usize) {
            self.fresh_from += 1;
        }
        self.settle_fresh(words);
    }

    /// The slot that comes next, behind what is stale.
    #[cold]
    #[inline(never)]
    fn next_past_stale<I: Word>(
        &mut self,
        words: &SlotWords<impl Place<Entry = I>>,
    ) -> Option<usize> {
        self.pass(usize::MAX, words);
        Some(self.first(words.entries())).filter(|next| *next < words.slots())
    }

    /// [`take_next`](Queue::take_next), if a stale entry is on top of the stack, or the stack is empty and no slot is fresh.
    /// It returns what fits in two registers: generation 0 if there is no slot.
    #[cold]
    #[inline(never)]
    fn take_past_stale<P: Place<Entry: Word>>(
        &mut self,
        slots: &mut SlotWords<P>,
    ) -> (usize, P::Word) {
        // Alone in front of a call, so that a full pool saves no registers.
        if self.top == 0 && self.fresh_from as usize == slots.slots() {
            return (0, P::Word::ZERO);
        }
        self.take_in_order(slots).unwrap_or((0, P::Word::ZERO))
    }

    /// The same in a pool that may have such a slot.
    #[inline(never)]
    fn take_in_order<P: Place<Entry: Word>>(
        &mut self,
        slots: &mut SlotWords<P>,
    ) -> Option<(usize, P::Word)> {
        let index = self.next_past_stale(slots)?;
        let on_stack = self.top != 0;
        self.top += isize::from(on_stack);
        self.fresh_from += u32::from(!on_stack);
        self.settle_fresh(slots);
        Some((index, slots.begin(index)))
    }

    /// New slots that were used before get entries at the bottom of the stack, the lowest on top. Those that have retired leave
    /// stale ones.
    #[cold]
    #[inline(never)]
    fn put_below<I: Word>(
        &mut self,
        new: Range<usize>,
        slots: &mut SlotWords<impl Place<Entry = I>>,
    ) {
        if self.has_stale(slots) {
            self.compact(usize::MAX, slots);
        }
        slots.write_words(new.clone());
        let (entries, len) = (slots.entries_mut(), self.len());
        let (room, end) = (entries.len(), entries.len() - new.len());
        entries.copy_within(room - len..room, end - len);
        for (entry, index) in entries[end..].iter_mut().zip(new.clone()) {
            *entry = I::from_index(index);
        }
        self.top -= new.len() as isize;
        self.fresh_from = new.end as u32;
        self.settle_fresh(slots);
    }

    /// Removes the stale entries, and those of the slots from `to` on. The rest keeps its order and fits, because each slot has
    /// one entry.
    fn compact<I: Word>(&mut self, to: usize, slots: &mut SlotWords<impl Place<Entry = I>>) {
        // From the top down, so that the first entry found of a vacant slot is the one that counts; the marks identify
        // the older ones.
        slots.begin_marking();
        let end = slots.entries().len();
        let top = end - self.len();
        let mut len = 0;
        for at in top..end {
            let slot = slots.entries()[at];
            let index = slot.to_index();
            if index < to && slots.is_vacant(index) && slots.mark(index) {
                slots.entries_mut()[top + len] = slot;
                len += 1;
            }
        }
        slots.end_marking();
        slots.entries_mut().copy_within(top..top + len, end - len);
        self.top = -(len as isize);
    }
}

// SAFETY: a slot from the stack is tested, and so is one that was never used; `begin` tests all others.
unsafe impl<I: Word> Queue<I> for LifoQueue {
    type Entry = I;
    const EMPTY: Self = Self { top: 0, fresh_from: 0, fresh_until: 0 };

    fn entry_count(slots: usize) -> usize {
        slots + slots / 64 + 1
    }

    #[inline]
    fn next<P: Place<Entry = I>>(&mut self, slots: &SlotWords<P>) -> Option<usize> {
        let next = self.first(slots.entries());
        match slots.is_vacant(next) {
            true => Some(next),
            false => self.next_past_stale(slots),
        }
    }

    #[inline(always)]
    fn take_next<P: Place<Entry = I>>(
        &mut self,
        slots: &mut SlotWords<P>,
    ) -> Option<(usize, P::Word)> {
        // Two branches and no common path: the processor predicts which, and waits for neither. Asked whether it is another number
        // than 0, which it is if it is negative, the compiler lays out the code so that the stack has a jump less.
        if self.top != 0 {
            let entry = slots.place_mut().entries_end().wrapping_offset(self.top);
            // SAFETY: the stack has this entry (invariant 1).
            let index = unsafe { entry.read() }.to_index();
            // SAFETY: an entry is a slot (invariant 1).
            let word = unsafe { slots.stored_unchecked(index) };
            if word.is_vacant() {
                self.top += 1;
                return Some((index, word.as_live()));
            }
        } else if self.fresh_from < self.fresh_until {
            let index = self.fresh_from as usize;
            // SAFETY: a fresh slot is a slot (invariant 2).
            let word = unsafe { slots.stored_unchecked(index) };
            if word.is_unused() {
                self.fresh_from += 1;
                return Some((index, slots.begin_next(index)));
            }
        }
        let (index, generation) = self.take_past_stale(slots);
        (generation != P::Word::ZERO).then_some((index, generation))
    }

    fn is_within_peak(&self, slots: &SlotWords<impl Place<Entry = I>>) -> bool {
        slots.live() + self.len() <= slots.peak().min(slots.slots())
    }

    #[inline(always)]
    unsafe fn give_back_fast<P: Place<Entry = I>>(
        &mut self,
        index: usize,
        slots: &mut SlotWords<P>,
    ) {
        let room = slots.place_mut().entries_end().wrapping_offset(self.top - 1);
        // SAFETY: live slots, this one among them, and entries are no more than there are slots (within the peak), and
        // the array has more than that (invariant 1).
        unsafe { room.write(I::from_index(index)) };
        self.top -= 1;
    }

    /// Stale entries on top are removed at once, so that a pool that is loaded from the lowest slot up, or filled entirely by
    /// claims, leaves none for later.
    #[inline]
    fn take_at<P: Place<Entry = I>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        self.pass(index, slots);
    }

    fn give_back<P: Place<Entry = I>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        if self.len() == slots.entries().len() {
            self.compact(usize::MAX, slots);
        }
        self.push(&[I::from_index(index)], slots);
    }

    /// Those that were never used are fresh.
    fn grow<P: Place<Entry = I>>(&mut self, from: usize, slots: &mut SlotWords<P>) {
        match from < slots.ever_used() && self.fresh_from as usize == from {
            true => self.put_below(from..slots.used(), slots),
            false => self.settle_fresh(slots),
        }
    }

    /// The entries may move to an array that has room for each slot, but not for as many stale entries.
    fn shrink<P: Place<Entry = I>>(&mut self, to: usize, slots: &mut SlotWords<P>) {
        self.compact(to, slots);
        // The next insertion finds out which slots behind the stack are left.
        self.fresh_from = self.fresh_from.min(to as u32);
        self.fresh_until = self.fresh_from;
    }

    fn fit_entries(_entries: &mut [I], _from: usize, _to: usize) {
        // The end of the array is the end of the stack.
    }

    fn copy_entries_from<P: Place<Entry = I>>(
        &self,
        others: &[I],
        _used: usize,
        slots: &mut SlotWords<P>,
    ) {
        let stack = self.stack(others);
        let entries = slots.entries_mut();
        let top = entries.len() - stack.len();
        entries[top..].copy_from_slice(stack);
    }

    fn order<'a, P: Place<Entry = I>>(
        &'a self,
        slots: &'a SlotWords<P>,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut seen = vec![false; if self.has_stale(slots) { slots.slots() } else { 0 }];
        let mut counts = move |index: usize| {
            let seen = seen.get_mut(index);
            seen.is_none_or(|seen| !mem::replace(seen, true) && slots.is_vacant(index))
        };
        let stack = self.stack(slots.entries()).iter().map(|slot| slot.to_index());
        let fresh_from = self.fresh_from as usize;
        let behind = fresh_from..used.max(fresh_from);
        let rest = behind.end..slots.slots();
        let counted = stack.chain(behind).filter(move |&index| counts(index));
        counted.map(|index| index..index + 1).chain(iter::once(rest))
    }

    /// The uppermost entries are written anew, without those that are taken. Fresh slots that are skipped get an
    /// entry: then all that were on the stack are listed, so they come to lie at its bottom.
    fn remove_upcoming<P: Place<Entry = I>>(
        &mut self,
        listed: &[I],
        taken: impl DoubleEndedIterator<Item = Range<usize>> + Clone,
        slots: &mut SlotWords<P>,
    ) -> bool {
        if self.has_stale(slots) {
            return false;
        }
        // Entries listed beyond the last one taken stay as they are.
        let mut until = taken.clone().next_back().map_or(0, |last| last.end);
        let from_stack = until.min(self.len());
        let fresh = self.fresh_from as usize..self.fresh_from as usize + until - from_stack;
        self.fresh_from = fresh.end as u32;
        slots.write_words(fresh);
        self.top += from_stack as isize;
        for range in taken.rev().chain(iter::once(0..0)) {
            self.push(&listed[range.end..until], slots);
            until = range.start;
        }
        self.settle_fresh(slots);
        true
    }

    fn load<P: Place<Entry = I>>(&mut self, order: &[u32], slots: &mut SlotWords<P>) {
        // The slots from there on are not listed.
        *self = Self { top: 0, fresh_from: slots.used() as u32, fresh_until: 0 };
        for slot in order.iter().rev() {
            Queue::<I>::give_back(self, *slot as usize, slots);
        }
        self.settle_fresh(slots);
    }

    fn validate<P: Place<Entry = I>>(&self, slots: &SlotWords<P>) -> Result<(), Violation> {
        let (entries, len, count) = (slots.entries(), self.len(), slots.slots());
        ensure(
            (entries.len() >= <Self as Queue<I>>::entry_count(count) || count == 0)
                && len <= entries.len(),
            "the stack has room for each slot and for stale entries",
            format_args!("{len} entries in {}", entries.len()),
        )?;
        let mut has_entry = vec![false; count];
        let mut note = |slot| has_entry.get_mut(slot).map(|has_entry| *has_entry = true).is_some();
        let beyond = self.stack(entries).iter().find(|entry| !note(entry.to_index()));
        ensure(
            beyond.is_none(),
            "an entry of the stack is a slot",
            format_args!("{beyond:?} of {count}"),
        )?;
        // An insertion takes these without a test.
        let (from, until) = (self.fresh_from as usize, self.fresh_until as usize);
        ensure(
            from >= until || (from >= slots.ever_used() && until == count),
            "the fresh slots of a stack are the last ones, and were never used",
            format_args!("{from} to {until} of {count}, {} used", slots.ever_used()),
        )?;
        let mut before = (0..count).take(from);
        let lost = before.find(|&index| slots.is_vacant(index) && !has_entry[index]);
        ensure(
            lost.is_none(),
            "each vacant slot before `fresh_from` has an entry in the stack",
            format_args!("slot {lost:?} has none"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::{Handle, Word};
    use crate::pools::allocator::HandleAllocator;
    use crate::slots::Block;
    use crate::slots::reuse::tests::taken_from_broken;
    use alloc::vec::Vec;

    fn new_words(slots: usize) -> SlotWords<Block<(Lifo, u32, u32)>> {
        SlotWords::try_new(slots, 1).unwrap()
    }

    fn of(len: usize, fresh_from: u32) -> LifoQueue {
        LifoQueue { top: -(len as isize), fresh_from, fresh_until: fresh_from }
    }

    fn stack<'a>(queue: &LifoQueue, words: &'a SlotWords<Block<(Lifo, u32, u32)>>) -> &'a [u32] {
        queue.stack(words.entries())
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
    fn has_spare_room_for_a_sixty_fourth_of_stale_entries_and_one() {
        let room = [0, 1, 63, 64, 6400].map(<LifoQueue as Queue<u32>>::entry_count);
        assert_eq!(room, [1, 2, 64, 66, 6501]);
    }

    #[test]
    fn a_sweep_keeps_the_uppermost_entry_of_each_vacant_slot_in_order() {
        let mut words = new_words(5);
        words.set_live(0, 1);
        words.set_live(3, 1);
        // Slot 3 is live, slot 4 has two entries, and what is above the top is none.
        words.entries_mut().copy_from_slice(&[0, 1, 4, 2, 3, 4]);
        let mut queue = of(5, 5);
        queue.compact(usize::MAX, &mut words);
        assert_eq!(stack(&queue, &words), [1, 4, 2]);
        let vacant: Vec<_> = (0..5).filter(|&index| words.is_vacant(index)).collect();
        assert_eq!(vacant, [1, 2, 4]);
        assert!(words.occupancy().iter().eq([0, 3]));
    }

    /// What `take_at` of the next slot and `take_next` leave behind would have to be swept out some day.
    #[test]
    fn without_claims_there_are_no_stale_entries() {
        let mut words = new_words(9);
        let mut queue = order();
        for round in 0..40_usize {
            if round % 5 > 1 {
                let taken = if round % 2 == 0 {
                    let next = queue.next(&words).unwrap();
                    queue.take_at(next, &mut words);
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
            assert_eq!(
                queue.len() + 9 - queue.fresh_from as usize,
                9 - words.live(),
                "round {round}"
            );
            if words.live() == 9 {
                words = new_words(9);
                queue.reset(&mut words);
            }
        }
    }

    #[test]
    fn a_pool_that_is_loaded_from_the_lowest_slot_up_has_no_stale_entries_afterwards() {
        let mut words = new_words(5);
        let mut queue = order();
        // All but two of them are given back, and claimed in the order of their slots.
        for index in 0..4 {
            assert_eq!(queue.take_next(&mut words).map(|(slot, _)| slot), Some(index));
            words.set_live(index, 1);
        }
        for index in [3, 2, 1] {
            words.set_dead(index, 1.as_dead());
            queue.give_back(index, &mut words);
        }
        for index in 1..5 {
            queue.take_at(index, &mut words);
            words.set_live(index, 1);
            assert_eq!(
                (queue.len(), queue.fresh_from as usize),
                (3_usize.saturating_sub(index), 4 + index / 4)
            );
        }
        assert_eq!(queue.next(&words), None);
    }

    /// The entry of a slot that was claimed would be taken for that of a vacant one.
    #[test]
    fn an_insertion_skips_what_a_claim_left() {
        let mut slots: HandleAllocator<Lifo> = HandleAllocator::with_capacity(5);
        let handles: Vec<_> = (0..4).map(|_| slots.acquire().unwrap()).collect();
        handles.iter().for_each(|handle| assert!(slots.release(*handle)));
        slots.acquire_at(Handle::from_parts(1, 2).unwrap()).unwrap();
        slots.validate().unwrap();
        let rest: Vec<_> = iter::from_fn(|| slots.acquire()).map(Handle::index).collect();
        assert_eq!(rest, [3, 2, 0, 4]);
        slots.validate().unwrap();
    }

    /// Those before it are tested, one by one, and those behind it were never used.
    #[test]
    fn behind_a_slot_claimed_far_out_the_last_ones_are_fresh_again() {
        let mut slots: HandleAllocator<Lifo> = HandleAllocator::with_capacity(9);
        let fresh = |slots: &mut HandleAllocator<Lifo>| {
            let LifoQueue { fresh_from, fresh_until, .. } = *slots.order_mut().0;
            slots.validate().unwrap();
            (fresh_from, fresh_until)
        };
        assert_eq!(slots.acquire().unwrap().index(), 0);
        assert_eq!(fresh(&mut slots), (1, 9));
        let far = Handle::from_parts(3, 1).unwrap();
        slots.acquire_at(far).unwrap();
        assert_eq!(fresh(&mut slots), (1, 1));
        slots.release(far);
        let next: Vec<_> = (0..3).map(|_| slots.acquire().unwrap().index()).collect();
        assert_eq!((next, fresh(&mut slots)), ([3, 1, 2].to_vec(), (3, 3)));
        assert_eq!(slots.acquire().unwrap().index(), 4);
        assert_eq!(fresh(&mut slots), (5, 9));
    }

    /// The peak may be that of more slots than there are now.
    #[test]
    #[cfg(all(feature = "vec", feature = "validate"))]
    fn a_stack_that_has_shrunk_has_room_for_all_live_slots_beside_what_claims_left() {
        let mut pool = crate::VecPool::new();
        let handles: Vec<_> = (0..200).map(|value| pool.push(value)).collect();
        handles[4..].iter().for_each(|&handle| assert!(pool.remove(handle).is_some()));
        pool.shrink_to_fit();
        assert_eq!((pool.capacity(), pool.stats().peak), (4, 200));
        handles[..4].iter().for_each(|&handle| assert!(pool.remove(handle).is_some()));
        let claimed: Vec<_> = (0..3)
            .map(|slot| pool.insert_at(Handle::from_parts(slot, 2).unwrap(), 0).unwrap())
            .collect();
        for handle in claimed.into_iter().rev() {
            pool.remove(handle);
            pool.validate().unwrap();
        }
    }

    /// The marks lie where the bitmap does, which may be old.
    #[test]
    fn a_sweep_keeps_slots_that_were_live_when_the_bitmap_was_made() {
        let mut words = new_words(300);
        (0..100).for_each(|index| words.set_live(index, 1));
        words.refresh();
        assert!(!words.is_synced());
        (0..100).for_each(|index| words.set_dead(index, 1.as_dead()));
        let entries: Vec<u32> = (0..100).collect();
        let top = words.entries().len() - 100;
        words.entries_mut()[top..].copy_from_slice(&entries);
        let mut queue = of(100, 100);
        queue.compact(usize::MAX, &mut words);
        assert_eq!(stack(&queue, &words), entries);
        assert_eq!(words.occupancy().iter().next(), None);
    }

    /// The first and the third of four: the others keep their places.
    #[test]
    #[cfg(feature = "lots")]
    fn upcoming_slots_are_taken_without_stale_entries() {
        let mut words = new_words(9);
        (0..4).for_each(|index| {
            if index % 2 == 0 {
                words.set_live(index, 1)
            }
        });
        let top = words.entries().len() - 2;
        words.entries_mut()[top..].copy_from_slice(&[3, 1]);
        let mut queue = of(2, 4);
        let mut listed = Vec::<u32>::new();
        queue.list_upcoming(&words, 4, 4, &mut listed);
        assert_eq!(listed, [3, 1, 4, 5]);
        assert!(queue.remove_upcoming(&listed, [0..1, 2..3].into_iter(), &mut words));
        words.set_live(3, 1);
        words.set_live(4, 1);
        assert!(!queue.has_stale(&words));
        assert!(queue.upcoming(&words, 5).eq([1, 5, 6, 7, 8]));
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let missing = "each vacant slot before `fresh_from` has an entry in the stack";
        assert_eq!(broken(|queue, _| queue.top += 1), missing);
        assert_eq!(
            broken(|queue, _| queue.top = -99),
            "the stack has room for each slot and for stale entries"
        );
        let last = |stack: &mut [u32], slot| *stack.last_mut().unwrap() = slot;
        assert_eq!(broken(|_, stack| last(stack, 5)), "an entry of the stack is a slot");
        assert_eq!(broken(|_, stack| last(stack, 2)), missing);
        // Slot 2 is live: an insertion would write over its value.
        let fresh = "the fresh slots of a stack are the last ones, and were never used";
        assert_eq!(broken(|queue, _| queue.fresh_from = 2), fresh);
        assert_eq!(broken(|queue, _| queue.fresh_until = 4), fresh);
        assert_eq!(broken(|queue, _| queue.fresh_until = 6), fresh);
        // There may be no room for the entries of all live slots.
        let twice = |queue: &mut LifoQueue, stack: &mut [u32]| {
            let end = stack.len();
            (stack[end - 2], queue.top) = (1, -2);
        };
        let peak = "a lifetime ends on the fast path only if the order is within the peak";
        assert_eq!(broken(twice), peak);
    }

    /// It is as if the entry were stale, or the slots were none that are fresh.
    #[test]
    fn a_stack_that_names_a_live_slot_goes_on_to_the_next() {
        let taken = taken_from_broken::<Lifo>(|slots| {
            let (queue, entries) = slots.order_mut();
            entries[entries.len() - 1] = 3;
            queue.fresh_until = queue.fresh_from;
        });
        assert_eq!(taken.unwrap(), [4, 5], "slot 1 is lost");
        let taken = taken_from_broken::<Lifo>(|slots| slots.order_mut().0.fresh_from = 2);
        assert_eq!(taken.unwrap(), [1, 4, 5]);
    }
}
