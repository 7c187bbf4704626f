//! The bound, and what happens at it.

use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_millpond::prelude::*;

use crate::{Bullet, Health, builder, bullets, found, members, world};

#[derive(Component)]
struct Tracer;

#[test]
fn a_full_population_refuses() {
    let mut world = world(builder().capacity(2));
    let shoot = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        (0..3).map(|n| bullets.spawn(&mut commands, Bullet(n)).is_ok()).collect::<Vec<_>>()
    };
    assert_eq!(world.run_system_once(shoot).unwrap(), [true, true, false]);
    assert_eq!((found(&mut world), members(&world)), (vec![0, 1], vec![0, 1]));
    let full = world.spawn_in::<Bullet, _>(Bullet(3)).unwrap_err();
    assert_eq!((full.name(), full.capacity()), ("Bullet", 2));
    let stats = bullets(&world).stats();
    assert_eq!((stats.live, stats.peak, stats.inserted, stats.refused), (2, 2, 2, 2));
}

/// Whatever the order of the system's parameters, for there is one queue.
#[test]
fn commands_for_the_new_entity_come_after_it() {
    let mut world = world(builder().capacity(4));
    let first = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        bullets.spawn(&mut commands, Bullet(1)).unwrap().insert(Tracer).with_child(Health(1));
    };
    let second = |mut bullets: ResMut<Population<Bullet>>, mut commands: Commands| {
        let bullet = bullets.spawn(&mut commands, Bullet(2)).unwrap().id();
        commands.entity(bullet).insert(Tracer);
    };
    world.run_system_once(first).unwrap();
    world.run_system_once(second).unwrap();
    let traced = world.query_filtered::<(), (With<Bullet>, With<Tracer>)>().iter(&world).count();
    assert_eq!((traced, world.query::<&Health>().iter(&world).count()), (2, 1));
}

#[test]
fn the_oldest_makes_room() {
    let mut world = world(builder().capacity(3).when_full(WhenFull::EvictOldest));
    let shoot = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        for n in 0..5 {
            bullets.spawn(&mut commands, Bullet(n)).unwrap();
        }
    };
    world.run_system_once(shoot).unwrap();
    assert_eq!((found(&mut world), members(&world)), (vec![2, 3, 4], vec![2, 3, 4]));
    for n in 5..7 {
        world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
    }
    assert_eq!((found(&mut world), bullets(&world).stats().evicted), (vec![4, 5, 6], 4));
}

/// Each rule holds for each type of bundle, also after another one.
#[test]
fn bundles_of_several_types() {
    for (rule, left) in [(WhenFull::Refuse, [0, 1, 2]), (WhenFull::EvictOldest, [3, 4, 5])] {
        for fixes in [false, true] {
            let builder = builder().capacity(3).when_full(rule);
            let mut world = world(if fixes { builder.fixed_indices() } else { builder });
            let shoot = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
                for n in 0..6 {
                    let _ = match n % 3 {
                        0 => bullets.spawn(&mut commands, Bullet(n)).is_ok(),
                        1 => bullets.spawn(&mut commands, (Bullet(n), Tracer)).is_ok(),
                        _ => bullets.spawn(&mut commands, (Bullet(n), Health(n))).is_ok(),
                    };
                }
            };
            world.run_system_once(shoot).unwrap();
            assert_eq!((found(&mut world), members(&world)), (left.to_vec(), left.to_vec()));
        }
    }
}

/// It is nobody's id.
#[test]
fn the_placeholder_is_no_member() {
    let mut world = world(builder().capacity(2));
    let end = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        let nobody = Entity::PLACEHOLDER;
        assert!(!bullets.contains(nobody) && !bullets.leave(nobody));
        assert_eq!(bullets.despawn_batch(&mut commands, [nobody]), 0);
        bullets.despawn(&mut commands, nobody)
    };
    for _ in 0..2 {
        assert!(!world.run_system_once(end).unwrap());
        let bullet = world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
        assert!(!world.run_system_once(end).unwrap());
        world.despawn(bullet);
        world.settle_population::<Bullet>();
    }
    assert!(bullets(&world).is_empty());
}

#[test]
fn some_are_spawned_beyond_the_capacity() {
    let mut world = world(builder().capacity(1).when_full(WhenFull::SpawnBeyond(2)));
    for n in 0..4 {
        assert_eq!(world.spawn_in::<Bullet, _>(Bullet(n)).is_ok(), n < 3);
    }
    assert_eq!((bullets(&world).capacity(), bullets(&world).len()), (1, 3));
}

#[test]
fn a_key_says_who_makes_room() {
    for rule in [WhenFull::Refuse, WhenFull::EvictOldest] {
        let mut world = world(builder().capacity(3).when_full(rule));
        for n in [5, 1, 9] {
            world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
        }
        let play = |mut commands: Commands,
                    mut bullets: ResMut<Population<Bullet>>,
                    all: Query<&Bullet>| {
            let key = |entity| all.get(entity).unwrap().0;
            bullets.spawn_evicting(&mut commands, Bullet(0), key).unwrap();
        };
        world.run_system_once(play).unwrap();
        assert_eq!((found(&mut world), members(&world)), (vec![0, 5, 9], vec![0, 5, 9]));
        let play = |mut commands: Commands,
                    mut bullets: ResMut<Population<Bullet>>,
                    all: Query<&Bullet>| {
            let key = |entity| all.get(entity).map_or(0, |bullet| bullet.0);
            [(3, 3), (2, 2), (3, 4)].map(|(n, own)| {
                bullets.spawn_unless_least(&mut commands, Bullet(n), own, key).is_ok()
            })
        };
        // The third takes the place of the first, which is in no query yet and so has the least key.
        assert_eq!(world.run_system_once(play).unwrap(), [true, true, true]);
        assert_eq!(found(&mut world), [3, 5, 9]);
        let quiet = |mut commands: Commands,
                     mut bullets: ResMut<Population<Bullet>>,
                     all: Query<&Bullet>| {
            let key = |entity| all.get(entity).unwrap().0;
            bullets.spawn_unless_least(&mut commands, Bullet(2), 2, key).is_err()
        };
        assert!(world.run_system_once(quiet).unwrap());
        assert_eq!((found(&mut world), bullets(&world).stats().refused), (vec![3, 5, 9], 1));
        // The age list knows those that a key let in.
        if rule == WhenFull::EvictOldest {
            for n in 20..23 {
                world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
            }
            assert_eq!(found(&mut world), [20, 21, 22]);
        }
    }
}

#[test]
fn a_population_of_no_places() {
    for rule in [WhenFull::Refuse, WhenFull::EvictOldest] {
        let mut world = world(builder().capacity(0).when_full(rule));
        assert!(world.spawn_in::<Bullet, _>(Bullet(1)).is_err());
        let spawn = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
            bullets.spawn(&mut commands, Bullet(1)).is_err()
                && bullets.spawn_evicting(&mut commands, Bullet(1), |_| 0).is_err()
                && bullets.spawn_unless_least(&mut commands, Bullet(1), 0, |_| 0).is_err()
                && bullets.spawn_batch(&mut commands, [Bullet(1), Bullet(2)]) == 0
        };
        assert!(world.run_system_once(spawn).unwrap());
        assert_eq!((found(&mut world), world.settle_population::<Bullet>()), (vec![], 0));
    }
}

/// A place that is given back at once is there for a spawn in the same system.
#[test]
fn a_despawn_by_the_population_makes_room_at_once() {
    let mut world = world(builder().capacity(1));
    let first = world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
    let replace = move |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        assert!(bullets.despawn(&mut commands, first) && !bullets.despawn(&mut commands, first));
        assert!(!bullets.contains(first));
        bullets.spawn(&mut commands, Bullet(2)).unwrap();
    };
    world.run_system_once(replace).unwrap();
    assert_eq!((found(&mut world), members(&world)), (vec![2], vec![2]));
    assert!(world.get_entity(first).is_err());
}

/// A command for a life that has ended reaches nobody.
#[test]
fn late_commands_do_not_reach_the_next_member() {
    let mut world = world(builder().capacity(1));
    let first = world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
    let replace = move |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        bullets.despawn(&mut commands, first);
        bullets.spawn(&mut commands, Bullet(2)).unwrap();
        commands.entity(first).try_insert(Tracer);
    };
    world.run_system_once(replace).unwrap();
    assert_eq!(world.query_filtered::<(), With<Tracer>>().iter(&world).count(), 0);
}

#[test]
fn a_population_is_cleared() {
    type Clear = fn(&mut World) -> usize;
    let clears: [Clear; 3] = [
        |world| world.clear_population::<Bullet>(),
        |world| {
            let clear = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
                let members = bullets.len();
                assert_eq!(bullets.clear(&mut commands), members);
                members
            };
            world.run_system_once(clear).unwrap()
        },
        |world| {
            let members = bullets(world).len();
            world.commands().clear_population::<Bullet>();
            world.flush();
            members
        },
    ];
    for clear in clears {
        for fixes in [false, true] {
            let builder = builder().capacity(3);
            let mut world = world(if fixes { builder.fixed_indices() } else { builder });
            assert_eq!(clear(&mut world), 0);
            for n in 0..3 {
                world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
            }
            assert_eq!(clear(&mut world), 3);
            assert_eq!((found(&mut world), bullets(&world).len()), (vec![], 0));
            assert!((0..3).all(|n| world.spawn_in::<Bullet, _>(Bullet(n)).is_ok()));
        }
    }
    let mut world = World::new();
    assert_eq!(world.clear_population::<Bullet>(), 0);
}

#[test]
fn members_have_places() {
    let mut world = world(builder().capacity(3));
    let entities = [0, 1, 2].map(|n| world.spawn_in::<Bullet, _>(Bullet(n)).unwrap());
    let other = world.spawn(Bullet(9)).id();
    let population = bullets(&world);
    for entity in entities {
        let place = population.place_of(entity).unwrap();
        assert!(place < 3 && population.at(place) == Some(entity));
    }
    assert_eq!((population.place_of(other), population.at(3)), (None, None));
    let mut seen = Vec::new();
    for entity in population {
        seen.push(entity);
    }
    assert_eq!(seen, entities);
    assert_eq!(
        format!("{population:?}"),
        "Population<populations::Bullet>(Bullet: 3 of 3 slots live, peak 3; 3 inserted, 0 removed)"
    );
}

/// A member that is let go lives on.
#[test]
fn a_member_leaves() {
    let mut world = world(builder().capacity(1));
    let bullet = world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
    let mut population = world.resource_mut::<Population<Bullet>>();
    assert!(population.leave(bullet) && !population.leave(bullet));
    world.spawn_in::<Bullet, _>(Bullet(2)).unwrap();
    assert_eq!(found(&mut world), [1, 2]);
}

/// Of equal keys, the new one has the place.
#[test]
fn a_key_that_is_the_least_as_well() {
    let mut world = world(builder().capacity(2));
    for n in [5, 6] {
        world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
    }
    for (own, left) in [(4, [5, 6]), (5, [6, 100])] {
        let play = move |mut commands: Commands,
                         mut bullets: ResMut<Population<Bullet>>,
                         all: Query<&Bullet>| {
            let key = |entity| all.get(entity).unwrap().0;
            let _ = bullets.spawn_unless_least(&mut commands, Bullet(100), own, key);
        };
        world.run_system_once(play).unwrap();
        assert_eq!((found(&mut world), members(&world)), (left.to_vec(), left.to_vec()));
    }
}

/// The place of a life that has ended is the next one's, and the figures are those of two lives.
#[test]
fn a_place_is_passed_on() {
    let fill = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        let fired = (0..3).filter(|&n| bullets.spawn(&mut commands, Bullet(n)).is_ok());
        let fired = fired.count();
        let places: Vec<_> = bullets.iter().map(|bullet| bullets.place_of(bullet)).collect();
        assert_eq!(places, [Some(0), Some(1)]);
        assert!(bullets.is_full());
        fired
    };
    let end_one = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        let first = bullets.at(0).unwrap();
        assert!(bullets.despawn(&mut commands, first));
        assert_eq!((bullets.is_full(), bullets.len(), bullets.at(0)), (false, 1, None));
    };
    let mut first = world(builder().capacity(2));
    assert_eq!(first.run_system_once(fill).unwrap(), 2);
    first.run_system_once(end_one).unwrap();
    assert_eq!(first.run_system_once(fill).unwrap(), 1);
    let stats = bullets(&first).stats();
    assert_eq!((stats.live, stats.peak), (2, 2));
    assert_eq!((stats.inserted, stats.removed, stats.refused), (3, 1, 3));
    // In another world it has all its places.
    first.run_system_once(end_one).unwrap();
    let population = first.remove_resource::<Population<Bullet>>().unwrap();
    let mut second = World::new();
    second.insert_resource(population);
    assert_eq!(bullets(&second).len(), 0);
    second.flush();
    assert_eq!(second.run_system_once(fill).unwrap(), 2);
    assert_eq!(bullets(&second).stats().removed, 3);
}
