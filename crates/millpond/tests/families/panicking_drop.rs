//! Defect 1: a `Drop` that panics, of the k-th value, in everything that drops values. Every value is
//! dropped once at most, and the pool goes on as if only what was finished had happened.

use std::cell::Cell;

use millpond::Recycler;
use millpond::classic::BytemapPool;
use millpond::reuse::ReuseOrder;

use crate::Pools;
use crate::common::{Counted, Ledger, in_every_order, panics};
use crate::subject::{Rank, Subject, for_every_pool};
use crate::world::World;

/// Runs work that drops values, once for each value: its drop panics.
fn each_drop_panics(kind: &Pools, work: impl Fn(&mut dyn Subject<Counted>, &Ledger)) {
    each_drop_panics_and_leaves(kind, work, |_| {});
}

/// The same, with a check of what is left in the pool.
fn each_drop_panics_and_leaves(
    kind: &Pools,
    work: impl Fn(&mut dyn Subject<Counted>, &Ledger),
    check: impl Fn(&dyn Subject<Counted>),
) {
    for victim in World::new(kind).victims() {
        let mut world = World::new(kind);
        world.ledger.panic_in_drop_of(victim);
        let panicked = panics(|| work(&mut *world.pool, &world.ledger));
        let victim_lives = world.pool.contains(world.handles[&victim]);
        assert!(panicked || victim_lives, "a value was dropped and nobody heard its panic");
        check(&*world.pool);
        world.check();
    }
}

fn clear(kind: &Pools) {
    each_drop_panics(kind, |pool, _| pool.clear());
}

fn remove(kind: &Pools) {
    each_drop_panics(kind, |pool, _| {
        let handles: Vec<_> = pool.iter().map(|(handle, _)| handle).collect();
        for handle in handles {
            drop(pool.remove(handle));
        }
    });
}

fn retain(kind: &Pools) {
    each_drop_panics(kind, |pool, _| _ = pool.retain(&mut |_, _| false));
    each_drop_panics(kind, |pool, _| _ = pool.retain(&mut |_, value| value.id() % 2 == 0));
}

fn extract_if(kind: &Pools) {
    each_drop_panics(kind, |pool, _| {
        if let Some(extracted) = pool.extract_if(&mut |_, value| value.id() % 3 == 0) {
            extracted.for_each(drop);
        }
    });
    each_drop_panics(kind, |pool, _| {
        if let Some(mut extracted) = pool.extract_if(&mut |_, _| true) {
            drop(extracted.nth(5));
        }
    });
}

fn drain(kind: &Pools) {
    each_drop_panics(kind, |pool, _| {
        if let Some(drain) = pool.drain() {
            drain.for_each(drop);
        }
    });
    each_drop_panics(kind, |pool, _| {
        if let Some(drain) = pool.drain_back() {
            drain.for_each(drop);
        }
    });
}

/// What was not taken goes when the drain is dropped, even if one of them panics.
fn dropped_drain(kind: &Pools) {
    for taken in [0, 1, 7, 60] {
        let has_drain = Cell::new(false);
        let drain = |pool: &mut dyn Subject<Counted>, _: &Ledger| {
            if let Some(mut drain) = pool.drain() {
                has_drain.set(true);
                drain.by_ref().take(taken).for_each(drop);
            }
        };
        each_drop_panics_and_leaves(kind, drain, |pool| {
            assert!(!has_drain.get() || pool.len() == 0, "values stay behind one that panics");
        });
    }
}

/// A value that a restore drops, and one that it drops from a snapshot that is written over.
fn restore(kind: &Pools) {
    for victim in World::new(kind).victims() {
        for is_restored in [true, false] {
            let mut world = World::new(kind);
            let Some(mut past) = world.pool.take_snapshot() else { return };
            if !kind.facts().panicking_restore_empties {
                return;
            }
            // In some slots other values than in the snapshot, in some none.
            let handles = world.handles.clone();
            for (id, &handle) in handles.iter().filter(|(id, _)| *id % 2 == 0 || **id == victim) {
                drop(world.pool.remove(handle));
                if id % 4 == 0 {
                    drop(world.pool.insert(world.ledger.value(600)));
                }
            }
            let dropped = if is_restored { 600 } else { victim };
            world.ledger.panic_in_drop_of(dropped);
            panics(|| match is_restored {
                true => world.pool.restore(&*past),
                false => world.pool.save_into(&mut *past),
            });
            world.ledger.panic_in_drop_of(None);
            world.pool.validate().unwrap();
            drop(past);
            assert_eq!(world.ledger.alive(), world.pool.len());
            // What lives now is not what the world began with.
            world.pool.clear();
            world.pool.validate().unwrap();
            assert_eq!(world.ledger.alive(), 0);
        }
    }
}

fn eviction(kind: &Pools) {
    each_drop_panics(kind, |pool, ledger| {
        while !pool.is_full() {
            drop(pool.insert(ledger.value(500)));
        }
        for _ in 0..pool.len().min(20) {
            drop(pool.insert_or_evict(ledger.value(501), &mut |value| Rank::of(value.id())));
        }
    });
}

fn refused_value(kind: &Pools) {
    let mut world = World::full(kind);
    world.ledger.panic_in_drop_of(700);
    assert!(panics(|| drop(world.pool.insert(world.ledger.value(700)))));
    world.check();
}

fn pool_itself(kind: &Pools) {
    for victim in World::new(kind).victims() {
        let World { ledger, pool, .. } = World::new(kind);
        ledger.panic_in_drop_of(victim);
        assert!(panics(|| drop(pool)));
        assert_eq!(ledger.alive(), 0, "the rest are dropped while unwinding");
    }
}

fn owning_iterator(kind: &Pools) {
    for victim in World::new(kind).victims() {
        for taken in [0, 1, 9, 62] {
            let World { ledger, pool, .. } = World::new(kind);
            let Some(mut values) = pool.into_iter() else { return };
            let front: Vec<_> = values.by_ref().take(taken).collect();
            let back: Vec<_> = values.by_ref().rev().take(taken / 3).collect();
            ledger.panic_in_drop_of(victim);
            let is_held = front.iter().chain(&back).any(|(_, value)| value.id() == victim);
            assert_eq!(panics(|| drop(values)), !is_held);
            assert_eq!(ledger.alive(), front.len() + back.len());
            ledger.panic_in_drop_of(None);
        }
    }
}

for_every_pool! {
    clear, remove, retain, extract_if, drain, dropped_drain, restore, eviction, refused_value, pool_itself,
    owning_iterator,
}

fn recycler_clone<R: ReuseOrder>() {
    for victim in [0, 5, 9] {
        let ledger = Ledger::default();
        let builder = Recycler::<Counted>::builder().reuse(R::default()).capacity(10);
        let recycler = builder.build_with(|index| ledger.value(index as u64));
        ledger.panic_in_clone_of(victim);
        assert!(panics(|| drop(recycler.clone())));
        assert_eq!(ledger.alive(), 10);
        ledger.panic_in_drop_of(victim);
        assert!(panics(|| drop(recycler)));
        assert_eq!(ledger.alive(), 0);
    }
}

#[test]
fn objects_of_a_recycler_are_dropped_once_whatever_panics() {
    in_every_order!(recycler_clone());
}

#[test]
fn drop_that_panics_in_a_bytemap_pool_leaves_whole_values() {
    for retires in [false, true] {
        for victim in 0..10 {
            let ledger = Ledger::default();
            let mut pool = if retires { BytemapPool::retiring(10) } else { BytemapPool::new(10) };
            for id in 0..10 {
                assert!(pool.insert(ledger.value(id)).is_ok());
            }
            ledger.panic_in_drop_of(victim);
            assert!(panics(|| pool.clear()));
            assert_eq!((pool.len(), ledger.alive()), (9 - victim as usize, 9 - victim as usize));
            assert!(pool.iter().all(|(handle, value)| {
                pool.get(handle).is_some_and(|same| same.id() == value.id())
            }));
            pool.clear();
            assert_eq!((pool.len(), ledger.alive()), (0, 0));
            for id in 0..10 {
                assert!(pool.insert(ledger.value(id)).is_ok());
            }
            ledger.panic_in_drop_of(victim);
            assert!(panics(|| pool.flush()));
            assert_eq!((pool.capacity(), pool.len(), ledger.alive()), (0, 0, 0));
        }
    }
}
