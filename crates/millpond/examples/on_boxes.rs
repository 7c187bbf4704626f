//! A skirmish whose units, shells and puffs of smoke have a `Box` each: what a program looks like before it
//! has pools. The guide sizes its pools: `docs/guide/size-your-pools.md`.
//!
//! ```sh
//! cargo build --release -p millpond --example on_boxes
//! heaptrack --raw target/release/examples/on_boxes
//! cargo run --release -- plan heaptrack.on_boxes.*.zst
//! ```

use std::time::{Duration, Instant};

struct Unit {
    position: [f32; 3],
    health: i32,
    ticks_to_shot: u32,
    path: [[f32; 2]; 9],
}

struct Shell {
    position: [f32; 3],
    speed: [f32; 3],
    ticks_left: u32,
    damage: i32,
    from: u64,
}

struct Puff {
    position: [f32; 3],
    size: f32,
    ticks_left: u32,
    colour: [f32; 9],
}

/// Twenty seconds at 60 ticks a second.
const TICKS: u32 = 1200;
const TICK: Duration = Duration::from_micros(16_667);

pub(crate) fn main() {
    let start = Instant::now();
    let mut random = Random(1);
    let mut units: Vec<Box<Unit>> = Vec::new();
    let mut shells: Vec<Box<Shell>> = Vec::new();
    let mut puffs: Vec<Box<Puff>> = Vec::new();
    let (mut fallen, mut shots, mut smoke) = (0_u64, 0_u64, 0.0_f64);

    for tick in 0..TICKS {
        // A wave of attackers every five seconds.
        if tick % 300 < 120 && tick % 4 == 0 {
            units.push(Box::new(Unit {
                position: [random.below(1000) as f32, random.below(1000) as f32, 0.0],
                health: 100,
                ticks_to_shot: 30 + random.below(90),
                path: [[0.0; 2]; 9],
            }));
        }
        for unit in &mut units {
            unit.position[0] += 0.1 + unit.path[0][0];
            unit.ticks_to_shot -= 1;
            if unit.ticks_to_shot == 0 {
                unit.ticks_to_shot = 40 + random.below(60);
                shots += 1;
                shells.push(Box::new(Shell {
                    position: unit.position,
                    speed: [1.0, 0.5, 0.1],
                    ticks_left: 20 + random.below(40),
                    damage: 10,
                    from: shots,
                }));
            }
        }
        for shell in &mut shells {
            shell.ticks_left -= 1;
            for (at, speed) in shell.position.iter_mut().zip(shell.speed) {
                *at += speed;
            }
            if shell.ticks_left == 0 {
                for _ in 0..6 {
                    puffs.push(Box::new(Puff {
                        position: shell.position,
                        size: 1.0 + (shell.from % 3) as f32,
                        ticks_left: 30 + random.below(30),
                        colour: [0.5; 9],
                    }));
                }
                if !units.is_empty() {
                    let target = random.below(units.len() as u32) as usize;
                    units[target].health -= shell.damage;
                }
            }
        }
        shells.retain(|shell| shell.ticks_left > 0);
        for puff in &mut puffs {
            puff.ticks_left -= 1;
            puff.size *= 1.01;
            puff.position[2] += puff.colour[0];
        }
        smoke += puffs.iter().map(|puff| f64::from(puff.size + puff.position[2])).sum::<f64>();
        puffs.retain(|puff| puff.ticks_left > 0);
        let before = units.len();
        units.retain(|unit| unit.health > 0);
        fallen += (before - units.len()) as u64;
        std::thread::sleep((start + TICK * tick).saturating_duration_since(Instant::now()));
    }
    println!("{fallen} units have fallen to {shots} shells, in {smoke:.0} of smoke");
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as u32 % limit
    }
}
