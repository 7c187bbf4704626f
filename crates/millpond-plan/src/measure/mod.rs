//! What a proposal saves in time, measured on this machine.
//!
//! Stretches of the recording are replayed twice, call by call and in the recording's own order: once with
//! all blocks from the system's allocator, and once with those of the proposal in pools. The difference is
//! what following it saves. That of one call does not follow from the class alone: it depends on what the
//! allocator has at hand at that moment, and so on all other calls of the program.
//!
//! A replay does nothing between two calls, and a program does. So each is measured in two ways that enclose
//! most programs: with everything in the caches, and with other memory read between any two calls. And with two
//! pools: millpond's, which checks handles, and the least that a pool can be; an allocator of size classes also finds
//! the pool by the size of a block, at its birth and at its death. The range goes from the lowest
//! that any of these says to the highest, and a margin beyond, because a replay is not the program.
//!
//! Each is replayed beside a control, the system's allocator against itself: what that seems to save is what this machine
//! does meanwhile, and widens the range. What is said of a proposal after that is the matter of `trial`.
//!
//! [`Laps`] measure what the plan is computed from without a replay, in a fraction of a second.
//!
//! Where a recording does not say who died, all of this is done from both ends, as if of equal blocks the newest had died
//! first and as if the oldest had, and the range has both.
//!
//! Not in the range: what a program gains when it visits its objects, because slots are smaller than the
//! allocator's blocks (`case-studies/walk`; a recording does not say how often objects are visited, and heaptrack's not
//! in which order they lie); and what its threads cost the allocator, because the replay has one thread.

mod estimate;
mod prices;
mod script;
mod trial;

use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::time::Duration;

use crate::clock;
use crate::error::Fault;
use crate::input::Source;
use crate::plan::{BYTES_DEFAULT, Means, OtherAllocator, Prices, Proposal, TimeSaved, TracePlan};
use crate::trace::both::Both;
use crate::trace::oldest_first::OldestFirst;
use crate::trace::{self, Nobody, Summary};
use estimate::Estimate;
use millpond_laps::{Between, Found, GRANULE, Kept, Pools, Program, Script, Size, roomy_heap};

/// The least and the most that something saves, in nanoseconds.
type Range = (f64, f64);
use script::{EVENTS_MAX, Recorder, STRETCH};
use trial::{Measured, judged};

pub use prices::Laps;

/// The number of proposals that `--measure` tries.
const PROPOSALS_MAX: usize = 10;

/// Whether the times of this build mean nothing: then each measurement is made the minimum number of times.
const IS_ROUGH: bool = cfg!(debug_assertions);

/// The approximate processor time of `--measure`, for all proposals together.
const BUDGET: Duration = Duration::from_secs(if IS_ROUGH { 0 } else { 4 });

/// A trial that nobody asked for replays this many events, in stretches of so many: few, because what was alive at the
/// beginning of each has to be brought back in every round, which takes longer than the stretch itself.
const TRIAL_EVENTS: u64 = 1 << 16;
const TRIAL_STRETCH: u64 = 1 << 14;

/// The number of proposals in it: the first ones.
const TRIALS_MAX: usize = 4;

/// The minimum and maximum number of measurements of each proposal.
const ROUNDS_MIN: usize = if IS_ROUGH { 2 } else { 7 };
const ROUNDS_MAX: usize = 101;

/// The maximum size of the slots of a proposal in bytes.
const POOL_BYTES_MAX: u64 = 1 << 30;

/// What the replays of a proposal keep of a place.
const PLACE_BYTES: u64 = 96;

/// Measures what the plan's proposals save, up to ten of them, and notes it in them.
///
/// # Errors
/// If the trace says nothing about the order of its events, or cannot be read again.
pub fn measure(plan: &mut TracePlan, source: &Source, prices: &Prices) -> Result<(), Fault> {
    plan.summary.expect_times("--measure")?;
    let of = Extent { proposals: PROPOSALS_MAX, stretch: STRETCH, events: EVENTS_MAX };
    try_proposals(plan, source, prices, of, BUDGET)
}

/// Tries the plan's first proposals for about this much processor time, and notes what they save. A recording without
/// times is left as it is: nothing can be replayed.
///
/// # Errors
/// If the trace cannot be read again.
pub fn trial(
    plan: &mut TracePlan,
    source: &Source,
    prices: &Prices,
    budget: Duration,
) -> Result<(), Fault> {
    if !plan.summary.has_times() || plan.summary.has_pools {
        return Ok(());
    }
    let of = Extent { proposals: TRIALS_MAX, stretch: TRIAL_STRETCH, events: TRIAL_EVENTS };
    try_proposals(plan, source, prices, of, budget)
}

/// How much is tried.
struct Extent {
    proposals: usize,
    /// The events that are replayed, and how many of them in a row.
    events: u64,
    stretch: u64,
}

fn try_proposals(
    plan: &mut TracePlan,
    source: &Source,
    prices: &Prices,
    of: Extent,
    budget: Duration,
) -> Result<(), Fault> {
    let advice = &plan.advice;
    let measured: Vec<(usize, &Proposal)> = (1..)
        .zip(advice.proposals.iter().chain(&advice.best_of_none))
        .filter(|(_, proposal)| can_be_replayed(&proposal.means))
        .take(of.proposals)
        .collect();
    if measured.is_empty() {
        return Ok(());
    }
    let bytes_of: Vec<u64> =
        advice.bytes_of_kinds.iter().map(|bytes| bytes.unwrap_or(BYTES_DEFAULT)).collect();
    let events = plan.summary.events();
    // From both ends, half as much from each takes as long.
    let ends = if plan.summary.says_who_died() { 1 } else { 2 };
    let recorder = || Recorder::of_stretches(&bytes_of, events, of.stretch, of.events / ends);
    let label = format!("measuring {}", plan.name.rsplit('/').next().unwrap_or(&plan.name));
    let scripts = scripts(source, &plan.summary, &label, recorder)?;
    let _floor = room_for(&scripts);
    let each = budget / (measured.len() * scripts.len()) as u32;
    let mut verdicts = HashMap::new();
    for (number, proposal) in measured {
        let measure = || {
            let of = |script| Measurement::new(proposal, &bytes_of, script).run(each);
            scripts.iter().map(of).try_fold(Measured::NOTHING_YET, |all, of| Some(all.and(of?)))
        };
        if let Some(verdict) = judged(proposal.calls, prices.system.dearest_ns(), measure) {
            verdicts.insert(number, verdict);
        }
    }
    plan.note_trial(&verdicts, |proposal| can_be_replayed(&proposal.means));
    Ok(())
}

/// The recorded calls, ready to be replayed: from both ends if the recording does not say who died.
fn scripts<'k>(
    source: &Source,
    summary: &Summary,
    label: &str,
    recorder: impl Fn() -> Recorder<'k>,
) -> Result<Vec<Script>, Fault> {
    let mut newest_first = recorder();
    let mut progress = source.progress(label);
    let mut oldest_first = None;
    let input = trace::open(source)?.in_frames(summary.frames_as_ticks());
    let again = if summary.says_who_died() {
        trace::read(input, &mut newest_first, &mut *progress)?
    } else {
        let mut other = OldestFirst::new(recorder());
        let mut both = Both(&mut newest_first, &mut other);
        let again = trace::read(input, &mut both, &mut *progress)?;
        oldest_first = Some(other.finish(again.last_tick));
        again
    };
    drop(progress);
    if again != *summary {
        return Err(Fault::whole("changed while being read, expected a finished trace"));
    }
    Ok([Some(newest_first), oldest_first].into_iter().flatten().map(Recorder::finish).collect())
}

/// Room in the heap for what is measured, as long as the result lives.
fn room_for(scripts: &[Script]) -> Box<[MaybeUninit<u8>]> {
    let bytes = |script: &Script| script.bytes_peak + script.places as u64 * PLACE_BYTES;
    roomy_heap(scripts.iter().map(bytes).max().unwrap_or(0))
}

/// What the allocator of this process takes for the recorded calls, in nanoseconds per object: with calls in a row, and
/// with other work between them; if the recording does not say who died, once more from the other end. It includes what the
/// replay itself takes.
///
/// # Errors
/// If the trace says nothing about the order of its events, or cannot be read.
pub fn calls_ns(source: &Source) -> Result<Vec<f64>, Fault> {
    let mut nobody = Nobody;
    let mut progress = source.progress("reading");
    let input = trace::open(source)?.in_frames(trace::frames(source)?);
    let summary = trace::read(input, &mut nobody, &mut *progress)?;
    drop(progress);
    summary.expect_times("a replay")?;
    let bytes_of: Vec<u64> = match &summary.allocations {
        Some(all) => all.kinds().map(|(class, _)| all.sizes()[class as usize]).collect(),
        None => vec![BYTES_DEFAULT; summary.classes.len()],
    };
    let recorder = || Recorder::new(&bytes_of, summary.events());
    let scripts = scripts(source, &summary, "replaying", recorder)?;
    let _floor = room_for(&scripts);
    let of = |script| calls_of_script_ns(script, &bytes_of, BUDGET / (8 * scripts.len() as u32));
    Ok(scripts.iter().flat_map(of).collect())
}

/// What the calls of a script take, with nothing and with other work between them, each measured for so long.
fn calls_of_script_ns(script: &Script, bytes_of: &[u64], each: Duration) -> [f64; 2] {
    let all = vec![true; bytes_of.len()];
    let timed = script.timed_births(|_| true).max(1) as f64;
    let mut program = Program::new(script, bytes_of, &all, Kept::System);
    [Between::Nothing, Between::other_work()].map(|mut between| {
        let mut fastest: Vec<u64> = Vec::new();
        let begun = clock::worked();
        for round in 0..=ROUNDS_MAX {
            if round > ROUNDS_MIN && clock::worked() - begun > each {
                break;
            }
            let lap = program.lap(script, &mut between);
            fastest.resize(lap.len(), u64::MAX);
            fastest.iter_mut().zip(lap).for_each(|(least, now)| *least = now.min(*least));
        }
        fastest.iter().sum::<u64>() as f64 / timed
    })
}

/// Notes what another allocator saves, from what [`calls_ns`] says in a process with the system's allocator and in one
/// with the other.
pub fn note_allocator(plan: &mut TracePlan, name: &str, before: &[f64], after: &[f64]) {
    let is_this = |of: &&mut OtherAllocator| of.name == name;
    if let Some(allocator) = plan.advice.allocators.iter_mut().find(is_this) {
        let calls = allocator.calls;
        let saved =
            before.iter().zip(after).map(|(before, after)| (before - after) * calls as f64 / 1e6);
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let (low_ms, high_ms) = saved.fold(none, |all, ms| (all.0.min(ms), all.1.max(ms)));
        allocator.time_saved = TimeSaved::with_margin(calls, low_ms, high_ms, true);
    }
}

/// Whether a replay of the recording in this process shows what a proposal saves. The final size of a buffer is not
/// recorded, and a replay cannot leave the nodes of a container out.
fn can_be_replayed(means: &Means) -> bool {
    !matches!(means, Means::Reserve | Means::Packed { .. })
}

/// The measurement of one proposal.
struct Measurement<'m> {
    proposal: &'m Proposal,
    script: &'m Script,
    bytes_of: &'m [u64],
    /// By kind, whether it is in a pool.
    is_pooled: Vec<bool>,
    /// By kind, the number of its pool.
    pool_of: Vec<u32>,
    sizes: Vec<Size>,
}

impl<'m> Measurement<'m> {
    fn new(proposal: &'m Proposal, bytes_of: &'m [u64], script: &'m Script) -> Self {
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let mut sizes = Vec::new();
        let mut pool_of = vec![u32::MAX; bytes_of.len()];
        for &kind in &proposal.kinds {
            let slot = slot_bytes(proposal, bytes_of[kind as usize]);
            let next = sizes.len() as u32;
            let number = *numbers.entry(slot).or_insert(next);
            if number == next {
                sizes.push(Size { slots: 0, bytes: slot });
            }
            pool_of[kind as usize] = number;
        }
        let mut live = vec![0_usize; sizes.len()];
        for step in &script.steps {
            let Some(live) = live.get_mut(pool_of[step.kind() as usize] as usize) else { continue };
            let slots = &mut sizes[pool_of[step.kind() as usize] as usize].slots;
            *live = if step.is_birth() { *live + 1 } else { *live - 1 };
            *slots = (*slots).max(*live);
        }
        let is_pooled = pool_of.iter().map(|&pool| pool != u32::MAX).collect();
        Self { proposal, script, bytes_of, is_pooled, pool_of, sizes }
    }

    /// What was measured; `None` if nothing of it is in the script, or its slots take too much memory.
    fn run(self, budget: Duration) -> Option<Measured> {
        let timed = self.script.timed_births(|kind| self.is_pooled[kind as usize]);
        let slots = |size: &Size| (size.slots as u64).saturating_mul(size.bytes);
        let pool_bytes = self.sizes.iter().map(slots).fold(0, u64::saturating_add);
        if timed == 0 || pool_bytes > POOL_BYTES_MAX {
            return None;
        }
        let pools = |found| Pools { sizes: &self.sizes, pool_of: &self.pool_of, found };
        let (one, other) = match self.proposal.means {
            Means::Arena => (Kept::Arena(pool_bytes), None),
            Means::SizeClasses | Means::ProgramSizeClasses(_) => {
                (Kept::Pools(pools(Found::BySize)), Some(Kept::BarePools(pools(Found::BySize))))
            }
            _ => (Kept::Pools(pools(Found::ByKind)), Some(Kept::BarePools(pools(Found::ByKind)))),
        };
        let (ranges, control) = self.compare(one, other, budget);
        let calls = self.proposal.calls;
        let whole_trace_ms = |timed_ns: f64| timed_ns * calls as f64 / timed as f64 / 1e6;
        let of = |ranges: Vec<Range>| {
            let least = ranges.iter().map(|range| range.0).fold(f64::INFINITY, f64::min);
            let most = ranges.iter().map(|range| range.1).fold(f64::NEG_INFINITY, f64::max);
            (whole_trace_ms(least), whole_trace_ms(most))
        };
        Some(Measured { saved_ms: of(ranges), control_ms: of(control) })
    }

    /// What one memory or another saves, in each way of working between calls, and what the system's allocator saves
    /// beside itself, which is nothing.
    fn compare(
        &self,
        one: Kept<'_>,
        other: Option<Kept<'_>>,
        budget: Duration,
    ) -> (Vec<Range>, Vec<Range>) {
        let program = |kept| Program::new(self.script, self.bytes_of, &self.is_pooled, kept);
        let [mut before, mut control] = [Kept::System, Kept::System].map(program);
        let mut one = program(one);
        let mut other = other.map(program);
        let mut ways = [Between::Nothing, Between::other_work()]
            .map(|between| (between, <[Estimate; 3]>::default()));
        let begun = clock::worked();
        // The first round only fills the caches.
        for round in 0..=ROUNDS_MAX {
            if round > ROUNDS_MIN && clock::worked() - begun > budget {
                break;
            }
            for (between, estimates) in &mut ways {
                let blocks = before.lap(self.script, between);
                let laps = [
                    Some(control.lap(self.script, between)),
                    Some(one.lap(self.script, between)),
                    other.as_mut().map(|other| other.lap(self.script, between)),
                ];
                for (estimate, lap) in estimates.iter_mut().zip(laps.iter().flatten()) {
                    if round > 0 {
                        estimate.note(&blocks, lap);
                    }
                }
            }
        }
        let ranges = |estimates: &[Estimate]| -> Vec<(f64, f64)> {
            let measured = estimates.iter().filter(|estimate| !estimate.is_empty());
            measured.map(Estimate::range).collect()
        };
        let saved = ways.iter().flat_map(|way| ranges(&way.1[1..])).collect();
        (saved, ways.iter().flat_map(|way| ranges(&way.1[..1])).collect())
    }
}

/// The bytes of the slot of a proposal for a block.
fn slot_bytes(proposal: &Proposal, bytes: u64) -> u64 {
    match &proposal.means {
        Means::SharedPool => proposal.bytes_max.unwrap_or(bytes),
        Means::SizeClasses => bytes.next_multiple_of(GRANULE),
        Means::ProgramSizeClasses(sizes) => {
            sizes.get(sizes.partition_point(|size| *size < bytes)).copied().unwrap_or(bytes)
        }
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    /// By script, the places of the births and deaths of a recording.
    fn places(recording: &'static str) -> Vec<Vec<u32>> {
        let source = Source::from_memory(recording.as_bytes());
        let summary = trace::read(source.open().unwrap(), &mut Nobody, &mut Silent).unwrap();
        let scripts = scripts(&source, &summary, "", || Recorder::new(&[32], 4)).unwrap();
        scripts.iter().map(|script| script.steps.iter().map(|step| step.place).collect()).collect()
    }

    #[test]
    fn a_recording_that_does_not_say_who_died_is_replayed_from_both_ends() {
        let heaptrack = "v 10400 3\nX ./a\ns 4 main\nI 1000 40000\ni 1 0 1\nt 1 0\na 20 1\n+ 0\nc 1\n+ 0\nc 2\n- 0\nc 3\n- 0\n";
        assert_eq!(places(heaptrack), [[0, 1, 1, 0], [0, 1, 0, 1]]);
        let table = "ms,event,address,size,stack\n0,alloc,1,32,main\n1,alloc,2,32,main\n2,free,1\n3,free,2\n";
        assert_eq!(places(table), [[0, 1, 0, 1]]);
    }

    #[test]
    fn slots_fit_their_blocks() {
        let of = |means, bytes_max| Proposal { means, bytes_max, ..Proposal::default() };
        assert_eq!(slot_bytes(&of(Means::Pool, Some(56)), 56), 56);
        assert_eq!(slot_bytes(&of(Means::SharedPool, Some(56)), 48), 56);
        assert_eq!(slot_bytes(&of(Means::SizeClasses, Some(99)), 17), 32);
        let sizes = of(Means::ProgramSizeClasses(vec![32, 96]), None);
        assert_eq!([1, 32, 33, 96].map(|bytes| slot_bytes(&sizes, bytes)), [32, 32, 96, 96]);
    }
}
