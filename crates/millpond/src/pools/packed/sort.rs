//! Sorting a packed pool: the values move, and each handle follows its value.

use core::cmp::Ordering;

use super::{PackedGrowth, PackedSlotPool};
use crate::base::guard::guard;
use crate::handle::HandleLayout;

impl<T, G: PackedGrowth<H::Word>, H: HandleLayout> PackedSlotPool<T, G, H> {
    /// Sorts the values with `compare`; equal ones keep their order. Every handle stays valid and
    /// names the same value as before. O(live × log live) comparisons and O(live) swaps; does not
    /// allocate.
    ///
    /// If `compare` panics, or does not implement a total order (the sort may then panic), the
    /// values are in an unspecified order, and every handle still names its value.
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
            // The positions before the sort distinguish equal values.
            compare(&values[a], &values[b]).then(a.cmp(&b))
        });
    }

    /// Sorts the values by `key`, which is called for each comparison; equal ones keep their order.
    /// Otherwise like [`sort_by`](Self::sort_by).
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

    /// Sorts the values with `compare`; equal ones may be reordered, but in the same way in every
    /// run. A little faster than [`sort_by`](Self::sort_by), and otherwise the same.
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

    /// Swaps the values at positions `a` and `b`; their handles follow them. O(1).
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
        self.roster.swap(a, b);
    }

    /// Sorts the handles by `compare`, which is called with the positions of their values. The
    /// values stay where they are until the order is known.
    fn sort_positions_by(&mut self, mut compare: impl FnMut(&[T], usize, usize) -> Ordering) {
        // The values follow their handles even if the sort panics, which leaves the handles in some order, each of them
        // once.
        let mut pool = guard(self, |Self { roster, values, .. }| {
            roster.settle(|a, b| values.swap(a, b));
        });
        let Self { roster, values, .. } = &mut **pool;
        roster.sort_by(|a, b| compare(values, a, b));
    }
}
