use core::fmt;
use core::iter::FusedIterator;

use crate::handle::{Handle, HandleLayout, handle_of_live};
use crate::reuse::{Lifo, ReuseOrder};
use crate::storage;
use core::marker::PhantomData;

/// Implements what all borrowed iterators over a pool have in common, on top of a storage's
/// iterator: `self.values` yields `(index, value)`, and `$item` makes the item of it.
macro_rules! iterator {
    (
        $name:ident<$($param:tt $(: $bound:ident)?),*> yields $item:ty,
        |$this:ident, $index:ident, $value:ident| $make:expr
    ) => {
        impl<'a, $($param $(: $bound)?),*> Iterator for $name<'a, $($param),*> {
            type Item = $item;

            #[inline(always)]
            fn next(&mut self) -> Option<$item> {
                let ($index, $value) = self.values.next()?;
                let $this = &self.of;
                Some($make)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.values.size_hint()
            }

            #[inline]
            fn count(self) -> usize {
                self.values.len()
            }

            #[inline]
            fn last(mut self) -> Option<$item> {
                self.next_back()
            }

            #[inline(always)]
            fn fold<A, F: FnMut(A, $item) -> A>(self, start: A, mut f: F) -> A {
                let $this = &self.of;
                self.values.fold(start, |folded, ($index, $value)| f(folded, $make))
            }
        }

        impl<$($param $(: $bound)?),*> DoubleEndedIterator for $name<'_, $($param),*> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let ($index, $value) = self.values.next_back()?;
                let $this = &self.of;
                Some($make)
            }
        }

        impl<$($param $(: $bound)?),*> ExactSizeIterator for $name<'_, $($param),*> {}
        impl<$($param $(: $bound)?),*> FusedIterator for $name<'_, $($param),*> {}
    };
}

/// The handles and values of a pool in index order; made by [`Pool::iter`](super::Pool::iter).
pub struct Iter<'a, T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    of: &'a [H::Word],
    order: PhantomData<R>,
    values: storage::Values<'a, T>,
}

iterator! {
    Iter<T, R: ReuseOrder, H: HandleLayout> yields (H, &'a T),
    |words, index, value| (handle_of_live(index, words), value)
}

impl<'a, T, R: ReuseOrder, H: HandleLayout> Iter<'a, T, R, H> {
    #[inline]
    pub(super) fn new(words: &'a [H::Word], values: storage::Values<'a, T>) -> Self {
        Self { of: words, order: PhantomData, values }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Clone for Iter<'_, T, R, H> {
    fn clone(&self) -> Self {
        Self { of: self.of, order: PhantomData, values: self.values.clone() }
    }
}

impl<T: fmt::Debug, R: ReuseOrder, H: HandleLayout> fmt::Debug for Iter<'_, T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

/// The handles and values of a pool, to change, in index order; made by
/// [`Pool::iter_mut`](super::Pool::iter_mut).
pub struct IterMut<'a, T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    of: &'a [H::Word],
    order: PhantomData<R>,
    values: storage::ValuesMut<'a, T>,
}

iterator! {
    IterMut<T, R: ReuseOrder, H: HandleLayout> yields (H, &'a mut T),
    |words, index, value| (handle_of_live(index, words), value)
}

impl<'a, T, R: ReuseOrder, H: HandleLayout> IterMut<'a, T, R, H> {
    #[inline]
    pub(super) fn new(words: &'a [H::Word], values: storage::ValuesMut<'a, T>) -> Self {
        Self { of: words, order: PhantomData, values }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> fmt::Debug for IterMut<'_, T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut").field("remaining", &self.values.len()).finish_non_exhaustive()
    }
}

/// The values of a pool in index order; made by [`Pool::values`](super::Pool::values).
pub struct Values<'a, T> {
    of: (),
    values: storage::Values<'a, T>,
}

iterator! { Values<T> yields &'a T, |_of, _index, value| value }

impl<'a, T> Values<'a, T> {
    #[inline]
    pub(crate) fn new(values: storage::Values<'a, T>) -> Self {
        Self { of: (), values }
    }
}

impl<T> Clone for Values<'_, T> {
    fn clone(&self) -> Self {
        Self { of: (), values: self.values.clone() }
    }
}

impl<T: fmt::Debug> fmt::Debug for Values<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// The values of a pool, to change, in index order; made by
/// [`Pool::values_mut`](super::Pool::values_mut).
pub struct ValuesMut<'a, T> {
    of: (),
    values: storage::ValuesMut<'a, T>,
}

iterator! { ValuesMut<T> yields &'a mut T, |_of, _index, value| value }

impl<'a, T> ValuesMut<'a, T> {
    #[inline]
    pub(crate) fn new(values: storage::ValuesMut<'a, T>) -> Self {
        Self { of: (), values }
    }
}

impl<T> fmt::Debug for ValuesMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValuesMut").field("remaining", &self.values.len()).finish_non_exhaustive()
    }
}
