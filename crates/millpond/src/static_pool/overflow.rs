use super::StaticPool;
use crate::handle::HandleLayout;
use crate::overflow::bounded;

bounded! {
    [T, const N: usize, H: HandleLayout] StaticPool<T, N, H>, T, H,
    last: |pool, handle| pool.storage.roster().is_in_last_lifetime(handle),
    insert: |pool, value| pool.storage.insert(value),
    refuse: |pool, value| pool.refuse(value),
    evict: |pool, victim| pool.remove(victim).inspect(|_| pool.storage.count_eviction()),
}
