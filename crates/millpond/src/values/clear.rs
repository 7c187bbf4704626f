use super::Storage;
use crate::base::guard::guard;
use crate::handle::HandleLayout;
use crate::slots::reuse::Queue;
use crate::slots::{Ledger, Place};

impl<T, P, Q, L> Storage<T, P, Ledger<Q, L>>
where
    P: Place<Word = L::Word, Entry = Q::Entry>,
    Q: Queue<L::Index>,
    L: HandleLayout,
{
    /// Removes and drops all values. If a drop panics, the values that were not yet dropped stay.
    pub(crate) fn clear(&mut self) {
        let cycle = self.slots().ledger().cycle();
        // The reuse order matches the words again at the end.
        let mut storage = guard(self, |storage| storage.slots_mut().reset_order());
        // The constant first, so that nothing else is generated for such values.
        if Self::MAY_FORGET || !core::mem::needs_drop::<T>() && !storage.has_dead_to_keep() {
            return storage.words_mut().set_all_dead(&cycle);
        }
        for index in 0..storage.words().used() {
            let Some(generation) = storage.words().of_live(index) else { continue };
            storage.drop_value(index, cycle.word_after(generation));
        }
    }
}
