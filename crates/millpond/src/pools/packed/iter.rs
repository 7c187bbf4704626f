use core::fmt;
use core::iter::Zip;
use core::slice;

use crate::pools::iterators::iterator;

/// An iterator over a packed pool's handles and values in their current order; returned by
/// [`PackedPool::iter`](super::PackedPool::iter).
pub struct Iter<'a, T, H> {
    of: (),
    values: Zip<slice::Iter<'a, H>, slice::Iter<'a, T>>,
}

iterator! { ['a, T, H: Copy] Iter<'a, T, H>, yields (H, &'a T), |_of, (handle, value)| (*handle, value) }

impl<'a, T, H: Copy> Iter<'a, T, H> {
    #[inline]
    pub(super) fn new(handles: &'a [H], values: &'a [T]) -> Self {
        debug_assert_eq!(handles.len(), values.len());
        Self { of: (), values: handles.iter().zip(values) }
    }
}

impl<T, H> Clone for Iter<'_, T, H> {
    fn clone(&self) -> Self {
        Self { of: (), values: self.values.clone() }
    }
}

impl<T: fmt::Debug, H: Copy + fmt::Debug> fmt::Debug for Iter<'_, T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

/// An iterator over a packed pool's handles and mutable values in their current order; returned by
/// [`PackedPool::iter_mut`](super::PackedPool::iter_mut).
pub struct IterMut<'a, T, H> {
    of: (),
    values: Zip<slice::Iter<'a, H>, slice::IterMut<'a, T>>,
}

iterator! { ['a, T, H: Copy] IterMut<'a, T, H>, yields (H, &'a mut T), |_of, (handle, value)| (*handle, value) }

impl<'a, T, H: Copy> IterMut<'a, T, H> {
    #[inline]
    pub(super) fn new(handles: &'a [H], values: &'a mut [T]) -> Self {
        debug_assert_eq!(handles.len(), values.len());
        Self { of: (), values: handles.iter().zip(values) }
    }
}

impl<T, H: Copy> fmt::Debug for IterMut<'_, T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut").field("remaining", &self.values.len()).finish_non_exhaustive()
    }
}
