//! Pools of several parts, and values that panic while they are written: each is sound afterwards, and goes on.

use std::ops::Range;

use millpond::{PackedPool, Pool};
use millpond_overflow::{Overflow, PolicyPool, Spill};

use crate::common::{Counted, Ledger, panics};

type Both = Spill<Pool<Counted>, PackedPool<Counted>>;

/// Two pools of 11 slots together, with these values.
fn both(ledger: &Ledger, ids: Range<u64>) -> Both {
    let mut pool = Spill::new(Pool::new(5), PackedPool::new(6));
    ids.for_each(|id| assert!(pool.insert(ledger.value(id)).is_ok()));
    pool
}

/// Each slot is there once.
fn goes_on(mut pool: Both, ledger: &Ledger) {
    let validate = |pool: &Both| pool.first().validate().and_then(|()| pool.second().validate());
    validate(&pool).unwrap();
    while !pool.is_full() {
        pool.insert(ledger.value(99)).unwrap();
    }
    validate(&pool).unwrap();
    assert_eq!((pool.len(), pool.iter().count()), (11, 11));
    drop(pool);
}

#[test]
fn two_pools_are_empty_after_a_clone_in_either_has_panicked() {
    for id in 0..8 {
        let ledger = Ledger::default();
        let mut snapshot = both(&ledger, 0..8).snapshot_cloned();
        let mut pool = both(&ledger, 10..17);
        ledger.panic_in_clone_of(id);
        assert!(panics(|| pool.restore(&snapshot).unwrap()), "{id}");
        assert!(pool.is_empty() && pool.iter().next().is_none());
        goes_on(pool, &ledger);
        // So is a snapshot that is written.
        let pool = both(&ledger, 0..8);
        assert!(panics(|| pool.save_into(&mut snapshot).unwrap()), "{id}");
        assert!(snapshot.as_pool().is_empty());
        drop((pool, snapshot));
        assert_eq!(ledger.alive(), 0);
    }
}

#[test]
fn two_pools_go_on_after_a_drop_in_either_has_panicked_while_they_take_over_others() {
    for id in 10..17 {
        let ledger = Ledger::default();
        let mut pool = both(&ledger, 10..17);
        let old = both(&ledger, 0..8);
        ledger.panic_in_drop_of(id);
        assert!(panics(|| pool.migrate_from(old).unwrap()), "{id}");
        goes_on(pool, &ledger);
        assert_eq!(ledger.alive(), 0);
    }
}

const CHANGING: [(Overflow, u64); 3] =
    [(Overflow::EvictOldest, 0), (Overflow::Spill, 4), (Overflow::Grow, 4)];

/// A pool of nine slots and more, with these values.
fn ruled(ledger: &Ledger, (policy, more): (Overflow, u64), ids: Range<u64>) -> PolicyPool<Counted> {
    let mut pool = PolicyPool::new(policy, Pool::builder().capacity(9), more as usize);
    ids.for_each(|id| assert!(pool.insert_by(ledger.value(id), |_, _| 0).is_ok()));
    pool
}

fn goes_on_by_its_rule(mut pool: PolicyPool<Counted>, ledger: &Ledger) {
    pool.validate().unwrap();
    (0..20).for_each(|_| _ = pool.insert_by(ledger.value(99), |_, _| 0));
    pool.validate().unwrap();
    assert_eq!((pool.len(), pool.iter().count()), (pool.capacity_max(), pool.capacity_max()));
}

#[test]
fn a_pool_of_any_policy_is_empty_after_a_clone_has_panicked() {
    for rule in CHANGING {
        for id in 0..9 + rule.1 {
            let ledger = Ledger::default();
            let snapshot = ruled(&ledger, rule, 0..9 + rule.1).snapshot_cloned();
            let mut pool = ruled(&ledger, rule, 20..26);
            ledger.panic_in_clone_of(id);
            assert!(panics(|| pool.restore(&snapshot).unwrap()), "{id}");
            assert!(pool.is_empty() && pool.iter().next().is_none());
            goes_on_by_its_rule(pool, &ledger);
            drop(snapshot);
            assert_eq!(ledger.alive(), 0);
        }
    }
}

#[test]
fn a_pool_of_any_policy_goes_on_after_a_drop_has_panicked_while_it_takes_over_another() {
    for rule in CHANGING {
        for id in 20..29 + rule.1 {
            let ledger = Ledger::default();
            let mut pool = ruled(&ledger, rule, 20..29 + rule.1);
            let old = ruled(&ledger, rule, 0..5);
            ledger.panic_in_drop_of(id);
            assert!(panics(|| pool.migrate_from(old).unwrap()), "{id}");
            goes_on_by_its_rule(pool, &ledger);
            assert_eq!(ledger.alive(), 0);
        }
    }
}
