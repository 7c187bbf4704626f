use super::BlockPool;
use super::growth::ByBlocks;
use crate::handle::HandleLayout;
use crate::slots::BlockSizes;
use crate::slots::lifetimes::Lifetimes;
use crate::slots::reuse::ReuseOrder;

/// Creates an empty pool that has not allocated, with any reuse order and handle layout, whose
/// blocks double; see [`BlockPool::new`].
impl<T, R: ReuseOrder, H: HandleLayout> Default for BlockPool<T, R, H> {
    fn default() -> Self {
        Self::without_blocks(BlockSizes::DOUBLING, &Lifetimes::PLAIN, ByBlocks::UNLIMITED)
    }
}
