//! Measures what calls cost on this machine, in a tenth of a second.
//!
//! Made-up programs are replayed: one whose blocks are always at hand, one with crowds of small blocks, and one with
//! crowds of larger ones. What the replay itself takes, without any memory, is subtracted at the end: whatever else a
//! machine does makes laps slower, never faster, but a difference of two laps may become larger or smaller. So the
//! fastest laps count, and then their difference.

use millpond_laps::{Between, Found, Kept, Pools, Program, Script, Size, roomy_heap};

use super::IS_ROUGH;
use super::script::Recorder;
use crate::plan::prices::{AllocatorPrices, Price, Prices, SlotPrices};
use crate::random::SplitMix64;
use crate::trace::{Event, Watch};

/// The sizes of the blocks, by kind: small ones, then larger ones.
const BYTES: [u64; 12] = [24, 40, 56, 72, 88, 120, 136, 200, 328, 520, 1000, 1800];

/// The kinds of the small ones.
const SMALL: std::ops::Range<u32> = 0..6;

/// The kinds of the larger ones.
const LARGE: std::ops::Range<u32> = 6..BYTES.len() as u32;

/// The objects of a lap.
const OBJECTS: u32 = 1600;

/// The objects of a crowd: more than any allocator has at hand. With other work between calls, a crowd is larger than
/// the first-level cache.
const CROWDS: [u32; 2] = [200, 1600];

/// The laps of each program, of which the fastest counts.
const ROUNDS: usize = if IS_ROUGH { 1 } else { 4 };

/// What the replays of made-up programs take, in nanoseconds for an object, with what the replay itself takes.
#[derive(Debug)]
pub struct Laps {
    /// Without any memory.
    replay: AllocatorPrices,
    /// On the allocator of this process, and on slots of pools.
    gross: Prices,
}

impl Laps {
    /// Measures the allocator of this process, pools and arenas.
    #[must_use]
    pub fn measured() -> Self {
        let programs = MadeUp::new();
        let _floor = roomy_floor();
        let slots = CROWDS[1] as usize;
        let small = &BYTES[..SMALL.end as usize];
        let sizes: Vec<Size> = small.iter().map(|&bytes| Size { slots, bytes }).collect();
        let pool_of: Vec<u32> = SMALL.collect();
        let pools = |found| Kept::Pools(Pools { sizes: &sizes, pool_of: &pool_of, found });
        Self {
            replay: programs.fastest(Kept::Nowhere),
            gross: Prices {
                pool: programs.fastest_slots(pools(Found::ByKind)),
                classes: programs.fastest_slots(pools(Found::BySize)),
                arena: fastest(&programs.small, Kept::Arena(0)),
                system: programs.fastest(Kept::System),
                others: Vec::new(),
                are_measured: true,
            },
        }
    }

    /// Measures the allocator of this process alone.
    #[must_use]
    pub fn of_allocator() -> AllocatorPrices {
        let _floor = roomy_floor();
        MadeUp::new().fastest(Kept::System)
    }

    /// Takes the fastest laps of both.
    #[must_use]
    pub fn least(self, again: Self) -> Self {
        Self { replay: self.replay.least(again.replay), gross: self.gross.least(again.gross) }
    }

    /// The prices of this machine, with those of other allocators, of which these are the laps.
    #[must_use]
    pub fn prices(self, others: Vec<(String, AllocatorPrices)>) -> Prices {
        let of_allocator = |gross: AllocatorPrices| AllocatorPrices {
            at_hand: gross.at_hand.beyond(self.replay.at_hand),
            small: gross.small.beyond(self.replay.small),
            large: gross.large.beyond(self.replay.large),
        };
        let of_slots = |gross: SlotPrices| SlotPrices {
            at_hand: gross.at_hand.beyond(self.replay.at_hand),
            others: gross.others.beyond(self.replay.small),
        };
        Prices {
            pool: of_slots(self.gross.pool),
            classes: of_slots(self.gross.classes),
            arena: self.gross.arena.beyond(self.replay.small),
            system: of_allocator(self.gross.system),
            others: others.into_iter().map(|(name, gross)| (name, of_allocator(gross))).collect(),
            are_measured: true,
        }
    }
}

/// The made-up programs, each with calls in a row, and with other work between calls.
struct MadeUp {
    at_hand: [Script; 2],
    small: [Script; 2],
    large: [Script; 2],
}

impl MadeUp {
    fn new() -> Self {
        let crowds = |kinds| CROWDS.map(|crowd| in_crowds(&kinds, crowd));
        Self { at_hand: [one_by_one(), one_by_one()], small: crowds(SMALL), large: crowds(LARGE) }
    }

    fn fastest(&self, kept: Kept<'_>) -> AllocatorPrices {
        AllocatorPrices {
            at_hand: fastest(&self.at_hand, kept),
            small: fastest(&self.small, kept),
            large: fastest(&self.large, kept),
        }
    }

    fn fastest_slots(&self, kept: Kept<'_>) -> SlotPrices {
        SlotPrices { at_hand: fastest(&self.at_hand, kept), others: fastest(&self.small, kept) }
    }
}

/// A heap for twice the largest crowd.
fn roomy_floor() -> impl Sized {
    roomy_heap(2 * u64::from(OBJECTS) * BYTES[BYTES.len() - 1])
}

/// What the fastest lap takes for an object: of the first script with calls in a row, of the second with other work
/// between calls.
fn fastest(scripts: &[Script; 2], kept: Kept<'_>) -> Price {
    let all = [true; BYTES.len()];
    let ways = [Between::Nothing, Between::other_work()];
    let mut laps = scripts.iter().zip(ways).map(|(script, mut between)| {
        let mut program = Program::new(script, &BYTES, &all, kept);
        let lap = |_| program.lap(script, &mut between).iter().sum();
        let least: u64 = (0..ROUNDS).map(lap).min().unwrap_or(0);
        least as f64 / f64::from(OBJECTS)
    });
    let mut next = || laps.next().unwrap_or_default();
    Price { low: next(), high: next() }
}

fn event(kind: u32, key: u32) -> Event {
    Event { tick: 0, class: kind, kind, key, bytes: None }
}

/// Small blocks that come and go one by one.
fn one_by_one() -> Script {
    let mut recorder = Recorder::new(&BYTES, u64::from(2 * OBJECTS));
    for object in 0..OBJECTS {
        let kind = object % SMALL.end;
        recorder.birth(event(kind, 0));
        recorder.death(event(kind, 0));
    }
    recorder.finish()
}

/// Blocks of these kinds that come in crowds and go in another order.
fn in_crowds(kinds: &std::ops::Range<u32>, crowd: u32) -> Script {
    let mut recorder = Recorder::new(&BYTES, u64::from(2 * OBJECTS));
    let mut random = SplitMix64::new(1);
    for _ in 0..OBJECTS / crowd {
        let mut crowd: Vec<Event> = (0..crowd)
            .map(|key| event(kinds.start + random.below(kinds.len()) as u32, key))
            .collect();
        crowd.iter().for_each(|&object| recorder.birth(object));
        while !crowd.is_empty() {
            recorder.death(crowd.swap_remove(random.below(crowd.len())));
        }
    }
    recorder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_are_what_they_are_called() {
        let small = |kind| SMALL.contains(&kind);
        assert_eq!(one_by_one().places, 1);
        assert_eq!(one_by_one().timed_births(small), u64::from(OBJECTS));
        for crowd in CROWDS {
            assert_eq!(in_crowds(&SMALL, crowd).timed_births(small), u64::from(OBJECTS));
            assert_eq!(in_crowds(&LARGE, crowd).timed_births(small), 0);
            assert_eq!(in_crowds(&LARGE, crowd).timed_births(|_| true), u64::from(OBJECTS));
        }
    }

    #[test]
    fn prices_are_numbers() {
        let laps = Laps::measured().least(Laps::measured());
        let prices = laps.prices(vec![("other".to_owned(), Laps::of_allocator())]);
        let AllocatorPrices { at_hand, small, large } = prices.system;
        let Prices { pool, classes, arena, .. } = prices;
        let slots = [pool.at_hand, pool.others, classes.at_hand, classes.others];
        for price in [at_hand, small, large, arena].into_iter().chain(slots) {
            assert!(0.0 <= price.low && price.low <= price.high, "{prices}");
        }
        let text = prices.to_string();
        assert_eq!(Prices::parse(&text).map(|again| again.to_string()), Ok(text));
        assert!(prices.are_measured);
    }
}
