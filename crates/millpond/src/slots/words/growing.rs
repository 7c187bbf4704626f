//! The slots of a pool that grows and shrinks with its values.

use super::lifetimes::Slots;
use crate::base::guard::{defuse, guard, half_way};
use crate::handle::HandleLayout;
use crate::slots::reuse::Queue;
use crate::slots::{Block, Ledger, Place, SlotKind};

impl<Q, L, P> Slots<P, Ledger<Q, L>>
where
    Q: Queue<L::Index>,
    L: HandleLayout,
    P: Place<Word = L::Word, Entry = Q::Entry>,
{
    /// There are more slots now, from this one on: dead ones. If anything panics before the order knows them all, it is
    /// [made anew](Self::reset_order).
    #[inline(always)]
    pub(crate) fn tell_grown(&mut self, from: usize) {
        let mut slots = guard(self, |slots| slots.reset_order_untold());
        half_way();
        slots.grow(from);
        half_way();
        defuse(slots);
    }

    #[inline(always)]
    fn grow(&mut self, from: usize) {
        let Self { words, ledger, .. } = &mut *self;
        // Where a freed slot comes behind those that were never used, the new ones follow it.
        if Q::GOES_ROUND && words.used() > 0 {
            words.mark_used_until(from);
        }
        ledger.queue.grow(from, words);
        // New slots that never existed leave `slow_from` as it is: the generations, the peak and the order within it.
        if from < words.ever_used() {
            self.recount();
            self.renew_slow_from();
        }
        self.ledger.report_size(self.words.slots(), self.words.counters());
    }

    /// The slots from `to` on, all dead, are about to be removed; [`note_shrunk`](Self::note_shrunk) must be called then.
    pub(crate) fn shrink(&mut self, to: usize) {
        self.words.end_all_slowly();
        self.ledger.queue.shrink(to, &mut self.words);
    }

    /// There are fewer slots now.
    pub(crate) fn note_shrunk(&mut self) {
        self.renew_slow_from();
        self.ledger.report_size(self.words.slots(), self.words.counters());
    }
}

impl<K: SlotKind, L> Slots<Block<K>, L> {
    /// Like [`try_grow`](Slots::try_grow), on a short path, if the block is [small](Block::grow_small); otherwise nothing changes.
    #[inline(always)]
    pub(crate) fn grow_small(&mut self, slots: usize) -> bool {
        let place = &mut self.words.place;
        let former = place.parts().entries.len();
        let has_grown = place.grow_small(slots);
        if has_grown {
            let entries = place.parts_mut().entries;
            let count = entries.len();
            K::fit_entries(entries, former, count);
            if K::IS_SYNCED {
                self.words.start_syncing();
            }
        }
        has_grown
    }
}

#[cfg(test)]
mod tests {
    use crate::VecPool;

    /// In an order that goes round, a freed slot lies between those that were never used and new ones.
    #[test]
    fn new_slots_behind_a_freed_one_leave_none_below_them_unused() {
        let mut pool = VecPool::builder().reuse(crate::reuse::Fifo).build();
        pool.reserve(4).unwrap();
        fn used(pool: &impl crate::snapshot::State) -> usize {
            pool.used()
        }
        pool.reserve(8).unwrap();
        assert_eq!(used(&pool), 0, "each slot of a pool that was never used");
        let first = pool.push(1);
        assert_eq!(used(&pool), 1);
        pool.remove(first);
        pool.reserve(12).unwrap();
        assert_eq!((used(&pool), pool.capacity()), (8, 16));
        let mut pool = VecPool::builder().reuse(crate::reuse::Roster).build();
        let first = pool.push(1);
        pool.remove(first);
        pool.reserve(12).unwrap();
        assert_eq!(used(&pool), 1, "an order that uses freed slots first");
    }
}
