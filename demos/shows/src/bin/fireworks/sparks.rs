//! What keeps the sparks: a pool, or a `Box` for each.

use millpond::Pool;
use millpond_overflow::PolicyPool;

/// A frame lasts so long.
pub(crate) const FRAME_S: f32 = 1.0 / 60.0;
/// How fast things fall, in heights of the picture.
const GRAVITY: f32 = 0.16;

/// Glowing metal in the air: 32 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spark {
    /// In heights of the picture above the pond, to the right of the middle.
    pub(crate) at: [f32; 2],
    pub(crate) speed: [f32; 2],
    /// 1 at first, 0 when it has burnt out.
    pub(crate) life: f32,
    /// How much of its life is gone in a second.
    pub(crate) haste: f32,
    /// How much of its speed the air takes in a second.
    pub(crate) drag: f32,
    /// Red, green and blue, 0 to 255.
    pub(crate) tint: [u8; 3],
}

impl Spark {
    /// Moves it on by a frame, and says whether it still burns.
    #[inline]
    fn step(&mut self) -> bool {
        let kept = 1.0 - self.drag * FRAME_S;
        self.speed = [self.speed[0] * kept, self.speed[1] * kept - GRAVITY * FRAME_S];
        self.at[0] += self.speed[0] * FRAME_S;
        self.at[1] += self.speed[1] * FRAME_S;
        self.life -= self.haste * FRAME_S;
        self.life > 0.0 && self.at[1] > 0.0
    }

    /// How bright it is.
    pub(crate) fn glow(&self) -> f32 {
        self.life * self.life
    }

    /// Its light: white hot at first, then its tint, and dim in the end.
    pub(crate) fn color(&self) -> [f32; 3] {
        let white = (self.life - 0.85).max(0.0) * 4.0;
        self.tint.map(|part| (f32::from(part) / 255.0 + white) * self.glow())
    }
}

/// Keeps sparks.
pub(crate) trait Sparks {
    /// Moves all of them on by a frame; those that have burnt out go.
    fn step(&mut self);
    /// Adds one, if that can be.
    fn light(&mut self, spark: Spark);
    fn for_each(&self, see: impl FnMut(&Spark));

    fn count(&self) -> usize {
        let mut count = 0;
        self.for_each(|_| count += 1);
        count
    }

    /// The same for the same sparks in any order.
    fn fingerprint(&self) -> u64 {
        let mut sum = 0_u64;
        self.for_each(|spark| {
            let bits =
                [spark.at[0], spark.at[1], spark.life].map(|number| u64::from(number.to_bits()));
            let mixed = bits
                .into_iter()
                .fold(0, |sum, bits| (sum ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            sum = sum.wrapping_add(mixed);
        });
        sum
    }
}

impl Sparks for Pool<Spark> {
    fn step(&mut self) {
        self.retain(|_, spark| spark.step());
    }

    fn light(&mut self, spark: Spark) {
        // A full pool refuses, and counts that: it is a spark less.
        let _ = self.insert(spark);
    }

    fn for_each(&self, see: impl FnMut(&Spark)) {
        self.values().for_each(see);
    }
}

impl Sparks for Vec<Box<Spark>> {
    fn step(&mut self) {
        self.retain_mut(|spark| spark.step());
    }

    fn light(&mut self, spark: Spark) {
        self.push(Box::new(spark));
    }

    fn for_each(&self, see: impl FnMut(&Spark)) {
        self.iter().map(Box::as_ref).for_each(see);
    }
}

impl Sparks for PolicyPool<Spark> {
    fn step(&mut self) {
        self.retain(|_, spark| spark.step());
    }

    fn light(&mut self, spark: Spark) {
        // Refused or evicted: the pool counts it.
        let _ = self.insert_by(spark, |_, spark| spark.glow().to_bits());
    }

    fn for_each(&self, see: impl FnMut(&Spark)) {
        self.iter().map(|(_, spark)| spark).for_each(see);
    }
}
