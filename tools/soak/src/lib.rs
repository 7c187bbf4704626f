//! `millpond-soak`, which `millpond soak` starts: random work on every pool for any length of time, with every result checked.

mod allocations;
mod capacity;
mod checkpoint;
mod command;
mod frame_memory;
mod guards;
mod json;
mod lane;
mod lanes;
mod memory;
mod mixed;
mod payload;
mod pools;
mod processes;
mod program;
mod progress;
mod random;
mod shape;
mod subject;
#[cfg(test)]
mod tests;
mod text;
mod threads;
mod together;
mod trials;

pub use allocations::Counting;
pub use command::{SoakArguments, run};

pub(crate) use capacity::CAPACITY_MAX;
pub(crate) use checkpoint::Checkpoint;
pub(crate) use json::json;
pub(crate) use lane::Tally;
pub(crate) use memory::without_huge_pages;
pub(crate) use program::{Plan as ProgramPlan, soak_program};
pub(crate) use shape::Shape;
pub(crate) use text::text;
pub(crate) use threads::{ThreadsPlan, soak_threads};

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use lane::{Renewals, Work};
use lanes::Lanes;
use progress::ProgressLine;

/// The number of operations after which a lane is checked and the next one continues.
const SLICE: u64 = 1 << 14;

/// The tolerated difference of the process's memory, for each pool.
const PAGE_BYTES: i64 = 4096;

/// The options of a soak.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) seed: u64,
    /// The slots of each pool, if the shape does not determine them.
    pub(crate) capacity: usize,
    /// The maximum duration.
    pub(crate) time: Duration,
    /// The maximum number of operations of each pool.
    pub(crate) steps: Option<u64>,
    /// Only pools whose names contain this.
    pub(crate) only: Option<&'a str>,
    /// Whether boxes of the system's allocator replace the pools.
    pub(crate) system_allocator: bool,
}

/// The result of a soak.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) seed: u64,
    pub(crate) capacity: usize,
    pub(crate) elapsed: Duration,
    /// The time of the processor, where the system reports it.
    pub(crate) processor: Option<Duration>,
    pub(crate) interrupted: bool,
    pub(crate) system_allocator: bool,
    pub(crate) pools: Vec<PoolOutcome>,
    pub(crate) violation: Option<Violation>,
    /// Whether requests to the allocator were counted.
    pub(crate) allocations_counted: bool,
    /// Objects made and dropped, after all pools were dropped; equal unless one was lost.
    pub(crate) made: u64,
    pub(crate) dropped: u64,
    /// After the pools were made, at the peak, and at the end, before the pools were dropped.
    pub(crate) resident_start: Option<u64>,
    pub(crate) resident_peak: Option<u64>,
    pub(crate) resident_end: Option<u64>,
    /// The times of the insertions and removals of all pools.
    pub(crate) latency: Histogram<u64>,
}

/// The result of one pool.
#[derive(Debug)]
pub(crate) struct PoolOutcome {
    pub(crate) name: String,
    pub(crate) tally: Tally,
    pub(crate) median_ns: u64,
    pub(crate) worst_ns: u64,
}

/// A fault, and how to reproduce it.
#[derive(Debug)]
pub(crate) struct Violation {
    pub(crate) pool: String,
    pub(crate) step: u64,
    pub(crate) message: String,
}

impl Outcome {
    /// All pools together.
    pub(crate) fn total(&self) -> Tally {
        sum(self.pools.iter().map(|pool| pool.tally))
    }

    /// The first promise that was not kept, other than those about the answers of one pool.
    ///
    /// Used-up pools are replaced. Where the C library's heap puts the new ones is not up to the pools, so growth of
    /// resident memory during a replacement does not count, but each byte must be freed.
    pub(crate) fn broken_promise(&self) -> Option<String> {
        let Tally { allocations, renewals, .. } = self.total();
        if self.violation.is_none() && self.made != self.dropped {
            return Some(format!("{} objects were made and {} dropped", self.made, self.dropped));
        }
        if self.system_allocator {
            return None;
        }
        if allocations > 0 {
            return Some(format!("{allocations} allocations after the start"));
        }
        if renewals.bytes_kept != 0 {
            return Some(format!("pools that were replaced kept {} bytes", renewals.bytes_kept));
        }
        let growth = self.resident_end? as i64 - self.resident_start? as i64;
        let of_the_pools = growth - renewals.resident_growth;
        (of_the_pools > PAGE_BYTES * self.pools.len() as i64).then(|| {
            format!("resident memory grew by {of_the_pools} bytes, more than a page per pool")
        })
    }
}

fn sum(tallies: impl Iterator<Item = Tally>) -> Tally {
    tallies.fold(Tally::default(), |a, b| Tally {
        operations: a.operations + b.operations,
        live: a.live + b.live,
        peak: a.peak + b.peak,
        retired: a.retired + b.retired,
        refused: a.refused + b.refused,
        renewed: a.renewed + b.renewed,
        renewals: Renewals {
            bytes_kept: a.renewals.bytes_kept + b.renewals.bytes_kept,
            resident_growth: a.renewals.resident_growth + b.renewals.resident_growth,
        },
        allocations: a.allocations + b.allocations,
        bytes_live: a.bytes_live + b.bytes_live,
        bytes_peak: a.bytes_peak + b.bytes_peak,
    })
}

/// Why a soak cannot begin.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// The name of no pool contains the requested text.
    NoPool,
    /// The checkpoint has a state that its pool cannot have.
    State { pool: String, why: String },
}

/// Soaks until the time is over, the steps are done, something is wrong, or `stop` is set.
///
/// Goes on from a checkpoint, if there is one, and adds to it what was done.
pub(crate) fn soak(
    plan: &Plan<'_>,
    mut checkpoint: Option<&mut Checkpoint>,
    stop: &AtomicBool,
) -> Result<Outcome, Unusable> {
    let before = payload::made_and_dropped();
    let capacity = plan.shape.capacity().unwrap_or(plan.capacity);
    let mut lanes = Lanes {
        capacity,
        seed: plan.seed,
        keys: plan.shape.keys(),
        only: plan.only,
        system_allocator: plan.system_allocator,
        lanes: Vec::new(),
    };
    lanes.add_all();
    let mut lanes = lanes.lanes;
    if lanes.is_empty() {
        return Err(Unusable::NoPool);
    }
    for lane in &mut lanes {
        let state = checkpoint.as_ref().and_then(|checkpoint| checkpoint.pools.get(lane.name()));
        if let Some(state) = state {
            let resumed = lane.resume(state);
            resumed.map_err(|why| Unusable::State { pool: lane.name().to_owned(), why })?;
        }
    }
    let mut outcome = work(plan, capacity, &mut lanes, stop);
    if let Some(checkpoint) = &mut checkpoint
        && outcome.violation.is_none()
    {
        let states = lanes.iter_mut().map(|lane| (lane.name().to_owned(), lane.state()));
        checkpoint.pools.extend(states);
    }
    drop(lanes);
    let after = payload::made_and_dropped();
    (outcome.made, outcome.dropped) = (after.0 - before.0, after.1 - before.1);
    if let Some(checkpoint) = checkpoint {
        checkpoint.add(&outcome);
    }
    Ok(outcome)
}

fn work(
    plan: &Plan<'_>,
    capacity: usize,
    lanes: &mut [Box<dyn Work>],
    stop: &AtomicBool,
) -> Outcome {
    let allocations_counted = allocations::are_counted();
    let mut progress = ProgressLine::on_stderr(plan.time);
    let mut latency = lanes[0].latency().clone();
    // The first check allocates what the checks themselves need.
    let mut violation = lanes.iter_mut().find_map(|lane| try_slice(lane.as_mut(), plan.shape, 0));
    let resident_start = memory::resident_bytes();
    let mut resident_peak = resident_start;
    let begun = Instant::now();
    let processor_begun = processor_time();
    let mut done = 0;
    let over = |done: u64| {
        stop.load(Ordering::Relaxed)
            || begun.elapsed() >= plan.time
            || plan.steps.is_some_and(|steps| done >= steps)
    };
    while violation.is_none() && !over(done) {
        let slice = plan.steps.map_or(SLICE, |steps| (steps - done).min(SLICE));
        violation = lanes.iter_mut().find_map(|lane| try_slice(lane.as_mut(), plan.shape, slice));
        done += slice;
        let resident = memory::resident_bytes();
        resident_peak = resident_peak.max(resident);
        progress.update(|| (sum(lanes.iter().map(|lane| lane.tally())), resident));
    }
    let elapsed = begun.elapsed();
    let processor = processor_time().zip(processor_begun).map(|(now, begun)| now - begun);
    drop(progress);
    let resident_end = memory::resident_bytes();
    latency.clear();
    for lane in &*lanes {
        latency.add(lane.latency()).expect("all histograms have the same bounds");
    }
    Outcome {
        seed: plan.seed,
        capacity,
        elapsed,
        processor,
        interrupted: stop.load(Ordering::Relaxed),
        system_allocator: plan.system_allocator,
        pools: lanes.iter().map(|lane| pool_outcome(lane.as_ref())).collect(),
        violation,
        allocations_counted,
        made: 0,
        dropped: 0,
        resident_start,
        resident_peak,
        resident_end,
        latency,
    }
}

/// The time of the processor that this program has used, where the system reports it.
fn processor_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Duration::try_from(time).ok()
    }
    #[cfg(not(unix))]
    None
}

fn try_slice(lane: &mut dyn Work, shape: &Shape, steps: u64) -> Option<Violation> {
    let (step, message) = lane.work(shape, steps).err()?;
    Some(Violation { pool: lane.name().to_owned(), step, message })
}

fn pool_outcome(lane: &dyn Work) -> PoolOutcome {
    PoolOutcome {
        name: lane.name().to_owned(),
        tally: lane.tally(),
        median_ns: lane.latency().value_at_quantile(0.5),
        worst_ns: lane.latency().max(),
    }
}
