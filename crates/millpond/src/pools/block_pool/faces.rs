use super::{BlockPool, iter};
use crate::handle::{Handle, HandleLayout};
use crate::pools::faces;
use crate::slots::reuse::{Lifo, ReuseOrder};

/// The slot that a pool's next value goes to; made by [`BlockPool::vacant_entry`].
pub type VacantEntry<'a, T, R = Lifo, H = Handle<T>> = faces::VacantEntry<'a, BlockPool<T, R, H>>;

/// The handles and values of a pool in index order; made by [`BlockPool::iter`].
pub type Iter<'a, T, R = Lifo, H = Handle<T>> = iter::Iter<'a, T, R, H>;

/// The handles and mutable values of a pool in index order; made by [`BlockPool::iter_mut`].
pub type IterMut<'a, T, R = Lifo, H = Handle<T>> = iter::IterMut<'a, T, R, H>;

/// Moves the values out of a pool in index order; made by [`BlockPool::drain`].
pub type Drain<'a, T, R = Lifo, H = Handle<T>> = faces::Drain<'a, BlockPool<T, R, H>>;

/// Moves chosen values out of a pool in index order; made by [`BlockPool::extract_if`].
pub type ExtractIf<'a, T, R, H, F> = faces::ExtractIf<'a, BlockPool<T, R, H>, F>;

/// Moves the values out of a pool that is no longer needed, in index order.
pub type IntoIter<T, R = Lifo, H = Handle<T>> = faces::IntoIter<BlockPool<T, R, H>>;

faces::walked!([T, R: ReuseOrder, H: HandleLayout] BlockPool<T, R, H>);
