use super::StaticPool;
use crate::pools::iterators;
use crate::slots::reuse::InlineRoster;

/// The free slot reserved for a static pool's next value; returned by [`StaticPool::vacant_entry`].
pub type VacantEntry<'a, T, const N: usize, H> = iterators::VacantEntry<'a, StaticPool<T, N, H>>;

/// An iterator over a static pool's handles and values in index order; returned by
/// [`StaticPool::iter`].
pub type Iter<'a, T, const N: usize, H> = iterators::Iter<'a, T, InlineRoster, H>;

/// An iterator over a static pool's handles and mutable values in index order; returned by
/// [`StaticPool::iter_mut`].
pub type IterMut<'a, T, const N: usize, H> = iterators::IterMut<'a, T, InlineRoster, H>;

/// An iterator over a static pool's handles in index order; returned by [`StaticPool::handles`].
pub type Handles<'a, const N: usize, H> = iterators::Handles<'a, InlineRoster, H>;

/// An iterator that moves all values out of a static pool in index order; returned by
/// [`StaticPool::drain`].
pub type Drain<'a, T, const N: usize, H> = iterators::Drain<'a, StaticPool<T, N, H>>;

/// An iterator that moves chosen values out of a static pool in index order; returned by
/// [`StaticPool::extract_if`].
pub type ExtractIf<'a, T, const N: usize, H, F> = iterators::ExtractIf<'a, StaticPool<T, N, H>, F>;

/// An iterator over the values of a static pool that it owns, in index order.
pub type IntoIter<T, const N: usize, H> = iterators::IntoIter<StaticPool<T, N, H>>;
