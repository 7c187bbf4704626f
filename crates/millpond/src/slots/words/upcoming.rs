//! Slots that come next, taken many at a time and not in their order.

use core::ops::Range;

use super::lifetimes::Slots;
use crate::handle::HandleLayout;
use crate::slots::reuse::Queue;
use crate::slots::{Ledger, Place};

impl<Q, L, P> Slots<P, Ledger<Q, L>>
where
    Q: Queue<L::Index>,
    L: HandleLayout,
    P: Place<Word = L::Word, Entry = Q::Entry>,
{
    /// Lists the first `count` slots that come next.
    pub(crate) fn list_upcoming(&self, count: usize, list: &mut impl Extend<L::Index>) {
        self.ledger.queue.list_upcoming(&self.words, self.words.used(), count, list);
    }

    /// Takes upcoming slots out of the order, of which the caller begins the next lifetimes: see
    /// [`Queue::remove_upcoming`]. [`note_upcoming`](Self::note_upcoming) must be called afterwards.
    pub(crate) fn remove_upcoming(
        &mut self,
        listed: &[L::Index],
        taken: impl DoubleEndedIterator<Item = Range<usize>> + Clone,
    ) -> bool {
        self.words.end_all_slowly();
        self.ledger.queue.remove_upcoming(listed, taken, &mut self.words)
    }

    /// A lifetime of such a slot begins.
    pub(crate) fn note_begin(&mut self, index: usize) {
        self.ledger.note_begin(index);
    }

    /// Slots below this one, taken out of turn, have become live.
    pub(crate) fn note_upcoming(&mut self, until: usize) {
        self.words.mark_used_until(until);
        self.renew_slow_from();
    }
}

#[cfg(test)]
mod tests {
    use crate::handle::{Handle, Word};
    use crate::slots::generation_settings::GenerationSettings;
    use crate::slots::reuse::{Lifo, Queue};
    use crate::slots::{LedgerOf, OwnSlots, SlotWords};

    #[test]
    fn lifetimes_end_slowly_while_upcoming_slots_are_taken() {
        let ledger = LedgerOf::<Lifo, Handle<()>>::fresh(&GenerationSettings::PLAIN);
        let words = SlotWords::<crate::slots::Block<(Lifo, u32, u32)>>::try_new(
            8,
            ledger.cycle().start().generation(),
        )
        .unwrap();
        let mut slots = OwnSlots::new(words, ledger);
        let slots = slots.sealed();
        slots.reset_order_untold();
        assert_eq!(slots.words.slow_from(), slots.ledger.slow_from());
        assert!(slots.remove_upcoming(&[0, 1, 2, 3], [0..1, 1..3].into_iter()));
        assert_eq!(slots.words.slow_from(), 0, "the slots are not live yet");
        for index in 0..3 {
            slots.words.record_next_peak();
            slots.words.set_live(index, 1);
        }
        slots.note_upcoming(3);
        assert_eq!(slots.words.slow_from(), slots.ledger.slow_from());
        assert_eq!(slots.ledger.queue.next(&slots.words), Some(3));
    }
}
