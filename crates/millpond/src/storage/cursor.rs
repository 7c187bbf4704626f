use core::mem::{self, MaybeUninit};

use crate::occupancy::Occupancy;

/// Lends single values to change, by ascending index.
#[derive(Debug)]
pub(crate) struct CursorMut<'a, T> {
    /// The slots not passed yet, and the index of their first.
    rest: &'a mut [MaybeUninit<T>],
    first: usize,
    occupancy: Occupancy<'a>,
}

impl<'a, T> CursorMut<'a, T> {
    #[inline]
    pub(super) fn new(values: &'a mut [MaybeUninit<T>], occupancy: Occupancy<'a>) -> Self {
        debug_assert_eq!(values.len(), occupancy.slots());
        Self { rest: values, first: 0, occupancy }
    }

    #[inline]
    pub(crate) fn occupancy(&self) -> Occupancy<'a> {
        self.occupancy
    }

    /// The value in a slot that was not passed yet, if the slot is live; the cursor passes it.
    #[inline]
    pub(crate) fn seek(&mut self, index: usize) -> Option<&'a mut T> {
        if !self.occupancy.is_live(index) {
            return None;
        }
        let skipped = index.checked_sub(self.first)?;
        let (passed, rest) = mem::take(&mut self.rest).split_at_mut(skipped + 1);
        self.rest = rest;
        self.first = index + 1;
        // SAFETY: the occupancy that goes with the values calls the slot live (invariant 2).
        Some(unsafe { passed[skipped].assume_init_mut() })
    }
}
