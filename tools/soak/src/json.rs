//! The summary of a soak as JSON. The types are the schema.

use hdrhistogram::Histogram;
use serde::Serialize;

use super::checkpoint::SoFar;
use super::{Outcome, PoolOutcome, Tally, Violation};
use millpond_plan::error::Failure;
use millpond_plan::output::json::{Number, json_text};

/// What `soak --json` prints.
#[derive(Serialize)]
struct SoakJson<'o> {
    seed: u64,
    /// Slots of each pool.
    capacity: usize,
    seconds: Number,
    interrupted: bool,
    /// Whether boxes replaced the pools.
    system_allocator: bool,
    violations: u8,
    violation: Option<ViolationJson<'o>>,
    /// Other faults, such as a pool that allocates.
    broken_promise: Option<String>,
    #[serde(flatten)]
    total: TallyJson,
    /// Equal, unless an object was lost.
    objects_made: u64,
    objects_dropped: u64,
    /// `null` if the system does not report it.
    resident_bytes_start: Option<u64>,
    resident_bytes_peak: Option<u64>,
    resident_bytes_end: Option<u64>,
    /// By how much resident memory grew while pools were replaced, which does not count as growth of the pools.
    resident_bytes_by_renewals: i64,
    latency_ns: LatencyJson,
    /// What all pieces of a checkpoint have done; `null` without one.
    so_far: Option<SoFar>,
    pools: Vec<PoolJson<'o>>,
}

/// A fault, and how to reproduce it.
#[derive(Serialize)]
struct ViolationJson<'o> {
    pool: &'o str,
    step: u64,
    message: &'o str,
}

#[derive(Serialize)]
struct TallyJson {
    operations: u64,
    live: u64,
    peak: u64,
    retired: u64,
    refused: u64,
    /// How often a pool was replaced because most of its slots had retired.
    renewed: u64,
    /// Requests to the allocator while the pool worked; `null` if they were not counted.
    allocations: Option<u64>,
    object_bytes_live: u64,
    object_bytes_peak: u64,
}

#[derive(Serialize)]
struct PoolJson<'o> {
    pool: &'o str,
    #[serde(flatten)]
    tally: TallyJson,
    median_ns: u64,
    worst_ns: u64,
}

/// Quantiles, and the histogram in powers of two.
#[derive(Serialize)]
struct LatencyJson {
    p50: u64,
    p99: u64,
    p999: u64,
    p9999: u64,
    worst: u64,
    histogram: Vec<BandJson>,
}

#[derive(Serialize)]
struct BandJson {
    below: u64,
    count: u64,
}

/// The summary as one object.
pub(crate) fn json(outcome: &Outcome, so_far: Option<SoFar>) -> Result<String, Failure> {
    let counted = outcome.allocations_counted;
    json_text(&SoakJson {
        seed: outcome.seed,
        capacity: outcome.capacity,
        seconds: Number(outcome.elapsed.as_secs_f64()),
        interrupted: outcome.interrupted,
        system_allocator: outcome.system_allocator,
        violations: u8::from(outcome.violation.is_some()),
        violation: outcome.violation.as_ref().map(ViolationJson::from),
        broken_promise: outcome.broken_promise(),
        total: TallyJson::of(outcome.total(), counted),
        objects_made: outcome.made,
        objects_dropped: outcome.dropped,
        resident_bytes_start: outcome.resident_start,
        resident_bytes_peak: outcome.resident_peak,
        resident_bytes_end: outcome.resident_end,
        resident_bytes_by_renewals: outcome.total().renewals.resident_growth,
        latency_ns: LatencyJson::from(&outcome.latency),
        so_far,
        pools: outcome.pools.iter().map(|pool| PoolJson::of(pool, counted)).collect(),
    })
}

impl<'o> From<&'o Violation> for ViolationJson<'o> {
    fn from(violation: &'o Violation) -> Self {
        Self { pool: &violation.pool, step: violation.step, message: &violation.message }
    }
}

impl TallyJson {
    fn of(tally: Tally, allocations_counted: bool) -> Self {
        Self {
            operations: tally.operations,
            live: tally.live,
            peak: tally.peak,
            retired: tally.retired,
            refused: tally.refused,
            renewed: tally.renewed,
            allocations: allocations_counted.then_some(tally.allocations),
            object_bytes_live: tally.bytes_live,
            object_bytes_peak: tally.bytes_peak,
        }
    }
}

impl<'o> PoolJson<'o> {
    fn of(pool: &'o PoolOutcome, allocations_counted: bool) -> Self {
        Self {
            pool: &pool.name,
            tally: TallyJson::of(pool.tally, allocations_counted),
            median_ns: pool.median_ns,
            worst_ns: pool.worst_ns,
        }
    }
}

impl From<&Histogram<u64>> for LatencyJson {
    fn from(histogram: &Histogram<u64>) -> Self {
        let at = |quantile| histogram.value_at_quantile(quantile);
        let band = |power: u32| BandJson {
            below: 2_u64 << power,
            count: histogram.count_between(1 << power, (2 << power) - 1),
        };
        Self {
            p50: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            p9999: at(0.9999),
            worst: histogram.max(),
            histogram: (0..36).map(band).filter(|band| band.count > 0).collect(),
        }
    }
}
