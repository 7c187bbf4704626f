use super::BlockPool;
use crate::handle::Handle;
use crate::pools::faces;
use crate::slots::reuse::Lifo;
use crate::values;

/// The free slot reserved for a pool's next value; returned by [`BlockPool::vacant_entry`].
pub type VacantEntry<'a, T, R = Lifo, H = Handle<T>> = faces::VacantEntry<'a, BlockPool<T, R, H>>;

/// An iterator over a pool's handles and values in index order; returned by [`BlockPool::iter`].
pub type Iter<'a, T, R = Lifo, H = Handle<T>> = faces::Iter<'a, R, H, values::BlockValues<'a, T>>;

/// An iterator over a pool's handles and mutable values in index order; returned by
/// [`BlockPool::iter_mut`].
pub type IterMut<'a, T, R = Lifo, H = Handle<T>> =
    faces::IterMut<'a, R, H, values::BlockValuesMut<'a, T>>;

/// An iterator that moves all values out of a pool in index order; returned by
/// [`BlockPool::drain`].
pub type Drain<'a, T, R = Lifo, H = Handle<T>> = faces::Drain<'a, BlockPool<T, R, H>>;

/// An iterator that moves chosen values out of a pool in index order; returned by
/// [`BlockPool::extract_if`].
pub type ExtractIf<'a, T, R, H, F> = faces::ExtractIf<'a, BlockPool<T, R, H>, F>;

/// An iterator over the values of a pool that it owns, in index order.
pub type IntoIter<T, R = Lifo, H = Handle<T>> = faces::IntoIter<BlockPool<T, R, H>>;

/// An iterator over a pool's values in index order; returned by [`BlockPool::values`].
pub type Values<'a, T> = faces::Values<values::BlockValues<'a, T>>;

/// A mutable iterator over a pool's values in index order; returned by [`BlockPool::values_mut`].
pub type ValuesMut<'a, T> = faces::ValuesMut<values::BlockValuesMut<'a, T>>;
