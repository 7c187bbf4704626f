//! Random operations against plain entities.

use std::collections::HashMap;

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_millpond::prelude::*;
use millpond_testkit::SplitMix64;

use crate::{Bullet, Health, entity, found, pool};

/// What a plain program would know: which bullets there are, oldest first.
#[derive(Default)]
struct Model {
    alive: Vec<(PoolHandle<Bullet>, u32)>,
    /// Of lives that have ended.
    stale: Vec<PoolHandle<Bullet>>,
}

impl Model {
    fn end(&mut self, at: usize) -> PoolHandle<Bullet> {
        let (handle, _) = self.alive.remove(at);
        self.stale.push(handle);
        handle
    }
}

#[derive(Component)]
struct Burning;
#[derive(Component)]
struct Flame;

fn check(world: &mut World, model: &Model, children: usize) {
    let mut expected: Vec<u32> = model.alive.iter().map(|&(_, n)| n).collect();
    expected.sort_unstable();
    assert_eq!(found(world), expected);
    assert_eq!(pool(world).len(), expected.len());
    assert_eq!(pool(world).iter().count(), expected.len());
    assert_eq!(world.query::<&Flame>().iter(world).count(), children * expected.len());
    for &(handle, n) in &model.alive {
        let body = entity(world, handle);
        assert_eq!(
            (world.get(body), pool(world).handle_of(body)),
            (Some(&Bullet(n)), Some(handle))
        );
        assert!(!world.entity(body).contains::<Disabled>());
    }
    for &handle in &model.stale {
        assert_eq!(pool(world).get(handle), None);
    }
}

#[test]
fn random_lives_are_those_of_plain_entities() {
    let rules = [WhenFull::Refuse, WhenFull::EvictOldest, WhenFull::SpawnBeyond(3)];
    let mut seed = 0;
    for capacity in [0, 1, 64] {
        for rule in rules {
            for sleeping in [Sleeping::Disabled, Sleeping::Asleep] {
                for children in [0, 2] {
                    seed += 1;
                    random_lives(seed, capacity, rule, sleeping, children);
                }
            }
        }
    }
}

fn random_lives(seed: u64, capacity: usize, rule: WhenFull, sleeping: Sleeping, children: usize) {
    let mut random = SplitMix64(seed);
    let mut world = World::new();
    let builder =
        EntityPool::<Bullet>::builder().capacity(capacity).when_full(rule).sleeping(sleeping);
    let builder = builder.check_resets(true).template(move |bullet| {
        (0..children).for_each(|_| {
            bullet.with_child(Flame);
        });
    });
    let builder = if seed.is_multiple_of(2) { builder.prewarm() } else { builder };
    builder.insert_into(&mut world);
    let slots = match rule {
        WhenFull::SpawnBeyond(beyond) => capacity + beyond,
        _ => capacity,
    };
    let before = world.entity_count() as usize
        - if seed.is_multiple_of(2) { capacity * (1 + children) } else { 0 };

    let mut model = Model::default();
    let mut parents = HashMap::new();
    for n in 0..400 {
        let alive = model.alive.len();
        match random.below(16) {
            0..7 => match world.spawn_pooled::<Bullet, _>(Bullet(n)) {
                Ok(handle) => {
                    if alive == slots {
                        assert_eq!(rule, WhenFull::EvictOldest);
                        model.end(0);
                    }
                    model.alive.push((handle, n));
                }
                Err(full) => {
                    assert!(
                        alive == slots && (rule != WhenFull::EvictOldest || slots == 0),
                        "{full}"
                    );
                }
            },
            7..12 if alive > 0 => {
                let handle = model.end(random.below(alive));
                assert!(world.free_pooled(handle));
                assert!(!world.free_pooled(handle));
            }
            // From outside: an entity, or its parent.
            12 if alive > 0 => {
                let handle = model.end(random.below(alive));
                let body = entity(&world, handle);
                world.despawn(body);
            }
            13 if alive > 0 => {
                let (handle, n) = model.alive[random.below(alive)];
                let body = entity(&world, handle);
                let parent = *parents.entry(n % 3).or_insert_with(|| world.spawn(Health(1)).id());
                world.entity_mut(body).insert((ChildOf(parent), Burning));
            }
            14 => {
                if let Some(parent) = parents.remove(&(n % 3)) {
                    world.despawn(parent);
                    let (kept, gone) = model
                        .alive
                        .drain(..)
                        .partition(|&(handle, _)| pool(&world).contains(handle));
                    model.alive = kept;
                    let gone: Vec<_> = gone;
                    model.stale.extend(gone.iter().map(|&(handle, _)| handle));
                }
            }
            // A sleeper, from outside.
            15 => {
                let mut sleepers = world.query_filtered::<Entity, (
                    With<InPool<Bullet>>,
                    Allow<Disabled>,
                    Allow<bevy_millpond::Asleep>,
                )>();
                let sleeper =
                    sleepers.iter(&world).find(|&body| pool(&world).handle_of(body).is_none());
                if let Some(sleeper) = sleeper {
                    world.despawn(sleeper);
                }
            }
            _ => {}
        }
        if n % 97 == 96 {
            assert_eq!(world.clear_pool::<Bullet>(), model.alive.len());
            while !model.alive.is_empty() {
                model.end(0);
            }
        }
        if n % 7 == 0 {
            check(&mut world, &model, children);
        }
    }
    check(&mut world, &model, children);
    while !model.alive.is_empty() {
        let handle = model.end(0);
        assert!(world.free_pooled(handle));
    }
    check(&mut world, &model, children);
    assert_eq!(pool(&world).leftovers(), [""; 0]);
    parents.into_values().for_each(|parent| {
        world.despawn(parent);
    });
    // Nothing is left but at most the capacity of sleepers with their children.
    let rest = world.entity_count() as usize - before;
    assert!(
        rest <= capacity * (1 + children),
        "{rest} entities, {capacity} with {children} children"
    );
    let stats = pool(&world).stats();
    assert_eq!((stats.live, stats.inserted), (0, stats.removed));
}
