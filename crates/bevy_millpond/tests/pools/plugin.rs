//! Pools in an app: capacities from a budget, diagnostics, recordings, histories.

use std::io::Write;
use std::sync::{Arc, Mutex};

use bevy_app::{App, Startup, Update};
use bevy_diagnostic::{DiagnosticPath, DiagnosticsStore};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_millpond::PoolRecorder;
use bevy_millpond::prelude::*;
use millpond::recorder::Recorder;
use millpond_overflow::Overflow;
use millpond_overflow::budget::{Budget, Entry};

use crate::{Bullet, Health, pool};

fn shoot(mut bullets: Pooled<Bullet>) {
    let _ = bullets.spawn((Bullet(0), Health(3)));
}

fn age(mut bullets: Pooled<Bullet>, mut aging: Query<(Entity, &mut Health), With<Bullet>>) {
    for (entity, mut health) in &mut aging {
        health.0 -= 1;
        if health.0 == 0 {
            assert!(bullets.free_entity(entity) && !bullets.free_entity(entity));
        }
    }
}

fn app(budget: Entry) -> App {
    let mut table = Budget::new();
    table.insert("level", "Bullet", budget).unwrap();
    let mut app = App::new();
    app.add_plugins(MillpondPlugin::default().budget(table, "level"));
    app.add_entity_pool(EntityPool::<Bullet>::builder().prewarm_with(|| (Bullet(0), Health(0))));
    app.add_systems(Update, (shoot, age).chain());
    app
}

#[test]
fn capacities_and_rules_come_from_the_budget() {
    let refuses = app(Entry::new(2));
    assert_eq!(pool(refuses.world()).capacity(), 2);
    let mut evicts = app(Entry::new(2).on_full(Overflow::EvictOldest));
    let mut grows = app(Entry::new(2).grow(3));
    let mut spills = app(Entry::new(2).spill(1));
    for app in [&mut evicts, &mut grows, &mut spills] {
        for _ in 0..2 {
            app.update();
        }
        app.world_mut().spawn_pooled::<Bullet, _>((Bullet(9), Health(3))).unwrap();
    }
    assert_eq!((pool(evicts.world()).len(), pool(evicts.world()).stats().evicted), (2, 1));
    assert_eq!((pool(grows.world()).len(), pool(spills.world()).len()), (3, 3));
}

#[test]
#[should_panic(
    expected = "scenario \"level\", pool \"Rocket\": is missing, expected one of Bullet"
)]
fn a_pool_that_the_budget_lacks() {
    struct Rocket;
    app(Entry::new(2)).add_entity_pool(EntityPool::<Rocket>::builder());
}

#[test]
#[should_panic(expected = "pool \"Bullet\" is added twice: there is one for each marker type")]
fn a_second_pool_of_one_marker() {
    app(Entry::new(2)).add_entity_pool(EntityPool::<Bullet>::builder().capacity(3));
}

/// The budget knows it by its name, and what the builder sets is kept.
#[test]
fn a_builder_has_the_last_word() {
    let mut budget = Budget::new();
    budget.insert("level", "shots", Entry::new(1).on_full(Overflow::EvictOldest)).unwrap();
    for sets in [false, true] {
        let mut app = App::new();
        app.add_plugins(MillpondPlugin::default().budget(budget.clone(), "level"));
        let builder = EntityPool::<Bullet>::builder().name("shots");
        app.add_entity_pool(if sets { builder.when_full(WhenFull::Refuse) } else { builder });
        let spawned = [1, 2].map(|n| app.world_mut().spawn_pooled::<Bullet, _>(Bullet(n)).is_ok());
        assert_eq!((pool(app.world()).capacity(), spawned), (1, [true, !sets]));
    }
}

#[test]
#[should_panic(expected = "pool \"Bullet\" needs a capacity")]
fn a_pool_without_a_capacity() {
    App::new().add_entity_pool(EntityPool::<Bullet>::builder());
}

/// The entities are made when observers and plugins are in place.
#[test]
fn pools_are_warm_when_the_program_starts() {
    #[derive(Component)]
    struct Trail;
    let mut app = app(Entry::new(5));
    app.add_observer(|added: On<Add<Bullet>>, mut commands: Commands| {
        commands.entity(added.entity).insert(Trail);
    });
    app.add_systems(
        Startup,
        |asleep: Query<&Trail, With<Disabled>>, pool: Res<EntityPool<Bullet>>| {
            assert_eq!((asleep.iter().count(), pool.upkeep().made), (5, 5));
        },
    );
    app.update();
    assert_eq!(app.world_mut().query::<(&Bullet, &Trail)>().iter(app.world()).count(), 1);
}

#[test]
fn each_pool_has_diagnostics() {
    let mut app = app(Entry::new(2));
    for _ in 0..10 {
        app.update();
    }
    let measured = |what| {
        let path = DiagnosticPath::from_components(["pools", "Bullet", what]);
        app.world().resource::<DiagnosticsStore>().get(&path).unwrap().value().unwrap()
    };
    assert_eq!(["live", "peak", "refused", "evicted"].map(measured), [1.0, 2.0, 3.0, 0.0]);
}

/// A writer whose bytes can be read.
#[derive(Clone, Default)]
struct Trace(Arc<Mutex<Vec<u8>>>);

impl Write for Trace {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_recorded_app_writes_what_the_plan_reads() {
    let trace = Trace::default();
    let recorder = Recorder::to_writer(trace.clone()).unwrap();
    let mut app = App::new();
    app.add_plugins(MillpondPlugin::default().recorder(recorder));
    app.add_entity_pool(EntityPool::<Bullet>::builder().capacity(8).name("bullets"));
    app.add_systems(Update, (shoot, age).chain());
    for _ in 0..4 {
        app.update();
    }
    let PoolRecorder(recorder) = app.world_mut().remove_resource().unwrap();
    drop(app);
    assert_eq!(recorder.finish().unwrap().dropped, 0);
    let text = String::from_utf8(trace.0.lock().unwrap().clone()).unwrap();
    let events: Vec<&str> =
        text.lines().filter(|line| line.contains(",alloc,") || line.contains(",free,")).collect();
    // A bullet in each frame, and from the third one is freed in each.
    let expected = [
        "1,alloc,0,bullets,0",
        "2,alloc,1,bullets,1",
        "3,alloc,2,bullets,2",
        "3,free,0,bullets,0",
        "4,alloc,3,bullets,0",
        "4,free,1,bullets,1",
    ];
    assert_eq!(events[..6], expected);
}

/// Sleepers that others wake are put back at the end of a frame of a debug build. In release builds, their next life finds out.
#[test]
fn debug_builds_watch_sleepers() {
    use bevy_ecs::error::{FallbackErrorHandler, ignore};
    let mut app = App::new();
    app.add_entity_pool(EntityPool::<Bullet>::builder().capacity(1).prewarm());
    app.insert_resource(FallbackErrorHandler(ignore));
    app.update();
    let world = app.world_mut();
    let asleep = world.query_filtered::<Entity, (With<InPool<Bullet>>, With<Disabled>)>();
    let asleep = { asleep }.single(world).unwrap();
    world.entity_mut(asleep).remove::<Disabled>();
    app.update();
    let is_watched = cfg!(debug_assertions);
    assert_eq!(app.world().entity(asleep).contains::<Disabled>(), is_watched);
    assert_eq!(pool(app.world()).upkeep().disturbed, u64::from(is_watched));
    app.world_mut().spawn_pooled::<Bullet, _>(Bullet(1)).unwrap();
    assert_eq!(pool(app.world()).upkeep().disturbed, 1);
}

mod histories {
    use millpond::{Pool, saved_struct};

    use super::*;

    saved_struct! {
        #[derive(Resource)]
        struct Sparks as SavedSparks {
            pool: Pool<u32>,
        }
    }

    fn at(app: &mut App, frame: u64) {
        app.world_mut().insert_resource(PoolFrame(frame));
    }

    #[test]
    fn resources_that_are_pools_go_back_in_time() {
        let sparks = Sparks { pool: Pool::new(16) };
        let like = sparks.snapshot();
        let mut app = App::new();
        app.insert_resource(sparks).add_pool_history::<Sparks, SavedSparks>(4, &like);
        let mut handles = Vec::new();
        for frame in 0..6 {
            at(&mut app, u64::from(frame));
            app.world_mut().run_schedule(SavePools);
            handles.push(app.world_mut().resource_mut::<Sparks>().pool.insert(frame).unwrap());
        }
        let history = app.world().resource::<bevy_millpond::PoolHistory<Sparks, SavedSparks>>();
        assert_eq!(
            (history.capacity(), history.frames().collect::<Vec<_>>()),
            (4, vec![2, 3, 4, 5])
        );
        at(&mut app, 4);
        app.world_mut().run_schedule(RestorePools);
        let sparks = app.world().resource::<Sparks>();
        let live: Vec<bool> = handles.iter().map(|&handle| sparks.pool.contains(handle)).collect();
        assert_eq!(live, [true, true, true, true, false, false]);
    }

    #[test]
    #[should_panic(expected = "frame 1")]
    fn a_frame_that_is_too_old() {
        let sparks = Sparks { pool: Pool::new(16) };
        let like = sparks.snapshot();
        let mut app = App::new();
        app.insert_resource(sparks).add_pool_history::<Sparks, SavedSparks>(2, &like);
        for frame in 0..6 {
            at(&mut app, frame);
            app.world_mut().run_schedule(SavePools);
        }
        at(&mut app, 1);
        app.world_mut().run_schedule(RestorePools);
    }
}
