//! What others do to entities of a pool.

use std::sync::atomic::{AtomicUsize, Ordering};

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::error::{BevyError, ErrorContext, FallbackErrorHandler};
use bevy_ecs::prelude::*;
use bevy_ecs::system::BoxedSystem;
use bevy_millpond::prelude::*;

use crate::{Bullet, Health, entity, found, pool, world};

#[test]
fn an_entity_that_others_despawn_frees_its_slot() {
    let mut world = world(2);
    let [first, second] = [1, 2].map(|n| world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap());
    let body = entity(&world, first);
    world.despawn(body);
    assert_eq!(
        (pool(&world).get(first), pool(&world).handle_of(body), pool(&world).len()),
        (None, None, 1)
    );
    assert!(!world.free_pooled(first) && pool(&world).contains(second));
    // There is room again, for a new entity.
    let third = world.spawn_pooled::<Bullet, _>(Bullet(3)).unwrap();
    assert_ne!(entity(&world, third), body);
    assert_eq!(pool(&world).handle_of(body), None);
    assert!(world.spawn_pooled::<Bullet, _>(Bullet(4)).is_err());
    let upkeep = pool(&world).upkeep();
    assert_eq!((upkeep.made, upkeep.lost), (3, 1));
    assert_eq!(found(&mut world), [2, 3]);
}

#[test]
fn an_entity_that_loses_its_place_is_no_longer_the_pools() {
    let mut world = world(1);
    let handle = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    let body = entity(&world, handle);
    world.entity_mut(body).remove::<InPool<Bullet>>();
    assert!(!pool(&world).contains(handle));
    let next = world.spawn_pooled::<Bullet, _>(Bullet(2)).unwrap();
    assert_ne!(entity(&world, next), body);
    assert_eq!(found(&mut world), [1, 2]);
}

#[test]
fn a_parent_that_is_despawned_takes_bullets_along() {
    let mut world = world(4);
    let ship = world.spawn(Health(1)).id();
    let handles =
        [1, 2, 3].map(|n| world.spawn_pooled::<Bullet, _>((Bullet(n), ChildOf(ship))).unwrap());
    world.free_pooled(handles[0]); // asleep, and still the ship's
    world.despawn(ship);
    assert!(handles.iter().all(|&handle| !pool(&world).contains(handle)));
    assert_eq!((pool(&world).len(), pool(&world).upkeep().lost, found(&mut world)), (0, 3, vec![]));
    let second = world.spawn(Health(1)).id();
    for n in 0..4 {
        world.spawn_pooled::<Bullet, _>((Bullet(n), ChildOf(second))).unwrap();
    }
    assert_eq!(found(&mut world), [0, 1, 2, 3]);
}

/// A relationship that a life got is gone when it sleeps.
#[test]
fn a_sleeper_is_nobodys_child() {
    let mut world = world(4);
    let ship = world.spawn(Health(1)).id();
    let handle = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    let body = entity(&world, handle);
    world.entity_mut(ship).add_child(body);
    world.free_pooled(handle);
    assert!(!world.entity(ship).contains::<Children>());
    world.despawn(ship);
    assert_eq!(pool(&world).upkeep().lost, 0);
}

static WOKEN: AtomicUsize = AtomicUsize::new(0);

fn counts_woken(error: BevyError, _: ErrorContext) {
    assert!(error.to_string().contains("something other than the pool woke it"), "{error}");
    WOKEN.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn who_wakes_a_sleeper_is_told_and_it_sleeps_again() {
    let mut world = world(2);
    world.insert_resource(FallbackErrorHandler(counts_woken));
    let handle = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    let body = entity(&world, handle);
    world.free_pooled(handle);
    assert_eq!(world.settle_pool::<Bullet>(), 0);
    world.entity_mut(body).remove::<Disabled>();
    assert_eq!(found(&mut world), [1]);
    assert_eq!((world.settle_pool::<Bullet>(), WOKEN.load(Ordering::Relaxed)), (1, 1));
    assert_eq!((found(&mut world), pool(&world).upkeep().disturbed), (vec![], 1));
    world.spawn_pooled::<Bullet, _>(Bullet(2)).unwrap();
    assert_eq!(found(&mut world), [2]);
}

/// Without that check, the next life in the slot finds out, and is as it should be.
#[test]
fn a_sleeper_that_others_changed_is_made_anew() {
    let changes: [fn(&mut EntityWorldMut); 3] = [
        |body| {
            body.remove::<Disabled>();
        },
        |body| {
            body.insert(Health(1));
        },
        |body| {
            body.remove::<Bullet>();
        },
    ];
    for change in changes {
        let mut world = world(1);
        // Debug builds say so.
        world.insert_resource(FallbackErrorHandler(bevy_ecs::error::ignore));
        let handle = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
        let body = entity(&world, handle);
        world.free_pooled(handle);
        change(&mut world.entity_mut(body));
        let handle = world.spawn_pooled::<Bullet, _>(Bullet(2)).unwrap();
        assert_eq!(entity(&world, handle), body);
        let body = world.entity(body);
        assert!(
            body.contains::<Bullet>() && !body.contains::<Health>() && !body.contains::<Disabled>()
        );
        assert_eq!((found(&mut world), pool(&world).upkeep().disturbed), (vec![2], 1));
    }
}

/// By commands that are applied when the life is over that they were for.
#[test]
fn a_sleeper_keeps_no_children_of_a_life_that_never_began() {
    for (has_child, frees_all) in [(true, false), (true, true), (false, false), (false, true)] {
        let mut world = World::new();
        let pool_of_one = EntityPool::<Bullet>::builder().capacity(1);
        let of_template = pool_of_one.template(|bullet| {
            if bullet.world().contains_resource::<WithChild>() {
                bullet.with_child(Health(1));
            }
        });
        if has_child {
            world.insert_resource(WithChild);
        }
        of_template.insert_into(&mut world);
        let first = world.spawn_pooled::<Bullet, _>(Bullet(0)).unwrap();
        let body = entity(&world, first);
        world.free_pooled(first);
        let children = |world: &World| world.get::<Children>(body).map_or(0, |of| of.len());
        let before = children(&world);
        assert_eq!(before, usize::from(has_child));
        for n in 1..4 {
            let spawn = move |mut bullets: Pooled<Bullet>| {
                let bullet = bullets.spawn(Bullet(n)).unwrap();
                bullets.entity(bullet).unwrap().with_child(Health(2));
            };
            let end = move |mut bullets: Pooled<Bullet>| {
                if frees_all {
                    assert_eq!(bullets.clear(), 1);
                } else {
                    assert!(bullets.free_entity(body));
                }
            };
            // Both run before the commands of either are applied.
            let mut systems: [BoxedSystem; 2] =
                [Box::new(IntoSystem::into_system(spawn)), Box::new(IntoSystem::into_system(end))];
            for system in &mut systems {
                system.initialize(&mut world);
                system.run_without_applying_deferred((), &mut world).unwrap();
            }
            systems.iter_mut().for_each(|system| system.apply_deferred(&mut world));
            assert_eq!((children(&world), pool(&world).len()), (before, 0));
        }
        let last = world.spawn_pooled::<Bullet, _>(Bullet(9)).unwrap();
        assert_eq!((entity(&world, last), pool(&world).upkeep().remade), (body, 0));
    }
}

/// That the template makes a child.
#[derive(Resource)]
struct WithChild;

#[test]
fn a_clone_is_not_of_the_pool() {
    let mut world = world(2);
    let handle = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    let body = entity(&world, handle);
    let clone = world.entity_mut(body).clone_and_spawn();
    assert!(!world.entity(clone).contains::<InPool<Bullet>>());
    assert_eq!(pool(&world).handle_of(clone), None);
    world.despawn(clone);
    assert!(pool(&world).contains(handle));
}

#[test]
fn a_pool_that_is_removed_takes_its_sleepers_along() {
    let mut world = world(4);
    let before = world.entity_count();
    let handles = [1, 2, 3].map(|n| world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap());
    world.free_pooled(handles[0]);
    world.free_pooled(handles[1]);
    let last = entity(&world, handles[2]);
    assert_eq!(world.entity_count(), before + 3);
    world.remove_resource::<EntityPool<Bullet>>();
    world.flush();
    // One lives on, and belongs to no pool.
    assert_eq!(found(&mut world), [3]);
    assert!(world.get_entity(last).is_ok());
    assert!(!world.free_pooled(handles[2]));

    // A new pool of the kind: no handle of the old one means anything, and the old bullet harms it not.
    EntityPool::<Bullet>::builder().capacity(4).insert_into(&mut world);
    let new = [4, 5, 6].map(|n| world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap());
    assert!(
        handles
            .iter()
            .all(|&handle| !pool(&world).contains(handle) && pool(&world).check(handle).is_err())
    );
    world.despawn(last);
    assert_eq!(
        (found(&mut world), pool(&world).len(), pool(&world).upkeep().lost),
        (vec![4, 5, 6], 3, 0)
    );
    assert!(new.iter().all(|&handle| pool(&world).contains(handle)));
}

#[test]
fn a_pool_that_is_replaced_takes_its_sleepers_along() {
    let mut world = world(2);
    let handle = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    world.free_pooled(handle);
    let before = world.entity_count();
    EntityPool::<Bullet>::builder().capacity(2).insert_into(&mut world);
    world.flush();
    assert_eq!(world.entity_count(), before - 1);
}

#[test]
fn a_world_that_is_cleared_has_no_pool() {
    let mut world = world(2);
    let handle = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    world.clear_entities();
    assert!(!world.contains_resource::<EntityPool<Bullet>>() && !world.free_pooled(handle));

    // Despawning all bullets leaves the pool as it is.
    let mut world = crate::world(2);
    world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    world.despawn_all::<With<Bullet>>();
    assert!(pool(&world).is_empty());
    world.spawn_pooled::<Bullet, _>(Bullet(2)).unwrap();
    assert_eq!(found(&mut world), [2]);
}

/// An `Entity` of one world means another one in the next. A handle does not, whatever the names of the pools.
#[test]
fn pools_of_two_worlds_are_two_pools() {
    let mut worlds = [(); 3].map(|()| world(2));
    let handles =
        worlds.each_mut().map(|world| world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap());
    for (at, world) in worlds.iter_mut().enumerate() {
        for (of, &handle) in handles.iter().enumerate() {
            assert_eq!(pool(world).contains(handle), at == of);
            assert_eq!(world.free_pooled(handle), at == of);
        }
    }
    // Unless they are to agree on handles.
    let [mut left, mut right] = [(); 2].map(|()| {
        let mut world = World::new();
        EntityPool::<Bullet>::builder().capacity(2).salt(7).insert_into(&mut world);
        world
    });
    let handle = left.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    assert_eq!(right.spawn_pooled::<Bullet, _>(Bullet(1)), Ok(handle));
}

#[derive(Resource, Default)]
struct Chain(Vec<PoolHandle<Bullet>>);

/// Observers of a life's begin that end it, and that begin another in the same slot.
#[test]
fn a_life_that_ends_while_it_begins() {
    for respawns in [false, true] {
        for evicts in [false, true] {
            let mut world = World::new();
            let rule = if evicts { WhenFull::EvictOldest } else { WhenFull::Refuse };
            EntityPool::<Bullet>::builder().capacity(1).when_full(rule).insert_into(&mut world);
            world.init_resource::<Chain>();
            let first = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
            if !evicts {
                world.free_pooled(first);
            }
            world.add_observer(
                move |inserted: On<Insert<Bullet>>,
                      bullets: Query<&Bullet, Allow<Disabled>>,
                      mut commands: Commands| {
                    let n = bullets.get(inserted.entity).unwrap().0;
                    commands.queue(move |world: &mut World| {
                        if n < 4 {
                            let body = inserted_entity(world);
                            let handle = pool(world).handle_of(body).unwrap();
                            world.free_pooled(handle);
                            if respawns {
                                let handle =
                                    world.spawn_pooled::<Bullet, _>(Bullet(n + 1)).unwrap();
                                world.resource_mut::<Chain>().0.push(handle);
                            }
                        }
                    });
                },
            );
            let handle = world.spawn_pooled::<Bullet, _>(Bullet(2)).unwrap();
            assert!(!pool(&world).contains(handle));
            let expected = if respawns { vec![4] } else { vec![] };
            assert_eq!((found(&mut world), pool(&world).len()), (expected.clone(), expected.len()));
            let live = world
                .resource::<Chain>()
                .0
                .iter()
                .filter(|&&handle| pool(&world).contains(handle))
                .count();
            assert_eq!(live, expected.len());
            // All is well afterwards.
            if let Some(&handle) =
                world.resource::<Chain>().0.iter().find(|&&handle| pool(&world).contains(handle))
            {
                assert!(world.free_pooled(handle));
            }
            assert!(found(&mut world).is_empty());
            world.spawn_pooled::<Bullet, _>(Bullet(9)).unwrap();
            assert_eq!(found(&mut world), [9]);
        }
    }
}

/// The only bullet there is.
fn inserted_entity(world: &mut World) -> Entity {
    world.query_filtered::<Entity, (With<InPool<Bullet>>, Allow<Disabled>)>().single(world).unwrap()
}

/// Observers of a life's end that spawn from the same pool: from the slot that is just being freed.
#[test]
fn a_life_that_begins_while_another_ends() {
    let mut world = world(0);
    let builder = EntityPool::<Bullet>::builder().capacity(1).template(|bullet| {
        bullet.with_child(Health(7));
    });
    builder.insert_into(&mut world);
    let handle = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    world.init_resource::<Chain>();
    world.add_observer(|_: On<Add<Disabled>>, mut chain: ResMut<Chain>, mut commands: Commands| {
        if chain.0.is_empty() {
            chain.0.push(PoolHandle::DANGLING);
            commands.spawn_pooled::<Bullet, _>(Bullet(2));
        }
    });
    world.free_pooled(handle);
    assert_eq!((found(&mut world), pool(&world).len()), (vec![2], 1));
    // With its child, which went to sleep after the next life had begun.
    assert_eq!(world.query::<&Health>().iter(&world).count(), 1);
    let (second, _) = pool(&world).iter().next().unwrap();
    world.free_pooled(second);
    assert_eq!((found(&mut world), pool(&world).len()), (vec![], 0));
}

/// A bundle whose insertion despawns the entity.
#[test]
fn a_life_whose_entity_is_despawned_while_it_begins() {
    let mut world = world(1);
    world.add_observer(|inserted: On<Insert<Health>>, mut commands: Commands| {
        commands.entity(inserted.entity).despawn();
    });
    for _ in 0..3 {
        let handle = world.spawn_pooled::<Bullet, _>((Bullet(1), Health(1))).unwrap();
        assert!(!pool(&world).contains(handle));
        assert_eq!((found(&mut world), pool(&world).len()), (vec![], 0));
    }
    assert_eq!((pool(&world).upkeep().made, pool(&world).upkeep().lost), (3, 3));
}
