use core::fmt;
use core::iter::FusedIterator;

use crate::handle::{HandleLayout, handle_of_live};
use crate::storage;

/// Implements what both iterators have in common: `self.values` yields `(index, value)`.
macro_rules! iterator {
    ($(#[$doc:meta])* $name:ident over $values:ident, yields $item:ty) => {
        $(#[$doc])*
        pub struct $name<'a, H: HandleLayout, V> {
            words: &'a [H::Word],
            values: storage::$values<'a, V>,
        }

        impl<'a, H: HandleLayout, V> $name<'a, H, V> {
            #[inline]
            pub(super) fn new(words: &'a [H::Word], values: storage::$values<'a, V>) -> Self {
                Self { words, values }
            }
        }

        impl<'a, H: HandleLayout, V> Iterator for $name<'a, H, V> {
            type Item = (H, $item);

            #[inline(always)]
            fn next(&mut self) -> Option<Self::Item> {
                let (index, value) = self.values.next()?;
                Some((handle_of_live(index, self.words), value))
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.values.size_hint()
            }

            #[inline]
            fn fold<A, F: FnMut(A, Self::Item) -> A>(self, start: A, mut f: F) -> A {
                let words = self.words;
                self.values.fold(start, |folded, (index, value)| {
                    f(folded, (handle_of_live(index, words), value))
                })
            }
        }

        impl<H: HandleLayout, V> DoubleEndedIterator for $name<'_, H, V> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let (index, value) = self.values.next_back()?;
                Some((handle_of_live(index, self.words), value))
            }
        }

        impl<H: HandleLayout, V> ExactSizeIterator for $name<'_, H, V> {}
        impl<H: HandleLayout, V> FusedIterator for $name<'_, H, V> {}
    };
}

iterator! {
    /// The handles and values of a side table in index order; made by
    /// [`SideTable::iter`](super::SideTable::iter).
    Iter over Values, yields &'a V
}

iterator! {
    /// The handles and values of a side table, to change, in index order; made by
    /// [`SideTable::iter_mut`](super::SideTable::iter_mut).
    IterMut over ValuesMut, yields &'a mut V
}

impl<H: HandleLayout, V> Clone for Iter<'_, H, V> {
    fn clone(&self) -> Self {
        Self { words: self.words, values: self.values.clone() }
    }
}

impl<H: HandleLayout, V: fmt::Debug> fmt::Debug for Iter<'_, H, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

impl<H: HandleLayout, V> fmt::Debug for IterMut<'_, H, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut").field("remaining", &self.values.len()).finish_non_exhaustive()
    }
}
