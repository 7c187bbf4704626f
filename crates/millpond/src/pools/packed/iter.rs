use core::fmt;
use core::iter::{Copied, FusedIterator, Zip};
use core::slice;

/// Implements what both borrowed iterators have in common: `self.pairs` yields the items.
macro_rules! iterator {
    ($name:ident yields $item:ty) => {
        impl<'a, T, H: Copy> Iterator for $name<'a, T, H> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                self.pairs.next()
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.pairs.size_hint()
            }

            #[inline]
            fn nth(&mut self, n: usize) -> Option<$item> {
                self.pairs.nth(n)
            }

            #[inline]
            fn fold<A, F: FnMut(A, $item) -> A>(self, start: A, f: F) -> A {
                self.pairs.fold(start, f)
            }
        }

        impl<T, H: Copy> DoubleEndedIterator for $name<'_, T, H> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                self.pairs.next_back()
            }
        }

        impl<T, H: Copy> ExactSizeIterator for $name<'_, T, H> {}
        impl<T, H: Copy> FusedIterator for $name<'_, T, H> {}
    };
}

/// An iterator over a packed pool's handles and values in their current order; returned by
/// [`PackedPool::iter`](super::PackedPool::iter).
pub struct Iter<'a, T, H> {
    pairs: Zip<Copied<slice::Iter<'a, H>>, slice::Iter<'a, T>>,
}

iterator! { Iter yields (H, &'a T) }

impl<'a, T, H: Copy> Iter<'a, T, H> {
    #[inline]
    pub(super) fn new(handles: &'a [H], values: &'a [T]) -> Self {
        debug_assert_eq!(handles.len(), values.len());
        Self { pairs: handles.iter().copied().zip(values) }
    }
}

impl<T, H> Clone for Iter<'_, T, H> {
    fn clone(&self) -> Self {
        Self { pairs: self.pairs.clone() }
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
    pairs: Zip<Copied<slice::Iter<'a, H>>, slice::IterMut<'a, T>>,
}

iterator! { IterMut yields (H, &'a mut T) }

impl<'a, T, H: Copy> IterMut<'a, T, H> {
    #[inline]
    pub(super) fn new(handles: &'a [H], values: &'a mut [T]) -> Self {
        debug_assert_eq!(handles.len(), values.len());
        Self { pairs: handles.iter().copied().zip(values) }
    }
}

impl<T, H: Copy> fmt::Debug for IterMut<'_, T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut").field("remaining", &self.pairs.len()).finish_non_exhaustive()
    }
}
