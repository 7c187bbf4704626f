//! Defect 14: a handle of another pool of the same type is taken for one's own. Pools of different
//! names refuse each other's handles, on every run alike.

use crate::Pools;
use crate::common::Counted;
use crate::subject::{Key, Plan, Subject, Value, for_every_pool};

const NAMES: [Option<&str>; 8] = [
    None,
    Some("bullets"),
    Some("rockets"),
    Some("Bullets"),
    Some("b"),
    Some("c"),
    Some("家"),
    Some(" "),
];

/// A pool whose slots have been in use many times, and all handles that it ever issued.
fn used(kind: &Pools, name: Option<&'static str>) -> (Box<dyn Subject<Counted>>, Vec<Key>) {
    let mut pool: Box<dyn Subject<Counted>> = kind.make(Plan { name, ..Plan::of(4) });
    assert!(pool.name().is_none_or(|known| known == name), "it knows its name");
    let mut issued = Vec::new();
    for round in 0..50 {
        pool.clear();
        issued.extend((0..4).filter_map(|value| pool.insert(Counted::of(round * 4 + value)).ok()));
    }
    (pool, issued)
}

fn pools_of_different_names(kind: &Pools) {
    if !kind.facts().named {
        return;
    }
    let mut pools: Vec<_> = NAMES.into_iter().map(|name| used(kind, name)).collect();
    for of in 0..pools.len() {
        for from in (0..pools.len()).filter(|from| *from != of) {
            let issued = pools[from].1.clone();
            let pool = &mut pools[of].0;
            for handle in issued {
                assert!(!pool.contains(handle) && pool.get(handle).is_none(), "{handle:?}");
                assert!(pool.get_mut(handle).is_none() && pool.remove(handle).is_none());
            }
        }
        let (pool, issued) = &pools[of];
        let last = issued.len() - pool.capacity().min(4);
        assert!(issued[last..].iter().all(|&handle| pool.contains(handle)), "its own are good");
    }
}

for_every_pool! { pools_of_different_names }
