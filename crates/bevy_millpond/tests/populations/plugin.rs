//! Populations in an app: capacities from a budget, diagnostics, figures, recordings.

use std::io::Write;
use std::sync::{Arc, Mutex};

use bevy_app::{App, Update};
use bevy_diagnostic::{DiagnosticPath, DiagnosticsStore};
use bevy_ecs::prelude::*;
use bevy_ecs::reflect::{AppTypeRegistry, ReflectResource};
use bevy_millpond::prelude::*;
use bevy_millpond::{Figures, PoolRecorder};
use bevy_reflect::prelude::*;
use millpond::recorder::Recorder;
use millpond_overflow::Overflow;
use millpond_overflow::budget::{Budget, Entry};

use crate::{Bullet, Health, builder, bullets};

fn shoot(mut commands: Commands, mut bullets: ResMut<Population<Bullet>>) {
    let _ = bullets.spawn(&mut commands, (Bullet(0), Health(3)));
}

fn age(mut commands: Commands, mut aging: Query<(Entity, &mut Health), With<Bullet>>) {
    for (entity, mut health) in &mut aging {
        health.0 -= 1;
        if health.0 == 0 {
            commands.entity(entity).despawn();
        }
    }
}

fn app(entry: Entry) -> App {
    let mut budget = Budget::new();
    budget.insert("level", "Bullet", entry).unwrap();
    let mut app = App::new();
    app.add_plugins(MillpondPlugin::default().budget(budget, "level"));
    app.add_population(builder()).add_systems(Update, (shoot, age).chain());
    app
}

#[test]
fn capacities_and_rules_come_from_the_budget() {
    assert_eq!(bullets(app(Entry::new(2)).world()).capacity(), 2);
    let rules = [
        (Entry::new(2).on_full(Overflow::EvictOldest), WhenFull::EvictOldest),
        (Entry::new(2).grow(5), WhenFull::SpawnBeyond(3)),
        (Entry::new(2).spill(4), WhenFull::SpawnBeyond(4)),
    ];
    for (entry, rule) in rules {
        assert_eq!(bullets(app(entry).world()).when_full(), rule);
    }
}

/// The budget knows it by its name, and what the builder sets is kept.
#[test]
fn a_builder_has_the_last_word() {
    let mut budget = Budget::new();
    budget.insert("level", "shots", Entry::new(7).on_full(Overflow::EvictOldest)).unwrap();
    for sets in [false, true] {
        let mut app = App::new();
        app.add_plugins(MillpondPlugin::default().budget(budget.clone(), "level"));
        let builder = builder().name("shots");
        app.add_population(if sets { builder.when_full(WhenFull::Refuse) } else { builder });
        let rule = if sets { WhenFull::Refuse } else { WhenFull::EvictOldest };
        let bullets = bullets(app.world());
        assert_eq!((bullets.capacity(), bullets.when_full()), (7, rule));
    }
}

#[test]
fn figures_stand_in_the_order_of_the_populations() {
    let mut app = App::new();
    app.add_population(builder().capacity(4));
    app.add_population(Population::<Health>::builder().capacity(9));
    app.world_mut().spawn_in::<Health, _>(Health(1)).unwrap();
    app.update();
    let figures = app.world().resource::<Figures>().0.iter();
    let figures: Vec<_> =
        figures.map(|figure| (figure.name, figure.capacity, figure.stats.live)).collect();
    assert_eq!(figures, [("Bullet", 4, 0), ("Health", 9, 1)]);
}

/// Whoever removes a resource of ours has an app that goes on.
#[test]
fn an_app_without_our_resources() {
    let recorder = Recorder::to_writer(std::io::sink()).unwrap();
    let mut app = App::new();
    app.add_plugins(MillpondPlugin::default().recorder(recorder));
    app.add_population(builder().capacity(2));
    app.add_entity_pool(EntityPool::<Health>::builder().capacity(2));
    app.update();
    let world = app.world_mut();
    assert!(world.remove_resource::<Figures>().is_some());
    assert!(world.remove_resource::<PoolRecorder>().is_some());
    app.update();
    let world = app.world_mut();
    assert!(world.remove_resource::<Population<Bullet>>().is_some());
    assert!(world.remove_resource::<EntityPool<Health>>().is_some());
    app.update();
}

#[test]
#[should_panic(expected = "population \"Bullet\" needs a capacity")]
fn a_population_without_a_capacity() {
    App::new().add_population(builder());
}

#[test]
fn each_population_has_diagnostics_and_figures() {
    let mut app = app(Entry::new(2));
    for _ in 0..10 {
        app.update();
    }
    let measured = |what| {
        let path = DiagnosticPath::from_components(["populations", "Bullet", what]);
        app.world().resource::<DiagnosticsStore>().get(&path).unwrap().value().unwrap()
    };
    let stats = bullets(app.world()).stats();
    assert!(stats.refused > 2);
    let expected = [stats.live, stats.peak].map(|n| n as f64);
    assert_eq!(["live", "peak"].map(measured), expected);
    assert_eq!([measured("refused"), measured("evicted")], [stats.refused as f64, 0.0]);

    // As an inspector reads them.
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let registration = registry.get_with_short_type_path("Figures").unwrap();
    assert!(registration.data::<ReflectResource>().is_some());
    let figures = app.world().resource::<Figures>();
    let live: &usize = figures.path(".0[0].stats.live").unwrap();
    assert_eq!(*live, stats.live);
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
    app.add_population(builder().capacity(8).name("bullets"));
    app.add_systems(Update, (shoot, age).chain());
    for _ in 0..4 {
        app.update();
    }
    let PoolRecorder(recorder) = app.world_mut().remove_resource().unwrap();
    drop(app);
    assert_eq!(recorder.finish().unwrap().dropped, 0);
    let text = String::from_utf8(trace.0.lock().unwrap().clone()).unwrap();
    let events = text.lines().filter(|line| line.contains(",alloc,") || line.contains(",free,"));
    let events: Vec<&str> = events.collect();
    // One in each frame, and each dies at the end of its third.
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

#[test]
#[should_panic(expected = "add yours once, and before the first population or pool")]
fn a_plugin_that_comes_after_a_population() {
    let mut app = App::new();
    app.add_population(builder().capacity(1));
    app.add_plugins(MillpondPlugin::default());
}
