//! A first program: bullets that fly, hit and vanish, and a homing rocket that loses its target.
//!
//! Run it: `cargo run -p millpond --example first`

use millpond::{Full, Handle, Pool};

struct Bullet {
    x: f32,
    speed: f32,
}

struct Rocket {
    target: Handle<Bullet>,
}

fn main() -> Result<(), Full<Bullet>> {
    let mut bullets = Pool::new(4);
    let slow = bullets.insert(Bullet { x: 0.0, speed: 1.0 })?;
    let fast = bullets.insert(Bullet { x: 0.0, speed: 6.0 })?;
    let rocket = Rocket { target: fast };

    for frame in 1..=3 {
        bullets.values_mut().for_each(|bullet| bullet.x += bullet.speed);
        bullets.retain(|_, bullet| bullet.x < 10.0);
        match bullets.get(rocket.target) {
            Some(bullet) => println!("frame {frame}: the rocket follows {fast} at {}", bullet.x),
            None => println!("frame {frame}: {fast} is gone, the rocket flies on"),
        }
    }

    let next = bullets.insert(Bullet { x: 0.0, speed: 2.0 })?;
    println!("{next} took the slot of {fast}; the rocket's handle: {:?}", bullets.check(fast));
    println!("{slow} is at {}, and {:?}", bullets[slow].x, bullets.stats());
    Ok(())
}
