use super::SideTable;
use crate::handle::{HandleLayout, handle_of_live};
use crate::occupancy::Occupancy;
use crate::pools::iterators;

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
        Drain::new(self)
    }
}

/// An iterator that moves all values out of a side table in index order; returned by
/// [`SideTable::drain`].
pub type Drain<'a, H, V> = iterators::Drain<'a, SideTable<H, V>>;

/// An iterator over the values of a side table that it owns, in index order.
pub type IntoIter<H, V> = iterators::IntoIter<SideTable<H, V>>;

impl<H: HandleLayout, V> iterators::sealed::Walked for SideTable<H, V> {
    type Value = V;
    type Handle = H;

    #[inline]
    fn live_slots(&self) -> Occupancy<'_> {
        self.occupancy()
    }

    #[inline]
    fn object_in(&mut self, index: usize) -> Option<(H, &mut V)> {
        let handle = handle_of_live(index, self.storage.words().as_slice());
        Some((handle, self.storage.get_mut(index)?))
    }

    #[inline]
    fn take_from(&mut self, index: usize) -> Option<(H, V)> {
        let handle = handle_of_live(index, self.storage.words().as_slice());
        Some((handle, self.remove_slot(index)?))
    }
}

impl<H: HandleLayout, V> IntoIterator for SideTable<H, V> {
    type Item = (H, V);
    type IntoIter = IntoIter<H, V>;

    /// Iterates over handles and values in index order, from both ends.
    fn into_iter(self) -> IntoIter<H, V> {
        IntoIter::new(self)
    }
}
