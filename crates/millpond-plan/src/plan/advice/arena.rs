//! Finds objects that are built up and go together, for which an arena is enough.
//!
//! An arena takes memory for one object after the other and frees all of it at once, so it does not reuse the memory of
//! an object that goes before the others. The model is therefore: between two moments at which no object of a function
//! is alive, an arena needs the bytes of all objects born in between. If that is little more than the peak of live
//! bytes, they go together. Objects that are alive at the end go with the program.

use crate::plan::prices::Calls;

/// An arena may take this many times the peak of live bytes.
const PEAKS_MAX: u64 = 2;

/// Fewer objects than this, on average, are not built up.
const OBJECTS_MIN: u64 = 16;

/// The objects of a function, counted while a recording is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Together {
    pub(super) calls: Calls,
    live: u32,
    bytes: u64,
    peak_bytes: u64,
    /// Since none was alive: the objects born, and their bytes.
    round: (u32, u64),
    /// The peaks of these.
    round_max: (u32, u64),
    /// How often the objects were built up.
    rounds: u64,
    /// The events of the recording before the last birth and the first death.
    last_birth: u64,
    first_death: Option<u64>,
}

impl Together {
    #[inline]
    pub(super) fn birth(&mut self, bytes: u64, event: u64) {
        if self.live == 0 {
            self.round = (0, 0);
            self.rounds += 1;
        }
        self.live += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.peak_bytes = self.peak_bytes.max(self.bytes);
        self.round = (self.round.0.saturating_add(1), self.round.1.saturating_add(bytes));
        self.round_max = (self.round_max.0.max(self.round.0), self.round_max.1.max(self.round.1));
        self.last_birth = event;
    }

    #[inline]
    pub(super) fn death(&mut self, bytes: u64, event: u64) {
        self.live = self.live.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
        self.first_death.get_or_insert(event);
    }

    /// Whether an arena that is reset whenever none is alive suits them.
    pub(super) fn is_built_up(&self) -> bool {
        self.calls.births >= OBJECTS_MIN * self.rounds.max(1)
            && self.round_max.1 <= self.peak_bytes.saturating_mul(PEAKS_MAX)
    }

    /// Whether they are built up once.
    pub(super) fn is_once(&self) -> bool {
        self.rounds == 1
    }

    /// The objects and the bytes that an arena has to hold.
    pub(super) fn needs(&self) -> (u32, u64) {
        self.round_max
    }

    /// Both together, if they are built up in the same phase: none of them dies before the last is born. Those of one kind,
    /// such as all nodes of a tree, may also go before the others, as long as an arena for both takes no more beyond what
    /// is alive than one may: both are alive at once at least as much as the larger of them.
    pub(super) fn with(self, other: Self, is_one_kind: bool) -> Option<Self> {
        let first_death = match (self.first_death, other.first_death) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let last_birth = self.last_birth.max(other.last_birth);
        let is_one_phase = first_death.is_none_or(|death| death >= last_birth);
        let needed = self.round_max.1.saturating_add(other.round_max.1);
        let alive = self.peak_bytes.max(other.peak_bytes);
        let is_little = is_one_kind && needed <= alive.saturating_mul(PEAKS_MAX);
        if !(is_one_phase || is_little) {
            return None;
        }
        Some(Self {
            calls: self.calls.plus(other.calls),
            live: self.live.saturating_add(other.live),
            bytes: self.bytes.saturating_add(other.bytes),
            peak_bytes: if is_one_phase {
                self.peak_bytes.saturating_add(other.peak_bytes)
            } else {
                alive
            },
            round: (0, 0),
            round_max: (self.round_max.0.saturating_add(other.round_max.0), needed),
            rounds: 1,
            last_birth,
            first_death,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of births, after each of which all die; of the first round, some die earlier and are born again.
    fn rounds(times: u64, births: u64, again: u64) -> Together {
        let (mut together, mut event) = (Together::default(), 0);
        let mut next = || {
            event += 1;
            event
        };
        for _ in 0..times {
            (0..births).for_each(|_| together.birth(10, next()));
            for _ in 0..again {
                together.death(10, next());
                together.birth(10, next());
            }
            (0..births).for_each(|_| together.death(10, next()));
        }
        together.calls.births = times * (births + again);
        together
    }

    #[test]
    fn what_goes_together_is_built_up_and_what_comes_and_goes_is_not() {
        assert!(rounds(1, 100, 0).is_built_up() && rounds(1, 100, 0).is_once());
        assert!(rounds(9, 100, 0).is_built_up() && !rounds(9, 100, 0).is_once());
        assert!(rounds(9, 100, 99).is_built_up(), "twice the peak is enough");
        assert!(!rounds(9, 100, 101).is_built_up());
        assert!(!rounds(9, 15, 0).is_built_up(), "few at once");
        assert_eq!(rounds(9, 100, 50).needs(), (150, 1500));
    }

    #[test]
    fn two_functions_share_an_arena_if_none_dies_before_the_last_is_born() {
        let mut early = Together::default();
        let mut late = Together::default();
        (0..20).for_each(|event| early.birth(10, event));
        (20..40).for_each(|event| late.birth(30, event));
        let both = early.with(late, false).expect("nobody dies");
        assert_eq!(both.needs(), (40, 800));
        early.death(10, 39);
        assert!(early.with(late, false).is_some());
        late.birth(30, 40);
        assert!(early.with(late, false).is_none());
    }

    #[test]
    fn those_of_one_kind_share_an_arena_that_takes_at_most_twice_what_is_alive() {
        let mut many = rounds(1, 100, 0);
        let mut few = Together::default();
        (100..190).for_each(|event| few.birth(10, event));
        assert!(many.with(few, false).is_none(), "some die before the last is born");
        let both = many.with(few, true).expect("of one kind");
        assert_eq!(both.needs(), (190, 1900));
        assert!(both.is_built_up(), "1,900 bytes, and at least 1,000 alive");
        (190..210).for_each(|event| few.birth(10, event));
        many.death(10, 0);
        assert!(many.with(few, true).is_some(), "2,100 bytes, and 1,100 alive");
        let other = rounds(1, 111, 0);
        assert!(few.with(other, true).is_some(), "2,210 bytes, and 1,110 alive");
        assert!(both.with(few, true).is_none(), "3,000 bytes, and 1,100 alive");
    }
}
