//! Models for loom: walks of two or three threads over one pool. Its bitmap is out of date, and one of them brings it up to
//! date. `ci/loom` runs them, and runs them again with each order of `base/shared.rs` weakened: one must fail each time.
//!
//! loom tracks who reads and who writes the bits ([`watched`](crate::slots::watched)), and reports two accesses if neither
//! happens before the other.

#[path = "walks.rs"]
mod walks;

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;

use loom::thread;

use self::walks::{By, REMOVED, World, validate, walk, walk_and_validate, walk_twice};

/// All schedules.
fn model(f: impl Fn() + Send + Sync + 'static) {
    loom::model::Builder::new().check(f);
}

/// Of so many walks, one writes the bits; who comes meanwhile gathers them on the way.
fn one_writes<const THREADS: usize>() {
    for removed in REMOVED {
        // A bit for each number of walks that ever did so.
        let gathering = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&gathering);
        model(move || {
            let world = World::walked(removed);
            let ways = world.share::<THREADS>(walk);
            seen.fetch_or(1 << ways.iter().filter(|way| **way == By::Words).count(), Relaxed);
            world.end();
        });
        assert_eq!(gathering.load(Relaxed), (1 << THREADS) - 1, "none, or some, but never all");
    }
}

#[test]
fn of_two_walks_one_writes_the_bits() {
    one_writes::<2>();
}

#[test]
fn of_three_walks_one_writes_the_bits() {
    one_writes::<3>();
}

#[test]
fn walks_over_a_pool_that_nobody_has_walked_over() {
    model(|| {
        let world = World::new(REMOVED[0]);
        world.share::<2>(walk_twice);
        world.end();
    });
}

#[test]
fn walks_over_bits_that_are_right_and_not_in_step() {
    for removed in REMOVED {
        model(move || {
            let mut world = World::new(removed);
            world.own().values_mut().for_each(|_| ());
            assert!(!world.pool.storage.words().is_synced());
            assert_eq!(world.share::<2>(walk_and_validate), [By::Bits; 2]);
            world.end();
        });
    }
}

#[test]
fn a_pool_is_valid_while_others_walk_over_it() {
    model(|| {
        let world = World::walked(REMOVED[0]);
        // A walk before that would have seen the claim of another.
        world.share::<2>(|pool, live| {
            validate(pool);
            walk_and_validate(pool, live)
        });
        world.end();
    });
}

#[test]
fn walks_before_and_after_a_change_by_the_owner() {
    for removed in REMOVED {
        model(move || {
            let mut world = World::walked(removed);
            world.share::<2>(walk);
            world.change(&[68, 5]);
            world.share::<2>(walk);
            world.end();
        });
    }
}

#[test]
fn walks_over_an_old_bitmap_before_and_after_a_change_by_the_owner() {
    model(|| {
        let mut world = World::new(REMOVED[0]);
        world.share::<2>(walk);
        world.change(&[68, 5]);
        world.share::<2>(walk);
        world.end();
    });
}

/// The orders that `ci/loom` weakens, one after the other.
#[test]
fn the_orders_that_can_be_weakened() {
    for order in crate::base::shared::WEAKENED {
        std::println!("weaken {order}");
    }
}
