use super::VecPool;
use crate::handle::HandleLayout;
use crate::slots::reuse::ReuseOrder;

/// Creates an empty pool that has not allocated, with any reuse order and handle layout; see [`VecPool::new`].
impl<T, R: ReuseOrder, H: HandleLayout> Default for VecPool<T, R, H> {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Inserts all values into a [default](Self::default) pool, with their slots in iteration order.
impl<T, R: ReuseOrder, H: HandleLayout> FromIterator<T> for VecPool<T, R, H> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut pool = Self::default();
        pool.extend(values);
        pool
    }
}
