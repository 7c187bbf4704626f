use super::Pool;
use crate::handle::Handle;
use crate::pools::iterators;
use crate::slots::reuse::Lifo;

/// The free slot reserved for a pool's next value; returned by [`Pool::vacant_entry`].
pub type VacantEntry<'a, T, R = Lifo, H = Handle<T>> = iterators::VacantEntry<'a, Pool<T, R, H>>;

/// An iterator over a pool's handles and values in index order; returned by [`Pool::iter`].
pub type Iter<'a, T, R = Lifo, H = Handle<T>> = iterators::Iter<'a, T, R, H>;

/// An iterator over a pool's handles and mutable values in index order; returned by
/// [`Pool::iter_mut`].
pub type IterMut<'a, T, R = Lifo, H = Handle<T>> = iterators::IterMut<'a, T, R, H>;

/// An iterator that moves all values out of a pool in index order; returned by [`Pool::drain`].
pub type Drain<'a, T, R = Lifo, H = Handle<T>> = iterators::Drain<'a, Pool<T, R, H>>;

/// An iterator that moves chosen values out of a pool in index order; returned by
/// [`Pool::extract_if`].
pub type ExtractIf<'a, T, R, H, F> = iterators::ExtractIf<'a, Pool<T, R, H>, F>;

/// An iterator over the values of a pool that it owns, in index order.
pub type IntoIter<T, R = Lifo, H = Handle<T>> = iterators::IntoIter<Pool<T, R, H>>;
