use alloc::boxed::Box;
use core::ops::Range;

use super::list::{self, List};
use super::{Link, Queue, ReuseOrder, Slots, sealed};
use crate::handle::IndexWord;
use crate::memory::{self, OutOfMemory};
#[cfg(feature = "validate")]
use crate::validate::Violation;

/// The slot freed first is handed out next: each slot rests as long as possible.
///
/// A bug that uses a handle after its object is gone is then found late in the bug's life too, and
/// generations are used up evenly: a pool of `n` slots with `d` of them dead hands a slot out again
/// only after `d` others.
///
/// **Cost**: 8 bytes per slot (a doubly linked list in an array). Take, give back and claiming a
/// named slot are O(1), always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fifo;

impl sealed::Sealed for Fifo {}

impl ReuseOrder for Fifo {
    const NAME: &'static str = "Fifo";
    type Queue<I: IndexWord> = FifoQueue;
}

/// The vacant slots, the one that has been dead longest first.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct FifoQueue {
    list: List,
    links: Box<[Link]>,
}

impl<I: IndexWord> Queue<I> for FifoQueue {
    fn try_new<S: Slots>(slots: &mut S) -> Result<Self, OutOfMemory> {
        let count = slots.words().slots();
        let mut links = memory::filled(count, Link::NONE)?;
        let mut list = List::EMPTY;
        for index in 0..count {
            list.push_last(index, &mut links[..]);
        }
        Ok(Self { list, links })
    }

    #[inline]
    fn next<S: Slots>(&mut self, _slots: &S) -> Option<usize> {
        self.list.first()
    }

    #[inline]
    fn take<S: Slots>(&mut self, index: usize, _slots: &mut S) {
        self.list.remove(index, &mut self.links[..]);
    }

    #[inline]
    fn claim<S: Slots>(&mut self, index: usize, _slots: &mut S) {
        self.list.remove(index, &mut self.links[..]);
    }

    #[inline]
    fn give_back<S: Slots>(&mut self, index: usize, _slots: &mut S) {
        self.list.push_last(index, &mut self.links[..]);
    }

    fn reset<S: Slots>(&mut self, slots: &mut S) {
        self.list = List::EMPTY;
        let words = slots.words();
        for index in (0..words.slots()).filter(|&index| words.is_vacant(index)) {
            self.list.push_last(index, &mut self.links[..]);
        }
    }

    const GOES_ROUND: bool = true;

    fn take_over(&mut self, other: &Self, used: usize) {
        self.list.take_over(&other.list);
        list::take_over_links(&mut self.links, &other.links, used);
    }

    fn order<'a, S: Slots>(
        &'a self,
        slots: &'a S,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        self.list.order(slots.words().slots(), used, |index| self.links[index])
    }

    #[cfg(feature = "serde")]
    fn load<S: Slots>(&mut self, order: &[u32], slots: &mut S) {
        let _ = slots;
        self.list = List::EMPTY;
        for slot in order {
            self.list.push_last(*slot as usize, &mut self.links[..]);
        }
    }

    #[cfg(feature = "validate")]
    fn validate<S: Slots>(&self, slots: &S) -> Result<(), Violation> {
        self.list.validate(slots.words(), |index| self.links[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HandleAllocator;
    use alloc::vec::Vec;

    /// A copy of a sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut FifoQueue)) -> &'static str {
        let mut slots: HandleAllocator<Fifo> = HandleAllocator::with_capacity(5);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        slots.validate().unwrap();
        change(slots.core_mut().queue_mut());
        slots.validate().unwrap_err().rule()
    }

    #[test]
    fn validation_finds_what_is_broken() {
        assert_eq!(
            broken(|queue| queue.links[3].previous = 4),
            "the list leads back the way that it came"
        );
        assert_eq!(
            broken(|queue| queue.links[3].next = 0),
            "the list has each vacant slot and no other"
        );
        assert_eq!(
            broken(|queue| queue.links[3].next = 99),
            "the list has each vacant slot and no other"
        );
        assert_eq!(
            broken(|queue| queue.links[1].next = 3),
            "the list ends after the last vacant slot"
        );
        assert_eq!(
            broken(|queue| queue.list = List::EMPTY),
            "the list has each vacant slot and no other"
        );
    }
}
