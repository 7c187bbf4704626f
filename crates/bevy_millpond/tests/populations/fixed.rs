//! Each place has an index, and each of its lives the next generation.

use std::sync::Mutex;

use bevy_ecs::error::FallbackErrorHandler;
use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_millpond::prelude::*;

use crate::{Bullet, builder, bullets, found, members, world};

/// What else goes on in a world does not change the ids.
#[test]
fn ids_depend_on_the_places_alone() {
    let play = |noise: bool| {
        let mut world =
            world(builder().capacity(4).when_full(WhenFull::EvictOldest).fixed_indices());
        let mut ids = Vec::new();
        let mut others = Vec::new();
        for n in 0..200 {
            ids.push(world.spawn_in::<Bullet, _>(Bullet(n)).unwrap());
            if noise {
                others.extend((0..n % 3).map(|_| world.spawn_empty().id()));
                if n % 5 == 0 {
                    others.drain(..).for_each(|entity| assert!(world.despawn(entity)));
                }
            }
            if n % 7 == 0 {
                let end = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
                    let first = bullets.iter().next().unwrap();
                    assert!(bullets.despawn(&mut commands, first));
                };
                world.run_system_once(end).unwrap();
            }
        }
        assert_eq!(bullets(&world).indices_lost(), 0);
        assert_eq!(found(&mut world), members(&world));
        ids
    };
    let ids = play(false);
    assert_eq!(ids, play(true));
    let mut indices: Vec<_> = ids.iter().map(|entity| entity.index()).collect();
    indices.sort_unstable();
    indices.dedup();
    assert_eq!(indices.len(), 4);
    let mut lives = ids.clone();
    lives.sort_unstable();
    lives.dedup();
    assert_eq!(lives.len(), ids.len());
}

/// The index of a member that others despawned is Bevy's; the place gets another.
#[test]
fn others_despawn_a_member() {
    let mut world = world(builder().capacity(2).fixed_indices());
    let first = world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
    world.despawn(first);
    assert_eq!(world.settle_population::<Bullet>(), 1);
    let strangers: Vec<Entity> = (0..300).map(|_| world.spawn_empty().id()).collect();
    for n in 2..4 {
        let entity = world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
        assert!(!strangers.contains(&entity));
    }
    assert_eq!((found(&mut world), members(&world)), (vec![2, 3], vec![2, 3]));
    assert_eq!(bullets(&world).indices_lost(), 1);
}

static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Between an eviction and its commands: the id that was promised is Bevy's, so nobody gets it.
#[test]
fn others_despawn_a_member_that_is_evicted() {
    let mut world = world(builder().capacity(1).when_full(WhenFull::EvictOldest).fixed_indices());
    world.insert_resource(FallbackErrorHandler(|error, _| {
        WARNINGS.lock().unwrap().push(error.to_string());
    }));
    let first = world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
    let shoot = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        bullets.spawn(&mut commands, Bullet(2)).unwrap();
    };
    let mut system = IntoSystem::into_system(shoot);
    system.initialize(&mut world);
    system.run_without_applying_deferred((), &mut world).unwrap();
    world.despawn(first);
    system.apply_deferred(&mut world);
    let warnings = WARNINGS.lock().unwrap().clone();
    assert!(
        warnings.len() == 1 && warnings[0].contains("gave its index back to Bevy"),
        "{warnings:?}"
    );
    assert_eq!((found(&mut world), bullets(&world).len()), (vec![], 0));
    for n in 3..400 {
        world.spawn((Bullet(n),));
        world.spawn_in::<Bullet, _>(Bullet(0)).unwrap();
        assert_eq!(members(&world), [0]);
    }
}

fn next(entity: Entity) -> Entity {
    Entity::from_index_and_generation(entity.index(), entity.generation().after_versions(1))
}

#[test]
fn each_life_has_the_next_generation() {
    let mut world = world(builder().capacity(1).when_full(WhenFull::EvictOldest).fixed_indices());
    let mut last = world.spawn_in::<Bullet, _>(Bullet(0)).unwrap();
    for n in 1..20 {
        if n % 3 == 0 {
            world.clear_population::<Bullet>();
        }
        let entity = world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
        assert_eq!(entity, next(last));
        last = entity;
    }
}

/// Between a despawn by the population and its command, others despawn the member.
#[test]
fn others_despawn_a_member_that_is_to_end() {
    let mut world = world(builder().capacity(1).fixed_indices());
    let first = world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
    let end = move |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        assert!(bullets.despawn(&mut commands, first));
    };
    let mut system = IntoSystem::into_system(end);
    system.initialize(&mut world);
    system.run_without_applying_deferred((), &mut world).unwrap();
    world.despawn(first);
    system.apply_deferred(&mut world);
    assert_eq!((bullets(&world).len(), bullets(&world).indices_lost()), (0, 1));
    // A warning would be a panic here.
    world.spawn_in::<Bullet, _>(Bullet(2)).unwrap();
    assert_eq!((found(&mut world), members(&world)), (vec![2], vec![2]));
}

/// It has evicted another, which then makes room all the same.
#[test]
fn a_member_leaves_before_it_is_spawned() {
    let mut world = world(builder().capacity(1).when_full(WhenFull::EvictOldest).fixed_indices());
    world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
    let shoot = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        let entity = bullets.spawn(&mut commands, Bullet(2)).unwrap().id();
        assert!(bullets.leave(entity));
    };
    world.run_system_once(shoot).unwrap();
    world.settle_population::<Bullet>();
    assert_eq!((found(&mut world), bullets(&world).len()), (vec![], 0));
    world.spawn_in::<Bullet, _>(Bullet(3)).unwrap();
    assert_eq!((found(&mut world), members(&world)), (vec![3], vec![3]));
}

/// Before that is noticed, another place gets the index of a member that others despawned.
#[test]
fn an_index_goes_from_place_to_place() {
    let mut world = world(builder().capacity(2).fixed_indices());
    let [first, second] = [1, 2].map(|n| world.spawn_in::<Bullet, _>(Bullet(n)).unwrap());
    let mut strangers: Vec<Entity> = (0..200).map(|_| world.spawn_empty().id()).collect();
    world.despawn(second);
    world.settle_population::<Bullet>();
    // Bevy uses ids again 128 at a time, the last one first.
    strangers.drain(..126).for_each(|entity| assert!(world.despawn(entity)));
    world.despawn(first);
    strangers.drain(..1).for_each(|entity| assert!(world.despawn(entity)));
    let third = world.spawn_in::<Bullet, _>(Bullet(3)).unwrap();
    assert_eq!(third.index(), first.index());
    assert_eq!((bullets(&world).len(), bullets(&world).indices_lost()), (1, 2));
    world.spawn_in::<Bullet, _>(Bullet(4)).unwrap();
    assert_eq!((found(&mut world), members(&world)), (vec![3, 4], vec![3, 4]));
}
