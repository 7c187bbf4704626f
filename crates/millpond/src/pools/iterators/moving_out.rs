//! Iterators that move values out of a pool. Each removes one value at a time, so that a panic, an
//! early drop or a leak leaves the pool as that many removals would.

use core::fmt;
use core::iter::FusedIterator;

use super::sealed::Walked;
use crate::base::guard::continue_after_panic;
use crate::occupancy::LiveWalk;

/// Implements the iterators that move all values out, in index order and from both ends: they have a pool and a walk
/// over it.
macro_rules! takes_all {
    ($name:ty) => {
        impl<P: Walked> Iterator for $name {
            type Item = (P::Handle, P::Value);

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let index = self.walk.next(self.pool.live_slots().source())?;
                self.pool.take_from(index)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let live = self.pool.live_slots().live();
                (live, Some(live))
            }
        }

        impl<P: Walked> DoubleEndedIterator for $name {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let index = self.walk.next_back(self.pool.live_slots().source())?;
                self.pool.take_from(index)
            }
        }

        impl<P: Walked> ExactSizeIterator for $name {}
        impl<P: Walked> FusedIterator for $name {}
    };
}

/// An iterator that moves all values out of a pool in index order; returned by its method `drain`.
pub struct Drain<'a, P: Walked> {
    pool: &'a mut P,
    walk: LiveWalk,
}

impl<'a, P: Walked> Drain<'a, P> {
    pub(crate) fn new(pool: &'a mut P) -> Self {
        let walk = LiveWalk::new(pool.live_slots());
        Self { pool, walk }
    }
}

takes_all!(Drain<'_, P>);

/// Removes the values that the iterator has not returned. If a value's drop panics, the rest are
/// removed while unwinding.
impl<P: Walked> Drop for Drain<'_, P> {
    fn drop(&mut self) {
        continue_after_panic(self, |rest| rest.for_each(drop));
    }
}

impl<P: Walked> fmt::Debug for Drain<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain")
            .field("remaining", &self.pool.live_slots().live())
            .finish_non_exhaustive()
    }
}

/// An iterator that moves chosen values out of a pool in index order; returned by its method
/// `extract_if`.
#[must_use = "iterators are lazy; `retain` removes at once"]
pub struct ExtractIf<'a, P: Walked, F> {
    pool: &'a mut P,
    walk: LiveWalk,
    choose: F,
}

impl<'a, P: Walked, F> ExtractIf<'a, P, F> {
    pub(crate) fn new(pool: &'a mut P, choose: F) -> Self {
        let walk = LiveWalk::new(pool.live_slots());
        Self { pool, walk, choose }
    }
}

impl<P: Walked, F: FnMut(P::Handle, &mut P::Value) -> bool> Iterator for ExtractIf<'_, P, F> {
    type Item = (P::Handle, P::Value);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(index) = self.walk.next(self.pool.live_slots().source()) {
            let (handle, value) = self.pool.object_in(index)?;
            if (self.choose)(handle, value) {
                return self.pool.take_from(index);
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.pool.live_slots().live()))
    }
}

impl<P: Walked, F: FnMut(P::Handle, &mut P::Value) -> bool> FusedIterator for ExtractIf<'_, P, F> {}

impl<P: Walked, F> fmt::Debug for ExtractIf<'_, P, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractIf").finish_non_exhaustive()
    }
}

/// An iterator over the values of a pool that it owns, in index order.
#[derive(Clone)]
pub struct IntoIter<P> {
    pool: P,
    walk: LiveWalk,
}

impl<P: Walked> IntoIter<P> {
    pub(crate) fn new(pool: P) -> Self {
        let walk = LiveWalk::new(pool.live_slots());
        Self { pool, walk }
    }
}

takes_all!(IntoIter<P>);

impl<P: fmt::Debug> fmt::Debug for IntoIter<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IntoIter").field(&self.pool).finish()
    }
}
