//! The worst single operation: each removal and each insertion timed on its own, at 1,000,000 slots, and
//! beside it each plain access to an array of the same size.
//!
//! The clock is the processor's time stamp where there is one. What the operating system does to the program
//! (an interrupt, another program's turn) shows in every row alike, the row of plain accesses included:
//! compare with that, not with zero.

use std::hint::black_box;
use std::marker::PhantomData;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::contender::Contender;
use crate::contenders::{Visitor, visit_all};
use crate::csv;
use crate::object::Object;
use crate::population::Population;

/// The slots of each store, and of the array.
pub(crate) const SLOTS: usize = 1_000_000;

/// Latencies of one contender, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Latency {
    pub(crate) contender: String,
    pub(crate) operations: usize,
    #[serde(serialize_with = "csv::rounded")]
    pub(crate) median: f64,
    #[serde(serialize_with = "csv::rounded")]
    pub(crate) p99: f64,
    #[serde(serialize_with = "csv::rounded")]
    pub(crate) p9999: f64,
    #[serde(serialize_with = "csv::rounded")]
    pub(crate) worst: f64,
    /// The median over the rounds of each round's worst.
    #[serde(serialize_with = "csv::rounded")]
    pub(crate) worst_median: f64,
}

/// The name of the row to compare with.
pub(crate) const PLAIN: &str = "limit: plain access to memory";

/// Times `operations` insertions and removals of each contender for which `wanted` is true, in `rounds`
/// parts, all contenders in each.
pub(crate) fn run(operations: usize, rounds: usize, wanted: &dyn Fn(&str) -> bool) -> Vec<Latency> {
    let clock = Clock::new();
    let mut runs = Collector(Vec::new(), wanted);
    runs.0.push(Entry {
        name: PLAIN,
        part: Box::new(plain_part),
        seen: Histogram::new(),
        worst: Vec::new(),
    });
    visit_all(&mut runs);
    let Collector(mut entries, _) = runs;
    for round in 0..rounds {
        for entry in &mut entries {
            let worst = (entry.part)(&clock, operations / rounds, round as u64, &mut entry.seen);
            entry.worst.push(worst);
        }
    }
    entries.into_iter().map(|entry| entry.latency(&clock)).collect()
}

/// Times one part and returns the worst ticks of it.
type Part = dyn Fn(&Clock, usize, u64, &mut Histogram) -> u64;

struct Entry {
    name: &'static str,
    part: Box<Part>,
    seen: Histogram,
    worst: Vec<u64>,
}

impl Entry {
    fn latency(mut self, clock: &Clock) -> Latency {
        self.worst.sort_unstable();
        let at = |part| clock.nanoseconds(self.seen.quantile(part));
        Latency {
            contender: self.name.to_owned(),
            operations: self.seen.total,
            median: at(0.5),
            p99: at(0.99),
            p9999: at(0.9999),
            worst: clock.nanoseconds(self.worst[self.worst.len() - 1]),
            worst_median: clock.nanoseconds(self.worst[self.worst.len() / 2]),
        }
    }
}

struct Collector<'a>(Vec<Entry>, &'a dyn Fn(&str) -> bool);

impl Visitor for Collector<'_> {
    fn visit<C: Contender>(&mut self) {
        if C::KEYS_LAST && C::REMOVES && (self.1)(C::NAME) && C::new::<Object<12>>(SLOTS).is_some()
        {
            let part = Timing::<C>(PhantomData);
            self.0.push(Entry {
                name: C::NAME,
                part: Box::new(move |clock, count, seed, seen| part.run(clock, count, seed, seen)),
                seen: Histogram::new(),
                worst: Vec::new(),
            });
        }
    }
}

struct Timing<C>(PhantomData<C>);

impl<C: Contender> Timing<C> {
    /// From an empty store: the fill is part of it, and then churn at 90 %.
    fn run(&self, clock: &Clock, count: usize, seed: u64, seen: &mut Histogram) -> u64 {
        let Some(mut population) = Population::<C, 12>::empty(SLOTS) else {
            return 0;
        };
        population.random = crate::random::Random::new(seed);
        population.touch_keys();
        let mut worst = 0;
        for operation in 0..count {
            let after_fill = operation.saturating_sub(SLOTS);
            let inserts = operation < SLOTS || (after_fill >= SLOTS / 10 && after_fill % 2 == 1);
            let ticks = if inserts {
                Self::insert(clock, &mut population)
            } else {
                Self::remove(clock, &mut population)
            };
            seen.add(ticks);
            worst = worst.max(ticks);
        }
        worst
    }

    #[inline(always)]
    fn insert(clock: &Clock, population: &mut Population<C, 12>) -> u64 {
        let object = population.make();
        let start = clock.now();
        let key = C::insert(&mut population.store, object);
        black_box(&mut population.store);
        let ticks = clock.now() - start;
        population.keys.push(key);
        ticks
    }

    #[inline(always)]
    fn remove(clock: &Clock, population: &mut Population<C, 12>) -> u64 {
        let place = population.random.below(population.keys.len());
        let key = population.keys.swap_remove(place);
        let start = clock.now();
        black_box(C::remove(&mut population.store, key).x());
        clock.now() - start
    }
}

/// Reads and writes one random object of an array that was written before.
fn plain_part(clock: &Clock, count: usize, seed: u64, seen: &mut Histogram) -> u64 {
    let mut array = vec![Object::<12>::new(1); SLOTS];
    let mut random = crate::random::Random::new(seed);
    let mut worst = 0;
    for number in 0..count {
        let place = random.below(SLOTS);
        let start = clock.now();
        black_box(std::mem::replace(&mut array[place], Object::new(number as u32)).x());
        black_box(&mut array);
        let ticks = clock.now() - start;
        seen.add(ticks);
        worst = worst.max(ticks);
    }
    worst
}

/// The finest clock there is.
struct Clock {
    begin: Instant,
    nanoseconds_per_tick: f64,
}

impl Clock {
    fn new() -> Self {
        let mut clock = Self { begin: Instant::now(), nanoseconds_per_tick: 1.0 };
        let (begin, ticks) = (Instant::now(), clock.now());
        while begin.elapsed().as_millis() < 20 {}
        clock.nanoseconds_per_tick =
            begin.elapsed().as_nanos() as f64 / (clock.now() - ticks) as f64;
        clock
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn now(&self) -> u64 {
        let _ = self.begin;
        let mut core = 0;
        // SAFETY: every x86-64 processor of the last fifteen years has the instruction. It waits for what
        // came before it.
        unsafe { std::arch::x86_64::__rdtscp(&mut core) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    fn now(&self) -> u64 {
        self.begin.elapsed().as_nanos() as u64
    }

    fn nanoseconds(&self, ticks: u64) -> f64 {
        ticks as f64 * self.nanoseconds_per_tick
    }
}

/// Counts by size: 16 steps to each doubling.
struct Histogram {
    counts: Vec<usize>,
    total: usize,
}

/// Each doubling has 2 to the power of so many steps.
const STEP_BITS: u32 = 4;

impl Histogram {
    fn new() -> Self {
        Self { counts: vec![0; 64 << STEP_BITS], total: 0 }
    }

    #[inline(always)]
    fn add(&mut self, ticks: u64) {
        self.counts[Self::step(ticks)] += 1;
        self.total += 1;
    }

    #[inline(always)]
    fn step(ticks: u64) -> usize {
        let ticks = ticks.max(1 << STEP_BITS);
        let doublings = ticks.ilog2();
        let within = (ticks >> (doublings - STEP_BITS)) as usize & ((1 << STEP_BITS) - 1);
        ((doublings as usize) << STEP_BITS) + within
    }

    /// The lower end of the step that holds the value below which `part` of all lie.
    fn quantile(&self, part: f64) -> u64 {
        let wanted = (self.total as f64 * part) as usize;
        let mut below = 0;
        let found = self.counts.iter().position(|count| {
            below += count;
            below > wanted
        });
        let step = found.unwrap_or(0);
        let doublings = (step >> STEP_BITS) as u32;
        let within = (step & ((1 << STEP_BITS) - 1)) as u64;
        (1 << doublings) + (within << doublings.saturating_sub(STEP_BITS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histogram_finds_a_quantile_within_a_sixteenth() {
        let mut histogram = Histogram::new();
        (0..100_000).for_each(|ticks| histogram.add(ticks));
        for (part, exact) in [(0.5, 50_000.0), (0.99, 99_000.0), (0.001, 100.0)] {
            let found = histogram.quantile(part) as f64;
            assert!((found / exact - 1.0).abs() < 1.0 / 16.0, "{found} for {exact}");
        }
    }
}
