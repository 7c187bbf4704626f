use super::{PackedGrowth, PackedSlotPool};
use crate::handle::HandleLayout;
use crate::policies::bounded;
use crate::pools::slot_pool::CannotGrow;

bounded! {
    [T, G: PackedGrowth<H::Word>, H: HandleLayout] PackedSlotPool<T, G, H>, T, H,
    last: |pool, handle| pool.roster.is_last(handle.erase()),
    most: |pool| pool.slots_max(),
    insert: |pool, value| pool.insert_if_room(value).map_err(|(value, _)| value),
    refuse: |pool, value| pool.refuse(value, CannotGrow::AtLimit),
    evict: |pool, victim| pool.remove(victim).inspect(|_| pool.roster.count_eviction()),
}
