//! Iterators that move values out of a side table, one at a time: a panic, an early drop or a leak
//! leaves the table as that many removals would.

use core::fmt;
use core::iter::FusedIterator;

use super::SideTable;
use crate::base::guard::continue_after_panic;
use crate::handle::{HandleLayout, handle_of_live};
use crate::occupancy::LiveWalk;

impl<H: HandleLayout, V> SideTable<H, V> {
    /// Moves all values out, in index order. Dropping the iterator removes the values that it has
    /// not returned; leaking it leaves them in the table. Stale handles stay stale.
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let handle = pool.insert("ship").unwrap();
    /// let mut table = SideTable::new();
    /// table.insert(handle, "cargo").unwrap();
    /// assert_eq!(table.drain().collect::<Vec<_>>(), [(handle, "cargo")]);
    /// assert!(table.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, H, V> {
        let walk = LiveWalk::new(self.occupancy());
        Drain { table: self, walk }
    }

    /// The value of the live slot that an iteration has reached.
    #[inline]
    fn take(&mut self, index: usize) -> Option<(H, V)> {
        let handle = handle_of_live(index, self.storage.words().as_slice());
        Some((handle, self.remove_slot(index)?))
    }
}

/// Implements what both have in common: `self.table` and `self.walk`.
macro_rules! moving_iterator {
    ($name:ident $(, $lifetime:lifetime)?) => {
        impl<H: HandleLayout, V> Iterator for $name<$($lifetime,)? H, V> {
            type Item = (H, V);

            #[inline]
            fn next(&mut self) -> Option<(H, V)> {
                let index = self.walk.next(self.table.occupancy())?;
                self.table.take(index)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.table.len(), Some(self.table.len()))
            }
        }

        impl<H: HandleLayout, V> DoubleEndedIterator for $name<$($lifetime,)? H, V> {
            #[inline]
            fn next_back(&mut self) -> Option<(H, V)> {
                let index = self.walk.next_back(self.table.occupancy())?;
                self.table.take(index)
            }
        }

        impl<H: HandleLayout, V> ExactSizeIterator for $name<$($lifetime,)? H, V> {}
        impl<H: HandleLayout, V> FusedIterator for $name<$($lifetime,)? H, V> {}

        impl<H: HandleLayout, V> fmt::Debug for $name<$($lifetime,)? H, V> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("remaining", &self.table.len())
                    .finish_non_exhaustive()
            }
        }
    };
}

/// An iterator that moves all values out of a side table in index order; returned by
/// [`SideTable::drain`].
pub struct Drain<'a, H: HandleLayout, V> {
    table: &'a mut SideTable<H, V>,
    walk: LiveWalk,
}

moving_iterator!(Drain, '_);

/// Removes the values that the iterator has not returned. If a value's drop panics, the rest are
/// removed while unwinding.
impl<H: HandleLayout, V> Drop for Drain<'_, H, V> {
    fn drop(&mut self) {
        continue_after_panic(self, |rest| rest.for_each(drop));
    }
}

/// An iterator over the values of a side table that it owns, in index order.
pub struct IntoIter<H: HandleLayout, V> {
    table: SideTable<H, V>,
    walk: LiveWalk,
}

moving_iterator!(IntoIter);

impl<H: HandleLayout, V> IntoIterator for SideTable<H, V> {
    type Item = (H, V);
    type IntoIter = IntoIter<H, V>;

    /// Iterates over handles and values in index order, from both ends.
    fn into_iter(self) -> IntoIter<H, V> {
        let walk = LiveWalk::new(self.occupancy());
        IntoIter { table: self, walk }
    }
}
