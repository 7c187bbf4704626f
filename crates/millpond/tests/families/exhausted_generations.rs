//! Defect 6: the generations of a slot are used up, and a stale handle is good again.

use std::collections::HashSet;

use crate::Pools;
use crate::common::Counted;
use crate::subject::{Facts, Key, Plan, Subject, Value, for_every_pool};

/// How many lifetimes each slot has when few were asked for, if that is few.
fn few(of: &Facts, wraps: bool) -> Option<(Plan, u32)> {
    let plan = Plan { lifetimes: Some(3), wraps, ..Plan::of(5) };
    let most = of.layout.generation_max;
    let lifetimes = if of.lifetimes_chosen { most.min(3) } else { most };
    (lifetimes <= 1000).then_some((plan, lifetimes))
}

fn slots_retire(kind: &Pools) {
    let Some((plan, lifetimes)) = few(kind.facts(), false) else { return };
    if !kind.facts().lasting {
        return;
    }
    let mut pool: Box<dyn Subject<Counted>> = kind.make(plan);
    let mut ever: Vec<Key> = Vec::new();
    let mut set = HashSet::new();
    for round in 0.. {
        // One slot, all slots, two slots, and so on: they do not retire together.
        let count = 1 + round % pool.capacity().max(1);
        let mut live = Vec::new();
        while live.len() < count {
            let Ok(handle) = pool.insert(Counted::of(7)) else { break };
            assert!(set.insert(handle), "{handle:?} was issued twice");
            live.push(handle);
        }
        assert!(pool.len() + pool.retired() <= pool.capacity());
        assert!(ever.iter().all(|&handle| !pool.contains(handle)));
        if live.is_empty() {
            break;
        }
        for handle in live {
            assert_eq!(pool.remove(handle), Some(Counted::of(7)));
            ever.push(handle);
        }
        pool.validate().unwrap();
    }
    assert_eq!(ever.len(), pool.capacity() * lifetimes as usize, "each lifetime of each slot");
    assert!(pool.is_full() && pool.len() == 0);
    assert_eq!(pool.retired(), pool.capacity());
    pool.clear();
    pool.validate().unwrap();
    assert_eq!(pool.insert(Counted::of(8)), Err(Counted::of(8)), "a clear brings no slot back");
    assert!(ever.iter().all(|&handle| !pool.contains(handle)));
    for &handle in &ever {
        if let Some(result) = pool.insert_at(handle, Counted::of(9)) {
            assert_eq!(result, Err(Counted::of(9)), "{handle:?} is of a retired slot");
        }
    }
}

fn slots_wrap(kind: &Pools) {
    let Some((plan, lifetimes)) = few(kind.facts(), true) else { return };
    if !kind.facts().wraps_early {
        return;
    }
    let mut pool: Box<dyn Subject<Counted>> = kind.make(plan);
    let mut first_round: Vec<Key> = Vec::new();
    for use_of_all in 0..u64::from(lifetimes) * 3 {
        let mut handles = Vec::new();
        while let Ok(handle) = pool.insert(Counted::of(use_of_all)) {
            handles.push(handle);
        }
        assert_eq!((pool.len(), pool.retired()), (pool.capacity(), 0), "no slot retires");
        pool.validate().unwrap();
        for &handle in &handles {
            assert_eq!(pool.remove(handle), Some(Counted::of(use_of_all)));
            assert!(!pool.contains(handle), "stale until its slot has been once round");
        }
        if use_of_all < u64::from(lifetimes) {
            first_round.extend(&handles);
        } else {
            assert!(handles.iter().all(|handle| first_round.contains(handle)), "the same again");
        }
    }
}

/// A slot is taken to its last lifetime by a claim.
fn last_lifetime(kind: &Pools) {
    let last = kind.facts().layout.generation_max;
    for wraps in [false, true] {
        let plan = Plan { wraps, ..Plan::of(2) };
        let mut pool: Box<dyn Subject<Counted>> = kind.make(plan);
        let Some(handle) = kind.facts().handle(0, last) else { panic!("a generation in range") };
        match pool.insert_at(handle, Counted::of(1)) {
            None => return,
            Some(result) => assert_eq!(result.is_ok(), pool.capacity() > 0),
        }
        if pool.capacity() == 0 {
            return;
        }
        let retires = !(kind.facts().wraps)(plan) && kind.facts().lasting;
        pool.validate().unwrap();
        assert_eq!(pool.remove(handle), Some(Counted::of(1)));
        pool.validate().unwrap();
        assert!(!pool.contains(handle));
        assert_eq!(pool.retired(), usize::from(retires));
        let mut again = Vec::new();
        while let Ok(handle) = pool.insert(Counted::of(2)) {
            again.push(handle);
        }
        assert_eq!(again.len(), pool.capacity() - usize::from(retires));
        assert!(!pool.contains(handle));
        if retires {
            assert!(again.iter().all(|handle| handle.index() != 0));
            assert_eq!(pool.insert_at(handle, Counted::of(9)), Some(Err(Counted::of(9))));
        }
        pool.validate().unwrap();
    }
}

for_every_pool! { slots_retire, slots_wrap, last_lifetime }
