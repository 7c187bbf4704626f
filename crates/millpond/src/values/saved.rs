//! The values of a pool or a table that is read.

use super::Storage;
use crate::base::guard::{guard, half_way};
use crate::handle::{HandleLayout, Word};
use crate::slots::reuse::Queue;
use crate::slots::{Ledger, Place};

impl<T, P, Q, L> Storage<T, P, Ledger<Q, L>>
where
    P: Place<Word = L::Word, Entry = Q::Entry>,
    Q: Queue<L::Index>,
    L: HandleLayout,
{
    /// Drops all values, and makes the slots as if never used, whatever state a panic has left them in.
    pub(crate) fn renew(&mut self) {
        let mut storage = guard(self, |storage| {
            let start = storage.slots().ledger().cycle().start().generation();
            storage.words_mut().renew(start);
            storage.slots_mut().reset_order();
        });
        for index in 0..storage.words().used() {
            storage.drop_value(index, P::Word::RETIRED);
        }
    }
}

impl<T, P: Place, L> Storage<T, P, L> {
    /// Loads the saved state: the values are those of the words' live slots. All slots are dead, and those without words are then as if
    /// never used.
    pub(crate) fn load(
        &mut self,
        words: &[P::Word],
        values: impl IntoIterator<Item = (usize, T)>,
        inserted: u64,
        peak: usize,
    ) {
        self.words_mut().forget();
        for (index, value) in values {
            self.put(index, words[index], value);
            half_way();
        }
        let agree =
            (0..words.len()).all(|index| self.words().is_live(index) != words[index].is_dead());
        assert!(
            agree && words.len() <= self.words().slots(),
            "the live slots are those with values"
        );
        self.words_mut().load(words, inserted, peak);
        half_way();
    }
}
