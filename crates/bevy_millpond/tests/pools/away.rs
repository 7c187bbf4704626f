//! A pool that is out of the world for a moment, and one that is gone.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy_app::App;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_millpond::prelude::*;

use crate::{Bullet, entity, found, pool, world};

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
