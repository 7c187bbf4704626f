use super::VecPool;
use crate::handle::HandleLayout;
use crate::policies::bounded;
use crate::pools::growing::{CannotGrow, SLOTS_LIMITED_BY_HANDLES};
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Whether only the number of slots that handles can name limits the pool's growth.
    fn is_unlimited(&self) -> bool {
        H::CAPACITY_MAX > SLOTS_LIMITED_BY_HANDLES && self.capacity_max() == H::CAPACITY_MAX
    }
}

bounded! {
    [T, R: ReuseOrder, H: HandleLayout] VecPool<T, R, H>, T, H,
    last: |pool, handle| pool.core.is_last(handle),
    most: |pool| pool.capacity_max(),
    unlimited: pool.is_unlimited(),
    insert: |pool, value| pool.insert_if_room(value).map_err(|(value, _)| value),
    refuse: |pool, value| pool.refuse(value, CannotGrow::AtLimit),
    evict: |pool, victim| pool.remove(victim).inspect(|_| pool.core.count_eviction()),
}
