use super::list::{LinkEntry, ListQueue};
use super::{ReuseOrder, sealed};
use crate::base::entry::Entry;
use crate::handle::IndexWord;
use crate::slots::Link;

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
    type Queue<I: IndexWord> = ListQueue<OwnLink, true>;
}

/// The link of a slot whose value has no room for it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct OwnLink(Link);

impl Entry for OwnLink {
    const EMPTY: Self = Self(Link::NONE);
    const EMPTY_IS_ZERO: bool = false;
    const LINKS_IN_SLOTS: bool = true;
}

impl LinkEntry for OwnLink {
    #[inline]
    fn new(link: Link) -> Self {
        Self(link)
    }

    #[inline]
    fn link(self) -> Link {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pools::allocator::HandleAllocator;
    use alloc::vec::Vec;

    /// A copy of a sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut ListQueue<OwnLink, true>, &mut [OwnLink])) -> &'static str {
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
