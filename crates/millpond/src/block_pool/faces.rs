use super::BlockPool;
use crate::faces::{self, sealed};
use crate::handle::{Handle, HandleLayout};
use crate::occupancy::Occupancy;
use crate::reuse::{Lifo, ReuseOrder};

/// The slot that a pool's next value goes to; made by [`BlockPool::vacant_entry`].
pub type VacantEntry<'a, T, R = Lifo, H = Handle<T>> = faces::VacantEntry<'a, BlockPool<T, R, H>>;

/// Moves the values out of a pool in index order; made by [`BlockPool::drain`].
pub type Drain<'a, T, R = Lifo, H = Handle<T>> = faces::Drain<'a, BlockPool<T, R, H>>;

/// Moves chosen values out of a pool in index order; made by [`BlockPool::extract_if`].
pub type ExtractIf<'a, T, R, H, F> = faces::ExtractIf<'a, BlockPool<T, R, H>, F>;

/// Moves the values out of a pool that is no longer needed, in index order.
pub type IntoIter<T, R = Lifo, H = Handle<T>> = faces::IntoIter<BlockPool<T, R, H>>;

impl<T, R: ReuseOrder, H: HandleLayout> sealed::Face for BlockPool<T, R, H> {
    type Value = T;
    type Handle = H;

    #[inline]
    fn live(&self) -> usize {
        self.len()
    }

    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn put_next(&mut self, handle: H, value: T) {
        self.insert_peeked(handle, value);
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> sealed::Walked for BlockPool<T, R, H> {
    #[inline]
    fn live_slots(&self) -> Occupancy<'_> {
        self.occupancy()
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
        self.remove_at(index)
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> IntoIterator for BlockPool<T, R, H> {
    type Item = (H, T);
    type IntoIter = IntoIter<T, R, H>;

    /// The handles and values in index order, from both ends.
    fn into_iter(self) -> IntoIter<T, R, H> {
        IntoIter::new(self)
    }
}
