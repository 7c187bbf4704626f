//! A bullet hell without a screen: a boss that fires in spirals and bursts, and a ship that answers with homing missiles.
//! Prints what the populations did.
//!
//! ```sh
//! cargo run --release --example bullet_hell            # 10,000 frames
//! cargo run --release --example bullet_hell -- 1000000
//! ```

use std::process::ExitCode;

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_millpond::prelude::*;

/// What the boss fires.
#[derive(Component)]
pub struct Bullet;

/// What the ship fires. It steers to one bullet, as long as that one flies.
#[derive(Component)]
pub struct Missile {
    target: Entity,
}

#[derive(Component, Clone, Copy)]
pub struct Place([f32; 2]);

#[derive(Component, Clone, Copy)]
struct Speed([f32; 2]);

#[derive(Resource, Default)]
struct Boss {
    frame: u32,
}

/// What happened to the missiles.
#[derive(Resource, Default)]
pub struct Score {
    pub hits: u64,
    pub targets_lost: u64,
}

const EDGE: f32 = 100.0;

fn bullet(boss: u32, n: u32) -> impl Bundle<Effect: bevy_ecs::bundle::NoBundleEffect> {
    let (sin, cos) = ((boss * 7 + n * 121) as f32 % 360.0).to_radians().sin_cos();
    (Bullet, Place([0.0, 0.0]), Speed([2.0 * cos, 2.0 * sin]))
}

/// Three bullets a frame, in a spiral; every 100 frames a burst for which there is not room.
fn boss_fires(
    mut boss: ResMut<Boss>,
    mut commands: Commands,
    mut bullets: ResMut<Population<Bullet>>,
) {
    boss.frame += 1;
    let frame = boss.frame;
    if frame.is_multiple_of(100) {
        bullets.spawn_batch(&mut commands, (0..400).map(|n| bullet(frame, n)));
        return;
    }
    for n in 0..3 {
        let _ = bullets.spawn(&mut commands, bullet(frame, n)); // if there is no room, no shot
    }
}

/// A missile every tenth frame. If all fly already, the oldest makes room: that is the rule of its population.
fn ship_fires(
    boss: Res<Boss>,
    bullets: Res<Population<Bullet>>,
    mut commands: Commands,
    mut missiles: ResMut<Population<Missile>>,
) {
    if boss.frame.is_multiple_of(10)
        && let Some(target) = bullets.iter().last()
    {
        let start = Place([0.0, EDGE]);
        let missile = (Missile { target }, start, Speed([0.0, -1.0]));
        assert!(missiles.spawn(&mut commands, missile).is_ok(), "who evicts is never full");
    }
}

fn fly(mut things: Query<(&mut Place, &Speed)>) {
    for (mut place, speed) in &mut things {
        place.0 = [place.0[0] + speed.0[0], place.0[1] + speed.0[1]];
    }
}

/// Bullets that leave the screen are despawned, as always.
fn leave(mut commands: Commands, flying: Query<(Entity, &Place), With<Bullet>>) {
    for (entity, place) in &flying {
        if place.0.iter().any(|at| at.abs() > EDGE) {
            commands.entity(entity).despawn();
        }
    }
}

/// An `Entity` means one life: once the target is gone, no other bullet is hit in its place.
fn home(
    mut commands: Commands,
    mut bullets: ResMut<Population<Bullet>>,
    mut homing: Query<(Entity, &Missile, &Place, &mut Speed)>,
    places: Query<&Place, With<Bullet>>,
    mut score: ResMut<Score>,
) {
    for (entity, missile, place, mut speed) in &mut homing {
        if !bullets.contains(missile.target) {
            score.targets_lost += 1;
            commands.entity(entity).despawn();
            continue;
        }
        // A bullet that was spawned in this frame has no components yet.
        let Ok(to) = places.get(missile.target) else { continue };
        let way = [to.0[0] - place.0[0], to.0[1] - place.0[1]];
        let length = way[0].hypot(way[1]).max(0.001);
        speed.0 = way.map(|part| 3.0 * part / length);
        if length < 4.0 {
            score.hits += 1;
            bullets.despawn(&mut commands, missile.target); // its place is vacant at once
            commands.entity(entity).despawn();
        }
    }
}

/// The whole game, for other programs that play it: a test and a benchmark.
pub fn game() -> App {
    let mut app = App::new();
    app.add_population(Population::<Bullet>::builder().capacity(300));
    app.add_population(
        Population::<Missile>::builder().capacity(4).when_full(WhenFull::EvictOldest),
    );
    app.init_resource::<Boss>().init_resource::<Score>();
    app.add_systems(Update, (boss_fires, ship_fires, fly, leave, home).chain());
    app
}

fn main() -> ExitCode {
    let frames = std::env::args().nth(1).map_or(Some(10_000), |text| text.parse::<u32>().ok());
    let Some(frames) = frames else {
        eprintln!("bullet_hell: expected [FRAMES]");
        return ExitCode::from(2);
    };
    let mut app = game();
    for _ in 0..frames {
        app.update();
    }
    let world = app.world();
    println!("{frames} frames");
    println!("bullets:  {}", world.resource::<Population<Bullet>>().stats());
    println!("missiles: {}", world.resource::<Population<Missile>>().stats());
    let Score { hits, targets_lost } = world.resource();
    println!("{hits} missiles hit; {targets_lost} found that their target was gone");
    ExitCode::SUCCESS
}
