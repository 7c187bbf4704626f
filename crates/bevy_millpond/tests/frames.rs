//! A million frames of the bullet hell, and many of the scene pool: after the first half minute nothing is allocated, no entity
//! beyond the bound and no archetype is made, and an entity that is gone is never a member again. Without optimisation they are
//! fewer, so that they take seconds; `.ci/run bevy` plays all of them.

#[allow(dead_code, unreachable_pub, missing_docs)]
#[path = "../examples/bullet_hell.rs"]
mod bullet_hell;
#[allow(dead_code, unreachable_pub, missing_docs)]
#[path = "../examples/scene_pool.rs"]
mod scene_pool;

use std::collections::VecDeque;

use bevy_ecs::prelude::*;
use bevy_millpond::prelude::*;
use bullet_hell::{Bullet, Missile, Place, Score};
use millpond_testkit::allocations::{self, Allocations, Counting};
use scene_pool::{Node, Tank};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const FRAMES: u32 = if cfg!(debug_assertions) { 20_000 } else { 1_000_000 };
/// Half a minute at 60 frames a second: by then each spiral was flown, and each burst fired.
const FIRST_FRAMES: u32 = 1800;

/// Members that have ended.
struct Gone {
    live: Vec<Entity>,
    ended: VecDeque<Entity>,
    seen: u64,
}

impl Gone {
    const KEPT: usize = 2000;

    fn new() -> Self {
        Self { live: Vec::with_capacity(1000), ended: VecDeque::with_capacity(Self::KEPT), seen: 0 }
    }

    /// Compares with the frame before: an entity that has gone never comes back.
    fn look<M: Component>(&mut self, population: &Population<M>) {
        for &entity in self.live.iter().filter(|&&entity| !population.contains(entity)) {
            if self.ended.len() == Self::KEPT {
                self.ended.pop_front();
            }
            self.ended.push_back(entity);
            self.seen += 1;
        }
        self.live.clear();
        self.live.extend(population.iter());
    }

    fn are_no_members_of<M: Component>(&self, population: &Population<M>) -> bool {
        self.ended.iter().all(|&entity| !population.contains(entity))
    }
}

/// Both in one test: the allocations of all threads are counted.
#[test]
fn many_frames_allocate_nothing() {
    bullets();
    scenes();
}

fn bullets() {
    let mut app = bullet_hell::game();
    let world = app.world_mut();
    let mut bullets = world.query_filtered::<Entity, With<Bullet>>();
    let mut missiles = world.query_filtered::<Entity, With<Missile>>();
    let mut places = world.query_filtered::<(), With<Place>>();
    let (mut of_bullets, mut of_missiles) = (Gone::new(), Gone::new());

    let mut archetypes = 0;
    let mut allocated = allocations::so_far();
    for frame in 1..=FRAMES {
        app.update();
        let world = app.world();
        let (bullet, missile) =
            (world.resource::<Population<Bullet>>(), world.resource::<Population<Missile>>());
        if frame % 10 == 0 {
            of_bullets.look(bullet);
            of_missiles.look(missile);
        }
        if frame % 1000 == 0 {
            assert!(of_bullets.are_no_members_of(bullet) && of_missiles.are_no_members_of(missile));
        }
        let (live, live_missiles) = (bullet.len(), missile.len());
        assert!(live <= 300 && live_missiles <= 4);
        let now = world.archetypes().len();

        let world = app.world_mut();
        let found = [bullets.iter(world).count(), missiles.iter(world).count()];
        assert_eq!(found, [live, live_missiles], "frame {frame}");
        assert_eq!(places.iter(world).count(), live + live_missiles, "frame {frame}");
        if frame == FIRST_FRAMES {
            archetypes = now;
            allocated = allocations::so_far();
        } else if frame > FIRST_FRAMES {
            assert_eq!(now, archetypes, "frame {frame}");
        }
    }
    unchanged(allocated);

    let world = app.world();
    let (bullets, missiles) =
        (world.resource::<Population<Bullet>>(), world.resource::<Population<Missile>>());
    // It was a game: all of these happen often.
    let often = u64::from(FRAMES / 1000);
    assert!(bullets.stats().refused > 20 * often && missiles.stats().evicted > often);
    assert!(of_bullets.seen > 1000 * often && of_missiles.seen > 20 * often);
    let Score { hits, targets_lost } = world.resource();
    assert!(*hits > often && *targets_lost > 10 * often, "{hits} {targets_lost}");
}

/// No block is taken or given back. Bevy's lists of a frame (commands, removed components) grow when a frame has more than any
/// before.
fn unchanged(before: Allocations) {
    let after = allocations::so_far();
    let resized = after.resized - before.resized;
    assert!(resized <= 4, "{resized} blocks resized");
    assert_eq!(after, Allocations { resized: after.resized, ..before });
}

fn scenes() {
    let mut app = scene_pool::game();
    let mut nodes = app.world_mut().query_filtered::<(), With<Node>>();
    let mut allocated = allocations::so_far();
    let mut at_rest = (0, 0);
    for frame in 1..=FRAMES / 50 + FIRST_FRAMES {
        app.update();
        let world = app.world_mut();
        let now = (world.entity_count(), world.archetypes().len());
        let (live, warming) = {
            let tanks = world.resource::<EntityPool<Tank>>();
            (tanks.len(), tanks.warming())
        };
        if warming == 0 && frame > 1 {
            assert_eq!(nodes.iter(world).count(), 20 * live, "frame {frame}");
        }
        if frame == FIRST_FRAMES {
            at_rest = now;
            allocated = allocations::so_far();
        } else if frame > FIRST_FRAMES {
            assert_eq!(now, at_rest, "frame {frame}: entities and archetypes");
        }
    }
    unchanged(allocated);
    let tanks = app.world().resource::<EntityPool<Tank>>();
    assert_eq!((tanks.upkeep().made, tanks.upkeep().remade, tanks.upkeep().lost), (20, 0, 0));
    let often = u64::from(FRAMES / 100);
    assert!(tanks.stats().inserted > often && tanks.stats().refused > often / 2);
}
