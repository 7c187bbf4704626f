use super::VecPool;
use crate::handle::HandleLayout;
use crate::slots::reuse::ReuseOrder;

/// Creates an empty pool that has not allocated, with any reuse order and handle layout; see [`VecPool::new`].
impl<T, R: ReuseOrder, H: HandleLayout> Default for VecPool<T, R, H> {
    fn default() -> Self {
        Self::EMPTY
    }
}
