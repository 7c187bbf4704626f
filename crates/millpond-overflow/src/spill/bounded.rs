//! Two pools that look like one are a pool that a policy can use.

use millpond::__parts::bounded;
use millpond::overflow::Bounded;

use super::Spill;

bounded! {
    [A: Bounded, B: Bounded<Value = A::Value, Handle = A::Handle>] Spill<A, B>, A::Value, A::Handle,
    last: |pool, handle| match pool.inside(handle) {
        Some(inner) => pool.second.is_in_last_lifetime(inner),
        None => pool.first.is_in_last_lifetime(handle),
    },
    most: |pool| pool.first.capacity_max() + pool.second.capacity_max(),
    insert: |pool, value| pool.insert_if_room(value),
    refuse: |pool, value| {
        let full = pool.second.refuse(value);
        pool.full(full)
    },
    evict: |pool, victim| match pool.inside(victim) {
        Some(inner) => pool.second.evict(inner),
        None => pool.first.evict(victim),
    },
}
