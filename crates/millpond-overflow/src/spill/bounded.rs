//! Two pools that look like one are a pool that a policy can use.

use millpond::__parts::bounded;
use millpond::overflow::Bounded;

use super::Spill;

bounded! {
    [A: Bounded, B: Bounded<Value = A::Value, Handle = A::Handle>] Spill<A, B>, A::Value, A::Handle,
    last: |self, handle| match self.inside(handle) {
        Some(inner) => self.second.is_in_last_lifetime(inner),
        None => self.first.is_in_last_lifetime(handle),
    },
    most: |self| self.first.capacity_max() + self.second.capacity_max(),
    insert: |self, value| self.insert_if_room(value),
    refuse: |self, value| {
        let full = self.second.refuse(value);
        self.full(full)
    },
    evict: |self, victim| match self.inside(victim) {
        Some(inner) => self.second.evict(inner),
        None => self.first.evict(victim),
    },
}
