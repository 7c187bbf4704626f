//! Random schedules for shuttle: walks of 64 threads over one pool whose bitmap is out of date, again and again after changes
//! by its owner. `ci/shuttle` runs them. Whoever writes the bits leaves nonsense in them for a time
//! ([`watched`](crate::slots::watched)).

#[path = "walks.rs"]
mod walks;

use shuttle::thread;

use self::walks::{By, REMOVED, World, walk, walk_and_validate};

const THREADS: usize = 64;
const SCHEDULES: usize = 1000;

/// Random schedules, and schedules that let a thread run until it blocks, with a few forced switches (PCT).
fn in_many_orders(f: impl Fn() + Send + Sync + Copy + 'static) {
    shuttle::check_random(f, SCHEDULES);
    shuttle::check_pct(f, SCHEDULES, 3);
}

#[test]
fn of_many_walks_one_writes_the_bits() {
    for removed in REMOVED {
        in_many_orders(move || {
            let world = World::walked(removed);
            assert!(world.share::<THREADS>(walk).contains(&By::Bits));
            world.end();
        });
    }
}

#[test]
fn many_walks_before_and_after_changes_by_the_owner() {
    in_many_orders(|| {
        let mut world = World::new(REMOVED[0]);
        for removed in [[68, 5], [69, 30]] {
            world.share::<THREADS>(walk_and_validate);
            world.change(&removed);
        }
        world.share::<THREADS>(walk_and_validate);
        world.end();
    });
}
