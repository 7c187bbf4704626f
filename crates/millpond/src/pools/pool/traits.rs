use alloc::vec::Vec;

use super::Pool;
use crate::handle::HandleLayout;
use crate::slots::reuse::ReuseOrder;

/// Returns a pool without slots, which allocates nothing: for structs that derive `Default`
/// and later replace it with a pool of the right capacity.
impl<T, R: ReuseOrder, H: HandleLayout> Default for Pool<T, R, H> {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

/// Builds a full pool of exactly these values, with one slot per value, in iteration order.
/// (There is no `Extend`, which could not report that a pool is full.)
///
/// ```
/// use millpond::Pool;
///
/// let pool: Pool<i32> = (0..9).collect();
/// assert_eq!((pool.capacity(), pool.values().sum::<i32>()), (9, 36));
/// assert!(pool.is_full());
/// ```
///
/// # Panics
///
/// If the handle layout cannot name that many slots, or there is not enough memory.
impl<T, R: ReuseOrder, H: HandleLayout> FromIterator<T> for Pool<T, R, H> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let values: Vec<T> = values.into_iter().collect();
        let mut pool = Self::with_capacity(values.len());
        for value in values {
            if pool.insert(value).is_err() {
                unreachable!("the pool has a slot for each value");
            }
        }
        pool
    }
}
