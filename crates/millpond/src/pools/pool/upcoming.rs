//! How many threads' insertions into a [`Pool`] become its own: the slots that come next are listed before, and taken
//! after.

use alloc::vec::Vec;

use super::Pool;
use crate::handle::{self, HandleLayout, Word};
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// Lists the slots that come next, if nothing dies meanwhile: `count`, or all that are vacant if there are fewer.
    pub(crate) fn list_upcoming(&self, count: usize, list: &mut Vec<H::Index>) {
        self.storage.slots().list_upcoming(count, list);
    }

    /// Moves values into slots that were [listed](Self::list_upcoming), since when no slot was born or has died:
    /// `births` are the values of each lot, and `first_of` says where in the list a lot begins.
    #[track_caller]
    pub(crate) fn begin_upcoming(
        &mut self,
        listed: &[H::Index],
        births: &mut [Vec<T>],
        first_of: impl Fn(usize) -> usize + Copy,
    ) {
        let taken = births.iter().enumerate().filter(|(_, values)| !values.is_empty());
        let taken = taken.map(|(lot, values)| first_of(lot)..first_of(lot) + values.len());
        // Before anything changes, as the report is passed to a user function, which may panic.
        for slot in taken.clone().flatten() {
            self.storage.inspect(listed[slot].to_index());
        }
        let are_taken = self.storage.slots_mut().remove_upcoming(listed, taken);
        let mut until = 0;
        for (lot, values) in births.iter_mut().enumerate() {
            for (slot, value) in listed[first_of(lot)..].iter().zip(values.drain(..)) {
                let index = slot.to_index();
                let word = self.storage.words().of_vacant(index).expect("listed as vacant");
                if are_taken {
                    self.storage.put(index, word, value);
                    self.storage.slots_mut().note_begin(index);
                    self.note_origin(index);
                } else {
                    self.begin_out_of_turn(handle::kept::<H>(index, word), value);
                }
                until = until.max(index + 1);
            }
        }
        self.storage.slots_mut().note_upcoming(until);
    }

    /// In turn, the way of any insertion; out of turn, by `take_at`.
    #[track_caller]
    fn begin_out_of_turn(&mut self, handle: H, value: T) {
        if self.storage.slots_mut().peek() == Some(handle.erase()) {
            self.insert_peeked(handle, value);
        } else {
            self.insert_at(handle, value).expect("listed as vacant");
        }
    }
}
