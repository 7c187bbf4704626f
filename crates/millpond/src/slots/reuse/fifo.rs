use super::list::ListQueue;
use super::{ReuseOrder, sealed};
use crate::handle::IndexWord;

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
    type Queue<I: IndexWord> = ListQueue;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::Link;
    use crate::pools::allocator::HandleAllocator;
    use alloc::vec::Vec;

    /// A copy of a sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut ListQueue, &mut [Link])) -> &'static str {
        let mut slots: HandleAllocator<Fifo> = HandleAllocator::with_capacity(5);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        slots.validate().unwrap();
        let (queue, entries) = slots.order_mut();
        change(queue, entries);
        slots.validate().unwrap_err().rule()
    }

    /// Slots 3 to 6 were never used.
    #[test]
    fn validation_finds_an_unused_slot_that_was_moved() {
        let mut slots: HandleAllocator<Fifo> = HandleAllocator::with_capacity(7);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        let (_, links) = slots.order_mut();
        // 3 5 4 6 1
        (links[3].next, links[5]) = (5, Link { next: 4, previous: 3 });
        (links[4], links[6].previous) = (Link { next: 6, previous: 5 }, 4);
        let rule = "slots that were never used follow each other in the list";
        assert_eq!(slots.validate().unwrap_err().rule(), rule);
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
            broken(|queue, _| *queue = ListQueue::NONE),
            "the list has each vacant slot and no other"
        );
    }
}
