//! A search for the next vacant slot. Invariant: a slot is found by its bit and its word, which say that it is vacant ([`Queue`]).

use core::ops::Range;

use super::{OrderOf, Queue, ReuseOrder, sealed};
use crate::handle::IndexWord;
use crate::reports::validate::{Violation, ensure};
use crate::slots::{Place, SlotWords};

/// Moves a cursor from the slot used last to the next vacant one, going round at most once.
///
/// This is the scan of the byte-map pool (design 2 of [`classic`](crate::classic)), 64 slots at a
/// time. When a slot below the cursor is freed, the cursor moves down to it, and the next search
/// begins *after* it; that slot is found again when the cursor comes round.
///
/// **Cost**: no memory per slot. Give back and claim are O(1). Take reads one word of the occupancy
/// after the other, for at most one round: O(slots / 64) in the worst case (plus one generation
/// word for each retired slot on the way), but a step or two unless the pool is nearly full. A full
/// pool is detected at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NextFit;

impl sealed::Sealed for NextFit {}

impl ReuseOrder for NextFit {
    const NAME: &'static str = "NextFit";
    type Queue<I: IndexWord> = NextFitQueue;
}

/// The vacant slots follow from the generation words.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct NextFitQueue {
    /// The slot after which the search begins: used last, or freed below that one.
    cursor: Option<usize>,
}

/// The first dead slot after the cursor that is vacant, going round once; the cursor's own slot comes
/// last.
#[inline]
pub(crate) fn next_vacant_after(
    cursor: Option<usize>,
    words: &SlotWords<impl Place>,
    is_vacant: impl Fn(usize) -> bool,
) -> Option<usize> {
    let first_from = |from| {
        let mut dead = words.first_dead_from(from);
        while let Some(index) = dead {
            if is_vacant(index) {
                break;
            }
            dead = words.first_dead_from(index + 1);
        }
        dead
    };
    // The first search would have found anything that the second finds beyond the cursor.
    first_from(cursor.map_or(0, |cursor| cursor + 1)).or_else(|| first_from(0))
}

// SAFETY: as the invariant says.
unsafe impl<I: IndexWord> Queue<I> for NextFitQueue {
    type Entry = ();
    const EMPTY: Self = Self { cursor: None };
    const SEARCHES_BITMAP: bool = true;

    fn entry_count(_slots: usize) -> usize {
        0
    }

    #[inline]
    fn next<P: Place<Entry = ()>>(&mut self, slots: &SlotWords<P>) -> Option<usize> {
        let words = slots;
        if words.vacant() == 0 {
            return None;
        }
        let is_vacant = |index| words.retired() == 0 || words.is_vacant(index);
        next_vacant_after(self.cursor, words, is_vacant)
    }

    #[inline]
    fn take<P: Place<Entry = ()>>(&mut self, index: usize, _slots: &mut SlotWords<P>) {
        self.cursor = Some(index);
    }

    #[inline]
    fn take_at<P: Place<Entry = ()>>(&mut self, _index: usize, _slots: &mut SlotWords<P>) {}

    #[inline]
    fn give_back<P: Place<Entry = ()>>(&mut self, index: usize, _slots: &mut SlotWords<P>) {
        if self.cursor.is_some_and(|cursor| index < cursor) {
            self.cursor = Some(index);
        }
    }

    fn grow<P: Place<Entry = ()>>(&mut self, _from: usize, _slots: &mut SlotWords<P>) {}

    fn shrink<P: Place<Entry = ()>>(&mut self, to: usize, _slots: &mut SlotWords<P>) {
        self.cursor = self.cursor.map(|cursor| cursor.min(to.saturating_sub(1)));
        self.cursor = self.cursor.filter(|_| to > 0);
    }

    const GOES_ROUND: bool = true;

    fn copy_state_from<P: Place<Entry = ()>>(
        &mut self,
        other: &Self,
        _others: &[()],
        _used: usize,
        _slots: &mut SlotWords<P>,
    ) {
        self.cursor = other.cursor;
    }

    /// The cursor's slot.
    fn order<'a, P: Place<Entry = ()>>(
        &'a self,
        _slots: &'a SlotWords<P>,
        _used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        self.cursor.into_iter().map(|cursor| cursor..cursor + 1)
    }

    fn upcoming<'a, P: Place<Entry = ()>>(
        &'a self,
        slots: &'a SlotWords<P>,
        _used: usize,
    ) -> impl Iterator<Item = usize> + 'a {
        let words = slots;
        let after = self.cursor.map_or(0, |cursor| cursor + 1).min(words.slots());
        (after..words.slots()).chain(0..after).filter(|slot| words.is_vacant(*slot))
    }

    const ORDER_OF: OrderOf = OrderOf::Cursor;

    fn load<P: Place<Entry = ()>>(&mut self, order: &[u32], slots: &mut SlotWords<P>) {
        let _ = slots;
        self.cursor = order.first().map(|slot| *slot as usize);
    }

    fn validate<P: Place<Entry = ()>>(&self, slots: &SlotWords<P>) -> Result<(), Violation> {
        let words = slots;
        ensure(
            self.cursor.is_none_or(|cursor| cursor < words.slots()),
            "the cursor is at a slot",
            format_args!("{:?} of {}", self.cursor, words.slots()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pools::allocator::HandleAllocator;
    use alloc::vec::Vec;

    /// A copy of a sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut NextFitQueue)) -> &'static str {
        let mut slots: HandleAllocator<NextFit> = HandleAllocator::with_capacity(5);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        slots.validate().unwrap();
        change(slots.order_mut().0);
        slots.validate().unwrap_err().rule()
    }

    #[test]
    fn validation_finds_what_is_broken() {
        assert_eq!(broken(|queue| queue.cursor = Some(5)), "the cursor is at a slot");
    }
}
