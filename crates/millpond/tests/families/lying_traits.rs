//! Defect 12: user code that lies: an order that is none, a clone that is another value, a predicate
//! that changes what it looks at. (That the traits which unsafe code relies on are sealed is shown by
//! the doc tests of `HandleLayout` and `ReuseOrder`.)

use std::cmp::Ordering;

use crate::Pools;
use crate::common::Counted;
use crate::subject::{CLONED, Key, Rank, for_every_pool};
use crate::world::World;

fn order(kind: &Pools) {
    if !kind.facts().evicts {
        return;
    }
    let lies: [fn(u64, u64) -> Ordering; 4] = [
        |_, _| Ordering::Less,
        |_, _| Ordering::Greater,
        |_, _| Ordering::Equal,
        |a, b| (a ^ b).cmp(&37),
    ];
    for lie in lies {
        let mut world = World::full(kind);
        let len = world.pool.len();
        for id in 700..700 + len.min(20) as u64 {
            let value = world.ledger.value(id);
            // Slots in their last lifetime are spared, and then there may be none.
            if world.pool.iter().all(|(handle, _)| is_last(kind, handle)) {
                break;
            }
            let evicted = world.pool.insert_or_evict(value, &mut |value| Rank(value.id(), lie));
            let (handle, evicted) = evicted.unwrap();
            let (old, value) = evicted.unwrap();
            assert!(!world.pool.contains(old) && value.id() != id);
            assert_eq!(world.pool.get(handle).unwrap().id(), id);
            drop(value);
            assert_eq!((world.pool.len(), world.ledger.alive()), (len, len));
        }
        world.check();
    }
}

fn is_last(kind: &Pools, handle: Key) -> bool {
    handle.generation() == kind.facts().layout.generation_max
}

/// The clone of a value is another value.
fn clone(kind: &Pools) {
    let world = World::full(kind);
    world.ledger.let_clones_say_more(1_000);
    let Some((_, copy)) = world.pool.came_back(CLONED) else { return };
    copy.validate().unwrap();
    let more = 1_000 * kind.facts().clones_for_a_copy;
    for (&id, &handle) in &world.handles {
        assert_eq!(world.pool.get(handle).map(Counted::id), Some(id));
        assert_eq!(copy.get(handle).map(Counted::id), Some(id + more));
    }
    drop(copy);
    world.check();
}

/// A predicate may write over what it looks at, and say either thing of the same value.
fn predicate(kind: &Pools) {
    let mut world = World::new(kind);
    let ledger = world.ledger.clone();
    let mut calls = 0;
    world.pool.retain(&mut |_, value| {
        calls += 1;
        *value = ledger.value(9_000 + calls);
        calls % 3 == 0
    });
    assert_eq!(world.ledger.alive(), world.pool.len());
    world.pool.validate().unwrap();
    assert!(world.pool.iter().all(|(_, value)| calls == 0 || value.id() % 3 == 0));
    world.handles.clear();
    world.check();
}

for_every_pool! { order, clone, predicate }
