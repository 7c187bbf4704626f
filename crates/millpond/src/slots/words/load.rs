//! The state of a pool's slots, restored from a saved one.

use super::SlotWords;
use super::lifetimes::Slots;
use crate::base::guard::half_way;
use crate::handle::HandleLayout;
use crate::slots::reuse::Queue;
use crate::slots::saved::Checked;
use crate::slots::{Counters, Ledger, Place};

impl<Q, L, P> Slots<P, Ledger<Q, L>>
where
    Q: Queue<L::Index>,
    L: HandleLayout,
    P: Place<Word = L::Word, Entry = Q::Entry>,
{
    /// Loads the saved state, for slots that already have the saved words.
    pub(crate) fn load(&mut self, saved: &Checked<L::Word>) {
        let Self { words, ledger, .. } = self;
        assert!(saved.cycle.start() != 0, "no slot begins at generation 0");
        words.set_start(saved.cycle.start());
        half_way();
        ledger.load_numbers(saved, words.used_words());
        half_way();
        ledger.queue.load(&saved.order, words);
        half_way();
        self.renew_slow_from();
        self.report_all();
    }
}

impl<Q, H: HandleLayout> Ledger<Q, H> {
    /// Loads the saved numbers, for slots that already have the saved words: these.
    pub(crate) fn load_numbers(
        &mut self,
        saved: &Checked<H::Word>,
        words: impl Iterator<Item = H::Word>,
    ) {
        self.cycle = saved.cycle.with_layout();
        self.refused = saved.refused;
        self.evicted = saved.evicted;
        self.age_max_out_of_turn = saved.age_max();
        self.recount(words);
    }
}

impl<P: Place> SlotWords<P> {
    /// Makes all slots as if never used, with this first generation, whatever state a panic has left them in. The values of
    /// live ones are gone.
    pub(crate) fn renew(&mut self, start: u32) {
        self.set_counters(Counters::loaded(self.inserted, 0, 0, 0));
        self.forget();
        self.set_start(start);
        self.end_all_slowly();
    }
}
