use super::PackedPool;
use crate::handle::HandleLayout;
use crate::policies::bounded;

bounded! {
    [T, H: HandleLayout] PackedPool<T, H>, T, H,
    last: |pool, handle| pool.roster.is_last(handle.erase()),
    insert: |pool, value| pool.insert_if_room(value).map_err(|(value, ())| value),
    refuse: |pool, value| pool.refuse(value, ()),
    evict: |pool, victim| pool.remove(victim).inspect(|_| pool.roster.count_eviction()),
}
