//! Hooks and observers that spawn and despawn in the middle of it all.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy_app::App;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_ecs::world::DeferredWorld;
use bevy_millpond::prelude::*;

use crate::{Bullet, Health, builder, bullets, found, members, world};

fn each(act: impl Fn(bool, bool, Noticing)) {
    for fixes in [false, true] {
        for evicts in [false, true] {
            for noticing in [Noticing::EachFrame, Noticing::AtOnce] {
                act(fixes, evicts, noticing);
            }
        }
    }
}

fn build(capacity: usize, fixes: bool, evicts: bool, noticing: Noticing) -> World {
    let builder = builder().capacity(capacity).noticing(noticing);
    let builder = if evicts { builder.when_full(WhenFull::EvictOldest) } else { builder };
    let mut world = world(if fixes { builder.fixed_indices() } else { builder });
    world.insert_resource(bevy_ecs::error::FallbackErrorHandler(bevy_ecs::error::ignore));
    world
}

fn check(world: &mut World) {
    world.settle_population::<Bullet>();
    let members = members(world);
    assert_eq!(found(world), members);
    assert_eq!(bullets(world).len(), members.len());
    assert!(members.len() <= bullets(world).capacity());
}

/// An observer of a beginning that ends it and begins the next.
#[test]
fn a_life_ends_while_it_begins() {
    each(|fixes, evicts, noticing| {
        for batches in [false, true] {
            let mut world = build(2, fixes, evicts, noticing);
            world.add_observer(
                |inserted: On<Insert<Bullet>>,
                 all: Query<&Bullet>,
                 mut commands: Commands,
                 mut bullets: ResMut<Population<Bullet>>| {
                    let n = all.get(inserted.entity).unwrap().0;
                    if n < 10 {
                        bullets.despawn(&mut commands, inserted.entity);
                        commands.entity(inserted.entity).try_despawn();
                        let _ = bullets.spawn(&mut commands, Bullet(n + 1));
                    }
                },
            );
            let spawn = move |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
                if batches {
                    bullets.spawn_batch(&mut commands, [Bullet(1), Bullet(2)]);
                } else {
                    let _ = bullets.spawn(&mut commands, Bullet(1));
                }
            };
            for _ in 0..3 {
                world.run_system_once(spawn).unwrap();
                check(&mut world);
                world.clear_population::<Bullet>();
                check(&mut world);
            }
            // Nothing is left of all this.
            assert!(bullets(&world).is_empty());
            assert!((20..22).all(|n| world.spawn_in::<Bullet, _>(Bullet(n)).is_ok()));
            assert_eq!(found(&mut world), [20, 21], "{fixes} {evicts} {noticing:?} {batches}");
        }
    });
}

/// An observer of an end that spawns into the same population.
#[test]
fn a_life_begins_while_another_ends() {
    each(|fixes, evicts, noticing| {
        let mut world = build(2, fixes, evicts, noticing);
        world.add_observer(
            |removed: On<Remove<Bullet>>, all: Query<&Bullet>, mut commands: Commands| {
                let n = all.get(removed.entity).unwrap().0;
                if n % 10 < 5 {
                    commands.queue(move |world: &mut World| {
                        let _ = world.spawn_in::<Bullet, _>(Bullet(n + 1));
                    });
                }
            },
        );
        for n in [10, 20, 30] {
            let _ = world.spawn_in::<Bullet, _>(Bullet(n));
            check(&mut world);
        }
        while let Some(entity) = bullets(&world).iter().next() {
            let end = move |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
                assert!(bullets.despawn(&mut commands, entity));
            };
            world.run_system_once(end).unwrap();
            check(&mut world);
        }
        assert!(found(&mut world).is_empty());
    });
}

#[derive(Component)]
#[component(on_add = grow)]
struct Seed(u32);

/// A hook that spawns another of the same population.
fn grow(mut world: DeferredWorld, context: HookContext) {
    let n = world.get::<Seed>(context.entity).unwrap().0;
    world.commands().queue(move |world: &mut World| {
        let _refused = world.spawn_in::<Seed, _>(Seed(n + 1));
    });
}

#[test]
fn a_hook_spawns_into_the_same_population_until_it_is_full() {
    let mut world = World::new();
    Population::<Seed>::builder().capacity(20).insert_into(&mut world);
    world.spawn_in::<Seed, _>(Seed(0)).unwrap();
    let stats = world.resource::<Population<Seed>>().stats();
    assert_eq!((stats.live, stats.inserted, stats.refused), (20, 20, 1));
    assert_eq!(world.query::<&Seed>().iter(&world).count(), 20);
}

/// The commands of two systems, applied in either order.
#[test]
fn an_end_is_applied_before_its_beginning() {
    for fixes in [false, true] {
        for batches in [false, true] {
            let mut world = build(1, fixes, true, Noticing::EachFrame);
            let begin = move |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
                if batches {
                    bullets.spawn_batch(&mut commands, [Bullet(1)]);
                } else {
                    bullets.spawn(&mut commands, Bullet(1)).unwrap();
                }
            };
            let end = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
                bullets.clear(&mut commands);
            };
            let next = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
                bullets.spawn(&mut commands, Bullet(2)).unwrap();
            };
            let mut systems: [Box<dyn System<In = (), Out = ()>>; 3] = [
                Box::new(IntoSystem::into_system(begin)),
                Box::new(IntoSystem::into_system(end)),
                Box::new(IntoSystem::into_system(next)),
            ];
            for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                for system in &mut systems {
                    system.initialize(&mut world);
                    system.run_without_applying_deferred((), &mut world).unwrap();
                }
                for at in order {
                    systems[at].apply_deferred(&mut world);
                }
                check(&mut world);
                assert_eq!(found(&mut world), [2], "{fixes} {batches} {order:?}");
            }
            assert_eq!(bullets(&world).indices_lost(), 0);
        }
    }
}

/// A hook that panics leaves no place taken for ever, nor do the commands behind it that Bevy drops.
#[test]
fn a_beginning_that_panics() {
    for batches in [false, true] {
        let mut app = App::new();
        app.add_population(builder().capacity(6));
        app.add_observer(|inserted: On<Insert<Health>>, all: Query<&Health>| {
            assert_ne!(all.get(inserted.entity), Ok(&Health(13)));
        });
        let spawn = move |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
            // Of a batch, Bevy spawns the rest, and a second panic would end the program.
            let bundles = [(Bullet(1), Health(13)), (Bullet(2), Health(1))];
            if batches {
                bullets.spawn_batch(&mut commands, bundles);
            } else {
                for bundle in bundles {
                    let _ = bullets.spawn(&mut commands, bundle);
                }
            }
        };
        for _ in 0..3 {
            let world = app.world_mut();
            let run = || world.run_system_once(spawn).unwrap();
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        }
        app.world_mut().despawn_all::<With<Bullet>>();
        for _ in 0..130 {
            app.update();
        }
        assert!(bullets(app.world()).is_empty(), "{:?}", bullets(app.world()));
    }
}

/// An observer of the one that makes room ends the one that it makes room for: its id is given back.
#[test]
fn a_life_ends_before_it_begins() {
    let mut world = world(builder().capacity(1).when_full(WhenFull::EvictOldest));
    world.add_observer(|_: On<Remove<Bullet>>, mut commands: Commands| {
        commands.clear_population::<Bullet>();
    });
    for n in 0..2000 {
        world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
        check(&mut world);
    }
    // Bevy uses ids again some at a time.
    assert!(world.spawn_empty().id().index_u32() < 400);
}
