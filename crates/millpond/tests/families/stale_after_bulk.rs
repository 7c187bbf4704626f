//! Defect 3: handles from before a bulk operation come to life again when the slots are used anew.

use std::collections::HashSet;

use crate::Pools;
use crate::common::{Counted, Ledger, panics};
use crate::subject::{Key, Plan, Rank, Subject, Value, for_every_pool};
use crate::world::{SLOTS, World};

/// Fills the pool and empties it with the given work, many times: no handle is ever issued twice, and
/// none from before is good.
fn emptied_again_and_again(kind: &Pools, empty: impl Fn(&mut dyn Subject<Counted>) -> bool) {
    let mut pool: Box<dyn Subject<Counted>> = kind.make(Plan::of(SLOTS));
    let mut ever: HashSet<Key> = HashSet::new();
    let mut before: Vec<Key> = Vec::new();
    for round in 0..20 {
        // Not always full, so that slots differ in how often they were in use.
        let count = pool.capacity() * (3 + round % 3) / 5;
        let mut now = Vec::new();
        for value in 0..count as u64 {
            let Ok(handle) = pool.insert(Counted::of(value)) else { break };
            assert!(ever.insert(handle), "{handle:?} was issued twice");
            now.push(handle);
        }
        for &handle in &before {
            assert!(!pool.contains(handle) && pool.get(handle).is_none(), "{handle:?}");
            assert!(pool.remove(handle).is_none() && pool.get_mut(handle).is_none());
        }
        assert_eq!(pool.len(), now.len());
        if !empty(&mut *pool) {
            return;
        }
        pool.validate().unwrap();
        assert!(pool.len() == 0 && pool.iter().next().is_none());
        before.extend(now);
    }
}

fn clear(kind: &Pools) {
    // A clear starts the seeds of a byte-map pool again, by its design.
    if kind.facts().lasting {
        emptied_again_and_again(kind, |pool| {
            pool.clear();
            true
        });
    }
}

fn retain(kind: &Pools) {
    emptied_again_and_again(kind, |pool| pool.retain(&mut |_, _| false));
}

fn drain(kind: &Pools) {
    emptied_again_and_again(kind, |pool| pool.drain().map(|drain| drain.for_each(drop)).is_some());
    emptied_again_and_again(kind, |pool| pool.drain().map(drop).is_some());
    emptied_again_and_again(kind, |pool| {
        pool.drain_back().map(|drain| drain.for_each(drop)).is_some()
    });
}

fn leaked_drain(kind: &Pools) {
    emptied_again_and_again(kind, |pool| {
        let Some(mut drain) = pool.drain() else { return false };
        drain.by_ref().take(10).for_each(drop);
        drain.forget();
        pool.validate().unwrap();
        pool.clear();
        true
    });
}

fn extract_if(kind: &Pools) {
    emptied_again_and_again(kind, |pool| {
        pool.extract_if(&mut |_, _| true).map(|extracted| extracted.for_each(drop)).is_some()
    });
}

fn removal(kind: &Pools) {
    emptied_again_and_again(kind, |pool| {
        let handles: Vec<_> = pool.iter().map(|(handle, _)| handle).collect();
        for handle in handles {
            assert!(pool.remove(handle).is_some() && pool.remove(handle).is_none());
        }
        true
    });
}

/// Each eviction makes a handle stale for ever.
fn eviction(kind: &Pools) {
    if !kind.facts().evicts {
        return;
    }
    let ledger = Ledger::default();
    let mut pool: Box<dyn Subject<Counted>> = kind.make(Plan::of(SLOTS));
    let mut ever = HashSet::new();
    let mut gone = Vec::new();
    while let Ok(handle) = pool.insert(ledger.value(0)) {
        ever.insert(handle);
    }
    // Half of the lifetimes that the shortest layout has, so that none retires.
    for id in 1..=pool.capacity() as u64 {
        let Some((handle, evicted)) =
            pool.insert_or_evict(ledger.value(id), &mut |value| Rank::of(value.id()))
        else {
            break;
        };
        assert!(ever.insert(handle), "{handle:?} was issued twice");
        let (evicted, _) = evicted.unwrap();
        gone.push(evicted);
        assert!(gone.iter().all(|&handle| !pool.contains(handle)));
        pool.validate().unwrap();
    }
    assert_eq!(gone.len(), pool.capacity());
}

/// After a clear the slots come in the order of a new pool, also when a drop has panicked.
fn order_after_clear(kind: &Pools) {
    if !kind.facts().clear_starts_from_the_lowest {
        return;
    }
    for panics_at in [None, Some(5)] {
        if panics_at.is_some() && !kind.facts().panicking_clear_does_too {
            continue;
        }
        let mut world = World::new(kind);
        world.ledger.panic_in_drop_of(panics_at);
        panics(|| world.pool.clear());
        let live: Vec<usize> = world.pool.iter().map(|(handle, _)| handle.index()).collect();
        let mut slots = Vec::new();
        while let Ok(handle) = world.pool.insert(world.ledger.value(900)) {
            slots.push(handle.index());
        }
        let dead = (0..world.pool.capacity()).filter(|slot| !live.contains(slot));
        assert!(slots.into_iter().eq(dead));
        world.check();
    }
}

for_every_pool! {
    order_after_clear, clear, retain, drain, leaked_drain, extract_if,
    removal, eviction,
}
