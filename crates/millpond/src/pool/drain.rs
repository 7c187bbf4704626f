//! Iterators that move values out of a pool. Each takes one value at a time, so that a panic, a drop
//! half-way or a leak leaves a pool that is as good as after that many removals.

/// The iterators that move values out of a pool of this kind: of its methods they need `occupancy`, `handle_at`,
/// `get_mut`, `remove_at` and `len`.
macro_rules! moving_iterators {
    ($pool:ident) => {
        use core::fmt;
        use core::iter::FusedIterator;

        use super::$pool;
        use crate::handle::{Handle, HandleLayout};
        use crate::occupancy::LiveWalk;
        use crate::reuse::{Lifo, ReuseOrder};

        impl<T, R: ReuseOrder, H: HandleLayout> $pool<T, R, H> {
            /// Removes the next live slot of a walk.
            #[inline]
            fn remove_next(&mut self, walk: &mut LiveWalk) -> Option<(H, T)> {
                let index = walk.next(self.occupancy())?;
                let handle = self.handle_at(index)?;
                Some((handle, self.remove_at(index)?))
            }

            /// Removes the next live slot of a walk from behind.
            #[inline]
            fn remove_next_back(&mut self, walk: &mut LiveWalk) -> Option<(H, T)> {
                let index = walk.next_back(self.occupancy())?;
                let handle = self.handle_at(index)?;
                Some((handle, self.remove_at(index)?))
            }
        }

        #[doc = concat!("Moves the values out of a pool in index order; made by [`", stringify!($pool), "::drain`].")]
        pub struct Drain<'a, T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
            pool: &'a mut $pool<T, R, H>,
            walk: LiveWalk,
        }

        impl<'a, T, R: ReuseOrder, H: HandleLayout> Drain<'a, T, R, H> {
            pub(super) fn new(pool: &'a mut $pool<T, R, H>) -> Self {
                let walk = LiveWalk::new(pool.occupancy());
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

        #[doc = concat!("Moves chosen values out of a pool in index order; made by [`", stringify!($pool), "::extract_if`].")]
        #[must_use = "an iterator does nothing until it is asked; `retain` removes at once"]
        pub struct ExtractIf<'a, T, R: ReuseOrder, H: HandleLayout, F> {
            pool: &'a mut $pool<T, R, H>,
            walk: LiveWalk,
            choose: F,
        }

        impl<'a, T, R: ReuseOrder, H: HandleLayout, F> ExtractIf<'a, T, R, H, F> {
            pub(super) fn new(pool: &'a mut $pool<T, R, H>, choose: F) -> Self {
                let walk = LiveWalk::new(pool.occupancy());
                Self { pool, walk, choose }
            }
        }

        impl<T, R: ReuseOrder, H: HandleLayout, F> Iterator for ExtractIf<'_, T, R, H, F>
        where
            F: FnMut(H, &mut T) -> bool,
        {
            type Item = (H, T);

            fn next(&mut self) -> Option<(H, T)> {
                while let Some(index) = self.walk.next(self.pool.occupancy()) {
                    let handle = self.pool.handle_at(index)?;
                    let value = self.pool.get_mut(handle)?;
                    if (self.choose)(handle, value) {
                        return Some((handle, self.pool.remove_at(index)?));
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
            pool: $pool<T, R, H>,
            walk: LiveWalk,
        }

        impl<T, R: ReuseOrder, H: HandleLayout> IntoIterator for $pool<T, R, H> {
            type Item = (H, T);
            type IntoIter = IntoIter<T, R, H>;

            /// The handles and values in index order, from both ends.
            fn into_iter(self) -> IntoIter<T, R, H> {
                let walk = LiveWalk::new(self.occupancy());
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
    };
}
pub(crate) use moving_iterators;

moving_iterators!(Pool);
