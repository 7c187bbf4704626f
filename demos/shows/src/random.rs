/// The same numbers in every run: what a demo shows can be checked, and shown again.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Random(u64);

impl Random {
    /// Numbers that are told apart by the seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 32 bits (SplitMix64).
    pub fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32) as u32
    }

    /// A number from `low` up to, not including, `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.bits() >> 8) as f32 / (1 << 24) as f32
    }

    /// One of 0 to `count` - 1.
    pub fn below(&mut self, count: usize) -> usize {
        ((u64::from(self.bits()) * count as u64) >> 32) as usize
    }
}
