//! One pool of a soak, with a model that is too simple to be wrong.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use hdrhistogram::Histogram;

use super::checkpoint::PoolState;
use super::memory::{resident_bytes, touched};
use super::random::Random;
use super::shape::{Shape, TraceEvent};
use super::subject::{AnySubject, Bits, WrittenOver};
use crate::allocations;

/// The longest operation that the histogram distinguishes from longer ones: a minute.
pub(super) const LATENCY_MAX_NS: u64 = 60_000_000_000;

/// The counts of a lane so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    /// Operations on the pool, including those that only read.
    pub(crate) operations: u64,
    /// The number of live objects, now and at the peak.
    pub(crate) live: u64,
    pub(crate) peak: u64,
    /// The number of retired slots, including those of replaced pools.
    pub(crate) retired: u64,
    /// The number of insertions that a full pool rightly refused.
    pub(crate) refused: u64,
    /// How often the pool was replaced because most of its slots had retired.
    pub(crate) renewed: u64,
    /// The effect of the replacements on the memory.
    pub(crate) renewals: Renewals,
    /// Requests to the allocator while the pool worked.
    pub(crate) allocations: u64,
    /// The size of the live objects in bytes, now and at the peak.
    pub(crate) bytes_live: u64,
    pub(crate) bytes_peak: u64,
}

/// The effect of replacing pools on the memory of the process.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Renewals {
    /// Bytes allocated, less bytes freed: none, as the new pool is as large as the old one.
    pub(crate) bytes_kept: i64,
    /// By how much resident memory grew meanwhile. The allocator may put a new pool elsewhere and keep the place of the
    /// old one, so this figure does not measure the pools.
    pub(crate) resident_growth: i64,
}

impl Renewals {
    fn add(&mut self, bytes_kept: i64, resident: (Option<u64>, Option<u64>)) {
        self.bytes_kept += bytes_kept;
        if let (Some(before), Some(after)) = resident {
            self.resident_growth += after as i64 - before as i64;
        }
    }
}

/// A lane with any pool.
pub(crate) trait Work {
    fn name(&self) -> &str;
    /// Does this many operations, then checks everything. The error is the step and what is wrong.
    fn work(&mut self, shape: &Shape, steps: u64) -> Result<(), (u64, String)>;
    fn tally(&self) -> Tally;
    /// The times of insertions and removals, in nanoseconds.
    fn latency(&self) -> &Histogram<u64>;
    /// What the next soak goes on from.
    fn state(&mut self) -> PoolState;
    /// Goes on from the state of an earlier soak. The error says why the state is that of no such pool.
    fn resume(&mut self, state: &PoolState) -> Result<(), String>;
}

/// A slot in the model.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// Its live object: handle, number, and position in the list of live slots.
    live: Option<(Bits, u64, usize)>,
    /// The handle of the previous object.
    stale: Option<Bits>,
}

/// Makes a pool of this many slots.
pub(super) type Make = Box<dyn Fn(usize) -> Box<dyn AnySubject>>;

pub(super) struct Lane {
    name: String,
    subject: Box<dyn AnySubject>,
    make: Make,
    slots: Vec<Known>,
    live: Vec<u32>,
    /// By key of the trace, the object's slot.
    keys: Vec<Option<u32>>,
    next_event: usize,
    random: Random,
    step: u64,
    numbers: u64,
    /// The number at which the pool's own count of insertions began.
    numbers_before: u64,
    removed: u64,
    /// The number of live objects that a random load approaches, and until when.
    goal: usize,
    goal_until: u64,
    object_bytes: u64,
    latency: Histogram<u64>,
    tally: Tally,
}

impl Lane {
    pub(super) fn new(
        name: String,
        capacity: usize,
        object_bytes: usize,
        seed: u64,
        keys: usize,
        make: Make,
    ) -> Self {
        let mut latency = Histogram::new_with_bounds(1, LATENCY_MAX_NS, 2)
            .expect("the bounds are in order and two digits can be had");
        // Touches its pages here, not in the middle of the work.
        latency.clear();
        let mut live = touched(capacity, u32::MAX);
        live.clear();
        Self {
            random: Random::of(seed, &name),
            name,
            subject: make(capacity),
            make,
            slots: touched(capacity, Known { live: None, stale: None }),
            live,
            keys: touched(keys, None),
            next_event: 0,
            step: 0,
            numbers: 0,
            numbers_before: 0,
            removed: 0,
            goal: 0,
            goal_until: 0,
            object_bytes: object_bytes as u64,
            latency,
            tally: Tally::default(),
        }
    }

    fn one_step(&mut self, shape: &Shape) -> Result<(), String> {
        self.step += 1;
        self.tally.operations += 1;
        match self.random.below(100) {
            0..50 => match shape {
                Shape::Synthetic => self.wander(),
                Shape::Trace { events, .. } => self.follow(events),
            },
            50..70 => self.look_at_a_live_one(),
            70..85 => self.look_at_a_stale_one(),
            85..92 => self.remove_a_stale_one(),
            92..99 => self.move_to_the_next_lifetime(),
            _ => self.sweep(matches!(shape, Shape::Synthetic)),
        }
    }

    /// Inserts or removes, so that the number of live objects rises and falls in long waves.
    fn wander(&mut self) -> Result<(), String> {
        if self.step >= self.goal_until {
            self.goal = self.random.below(self.slots.len() + self.slots.len() / 8 + 2);
            self.goal_until = self.step + (1 << 10) + self.random.below(1 << 16) as u64;
        }
        let towards = self.random.below(10) < 7;
        if (self.live.len() < self.goal) == towards {
            self.insert().map(drop)
        } else {
            self.any_live().map_or(Ok(()), |slot| self.remove(slot))
        }
    }

    /// Does what the program of the trace did next. After the end of the trace, all objects die and it begins again.
    fn follow(&mut self, events: &[TraceEvent]) -> Result<(), String> {
        let Some(event) = events.get(self.next_event) else {
            self.next_event = 0;
            self.keys.fill(None);
            return self.clear();
        };
        self.next_event += 1;
        let key = event.key();
        if event.is_birth() {
            self.keys[key] = self.insert()?;
            return Ok(());
        }
        self.keys[key].take().map_or(Ok(()), |slot| self.remove(slot as usize))
    }

    fn insert(&mut self) -> Result<Option<u32>, String> {
        self.numbers += 1;
        let number = self.numbers;
        let begun = Instant::now();
        let inserted = self.subject.insert(number);
        self.record(begun);
        let full = self.live.len() + self.subject.retired() == self.slots.len();
        match inserted {
            Some(handle) => self.born(handle, number).map(Some),
            None if full => {
                self.numbers -= 1;
                self.tally.refused += 1;
                Ok(None)
            }
            None => Err(format!("an insertion was refused with {} live", self.live.len())),
        }
    }

    fn remove(&mut self, slot: usize) -> Result<(), String> {
        let Some((handle, number, place)) = self.slots[slot].live else { return Ok(()) };
        let begun = Instant::now();
        let removed = self.subject.remove(handle);
        self.record(begun);
        self.expect("a removed object", handle, removed, Some(Ok(number)))?;
        self.died(slot, place);
        self.expect_number("a handle after its removal", handle, None)
    }

    /// Records a birth in the model; the slot.
    fn born(&mut self, handle: Bits, number: u64) -> Result<u32, String> {
        let slot = self.subject.slot(handle);
        let Some(known) = self.slots.get_mut(slot) else {
            return Err(format!("handle {} is out of range", self.subject.tell(handle)));
        };
        if known.live.is_some() {
            return Err(format!("handle {} names a slot that is live", self.subject.tell(handle)));
        }
        if known.stale == Some(handle) {
            return Err(format!("handle {} was issued twice in a row", self.subject.tell(handle)));
        }
        known.live = Some((handle, number, self.live.len()));
        let stale = known.stale;
        self.live.push(slot as u32);
        let live = self.live.len() as u64;
        self.tally.peak = self.tally.peak.max(live);
        self.expect_number("a new object", handle, Some(number))?;
        if let Some(stale) = stale {
            self.expect_number("a handle of the slot's object before", stale, None)?;
        }
        Ok(slot as u32)
    }

    /// Records a death in the model.
    fn died(&mut self, slot: usize, place: usize) {
        let known = &mut self.slots[slot];
        known.stale = known.live.take().map(|(handle, ..)| handle);
        self.removed += 1;
        self.live.swap_remove(place);
        if let Some(&moved) = self.live.get(place)
            && let Some((_, _, at)) = &mut self.slots[moved as usize].live
        {
            *at = place;
        }
    }

    fn look_at_a_live_one(&mut self) -> Result<(), String> {
        let Some(slot) = self.any_live() else { return Ok(()) };
        let Some((handle, number, _)) = self.slots[slot].live else { return Ok(()) };
        self.expect_number("a live object", handle, Some(number))
    }

    fn look_at_a_stale_one(&mut self) -> Result<(), String> {
        let Some(stale) = self.any_stale() else { return Ok(()) };
        self.expect_number("a stale handle", stale, None)
    }

    fn remove_a_stale_one(&mut self) -> Result<(), String> {
        let Some(stale) = self.any_stale() else { return Ok(()) };
        let removed = self.subject.remove(stale);
        self.expect("the removal of a stale handle", stale, removed, None)
    }

    /// Removes an object, and inserts another with the slot's next handle.
    fn move_to_the_next_lifetime(&mut self) -> Result<(), String> {
        let Some(slot) = self.any_live() else { return Ok(()) };
        let Some((handle, number, place)) = self.slots[slot].live else { return Ok(()) };
        let Some(next) = self.subject.next_lifetime(handle) else { return Ok(()) };
        let retired = self.subject.retired();
        let removed = self.subject.remove(handle);
        self.expect("a removed object", handle, removed, Some(Ok(number)))?;
        self.died(slot, place);
        self.numbers += 1;
        if self.subject.insert_at(next, self.numbers) {
            return self.born(next, self.numbers).map(drop);
        }
        self.numbers -= 1;
        if self.subject.exhaustion_shows() && self.subject.retired() == retired {
            return Err(format!(
                "an insertion at {}, the slot's next handle, was refused",
                self.subject.tell(next)
            ));
        }
        Ok(())
    }

    /// Removes many objects at once; rarely, because it takes long.
    fn sweep(&mut self, may_clear: bool) -> Result<(), String> {
        if !may_clear || self.random.below(self.slots.len() / 4 + 1) != 0 {
            return Ok(());
        }
        if !self.subject.retains() || self.random.below(4) == 0 {
            return self.clear();
        }
        let (among, spared) = (2 + self.random.below(6) as u64, self.random.below(2) as u64);
        let keep = |number: u64| number % among == spared;
        self.subject.retain(&mut |number| keep(number));
        for place in (0..self.live.len()).rev() {
            let slot = self.live[place] as usize;
            if self.slots[slot].live.is_some_and(|(_, number, _)| !keep(number)) {
                self.died(slot, place);
            }
        }
        Ok(())
    }

    fn clear(&mut self) -> Result<(), String> {
        self.subject.clear();
        while let Some(&slot) = self.live.last() {
            self.died(slot as usize, self.live.len() - 1);
        }
        if self.subject.clear_forgets() {
            self.slots.iter_mut().for_each(|known| known.stale = None);
        }
        if self.subject.live() == 0 {
            Ok(())
        } else {
            Err("a cleared pool is not empty".to_owned())
        }
    }

    fn any_live(&mut self) -> Option<usize> {
        let place = self.random.below(self.live.len().max(1));
        self.live.get(place).map(|slot| *slot as usize)
    }

    fn any_stale(&mut self) -> Option<Bits> {
        let slot = self.random.below(self.slots.len());
        self.slots[slot].stale
    }

    fn record(&mut self, begun: Instant) {
        let nanoseconds = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.latency.saturating_record(nanoseconds.max(1));
    }

    fn expect_number(&self, what: &str, handle: Bits, number: Option<u64>) -> Result<(), String> {
        self.expect(what, handle, self.subject.number(handle), number.map(Ok))
    }

    fn expect(
        &self,
        what: &str,
        handle: Bits,
        found: Option<Result<u64, WrittenOver>>,
        expected: Option<Result<u64, WrittenOver>>,
    ) -> Result<(), String> {
        if found == expected {
            return Ok(());
        }
        let handle = self.subject.tell(handle);
        Err(format!("{what}, {handle}: found {found:?}, expected {expected:?}"))
    }

    /// Compares the whole pool with the model, and validates the pool.
    fn check(&self) -> Result<(), String> {
        self.subject.validate()?;
        let (mut seen, mut wrong) = (0, None);
        self.subject.visit(&mut |handle, number| {
            seen += 1;
            let known = self.slots.get(self.subject.slot(handle)).and_then(|known| known.live);
            if known.map(|(handle, number, _)| (handle, Some(number))) != Some((handle, number)) {
                wrong = wrong.or(Some((handle, number)));
            }
        });
        if let Some((handle, number)) = wrong {
            return Err(format!("iteration shows {} with {number:?}", self.subject.tell(handle)));
        }
        if seen != self.live.len() || self.subject.live() != self.live.len() {
            let (says, live) = (self.subject.live(), self.live.len());
            return Err(format!("iteration shows {seen}, the pool says {says}, {live} are live"));
        }
        if let Some(stats) = self.subject.stats()
            && let counts = (self.numbers.wrapping_sub(self.numbers_before), self.removed)
            && (stats.inserted, stats.removed) != counts
        {
            return Err(format!("{stats:?}, but {counts:?} were inserted and removed"));
        }
        Ok(())
    }

    /// Replaces a pool most of whose slots have retired.
    fn renew_if_used_up(&mut self) {
        if self.subject.retired() * 4 <= self.slots.len() * 3 {
            return;
        }
        self.tally.renewed += 1;
        self.tally.retired += self.subject.retired() as u64;
        let resident_before = resident_bytes();
        let ((), asked) = allocations::during(|| {
            // The old pool is dropped first, so that the new one can have its memory.
            drop(std::mem::replace(&mut self.subject, (self.make)(0)));
            self.subject = (self.make)(self.slots.len());
        });
        self.tally.renewals.add(asked.bytes_kept, (resident_before, resident_bytes()));
        self.slots.fill(Known { live: None, stale: None });
        self.live.clear();
        self.keys.fill(None);
        self.next_event = 0;
        (self.numbers, self.numbers_before, self.removed) = (0, 0, 0);
    }

    /// Brings each slot to the lifetime that it had, by insertions at the handles of its last object.
    ///
    /// Live objects get new numbers: the next ones, one for each slot.
    fn fill(&mut self, slots: &[u64]) -> Result<(), String> {
        for (slot, &state) in (0..).zip(slots) {
            let (generation, is_live) = (state / 2, state % 2 == 1);
            self.numbers += 1;
            if state == 0 {
                continue;
            }
            let handle = u32::try_from(generation).ok();
            let handle = handle.and_then(|generation| self.subject.handle(slot, generation));
            if !handle.is_some_and(|handle| self.subject.insert_at(handle, self.numbers)) {
                return Err(format!("slot {slot} cannot have generation {generation}"));
            }
            let Some(handle) = handle else { continue };
            let place = self.live.len();
            self.slots[slot as usize].live = Some((handle, self.numbers, place));
            self.live.push(slot);
            if !is_live {
                self.remove(slot as usize)?;
            }
        }
        if let Some(stats) = self.subject.stats() {
            self.numbers_before = self.numbers.wrapping_sub(stats.inserted);
            self.removed = stats.removed;
        }
        self.tally.peak = self.live.len() as u64;
        self.check()
    }

    /// Does steps until the number is reached or something is wrong.
    fn steps(&mut self, shape: &Shape, until: u64) -> Result<(), String> {
        while self.step < until {
            self.one_step(shape)?;
            let bytes = self.live.len() as u64 * self.object_bytes;
            self.tally.bytes_peak = self.tally.bytes_peak.max(bytes);
        }
        Ok(())
    }
}

impl Work for Lane {
    fn name(&self) -> &str {
        &self.name
    }

    fn work(&mut self, shape: &Shape, steps: u64) -> Result<(), (u64, String)> {
        let until = self.step + steps;
        let run = AssertUnwindSafe(|| {
            let (result, asked) = allocations::during(|| self.steps(shape, until));
            self.tally.allocations += asked.requests;
            result.and_then(|()| self.check())
        });
        let result = catch_unwind(run).unwrap_or_else(|_| Err("the pool panicked".to_owned()));
        result.map_err(|message| (self.step, message))?;
        self.renew_if_used_up();
        Ok(())
    }

    fn tally(&self) -> Tally {
        Tally {
            live: self.live.len() as u64,
            retired: self.tally.retired + self.subject.retired() as u64,
            bytes_live: self.live.len() as u64 * self.object_bytes,
            ..self.tally
        }
    }

    fn latency(&self) -> &Histogram<u64> {
        &self.latency
    }

    fn state(&mut self) -> PoolState {
        let of_slot = |known: &Known| match (known.live, known.stale) {
            (Some((handle, ..)), _) => u64::from(self.subject.generation(handle)) * 2 + 1,
            (None, Some(handle)) => u64::from(self.subject.generation(handle)) * 2,
            (None, None) => 0,
        };
        let slots = match self.subject.claims() {
            true => self.slots.iter().map(of_slot).collect(),
            false => Vec::new(),
        };
        PoolState { seed: self.random.seed_for_the_next(), slots }
    }

    fn resume(&mut self, state: &PoolState) -> Result<(), String> {
        self.random = Random::resumed(state.seed);
        let expected = if self.subject.claims() { self.slots.len() } else { 0 };
        if state.slots.len() != expected {
            return Err(format!("has {} slots, expected {expected}", state.slots.len()));
        }
        let fill = AssertUnwindSafe(|| self.fill(&state.slots));
        catch_unwind(fill).unwrap_or_else(|_| Err("the pool panicked".to_owned()))
    }
}
