//! Growth without a reuse order, for side tables.

use super::TableStorage;
use crate::base::memory::OutOfMemory;
use crate::handle::Word;
use crate::slots::{Place, SlotWords};

impl<T, W: Word> TableStorage<T, W> {
    /// No slots, and no memory.
    pub(crate) const fn empty() -> Self {
        Self { words: SlotWords::empty() }
    }

    /// Grows to this many slots, in another block of memory; the new ones are dead, with this word.
    /// On an error, nothing changes.
    pub(crate) fn try_grow(&mut self, slots: usize, dead: W) -> Result<(), OutOfMemory> {
        let before = self.slots();
        assert!(slots >= before, "a table does not shrink");
        let mut grown = Self::try_table(slots, false, dead)?;
        // No user code from here on: each live value is in two places until the old slots are all dead.
        for index in self.words.occupancy().iter() {
            grown.unearth(index);
            let to = grown.value_mut(index).as_mut_ptr();
            let from = self.values()[index].as_ptr();
            // SAFETY: both are slots, of different blocks. The copy becomes the value as the words follow below,
            // and the original is forgotten there.
            unsafe { to.copy_from_nonoverlapping(from, 1) };
        }
        grown.words.copy_state_from(&self.words, before);
        self.words.place_mut().parts_mut().words.fill(W::RETIRED);
        *self = grown;
        Ok(())
    }

    /// Makes all slots, which are dead, as if never used, with this word.
    pub(crate) fn forget_words(&mut self, dead: W) {
        // No bit of a live slot is left.
        self.words.refresh();
        self.words.reset(dead);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::rc::Rc;
    use alloc::vec::Vec;

    #[test]
    fn a_storage_that_grows_keeps_its_slots_and_drops_each_value_once() {
        let counted = Rc::new(());
        let mut storage = TableStorage::empty();
        let mut expected = Vec::new();
        for slots in [1, 3, 64, 65, 256, 257, 1000] {
            let before = storage.slots();
            storage.try_grow(slots, u32::RETIRED).unwrap();
            assert_eq!(storage.slots(), slots);
            assert!(storage.words().as_slice()[before..].iter().all(|word| *word == u32::RETIRED));
            storage.put(slots - 1, slots as u32, counted.clone());
            expected.push((slots - 1, slots as u32));
            if slots == 64 {
                storage.drop_value(2, 9_u32.as_dead());
                expected.remove(1);
            }
            let live = storage.iter().map(|(index, _)| index);
            assert!(live.eq(expected.iter().map(|(index, _)| *index)));
            assert!(
                expected.iter().all(|(index, word)| storage.words().get(*index) == Some(*word))
            );
            assert_eq!(Rc::strong_count(&counted), expected.len() + 1);
        }
        assert_eq!(storage.words().get(2), Some(9_u32.as_dead()));
        drop(storage);
        assert_eq!(Rc::strong_count(&counted), 1);
    }
}
