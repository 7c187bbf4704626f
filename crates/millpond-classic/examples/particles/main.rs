//! A fountain, twice: on the particle pool as published, and on a `Pool` of the program's own particles.
//! The two agree in every frame, and the last is drawn.
//!
//! Run it: `cargo run -p millpond-classic --example particles`

mod on_pool;

use millpond_classic::ParticlePool;
use on_pool::{Particle, Particles};

const CAPACITY: usize = 100;
const FRAMES: u32 = 240;
const COLUMNS: usize = 60;
const ROWS: usize = 16;

fn main() {
    let mut published = ParticlePool::<CAPACITY>::new();
    let mut on_pool = Particles::new(CAPACITY);
    for frame in 0..FRAMES {
        // Three new ones a frame, each in a direction of its own; more than there is room for.
        for jet in 0..3 {
            let spread = (frame * 3 + jet) * 7919 % 101;
            let (x_velocity, y_velocity) = (spread as f32 / 100.0 - 0.5, 0.25);
            let frames_left = 30 + spread % 30;
            let new = Particle { x: 0.0, y: 0.0, x_velocity, y_velocity, frames_left };
            let created = published.create(0.0, 0.0, x_velocity, y_velocity, frames_left);
            assert_eq!(created.is_ok(), on_pool.create(new).is_ok());
        }
        published.animate();
        on_pool.animate();
        let places = published.particles().map(|particle| (particle.x, particle.y));
        assert!(places.eq(on_pool.pool.values().map(|particle| (particle.x, particle.y))));
    }

    let mut picture = [[b' '; COLUMNS]; ROWS];
    for particle in on_pool.pool.values() {
        let column = (particle.x + COLUMNS as f32 / 2.0) as usize;
        let row = (ROWS - 1).saturating_sub(particle.y as usize);
        picture[row][column.min(COLUMNS - 1)] = b'*';
    }
    for row in picture {
        println!("{}", String::from_utf8_lossy(&row).trim_end());
    }
    let stats = published.stats();
    println!("{} created, {} refused as the pool was full", stats.inserted, stats.refused);
}
