//! Defect 12: user code that lies: an order that is none, a clone that is another value, a predicate
//! that changes what it looks at. (That the traits which unsafe code relies on are sealed is shown by
//! the doc tests of `HandleLayout` and `ReuseOrder`.)

use std::cmp::Ordering;

use crate::subject::{Kind, Plan, PoolUnderTest, for_every_pool};
use crate::world::World;

/// A key that compares as a function says.
struct Lies(u64, fn(u64, u64) -> Ordering);

impl PartialEq for Lies {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Lies {}
impl PartialOrd for Lies {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Lies {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.1)(self.0, other.0)
    }
}

fn order<K: Kind>() {
    if !<K::Pool<crate::common::Counted> as PoolUnderTest<_>>::EVICTS {
        return;
    }
    let lies: [fn(u64, u64) -> Ordering; 4] = [
        |_, _| Ordering::Less,
        |_, _| Ordering::Greater,
        |_, _| Ordering::Equal,
        |a, b| (a ^ b).cmp(&37),
    ];
    for lie in lies {
        let mut world = World::<K>::full();
        let len = world.pool.len();
        for id in 700..700 + len.min(20) as u64 {
            let value = world.ledger.value(id);
            // Slots in their last lifetime are spared, and then there may be none.
            if world.pool.iter().all(|(handle, _)| is_last::<K>(handle)) {
                break;
            }
            let evicted = world.pool.insert_or_evict(value, &mut |value| Lies(value.id(), lie));
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

fn is_last<K: Kind>(handle: K::Handle) -> bool {
    use crate::subject::AnyHandle;
    handle.generation() == K::Handle::GENERATION_MAX
}

/// Its clone is another value.
#[derive(Debug, PartialEq)]
struct Fickle(u64);

impl Clone for Fickle {
    fn clone(&self) -> Self {
        Self(self.0 + 1_000)
    }
}

fn clone<K: Kind>() {
    let mut pool = K::build::<Fickle>(Plan::of(70));
    let mut handles = Vec::new();
    while let Ok(handle) = pool.insert(Fickle(handles.len() as u64)) {
        handles.push(handle);
    }
    let Some(copy) = pool.try_clone() else { return };
    copy.validate().unwrap();
    for (value, &handle) in (0..).zip(&handles) {
        assert_eq!(pool.get(handle), Some(&Fickle(value)));
        assert_eq!(copy.get(handle), Some(&Fickle(value + 1_000)));
    }
}

/// A predicate may write over what it looks at, and say either thing of the same value.
fn predicate<K: Kind>() {
    let mut world = World::<K>::new();
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
