//! Objects that are all there, beside the slots that say which of them are in use.

use core::mem::MaybeUninit;

use super::{Storage, ValueRuns, ValueRunsMut, ValuesMut};
use crate::occupancy::{Occupancy, Runs};
use crate::slots::Place;

impl<T, P: Place, L> Storage<T, P, L> {
    /// See [`SlotWords::refresh`].
    #[inline]
    pub(crate) fn refresh(&mut self) {
        self.words_mut().refresh();
    }
}

impl<'a, T> ValuesMut<'a, T> {
    /// The objects of a slice that the occupancy names.
    #[inline]
    pub(crate) fn of_slice(objects: &'a mut [T], occupancy: Occupancy<'a>) -> Self {
        assert_eq!(objects.len(), occupancy.slots());
        let values = core::ptr::from_mut(objects) as *mut [MaybeUninit<T>];
        // SAFETY: all objects of a slice are initialised, and stay so: the iterator lends them as what they are.
        Self::new(unsafe { &mut *values }, occupancy)
    }
}

impl<'a, T> ValueRuns<'a, T> {
    #[inline]
    pub(crate) fn of_slice(slots: &'a [T], runs: Runs<'a>) -> Self {
        // SAFETY: all slots of a slice have values, and it is borrowed for `'a`.
        unsafe { Self::new(slots.as_ptr(), slots.len(), runs) }
    }
}

impl<'a, T> ValueRunsMut<'a, T> {
    #[inline]
    pub(crate) fn of_slice(slots: &'a mut [T], runs: Runs<'a>) -> Self {
        // SAFETY: all slots of a slice have values, and it is borrowed mutably for `'a`.
        unsafe { Self::new(slots.as_mut_ptr(), slots.len(), runs) }
    }
}
