//! Members that others end.

use bevy_app::{App, Update};
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::system::{BoxedSystem, RunSystemOnce};
use bevy_ecs::world::DeferredWorld;
use bevy_millpond::prelude::*;

use crate::{Bullet, Health, builder, bullets, found, members, world};

/// Everything that ends a member, of which the population is not told.
type End = fn(&mut World, Entity);
const ENDS: [End; 6] = [
    |world, entity| {
        world.despawn(entity);
    },
    |world, entity| {
        world.commands().entity(entity).despawn();
        world.flush();
    },
    |world, entity| {
        let parent = world.spawn_empty().add_child(entity).id();
        world.despawn(parent);
    },
    |world, entity| {
        world.entity_mut(entity).remove::<Bullet>();
    },
    |world, entity| {
        world.entity_mut(entity).clear();
    },
    |world, _| world.despawn_all::<With<Bullet>>(),
];

#[test]
fn each_end_is_noticed_by_the_next_frame() {
    for end in ENDS {
        let mut app = App::new();
        app.add_population(builder().capacity(300));
        let world = app.world_mut();
        let entity = world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
        end(world, entity);
        app.update();
        assert!(bullets(app.world()).is_empty());
    }
}

#[test]
fn each_end_is_noticed_at_once() {
    for end in ENDS {
        let mut world = world(builder().capacity(1).noticing(Noticing::AtOnce));
        let entity = world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
        end(&mut world, entity);
        assert!(bullets(&world).is_empty());
        assert!(world.spawn_in::<Bullet, _>(Bullet(2)).is_ok());
    }
}

/// A full population looks before it refuses, or evicts.
#[test]
fn a_full_population_looks_for_room() {
    for rule in [WhenFull::Refuse, WhenFull::EvictOldest] {
        let mut world = world(builder().capacity(3).when_full(rule));
        let entities = [0, 1, 2].map(|n| world.spawn_in::<Bullet, _>(Bullet(n)).unwrap());
        world.despawn(entities[2]);
        world.despawn(entities[1]);
        let shoot = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
            bullets.spawn(&mut commands, Bullet(3)).is_ok()
        };
        assert!(world.run_system_once(shoot).unwrap());
        assert!(world.spawn_in::<Bullet, _>(Bullet(4)).is_ok());
        assert_eq!((found(&mut world), members(&world)), (vec![0, 3, 4], vec![0, 3, 4]));
        assert_eq!(bullets(&world).stats().evicted, 0);
    }
}

/// A spawn by commands finds whoever is gone, wherever he was, and no tick waits for the end of the frame: with 30 lives a
/// tick of 200 places, and never more than 170 alive, nobody is refused, and nobody evicted.
#[test]
fn ticks_within_a_frame_find_the_places_of_those_before() {
    for rule in [WhenFull::Refuse, WhenFull::EvictOldest] {
        let mut app = App::new();
        app.add_population(builder().capacity(200).when_full(rule));
        let world = app.world_mut();
        for n in 0..140 {
            world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
        }
        let tick = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
            for _ in 0..30 {
                bullets.spawn(&mut commands, Bullet(1000)).unwrap();
            }
        };
        let cull = |mut commands: Commands, all: Query<(Entity, &Bullet)>| {
            let young = all.iter().filter(|(_, bullet)| bullet.0 == 1000);
            young.for_each(|(entity, _)| commands.entity(entity).despawn());
        };
        for _ in 0..3 {
            for _ in 0..4 {
                app.world_mut().run_system_once(tick).unwrap();
                app.world_mut().run_system_once(cull).unwrap();
            }
            app.update();
        }
        assert_eq!(found(app.world_mut()), (0..140).collect::<Vec<_>>(), "{rule:?}");
        let stats = bullets(app.world()).stats();
        assert_eq!((stats.evicted, stats.refused), (0, 0), "{rule:?}");
    }
}

/// Who was looked at in vain is looked at again once commands were applied; or, if they are lost, in the next frame.
#[test]
fn a_look_in_vain_is_not_the_last() {
    let mut app = App::new();
    // Without their component, so that nobody is told of their end.
    app.add_population(builder().capacity(100));
    let mut entities = Vec::new();
    app.world_mut().insert_resource(bevy_ecs::error::FallbackErrorHandler(|_, _| {}));
    for _ in 0..100 {
        entities.push(app.world_mut().spawn_in::<Bullet, _>(Health(1)).unwrap());
    }
    let shoot = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        [0, 1].map(|_| bullets.spawn(&mut commands, Bullet(1)).is_ok())
    };
    let mut lost = IntoSystem::into_system(shoot);
    lost.initialize(app.world_mut());
    for applies in [true, false] {
        if applies {
            assert_eq!(app.world_mut().run_system_once(shoot).unwrap(), [false; 2]);
        } else {
            let spawned = lost.run_without_applying_deferred((), app.world_mut()).unwrap();
            assert_eq!(spawned, [false; 2]);
        }
        app.world_mut().despawn(entities.pop().unwrap());
        if !applies {
            let spawned = lost.run_without_applying_deferred((), app.world_mut()).unwrap();
            assert_eq!(spawned, [false; 2], "by its commands, nobody has gone");
            app.update();
        }
        assert_eq!(app.world_mut().run_system_once(shoot).unwrap(), [true, false], "{applies}");
    }
}

/// By a key, whoever is gone makes room before anybody who is there.
#[test]
fn who_is_gone_is_evicted_first() {
    let mut world = world(builder().capacity(100));
    let entities: Vec<Entity> =
        (0..100).map(|n| world.spawn_in::<Bullet, _>(Bullet(n)).unwrap()).collect();
    world.despawn(entities[60]);
    let play =
        |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>, all: Query<&Bullet>| {
            // Panics for one that is gone.
            let key = |entity| all.get(entity).unwrap().0;
            bullets.spawn_evicting(&mut commands, Bullet(1000), key).unwrap();
        };
    world.run_system_once(play).unwrap();
    assert_eq!((found(&mut world).len(), bullets(&world).stats().evicted), (100, 0));
}

/// Members without the component are found as well, part by part, and the bundle is named.
#[test]
fn a_bundle_without_the_component() {
    use std::sync::Mutex;
    static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut app = App::new();
    app.add_population(builder().capacity(128));
    app.insert_resource(bevy_ecs::error::FallbackErrorHandler(|error, _| {
        WARNINGS.lock().unwrap().push(error.to_string());
    }));
    let spawn = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        bullets.spawn(&mut commands, Health(1)).unwrap();
        bullets.spawn(&mut commands, Health(2)).unwrap().id()
    };
    let entity = app.world_mut().run_system_once(spawn).unwrap();
    app.world_mut().spawn_in::<Bullet, _>((Bullet(1), Health(2))).unwrap();
    // Once for each type.
    app.world_mut().run_system_once(spawn).unwrap();
    let warnings = WARNINGS.lock().unwrap().clone();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let words = "the bundle populations::Health does not have the component of the population, populations::Bullet";
    assert!(warnings[0].contains(words), "{}", warnings[0]);
    app.world_mut().despawn(entity);
    for _ in 0..65 {
        app.update();
    }
    assert_eq!(bullets(app.world()).len(), 4);
    assert_eq!(app.world_mut().settle_population::<Bullet>(), 0);
}

#[derive(Component)]
#[component(on_remove = nothing)]
struct Hooked;

fn nothing(_: DeferredWorld, _: HookContext) {}

#[test]
#[should_panic(
    expected = "its component has a hook `on_remove` of its own: call `Population::leave` in it"
)]
fn a_component_with_a_hook_of_its_own() {
    let builder = Population::<Hooked>::builder().capacity(1).noticing(Noticing::AtOnce);
    builder.insert_into(&mut World::new());
}

#[test]
#[should_panic(expected = "there are entities with its component already")]
fn a_component_that_was_used() {
    let mut world = World::new();
    world.spawn(Bullet(1));
    builder().capacity(1).noticing(Noticing::AtOnce).insert_into(&mut world);
}

/// What a state does that is left: `DespawnOnExit` despawns by a query.
#[test]
fn a_state_is_left() {
    let mut app = App::new();
    app.add_population(builder().capacity(8));
    #[derive(Component)]
    struct OfLevel;
    let enter = |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>| {
        (0..20).filter(|&n| bullets.spawn(&mut commands, (Bullet(n), OfLevel)).is_ok()).count()
    };
    let leave = |mut commands: Commands, of_level: Query<Entity, With<OfLevel>>| {
        of_level.iter().for_each(|entity| commands.entity(entity).try_despawn());
    };
    for _ in 0..5 {
        assert_eq!(app.world_mut().run_system_once(enter).unwrap(), 8);
        app.world_mut().run_system_once(leave).unwrap();
        app.update();
    }
    assert_eq!((found(app.world_mut()), bullets(app.world()).len()), (vec![], 0));
}

/// Two populations of one marker: an app has one.
#[test]
#[should_panic(expected = "population \"Bullet\" is added twice")]
fn a_second_population() {
    let mut app = App::new();
    app.add_population(builder().capacity(1)).add_population(builder().capacity(2));
}

#[test]
fn a_clone_is_no_member() {
    let mut world = world(builder().capacity(1));
    let bullet = world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
    let clone = world.entity_mut(bullet).clone_and_spawn();
    assert!(!bullets(&world).contains(clone));
    world.despawn(clone);
    assert_eq!(members(&world), [1]);
}

/// Nothing changes: nobody who looks for changes is told of any.
#[test]
fn a_quiet_frame_is_no_change() {
    #[derive(Resource, Default)]
    struct Changes(u32);
    let mut app = App::new();
    app.add_population(builder().capacity(8)).init_resource::<Changes>();
    app.add_systems(Update, |bullets: Res<Population<Bullet>>, mut changes: ResMut<Changes>| {
        changes.0 += u32::from(bullets.is_changed());
    });
    let bullet = app.world_mut().spawn_in::<Bullet, _>(Bullet(1)).unwrap();
    for _ in 0..5 {
        app.update();
    }
    assert_eq!(app.world().resource::<Changes>().0, 1);
    app.world_mut().despawn(bullet);
    app.update();
    app.update();
    app.update();
    assert_eq!(app.world().resource::<Changes>().0, 2);
}

/// Before it is noticed that a member is gone, another one gets its index.
#[test]
fn an_index_is_used_again_before_its_end_is_noticed() {
    let mut app = App::new();
    app.add_population(builder().capacity(1000));
    let world = app.world_mut();
    let spawn = |world: &mut World, n| world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
    for n in 0..1000 {
        let entity = spawn(world, n);
        if n % 3 != 0 {
            world.despawn(entity);
        }
    }
    app.update();
    let world = app.world_mut();
    assert_eq!(bullets(world).len(), found(world).len());
    assert_eq!(members(app.world()), found(app.world_mut()));
}

fn shoot(mut commands: Commands, mut bullets: ResMut<Population<Bullet>>) {
    bullets.spawn(&mut commands, Bullet(1)).unwrap();
}

fn shoot_later(world: &mut World) -> BoxedSystem {
    let mut shoot: BoxedSystem = Box::new(IntoSystem::into_system(shoot));
    shoot.initialize(world);
    shoot.run_without_applying_deferred((), world).unwrap();
    shoot
}

/// Its commands are applied a frame later. Had they been dropped, the place would be vacant soon.
#[test]
fn a_spawn_that_comes_late() {
    for frames in [1, 3] {
        let mut app = App::new();
        app.add_population(builder().capacity(1));
        let mut shoot = shoot_later(app.world_mut());
        (0..frames).for_each(|_| app.update());
        shoot.apply_deferred(app.world_mut());
        (0..3).for_each(|_| app.update());
        let left = if frames == 1 { vec![1] } else { vec![] };
        assert_eq!((found(app.world_mut()), members(app.world())), (left.clone(), left));
    }
}

/// The end of the frame despawns it.
#[test]
fn a_spawn_that_its_despawn_overtook() {
    let mut app = App::new();
    app.add_population(builder().capacity(1));
    let world = app.world_mut();
    let mut shoot = shoot_later(world);
    world.clear_population::<Bullet>();
    shoot.apply_deferred(world);
    assert_eq!((found(world), bullets(world).len()), (vec![1], 0));
    app.update();
    assert_eq!(found(app.world_mut()), []);
}

/// All of them in one exclusive system, wherever they are.
#[test]
fn a_spawn_in_a_world_finds_all_who_are_gone() {
    let mut world = world(builder().capacity(100));
    let spawn = |world: &mut World, n| world.spawn_in::<Bullet, _>(Bullet(n));
    let entities: Vec<Entity> = (0..100).map(|n| spawn(&mut world, n).unwrap()).collect();
    world.despawn(entities[60]);
    world.entity_mut(entities[61]).remove::<Bullet>();
    world.despawn(entities[99]);
    assert!((0..3).all(|_| spawn(&mut world, 200).is_ok()));
    assert!(spawn(&mut world, 200).is_err());
    assert_eq!(bullets(&world).len(), 100);
}

/// Bevy notes nothing of who had no component. It looks at others each time.
#[test]
fn a_spawn_in_a_world_looks_for_who_had_no_component() {
    let mut world = world(builder().capacity(100));
    world.insert_resource(bevy_ecs::error::FallbackErrorHandler(bevy_ecs::error::ignore));
    for n in 0..99 {
        world.spawn_in::<Bullet, _>(Bullet(n)).unwrap();
    }
    let last = world.spawn_in::<Bullet, _>(Health(1)).unwrap();
    world.despawn(last);
    let tries = (0..9).position(|_| world.spawn_in::<Bullet, _>(Bullet(200)).is_ok());
    assert_eq!(tries, Some(6));
}

/// By a key too: whoever is gone makes room for the least.
#[test]
fn the_least_has_the_place_of_who_is_gone() {
    let mut world = world(builder().capacity(100));
    let entities: Vec<Entity> =
        (0..100).map(|n| world.spawn_in::<Bullet, _>(Bullet(n + 1)).unwrap()).collect();
    world.despawn(entities[60]);
    let play =
        |mut commands: Commands, mut bullets: ResMut<Population<Bullet>>, all: Query<&Bullet>| {
            let key = |entity| all.get(entity).unwrap().0;
            bullets.spawn_unless_least(&mut commands, Bullet(0), 0, key).is_ok()
        };
    assert!(world.run_system_once(play).unwrap());
    assert_eq!((found(&mut world).len(), bullets(&world).stats().evicted), (100, 0));
}

/// Also one that an exclusive system names.
#[test]
fn a_bundle_without_the_component_in_an_exclusive_system() {
    use std::sync::Mutex;
    static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut world = world(builder().capacity(4));
    world.insert_resource(bevy_ecs::error::FallbackErrorHandler(|error, _| {
        WARNINGS.lock().unwrap().push(error.to_string());
    }));
    for _ in 0..2 {
        world.spawn_in::<Bullet, _>(Health(1)).unwrap();
        world.spawn_in::<Bullet, _>(Bullet(1)).unwrap();
    }
    assert_eq!(WARNINGS.lock().unwrap().len(), 1);
}
