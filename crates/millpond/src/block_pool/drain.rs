//! Iterators that move values out of a pool. Each takes one value at a time, so that a panic, a drop
//! half-way or a leak leaves a pool that is as good as after that many removals.

use core::fmt;
use core::iter::FusedIterator;

use super::BlockPool;
use crate::handle::{Handle, HandleLayout};
use crate::reuse::{Lifo, ReuseOrder};

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// The lowest live slot at or after `from`.
    fn first_live_from(&self, from: usize) -> Option<usize> {
        let mut block = self.block_of(from);
        let mut slot = self.slot_of(from);
        loop {
            let pool = self.blocks.get(block)?.pool();
            if let Some(live) = pool.and_then(|pool| pool.first_live_from(slot)) {
                return Some(block << self.shift | live);
            }
            block += 1;
            slot = 0;
        }
    }

    /// The highest live slot below `until`.
    fn last_live_before(&self, until: usize) -> Option<usize> {
        let mut block = self.block_of(until.min(self.blocks.len() << self.shift).checked_sub(1)?);
        let mut until = until - (block << self.shift);
        loop {
            let pool = self.blocks[block].pool();
            if let Some(live) = pool.and_then(|pool| pool.last_live_before(until)) {
                return Some(block << self.shift | live);
            }
            block = block.checked_sub(1)?;
            until = usize::MAX;
        }
    }

    /// Removes the lowest live slot at or after `from`, and moves `from` past it.
    fn remove_first_from(&mut self, from: &mut usize) -> Option<(H, T)> {
        let index = self.first_live_from(*from)?;
        *from = index + 1;
        let handle = self.handle_at(index)?;
        Some((handle, self.remove(handle)?))
    }

    /// Removes the highest live slot below `until`, and moves `until` down to it.
    fn remove_last_before(&mut self, until: &mut usize) -> Option<(H, T)> {
        let index = self.last_live_before(*until)?;
        *until = index;
        let handle = self.handle_at(index)?;
        Some((handle, self.remove(handle)?))
    }
}

/// Moves the values out of a pool in index order; made by [`BlockPool::drain`].
pub struct Drain<'a, T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    pool: &'a mut BlockPool<T, R, H>,
    from: usize,
    until: usize,
}

impl<'a, T, R: ReuseOrder, H: HandleLayout> Drain<'a, T, R, H> {
    pub(super) fn new(pool: &'a mut BlockPool<T, R, H>) -> Self {
        let until = pool.blocks.len() << pool.shift;
        Self { pool, from: 0, until }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Iterator for Drain<'_, T, R, H> {
    type Item = (H, T);

    #[inline]
    fn next(&mut self) -> Option<(H, T)> {
        self.pool.remove_first_from(&mut self.from)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.pool.len(), Some(self.pool.len()))
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> DoubleEndedIterator for Drain<'_, T, R, H> {
    #[inline]
    fn next_back(&mut self) -> Option<(H, T)> {
        self.pool.remove_last_before(&mut self.until)
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> ExactSizeIterator for Drain<'_, T, R, H> {}
impl<T, R: ReuseOrder, H: HandleLayout> FusedIterator for Drain<'_, T, R, H> {}

/// Removes what was not taken. If a value's drop panics, the rest is removed while unwinding.
impl<T, R: ReuseOrder, H: HandleLayout> Drop for Drain<'_, T, R, H> {
    fn drop(&mut self) {
        struct Rest<'a, 'b, T, R: ReuseOrder, H: HandleLayout>(&'a mut Drain<'b, T, R, H>);
        impl<T, R: ReuseOrder, H: HandleLayout> Drop for Rest<'_, '_, T, R, H> {
            fn drop(&mut self) {
                self.0.by_ref().for_each(drop);
            }
        }
        let rest = Rest(self);
        rest.0.by_ref().for_each(drop);
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> fmt::Debug for Drain<'_, T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("remaining", &self.pool.len()).finish_non_exhaustive()
    }
}

/// Moves chosen values out of a pool in index order; made by [`BlockPool::extract_if`].
#[must_use = "an iterator does nothing until it is asked; `retain` removes at once"]
pub struct ExtractIf<'a, T, R: ReuseOrder, H: HandleLayout, F> {
    pool: &'a mut BlockPool<T, R, H>,
    from: usize,
    choose: F,
}

impl<'a, T, R: ReuseOrder, H: HandleLayout, F> ExtractIf<'a, T, R, H, F> {
    pub(super) fn new(pool: &'a mut BlockPool<T, R, H>, choose: F) -> Self {
        Self { pool, from: 0, choose }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, F> Iterator for ExtractIf<'_, T, R, H, F>
where
    F: FnMut(H, &mut T) -> bool,
{
    type Item = (H, T);

    fn next(&mut self) -> Option<(H, T)> {
        while let Some(index) = self.pool.first_live_from(self.from) {
            self.from = index + 1;
            let handle = self.pool.handle_at(index)?;
            let value = self.pool.get_mut(handle)?;
            if (self.choose)(handle, value) {
                return Some((handle, self.pool.remove(handle)?));
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.pool.len()))
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, F> FusedIterator for ExtractIf<'_, T, R, H, F> where
    F: FnMut(H, &mut T) -> bool
{
}

impl<T, R: ReuseOrder, H: HandleLayout, F> fmt::Debug for ExtractIf<'_, T, R, H, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractIf").field("from", &self.from).finish_non_exhaustive()
    }
}

/// Moves the values out of a pool that is no longer needed, in index order.
pub struct IntoIter<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    pool: BlockPool<T, R, H>,
    from: usize,
    until: usize,
}

impl<T, R: ReuseOrder, H: HandleLayout> IntoIterator for BlockPool<T, R, H> {
    type Item = (H, T);
    type IntoIter = IntoIter<T, R, H>;

    /// The handles and values in index order, from both ends.
    fn into_iter(self) -> IntoIter<T, R, H> {
        let until = self.blocks.len() << self.shift;
        IntoIter { pool: self, from: 0, until }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Iterator for IntoIter<T, R, H> {
    type Item = (H, T);

    #[inline]
    fn next(&mut self) -> Option<(H, T)> {
        self.pool.remove_first_from(&mut self.from)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.pool.len(), Some(self.pool.len()))
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> DoubleEndedIterator for IntoIter<T, R, H> {
    #[inline]
    fn next_back(&mut self) -> Option<(H, T)> {
        self.pool.remove_last_before(&mut self.until)
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> ExactSizeIterator for IntoIter<T, R, H> {}
impl<T, R: ReuseOrder, H: HandleLayout> FusedIterator for IntoIter<T, R, H> {}

impl<T: Clone, R: ReuseOrder, H: HandleLayout> Clone for IntoIter<T, R, H> {
    fn clone(&self) -> Self {
        Self { pool: self.pool.clone(), from: self.from, until: self.until }
    }
}

impl<T: fmt::Debug, R: ReuseOrder, H: HandleLayout> fmt::Debug for IntoIter<T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IntoIter").field(&self.pool).finish()
    }
}
