use core::fmt;
use core::marker::PhantomData;

use crate::handle::{HandleLayout, handle_of_live};
use crate::occupancy::{LiveSlots, Occupancy};
use crate::values::Walks;

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

/// An iterator over a pool's handles and values in index order; returned by its method `iter`. `I` finds the values.
pub struct Iter<'a, R, H: HandleLayout, I> {
    of: &'a [H::Word],
    order: PhantomData<R>,
    values: I,
}

/// An iterator over a pool's handles and mutable values in index order; returned by its method `iter_mut`.
pub struct IterMut<'a, R, H: HandleLayout, I> {
    of: &'a [H::Word],
    order: PhantomData<R>,
    values: I,
}

/// An iterator over a pool's values in index order; returned by its method `values`.
pub struct Values<I> {
    of: (),
    values: I,
}

/// A mutable iterator over a pool's values in index order; returned by its method `values_mut`.
pub struct ValuesMut<I> {
    of: (),
    values: I,
}

iterator! {
    ['a, V, R, H: HandleLayout, I: Walks<V> + Iterator<Item = (usize, V)>] Iter<'a, R, H, I>, yields (H, V),
    |words, (index, value)| (handle_of_live(index, words), value)
}
iterator! {
    ['a, V, R, H: HandleLayout, I: Walks<V> + Iterator<Item = (usize, V)>] IterMut<'a, R, H, I>, yields (H, V),
    |words, (index, value)| (handle_of_live(index, words), value)
}
iterator! { [V, I: Walks<V> + Iterator<Item = (usize, V)>] Values<I>, yields V, |_of, (_, value)| value }
iterator! { [V, I: Walks<V> + Iterator<Item = (usize, V)>] ValuesMut<I>, yields V, |_of, (_, value)| value }

impl<'a, R, H: HandleLayout, I> Iter<'a, R, H, I> {
    #[inline]
    pub(crate) fn new(words: &'a [H::Word], values: I) -> Self {
        Self { of: words, order: PhantomData, values }
    }
}

impl<'a, R, H: HandleLayout, I> IterMut<'a, R, H, I> {
    #[inline]
    pub(crate) fn new(words: &'a [H::Word], values: I) -> Self {
        Self { of: words, order: PhantomData, values }
    }
}

impl<I> Values<I> {
    #[inline]
    pub(crate) fn new(values: I) -> Self {
        Self { of: (), values }
    }
}

impl<I> ValuesMut<I> {
    #[inline]
    pub(crate) fn new(values: I) -> Self {
        Self { of: (), values }
    }
}

impl<R, H: HandleLayout, I: Clone> Clone for Iter<'_, R, H, I> {
    fn clone(&self) -> Self {
        Self { of: self.of, order: PhantomData, values: self.values.clone() }
    }
}

impl<I: Clone> Clone for Values<I> {
    fn clone(&self) -> Self {
        Self { of: (), values: self.values.clone() }
    }
}

impl<V: fmt::Debug, R, H: HandleLayout, I: Walks<V> + Iterator<Item = (usize, V)> + Clone>
    fmt::Debug for Iter<'_, R, H, I>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

impl<R, H: HandleLayout, I: ExactSizeIterator> fmt::Debug for IterMut<'_, R, H, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut").field("remaining", &self.values.len()).finish_non_exhaustive()
    }
}

impl<V: fmt::Debug, I: Walks<V> + Iterator<Item = (usize, V)> + Clone> fmt::Debug for Values<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<I: ExactSizeIterator> fmt::Debug for ValuesMut<I> {
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
