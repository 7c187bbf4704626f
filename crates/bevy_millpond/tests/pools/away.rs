//! A pool that is out of the world for a moment, and one that is gone.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy_app::{App, AppLabel, SubApp};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_millpond::prelude::*;

use crate::{Bullet, Health, entity, found, pool, world};

/// Ways to take the pool out of the world, do something, and put it back.
type Away = fn(&mut World, &mut dyn FnMut(&mut World));
const WAYS: [Away; 3] = [
    |world, act| world.resource_scope(|world, _: Mut<EntityPool<Bullet>>| act(world)),
    |world, act| {
        let pool = world.remove_resource::<EntityPool<Bullet>>().unwrap();
        world.flush();
        act(world);
        world.insert_resource(pool);
        world.flush();
    },
    |world, act| {
        let mut scope = |world: &mut World| {
            world.resource_scope(|world, _: Mut<EntityPool<Bullet>>| {
                act(world);
                panic!("in the scope");
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(|| scope(world))).is_err());
    },
];

fn sleepers(world: &mut World) -> usize {
    world.query_filtered::<(), (With<Bullet>, With<Disabled>)>().iter(world).count()
}

#[test]
fn sleepers_outlive_it() {
    for away in WAYS {
        let mut world = world(3);
        let handles = [0, 1, 2].map(|n| world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap());
        world.free_pooled(handles[0]);
        world.free_pooled(handles[1]);
        away(&mut world, &mut |_| {});
        assert_eq!((sleepers(&mut world), found(&mut world)), (2, vec![2]));
        let again = world.spawn_pooled::<Bullet, _>(Bullet(7)).unwrap();
        let body = entity(&world, again);
        assert_eq!(world.get(body), Some(&Bullet(7)));
        assert_eq!((pool(&world).upkeep().made, pool(&world).upkeep().lost), (3, 0));
    }
}

#[test]
fn what_ends_while_it_is_away_is_noticed() {
    for away in WAYS {
        let mut world = world(3);
        let handles = [0, 1, 2].map(|n| world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap());
        let bodies = handles.map(|handle| entity(&world, handle));
        world.free_pooled(handles[2]);
        away(&mut world, &mut |world| {
            world.despawn(bodies[0]);
            world.entity_mut(bodies[1]).remove::<InPool<Bullet>>();
            world.despawn(bodies[2]);
        });
        assert_eq!((pool(&world).len(), pool(&world).upkeep().lost), (0, 3));
        assert!(bodies.iter().all(|&body| pool(&world).handle_of(body).is_none()));
        for n in 3..6 {
            world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap();
        }
        assert_eq!(found(&mut world), [1, 3, 4, 5]);
    }
}

/// Commands that are applied meanwhile are done when it is back.
#[test]
fn commands_wait_for_it() {
    for away in WAYS {
        let mut world = world(3);
        let first = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
        let act = move |mut bullets: Pooled<Bullet>| {
            assert!(bullets.free(first));
            bullets.spawn(Bullet(2)).unwrap();
            bullets.spawn(Bullet(3)).unwrap();
        };
        let mut system = IntoSystem::into_system(act);
        system.initialize(&mut world);
        system.run_without_applying_deferred((), &mut world).unwrap();
        away(&mut world, &mut |world| system.apply_deferred(world));
        world.flush();
        assert_eq!((found(&mut world), pool(&world).len()), (vec![2, 3], 2));
        assert_eq!(world.clear_pool::<Bullet>(), 2);
        assert!(found(&mut world).is_empty());
    }
}

#[test]
fn a_pool_that_is_gone_takes_its_sleepers_along_at_the_end_of_the_frame() {
    let mut app = App::new();
    app.add_entity_pool(EntityPool::<Bullet>::builder().capacity(3));
    let world = app.world_mut();
    let handles = [0, 1, 2].map(|n| world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap());
    world.free_pooled(handles[1]);
    let gone = world.remove_resource::<EntityPool<Bullet>>();
    app.update();
    assert_eq!(sleepers(app.world_mut()), 1); // it may come back
    drop(gone);
    app.update();
    assert_eq!((sleepers(app.world_mut()), found(app.world_mut())), (0, vec![0, 2]));
}

/// A pool that moves to another world has no entities there.
#[test]
fn another_world() {
    let (mut left, mut right) = (world(2), World::new());
    let handles = [0, 1].map(|n| left.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap());
    let strangers: Vec<Entity> = (0..10).map(|n| right.spawn(Bullet(20 + n)).id()).collect();
    let moved = left.remove_resource::<EntityPool<Bullet>>().unwrap();
    right.insert_resource(moved);
    right.flush();
    assert!(handles.iter().all(|&handle| pool(&right).get(handle).is_none()));
    assert!(strangers.iter().all(|&entity| pool(&right).handle_of(entity).is_none()));
    right.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    assert_eq!(found(&mut right).len(), 11);
}

/// Sleepers go with their own pool, not with another of the same marker.
#[test]
fn a_pool_that_was_replaced_is_dropped() {
    let mut app = App::new();
    let builder = || EntityPool::<Bullet>::builder().capacity(2);
    app.add_entity_pool(builder());
    let sleep = |world: &mut World| {
        let handle = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
        world.free_pooled(handle);
    };
    let world = app.world_mut();
    sleep(world);
    let old = world.remove_resource::<EntityPool<Bullet>>();
    builder().insert_into(world);
    sleep(world);
    app.update();
    assert_eq!(sleepers(app.world_mut()), 2);
    drop(old);
    app.update();
    assert_eq!((sleepers(app.world_mut()), pool(app.world()).upkeep().lost), (1, 0));
}

/// Nor has it those whose spawn was still in a queue, whose ids are strangers' there.
#[test]
fn spawns_are_not_applied_in_another_world() {
    let (mut left, mut right) = (world(2), world(2));
    let spawn = |mut bullets: Pooled<Bullet>| bullets.spawn(Bullet(1)).unwrap();
    let mut system = IntoSystem::into_system(spawn);
    system.initialize(&mut left);
    let handle = system.run_without_applying_deferred((), &mut left).unwrap();
    let coming = entity(&left, handle);
    let strangers: Vec<Entity> = (0..20).map(|n| right.spawn(Bullet(20 + n)).id()).collect();
    assert!(strangers.contains(&coming));
    let moved = left.remove_resource::<EntityPool<Bullet>>().unwrap();
    right.insert_resource(moved);
    right.flush();
    assert_eq!((pool(&right).len(), pool(&right).get(handle)), (0, None));
    assert!(pool(&right).handle_of(coming).is_none());
}

/// An entity of an earlier pool, awake, is nobody's when its children come.
#[test]
fn children_of_an_earlier_pools_entity_are_not_adopted() {
    let mut world = world(1);
    let old = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    let old = entity(&world, old);
    EntityPool::<Bullet>::builder().capacity(1).insert_into(&mut world);
    let new = world.spawn_pooled::<Bullet, _>(Bullet(2)).unwrap();
    world.free_pooled(new);
    world.commands().adopt_children::<Bullet>(old);
    world.flush();
    assert_eq!((found(&mut world), sleepers(&mut world)), (vec![1], 1));
}

#[derive(AppLabel, Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Sub;

/// A sub-app has a world, and a pool, of its own, which its extraction fills.
#[test]
fn a_sub_app() {
    let mut app = App::new();
    app.add_entity_pool(EntityPool::<Bullet>::builder().capacity(3));
    let mut sub_app = SubApp::new();
    EntityPool::<Bullet>::builder().capacity(3).insert_into(sub_app.world_mut());
    sub_app.set_extract(|main, sub| {
        sub.clear_pool::<Bullet>();
        for bullet in main.query::<&Bullet>().iter(main) {
            sub.spawn_pooled::<Bullet, _>(Bullet(10 + bullet.0)).unwrap();
        }
    });
    app.insert_sub_app(Sub, sub_app);
    let [_, second] = [0, 1].map(|n| app.world_mut().spawn_pooled::<Bullet, _>(Bullet(n)).unwrap());
    for _ in 0..3 {
        app.update();
    }
    let sub = app.sub_app_mut(Sub).world_mut();
    assert_eq!((found(sub), pool(sub).upkeep().made), (vec![10, 11], 2));
    let copy = pool(sub).iter().next().unwrap().0;
    // Handles of one are nothing to the other.
    assert!(!pool(sub).contains(second) && !pool(app.world()).contains(copy));
    app.world_mut().free_pooled(second);
    app.update();
    let sub = app.sub_app_mut(Sub).world_mut();
    assert_eq!((found(sub), sleepers(sub)), (vec![10], 1));
    assert_eq!((found(app.world_mut()), sleepers(app.world_mut())), (vec![0], 1));

    // Extraction that takes the pool itself along: it has no entities there, nor when it is back; and whoever is awake lives on.
    app.sub_app_mut(Sub).set_extract(|main, sub| {
        let own = sub.remove_resource::<EntityPool<Bullet>>().unwrap();
        sub.insert_resource(main.remove_resource::<EntityPool<Bullet>>().unwrap());
        sub.flush();
        assert!(sub.resource::<EntityPool<Bullet>>().is_empty());
        main.insert_resource(sub.remove_resource::<EntityPool<Bullet>>().unwrap());
        main.flush();
        sub.insert_resource(own);
        sub.flush();
    });
    app.update();
    assert_eq!((found(app.world_mut()), pool(app.world()).len()), (vec![0], 0));
    let sub = app.sub_app_mut(Sub).world_mut();
    assert_eq!((found(sub), pool(sub).len()), (vec![10], 1));
    for n in 5..8 {
        app.world_mut().spawn_pooled::<Bullet, _>(Bullet(n)).unwrap();
    }
    assert_eq!(found(app.world_mut()), [0, 5, 6, 7]);
}

/// Its ids of components and archetypes are those of its new world, in which it may be out for a moment as well.
#[test]
fn a_pool_moves_for_good() {
    #[derive(Component)]
    struct Other<const N: u32>;
    for sleeping in [Sleeping::Disabled, Sleeping::Asleep] {
        let (mut left, mut right) = (World::new(), World::new());
        // Components of other numbers than at home.
        right.spawn((Other::<1>, Other::<2>, Other::<3>));
        let builder = EntityPool::<Bullet>::builder().capacity(2).sleeping(sleeping);
        builder.insert_into(&mut left);
        let old = left.spawn_pooled::<Bullet, _>((Bullet(1), Health(1))).unwrap();
        left.free_pooled(old);
        right.insert_resource(left.remove_resource::<EntityPool<Bullet>>().unwrap());
        right.flush();
        for n in 0..4 {
            let handle = right.spawn_pooled::<Bullet, _>((Bullet(n), Health(n))).unwrap();
            right.resource_scope(|_, _: Mut<EntityPool<Bullet>>| {});
            assert_eq!((found(&mut right), pool(&right).len()), (vec![n], 1), "{sleeping:?}");
            let body = entity(&right, handle);
            right.entity_mut(body).insert(Other::<4>);
            assert!(right.free_pooled(handle));
            assert!(found(&mut right).is_empty());
        }
        let upkeep = pool(&right).upkeep();
        assert_eq!((upkeep.made, upkeep.remade, upkeep.disturbed), (2, 0, 0), "{sleeping:?}");
    }
}

#[derive(Resource)]
struct Kept(EntityPool<Bullet>);

fn take_out(world: &mut World) {
    if let Some(pool) = world.remove_resource::<EntityPool<Bullet>>() {
        world.insert_resource(Kept(pool));
    }
}

/// Has the template, or what resets an entity, take the pool out.
#[derive(Resource)]
struct Calm;

/// Code of others that takes the pool out while a life begins or ends: the entity is given up, and the pool goes on.
#[test]
fn a_pool_leaves_in_the_middle_of_a_life() {
    type Code = fn(&mut World);
    let places: [Code; 5] = [
        |world| {
            world.add_observer(|_: On<Insert<Bullet>>, mut commands: Commands| {
                commands.queue(take_out);
            });
        },
        |world| {
            world.add_observer(|_: On<Insert<Disabled>>, mut commands: Commands| {
                commands.queue(take_out);
            });
        },
        |world| {
            world.add_observer(|_: On<Remove<Disabled>>, mut commands: Commands| {
                commands.queue(take_out);
            });
        },
        |world| world.insert_resource(Calm),
        |world| {
            world.add_observer(|_: On<Remove<Health>>, mut commands: Commands| {
                commands.queue(take_out);
            });
        },
    ];
    for (place, code) in places.into_iter().enumerate() {
        let mut world = World::new();
        code(&mut world);
        let in_template = world.remove_resource::<Calm>().is_some();
        let builder = EntityPool::<Bullet>::builder().capacity(2).on_free(|bullet| {
            bullet.world_scope(|world| {
                if world.remove_resource::<Calm>().is_some() {
                    take_out(world);
                }
            });
        });
        let builder = builder.template(move |bullet| {
            bullet.with_child(Health(9));
            if in_template {
                bullet.world_scope(take_out);
            }
        });
        builder.insert_into(&mut world);
        for n in 0..12 {
            if in_template && n >= 6 {
                world.insert_resource(Calm);
            }
            let spawned = match n % 2 {
                0 => world.spawn_pooled::<Bullet, _>(Bullet(n)),
                _ => world.spawn_pooled::<Bullet, _>((Bullet(n), Health(n))),
            };
            let spawned = spawned.unwrap();
            for step in 0..2 {
                // What waits for it may take it out again.
                while let Some(Kept(pool)) = world.remove_resource() {
                    world.insert_resource(pool);
                    world.flush();
                }
                world.flush();
                if step == 0 {
                    if let Some(body) = pool(&world).get(spawned) {
                        world.entity_mut(body).insert(Health(1));
                    }
                    world.free_pooled(spawned);
                }
            }
            assert_eq!((found(&mut world), pool(&world).len()), (vec![], 0), "{place} {n}");
            let mut all = world.query_filtered::<(), (With<InPool<Bullet>>, Allow<Disabled>)>();
            assert!(all.iter(&world).count() <= 2, "{place} {n}");
        }
    }
}
