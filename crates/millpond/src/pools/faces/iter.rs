use core::fmt;
use core::marker::PhantomData;

use crate::handle::HandleLayout;
use crate::occupancy::{LiveSlots, Occupancy};
use crate::slots::KeptWords;

/// Implements what all borrowed iterators over a pool have in common, on top of a storage's
/// iterator: `$make` turns what `self.values` yields into the item, by `self.of`.
macro_rules! iterator {
    (
        $name:ident<$($param:tt $(: $bound:path)?),*> yields $item:ty,
        |$this:ident, $found:pat_param| $make:expr
    ) => {
        impl<'a, $($param $(: $bound)?),*> Iterator for $name<'a, $($param),*> {
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

        impl<$($param $(: $bound)?),*> DoubleEndedIterator for $name<'_, $($param),*> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let $found = self.values.next_back()?;
                let $this = &self.of;
                Some($make)
            }
        }

        impl<$($param $(: $bound)?),*> ExactSizeIterator for $name<'_, $($param),*> {}
        impl<$($param $(: $bound)?),*> core::iter::FusedIterator for $name<'_, $($param),*> {}
    };
}

pub(crate) use iterator;

/// The borrowed iterators over handles and values, and over values, on top of these two of a storage.
macro_rules! iterators {
    ($shared:ident, $mutable:ident) => {
        /// An iterator over a pool's handles and values in index order; returned by its method
        /// `iter`.
        pub struct Iter<'a, T, R, H: crate::handle::HandleLayout> {
            of: crate::slots::KeptWords<'a, H::Word>,
            order: core::marker::PhantomData<R>,
            values: crate::values::$shared<'a, T>,
        }

        crate::pools::faces::iterator! {
            Iter<T, R, H: crate::handle::HandleLayout> yields (H, &'a T),
            |words, (index, value)| (words.handle_of_live(index), value)
        }

        impl<'a, T, R, H: crate::handle::HandleLayout> Iter<'a, T, R, H> {
            #[inline]
            pub(crate) fn new(
                words: crate::slots::KeptWords<'a, H::Word>,
                values: crate::values::$shared<'a, T>,
            ) -> Self {
                Self { of: words, order: core::marker::PhantomData, values }
            }
        }

        impl<T, R, H: crate::handle::HandleLayout> Clone for Iter<'_, T, R, H> {
            fn clone(&self) -> Self {
                Self { of: self.of, order: core::marker::PhantomData, values: self.values.clone() }
            }
        }

        impl<T: core::fmt::Debug, R, H: crate::handle::HandleLayout> core::fmt::Debug
            for Iter<'_, T, R, H>
        {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_map().entries(self.clone()).finish()
            }
        }

        /// An iterator over a pool's handles and mutable values in index order; returned by its
        /// method `iter_mut`.
        pub struct IterMut<'a, T, R, H: crate::handle::HandleLayout> {
            of: crate::slots::KeptWords<'a, H::Word>,
            order: core::marker::PhantomData<R>,
            values: crate::values::$mutable<'a, T>,
        }

        crate::pools::faces::iterator! {
            IterMut<T, R, H: crate::handle::HandleLayout> yields (H, &'a mut T),
            |words, (index, value)| (words.handle_of_live(index), value)
        }

        impl<'a, T, R, H: crate::handle::HandleLayout> IterMut<'a, T, R, H> {
            #[inline]
            pub(crate) fn new(
                words: crate::slots::KeptWords<'a, H::Word>,
                values: crate::values::$mutable<'a, T>,
            ) -> Self {
                Self { of: words, order: core::marker::PhantomData, values }
            }
        }

        impl<T, R, H: crate::handle::HandleLayout> core::fmt::Debug for IterMut<'_, T, R, H> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct("IterMut")
                    .field("remaining", &self.values.len())
                    .finish_non_exhaustive()
            }
        }

        /// An iterator over a pool's values in index order; returned by its method `values`.
        pub struct Values<'a, T> {
            of: (),
            values: crate::values::$shared<'a, T>,
        }

        crate::pools::faces::iterator! { Values<T> yields &'a T, |_of, (_, value)| value }

        impl<'a, T> Values<'a, T> {
            #[inline]
            pub(crate) fn new(values: crate::values::$shared<'a, T>) -> Self {
                Self { of: (), values }
            }
        }

        impl<T> Clone for Values<'_, T> {
            fn clone(&self) -> Self {
                Self { of: (), values: self.values.clone() }
            }
        }

        impl<T: core::fmt::Debug> core::fmt::Debug for Values<'_, T> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_list().entries(self.clone()).finish()
            }
        }

        /// A mutable iterator over a pool's values in index order; returned by its method
        /// `values_mut`.
        pub struct ValuesMut<'a, T> {
            of: (),
            values: crate::values::$mutable<'a, T>,
        }

        crate::pools::faces::iterator! { ValuesMut<T> yields &'a mut T, |_of, (_, value)| value }

        impl<'a, T> ValuesMut<'a, T> {
            #[inline]
            pub(crate) fn new(values: crate::values::$mutable<'a, T>) -> Self {
                Self { of: (), values }
            }
        }

        impl<T> core::fmt::Debug for ValuesMut<'_, T> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct("ValuesMut")
                    .field("remaining", &self.values.len())
                    .finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use iterators;

iterators!(Values, ValuesMut);

/// An iterator over a pool's live handles in index order; returned by its method `handles`.
pub struct Handles<'a, R, H: HandleLayout> {
    of: KeptWords<'a, H::Word>,
    values: LiveSlots<'a>,
    order: PhantomData<R>,
}

impl<'a, R, H: HandleLayout> Handles<'a, R, H> {
    #[inline]
    pub(crate) fn new(words: KeptWords<'a, H::Word>, occupancy: Occupancy<'a>) -> Self {
        Self { of: words, values: occupancy.iter(), order: PhantomData }
    }
}

iterator! { Handles<R, H: HandleLayout> yields H, |words, index| words.handle_of_live(index) }

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
