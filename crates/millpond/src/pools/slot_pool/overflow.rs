use super::{CannotGrow, Growth, PoolPlace, SlotPool};
use crate::handle::HandleLayout;
use crate::policies::bounded;
use crate::slots::reuse::ReuseOrder;

bounded! {
    [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: Growth<T, R, H::Erased, P>] SlotPool<T, G, R, H, P>, T, H,
    last: |pool, handle| pool.storage.ledger().is_last(handle.erase()),
    most: |pool| pool.growth.slots_max(&pool.storage),
    insert: |pool, value| pool.insert_if_room(value).map_err(|(value, _)| value),
    refuse: |pool, value| pool.refuse(value, CannotGrow::AtLimit),
    evict: |pool, victim| pool.remove(victim).inspect(|_| pool.storage.slots_mut().count_eviction()),
}
