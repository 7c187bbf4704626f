use core::ops::Range;

use super::list::{self, List};
use super::{Link, Queue, ReuseOrder, Slots, sealed};
use crate::handle::IndexWord;
#[cfg(feature = "validate")]
use crate::reports::validate::Violation;

/// Reuses the slot freed first, so that each slot rests as long as possible.
///
/// So stale references are caught even long after the removal, and generations are used up evenly:
/// a pool with `d` dead slots reuses a slot only after `d` others.
///
/// **Cost**: 8 bytes per slot (a doubly linked list in an array). Take, give back and claim are
/// always O(1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fifo;

impl sealed::Sealed for Fifo {}

impl ReuseOrder for Fifo {
    const NAME: &'static str = "Fifo";
    type Queue<I: IndexWord> = FifoQueue;
}

/// The vacant slots; the one that has been dead longest is first.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct FifoQueue {
    list: List,
}

impl<I: IndexWord> Queue<I> for FifoQueue {
    type Entry = Link;
    const EMPTY: Self = Self { list: List::EMPTY };
    const GOES_ROUND: bool = true;

    fn entry_count(slots: usize, _holds_links: bool) -> usize {
        slots
    }

    fn reset<S: Slots<Entry = Link>>(&mut self, slots: &mut S) {
        self.list = List::EMPTY;
        for index in 0..slots.words().slots() {
            if slots.words().is_vacant(index) {
                self.list.push_last(index, slots.entries_mut());
            }
        }
    }

    #[inline]
    fn next<S: Slots<Entry = Link>>(&mut self, _slots: &S) -> Option<usize> {
        self.list.first()
    }

    #[inline]
    fn take<S: Slots<Entry = Link>>(&mut self, index: usize, slots: &mut S) {
        self.list.remove(index, slots.entries_mut());
    }

    #[inline]
    fn claim<S: Slots<Entry = Link>>(&mut self, index: usize, slots: &mut S) {
        self.list.remove(index, slots.entries_mut());
    }

    #[inline]
    fn give_back<S: Slots<Entry = Link>>(&mut self, index: usize, slots: &mut S) {
        self.list.push_last(index, slots.entries_mut());
    }

    fn grow<S: Slots<Entry = Link>>(&mut self, from: usize, slots: &mut S) {
        for index in from..slots.words().slots() {
            if slots.words().is_vacant(index) {
                self.list.push_last(index, slots.entries_mut());
            }
        }
    }

    fn shrink<S: Slots<Entry = Link>>(&mut self, to: usize, slots: &mut S) {
        for index in to..slots.words().slots() {
            if slots.words().is_vacant(index) {
                self.list.remove(index, slots.entries_mut());
            }
        }
    }

    fn copy_state_from<S: Slots<Entry = Link>>(
        &mut self,
        other: &Self,
        others: &[Link],
        used: usize,
        slots: &mut S,
    ) {
        self.list = other.list.clone();
        let count = slots.words().slots();
        list::copy_links(slots.entries_mut(), others, used, count);
    }

    fn order<'a, S: Slots<Entry = Link>>(
        &'a self,
        slots: &'a S,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let words = slots.words();
        self.list.order(words.slots(), used, |index| words.entries()[index])
    }

    #[cfg(feature = "serde")]
    fn load<S: Slots<Entry = Link>>(&mut self, order: &[u32], slots: &mut S) {
        self.list = List::EMPTY;
        for slot in order {
            self.list.push_last(*slot as usize, slots.entries_mut());
        }
    }

    #[cfg(feature = "validate")]
    fn validate<S: Slots<Entry = Link>>(&self, slots: &S) -> Result<(), Violation> {
        self.list.validate(slots.words(), |index| slots.words().entries()[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pools::allocator::HandleAllocator;
    use alloc::vec::Vec;

    /// A copy of a sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut FifoQueue, &mut [Link])) -> &'static str {
        let mut slots: HandleAllocator<Fifo> = HandleAllocator::with_capacity(5);
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
            broken(|_, links| links[3].previous = 4),
            "the list leads back the way that it came"
        );
        assert_eq!(
            broken(|_, links| links[3].next = 0),
            "the list has each vacant slot and no other"
        );
        assert_eq!(
            broken(|_, links| links[3].next = 99),
            "the list has each vacant slot and no other"
        );
        assert_eq!(
            broken(|_, links| links[1].next = 3),
            "the list ends after the last vacant slot"
        );
        assert_eq!(
            broken(|queue, _| queue.list = List::EMPTY),
            "the list has each vacant slot and no other"
        );
    }
}
