//! Rockets that burst into sparks, and the pool of the sparks.

use millpond::Pool;
use millpond_overflow::{Overflow, PolicyPool};

/// What the sliders say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub capacity: usize,
    pub policy: Overflow,
    /// How many slots there may be beyond the capacity, if the policy is to spill or to grow.
    pub more: usize,
    pub sparks_per_second: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { capacity: 3000, policy: Overflow::EvictLeast, more: 3000, sparks_per_second: 1600 }
    }
}

pub(crate) struct Spark {
    /// In heights of the sky, from its left upper corner.
    pub(crate) position: [f32; 2],
    pub(crate) speed: [f32; 2],
    pub(crate) colour: [f32; 3],
    /// The share of its speed that a spark keeps in a tick.
    drag: f32,
    ticks_left: u32,
    ticks: u32,
}

impl Spark {
    /// From 1 to 0: of the light that it had at first.
    pub(crate) fn brightness(&self) -> f32 {
        self.ticks_left as f32 / self.ticks as f32
    }
}

/// What a rocket bursts into.
#[derive(Clone, Copy)]
enum Burst {
    /// A ball of one colour.
    Peony,
    /// Gold that falls for long.
    Willow,
    /// A circle, seen from any side.
    Ring,
}

const GOLD: [f32; 3] = [1.0, 0.72, 0.32];
const COLOURS: [[f32; 3]; 6] = [
    [1.0, 0.35, 0.30],
    [0.35, 0.95, 0.55],
    [0.40, 0.65, 1.0],
    [0.95, 0.45, 0.95],
    [0.35, 0.95, 0.95],
    [1.0, 0.92, 0.60],
];
const GRAVITY: f32 = 0.000_055;

pub(crate) struct World {
    sparks: PolicyPool<Spark>,
    /// The width of the sky in heights.
    pub(crate) width: f32,
    pub(crate) ticks: u32,
    sparks_per_second: u32,
    /// Sixtieths of sparks that the next burst will have, and how many it waits for.
    saved_up: u32,
    next_burst: u32,
    random: u64,
}

fn pool(settings: Settings) -> PolicyPool<Spark> {
    let more = match settings.policy {
        Overflow::Spill | Overflow::Grow => settings.more,
        _ => 0,
    };
    let builder = Pool::builder().capacity(settings.capacity).name("sparks");
    PolicyPool::new(settings.policy, builder, more)
}

impl World {
    pub(crate) fn new(settings: Settings) -> Self {
        let Settings { sparks_per_second, .. } = settings;
        let sparks = pool(settings);
        Self {
            sparks,
            width: 1.0,
            ticks: 0,
            sparks_per_second,
            saved_up: 0,
            next_burst: 0,
            random: 7,
        }
    }

    pub(crate) fn sparks(&self) -> &PolicyPool<Spark> {
        &self.sparks
    }

    pub(crate) fn set_sparks_per_second(&mut self, sparks: u32) {
        self.sparks_per_second = sparks;
    }

    /// The sparks go on in a pool of another size or policy.
    pub(crate) fn take_new_pool(&mut self, settings: Settings) {
        let mut old = std::mem::replace(&mut self.sparks, pool(settings));
        let handles: Vec<_> = old.iter().map(|(handle, _)| handle).collect();
        for spark in handles.into_iter().filter_map(|handle| old.remove(handle)) {
            self.add(spark);
        }
    }

    pub(crate) fn tick(&mut self) {
        self.ticks += 1;
        self.saved_up += self.sparks_per_second;
        if self.saved_up / 60 > self.next_burst {
            self.burst(self.saved_up / 60);
            self.saved_up %= 60;
            self.next_burst = 120 + (self.share() * 180.0) as u32 + self.sparks_per_second / 40;
        }
        self.sparks.retain(|_, spark| {
            spark.speed[1] += GRAVITY;
            for (at, speed) in spark.position.iter_mut().zip(&mut spark.speed) {
                *at += *speed;
                *speed *= spark.drag;
            }
            spark.ticks_left -= 1;
            spark.ticks_left > 0 && spark.position[1] < 1.0
        });
    }

    fn burst(&mut self, sparks: u32) {
        let centre = [self.width * (0.12 + 0.76 * self.share()), 0.14 + 0.38 * self.share()];
        let burst =
            [Burst::Peony, Burst::Peony, Burst::Willow, Burst::Ring][(self.share() * 4.0) as usize];
        let colour = match burst {
            Burst::Willow => GOLD,
            _ => COLOURS[(self.share() * COLOURS.len() as f32) as usize],
        };
        let radius = 0.13 + 0.12 * self.share();
        let tilt = self.share() * std::f32::consts::TAU;
        for _ in 0..sparks {
            let angle = self.share() * std::f32::consts::TAU;
            let (x, y, drag, seconds) = match burst {
                Burst::Peony => {
                    let z = 2.0 * self.share() - 1.0;
                    let flat = (1.0 - z * z).sqrt() * (0.85 + 0.15 * self.share());
                    (angle.cos() * flat, angle.sin() * flat, 0.965, 1.1 + 0.9 * self.share())
                }
                Burst::Willow => {
                    let far = self.share().sqrt();
                    (angle.cos() * far, angle.sin() * far, 0.962, 2.0 + 2.2 * self.share())
                }
                Burst::Ring => {
                    let (x, y) = (angle.cos(), angle.sin() * 0.35);
                    let (x, y) = (x * tilt.cos() - y * tilt.sin(), x * tilt.sin() + y * tilt.cos());
                    (x, y, 0.970, 0.9 + 0.5 * self.share())
                }
            };
            let speed = [x, y].map(|part| part * radius * (1.0 - drag));
            let ticks = (seconds * 60.0) as u32;
            self.add(Spark { position: centre, speed, colour, drag, ticks_left: ticks, ticks });
        }
    }

    /// What does not fit is not seen, or something else is not: the policy's to say.
    fn add(&mut self, spark: Spark) {
        let brightness = |spark: &Spark| (spark.brightness() * 1000.0) as u32;
        let _ = self.sparks.insert_by(spark, |_, spark| brightness(spark));
    }

    /// A number from 0 to 1.
    fn share(&mut self) -> f32 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 40) as f32 / (1_u32 << 24) as f32
    }
}
