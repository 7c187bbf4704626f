use super::BlockPool;
use crate::handle::HandleLayout;
use crate::policies::bounded;
use crate::pools::growing::CannotGrow;
use crate::slots::reuse::ReuseOrder;

bounded! {
    [T, R: ReuseOrder, H: HandleLayout] BlockPool<T, R, H>, T, H,
    last: |pool, handle| pool.core.is_last(handle),
    most: |pool| pool.capacity_max(),
    insert: |pool, value| pool.insert_if_room(value).map_err(|(value, _)| value),
    refuse: |pool, value| pool.refuse(value, CannotGrow::AtLimit),
    // Not by `remove`, which might free the block.
    evict: |pool, victim| pool.storage.remove(victim, &mut pool.core).inspect(|_| {
        pool.core.count_eviction();
    }),
}
