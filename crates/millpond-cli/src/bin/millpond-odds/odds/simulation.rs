//! The odds, measured on a real pool.
//!
//! The pool is filled, its free slots are released, and from then on taken and released in laps:
//! each lap uses each free slot once, so as many laps as a slot has lifetimes bring up every
//! handle that is in play. These are written down. Then, in each round, one of them is drawn, all
//! equally likely, as the handle that somebody kept; the pool issues its next handle; and the two
//! are compared.

use super::formula::Mix;
use millpond_plan::random::SplitMix64;

/// A pool, reduced to its handles.
pub(super) trait Issuer {
    /// Takes a slot: the bits of its handle, or `None` if the pool has none left.
    fn take(&mut self) -> Option<u64>;
    /// Releases the slot of a live handle.
    fn release(&mut self, handle: u64);
}

/// What a simulation counted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Simulated {
    /// How many different handles came up.
    pub(crate) handles_met: u64,
    /// How many handles were compared.
    pub(crate) rounds: u64,
    /// How often the kept handle was the one issued.
    pub(crate) matches: u64,
    /// Matches per round.
    pub(crate) odds: f64,
    /// How far `matches` is from what the formula expects, in standard deviations.
    pub(crate) sigmas: f64,
}

/// Runs `issuer`, a pool of as many slots as `mix` has, for `rounds` comparisons.
pub(super) fn run(
    issuer: &mut dyn Issuer,
    mix: Mix,
    lifetimes_per_slot: u64,
    rounds: u64,
    seed: u64,
) -> Simulated {
    let mut churn = Churn::start(issuer, mix);
    let kept = churn.handles_of(lifetimes_per_slot);
    let mut random = SplitMix64::new(seed);
    let mut matches = 0;
    for _ in 0..rounds {
        let remembered = kept[random.below(kept.len())];
        matches += u64::from(remembered == churn.next());
    }
    let odds = mix.odds(lifetimes_per_slot);
    let expected = rounds as f64 * odds;
    // With odds of 1 nothing can deviate; the floor keeps the division finite.
    let deviation = (expected * (1.0 - odds)).sqrt().max(f64::MIN_POSITIVE);
    Simulated {
        handles_met: kept.len() as u64,
        rounds,
        matches,
        odds: matches as f64 / rounds as f64,
        sigmas: (matches as f64 - expected) / deviation,
    }
}

/// A pool whose free slots are taken and released in laps.
struct Churn<'a> {
    issuer: &'a mut dyn Issuer,
    busy: Vec<u64>,
    /// The handles of this lap.
    lap: Vec<u64>,
    free: usize,
}

impl<'a> Churn<'a> {
    fn start(issuer: &'a mut dyn Issuer, mix: Mix) -> Self {
        let all: Vec<u64> = (0..mix.free + mix.busy).map_while(|_| issuer.take()).collect();
        let free = mix.free as usize;
        let (lap, busy) = (all[..free].to_vec(), all[free..].to_vec());
        Self { issuer, busy, lap, free }
    }

    /// The next handle that the pool issues; the first of a lap waits until the last is released.
    fn next(&mut self) -> u64 {
        if self.lap.len() == self.free {
            for handle in self.lap.drain(..) {
                self.issuer.release(handle);
            }
        }
        let handle = self.issuer.take().expect("a free slot of a pool that wraps can be taken");
        self.lap.push(handle);
        handle
    }

    /// Every different handle of as many laps as a slot has lifetimes, and those of busy slots.
    fn handles_of(&mut self, lifetimes_per_slot: u64) -> Vec<u64> {
        let issued = lifetimes_per_slot as usize * self.free;
        let mut handles = self.busy.clone();
        handles.extend((0..issued).map(|_| self.next()));
        handles.sort_unstable();
        handles.dedup();
        handles
    }
}

/// The counts of a pool that was used until its slots had retired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exhausted {
    /// Lifetimes that one slot, released and taken again and again, had before it was gone.
    pub(crate) first_slot_lifetimes: u64,
    /// Lifetimes that the pool had in all before its last slot was gone.
    pub(crate) lifetimes: u64,
    /// How many of its handles were issued more than once.
    pub(crate) repeated: u64,
}

/// Uses `issuer` up: one slot first, then all the others. Stops after more lifetimes than
/// `lifetimes_max`, which a pool that retires does not have.
pub(super) fn exhaust(issuer: &mut dyn Issuer, slots: u64, lifetimes_max: u64) -> Exhausted {
    let mut live: Vec<u64> = (0..slots).map_while(|_| issuer.take()).collect();
    let mut issued = live.clone();
    let mut first_slot_lifetimes = 0;
    while let Some(handle) = live.pop() {
        if issued.len() as u64 > lifetimes_max {
            break;
        }
        issuer.release(handle);
        let again = issuer.take();
        issued.extend(again);
        live.extend(again);
        if again.is_none() && first_slot_lifetimes == 0 {
            first_slot_lifetimes = issued.len() as u64 - slots + 1;
        }
    }
    let lifetimes = issued.len() as u64;
    issued.sort_unstable();
    issued.dedup();
    let repeated = lifetimes - issued.len() as u64;
    Exhausted { first_slot_lifetimes, lifetimes, repeated }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An independent model: slots with a counter each, oldest-first reuse, handles
    /// `index × 1000 + generation`.
    struct Model {
        generations: Vec<u64>,
        dead: std::collections::VecDeque<usize>,
        lifetimes: u64,
        wraps: bool,
    }

    impl Model {
        fn new(slots: usize, lifetimes: u64, wraps: bool) -> Self {
            Self { generations: vec![0; slots], dead: (0..slots).collect(), lifetimes, wraps }
        }
    }

    impl Issuer for Model {
        fn take(&mut self) -> Option<u64> {
            let slot = self.dead.pop_front()?;
            Some(slot as u64 * 1000 + self.generations[slot] % self.lifetimes)
        }

        fn release(&mut self, handle: u64) {
            let slot = (handle / 1000) as usize;
            self.generations[slot] += 1;
            if self.wraps || self.generations[slot] < self.lifetimes {
                self.dead.push_back(slot);
            }
        }
    }

    #[test]
    fn as_many_handles_come_up_as_the_formula_counts() {
        for mix in [Mix::worst(10), Mix::half(10), Mix::best(10)] {
            let simulated = run(&mut Model::new(10, 128, true), mix, 128, 1, 7);
            assert_eq!(simulated.handles_met, mix.handles(128), "{mix:?}");
        }
    }

    #[test]
    fn matches_are_as_frequent_as_the_formula_says() {
        for mix in [Mix::worst(10), Mix::half(10), Mix::best(10)] {
            let simulated = run(&mut Model::new(10, 128, true), mix, 128, 1_000_000, 7);
            assert!(simulated.sigmas.abs() < 5.0, "{mix:?}: {simulated:?}");
        }
    }

    #[test]
    fn a_pool_with_fewer_generations_than_it_says_is_found_out() {
        let mix = Mix::worst(10);
        let simulated = run(&mut Model::new(10, 64, true), mix, 128, 1_000_000, 7);
        assert_ne!(simulated.handles_met, mix.handles(128));
        assert!(simulated.sigmas.abs() > 5.0, "{simulated:?}");
    }

    #[test]
    fn one_slot_of_one_lifetime_always_matches() {
        let simulated = run(&mut Model::new(1, 1, true), Mix::worst(1), 1, 100, 7);
        assert_eq!((simulated.matches, simulated.sigmas), (100, 0.0));
    }

    #[test]
    fn a_pool_that_does_not_retire_is_found_out() {
        let exhausted = exhaust(&mut Model::new(5, 20, true), 5, 100);
        assert_eq!(exhausted.lifetimes, 101);
        assert!(exhausted.repeated > 0);
    }

    #[test]
    fn a_retiring_pool_is_used_up_without_a_repetition() {
        let exhausted = exhaust(&mut Model::new(5, 20, false), 5, 100);
        let expected = Exhausted { first_slot_lifetimes: 20, lifetimes: 100, repeated: 0 };
        assert_eq!(exhausted, expected);
    }
}
