//! A million frames of the bullet hell: after the first half minute nothing is allocated, no entity and no archetype is made, no
//! sleeping entity is in any query, and every stale handle is refused.

#[allow(dead_code, unreachable_pub, missing_docs)]
#[path = "../examples/bullet_hell.rs"]
mod bullet_hell;

use std::collections::VecDeque;

use bevy_ecs::prelude::*;
use bevy_millpond::prelude::*;
use bullet_hell::{Bullet, Glow, Missile, Place, game};
use millpond_testkit::allocations::{self, Allocations, Counting};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const FRAMES: u32 = 1_000_000;
/// Half a minute at 60 frames a second: by then each spiral was flown, and each burst fired.
const FIRST_FRAMES: u32 = 1800;

/// Handles whose lives have ended.
struct Stale<M: Send + Sync + 'static> {
    live: Vec<PoolHandle<M>>,
    ended: VecDeque<PoolHandle<M>>,
    seen: u64,
}

impl<M: Send + Sync + 'static> Stale<M> {
    const KEPT: usize = 2000;

    fn new() -> Self {
        Self { live: Vec::with_capacity(1000), ended: VecDeque::with_capacity(Self::KEPT), seen: 0 }
    }

    /// Compares with the frame before: a handle that has gone never comes back.
    fn look(&mut self, pool: &EntityPool<M>) {
        for &handle in self.live.iter().filter(|&&handle| !pool.contains(handle)) {
            if self.ended.len() == Self::KEPT {
                self.ended.pop_front();
            }
            self.ended.push_back(handle);
            self.seen += 1;
        }
        self.live.clear();
        self.live.extend(pool.iter().map(|(handle, _)| handle));
    }

    fn are_refused_by(&self, pool: &EntityPool<M>) -> bool {
        self.ended.iter().all(|&handle| pool.get(handle).is_none() && pool.check(handle).is_err())
    }
}

#[test]
fn a_million_frames_allocate_nothing() {
    let mut app = game();
    let world = app.world_mut();
    let mut bullets = world.query_filtered::<Entity, With<Bullet>>();
    let mut missiles = world.query_filtered::<Entity, With<Missile>>();
    let mut glows = world.query_filtered::<(), With<Glow>>();
    let mut places = world.query_filtered::<(), With<Place>>();
    let (mut of_bullets, mut of_missiles) = (Stale::<Bullet>::new(), Stale::<Missile>::new());

    let mut at_rest = (0, 0);
    let mut allocated = allocations::so_far();
    for frame in 1..=FRAMES {
        app.update();
        let world = app.world();
        let (bullet_pool, missile_pool) =
            (world.resource::<EntityPool<Bullet>>(), world.resource::<EntityPool<Missile>>());
        if frame % 10 == 0 {
            of_bullets.look(bullet_pool);
            of_missiles.look(missile_pool);
        }
        if frame % 1000 == 0 {
            assert!(
                of_bullets.are_refused_by(bullet_pool) && of_missiles.are_refused_by(missile_pool)
            );
        }
        let now = (world.entity_count(), world.archetypes().len());
        let (live, live_missiles) = (bullet_pool.len(), missile_pool.len());

        let world = app.world_mut();
        let found =
            [bullets.iter(world).count(), missiles.iter(world).count(), glows.iter(world).count()];
        assert_eq!(found, [live, live_missiles, live_missiles], "frame {frame}");
        assert_eq!(places.iter(world).count(), live + live_missiles, "frame {frame}");
        if frame == FIRST_FRAMES {
            at_rest = now;
            allocated = allocations::so_far();
        } else if frame > FIRST_FRAMES {
            assert_eq!(now, at_rest, "frame {frame}: entities and archetypes");
        }
    }
    let after = allocations::so_far();
    // No block is taken or given back. Bevy's queue of a system's commands grows when a frame has more of them than any
    // before: here two missiles meet their fate in one frame, which takes half a million frames to happen.
    let resized = after.resized - allocated.resized;
    assert!(resized <= 2, "{resized} blocks resized");
    assert_eq!(after, Allocations { resized: after.resized, ..allocated });

    let world = app.world();
    let (bullets, missiles) =
        (world.resource::<EntityPool<Bullet>>(), world.resource::<EntityPool<Missile>>());
    assert_eq!((bullets.upkeep().made, missiles.upkeep().made), (300, 4));
    assert_eq!((bullets.upkeep().remade, missiles.upkeep().remade), (0, 0));
    // It was a game: all of these happen often.
    assert!(bullets.stats().refused > 20_000 && missiles.stats().evicted > 20_000);
    assert!(
        of_bullets.seen > 1_000_000 && of_missiles.seen > 20_000,
        "{} {}",
        of_bullets.seen,
        of_missiles.seen
    );
}
