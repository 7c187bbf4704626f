use super::Pool;
use crate::handle::{Handle, HandleLayout};
use crate::pools::faces;
use crate::slots::reuse::{Lifo, ReuseOrder};

/// The slot that a pool's next value goes to; made by [`Pool::vacant_entry`].
pub type VacantEntry<'a, T, R = Lifo, H = Handle<T>> = faces::VacantEntry<'a, Pool<T, R, H>>;

/// The handles and values of a pool in index order; made by [`Pool::iter`].
pub type Iter<'a, T, R = Lifo, H = Handle<T>> = faces::Iter<'a, T, R, H>;

/// The handles and values of a pool, mutable, in index order; made by [`Pool::iter_mut`].
pub type IterMut<'a, T, R = Lifo, H = Handle<T>> = faces::IterMut<'a, T, R, H>;

/// Moves the values out of a pool in index order; made by [`Pool::drain`].
pub type Drain<'a, T, R = Lifo, H = Handle<T>> = faces::Drain<'a, Pool<T, R, H>>;

/// Moves chosen values out of a pool in index order; made by [`Pool::extract_if`].
pub type ExtractIf<'a, T, R, H, F> = faces::ExtractIf<'a, Pool<T, R, H>, F>;

/// Moves the values out of a pool that is no longer needed, in index order.
pub type IntoIter<T, R = Lifo, H = Handle<T>> = faces::IntoIter<Pool<T, R, H>>;

faces::walked!([T, R: ReuseOrder, H: HandleLayout] Pool<T, R, H>);
