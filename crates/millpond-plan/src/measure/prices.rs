//! Measures what calls cost on this machine, in a tenth of a second.
//!
//! Made-up programs are replayed: one whose blocks are always at hand, one with crowds of small blocks, and one with
//! crowds of larger ones. What the replay itself takes, without any memory, is subtracted.

use super::IS_ROUGH;
use super::lap::{Between, Program};
use super::memory::{Arena, ByKind, BySize, Memory, Size, System, WithHandles, roomy_heap};
use super::script::{Recorder, Script};
use crate::plan::prices::{AllocatorPrices, Price, Prices};
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

/// Measures the prices of this process's allocator, of pools and of arenas.
#[must_use]
pub fn prices() -> Prices {
    // Twice the largest crowd.
    let _floor = roomy_heap(2 * u64::from(OBJECTS) * BYTES[BYTES.len() - 1]);
    let one_by_one = [one_by_one(), one_by_one()];
    let [small, large] = [SMALL, LARGE].map(|kinds| CROWDS.map(|crowd| in_crowds(&kinds, crowd)));
    let slots = CROWDS[1] as usize;
    let sizes: Vec<Size> = BYTES.iter().map(|&bytes| Size { slots, bytes }).collect();
    let pool_of: Vec<u32> = (0..BYTES.len() as u32).collect();
    Prices {
        pool: price(&small, || WithHandles::new(&sizes, ByKind(&pool_of))),
        classes: price(&small, || WithHandles::new(&sizes, BySize::new(&BYTES, &pool_of))),
        arena: price(&small, || Arena::new(&BYTES, 0)),
        system: AllocatorPrices {
            at_hand: price(&one_by_one, system),
            small: price(&small, system),
            large: price(&large, system),
        },
        others: Vec::new(),
        are_measured: true,
    }
}

fn system() -> System<'static> {
    System { bytes_of: &BYTES }
}

/// What a memory takes for an object: of the first script with calls in a row, of the second with other work between
/// calls.
fn price<M: Memory>(scripts: &[Script; 2], memory: impl Fn() -> M) -> Price {
    let all = [true; BYTES.len()];
    let ways = [Between::Nothing, Between::other_work()];
    let mut prices = scripts.iter().zip(ways).map(|(script, mut between)| {
        let mut replay = Program::new(script, &all, system(), Nothing);
        let mut program = Program::new(script, &all, system(), memory());
        let (mut least, mut least_without) = (u64::MAX, u64::MAX);
        for _ in 0..ROUNDS {
            least = least.min(program.lap(script, &mut between).iter().sum());
            least_without = least_without.min(replay.lap(script, &mut between).iter().sum());
        }
        least.saturating_sub(least_without) as f64 / f64::from(OBJECTS)
    });
    let mut next = || prices.next().unwrap_or_default();
    let (low, high) = (next(), next());
    Price { low, high: high.max(low) }
}

/// No memory at all.
struct Nothing;

impl Memory for Nothing {
    type Held = ();

    #[inline(always)]
    fn take(&mut self, _kind: u32) -> Option<()> {
        Some(())
    }

    #[inline(always)]
    fn give_back(&mut self, _held: ()) {}
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
        let prices = prices();
        let AllocatorPrices { at_hand, small, large } = prices.system;
        for price in [at_hand, small, large, prices.pool, prices.classes, prices.arena] {
            assert!(price.low <= price.high, "{prices}");
        }
        let text = prices.to_string();
        assert_eq!(Prices::parse(&text).map(|again| again.to_string()), Ok(text));
        assert!(prices.are_measured);
    }
}
