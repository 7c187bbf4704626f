//! Defect 1: a `Drop` that panics, of the k-th value, in everything that drops values. Every value is
//! dropped once at most, and the pool goes on as if only what was finished had happened.

use millpond_classic::BytemapPool;

use crate::Pools;
use crate::common::{Counted, Ledger, panics};
use crate::subject::{Plan, Subject, for_every_pool};
use crate::world::World;

/// What drops many values at once, and whether the pool has it. (`clear`, a removal and an eviction: see `model`.)
type Way = fn(&mut dyn Subject<Counted>) -> bool;

const WAYS: [Way; 7] = [
    |pool| pool.retain(&mut |_, _| false),
    |pool| pool.retain(&mut |_, value| value.id() % 2 == 0),
    |pool| {
        pool.extract_if(&mut |_, _| true).is_some_and(|mut extracted| extracted.nth(5).is_some())
    },
    // What was not taken goes when the drain is dropped.
    |pool| dropped_drain(pool, 0),
    |pool| dropped_drain(pool, 1),
    |pool| dropped_drain(pool, 7),
    |pool| dropped_drain(pool, 60),
];

fn dropped_drain(pool: &mut dyn Subject<Counted>, taken: usize) -> bool {
    pool.drain().is_some_and(|mut drain| drain.by_ref().take(taken).count() <= taken)
}

fn each_drop_panics(kind: &Pools) {
    for (way, remove) in WAYS.into_iter().enumerate() {
        for victim in World::new(kind).victims() {
            let mut world = World::new(kind);
            world.ledger.panic_in_drop_of(victim);
            let mut has_it = true;
            let panicked = panics(|| has_it = remove(&mut *world.pool));
            let victim_lives = world.pool.contains(world.handles[&victim]);
            assert!(panicked || victim_lives, "way {way}: nobody heard of a panic");
            let drains = way > 2 && has_it;
            assert!(
                !drains || world.pool.len() == 0,
                "way {way}: values stay behind one that panics"
            );
            world.check();
        }
    }
}

/// A value that a restore drops, and one that it drops from a snapshot that is written over.
fn restore(kind: &Pools) {
    World::plans(kind).into_iter().for_each(|plan| restore_of(kind, plan));
}

fn restore_of(kind: &Pools, plan: Plan) {
    for victim in World::of(kind, plan).victims() {
        for is_restored in [true, false] {
            let mut world = World::of(kind, plan);
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
            past.validate().unwrap();
            drop(past);
            assert_eq!(world.ledger.alive(), world.pool.len());
            // What lives now is not what the world began with.
            world.pool.clear();
            world.pool.validate().unwrap();
            assert_eq!(world.ledger.alive(), 0);
        }
    }
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

for_every_pool! { each_drop_panics, restore, pool_itself, owning_iterator }

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
