//! What a proposal saves in time, measured on this machine.
//!
//! Stretches of the recording are replayed twice, call by call and in the recording's own order: once with
//! all blocks from the system's allocator, and once with those of the proposal in pools. The difference is
//! what following it saves. That of one call does not follow from the class alone: it depends on what the
//! allocator has at hand at that moment, and so on all other calls of the program.
//!
//! A replay does nothing between two calls, and a program does. So each is measured in two ways that enclose
//! most programs: with everything in the caches, and with other memory read between any two calls. And with two
//! pools: millpond's, which checks handles, and the least that a pool can be. The range goes from the lowest
//! that any of these says to the highest, and a margin beyond, because a replay is not the program.
//!
//! Not in the range: what a program gains when it visits its objects, because slots are smaller than the
//! allocator's blocks (`case-studies/walk`; a recording does not say how often objects are visited, and heaptrack's not
//! in which order they lie); and what its threads cost the allocator, because the replay has one thread.

mod estimate;
mod lap;
mod memory;
mod script;

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::error::Fault;
use crate::input::Source;
use crate::plan::{Advice, Means, Proposal, TimeSaved, TracePlan};
use crate::trace;
use estimate::Estimate;
use lap::{Between, Program};
use memory::{Bare, Size, System, WithHandles, roomy_heap};
use script::{Recorder, Script};

/// The number of proposals that are measured, and of those that the allocator serves from its caches.
const PROPOSALS_MAX: usize = 8;
const AT_HAND_MAX: usize = 6;

/// The approximate duration of the measurement, for all proposals together.
const BUDGET: Duration = Duration::from_secs(4);

/// The minimum and maximum number of measurements of each proposal.
const ROUNDS_MIN: usize = 7;
const ROUNDS_MAX: usize = 101;

/// The size of objects whose size the trace does not say: a small game object.
const BYTES_DEFAULT: u64 = 64;

/// The maximum size of the slots of a proposal in bytes.
const POOL_BYTES_MAX: u64 = 1 << 30;

/// By how much a program may differ from its replays, as a share. In the case studies, programs save up to a
/// fifth more than any replay says.
const MARGIN: f64 = 0.25;

/// What the replays of a proposal keep of a place.
const PLACE_BYTES: u64 = 96;

/// The sizes of slots for a place that asks for many sizes are multiples of this.
const GRANULE: u64 = 16;

/// Measures what the plan's proposals save, and notes it in them.
///
/// # Errors
/// If the trace says nothing about the order of its events, or cannot be read again.
pub fn measure(plan: &mut TracePlan, source: &Source) -> Result<(), Fault> {
    plan.summary.expect_times("--measure")?;
    if plan.advice.proposals.is_empty() && plan.advice.at_hand.is_empty() {
        return Ok(());
    }
    let bytes_of: Vec<u64> =
        plan.advice.kinds.iter().map(|kind| kind.bytes.unwrap_or(BYTES_DEFAULT)).collect();
    let mut recorder = Recorder::new(&bytes_of, plan.summary.events());
    let label = format!("measuring {}", plan.name.rsplit('/').next().unwrap_or(&plan.name));
    let mut progress = source.progress(&label);
    let again = trace::read(source.open()?, &mut recorder, &mut *progress)?;
    drop(progress);
    if again != plan.summary {
        return Err(Fault::whole("changed while being read, expected a finished trace"));
    }
    let script = recorder.finish();
    let _floor = roomy_heap(script.bytes_peak + script.places as u64 * PLACE_BYTES);
    let units = units(&plan.advice);
    let each = BUDGET / units.len().max(1) as u32;
    // Two units that are taken together count as one.
    let mut measured: HashMap<Vec<u32>, Option<TimeSaved>> = HashMap::new();
    let mut times = HashMap::new();
    for (unit, pooled) in &units {
        let run = || Measurement::new(&plan.advice, &bytes_of, &script, pooled).run(each);
        if let Some(time) = *measured.entry(pooled.unit_numbers()).or_insert_with(run) {
            times.insert(*unit, time);
        }
    }
    plan.advice.note_times(&times);
    let pools = plan.advice.proposals.iter().filter(|proposal| proposal.means == Means::Pool);
    let pooled: HashSet<&str> = pools.map(|proposal| proposal.class.as_str()).collect();
    for class in &mut plan.classes {
        class.worth_a_pool |= pooled.contains(class.name.as_str());
    }
    Ok(())
}

/// What of a proposal is in pools.
struct Pooled {
    /// The proposal's unit and those that are taken with it, and whether the slots of each are granules.
    units: HashMap<u32, bool>,
    /// The number of requests for them in the whole trace.
    calls: u64,
}

impl Pooled {
    /// The units in order.
    fn unit_numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.units.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }
}

/// The proposals that are measured, by unit.
fn units(advice: &Advice) -> Vec<(u32, Pooled)> {
    let followed = advice.proposals.iter().filter(|proposal| proposal.can_be_followed());
    let measured = followed.take(PROPOSALS_MAX).chain(advice.at_hand.iter().take(AT_HAND_MAX));
    measured
        .map(|proposal| {
            let company = advice.proposals.iter().filter(|other| {
                other.means == Means::Pool && proposal.together_with.contains(&other.class)
            });
            let all: Vec<&Proposal> = std::iter::once(proposal).chain(company).collect();
            let units = all.iter().map(|of| (of.unit, of.means == Means::SizeClasses)).collect();
            (proposal.unit, Pooled { units, calls: all.iter().map(|of| of.calls).sum() })
        })
        .collect()
}

/// The measurement of one proposal.
struct Measurement<'m> {
    script: &'m Script,
    bytes_of: &'m [u64],
    /// By kind, whether it is in a pool.
    is_pooled: Vec<bool>,
    /// By kind, the number of its pool.
    pool_of: Vec<u32>,
    sizes: Vec<Size>,
    calls: u64,
}

impl<'m> Measurement<'m> {
    fn new(advice: &Advice, bytes_of: &'m [u64], script: &'m Script, pooled: &Pooled) -> Self {
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let mut sizes = Vec::new();
        let mut pool_of = Vec::with_capacity(bytes_of.len());
        for (kind, &bytes) in advice.kinds.iter().zip(bytes_of) {
            let Some(has_granules) = pooled.units.get(&kind.unit) else {
                pool_of.push(u32::MAX);
                continue;
            };
            let slot = if *has_granules { bytes.next_multiple_of(GRANULE) } else { bytes };
            let next = sizes.len() as u32;
            let number = *numbers.entry(slot).or_insert(next);
            if number == next {
                sizes.push(Size { slots: 0, bytes: slot });
            }
            pool_of.push(number);
        }
        let mut live = vec![0_usize; sizes.len()];
        for step in &script.steps {
            let Some(live) = live.get_mut(pool_of[step.kind() as usize] as usize) else { continue };
            let slots = &mut sizes[pool_of[step.kind() as usize] as usize].slots;
            *live = if step.is_birth() { *live + 1 } else { *live - 1 };
            *slots = (*slots).max(*live);
        }
        let is_pooled = pool_of.iter().map(|&pool| pool != u32::MAX).collect();
        Self { script, bytes_of, is_pooled, pool_of, sizes, calls: pooled.calls }
    }

    /// The time saved; `None` if nothing of it is in the script, or its slots take too much memory.
    fn run(self, budget: Duration) -> Option<TimeSaved> {
        let timed = self.script.timed_births(|kind| self.is_pooled[kind as usize]);
        let slots = |size: &Size| (size.slots as u64).saturating_mul(size.bytes);
        let pool_bytes = self.sizes.iter().map(slots).fold(0, u64::saturating_add);
        if timed == 0 || pool_bytes > POOL_BYTES_MAX {
            return None;
        }
        let system = || System { bytes_of: self.bytes_of };
        let handles = WithHandles::new(&self.sizes, &self.pool_of);
        let bare = Bare::new(&self.sizes, &self.pool_of);
        let mut before = Program::new(self.script, &self.is_pooled, system(), system());
        let mut with_handles = Program::new(self.script, &self.is_pooled, system(), handles);
        let mut with_bare = Program::new(self.script, &self.is_pooled, system(), bare);
        let mut ways = [Between::Nothing, Between::other_work()]
            .map(|between| (between, <[Estimate; 2]>::default()));
        let begun = Instant::now();
        // The first round only fills the caches.
        for round in 0..=ROUNDS_MAX {
            if round > ROUNDS_MIN && begun.elapsed() > budget {
                break;
            }
            for (between, estimates) in &mut ways {
                let blocks = before.lap(self.script, between);
                let pools =
                    [with_handles.lap(self.script, between), with_bare.lap(self.script, between)];
                if round > 0 {
                    let both = estimates.iter_mut().zip(&pools);
                    both.for_each(|(estimate, pool)| estimate.note(&blocks, pool));
                }
            }
        }
        let ranges = ways.iter().flat_map(|way| &way.1).map(Estimate::range);
        let (least, most) = ranges.fold((f64::INFINITY, f64::NEG_INFINITY), |all, range| {
            (all.0.min(range.0), all.1.max(range.1))
        });
        let whole_trace_ms = |timed_ns: f64| timed_ns * self.calls as f64 / timed as f64 / 1e6;
        Some(TimeSaved {
            calls: self.calls,
            least_ms: lower(whole_trace_ms(least)),
            most_ms: -lower(-whole_trace_ms(most)),
        })
    }
}

/// What a saving may be if it is lower than measured by the margin.
fn lower(ms: f64) -> f64 {
    if ms > 0.0 { ms / (1.0 + MARGIN) } else { ms * (1.0 + MARGIN) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_widens_a_range_and_never_changes_its_signs() {
        let widened = |least, most: f64| (lower(least), -lower(-most));
        assert_eq!(widened(2.0, 4.0), (1.6, 5.0));
        assert_eq!(widened(-2.0, 4.0), (-2.5, 5.0));
        assert_eq!(widened(-4.0, -2.0), (-5.0, -1.6));
        assert_eq!(widened(0.0, 0.0), (0.0, 0.0));
    }
}
