use super::StaticPool;
use crate::faces::{self, sealed};
use crate::handle::HandleLayout;
use crate::occupancy::Occupancy;

/// The slot that a static pool's next value goes to; made by [`StaticPool::vacant_entry`].
pub type VacantEntry<'a, T, const N: usize, H> = faces::VacantEntry<'a, StaticPool<T, N, H>>;

/// The handles and values of a static pool in index order; made by [`StaticPool::iter`].
pub type Iter<'a, T, const N: usize, H> = faces::Iter<'a, T, (), H>;

/// The handles and values of a static pool, to change, in index order; made by [`StaticPool::iter_mut`].
pub type IterMut<'a, T, const N: usize, H> = faces::IterMut<'a, T, (), H>;

/// The handles of a static pool in index order; made by [`StaticPool::handles`].
pub type Handles<'a, const N: usize, H> = faces::Handles<'a, (), H>;

/// Moves the values out of a static pool in index order; made by [`StaticPool::drain`].
pub type Drain<'a, T, const N: usize, H> = faces::Drain<'a, StaticPool<T, N, H>>;

/// Moves chosen values out of a static pool in index order; made by [`StaticPool::extract_if`].
pub type ExtractIf<'a, T, const N: usize, H, F> = faces::ExtractIf<'a, StaticPool<T, N, H>, F>;

/// Moves the values out of a static pool that is no longer needed, in index order.
pub type IntoIter<T, const N: usize, H> = faces::IntoIter<StaticPool<T, N, H>>;

impl<T, const N: usize, H: HandleLayout> sealed::Face for StaticPool<T, N, H> {
    type Value = T;
    type Handle = H;

    #[inline]
    fn live(&self) -> usize {
        self.len()
    }

    #[inline]
    fn put_next(&mut self, handle: H, value: T) {
        self.core.take_peeked(handle, &mut self.storage);
        self.storage.put(handle.index() as usize, handle.word(), value);
    }
}

impl<T, const N: usize, H: HandleLayout> sealed::Walked for StaticPool<T, N, H> {
    #[inline]
    fn live_slots(&self) -> Occupancy<'_> {
        self.storage.occupancy()
    }

    #[inline]
    fn handle_in(&self, index: usize) -> Option<H> {
        self.handle_at(index)
    }

    #[inline]
    fn value_of(&mut self, handle: H) -> Option<&mut T> {
        self.get_mut(handle)
    }

    #[inline]
    fn take_from(&mut self, index: usize) -> Option<T> {
        self.take(index)
    }
}

impl<T, const N: usize, H: HandleLayout> IntoIterator for StaticPool<T, N, H> {
    type Item = (H, T);
    type IntoIter = IntoIter<T, N, H>;

    /// The handles and values in index order, from both ends.
    fn into_iter(self) -> IntoIter<T, N, H> {
        IntoIter::new(self)
    }
}
