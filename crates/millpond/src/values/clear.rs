use super::Storage;
use crate::base::guard::guard;
use crate::handle::HandleLayout;
use crate::slots::reuse::Queue;
use crate::slots::{Ledger, Place};

impl<T, P: Place> Storage<T, P> {
    /// Removes and drops all values. If a drop panics, the values that were not yet dropped stay.
    pub(crate) fn clear<Q: Queue<L::Index, Entry = P::Entry>, L: HandleLayout<Word = P::Word>>(
        &mut self,
        ledger: &mut Ledger<Q, L>,
    ) {
        let cycle = ledger.cycle();
        // The reuse order matches the words again at the end.
        let mut storage = guard(self, move |storage| ledger.reset_order(storage.slots_mut()));
        if !core::mem::needs_drop::<T>() {
            storage.forget_all(&cycle);
            return;
        }
        for index in 0..storage.words().used() {
            let Some(generation) = storage.words().of_live(index) else { continue };
            storage.drop_value(index, cycle.word_after(generation));
        }
    }
}
