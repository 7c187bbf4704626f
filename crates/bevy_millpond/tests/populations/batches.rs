//! Many members in one command.

use bevy_ecs::entity::EntityAllocator;
use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_millpond::prelude::*;

use crate::{Bullet, Health, builder, bullets, found, members, world};

fn burst(from: u32, to: u32) -> impl Iterator<Item = (Bullet, Health)> + Clone {
    (from..to).map(|n| (Bullet(n), Health(n)))
}

/// Each way to spawn a batch.
type Spawn = fn(&mut World, u32, u32) -> usize;
const WAYS: [Spawn; 2] = [
    |world, from, to| {
        let spawn = move |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
            bullets.spawn_batch(&mut commands, burst(from, to))
        };
        world.run_system_once(spawn).unwrap()
    },
    |world, from, to| {
        let spawn = move |mut commands: Commands,
                          ids: &EntityAllocator,
                          mut bullets: ResMut<Population<Bullet>>| {
            bullets.spawn_batch_ids(&mut commands, ids, burst(from, to)).len()
        };
        world.run_system_once(spawn).unwrap()
    },
];

#[test]
fn a_batch_is_as_many_spawns() {
    for spawn in WAYS {
        for fixes in [false, true] {
            let builder = builder().capacity(5);
            let mut world = world(if fixes { builder.fixed_indices() } else { builder });
            assert_eq!(spawn(&mut world, 0, 3), 3);
            assert_eq!((found(&mut world), members(&world)), (vec![0, 1, 2], vec![0, 1, 2]));
            assert_eq!((spawn(&mut world, 3, 10), spawn(&mut world, 10, 10)), (2, 0));
            assert_eq!((found(&mut world), members(&world)), ((0..5).collect(), (0..5).collect()));
            let stats = bullets(&world).stats();
            assert_eq!((stats.live, stats.inserted, stats.refused), (5, 5, 5));
        }
    }
}

/// Also of itself, if it is larger than the population.
#[test]
fn a_batch_evicts_the_oldest() {
    for spawn in WAYS {
        for fixes in [false, true] {
            let builder = builder().capacity(4).when_full(WhenFull::EvictOldest);
            let mut world = world(if fixes { builder.fixed_indices() } else { builder });
            spawn(&mut world, 0, 3);
            spawn(&mut world, 3, 6);
            assert_eq!((found(&mut world), members(&world)), ((2..6).collect(), (2..6).collect()));
            spawn(&mut world, 10, 21);
            assert_eq!(
                (found(&mut world), members(&world)),
                ((17..21).collect(), (17..21).collect())
            );
            assert_eq!(bullets(&world).len(), 4);
        }
    }
}

/// Before its command is applied, some of a batch are evicted, and the population is cleared.
#[test]
fn a_batch_is_over_before_it_begins() {
    let spawn = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        bullets.spawn_batch(&mut commands, burst(0, 4));
        bullets.spawn(&mut commands, Bullet(7)).unwrap();
    };
    let mut world = world(builder().capacity(4).when_full(WhenFull::EvictOldest));
    for _ in 0..3 {
        world.run_system_once(spawn).unwrap();
        assert_eq!((found(&mut world), members(&world)), (vec![1, 2, 3, 7], vec![1, 2, 3, 7]));
    }
    let clear =
        |mut commands: Commands, ids: &EntityAllocator, mut bullets: ResMut<Population<Bullet>>| {
            bullets.spawn_batch(&mut commands, burst(0, 2));
            bullets.spawn_batch_ids(&mut commands, ids, burst(2, 4));
            assert_eq!(bullets.clear(&mut commands), 4);
            bullets.spawn(&mut commands, Bullet(8)).unwrap();
        };
    world.run_system_once(clear).unwrap();
    world.settle_population::<Bullet>();
    assert_eq!((found(&mut world), members(&world)), (vec![8], vec![8]));
}

/// By a key too, if all are awaited: they have none. The least is none of them.
#[test]
fn a_key_evicts_from_a_batch() {
    for rule in [WhenFull::Refuse, WhenFull::EvictOldest] {
        let evicting = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
            bullets.spawn_batch(&mut commands, burst(0, 3));
            bullets.spawn_evicting(&mut commands, Bullet(7), |_| 0).unwrap();
        };
        let unless_least = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
            bullets.spawn_batch(&mut commands, burst(0, 3));
            assert!(bullets.spawn_unless_least(&mut commands, Bullet(7), 1, |_| 0).is_err());
        };
        for by_least in [false, true] {
            let mut world = world(builder().capacity(3).when_full(rule));
            if by_least {
                world.run_system_once(unless_least).unwrap();
            } else {
                world.run_system_once(evicting).unwrap();
            }
            let stay = if by_least { [0, 1, 2] } else { [1, 2, 7] };
            assert_eq!((found(&mut world), members(&world)), (stay.to_vec(), stay.to_vec()));
        }
    }
}

/// An observer of the first of a batch clears the population, or makes others evict what is awaited.
#[test]
fn a_batch_is_over_while_it_begins() {
    for clears in [false, true] {
        let mut world = world(builder().capacity(3).when_full(WhenFull::EvictOldest));
        let system = move |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
            if clears {
                bullets.clear(&mut commands);
            }
            bullets.spawn(&mut commands, Bullet(7)).unwrap();
        };
        let interfere = world.register_system(system);
        world.add_observer(
            move |inserted: On<Insert<Bullet>>, all: Query<&Bullet>, mut commands: Commands| {
                if all.get(inserted.entity) == Ok(&Bullet(1)) {
                    commands.run_system(interfere);
                }
            },
        );
        WAYS[0](&mut world, 0, 3);
        let left = if clears { vec![7] } else { vec![1, 2, 7] };
        assert_eq!((found(&mut world), members(&world)), (left.clone(), left));
    }
}

/// The command of a batch is applied when another population has taken the place of its own.
#[test]
fn a_batch_of_a_population_that_is_replaced() {
    for (way, again) in WAYS.into_iter().enumerate() {
        let mut world = world(builder().capacity(3));
        let spawn = move |mut commands: Commands,
                          ids: &EntityAllocator,
                          mut bullets: ResMut<Population<Bullet>>| {
            if way == 0 {
                bullets.spawn_batch(&mut commands, burst(0, 3));
            } else {
                bullets.spawn_batch_ids(&mut commands, ids, burst(0, 3));
            }
        };
        let mut system = IntoSystem::into_system(spawn);
        system.initialize(&mut world);
        system.run_without_applying_deferred((), &mut world).unwrap();
        builder().capacity(3).insert_into(&mut world);
        // A place that is as often used as the batch's, and one that has a member.
        let shoot = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
            let first = bullets.spawn(&mut commands, Bullet(1)).unwrap().id();
            bullets.spawn(&mut commands, Bullet(2)).unwrap();
            assert!(bullets.despawn(&mut commands, first));
        };
        world.run_system_once(shoot).unwrap();
        system.apply_deferred(&mut world);
        assert_eq!((found(&mut world), members(&world)), (vec![2], vec![2]));
        assert_eq!(bullets(&world).len(), 1);
        world.clear_population::<Bullet>();
        assert_eq!(again(&mut world, 5, 9), 3);
        assert_eq!((found(&mut world), members(&world)), (vec![5, 6, 7], vec![5, 6, 7]));
    }
}

#[test]
fn the_ids_of_a_batch_are_known_at_once() {
    let mut world = world(builder().capacity(3));
    let spawn =
        |mut commands: Commands, ids: &EntityAllocator, mut bullets: ResMut<Population<Bullet>>| {
            let batch = bullets.spawn_batch_ids(&mut commands, ids, burst(0, 9)).to_vec();
            for &entity in &batch {
                commands.entity(entity).with_child(Health(50));
            }
            batch
        };
    let batch = world.run_system_once(spawn).unwrap();
    let of = |&entity| world.get::<Bullet>(entity).unwrap().0;
    assert_eq!(batch.iter().map(of).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(world.query::<&Children>().iter(&world).count(), 3);
}

#[test]
fn members_are_despawned_in_one_command() {
    for fixes in [false, true] {
        let builder = builder().capacity(4);
        let mut world = world(if fixes { builder.fixed_indices() } else { builder });
        let entities: Vec<Entity> =
            (0..4).map(|n| world.spawn_in::<Bullet, _>(Bullet(n)).unwrap()).collect();
        let door = world.spawn(Health(1)).id();
        let despawn = move |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
            let some = [entities[1], door, entities[1], entities[3]];
            bullets.despawn_batch(&mut commands, some)
        };
        assert_eq!(world.run_system_once(despawn).unwrap(), 2);
        assert_eq!((found(&mut world), members(&world)), (vec![0, 2], vec![0, 2]));
        assert!(world.get_entity(door).is_ok());
    }
}

/// Members that others despawned make room for the whole batch.
#[test]
fn a_batch_finds_who_is_gone() {
    let mut world = world(builder().capacity(100));
    assert_eq!(WAYS[0](&mut world, 0, 100), 100);
    let gone: Vec<Entity> = bullets(&world).iter().skip(20).step_by(2).collect();
    gone.into_iter().for_each(|entity| assert!(world.despawn(entity)));
    assert_eq!(WAYS[1](&mut world, 200, 250), 40);
}

/// Who has no id yet has no key: by a key, all others go first.
#[test]
fn a_batch_that_waits_stays() {
    let mut world = world(builder().capacity(8));
    assert_eq!(WAYS[0](&mut world, 0, 4), 4);
    let play =
        |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>, all: Query<&Bullet>| {
            assert_eq!(bullets.spawn_batch(&mut commands, burst(100, 104)), 4);
            let key = |entity| all.get(entity).map_or(u32::MAX, |bullet| bullet.0);
            for n in 50..54 {
                bullets.spawn_evicting(&mut commands, Bullet(n), key).unwrap();
            }
            // All that are left are new.
            assert!(bullets.spawn_unless_least(&mut commands, Bullet(7), 7, key).is_err());
        };
    world.run_system_once(play).unwrap();
    assert_eq!(found(&mut world), [50, 51, 52, 53, 100, 101, 102, 103]);
    assert_eq!(members(&world), found(&mut world));
}

/// The lists of batches that were applied are those of the next ones.
#[test]
fn batches_after_others() {
    for first in WAYS {
        let mut world = world(builder().capacity(10));
        first(&mut world, 0, 3);
        let two = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
            bullets.spawn_batch(&mut commands, burst(3, 5));
            bullets.spawn_batch(&mut commands, burst(5, 7));
        };
        world.run_system_once(two).unwrap();
        assert_eq!((found(&mut world), members(&world)), ((0..7).collect(), (0..7).collect()));
    }
}

#[derive(Resource, Default)]
struct Begun(u32);

/// Nobody hears of a life that was over before it began, and its id is given back.
#[test]
fn who_is_over_is_not_spawned() {
    for spawn in WAYS {
        let mut world = world(builder().capacity(2).when_full(WhenFull::EvictOldest));
        world.init_resource::<Begun>();
        world.add_observer(|_: On<Insert<Bullet>>, mut begun: ResMut<Begun>| begun.0 += 1);
        for _ in 0..200 {
            spawn(&mut world, 0, 8);
        }
        assert_eq!(world.resource::<Begun>().0, 400);
        // Bevy uses ids again some at a time.
        assert!(world.spawn_empty().id().index_u32() < 400);
    }
}

/// An observer of a life in a batch ends one that is yet to begin.
#[test]
fn an_observer_ends_others_of_its_batch() {
    let mut world = world(builder().capacity(4));
    world.add_observer(
        |inserted: On<Insert<Bullet>>,
         mut commands: Commands,
         mut bullets: ResMut<Population<Bullet>>| {
            if bullets.place_of(inserted.entity) == Some(0)
                && let Some(last) = bullets.at(3)
            {
                bullets.despawn(&mut commands, last);
            }
        },
    );
    assert_eq!(WAYS[1](&mut world, 0, 4), 4);
    assert_eq!((found(&mut world), members(&world)), (vec![0, 1, 2], vec![0, 1, 2]));
}

/// It is a member no longer, and lives on.
#[test]
fn an_observer_lets_one_of_its_batch_go() {
    let mut world = world(builder().capacity(4));
    world.add_observer(
        |inserted: On<Insert<Bullet>>,
         all: Query<&Bullet>,
         mut bullets: ResMut<Population<Bullet>>| {
            if all.get(inserted.entity) == Ok(&Bullet(1)) {
                assert!(bullets.leave(inserted.entity));
            }
        },
    );
    assert_eq!(WAYS[1](&mut world, 0, 3), 3);
    assert_eq!((found(&mut world), members(&world)), (vec![0, 1, 2], vec![0, 2]));
}
