//! Sorting a packed pool: the values change places, and each handle goes with its value.

use core::cmp::Ordering;

use super::PackedPool;
use crate::handle::HandleLayout;
use crate::slots::Partition;

impl<T, H: HandleLayout> PackedPool<T, H> {
    /// Sorts the values; equal ones keep their order. Every handle stays good and names the value
    /// that it named before. O(live × log live) comparisons, each value moves once, nothing is
    /// allocated.
    ///
    /// If the function panics, or does not give an order (then the sort may panic), the values are in
    /// some order, and every handle still names its value.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut sprites = PackedPool::new(8);
    /// let tree = sprites.insert(("tree", 9.5_f32)).unwrap();
    /// let bush = sprites.insert(("bush", 2.0_f32)).unwrap();
    /// sprites.sort_by(|a, b| a.1.total_cmp(&b.1));
    /// assert_eq!(sprites.as_slice(), [("bush", 2.0), ("tree", 9.5)]);
    /// assert_eq!((sprites[tree].0, sprites[bush].0), ("tree", "bush"));
    /// ```
    pub fn sort_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        self.sort_positions_by(|values, a, b| {
            // The positions before the sort tell equal values apart.
            compare(&values[a], &values[b]).then(a.cmp(&b))
        });
    }

    /// Sorts the values by a key, which is made anew for each comparison; equal ones keep their
    /// order. As [`sort_by`](Self::sort_by).
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// for layer in [3, 1, 2] {
    ///     pool.insert(layer).unwrap();
    /// }
    /// pool.sort_by_key(|layer| *layer);
    /// assert_eq!(pool.as_slice(), [1, 2, 3]);
    /// ```
    pub fn sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.sort_by(|a, b| key(a).cmp(&key(b)));
    }

    /// Sorts the values; equal ones come in any order, the same on every run. A little faster than
    /// [`sort_by`](Self::sort_by), and like it in everything else.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let one = pool.insert(1).unwrap();
    /// let two = pool.insert(2).unwrap();
    /// pool.sort_unstable_by(|a, b| b.cmp(a));
    /// assert_eq!(pool.as_handle_slice(), [two, one]);
    /// ```
    pub fn sort_unstable_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        self.sort_positions_by(|values, a, b| compare(&values[a], &values[b]));
    }

    /// Lets two values change places; their handles go with them. O(1).
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let a = pool.insert("a").unwrap();
    /// pool.insert("b").unwrap();
    /// pool.swap_positions(0, 1);
    /// assert_eq!(pool.as_slice(), ["b", "a"]);
    /// assert_eq!(pool[a], "a");
    /// ```
    ///
    /// # Panics
    ///
    /// If a position is not less than [`len`](Self::len).
    #[track_caller]
    pub fn swap_positions(&mut self, a: usize, b: usize) {
        self.values.swap(a, b);
        Partition::swap(&mut self.roster, a, b);
    }

    /// Sorts the handles by what the function says of the positions of their values. The values stay
    /// where they are until the order is known, and then each moves once.
    fn sort_positions_by(&mut self, mut compare: impl FnMut(&[T], usize, usize) -> Ordering) {
        let follow = MoveValues(self);
        let PackedPool { roster, values } = &mut *follow.0;
        roster.sort_by(|a, b| compare(values, a, b));
    }
}

/// Lets the values follow their handles when the sort is over, also if it has panicked: a sort that
/// panics leaves the handles in some order, each of them once.
struct MoveValues<'a, T, H: HandleLayout>(&'a mut PackedPool<T, H>);

impl<T, H: HandleLayout> Drop for MoveValues<'_, T, H> {
    fn drop(&mut self) {
        let PackedPool { roster, values } = &mut *self.0;
        roster.settle(|a, b| values.swap(a, b));
    }
}
