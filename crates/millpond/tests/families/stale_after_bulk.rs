//! Defect 3: handles from before a bulk operation come to life again when the slots are used anew. (In which
//! order: the model.)

use std::collections::HashSet;

use crate::Pools;
use crate::common::Counted;
use crate::subject::{Key, Plan, Subject, Value, for_every_pool};
use crate::world::SLOTS;

/// Fills the pool and empties it with the given work, many times: no handle is ever issued twice, and
/// none from before is good.
fn emptied_again_and_again(kind: &Pools, empty: &Way) {
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

/// What leaves no object, and whether the pool has it.
type Way = fn(&mut dyn Subject<Counted>) -> bool;

const WAYS: [Way; 8] = [
    |pool| {
        pool.clear();
        true
    },
    |pool| pool.retain(&mut |_, _| false),
    |pool| pool.drain().map(|drain| drain.for_each(drop)).is_some(),
    |pool| pool.drain().map(drop).is_some(),
    |pool| pool.drain_back().map(|drain| drain.for_each(drop)).is_some(),
    |pool| {
        let Some(mut drain) = pool.drain() else { return false };
        drain.by_ref().take(10).for_each(drop);
        drain.forget();
        pool.validate().unwrap();
        pool.clear();
        true
    },
    |pool| pool.extract_if(&mut |_, _| true).map(|extracted| extracted.for_each(drop)).is_some(),
    |pool| {
        let handles: Vec<_> = pool.iter().map(|(handle, _)| handle).collect();
        handles.into_iter().all(|handle| pool.remove(handle).is_some())
    },
];

fn no_handle_comes_back(kind: &Pools) {
    // A clear starts the seeds of a byte-map pool again, by its design.
    let ways = if kind.facts().lasting { &WAYS[..] } else { &WAYS[1..] };
    ways.iter().for_each(|empty| emptied_again_and_again(kind, empty));
}

for_every_pool! { no_handle_comes_back }
