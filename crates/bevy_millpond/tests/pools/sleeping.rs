//! Sleeping entities are in no query, with their children, whichever component puts them to sleep.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_millpond::Asleep;
use bevy_millpond::prelude::*;

use crate::{Bullet, Health, entity, found, pool};

#[derive(Component)]
struct Wing;
#[derive(Component)]
struct Feather;

fn winged(sleeping: Sleeping) -> World {
    let mut world = World::new();
    EntityPool::<Bullet>::builder()
        .capacity(4)
        .sleeping(sleeping)
        .template(|bullet| {
            bullet.insert(Health(7)).with_children(|wings| {
                wings.spawn(Wing).with_child(Feather);
                wings.spawn(Wing);
            });
        })
        .prewarm()
        .insert_into(&mut world);
    world
}

fn counts(world: &mut World) -> [usize; 3] {
    [
        world.query::<&Health>().iter(world).count(),
        world.query::<&Wing>().iter(world).count(),
        world.query::<&Feather>().iter(world).count(),
    ]
}

#[test]
fn children_of_the_template_sleep_and_wake_with_their_parent() {
    for sleeping in [Sleeping::Disabled, Sleeping::Asleep] {
        let mut world = winged(sleeping);
        assert_eq!(counts(&mut world), [0, 0, 0]);
        let all = world.entity_count();
        for _ in 0..3 {
            let handles = [1, 2].map(|n| world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap());
            assert_eq!(counts(&mut world), [2, 4, 2]);
            world.free_pooled(handles[0]);
            assert_eq!((counts(&mut world), found(&mut world)), ([1, 2, 1], vec![2]));
            world.free_pooled(handles[1]);
            assert_eq!(counts(&mut world), [0, 0, 0]);
        }
        assert_eq!(world.entity_count(), all);
        assert_eq!((pool(&world).upkeep().made, pool(&world).upkeep().remade), (4, 0));
    }
}

#[test]
fn queries_that_name_the_component_find_sleepers() {
    let mut world = winged(Sleeping::Disabled);
    assert_eq!(world.query_filtered::<&Health, With<Disabled>>().iter(&world).count(), 4);
    let mut world = winged(Sleeping::Asleep);
    assert_eq!(world.query_filtered::<&Health, With<Asleep>>().iter(&world).count(), 4);
    assert_eq!(world.query_filtered::<&Health, With<Disabled>>().iter(&world).count(), 0);
}

/// Children that a life adds are despawned at its end, at any depth; those of the template stay.
#[test]
fn added_children_end_with_the_life() {
    let mut world = winged(Sleeping::Disabled);
    let all = world.entity_count();
    let handle = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    let body = entity(&world, handle);
    let wing = world.get::<Children>(body).unwrap()[0];
    world.entity_mut(body).with_child(Health(1)).with_child(Health(2));
    world.entity_mut(wing).with_child(Feather);
    assert_eq!((world.entity_count(), counts(&mut world)), (all + 3, [3, 2, 2]));
    world.free_pooled(handle);
    assert_eq!((world.entity_count(), counts(&mut world)), (all, [0, 0, 0]));
    world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    assert_eq!((counts(&mut world), pool(&world).upkeep().remade), ([1, 2, 1], 0));
}

/// Children that a bundle makes belong to the life.
#[test]
fn children_of_a_bundle_are_made_for_each_life() {
    let mut world = crate::world(4);
    let bundle = || (Bullet(1), children![Wing, Wing]);
    let all = world.entity_count();
    for _ in 0..3 {
        let handle = world.spawn_pooled::<Bullet, _>(bundle()).unwrap();
        assert_eq!(counts(&mut world)[1], 2);
        world.free_pooled(handle);
        assert_eq!((counts(&mut world)[1], world.entity_count()), (0, all + 1));
    }
    assert_eq!(pool(&world).upkeep().remade, 0);
}

#[test]
#[should_panic(expected = "pool \"Bullet\": the template makes children, and so does a bundle")]
fn children_of_both_are_refused() {
    let mut world = winged(Sleeping::Disabled);
    let _ = world.spawn_pooled::<Bullet, _>((Bullet(1), children![Wing]));
}

#[derive(Resource, Default, Debug, PartialEq, Eq)]
struct Seen {
    added: u32,
    inserted: u32,
    removed: u32,
    slept: u32,
    woke: u32,
}

/// A component is added once, and inserted at each life; sleep is an observable component.
#[test]
fn what_observers_see_of_lives() {
    let mut world = crate::world(4);
    world.init_resource::<Seen>();
    world.add_observer(|_: On<Add<Bullet>>, mut seen: ResMut<Seen>| seen.added += 1);
    world.add_observer(|_: On<Insert<Bullet>>, mut seen: ResMut<Seen>| seen.inserted += 1);
    world.add_observer(|_: On<Remove<Bullet>>, mut seen: ResMut<Seen>| seen.removed += 1);
    world.add_observer(|_: On<Add<Disabled>>, mut seen: ResMut<Seen>| seen.slept += 1);
    world.add_observer(|_: On<Remove<Disabled>>, mut seen: ResMut<Seen>| seen.woke += 1);
    for n in 0..5 {
        let handle = world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap();
        world.free_pooled(handle);
    }
    let seen = world.resource::<Seen>();
    assert_eq!(*seen, Seen { added: 1, inserted: 5, removed: 0, slept: 5, woke: 4 });
}
