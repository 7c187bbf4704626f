//! A bullet hell without a screen: a boss that fires in spirals, and a ship that answers with homing missiles. Prints what
//! the pools did.
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
    target: PoolHandle<Bullet>,
}

#[derive(Component, Clone, Copy)]
pub struct Place([f32; 2]);

#[derive(Component, Clone, Copy)]
struct Speed([f32; 2]);

/// The glow around a missile: a child that the template makes once, and that sleeps and wakes with it.
#[derive(Component)]
pub struct Glow;

#[derive(Resource, Default)]
struct Boss {
    frame: u32,
}

/// What happened to the missiles.
#[derive(Resource, Default)]
struct Score {
    hits: u64,
    targets_lost: u64,
}

const EDGE: f32 = 100.0;

/// Three bullets a frame, in a spiral; every 100 frames a burst for which there is not room.
fn boss_fires(mut boss: ResMut<Boss>, mut bullets: Pooled<Bullet>) {
    boss.frame += 1;
    let burst = if boss.frame.is_multiple_of(100) { 400 } else { 3 };
    for n in 0..burst {
        let angle = ((boss.frame * 7 + n * 121) % 360) as f32;
        let (sin, cos) = angle.to_radians().sin_cos();
        let speed = Speed([2.0 * cos, 2.0 * sin]);
        if bullets.spawn((Bullet, Place([0.0, 0.0]), speed)).is_err() {
            break; // no room: the rest of the burst is not fired
        }
    }
}

/// A missile every tenth frame. If all fly already, the oldest makes room: that is the pool's rule.
fn ship_fires(boss: Res<Boss>, bullets: Res<EntityPool<Bullet>>, mut missiles: Pooled<Missile>) {
    if boss.frame.is_multiple_of(10)
        && let Some((target, _)) = bullets.iter().last()
    {
        let start = Place([0.0, EDGE]);
        let missile = missiles.spawn((Missile { target }, start, Speed([0.0, -1.0])));
        assert!(missile.is_ok(), "a pool that evicts is never full");
    }
}

fn fly(mut things: Query<(&mut Place, &Speed)>) {
    for (mut place, speed) in &mut things {
        place.0 = [place.0[0] + speed.0[0], place.0[1] + speed.0[1]];
    }
}

/// Bullets that leave the screen go back to their pool.
fn leave(mut bullets: Pooled<Bullet>, flying: Query<(Entity, &Place), With<Bullet>>) {
    for (entity, place) in &flying {
        if place.0.iter().any(|at| at.abs() > EDGE) {
            bullets.free_entity(entity);
        }
    }
}

/// The handle says whether the target is still the bullet that it was. (Its entity lives on, and may be another bullet.)
fn home(
    mut bullets: Pooled<Bullet>,
    mut missiles: Pooled<Missile>,
    mut homing: Query<(Entity, &Missile, &Place, &mut Speed)>,
    places: Query<&Place, With<Bullet>>,
    mut score: ResMut<Score>,
) {
    for (entity, missile, place, mut speed) in &mut homing {
        let Some(target) = bullets.get(missile.target) else {
            score.targets_lost += 1;
            missiles.free_entity(entity);
            continue;
        };
        // A bullet that was spawned in this frame has no components yet.
        let Ok(to) = places.get(target) else { continue };
        let way = [to.0[0] - place.0[0], to.0[1] - place.0[1]];
        let length = way[0].hypot(way[1]).max(0.001);
        speed.0 = way.map(|part| 3.0 * part / length);
        if length < 4.0 {
            score.hits += 1;
            bullets.free(missile.target);
            missiles.free_entity(entity);
        }
    }
}

/// The whole game, for other programs that play it: a test and a benchmark.
pub fn game() -> App {
    let mut app = App::new();
    let bullet = || (Bullet, Place([0.0; 2]), Speed([0.0; 2]));
    app.add_entity_pool(EntityPool::<Bullet>::builder().capacity(300).prewarm_with(bullet));
    let missiles = EntityPool::<Missile>::builder()
        .capacity(4)
        .when_full(WhenFull::EvictOldest)
        .template(|missile| {
            missile.with_child(Glow);
        })
        .prewarm();
    app.add_entity_pool(missiles);
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
    let (bullets, missiles) =
        (world.resource::<EntityPool<Bullet>>(), world.resource::<EntityPool<Missile>>());
    println!("{frames} frames");
    println!("bullets:  {} (entities made: {})", bullets.stats(), bullets.upkeep().made);
    println!("missiles: {} (entities made: {})", missiles.stats(), missiles.upkeep().made);
    let Score { hits, targets_lost } = world.resource();
    println!(
        "{hits} missiles hit; {targets_lost} found that their target was gone, and none hit a bullet that took its place"
    );
    ExitCode::SUCCESS
}
