//! Copying the state of another storage.

use core::mem::needs_drop;

use super::Storage;
use crate::handle::Word;
use crate::occupancy::WORD_SLOTS;
use crate::slots::{Place, full_word};

impl<T, P: Place, L> Storage<T, P, L> {
    /// Takes on the words and values of another storage of the same size. Slots from `used` on were never
    /// used in either.
    pub(crate) fn copy_state_from(&mut self, other: &Self, used: usize)
    where
        T: Copy,
    {
        if self.has_dead_to_keep() {
            // Not by `clone`, which is user code and may do anything.
            return self.copy_each_from(
                other,
                used,
                |value, source| *value = *source,
                |source| *source,
            );
        }
        // In one piece, dead slots and all. No value has drop code that would be missed.
        assert!(used <= self.words().slots().min(other.words().slots()));
        let (to, from) = (self.first_mut(), other.first());
        // SAFETY: both have as many slots, as just tested, in memory of their own.
        unsafe { to.copy_from_nonoverlapping(from, used) };
        self.words_mut().copy_state_from(other.words(), used);
    }

    /// Copies the state by cloning the values. If a clone or a drop panics, some slots are as in the other storage,
    /// some as before, and some dead; the caller must then repair the counts.
    pub(crate) fn clone_state_from(&mut self, other: &Self, used: usize)
    where
        T: Clone,
    {
        if needs_drop::<T>() || self.has_dead_to_keep() {
            return self.copy_each_from(other, used, T::clone_from, T::clone);
        }
        // Written over. If a clone panics, each slot is live or dead as it was, with its value or that of the other.
        self.write_clones_of(other, |_| ());
        self.words_mut().copy_state_from(other.words(), used);
    }

    /// One value after the other: where both sides have one, by `assign`, and by `copy` where only the other has. The words
    /// follow all at once, but for slots that have a value on one side.
    fn copy_each_from(
        &mut self,
        other: &Self,
        used: usize,
        assign: impl Fn(&mut T, &T),
        copy: impl Fn(&T) -> T,
    ) {
        let are_full = |own: &Self, word| {
            [own, other].iter().all(|of| full_word(of.words().as_slice(), word).is_some())
        };
        let is_watched = self.watched().is_some();
        let mut next = 0;
        while next < used {
            let index = next;
            if index % WORD_SLOTS == 0 && !is_watched && are_full(self, index / WORD_SLOTS) {
                for index in index..index + WORD_SLOTS {
                    // SAFETY: the slot is live in this storage, as just tested.
                    let value = unsafe { self.get_unchecked_mut(index) };
                    // SAFETY: and in the other.
                    let source = unsafe { other.get_unchecked(index) };
                    assign(value, source);
                }
                next += WORD_SLOTS;
                continue;
            }
            next += 1;
            let word = other.words().get(index).unwrap_or(P::Word::RETIRED);
            if self.words().get(index) != Some(word) {
                self.watched().into_iter().for_each(|watch| watch.restored(index));
            }
            match (self.get_mut(index), other.get(index)) {
                (Some(value), Some(source)) => assign(value, source),
                (Some(_), None) => self.drop_value(index, word),
                (None, Some(source)) => self.put(index, word, copy(source)),
                (None, None) => {}
            }
        }
        self.words_mut().copy_state_from(other.words(), used);
    }

    /// Whether the bytes of dead slots must not be copied, because they are filled with a pattern,
    /// or a sanitizer watches them.
    pub(super) fn has_dead_to_keep(&self) -> bool {
        self.watched().is_some() || Self::IS_POISONED
    }

    /// The slots up to this number were used, and the retired ones among them are counted anew.
    pub(crate) fn recount(&mut self, used: usize) {
        self.words_mut().mark_used_until(used);
        self.words_mut().recount_retired();
    }
}
