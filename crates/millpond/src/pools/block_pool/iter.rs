use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use crate::handle::{Handle, HandleLayout};
use crate::pools::faces::iterator;
use crate::slots::KeptWords;
use crate::slots::reuse::{Lifo, ReuseOrder};
use crate::values::{BlockValues, BlockValuesMut};

/// The handles and values of a pool in index order; made by [`BlockPool::iter`](super::BlockPool::iter).
pub struct Iter<'a, T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    of: KeptWords<'a, H::Word>,
    order: PhantomData<R>,
    values: BlockValues<'a, T>,
}

iterator! {
    Iter<T, R: ReuseOrder, H: HandleLayout> yields (H, &'a T),
    |words, index, value| (words.handle_of_live(index), value)
}

impl<'a, T, R: ReuseOrder, H: HandleLayout> Iter<'a, T, R, H> {
    #[inline]
    pub(super) fn new(words: KeptWords<'a, H::Word>, values: BlockValues<'a, T>) -> Self {
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

/// The handles and values of a pool, mutable, in index order; made by
/// [`BlockPool::iter_mut`](super::BlockPool::iter_mut).
pub struct IterMut<'a, T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    of: KeptWords<'a, H::Word>,
    order: PhantomData<R>,
    values: BlockValuesMut<'a, T>,
}

iterator! {
    IterMut<T, R: ReuseOrder, H: HandleLayout> yields (H, &'a mut T),
    |words, index, value| (words.handle_of_live(index), value)
}

impl<'a, T, R: ReuseOrder, H: HandleLayout> IterMut<'a, T, R, H> {
    #[inline]
    pub(super) fn new(words: KeptWords<'a, H::Word>, values: BlockValuesMut<'a, T>) -> Self {
        Self { of: words, order: PhantomData, values }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> fmt::Debug for IterMut<'_, T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut").field("remaining", &self.values.len()).finish_non_exhaustive()
    }
}

/// The values of a pool in index order; made by [`BlockPool::values`](super::BlockPool::values).
pub struct Values<'a, T> {
    of: (),
    values: BlockValues<'a, T>,
}

iterator! { Values<T> yields &'a T, |_of, _index, value| value }

impl<'a, T> Values<'a, T> {
    #[inline]
    pub(super) fn new(values: BlockValues<'a, T>) -> Self {
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

/// The values of a pool, mutable, in index order; made by
/// [`BlockPool::values_mut`](super::BlockPool::values_mut).
pub struct ValuesMut<'a, T> {
    of: (),
    values: BlockValuesMut<'a, T>,
}

iterator! { ValuesMut<T> yields &'a mut T, |_of, _index, value| value }

impl<'a, T> ValuesMut<'a, T> {
    #[inline]
    pub(super) fn new(values: BlockValuesMut<'a, T>) -> Self {
        Self { of: (), values }
    }
}

impl<T> fmt::Debug for ValuesMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValuesMut").field("remaining", &self.values.len()).finish_non_exhaustive()
    }
}
