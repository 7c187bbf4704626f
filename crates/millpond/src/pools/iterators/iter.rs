use core::fmt;
use core::marker::PhantomData;

use crate::handle::{HandleLayout, handle_of_live};
use crate::occupancy::{LiveSlots, Occupancy};
use crate::values;

/// Implements what all borrowed iterators over a pool have in common, on top of a storage's
/// iterator: `$make` turns what `self.values` yields into the item, by `self.of`.
macro_rules! iterator {
    (
        [$($generics:tt)*] $name:ty, yields $item:ty,
        |$this:ident, $found:pat_param| $make:expr
    ) => {
        impl<$($generics)*> Iterator for $name {
            type Item = $item;

            #[inline(always)]
            fn next(&mut self) -> Option<$item> {
                let $found = self.values.next()?;
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
            fn nth(&mut self, n: usize) -> Option<$item> {
                let $found = self.values.nth(n)?;
                let $this = &self.of;
                Some($make)
            }

            #[inline]
            fn last(mut self) -> Option<$item> {
                self.next_back()
            }

            #[inline(always)]
            fn fold<A, F: FnMut(A, $item) -> A>(self, start: A, mut f: F) -> A {
                let $this = &self.of;
                self.values.fold(start, |folded, $found| f(folded, $make))
            }
        }

        impl<$($generics)*> DoubleEndedIterator for $name {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let $found = self.values.next_back()?;
                let $this = &self.of;
                Some($make)
            }
        }

        impl<$($generics)*> ExactSizeIterator for $name {}
        impl<$($generics)*> core::iter::FusedIterator for $name {}
    };
}

pub(crate) use iterator;

/// An iterator over a pool's handles and values in index order; returned by its method `iter`.
pub struct Iter<'a, T, R, H: HandleLayout> {
    of: &'a [H::Word],
    order: PhantomData<R>,
    values: values::Values<'a, T>,
}

/// An iterator over a pool's handles and mutable values in index order; returned by its method `iter_mut`.
pub struct IterMut<'a, T, R, H: HandleLayout> {
    of: &'a [H::Word],
    order: PhantomData<R>,
    values: values::ValuesMut<'a, T>,
}

/// An iterator over a pool's values in index order; returned by its method `values`.
pub struct Values<'a, T> {
    of: (),
    values: values::Values<'a, T>,
}

/// A mutable iterator over a pool's values in index order; returned by its method `values_mut`.
pub struct ValuesMut<'a, T> {
    of: (),
    values: values::ValuesMut<'a, T>,
}

iterator! {
    ['a, T, R, H: HandleLayout] Iter<'a, T, R, H>, yields (H, &'a T),
    |words, (index, value)| (handle_of_live(index, words), value)
}
iterator! {
    ['a, T, R, H: HandleLayout] IterMut<'a, T, R, H>, yields (H, &'a mut T),
    |words, (index, value)| (handle_of_live(index, words), value)
}
iterator! { ['a, T] Values<'a, T>, yields &'a T, |_of, (_, value)| value }
iterator! { ['a, T] ValuesMut<'a, T>, yields &'a mut T, |_of, (_, value)| value }

impl<'a, T, R, H: HandleLayout> Iter<'a, T, R, H> {
    #[inline]
    pub(crate) fn new(words: &'a [H::Word], values: values::Values<'a, T>) -> Self {
        Self { of: words, order: PhantomData, values }
    }
}

impl<'a, T, R, H: HandleLayout> IterMut<'a, T, R, H> {
    #[inline]
    pub(crate) fn new(words: &'a [H::Word], values: values::ValuesMut<'a, T>) -> Self {
        Self { of: words, order: PhantomData, values }
    }
}

impl<'a, T> Values<'a, T> {
    #[inline]
    pub(crate) fn new(values: values::Values<'a, T>) -> Self {
        Self { of: (), values }
    }
}

impl<'a, T> ValuesMut<'a, T> {
    #[inline]
    pub(crate) fn new(values: values::ValuesMut<'a, T>) -> Self {
        Self { of: (), values }
    }
}

impl<T, R, H: HandleLayout> Clone for Iter<'_, T, R, H> {
    fn clone(&self) -> Self {
        Self { of: self.of, order: PhantomData, values: self.values.clone() }
    }
}

impl<T> Clone for Values<'_, T> {
    fn clone(&self) -> Self {
        Self { of: (), values: self.values.clone() }
    }
}

impl<T: fmt::Debug, R, H: HandleLayout> fmt::Debug for Iter<'_, T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

impl<T, R, H: HandleLayout> fmt::Debug for IterMut<'_, T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut").field("remaining", &self.values.len()).finish_non_exhaustive()
    }
}

impl<T: fmt::Debug> fmt::Debug for Values<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<T> fmt::Debug for ValuesMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValuesMut").field("remaining", &self.values.len()).finish_non_exhaustive()
    }
}

/// An iterator over a pool's live handles in index order; returned by its method `handles`.
pub struct Handles<'a, R, H: HandleLayout> {
    of: &'a [H::Word],
    values: LiveSlots<'a>,
    order: PhantomData<R>,
}

impl<'a, R, H: HandleLayout> Handles<'a, R, H> {
    #[inline]
    pub(crate) fn new(words: &'a [H::Word], occupancy: Occupancy<'a>) -> Self {
        Self { of: words, values: occupancy.iter(), order: PhantomData }
    }
}

iterator! { ['a, R, H: HandleLayout] Handles<'a, R, H>, yields H, |words, index| handle_of_live(index, words) }

impl<R, H: HandleLayout> Clone for Handles<'_, R, H> {
    fn clone(&self) -> Self {
        Self { of: self.of, values: self.values.clone(), order: PhantomData }
    }
}

impl<R, H: HandleLayout> fmt::Debug for Handles<'_, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
