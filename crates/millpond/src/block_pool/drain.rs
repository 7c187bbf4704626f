//! Iterators that move values out of a pool. Each takes one value at a time, so that a panic, a drop
//! half-way or a leak leaves a pool that is as good as after that many removals.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::Range;

use super::BlockPool;
use crate::handle::{Handle, HandleLayout};
use crate::occupancy::LiveWalk;
use crate::reuse::{Lifo, ReuseOrder};

/// A walk over the live slots from both ends, which holds no reference to the pool: it is shown the pool
/// at each step. What it has handed out may die; nothing else may change.
#[derive(Clone, Debug)]
struct BlockWalk {
    /// The blocks that neither end has come to.
    between: Range<usize>,
    front: Option<(usize, LiveWalk)>,
    back: Option<(usize, LiveWalk)>,
}

impl BlockWalk {
    fn new<T, R: ReuseOrder, H: HandleLayout>(pool: &BlockPool<T, R, H>) -> Self {
        Self { between: 0..pool.blocks.len(), front: None, back: None }
    }

    /// A walk over the live slots of a block that is there.
    fn open<T, R: ReuseOrder, H: HandleLayout>(
        pool: &BlockPool<T, R, H>,
        block: usize,
    ) -> Option<(usize, LiveWalk)> {
        Some((block, LiveWalk::new(pool.blocks[block].pool()?.occupancy())))
    }

    #[inline]
    fn next<T, R: ReuseOrder, H: HandleLayout>(
        &mut self,
        pool: &BlockPool<T, R, H>,
    ) -> Option<usize> {
        loop {
            if let Some((block, walk)) = &mut self.front {
                let there = pool.blocks[*block].pool();
                if let Some(slot) = there.and_then(|there| walk.next(there.occupancy())) {
                    return Some(*block << pool.shift | slot);
                }
            }
            // The next block, and at last what the back has left.
            self.front = match self.between.next() {
                Some(block) => Self::open(pool, block),
                None => Some(self.back.take()?),
            };
        }
    }

    #[inline]
    fn next_back<T, R: ReuseOrder, H: HandleLayout>(
        &mut self,
        pool: &BlockPool<T, R, H>,
    ) -> Option<usize> {
        loop {
            if let Some((block, walk)) = &mut self.back {
                let there = pool.blocks[*block].pool();
                if let Some(slot) = there.and_then(|there| walk.next_back(there.occupancy())) {
                    return Some(*block << pool.shift | slot);
                }
            }
            self.back = match self.between.next_back() {
                Some(block) => Self::open(pool, block),
                None => Some(self.front.take()?),
            };
        }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// Removes the next live slot of a walk.
    #[inline]
    fn remove_next(&mut self, walk: &mut BlockWalk) -> Option<(H, T)> {
        let index = walk.next(self)?;
        let handle = self.handle_at(index)?;
        Some((handle, self.remove(handle)?))
    }

    /// Removes the next live slot of a walk from behind.
    #[inline]
    fn remove_next_back(&mut self, walk: &mut BlockWalk) -> Option<(H, T)> {
        let index = walk.next_back(self)?;
        let handle = self.handle_at(index)?;
        Some((handle, self.remove(handle)?))
    }
}

/// Moves the values out of a pool in index order; made by [`BlockPool::drain`].
pub struct Drain<'a, T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    pool: &'a mut BlockPool<T, R, H>,
    walk: BlockWalk,
}

impl<'a, T, R: ReuseOrder, H: HandleLayout> Drain<'a, T, R, H> {
    pub(super) fn new(pool: &'a mut BlockPool<T, R, H>) -> Self {
        let walk = BlockWalk::new(pool);
        Self { pool, walk }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Iterator for Drain<'_, T, R, H> {
    type Item = (H, T);

    #[inline]
    fn next(&mut self) -> Option<(H, T)> {
        self.pool.remove_next(&mut self.walk)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.pool.len(), Some(self.pool.len()))
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> DoubleEndedIterator for Drain<'_, T, R, H> {
    #[inline]
    fn next_back(&mut self) -> Option<(H, T)> {
        self.pool.remove_next_back(&mut self.walk)
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
    walk: BlockWalk,
    choose: F,
}

impl<'a, T, R: ReuseOrder, H: HandleLayout, F> ExtractIf<'a, T, R, H, F> {
    pub(super) fn new(pool: &'a mut BlockPool<T, R, H>, choose: F) -> Self {
        let walk = BlockWalk::new(pool);
        Self { pool, walk, choose }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, F> Iterator for ExtractIf<'_, T, R, H, F>
where
    F: FnMut(H, &mut T) -> bool,
{
    type Item = (H, T);

    fn next(&mut self) -> Option<(H, T)> {
        while let Some(index) = self.walk.next(self.pool) {
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
        f.debug_struct("ExtractIf").finish_non_exhaustive()
    }
}

/// Moves the values out of a pool that is no longer needed, in index order.
pub struct IntoIter<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    pool: BlockPool<T, R, H>,
    walk: BlockWalk,
}

impl<T, R: ReuseOrder, H: HandleLayout> IntoIterator for BlockPool<T, R, H> {
    type Item = (H, T);
    type IntoIter = IntoIter<T, R, H>;

    /// The handles and values in index order, from both ends.
    fn into_iter(self) -> IntoIter<T, R, H> {
        let walk = BlockWalk::new(&self);
        IntoIter { pool: self, walk }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Iterator for IntoIter<T, R, H> {
    type Item = (H, T);

    #[inline]
    fn next(&mut self) -> Option<(H, T)> {
        self.pool.remove_next(&mut self.walk)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.pool.len(), Some(self.pool.len()))
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> DoubleEndedIterator for IntoIter<T, R, H> {
    #[inline]
    fn next_back(&mut self) -> Option<(H, T)> {
        self.pool.remove_next_back(&mut self.walk)
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> ExactSizeIterator for IntoIter<T, R, H> {}
impl<T, R: ReuseOrder, H: HandleLayout> FusedIterator for IntoIter<T, R, H> {}

impl<T: Clone, R: ReuseOrder, H: HandleLayout> Clone for IntoIter<T, R, H> {
    fn clone(&self) -> Self {
        Self { pool: self.pool.clone(), walk: self.walk.clone() }
    }
}

impl<T: fmt::Debug, R: ReuseOrder, H: HandleLayout> fmt::Debug for IntoIter<T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IntoIter").field(&self.pool).finish()
    }
}
