//! Iterators that move values out of a static pool. Each takes one value at a time, so that a panic, a drop
//! half-way or a leak leaves a pool that is as good as after that many removals.

use core::fmt;
use core::iter::FusedIterator;

use super::StaticPool;
use crate::handle::HandleLayout;

impl<T, const N: usize, H: HandleLayout> StaticPool<T, N, H> {
    /// Removes the lowest live slot at or after `from`, and moves `from` past it.
    fn remove_first_from(&mut self, from: &mut usize) -> Option<(H, T)> {
        let index = (*from..N).find(|&index| self.is_live(index))?;
        *from = index + 1;
        let handle = self.handle_at(index)?;
        Some((handle, self.take(index)?))
    }

    /// Removes the highest live slot below `until`, and moves `until` down to it.
    fn remove_last_before(&mut self, until: &mut usize) -> Option<(H, T)> {
        let index = (0..*until).rfind(|&index| self.is_live(index))?;
        *until = index;
        let handle = self.handle_at(index)?;
        Some((handle, self.take(index)?))
    }
}

/// Moves the values out of a static pool in index order; made by [`StaticPool::drain`].
pub struct Drain<'a, T, const N: usize, H: HandleLayout> {
    pool: &'a mut StaticPool<T, N, H>,
    from: usize,
    until: usize,
}

impl<'a, T, const N: usize, H: HandleLayout> Drain<'a, T, N, H> {
    pub(super) fn new(pool: &'a mut StaticPool<T, N, H>) -> Self {
        Self { pool, from: 0, until: N }
    }
}

impl<T, const N: usize, H: HandleLayout> Iterator for Drain<'_, T, N, H> {
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

impl<T, const N: usize, H: HandleLayout> DoubleEndedIterator for Drain<'_, T, N, H> {
    #[inline]
    fn next_back(&mut self) -> Option<(H, T)> {
        self.pool.remove_last_before(&mut self.until)
    }
}

impl<T, const N: usize, H: HandleLayout> ExactSizeIterator for Drain<'_, T, N, H> {}
impl<T, const N: usize, H: HandleLayout> FusedIterator for Drain<'_, T, N, H> {}

/// Removes what was not taken. If a value's drop panics, the rest is removed while unwinding.
impl<T, const N: usize, H: HandleLayout> Drop for Drain<'_, T, N, H> {
    fn drop(&mut self) {
        struct Rest<'a, 'b, T, const N: usize, H: HandleLayout>(&'a mut Drain<'b, T, N, H>);
        impl<T, const N: usize, H: HandleLayout> Drop for Rest<'_, '_, T, N, H> {
            fn drop(&mut self) {
                self.0.by_ref().for_each(drop);
            }
        }
        let rest = Rest(self);
        rest.0.by_ref().for_each(drop);
    }
}

impl<T, const N: usize, H: HandleLayout> fmt::Debug for Drain<'_, T, N, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("remaining", &self.pool.len()).finish_non_exhaustive()
    }
}

/// Moves chosen values out of a static pool in index order; made by [`StaticPool::extract_if`].
#[must_use = "an iterator does nothing until it is asked; `retain` removes at once"]
pub struct ExtractIf<'a, T, const N: usize, H: HandleLayout, F> {
    pool: &'a mut StaticPool<T, N, H>,
    from: usize,
    choose: F,
}

impl<'a, T, const N: usize, H: HandleLayout, F> ExtractIf<'a, T, N, H, F> {
    pub(super) fn new(pool: &'a mut StaticPool<T, N, H>, choose: F) -> Self {
        Self { pool, from: 0, choose }
    }
}

impl<T, const N: usize, H: HandleLayout, F> Iterator for ExtractIf<'_, T, N, H, F>
where
    F: FnMut(H, &mut T) -> bool,
{
    type Item = (H, T);

    fn next(&mut self) -> Option<(H, T)> {
        while self.from < N {
            let index = self.from;
            self.from += 1;
            let Some(handle) = self.pool.handle_at(index) else { continue };
            let value = self.pool.storage.get_mut(index)?;
            if (self.choose)(handle, value) {
                return Some((handle, self.pool.take(index)?));
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.pool.len()))
    }
}

impl<T, const N: usize, H: HandleLayout, F> FusedIterator for ExtractIf<'_, T, N, H, F> where
    F: FnMut(H, &mut T) -> bool
{
}

impl<T, const N: usize, H: HandleLayout, F> fmt::Debug for ExtractIf<'_, T, N, H, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractIf").field("from", &self.from).finish_non_exhaustive()
    }
}

/// Moves the values out of a static pool that is no longer needed, in index order.
pub struct IntoIter<T, const N: usize, H: HandleLayout> {
    pool: StaticPool<T, N, H>,
    from: usize,
    until: usize,
}

impl<T, const N: usize, H: HandleLayout> IntoIterator for StaticPool<T, N, H> {
    type Item = (H, T);
    type IntoIter = IntoIter<T, N, H>;

    /// The handles and values in index order, from both ends.
    fn into_iter(self) -> IntoIter<T, N, H> {
        IntoIter { pool: self, from: 0, until: N }
    }
}

impl<T, const N: usize, H: HandleLayout> Iterator for IntoIter<T, N, H> {
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

impl<T, const N: usize, H: HandleLayout> DoubleEndedIterator for IntoIter<T, N, H> {
    #[inline]
    fn next_back(&mut self) -> Option<(H, T)> {
        self.pool.remove_last_before(&mut self.until)
    }
}

impl<T, const N: usize, H: HandleLayout> ExactSizeIterator for IntoIter<T, N, H> {}
impl<T, const N: usize, H: HandleLayout> FusedIterator for IntoIter<T, N, H> {}

impl<T: Clone, const N: usize, H: HandleLayout> Clone for IntoIter<T, N, H> {
    fn clone(&self) -> Self {
        Self { pool: self.pool.clone(), from: self.from, until: self.until }
    }
}

impl<T: fmt::Debug, const N: usize, H: HandleLayout> fmt::Debug for IntoIter<T, N, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IntoIter").field(&self.pool).finish()
    }
}
