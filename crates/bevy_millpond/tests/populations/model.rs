//! Random operations, with the commands of systems applied in any order, against plain lists.

use std::collections::HashMap;

use bevy_ecs::entity::EntityAllocator;
use bevy_ecs::error::{FallbackErrorHandler, ignore};
use bevy_ecs::prelude::*;
use bevy_millpond::prelude::*;
use millpond_testkit::SplitMix64;

use crate::{Bullet, Health, builder, bullets, world};

/// What a system does.
#[derive(Clone, Copy, Debug)]
enum Act {
    Spawn,
    Batch(u32),
    BatchIds(u32),
    Despawn(usize),
    DespawnPlainly(usize),
    DespawnBatch(usize),
    Evicting,
    UnlessLeast(u32),
    Clear,
}

/// The numbers that were spawned: so many bullets were begun.
#[derive(Resource, Default)]
struct Next(u32);

fn act(
    act: Act,
    mut commands: Commands,
    ids: &EntityAllocator,
    mut bullets: ResMut<Population<Bullet>>,
    mut next: ResMut<Next>,
    all: Query<&Bullet>,
) {
    let mut new = || {
        next.0 += 1;
        (Bullet(next.0), Health(1))
    };
    let nth = |bullets: &Population<Bullet>, n: usize| {
        let count = bullets.iter().count();
        bullets.iter().nth(n % count.max(1))
    };
    let key = |entity| all.get(entity).map_or(0, |bullet: &Bullet| bullet.0);
    match act {
        Act::Spawn => {
            let _ = bullets.spawn(&mut commands, new());
        }
        Act::Batch(n) => {
            let batch: Vec<_> = (0..n).map(|_| new()).collect();
            bullets.spawn_batch(&mut commands, batch);
        }
        Act::BatchIds(n) => {
            let batch: Vec<_> = (0..n).map(|_| new()).collect();
            let spawned = bullets.spawn_batch_ids(&mut commands, ids, batch).len();
            assert!(spawned <= n as usize);
        }
        Act::Despawn(n) => {
            if let Some(entity) = nth(&bullets, n) {
                assert!(bullets.despawn(&mut commands, entity));
                assert!(!bullets.contains(entity) && !bullets.despawn(&mut commands, entity));
            }
        }
        Act::DespawnPlainly(n) => {
            if let Some(entity) = nth(&bullets, n) {
                commands.entity(entity).try_despawn();
            }
        }
        Act::DespawnBatch(n) => {
            let some: Vec<Entity> = bullets.iter().step_by(n % 3 + 1).collect();
            assert_eq!(bullets.despawn_batch(&mut commands, some.iter().copied()), some.len());
        }
        Act::Evicting => {
            let _ = bullets.spawn_evicting(&mut commands, new(), key);
        }
        Act::UnlessLeast(own) => {
            let _ = bullets.spawn_unless_least(&mut commands, new(), own, key);
        }
        Act::Clear => {
            bullets.clear(&mut commands);
        }
    }
    assert!(bullets.len() <= bullets.capacity());
    let stats = bullets.stats();
    let lives = (stats.inserted - stats.removed) as usize;
    assert_eq!((stats.live, lives), (bullets.len(), bullets.len()));
    assert!(stats.live <= stats.peak && stats.peak <= bullets.capacity());
}

#[test]
fn members_are_the_entities_that_exist() {
    let mut seed = 0;
    for capacity in [1, 3, 40] {
        for rule in [WhenFull::Refuse, WhenFull::EvictOldest] {
            for noticing in [Noticing::EachFrame, Noticing::AtOnce] {
                for fixes in [false, true] {
                    for _ in 0..3 {
                        seed += 1;
                        let builder =
                            builder().capacity(capacity).when_full(rule).noticing(noticing);
                        let builder = if fixes { builder.fixed_indices() } else { builder };
                        random_lives(seed, world(builder), fixes);
                    }
                }
            }
        }
    }
}

fn random_lives(seed: u64, mut world: World, fixes: bool) {
    // With fixed indices, who is despawned by others and evicted at once is warned of; and commands for what is gone.
    world.insert_resource(FallbackErrorHandler(ignore));
    world.init_resource::<Next>();
    let mut random = SplitMix64(seed);
    let mut ended: HashMap<Entity, u32> = HashMap::new();
    for step in 0..150 {
        let mut systems = Vec::new();
        for _ in 0..random.below(4) + 1 {
            let n = random.below(50);
            let what = match random.below(20) {
                0..5 => Act::Spawn,
                5..7 => Act::Batch(n as u32 / 8),
                7..9 => Act::BatchIds(n as u32 / 8),
                9..12 => Act::Despawn(n),
                12..14 if !fixes => Act::DespawnPlainly(n),
                14 => Act::DespawnBatch(n),
                15..17 => Act::Evicting,
                17 => Act::UnlessLeast(n as u32 * 10),
                18 if n < 5 => Act::Clear,
                _ => Act::Spawn,
            };
            let run = move |commands: Commands,
                            ids: &EntityAllocator,
                            bullets: ResMut<Population<Bullet>>,
                            next: ResMut<Next>,
                            all: Query<&Bullet>| {
                act(what, commands, ids, bullets, next, all);
            };
            let mut system = IntoSystem::into_system(run);
            system.initialize(&mut world);
            system.run_without_applying_deferred((), &mut world).unwrap();
            systems.push(system);
        }
        while !systems.is_empty() {
            let at = random.below(systems.len());
            systems.swap_remove(at).apply_deferred(&mut world);
        }
        match random.below(8) {
            0 => {
                let _ = world.spawn_in::<Bullet, _>(Bullet(0));
            }
            1 if !fixes => {
                let all: Vec<Entity> =
                    world.query_filtered::<Entity, With<Bullet>>().iter(&world).collect();
                if !all.is_empty() {
                    world.despawn(all[random.below(all.len())]);
                }
            }
            2 => {
                world.resource_scope(|_, bullets: Mut<Population<Bullet>>| bullets.len());
            }
            _ => {}
        }
        if step % 5 == 4 {
            world.settle_population::<Bullet>();
            let mut members: Vec<Entity> = bullets(&world).iter().collect();
            let mut found: Vec<Entity> =
                world.query_filtered::<Entity, With<Bullet>>().iter(&world).collect();
            members.sort_unstable();
            found.sort_unstable();
            assert_eq!(members, found, "seed {seed}, step {step}");
            assert_eq!(bullets(&world).len(), members.len(), "seed {seed}, step {step}");
            // Who has ended never lives again, with another number.
            for &entity in &members {
                let n = world.get::<Bullet>(entity).unwrap().0;
                assert_eq!(*ended.entry(entity).or_insert(n), n, "seed {seed}, step {step}");
            }
        }
    }
    world.clear_population::<Bullet>();
    world.settle_population::<Bullet>();
    assert_eq!(world.query::<&Bullet>().iter(&world).count(), 0);
    let stats = bullets(&world).stats();
    assert_eq!((stats.live, stats.inserted), (0, stats.removed));
    if fixes {
        assert_eq!(bullets(&world).indices_lost(), 0);
    }
}
