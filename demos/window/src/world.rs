//! Rockets that burst into sparks, and the pool of the sparks.

use millpond::overflow::{EvictLeast, EvictOldest, Policy, Refuse};
use millpond::{Handle, Pool};

pub(crate) struct Spark {
    pub(crate) position: [f32; 2],
    speed: [f32; 2],
    pub(crate) colour: [f32; 3],
    ticks_left: u32,
}

const LIFE_TICKS: u32 = 120;

impl Spark {
    pub(crate) fn brightness(&self) -> f32 {
        self.ticks_left as f32 / LIFE_TICKS as f32
    }
}

/// The overflow policies to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnFull {
    Refuse,
    EvictDarkest,
    EvictOldest,
}

impl OnFull {
    pub(crate) const ALL: [Self; 3] = [Self::Refuse, Self::EvictDarkest, Self::EvictOldest];

    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Refuse => "refuse the new one",
            Self::EvictDarkest => "evict the darkest",
            Self::EvictOldest => "evict the oldest",
        }
    }
}

pub(crate) struct World {
    sparks: Pool<Spark>,
    oldest: EvictOldest<Handle<Spark>>,
    pub(crate) on_full: OnFull,
    pub(crate) sparks_per_second: u32,
    /// Sparks that the next burst will have.
    saved_up: u32,
    random: u64,
}

fn pool(capacity: usize) -> Pool<Spark> {
    Pool::builder().capacity(capacity).name("sparks").build()
}

impl World {
    pub(crate) fn new(capacity: usize) -> Self {
        let sparks = pool(capacity);
        let oldest = EvictOldest::beside(&sparks);
        let (on_full, sparks_per_second) = (OnFull::Refuse, 1500);
        Self { sparks, oldest, on_full, sparks_per_second, saved_up: 0, random: 1 }
    }

    pub(crate) fn sparks(&self) -> &Pool<Spark> {
        &self.sparks
    }

    /// A pool never grows: this is a new one.
    pub(crate) fn resize(&mut self, capacity: usize) {
        self.sparks = pool(capacity);
        self.oldest = EvictOldest::beside(&self.sparks);
    }

    pub(crate) fn tick(&mut self) {
        self.saved_up += self.sparks_per_second / 60;
        if self.saved_up >= 200 {
            self.burst();
        }
        self.sparks.retain(|_, spark| {
            spark.speed[1] += 0.00008;
            for (at, speed) in spark.position.iter_mut().zip(&mut spark.speed) {
                *at += *speed;
                *speed *= 0.985;
            }
            spark.ticks_left -= 1;
            spark.ticks_left > 0
        });
    }

    fn burst(&mut self) {
        let centre = [0.1 + 0.8 * self.share(), 0.1 + 0.5 * self.share()];
        let colour = [0.4 + 0.6 * self.share(), 0.4 + 0.6 * self.share(), 0.4 + 0.6 * self.share()];
        for _ in 0..std::mem::take(&mut self.saved_up) {
            let (angle, speed) =
                (self.share() * std::f32::consts::TAU, 0.009 * self.share().sqrt());
            let ticks_left = LIFE_TICKS / 2 + (self.share() * LIFE_TICKS as f32 / 2.0) as u32;
            let speed = [angle.cos() * speed * 0.7, angle.sin() * speed];
            self.add(Spark { position: centre, speed, colour, ticks_left: ticks_left.max(1) });
        }
    }

    /// What does not fit is not seen, or something else is not: the policy's to say.
    fn add(&mut self, spark: Spark) {
        let inserted = match self.on_full {
            OnFull::Refuse => Refuse.insert(&mut self.sparks, spark),
            OnFull::EvictDarkest => {
                EvictLeast(|_, spark: &Spark| spark.ticks_left).insert(&mut self.sparks, spark)
            }
            OnFull::EvictOldest => return drop(self.oldest.insert(&mut self.sparks, spark)),
        };
        if let Ok((handle, _)) = inserted {
            // So that the policy can be changed at any time.
            self.oldest.note(handle);
        }
    }

    /// A number from 0 to 1.
    fn share(&mut self) -> f32 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 40) as f32 / (1_u32 << 24) as f32
    }
}
