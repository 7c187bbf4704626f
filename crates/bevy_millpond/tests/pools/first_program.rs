//! What somebody stumbles over who writes a first program with the crate.

use std::sync::Mutex;

use bevy_app::{App, Update};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::error::{BevyError, ErrorContext, FallbackErrorHandler};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ApplyDeferred;
use bevy_ecs::system::RunSystemOnce;
use bevy_millpond::prelude::*;

use crate::{Bullet, Health, entity, found, pool, world};

#[derive(Component)]
struct Extra;

/// The only bullet that is awake, whether it has an `Extra`.
fn has_extra(world: &mut World) -> bool {
    world.query_filtered::<Has<Extra>, With<Bullet>>().single(world).unwrap()
}

/// In the first life, in that of a sleeper, and in one that takes the place of another before that one sleeps.
#[test]
fn the_pools_own_commands_reach_the_life_that_was_just_begun() {
    type Shoot = fn(Commands, Pooled<Bullet>);
    // `Commands` stand first, and are of no use here.
    let shoots: [Shoot; 2] = [
        |_, mut bullets| {
            bullets.clear();
            let handle = bullets.spawn(Bullet(1)).unwrap();
            bullets.entity(handle).unwrap().insert(Extra);
        },
        |_, mut bullets| {
            bullets.clear();
            let handle = bullets.spawn(Bullet(1)).unwrap();
            let body = bullets.get(handle).unwrap();
            bullets.commands().entity(body).insert(Extra);
        },
    ];
    for shoot in shoots {
        for sleeps_between in [false, true] {
            let mut world = world(1);
            for _ in 0..3 {
                world.run_system_once(shoot).unwrap();
                assert!(has_extra(&mut world));
                if sleeps_between {
                    world.clear_pool::<Bullet>();
                }
            }
            assert_eq!(pool(&world).upkeep().remade, 0);
        }
    }
    let mut world = world(1);
    let handle = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    world.free_pooled(handle);
    let of_stale = move |mut bullets: Pooled<Bullet>| bullets.entity(handle).is_none();
    assert!(world.run_system_once(of_stale).unwrap());
}

static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn keeps_warning(error: BevyError, _: ErrorContext) {
    WARNINGS.lock().unwrap().push(error.to_string());
}

/// A queue of its own is applied first if its parameter stands first. Nothing is lost without a word.
#[test]
fn commands_that_stand_before_the_pool_come_too_early() {
    let shoot = |mut commands: Commands, mut bullets: Pooled<Bullet>| {
        let handle = bullets.spawn(Bullet(1)).unwrap();
        commands.entity(bullets.get(handle).unwrap()).insert(Extra);
    };
    let mut world = world(0);
    EntityPool::<Bullet>::builder().capacity(1).check_resets(true).insert_into(&mut world);
    world.insert_resource(FallbackErrorHandler(keeps_warning));
    for _ in 0..3 {
        world.run_system_once(shoot).unwrap();
        assert!(!has_extra(&mut world));
        world.clear_pool::<Bullet>();
    }
    let warnings = WARNINGS.lock().unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    // Of Bevy, in the first life; of the pool, once.
    assert!(warnings[0].contains("not yet spawned"), "{}", warnings[0]);
    let words = "inserted pools::first_program::Extra into an entity that was asleep";
    assert!(warnings[1].contains(words), "{}", warnings[1]);
    assert!(warnings[1].contains("Pooled::entity"), "{}", warnings[1]);

    // Behind the pool, they come in time.
    let mut world = crate::world(1);
    let shoot = |mut bullets: Pooled<Bullet>, mut commands: Commands| {
        let handle = bullets.spawn(Bullet(1)).unwrap();
        commands.entity(bullets.get(handle).unwrap()).insert(Extra);
    };
    for _ in 0..3 {
        world.run_system_once(shoot).unwrap();
        assert!(has_extra(&mut world));
        world.clear_pool::<Bullet>();
    }
}

/// The first bullet that was shot.
#[derive(Resource)]
struct First(PoolHandle<Bullet>);

fn end(first: Res<First>, mut bullets: Pooled<Bullet>) {
    bullets.free(first.0);
}

fn begin(mut bullets: Pooled<Bullet>) {
    bullets.spawn(Bullet(2)).unwrap();
}

/// A system that knows nothing of pools.
fn burn(burning: Query<Entity, With<Bullet>>, mut commands: Commands) {
    for body in &burning {
        commands.entity(body).insert(Extra);
    }
}

/// The same for a handle.
fn burn_first(first: Res<First>, mut commands: Commands) {
    commands.with_pooled(first.0, |mut bullet| {
        bullet.insert(Extra);
    });
}

/// Where a spawn follows a free and no commands are applied between them, a system after both still finds the old life, and
/// what it inserts lands on the new one. In each other order, and by handle in any, it does not.
#[test]
fn commands_for_an_old_life_meet_the_new_one_only_if_nothing_is_applied_between() {
    let burns = |systems: fn(&mut Schedule)| {
        let mut world = world(0);
        EntityPool::<Bullet>::builder().capacity(1).check_resets(false).insert_into(&mut world);
        let first = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
        world.insert_resource(First(first));
        let mut schedule = Schedule::default();
        systems(&mut schedule);
        schedule.run(&mut world);
        assert_eq!(found(&mut world), [2]);
        has_extra(&mut world)
    };
    // This is the trap.
    assert!(burns(|schedule| {
        schedule.add_systems((end, begin, burn).chain_ignore_deferred());
    }));
    let others: [fn(&mut Schedule); 6] = [
        |schedule| {
            schedule.add_systems((burn, end, begin).chain_ignore_deferred());
        },
        |schedule| {
            schedule.add_systems((end, burn, begin).chain_ignore_deferred());
        },
        |schedule| {
            schedule.add_systems((end, burn, ApplyDeferred, begin).chain_ignore_deferred());
        },
        |schedule| {
            schedule.add_systems((burn, end, ApplyDeferred, begin).chain_ignore_deferred());
        },
        |schedule| {
            schedule.add_systems((end, ApplyDeferred, begin, burn).chain_ignore_deferred());
        },
        |schedule| {
            schedule.add_systems((end, begin, burn_first).chain_ignore_deferred());
        },
    ];
    for (n, systems) in others.into_iter().enumerate() {
        assert!(!burns(systems), "{n}");
    }
    // By a handle that is alive.
    let mut world = world(1);
    let first = world.spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    world.insert_resource(First(first));
    world.run_system_once(burn_first).unwrap();
    assert!(has_extra(&mut world));
}

/// The pool's marker is added in each life, as in that of a new entity; what the bundle names is changed in each.
#[test]
fn the_marker_is_added_in_each_life() {
    #[derive(Resource, Default)]
    struct Seen(Vec<u32>, usize);
    fn look(
        added: Query<&Bullet, (Added<Bullet>, Changed<Health>)>,
        others: Query<(), Added<Health>>,
        mut seen: ResMut<Seen>,
    ) {
        seen.0.extend(added.iter().map(|bullet| bullet.0));
        seen.1 += others.iter().count();
    }
    for sleeps_between in [false, true] {
        let mut app = App::new();
        app.add_entity_pool(EntityPool::<Bullet>::builder().capacity(1));
        app.init_resource::<Seen>().add_systems(Update, look);
        for n in 0..3 {
            let world = app.world_mut();
            if sleeps_between {
                world.clear_pool::<Bullet>();
            }
            let shoot = move |mut bullets: Pooled<Bullet>| {
                bullets.clear();
                bullets.spawn((Bullet(n), Health(1))).unwrap();
            };
            world.run_system_once(shoot).unwrap();
            app.update();
            app.update(); // once only
        }
        // Another component is added once.
        let seen = app.world().resource::<Seen>();
        assert_eq!((&seen.0[..], seen.1), (&[0, 1, 2][..], 1));
    }
}

#[test]
fn a_pool_is_cleared() {
    type Clear = fn(&mut World) -> usize;
    let clears: [Clear; 3] = [
        |world| world.clear_pool::<Bullet>(),
        |world| world.run_system_once(|mut bullets: Pooled<Bullet>| bullets.clear()).unwrap(),
        |world| {
            let live = pool(world).len();
            world.commands().clear_pool::<Bullet>();
            world.flush();
            live
        },
    ];
    for clear in clears {
        for rule in [WhenFull::Refuse, WhenFull::EvictOldest, WhenFull::SpawnBeyond(2)] {
            let mut world = world(0);
            EntityPool::<Bullet>::builder().capacity(3).when_full(rule).insert_into(&mut world);
            assert_eq!(clear(&mut world), 0);
            for _ in 0..2 {
                let handles: Vec<_> = (0..5)
                    .filter_map(|n| world.spawn_pooled::<Bullet, _>(Bullet(n)).ok())
                    .collect();
                let live = pool(&world).len();
                assert_eq!(found(&mut world).len(), live);
                assert_eq!(clear(&mut world), live);
                assert!(handles.iter().all(|&handle| pool(&world).get(handle).is_none()));
                assert_eq!((found(&mut world), pool(&world).len()), (vec![], 0));
                let mut sleepers = world.query_filtered::<(), (With<Bullet>, With<Disabled>)>();
                assert_eq!(sleepers.iter(&world).count(), 3);
            }
            let stats = pool(&world).stats();
            assert_eq!(stats.removed, stats.inserted);
            assert_eq!(pool(&world).upkeep().remade, 0);
        }
    }
    let mut world = World::new();
    assert_eq!(world.clear_pool::<Bullet>(), 0);
}

/// A pool that is cleared and used in one system: the lives that begin there go on.
#[test]
fn a_pool_is_cleared_and_used_at_once() {
    let mut world = world(3);
    for n in 0..3 {
        world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap();
    }
    let restart = |mut bullets: Pooled<Bullet>| {
        assert_eq!(bullets.clear(), 3);
        bullets.spawn(Bullet(7)).unwrap();
    };
    world.run_system_once(restart).unwrap();
    assert_eq!(found(&mut world), [7]);
}

#[test]
fn pools_are_iterated_over() {
    let mut world = world(3);
    let handles = [1, 2, 3].map(|n| world.spawn_pooled::<Bullet, _>(Bullet(n)).unwrap());
    world.free_pooled(handles[1]);
    let expected = [0, 2].map(|at| (handles[at], entity(&world, handles[at])));
    let mut seen = Vec::new();
    for (handle, body) in pool(&world) {
        seen.push((handle, body));
    }
    assert_eq!(seen, expected);
    let of_system = |bullets: Pooled<Bullet>| {
        let mut seen = Vec::new();
        for (handle, body) in &bullets {
            seen.push((handle, body));
        }
        seen
    };
    assert_eq!(world.run_system_once(of_system).unwrap(), expected);
}

/// What `DespawnOnExit` of `bevy_state` does: it despawns sleepers as well. The pool goes on with new entities.
#[test]
fn a_state_that_despawns_takes_the_entities_along() {
    let mut world = world(2);
    let bundle = || (Bullet(1), Extra);
    let handles = [(); 2].map(|()| world.spawn_pooled::<Bullet, _>(bundle()).unwrap());
    world.free_pooled(handles[0]);
    let exit = |mut commands: Commands, on_exit: Query<Entity, (With<Extra>, Allow<Disabled>)>| {
        on_exit.iter().for_each(|body| commands.entity(body).try_despawn());
    };
    world.run_system_once(exit).unwrap();
    assert_eq!((pool(&world).len(), pool(&world).upkeep().lost), (0, 2));
    for _ in 0..2 {
        world.spawn_pooled::<Bullet, _>(bundle()).unwrap();
    }
    assert_eq!((found(&mut world), pool(&world).upkeep().made), (vec![1, 1], 4));
}
