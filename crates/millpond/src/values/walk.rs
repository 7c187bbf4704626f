//! The values of a storage in index order, and by their address.

use core::mem::MaybeUninit;
use core::slice;

use super::{Storage, ValueRuns, ValueRunsMut, Values, ValuesMut};
use crate::base::address::position_in;
use crate::handle::Word;
use crate::occupancy::{Occupancy, Source};
use crate::slots::Place;

impl<T, P: Place, L> Storage<T, P, L> {
    /// The live values with their indices.
    #[inline]
    pub(crate) fn iter(&self) -> Values<'_, T> {
        Values::new(self.values(), self.words().occupancy_to_walk())
    }

    /// The values, mutable, with the words as they are stored, which have the generations.
    #[inline]
    pub(crate) fn words_and_iter_mut(&mut self) -> (&[P::Word], ValuesMut<'_, T>) {
        let (words, values, occupancy) = self.split_mut();
        (words, ValuesMut::new(values, occupancy))
    }

    /// The runs of live values with the indices of their first slots.
    #[inline]
    pub(crate) fn runs(&self) -> ValueRuns<'_, T> {
        let (values, runs) = (self.values(), self.words().occupancy_to_walk().runs());
        // SAFETY: the slots are borrowed with the storage; those of a run are live (invariant 3 of `values`), so their
        // values are initialised (invariant 2).
        unsafe { ValueRuns::new(values.as_ptr().cast(), values.len(), runs) }
    }

    /// The runs, mutable, with the words as they are stored, which have the generations.
    #[inline]
    pub(crate) fn words_and_runs_mut(&mut self) -> (&[P::Word], ValueRunsMut<'_, T>) {
        let (words, values, occupancy) = self.split_mut();
        let (first, runs) = (values.as_mut_ptr().cast(), occupancy.runs());
        // SAFETY: the slots are borrowed mutably with the storage; those of a run are live (invariant 3), so their values
        // are initialised (invariant 2).
        (words, unsafe { ValueRunsMut::new(first, values.len(), runs) })
    }

    /// The slot of a value, from its address.
    pub(crate) fn index_of(&self, value: &T) -> Option<usize> {
        position_in(self.values(), core::ptr::from_ref(value))
            .filter(|&index| self.words().is_live(index))
    }

    /// The words as they are stored, the values, and an up-to-date occupancy.
    #[inline]
    #[allow(clippy::type_complexity, reason = "three slices of one place")]
    pub(super) fn split_mut(&mut self) -> (&[P::Word], &mut [MaybeUninit<T>], Occupancy<'_>) {
        self.words_mut().refresh();
        let prefix = self.words_mut().prefix();
        let (slots, live) = (self.words().slots(), self.words().live());
        let parts = self.words_mut().place_mut().parts_mut();
        // SAFETY: there are as many values as words, borrowed exclusively (`Place`).
        let values = unsafe { slice::from_raw_parts_mut(parts.values.cast(), slots) };
        let source = match P::HAS_BITMAP {
            true => Source::of_bits(parts.bits),
            false => P::Word::source(parts.words),
        };
        (parts.words, values, Occupancy::new(source, slots, live).with_prefix(prefix))
    }

    /// All values, initialised or not.
    #[inline]
    pub(super) fn values(&self) -> &[MaybeUninit<T>] {
        let parts = self.words().place().parts();
        // SAFETY: there are as many values as words (`Place`).
        unsafe { slice::from_raw_parts(parts.values.cast(), parts.words.len()) }
    }
}
