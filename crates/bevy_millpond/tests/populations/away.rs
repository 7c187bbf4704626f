//! A population that is out of the world for a moment, and worlds that are cleared.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy_app::{App, AppLabel, SubApp};
use bevy_ecs::entity::EntityAllocator;
use bevy_ecs::prelude::*;
use bevy_ecs::system::{BoxedSystem, RunSystemOnce};
use bevy_millpond::prelude::*;

use crate::{Bullet, builder, bullets, found, members, world};

/// Ways to take the population out of the world, do something, and put it back.
type Away = fn(&mut World, &mut dyn FnMut(&mut World));
const WAYS: [Away; 3] = [
    |world, act| world.resource_scope(|world, _: Mut<Population<Bullet>>| act(world)),
    |world, act| {
        let population = world.remove_resource::<Population<Bullet>>().unwrap();
        act(world);
        world.insert_resource(population);
    },
    |world, act| {
        let mut scope = |world: &mut World| {
            world.resource_scope(|world, _: Mut<Population<Bullet>>| {
                act(world);
                panic!("in the scope");
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(|| scope(world))).is_err());
    },
];

#[test]
fn what_ends_while_it_is_away_is_noticed() {
    for away in WAYS {
        for fixes in [false, true] {
            for noticing in [Noticing::EachFrame, Noticing::AtOnce] {
                let builder = builder().capacity(3).noticing(noticing);
                let mut world = world(if fixes { builder.fixed_indices() } else { builder });
                let entities = [0, 1, 2].map(|n| world.spawn_in::<Bullet, _>(Bullet(n)).unwrap());
                away(&mut world, &mut |world| {
                    world.despawn(entities[0]);
                    world.entity_mut(entities[1]).remove::<Bullet>();
                    // Whoever has its index now is not the member.
                    world.spawn((Bullet(50),));
                });
                assert_eq!((members(&world), bullets(&world).len()), (vec![2], 1));
                assert!(world.spawn_in::<Bullet, _>(Bullet(3)).is_ok());
                assert!(world.spawn_in::<Bullet, _>(Bullet(4)).is_ok());
                assert_eq!(
                    (found(&mut world), members(&world)),
                    (vec![2, 3, 4, 50], vec![2, 3, 4])
                );
            }
        }
    }
}

/// Commands that are applied meanwhile.
#[test]
fn commands_are_applied_while_it_is_away() {
    for away in WAYS {
        for fixes in [false, true] {
            let builder = builder().capacity(4);
            let mut world = world(if fixes { builder.fixed_indices() } else { builder });
            let first = world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
            let act = move |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
                bullets.spawn(&mut commands, Bullet(2)).unwrap();
                bullets.spawn_batch(&mut commands, [Bullet(3), Bullet(4)]);
                bullets.despawn(&mut commands, first);
            };
            let mut system = IntoSystem::into_system(act);
            system.initialize(&mut world);
            system.run_without_applying_deferred((), &mut world).unwrap();
            away(&mut world, &mut |world| system.apply_deferred(world));
            // Whoever was spawned is a member, and no place is lost.
            assert_eq!(members(&world), found(&mut world), "{fixes}");
            let members = members(&world).len();
            for n in members..4 {
                world.spawn_in::<Bullet, _>(Bullet(n as u32)).unwrap();
            }
            assert!(world.spawn_in::<Bullet, _>(Bullet(9)).is_err());
        }
    }
}

/// Spawns that find no population, or another one, by commands that decide late.
#[test]
fn late_commands_without_a_population_do_nothing() {
    let mut world = world(builder().capacity(1));
    world.remove_resource::<Population<Bullet>>();
    world.commands().spawn_in::<Bullet, _>(Bullet(1));
    world.flush();
    assert_eq!(found(&mut world), []);
}

#[test]
#[should_panic(
    expected = "there is no population of populations::Bullet: call `App::add_population` first"
)]
fn a_spawn_without_a_population() {
    let _ = World::new().spawn_in::<Bullet, _>(Bullet(1));
}

#[test]
fn a_world_that_is_cleared() {
    for fixes in [false, true] {
        let builder = || if fixes { builder().fixed_indices() } else { builder() };
        let mut world = World::new();
        builder().capacity(2).insert_into(&mut world);
        for n in 0..2 {
            world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
        }
        world.clear_all();
        assert!(!world.contains_resource::<Population<Bullet>>());
        assert_eq!(
            (world.settle_population::<Bullet>(), world.clear_population::<Bullet>()),
            (0, 0)
        );
        world.commands().spawn_in::<Bullet, _>(Bullet(1));
        world.flush();
    }
}

/// A world that takes the place of another: its new entities have the ids of the old ones.
#[test]
fn a_world_that_is_replaced() {
    for fixes in [false, true] {
        let builder = || if fixes { builder().fixed_indices() } else { builder() };
        let mut world = World::new();
        builder().capacity(2).insert_into(&mut world);
        for n in 0..2 {
            world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
        }
        let old = world.remove_resource::<Population<Bullet>>().unwrap();
        world = World::new();
        let strangers: Vec<Entity> = (0..20).map(|n| world.spawn(Bullet(100 + n)).id()).collect();
        world.insert_resource(old);
        assert!(bullets(&world).is_empty());
        assert!(strangers.iter().all(|&entity| !bullets(&world).contains(entity)));
        let new = [1, 2].map(|n| world.spawn_in::<Bullet, _>(Bullet(n)).unwrap());
        assert!(new.iter().all(|entity| !strangers.contains(entity)));
        world.clear_population::<Bullet>();
        assert_eq!(found(&mut world).len(), 20);
    }
}

#[derive(AppLabel, Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Sub;

/// A sub-app has a world, and a population, of its own.
#[test]
fn a_sub_app() {
    let mut app = App::new();
    app.add_population(builder().capacity(2));
    let mut sub_app = SubApp::new();
    builder().capacity(3).insert_into(sub_app.world_mut());
    sub_app.set_extract(|main, sub| {
        let visible: Vec<u32> = main.query::<&Bullet>().iter(main).map(|bullet| bullet.0).collect();
        sub.clear_population::<Bullet>();
        for n in visible {
            sub.spawn_in::<Bullet, _>(Bullet(10 + n)).unwrap();
        }
    });
    app.insert_sub_app(Sub, sub_app);
    for n in 0..2 {
        app.world_mut().spawn_in::<Bullet, _>(Bullet(n)).unwrap();
    }
    for _ in 0..3 {
        app.update();
    }
    assert_eq!(members(app.world()), [0, 1]);
    assert_eq!(members(app.sub_app(Sub).world()), [10, 11]);
    // Extraction that takes the resource along: it has no members there, nor when it is back.
    app.sub_app_mut(Sub).set_extract(|main, sub| {
        let bullets = main.remove_resource::<Population<Bullet>>().unwrap();
        sub.insert_resource(bullets);
        assert!(sub.resource::<Population<Bullet>>().is_empty());
        let bullets = sub.remove_resource::<Population<Bullet>>().unwrap();
        main.insert_resource(bullets);
    });
    app.update();
    let left = (members(app.world()), found(app.world_mut()));
    assert_eq!(left, (vec![], vec![0, 1]));
}

/// A population that moves to another world has no members there.
#[test]
fn another_world() {
    let mut left = world(builder().capacity(2));
    let mut right = world(builder().capacity(2));
    for n in 0..2 {
        left.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
        right.spawn_in::<Bullet, _>(Bullet(10 + n)).unwrap();
    }
    let moved = left.remove_resource::<Population<Bullet>>().unwrap();
    right.insert_resource(moved);
    assert_eq!(
        (bullets(&right).len(), found(&mut left), found(&mut right)),
        (0, vec![0, 1], vec![10, 11])
    );
}

/// A population that replaces another.
#[test]
fn members_of_an_earlier_one_are_nobodys() {
    for noticing in [Noticing::EachFrame, Noticing::AtOnce] {
        let mut world = world(builder().capacity(2).noticing(noticing));
        let old = world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
        builder().capacity(2).noticing(noticing).insert_into(&mut world);
        assert!(!bullets(&world).contains(old));
        let clear = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
            bullets.spawn(&mut commands, Bullet(2)).unwrap();
            assert_eq!(bullets.clear(&mut commands), 1);
        };
        world.run_system_once(clear).unwrap();
        world.despawn(old);
        assert_eq!((found(&mut world), bullets(&world).len()), (vec![], 0));
    }
}

/// Runs a system, whose commands wait.
fn run<Marker>(world: &mut World, system: impl IntoSystem<(), (), Marker>) -> BoxedSystem {
    let mut system: BoxedSystem = Box::new(IntoSystem::into_system(system));
    system.initialize(world);
    system.run_without_applying_deferred((), world).unwrap();
    system
}

fn shoot(mut commands: Commands, mut bullets: ResMut<Population<Bullet>>) {
    bullets.spawn(&mut commands, Bullet(2)).unwrap();
}

/// Commands that are still in a queue when it is back.
#[test]
fn commands_are_applied_when_it_is_back() {
    for away in WAYS {
        for fixes in [false, true] {
            let builder = builder().capacity(2);
            let mut world = world(if fixes { builder.fixed_indices() } else { builder });
            let mut shoot = run(&mut world, shoot);
            away(&mut world, &mut |_| {});
            shoot.apply_deferred(&mut world);
            assert_eq!((found(&mut world), members(&world)), (vec![2], vec![2]), "{fixes}");
        }
    }
}

/// The place of a member was taken for another one, whose spawn came while the population was away.
#[test]
fn an_eviction_is_applied_while_it_is_away() {
    for away in WAYS {
        for fixes in [false, true] {
            let builder = builder().capacity(1).when_full(WhenFull::EvictOldest);
            let mut world = world(if fixes { builder.fixed_indices() } else { builder });
            world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
            let mut shoot = run(&mut world, shoot);
            away(&mut world, &mut |world| shoot.apply_deferred(world));
            world.settle_population::<Bullet>();
            assert_eq!(found(&mut world), members(&world), "{fixes}");
            world.spawn_in::<Bullet, _>(Bullet(3)).unwrap();
            assert_eq!((found(&mut world), members(&world)), (vec![3], vec![3]), "{fixes}");
        }
    }
}

/// What it was to despawn in its world is somebody else's id in another.
#[test]
fn whom_a_despawn_overtook_is_nobody_elsewhere() {
    // Worlds in which the same ids come next.
    let [mut left, mut app] = [(); 2].map(|()| {
        let mut app = App::new();
        app.add_population(builder().capacity(2));
        app
    });
    let left = left.world_mut();
    let mut begin = run(left, shoot);
    let coming = bullets(left).iter().next().unwrap();
    let clear = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        bullets.clear(&mut commands);
    };
    run(left, clear).apply_deferred(left);
    let moved = left.remove_resource::<Population<Bullet>>().unwrap();
    begin.apply_deferred(left);

    let strangers: Vec<Entity> =
        (0..50).map(|n| app.world_mut().spawn(Bullet(100 + n)).id()).collect();
    assert!(strangers.contains(&coming));
    app.insert_resource(moved);
    app.update();
    assert_eq!(found(app.world_mut()).len(), 50);
}

/// A batch that waits while its population is in another world, where it forgets its members.
#[test]
fn a_batch_of_a_population_that_was_in_another_world() {
    for with_ids in [false, true] {
        let (mut left, mut right) = (world(builder().capacity(3)), World::new());
        let spawn = move |mut commands: Commands,
                          ids: &EntityAllocator,
                          mut bullets: ResMut<Population<Bullet>>| {
            let batch = [Bullet(1), Bullet(2)];
            if with_ids {
                bullets.spawn_batch_ids(&mut commands, ids, batch);
            } else {
                bullets.spawn_batch(&mut commands, batch);
            }
        };
        let mut spawn = run(&mut left, spawn);
        right.insert_resource(left.remove_resource::<Population<Bullet>>().unwrap());
        left.insert_resource(right.remove_resource::<Population<Bullet>>().unwrap());
        spawn.apply_deferred(&mut left);
        assert_eq!((found(&mut left), members(&left)), (vec![], vec![]));
        assert!((0..3).all(|n| left.spawn_in::<Bullet, _>(Bullet(n)).is_ok()));
        assert!(left.spawn_in::<Bullet, _>(Bullet(3)).is_err());
    }
}

#[derive(Resource)]
struct Kept(Population<Bullet>);

/// An observer of a batch takes the population out of the world.
#[test]
fn a_population_leaves_while_a_batch_begins() {
    let mut world = world(builder().capacity(3));
    world.add_observer(|_: On<Insert<Bullet>>, mut commands: Commands| {
        commands.queue(|world: &mut World| {
            if let Some(bullets) = world.remove_resource::<Population<Bullet>>() {
                world.insert_resource(Kept(bullets));
            }
        });
    });
    let spawn = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        bullets.spawn_batch(&mut commands, [Bullet(1), Bullet(2)]);
    };
    world.run_system_once(spawn).unwrap();
    let Kept(bullets) = world.remove_resource().unwrap();
    world.insert_resource(bullets);
    assert_eq!((found(&mut world), members(&world)), (vec![1, 2], vec![]));
    let population = world.resource::<Population<Bullet>>();
    assert_eq!((population.len(), population.capacity()), (0, 3));
}

/// In its new world it may be out for a moment as well.
#[test]
fn a_population_moves_for_good() {
    for had_one in [false, true] {
        let (mut left, mut right) = (world(builder().capacity(2)), World::new());
        if had_one {
            builder().capacity(9).insert_into(&mut right);
        }
        right.insert_resource(left.remove_resource::<Population<Bullet>>().unwrap());
        right.flush();
        for n in 0..2 {
            right.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
            right.resource_scope(|_, _: Mut<Population<Bullet>>| {});
        }
        assert_eq!((members(&right), found(&mut right)), (vec![0, 1], vec![0, 1]));
        // Nor does it take the next world for that one.
        let mut third = World::new();
        third.insert_resource(right.remove_resource::<Population<Bullet>>().unwrap());
        assert_eq!(bullets(&third).len(), 0);
    }
}
