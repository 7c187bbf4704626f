use super::StaticPool;
use crate::handle::HandleLayout;
use crate::pools::faces;

/// The slot that a static pool's next value goes to; made by [`StaticPool::vacant_entry`].
pub type VacantEntry<'a, T, const N: usize, H> = faces::VacantEntry<'a, StaticPool<T, N, H>>;

/// The handles and values of a static pool in index order; made by [`StaticPool::iter`].
pub type Iter<'a, T, const N: usize, H> = faces::Iter<'a, T, (), H>;

/// The handles and values of a static pool, mutable, in index order; made by [`StaticPool::iter_mut`].
pub type IterMut<'a, T, const N: usize, H> = faces::IterMut<'a, T, (), H>;

/// The handles of a static pool in index order; made by [`StaticPool::handles`].
pub type Handles<'a, const N: usize, H> = faces::Handles<'a, (), H>;

/// Moves the values out of a static pool in index order; made by [`StaticPool::drain`].
pub type Drain<'a, T, const N: usize, H> = faces::Drain<'a, StaticPool<T, N, H>>;

/// Moves chosen values out of a static pool in index order; made by [`StaticPool::extract_if`].
pub type ExtractIf<'a, T, const N: usize, H, F> = faces::ExtractIf<'a, StaticPool<T, N, H>, F>;

/// Moves the values out of a static pool that is no longer needed, in index order.
pub type IntoIter<T, const N: usize, H> = faces::IntoIter<StaticPool<T, N, H>>;

faces::walked!([T, const N: usize, H: HandleLayout] StaticPool<T, N, H>);
