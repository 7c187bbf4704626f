//! The random numbers of one lane: determined by a seed and a name, and equal on every machine.

use millpond_plan::random::SplitMix64;

#[derive(Debug)]
pub(super) struct Random(SplitMix64);

impl Random {
    /// Numbers determined by a seed and a name.
    pub(super) fn of(seed: u64, name: &str) -> Self {
        let state =
            name.bytes().fold(seed, |state, byte| SplitMix64::new(state ^ u64::from(byte)).next());
        Self(SplitMix64::new(state))
    }

    /// The numbers that go on from a checkpoint.
    pub(super) fn resumed(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// The seed with which the next soak goes on.
    pub(super) fn seed_for_the_next(&mut self) -> u64 {
        self.0.next()
    }

    /// A number below `limit`, which is not 0: the remainder, so that a seed and a step that were once reported lead to
    /// the same operation again.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.0.next() % limit as u64) as usize
    }
}
