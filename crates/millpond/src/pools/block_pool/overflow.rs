use super::BlockPool;
use super::growth::CannotGrow;
use crate::handle::HandleLayout;
use crate::policies::bounded;
use crate::slots::reuse::ReuseOrder;

bounded! {
    [T, R: ReuseOrder, H: HandleLayout] BlockPool<T, R, H>, T, H,
    last: |pool, handle| pool.core.is_last(handle),
    most: |pool| pool.capacity_max(),
    insert: |pool, value| pool.insert_if_room(value).map_err(|(value, _)| value),
    refuse: |pool, value| pool.refuse(value, CannotGrow::AtLimit),
    // Not by `remove`, which might give the block back.
    evict: |pool, victim| pool.take_value(victim).inspect(|_| {
        pool.core.count_eviction();
    }),
}
