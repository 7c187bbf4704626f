//! A game in Bevy without a window: 600 frames of bullets, each of which is an entity with a trail on the heap.

use bevy_app::ScheduleRunnerPlugin;
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_log::{LogPlugin, info};
use std::time::Duration;

const FRAMES: u32 = 600;
const FRAME: Duration = Duration::from_millis(8);

#[derive(Component)]
struct Bullet {
    frames_left: u32,
    trail: Box<[u8; 200]>,
}

fn main() {
    App::new()
        .add_plugins((ScheduleRunnerPlugin::run_loop(FRAME), LogPlugin::default()))
        .add_systems(Update, (shoot, fly, end).chain())
        .run();
}

/// As a gun heats up it shoots more, and then cools down.
fn shoot(mut commands: Commands, mut frame: Local<u32>) {
    *frame += 1;
    for bullet in 0..*frame % 7 {
        commands.spawn(Bullet { frames_left: 30 + bullet, trail: Box::new([0; 200]) });
    }
}

fn fly(mut commands: Commands, mut bullets: Query<(Entity, &mut Bullet)>) {
    for (entity, mut bullet) in &mut bullets {
        bullet.frames_left -= 1;
        bullet.trail[0] = bullet.frames_left as u8;
        if bullet.frames_left == 0 {
            commands.entity(entity).despawn();
        }
    }
}

/// Bevy's renderer marks frames; there is none here.
fn end(mut frame: Local<u32>, mut exit: MessageWriter<AppExit>) {
    info!(message = "finished frame", tracy.frame_mark = true);
    *frame += 1;
    if *frame == FRAMES {
        exit.write(AppExit::Success);
    }
}
