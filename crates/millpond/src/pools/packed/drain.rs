//! Iterators that move values out of a packed pool. Those that borrow the pool remove one value at
//! a time, so that a panic, an early drop or a leak leaves the pool as that many removals would.

use alloc::vec::{self, Vec};
use core::fmt;
use core::iter::FusedIterator;

use super::{PackedGrowth, PackedPool, PackedSlotPool};
use crate::base::guard::continue_after_panic;
use crate::handle::{Handle, HandleLayout};
use crate::pools::iterators;
use crate::pools::slot_pool::Fixed;

/// The free slot reserved for a packed pool's next value; returned by [`PackedPool::vacant_entry`].
pub type VacantEntry<'a, T, H = Handle<T>> = iterators::VacantEntry<'a, PackedPool<T, H>>;

/// An iterator that moves all values out of a packed pool in their order; returned by
/// [`PackedPool::drain`].
pub struct Drain<'a, T, H: HandleLayout, G: PackedGrowth<H::Word> = Fixed> {
    pool: &'a mut PackedSlotPool<T, G, H>,
    /// How many values have been returned from their own position. Each of them was replaced by the
    /// last one, so that with `n` values at first these positions hold values `n - 1`, `n - 2`, …:
    /// once the middle is used up, the rest are returned in order from the end.
    from: usize,
}

impl<'a, T, H: HandleLayout, G: PackedGrowth<H::Word>> Drain<'a, T, H, G> {
    pub(super) fn new(pool: &'a mut PackedSlotPool<T, G, H>) -> Self {
        Self { pool, from: 0 }
    }
}

impl<T, H: HandleLayout, G: PackedGrowth<H::Word>> Iterator for Drain<'_, T, H, G> {
    type Item = (H, T);

    #[inline]
    fn next(&mut self) -> Option<(H, T)> {
        let last = self.pool.len().checked_sub(1)?;
        let position = self.from.min(last);
        self.from += 1;
        Some(self.pool.remove_at_position(position))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.pool.len(), Some(self.pool.len()))
    }
}

impl<T, H: HandleLayout, G: PackedGrowth<H::Word>> ExactSizeIterator for Drain<'_, T, H, G> {}
impl<T, H: HandleLayout, G: PackedGrowth<H::Word>> FusedIterator for Drain<'_, T, H, G> {}

/// Removes the values that the iterator has not returned. If a value's drop panics, the rest are
/// removed while unwinding.
impl<T, H: HandleLayout, G: PackedGrowth<H::Word>> Drop for Drain<'_, T, H, G> {
    fn drop(&mut self) {
        continue_after_panic(self, |rest| rest.for_each(drop));
    }
}

impl<T, H: HandleLayout, G: PackedGrowth<H::Word>> fmt::Debug for Drain<'_, T, H, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("remaining", &self.pool.len()).finish_non_exhaustive()
    }
}

/// An iterator that moves chosen values out of a packed pool; returned by
/// [`PackedPool::extract_if`].
#[must_use = "iterators are lazy; `retain` removes at once"]
pub struct ExtractIf<'a, T, H: HandleLayout, F, G: PackedGrowth<H::Word> = Fixed> {
    pool: &'a mut PackedSlotPool<T, G, H>,
    /// The next position to visit.
    position: usize,
    choose: F,
}

impl<'a, T, H: HandleLayout, F, G: PackedGrowth<H::Word>> ExtractIf<'a, T, H, F, G> {
    pub(super) fn new(pool: &'a mut PackedSlotPool<T, G, H>, choose: F) -> Self {
        Self { pool, position: 0, choose }
    }
}

impl<T, H: HandleLayout, F, G: PackedGrowth<H::Word>> Iterator for ExtractIf<'_, T, H, F, G>
where
    F: FnMut(H, &mut T) -> bool,
{
    type Item = (H, T);

    fn next(&mut self) -> Option<(H, T)> {
        while self.position < self.pool.len() {
            let handle = self.pool.as_handle_slice()[self.position];
            if (self.choose)(handle, &mut self.pool.values[self.position]) {
                return Some(self.pool.remove_at_position(self.position));
            }
            self.position += 1;
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.pool.len() - self.position))
    }
}

impl<T, H: HandleLayout, F, G: PackedGrowth<H::Word>> FusedIterator for ExtractIf<'_, T, H, F, G> where
    F: FnMut(H, &mut T) -> bool
{
}

impl<T, H: HandleLayout, F, G: PackedGrowth<H::Word>> fmt::Debug for ExtractIf<'_, T, H, F, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractIf").field("position", &self.position).finish_non_exhaustive()
    }
}

/// An iterator over the values of a packed pool that it owns, in their order.
pub struct IntoIter<T, H> {
    /// The first field, so that it reports the values that are left before they are dropped.
    left: super::debug::Left,
    handles: vec::IntoIter<H>,
    values: vec::IntoIter<T>,
}

impl<T, G: PackedGrowth<H::Word>, H: HandleLayout> IntoIterator for PackedSlotPool<T, G, H> {
    type Item = (H, T);
    type IntoIter = IntoIter<T, H>;

    /// Iterates over handles and values in their current order, from both ends.
    fn into_iter(mut self) -> IntoIter<T, H> {
        let left = super::debug::Left::of(&mut self);
        let handles = self.roster.into_order().into_iter().take(self.values.len());
        let handles: Vec<_> = handles.map(H::from_erased).collect();
        IntoIter { left, handles: handles.into_iter(), values: self.values.take_all() }
    }
}

impl<T: Clone, H: Clone> Clone for IntoIter<T, H> {
    fn clone(&self) -> Self {
        // The values first: if that panics, there is no copy that could report live values.
        let values = self.values.clone();
        Self { left: self.left.clone(), handles: self.handles.clone(), values }
    }
}

impl<T, H> Iterator for IntoIter<T, H> {
    type Item = (H, T);

    #[inline]
    fn next(&mut self) -> Option<(H, T)> {
        self.left.next();
        self.handles.next().zip(self.values.next())
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.values.size_hint()
    }
}

impl<T, H> DoubleEndedIterator for IntoIter<T, H> {
    #[inline]
    fn next_back(&mut self) -> Option<(H, T)> {
        self.left.next_back();
        self.handles.next_back().zip(self.values.next_back())
    }
}

impl<T, H> ExactSizeIterator for IntoIter<T, H> {}
impl<T, H> FusedIterator for IntoIter<T, H> {}

impl<T: fmt::Debug, H: fmt::Debug> fmt::Debug for IntoIter<T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.handles.as_slice().iter().zip(self.values.as_slice());
        f.debug_map().entries(pairs).finish()
    }
}
