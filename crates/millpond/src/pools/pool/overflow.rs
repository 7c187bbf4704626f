use super::Pool;
use crate::handle::HandleLayout;
use crate::policies::bounded;
use crate::slots::reuse::ReuseOrder;

bounded! {
    [T, R: ReuseOrder, H: HandleLayout] Pool<T, R, H>, T, H,
    last: |pool, handle| pool.core.is_last(handle),
    insert: |pool, value| pool.insert_if_room(value).map_err(|(value, ())| value),
    refuse: |pool, value| pool.refuse(value, ()),
    evict: |pool, victim| pool.remove(victim).inspect(|_| pool.core.count_eviction()),
}
