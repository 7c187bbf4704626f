//! Templates, hooks and observers that spawn and free in the middle of it all: one life, one template.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_millpond::Asleep;
use bevy_millpond::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Ship(u32);
#[derive(Component)]
struct Gun;
#[derive(Component, Default)]
#[component(on_add = restart)]
struct Restarts;
#[derive(Resource)]
struct Left(u32);

fn pool(world: &World) -> &EntityPool<Ship> {
    world.resource()
}

/// Frees every ship and spawns the next, some times.
fn again(world: &mut World) {
    let mut left = world.resource_mut::<Left>();
    if left.0 == 0 {
        return;
    }
    left.0 -= 1;
    let n = left.0;
    world.clear_pool::<Ship>();
    world.spawn_pooled::<Ship, _>(Ship(100 + n)).unwrap();
}

fn restart(mut world: DeferredWorld, _: HookContext) {
    world.commands().queue(again);
}

/// Where the code of others runs that spawns again.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Observer,
    ObserverOfTemplate,
    Template,
    Hook,
    Sleep,
}

fn build(place: Place, sleeping: Sleeping, warms: bool) -> World {
    let mut world = World::new();
    world.insert_resource(Left(0));
    let mut builder =
        EntityPool::<Ship>::builder().capacity(1).sleeping(sleeping).check_resets(false).template(
            move |ship| {
                ship.with_child(Gun);
                if place == Place::Template {
                    ship.world_scope(again);
                }
                if place == Place::Hook {
                    ship.insert(Restarts);
                }
            },
        );
    if warms {
        builder = builder.prewarm();
    }
    builder.insert_into(&mut world);
    match place {
        Place::Observer => {
            world.add_observer(|_: On<Insert<Ship>>, mut commands: Commands| commands.queue(again));
        }
        Place::ObserverOfTemplate => {
            world.add_observer(|_: On<Add<Gun>>, mut commands: Commands| commands.queue(again));
        }
        Place::Sleep => {
            world
                .add_observer(|_: On<Add<Disabled>>, mut commands: Commands| commands.queue(again));
            world.add_observer(|_: On<Add<Asleep>>, mut commands: Commands| commands.queue(again));
        }
        Place::Template | Place::Hook => {}
    }
    world
}

fn all_guns(world: &mut World) -> usize {
    let mut guns = world.query_filtered::<(), (With<Gun>, Allow<Disabled>, Allow<Asleep>)>();
    guns.iter(world).count()
}

#[test]
fn one_life_has_one_template() {
    use Place::{Hook, Observer, ObserverOfTemplate, Sleep, Template};
    for place in [Observer, ObserverOfTemplate, Template, Hook, Sleep] {
        for sleeping in [Sleeping::Disabled, Sleeping::Asleep] {
            for warms in [false, true] {
                for times in [1, 3] {
                    let mut world = build(place, sleeping, warms);
                    for life in 0..4 {
                        let what = format!("{place:?} {sleeping:?} {warms} {times} {life}");
                        world.resource_mut::<Left>().0 = times;
                        let handle = world.spawn_pooled::<Ship, _>(Ship(life)).unwrap();
                        let ships: Vec<u32> =
                            world.query::<&Ship>().iter(&world).map(|ship| ship.0).collect();
                        assert_eq!(ships.len(), 1, "{what}");
                        assert_eq!(pool(&world).len(), 1, "{what}");
                        assert_eq!(pool(&world).contains(handle), ships[0] == life, "{what}");
                        assert_eq!(world.query::<&Gun>().iter(&world).count(), 1, "{what}");
                        assert_eq!(all_guns(&mut world), 1, "{what}");
                        world.resource_mut::<Left>().0 = 0;
                        assert_eq!(world.clear_pool::<Ship>(), 1, "{what}");
                        assert_eq!(world.query::<&Gun>().iter(&world).count(), 0, "{what}");
                        assert_eq!(all_guns(&mut world), 1, "{what}");
                    }
                    // A life that begins while the last one ends.
                    world.spawn_pooled::<Ship, _>(Ship(9)).unwrap();
                    world.resource_mut::<Left>().0 = 1;
                    world.clear_pool::<Ship>();
                    let begins = usize::from(place == Sleep);
                    let found = world.query::<(&Ship, &Children)>().iter(&world).count();
                    assert_eq!((pool(&world).len(), found), (begins, begins), "{place:?}");
                    assert_eq!(world.query::<&Gun>().iter(&world).count(), begins);
                    assert_eq!((all_guns(&mut world), pool(&world).upkeep().made), (1, 1));
                }
            }
        }
    }
}

/// A template that panics: its entity is nobody's, and the slot makes another.
#[test]
fn a_template_that_panics() {
    let mut world = World::new();
    world.insert_resource(Left(1));
    EntityPool::<Ship>::builder()
        .capacity(1)
        .template(|ship| {
            ship.with_child(Gun);
            let left = ship.world_scope(|world| {
                let mut left = world.resource_mut::<Left>();
                left.0 = left.0.wrapping_sub(1);
                left.0
            });
            assert_ne!(left, 0, "the template panics");
        })
        .insert_into(&mut world);
    let spawn = |world: &mut World| world.spawn_pooled::<Ship, _>(Ship(1)).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| spawn(&mut world))).is_err());
    assert_eq!((pool(&world).len(), pool(&world).upkeep().lost), (0, 1));
    let handle = spawn(&mut world);
    let body = pool(&world).get(handle).unwrap();
    assert_eq!(world.get(body), Some(&Ship(1)));
    assert_eq!(world.get::<Children>(body).map(|children| children.len()), Some(1));
    assert!(world.free_pooled(handle));
}

/// What waited for the entity of a template that panics is dropped, with all that it holds.
#[test]
fn what_waits_for_a_template_that_panics() {
    let mut world = World::new();
    let held = Arc::new(());
    let of_template = held.clone();
    let pool = EntityPool::<Ship>::builder().capacity(1).template(move |ship| {
        let (id, held) = (ship.id(), of_template.clone());
        ship.world_scope(|world| {
            let handle = world.resource::<EntityPool<Ship>>().handle_of(id).unwrap();
            world.commands().with_pooled(handle, move |_| drop(held));
            world.flush();
        });
        assert_eq!(Arc::strong_count(&of_template), 3);
        panic!("in the template");
    });
    pool.insert_into(&mut world);
    let spawn = || world.spawn_pooled::<Ship, _>(Ship(1));
    let panic = catch_unwind(AssertUnwindSafe(spawn)).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"in the template"));
    assert_eq!(Arc::strong_count(&held), 2);
}
