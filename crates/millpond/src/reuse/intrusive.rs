use alloc::boxed::Box;
use core::ops::Range;

use super::list::{self, Links, List};
use super::{Link, Queue, ReuseOrder, Slots, sealed};
use crate::handle::IndexWord;
use crate::memory::{self, OutOfMemory};
#[cfg(feature = "validate")]
use crate::validate::Violation;

/// The slot freed last is handed out next, by a list threaded through the dead slots' own memory.
///
/// The free list of game-programming patterns: it costs no memory per slot beyond the generation
/// word and the occupancy bit.
///
/// **Cost**: 0 bytes per slot in a [`Pool`](crate::Pool) of values of 8 bytes or more. Rule for the
/// rest: where a dead slot has no 8 bytes for the two links (smaller values; a
/// [`Recycler`](crate::Recycler), whose dead objects stay valid; a
/// [`HandleAllocator`](crate::HandleAllocator), which has no values), the list lives in an array of
/// 8 bytes per slot. Take, give back and claiming a named slot are O(1), always. In bursts over a
/// large pool it is slower than [`Lifo`](super::Lifo), because each slot must be read to find the
/// next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Intrusive;

impl sealed::Sealed for Intrusive {}

impl ReuseOrder for Intrusive {
    const NAME: &'static str = "Intrusive";
    type Queue<I: IndexWord> = IntrusiveQueue;
}

/// The vacant slots, the one freed last first.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct IntrusiveQueue {
    list: List,
    /// The links, where the slots do not hold them; otherwise empty.
    links: Box<[Link]>,
}

/// The links wherever they are.
struct Threaded<'a, S> {
    slots: &'a mut S,
    links: &'a mut [Link],
}

impl<S: Slots> Links for Threaded<'_, S> {
    #[inline]
    fn link(&self, index: usize) -> Link {
        if S::HOLDS_LINKS { self.slots.link(index) } else { self.links[index] }
    }

    #[inline]
    fn set_link(&mut self, index: usize, link: Link) {
        if S::HOLDS_LINKS {
            self.slots.set_link(index, link);
        } else {
            self.links[index] = link;
        }
    }
}

impl IntrusiveQueue {
    fn push_all_vacant<S: Slots>(&mut self, slots: &mut S) {
        self.list = List::EMPTY;
        for index in 0..slots.words().slots() {
            if slots.words().is_vacant(index) {
                self.list.push_last(index, &mut Threaded { slots, links: &mut self.links });
            }
        }
    }
}

impl<I: IndexWord> Queue<I> for IntrusiveQueue {
    const LINKS_IN_SLOTS: bool = true;

    fn try_new<S: Slots>(slots: &mut S) -> Result<Self, OutOfMemory> {
        let count = slots.words().slots();
        let links = memory::filled(if S::HOLDS_LINKS { 0 } else { count }, Link::NONE)?;
        let mut queue = Self { list: List::EMPTY, links };
        queue.push_all_vacant(slots);
        Ok(queue)
    }

    #[inline]
    fn next<S: Slots>(&mut self, _slots: &S) -> Option<usize> {
        self.list.first()
    }

    #[inline]
    fn take<S: Slots>(&mut self, index: usize, slots: &mut S) {
        self.list.remove(index, &mut Threaded { slots, links: &mut self.links });
    }

    #[inline]
    fn claim<S: Slots>(&mut self, index: usize, slots: &mut S) {
        self.list.remove(index, &mut Threaded { slots, links: &mut self.links });
    }

    #[inline]
    fn give_back<S: Slots>(&mut self, index: usize, slots: &mut S) {
        self.list.push_first(index, &mut Threaded { slots, links: &mut self.links });
    }

    fn reset<S: Slots>(&mut self, slots: &mut S) {
        self.push_all_vacant(slots);
    }

    fn take_over(&mut self, other: &Self, used: usize) {
        self.list.take_over(&other.list);
        // Where the slots hold them, they come with the slots.
        list::take_over_links(&mut self.links, &other.links, used);
    }

    fn order<'a, S: Slots>(
        &'a self,
        slots: &'a S,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        self.list.order(slots.words().slots(), used, |index| {
            if S::HOLDS_LINKS { slots.link(index) } else { self.links[index] }
        })
    }

    #[cfg(feature = "serde")]
    fn load<S: Slots>(&mut self, order: &[u32], slots: &mut S) {
        self.list = List::EMPTY;
        let mut links = Threaded { slots, links: &mut self.links };
        for slot in order {
            self.list.push_last(*slot as usize, &mut links);
        }
    }

    #[cfg(feature = "validate")]
    fn validate<S: Slots>(&self, slots: &S) -> Result<(), Violation> {
        self.list.validate(slots.words(), |index| {
            if S::HOLDS_LINKS { slots.link(index) } else { self.links[index] }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HandleAllocator;
    use alloc::vec::Vec;

    /// A copy of a sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut IntrusiveQueue)) -> &'static str {
        let mut slots: HandleAllocator<Intrusive> = HandleAllocator::with_capacity(5);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        slots.validate().unwrap();
        change(slots.core_mut().queue_mut());
        slots.validate().unwrap_err().rule()
    }

    #[test]
    fn validation_finds_what_is_broken() {
        assert_eq!(
            broken(|queue| queue.links[1].previous = 4),
            "the list leads back the way that it came"
        );
        assert_eq!(
            broken(|queue| queue.links[4].next = 0),
            "the list ends after the last vacant slot"
        );
    }
}
