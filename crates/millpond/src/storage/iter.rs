use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::occupancy::{LiveSlots, Occupancy};

/// The values of the live slots with their indices, in index order, from both ends.
pub(crate) struct Values<'a, T> {
    values: &'a [MaybeUninit<T>],
    live: LiveSlots<'a>,
}

impl<'a, T> Values<'a, T> {
    #[inline]
    pub(super) fn new(values: &'a [MaybeUninit<T>], occupancy: Occupancy<'a>) -> Self {
        debug_assert_eq!(values.len(), occupancy.slots());
        Self { values, live: occupancy.iter() }
    }

    /// # Safety
    ///
    /// The index comes from the `live` that goes with the values.
    #[inline]
    unsafe fn value(values: &'a [MaybeUninit<T>], index: usize) -> (usize, &'a T) {
        // SAFETY: the occupancy names slots of this array only (invariant 1).
        let value = unsafe { values.get_unchecked(index) };
        // SAFETY: the occupancy calls the slot live (invariant 2), and both are borrowed for `'a`.
        (index, unsafe { value.assume_init_ref() })
    }
}

impl<'a, T> Iterator for Values<'a, T> {
    type Item = (usize, &'a T);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.live.next()?;
        // SAFETY: the index comes from `self.live`.
        Some(unsafe { Self::value(self.values, index) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.live.size_hint()
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, Self::Item) -> A>(self, start: A, mut f: F) -> A {
        let values = self.values;
        self.live.fold(start, |folded, index| {
            // SAFETY: the index comes from `self.live`.
            f(folded, unsafe { Self::value(values, index) })
        })
    }
}

impl<T> DoubleEndedIterator for Values<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let index = self.live.next_back()?;
        // SAFETY: the index comes from `self.live`.
        Some(unsafe { Self::value(self.values, index) })
    }
}

impl<T> ExactSizeIterator for Values<'_, T> {}
impl<T> FusedIterator for Values<'_, T> {}

impl<T> Clone for Values<'_, T> {
    fn clone(&self) -> Self {
        Self { values: self.values, live: self.live.clone() }
    }
}

/// The values of the live slots with their indices, to change.
pub(crate) struct ValuesMut<'a, T> {
    values: *mut MaybeUninit<T>,
    live: LiveSlots<'a>,
    borrow: PhantomData<&'a mut [MaybeUninit<T>]>,
}

// SAFETY: it is a `&mut [T]` and an `Occupancy` in all but form.
unsafe impl<T: Send> Send for ValuesMut<'_, T> {}
// SAFETY: as above; a shared one gives no access to the values.
unsafe impl<T: Sync> Sync for ValuesMut<'_, T> {}

impl<'a, T> ValuesMut<'a, T> {
    #[inline]
    pub(super) fn new(values: &'a mut [MaybeUninit<T>], occupancy: Occupancy<'a>) -> Self {
        debug_assert_eq!(values.len(), occupancy.slots());
        Self { values: values.as_mut_ptr(), live: occupancy.iter(), borrow: PhantomData }
    }

    /// # Safety
    ///
    /// The index comes from `self.live`, which names each live slot once.
    #[inline]
    unsafe fn value(values: *mut MaybeUninit<T>, index: usize) -> (usize, &'a mut T) {
        // SAFETY: the occupancy names slots of this array only (invariant 1).
        let value = unsafe { values.add(index) };
        // SAFETY: the array is borrowed mutably for `'a`, and no slot is named twice, so this is the
        // only reference to it.
        let value = unsafe { &mut *value };
        // SAFETY: the occupancy calls the slot live (invariant 2).
        (index, unsafe { value.assume_init_mut() })
    }
}

impl<'a, T> Iterator for ValuesMut<'a, T> {
    type Item = (usize, &'a mut T);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.live.next()?;
        // SAFETY: the index comes from `self.live`.
        Some(unsafe { Self::value(self.values, index) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.live.size_hint()
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, Self::Item) -> A>(self, start: A, mut f: F) -> A {
        let values = self.values;
        self.live.fold(start, |folded, index| {
            // SAFETY: the index comes from `self.live`.
            f(folded, unsafe { Self::value(values, index) })
        })
    }
}

impl<T> DoubleEndedIterator for ValuesMut<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let index = self.live.next_back()?;
        // SAFETY: the index comes from `self.live`.
        Some(unsafe { Self::value(self.values, index) })
    }
}

impl<T> ExactSizeIterator for ValuesMut<'_, T> {}
impl<T> FusedIterator for ValuesMut<'_, T> {}
