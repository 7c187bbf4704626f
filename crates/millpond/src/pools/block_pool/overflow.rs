use super::BlockPool;
use crate::handle::HandleLayout;
use crate::policies::bounded;
use crate::pools::growing::{CannotGrow, SLOTS_LIMITED_BY_HANDLES};
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// Whether only the number of slots that handles can name limits the pool's growth.
    fn is_unlimited(&self) -> bool {
        let blocks = self.sizes().blocks_within(H::CAPACITY_MAX);
        H::CAPACITY_MAX > SLOTS_LIMITED_BY_HANDLES && self.max_blocks() == blocks
    }
}

bounded! {
    [T, R: ReuseOrder, H: HandleLayout] BlockPool<T, R, H>, T, H,
    last: |pool, handle| pool.core.is_last(handle),
    most: |pool| pool.capacity_max(),
    unlimited: pool.is_unlimited(),
    insert: |pool, value| pool.insert_if_room(value).map_err(|(value, _)| value),
    refuse: |pool, value| pool.refuse(value, CannotGrow::AtLimit),
    // Not by `remove`, which might free the block.
    evict: |pool, victim| pool.storage.remove(victim, &mut pool.core).inspect(|_| {
        pool.core.count_eviction();
    }),
}
