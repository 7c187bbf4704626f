use core::ops::Range;

use super::list::{self, Links, List};
use super::{Link, Queue, ReuseOrder, Slots, sealed};
use crate::base::entry::Entry;
use crate::handle::IndexWord;
#[cfg(feature = "validate")]
use crate::reports::validate::Violation;

/// Reuses the slot freed last, using a list threaded through the dead slots' own memory.
///
/// This is the free list of game programming patterns: it costs no memory per slot beyond the
/// generation word and the occupancy bit.
///
/// **Cost**: 0 bytes per slot in a [`Pool`](crate::Pool) of values of 8 bytes or more. If dead
/// slots have no 8 bytes for the two links (smaller values; a [`Recycler`](crate::Recycler), whose
/// dead objects stay valid; a [`HandleAllocator`](crate::HandleAllocator), which has no values),
/// the list is in an array of 8 bytes per slot. Take, give back and claim are always O(1). In
/// bursts over a large pool, it is slower than [`Lifo`](super::Lifo), because each slot must be
/// read to find the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Intrusive;

impl sealed::Sealed for Intrusive {}

impl ReuseOrder for Intrusive {
    const NAME: &'static str = "Intrusive";
    type Queue<I: IndexWord> = IntrusiveQueue;
}

/// The vacant slots; the one freed last is first.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct IntrusiveQueue {
    list: List,
}

/// The link of a slot whose value has no room for it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct OwnLink(Link);

impl Entry for OwnLink {
    const EMPTY: Self = Self(Link::NONE);
    const LINKS_IN_SLOTS: bool = true;
}

/// The links, in the slots or in an array.
struct Threaded<'a, S>(&'a mut S);

impl<S: Slots<Entry = OwnLink>> Links for Threaded<'_, S> {
    #[inline]
    fn link(&self, index: usize) -> Link {
        link(self.0, index)
    }

    #[inline]
    fn set_link(&mut self, index: usize, link: Link) {
        if S::HOLDS_LINKS {
            self.0.set_link(index, link);
        } else {
            self.0.entries_mut()[index] = OwnLink(link);
        }
    }
}

#[inline]
fn link<S: Slots<Entry = OwnLink>>(slots: &S, index: usize) -> Link {
    if S::HOLDS_LINKS { slots.link(index) } else { slots.words().entries()[index].0 }
}

impl<I: IndexWord> Queue<I> for IntrusiveQueue {
    type Entry = OwnLink;
    const EMPTY: Self = Self { list: List::EMPTY };

    fn entry_count(slots: usize, holds_links: bool) -> usize {
        if holds_links { 0 } else { slots }
    }

    fn reset<S: Slots<Entry = OwnLink>>(&mut self, slots: &mut S) {
        self.list = List::EMPTY;
        for index in 0..slots.words().slots() {
            if slots.words().is_vacant(index) {
                self.list.push_last(index, &mut Threaded(slots));
            }
        }
    }

    #[inline]
    fn next<S: Slots<Entry = OwnLink>>(&mut self, _slots: &S) -> Option<usize> {
        self.list.first()
    }

    #[inline]
    fn take<S: Slots<Entry = OwnLink>>(&mut self, index: usize, slots: &mut S) {
        self.list.remove(index, &mut Threaded(slots));
    }

    #[inline]
    fn claim<S: Slots<Entry = OwnLink>>(&mut self, index: usize, slots: &mut S) {
        self.list.remove(index, &mut Threaded(slots));
    }

    #[inline]
    fn give_back<S: Slots<Entry = OwnLink>>(&mut self, index: usize, slots: &mut S) {
        self.list.push_first(index, &mut Threaded(slots));
    }

    fn grow<S: Slots<Entry = OwnLink>>(&mut self, from: usize, slots: &mut S) {
        for index in from..slots.words().slots() {
            if slots.words().is_vacant(index) {
                self.list.push_last(index, &mut Threaded(slots));
            }
        }
    }

    fn shrink<S: Slots<Entry = OwnLink>>(&mut self, to: usize, slots: &mut S) {
        for index in to..slots.words().slots() {
            if slots.words().is_vacant(index) {
                self.list.remove(index, &mut Threaded(slots));
            }
        }
    }

    fn copy_state_from<S: Slots<Entry = OwnLink>>(
        &mut self,
        other: &Self,
        others: &[OwnLink],
        used: usize,
        slots: &mut S,
    ) {
        self.list = other.list.clone();
        // Where the slots hold the links, they come with the slots.
        let count = if S::HOLDS_LINKS { 0 } else { slots.words().slots() };
        list::copy_links(slots.entries_mut(), others, used, count);
    }

    fn order<'a, S: Slots<Entry = OwnLink>>(
        &'a self,
        slots: &'a S,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        self.list.order(slots.words().slots(), used, |index| link(slots, index))
    }

    #[cfg(feature = "serde")]
    fn load<S: Slots<Entry = OwnLink>>(&mut self, order: &[u32], slots: &mut S) {
        self.list = List::EMPTY;
        for slot in order {
            self.list.push_last(*slot as usize, &mut Threaded(slots));
        }
    }

    #[cfg(feature = "validate")]
    fn validate<S: Slots<Entry = OwnLink>>(&self, slots: &S) -> Result<(), Violation> {
        self.list.validate(slots.words(), |index| link(slots, index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pools::allocator::HandleAllocator;
    use alloc::vec::Vec;

    /// A copy of a sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut IntrusiveQueue, &mut [OwnLink])) -> &'static str {
        let mut slots: HandleAllocator<Intrusive> = HandleAllocator::with_capacity(5);
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
            broken(|_, links| links[1].0.previous = 4),
            "the list leads back the way that it came"
        );
        assert_eq!(
            broken(|_, links| links[4].0.next = 0),
            "the list ends after the last vacant slot"
        );
    }
}
