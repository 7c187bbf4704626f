//! Iteration in index order.

use super::{Growth, PoolPlace, SlotPool};
use crate::handle::HandleLayout;
use crate::pools::iterators::{Handles, Iter, IterMut, Values, ValuesMut};
use crate::slots::reuse::ReuseOrder;
use crate::values::{ValueRuns, ValueRunsMut};

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// Returns the index of the slot that contains `value`, computed from its address. O(1).
    /// Returns `None` for a value outside the pool, and for every value of a zero-sized type,
    /// because such values have no address of their own.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handles = [5, 6, 7].map(|value| pool.insert(value).unwrap());
    /// assert_eq!(pool.index_of(&pool[handles[2]]), Some(2));
    /// assert_eq!(pool.index_of(&7), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn index_of(&self, value: &T) -> Option<usize> {
        self.storage.index_of(value)
    }

    /// Iterates over handles and values in index order, from both ends. In hot code, prefer
    /// [`for_each`](Iterator::for_each) or [`runs`](Self::runs) to a `for` loop.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let a = pool.insert("a").unwrap();
    /// let b = pool.insert("b").unwrap();
    /// assert_eq!(pool.iter().collect::<Vec<_>>(), [(a, &"a"), (b, &"b")]);
    /// assert_eq!(pool.iter().next_back(), Some((b, &"b")));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T, R, H> {
        Iter::new(self.storage.words().as_slice(), self.storage.iter())
    }

    /// Iterates over handles and mutable references to values in index order, from both ends.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert(1).unwrap();
    /// pool.iter_mut().for_each(|(_, value)| *value *= 10);
    /// assert_eq!(pool[handle], 10);
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T, R, H> {
        let (words, values) = self.storage.words_and_iter_mut();
        IterMut::new(words, values)
    }

    /// Iterates over the live handles in index order, from both ends.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.handles().collect::<Vec<_>>(), [handle]);
    /// ```
    #[doc(alias = "keys")]
    #[inline]
    pub fn handles(&self) -> Handles<'_, R, H> {
        Handles::new(self.storage.words().as_slice(), self.storage.words().occupancy_to_walk())
    }

    /// Iterates over the values in index order, from both ends.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// pool.insert(1).unwrap();
    /// pool.insert(2).unwrap();
    /// assert_eq!(pool.values().sum::<i32>(), 3);
    /// ```
    #[inline]
    pub fn values(&self) -> Values<'_, T> {
        Values::new(self.storage.iter())
    }

    /// Iterates mutably over the values in index order, from both ends.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert(1).unwrap();
    /// pool.values_mut().for_each(|value| *value += 1);
    /// assert_eq!(pool[handle], 2);
    /// ```
    #[inline]
    pub fn values_mut(&mut self) -> ValuesMut<'_, T> {
        ValuesMut::new(self.storage.words_and_iter_mut().1)
    }

    /// Iterates over the runs in index order. The item is `(first index, slice)` for each
    /// maximal stretch of adjacent live slots. As fast as iterating
    /// over a slice where live slots are adjacent, and the way to pass live values to code that
    /// takes slices. If free slots are scattered among the live ones,
    /// [`values_mut`](Self::values_mut) with `for_each` is faster.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handles: Vec<_> = (0..4).map(|i| pool.insert(i).unwrap()).collect();
    /// pool.remove(handles[2]);
    /// assert_eq!(pool.runs().collect::<Vec<_>>(), [(0, &[0, 1][..]), (3, &[3])]);
    /// ```
    #[inline]
    pub fn runs(&self) -> ValueRuns<'_, T> {
        self.storage.runs()
    }

    /// Iterates over the runs in index order, as `(first index, mutable slice)`.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert(1.0).unwrap();
    /// for (_, run) in pool.runs_mut() {
    ///     for value in run {
    ///         *value += 0.5;
    ///     }
    /// }
    /// assert_eq!(pool[handle], 1.5);
    /// ```
    #[inline]
    pub fn runs_mut(&mut self) -> ValueRunsMut<'_, T> {
        self.storage.words_and_runs_mut().1
    }
}
