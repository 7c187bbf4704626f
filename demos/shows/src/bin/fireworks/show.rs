//! The programme: which rockets rise when, and what becomes of them.

use std::f32::consts::TAU;

use millpond_demos::Random;

use crate::sparks::{FRAME_S, Spark};

const GOLD: [u8; 3] = [255, 176, 70];
const TINTS: [[u8; 3]; 6] = [
    [255, 70, 60],
    [90, 150, 255],
    [120, 255, 130],
    [225, 110, 255],
    [255, 214, 110],
    [90, 240, 235],
];
/// The last spark burns out so long before the end.
const EMBERS_S: f32 = 3.2;
const RISE_S: f32 = 0.9;

#[derive(Clone, Copy, Debug)]
enum Shape {
    /// A ball.
    Peony,
    /// Two balls, one in the other.
    Double,
    /// A ring, seen from aslant.
    Ring,
    /// Gold that hangs in the air for long.
    Willow,
}

#[derive(Clone, Copy, Debug)]
struct Rocket {
    bursts_s: f32,
    at: [f32; 2],
    shape: Shape,
    tint: [u8; 3],
    sparks: usize,
}

/// Which sparks are lit in each frame.
#[derive(Clone, Debug)]
pub(crate) struct Show {
    rockets: Vec<Rocket>,
    frame: u32,
    frames: u32,
    births: Vec<Spark>,
    random: Random,
}

impl Show {
    /// A show of so many seconds, with so many sparks at once at most, and nearly so many in the finale.
    pub(crate) fn new(sparks_max: usize, seconds: f32) -> Self {
        let mut random = Random::new(7);
        let finale_s = (seconds - EMBERS_S).max(RISE_S);
        let count = (seconds * 2.6) as usize;
        let rockets = (0..count).map(|number| {
            // The further, the faster.
            let progress = (number as f32 + 0.5) / count as f32;
            let shape = match number % 5 {
                1 => Shape::Ring,
                2 => Shape::Double,
                4 => Shape::Willow,
                _ => Shape::Peony,
            };
            Rocket {
                bursts_s: RISE_S + progress.sqrt() * (finale_s - RISE_S),
                at: [random.between(-0.62, 0.62), random.between(0.36, 0.66)],
                shape,
                tint: TINTS[random.below(TINTS.len())],
                sparks: (sparks_max as f32 * (0.037 + 0.05 * progress)) as usize,
            }
        });
        let rockets = rockets.collect();
        Self { rockets, frame: 0, frames: (seconds * 60.0) as u32, births: Vec::new(), random }
    }

    /// What is lit in the next frame; nothing after the last.
    pub(crate) fn next_frame(&mut self) -> Option<&[Spark]> {
        if self.frame == self.frames {
            return None;
        }
        let (begin_s, end_s) = (self.frame as f32 * FRAME_S, (self.frame + 1) as f32 * FRAME_S);
        self.frame += 1;
        self.births.clear();
        for rocket in &self.rockets {
            if (begin_s..end_s).contains(&rocket.bursts_s) {
                let sparks = (0..rocket.sparks).map(|_| rocket.spark(&mut self.random));
                self.births.extend(sparks);
            } else if (begin_s..begin_s + RISE_S).contains(&rocket.bursts_s) {
                let sparks =
                    (0..rocket.sparks / 200).map(|_| rocket.tail(begin_s, &mut self.random));
                self.births.extend(sparks);
            }
        }
        Some(&self.births)
    }
}

impl Rocket {
    /// One spark of the burst.
    fn spark(&self, random: &mut Random) -> Spark {
        // A direction on a ball, seen from the side.
        let (angle, height) = (random.between(0.0, TAU), random.between(-1.0, 1.0));
        let width = (1.0_f32 - height * height).sqrt();
        let ball = [width * angle.cos(), height];
        let blur = random.between(0.93, 1.07);
        let (direction, speed, tint) = match self.shape {
            Shape::Peony => (ball, 0.62 * blur, self.tint),
            Shape::Double if random.below(3) == 0 => (ball, 0.3 * blur, GOLD),
            Shape::Double => (ball, 0.66 * blur, self.tint),
            Shape::Ring => {
                let (cos, sin) = (angle.cos(), angle.sin());
                ([cos * 0.95, sin * 0.45 + cos * 0.3], 0.7 * blur, self.tint)
            }
            Shape::Willow => (ball, 0.75 * random.between(0.2, 1.0).sqrt(), GOLD),
        };
        let (life_s, drag) = match self.shape {
            Shape::Willow => (random.between(1.8, 3.0), 2.6),
            _ => (random.between(1.1, 2.0), 2.4),
        };
        let speed = [direction[0] * speed, direction[1] * speed];
        Spark { at: self.at, speed, life: 1.0, haste: 1.0 / life_s, drag, tint }
    }

    /// One spark of the tail, while it rises.
    fn tail(&self, now_s: f32, random: &mut Random) -> Spark {
        let left = (self.bursts_s - now_s) / RISE_S;
        let height = 1.0 - left * left;
        let at = [self.at[0] - 0.05 * left, self.at[1] * height];
        let speed = [random.between(-0.02, 0.02), random.between(-0.1, 0.0)];
        let life_s = random.between(0.2, 0.6);
        Spark { at, speed, life: 0.8, haste: 1.0 / life_s, drag: 1.0, tint: GOLD }
    }
}
