//! Plans for loans as JSON. The types are the schema; times are in milliseconds.

use millpond_lend::replay::{AtCapacity, LoanPlan, Question, Run, Waits};
use serde::Serialize;

use super::TracePlan;
use super::notes::{Half, Notes};
use crate::error::Failure;
use crate::output::json::{CutJson, Number, json_text};
use crate::reading::ReadingJson;

/// What `plan --wait-p99-ms --json` prints.
#[derive(Serialize)]
struct LoansJson<'p> {
    /// The longest wait that 99 % of the callers may have.
    wait_p99_ms: Number,
    /// The time that it takes to open one more.
    open_ms: Number,
    traces: Vec<TraceJson<'p>>,
}

#[derive(Serialize)]
struct TraceJson<'p> {
    path: &'p str,
    /// `loans` or `postgresql-csvlog`.
    format: &'static str,
    /// Where the recording is cut short, if it is.
    cut: Option<CutJson<'p>>,
    /// What was read of the file, and what was passed over.
    reading: ReadingJson,
    skipped: SkippedJson<'p>,
    log: LogJson<'p>,
    /// Statements that make half of the requests of a pool.
    half_of_requests: Vec<HalfJson<'p>>,
    pools: Vec<PoolJson<'p>>,
}

/// Lines of a log that are no requests.
#[derive(Serialize)]
struct SkippedJson<'p> {
    /// Plans by auto_explain of statements that have a line of their own.
    plans: u64,
    /// Durations in another language, which are missing from the plan.
    other_language: u64,
    /// The first of them.
    first_in_other_language: Option<&'p str>,
    /// Statements that `--skip-statement` leaves out.
    left_out: u64,
}

/// What else there is to say of a server's log.
#[derive(Serialize)]
struct LogJson<'p> {
    /// Statements that failed, and held a connection until then.
    failed: u64,
    /// How many of them have no beginning in the log, so that their hold is an estimate.
    failed_without_start: u64,
    /// Transactions of its sessions that are not in it; `null` if they are few.
    missing_transactions: Option<u64>,
    /// The shortest duration, if it is so long that shorter ones seem to be left out.
    threshold_ms: Option<Number>,
    /// Settings by which it has only a part of the statements, as it says itself.
    parameters: Vec<ParameterJson<'p>>,
}

#[derive(Serialize)]
struct ParameterJson<'p> {
    name: &'p str,
    value: &'p str,
}

#[derive(Serialize)]
struct HalfJson<'p> {
    pool: &'p str,
    statement: &'p str,
    requests: u64,
    of: u64,
}

#[derive(Serialize)]
struct PoolJson<'p> {
    pool: &'p str,
    asks: usize,
    /// Requests that got nothing.
    unserved: usize,
    /// From the first request to the last one.
    asked_over_ms: Number,
    /// Requests per second over that time; `null` if it is too short.
    rate_per_second: Option<Number>,
    mean_hold_ms: Number,
    /// From the first request to the last return.
    over_ms: Number,
    /// The average number of loans at once over that time.
    busy: Number,
    recorded_wait_ms: WaitsJson,
    /// The peak of simultaneous requests, waiting or served.
    peak: usize,
    /// How many callers were replayed, who think between their loans; `null` if requests keep their recorded times.
    callers: Option<usize>,
    /// The smallest sufficient capacity, opened in advance; `null` if there is none.
    capacity: Option<usize>,
    /// The same, opened as needed.
    capacity_as_needed: Option<usize>,
    littles_law_deviation: Number,
    /// By how much longer loans are held when most are out.
    holds_grow: Option<Number>,
    more_will_not_help: bool,
    capacities: Vec<CapacityJson>,
}

#[derive(Serialize)]
struct CapacityJson {
    capacity: usize,
    in_advance: RunJson,
    as_needed: RunJson,
}

/// The recorded loans with one capacity.
#[derive(Serialize)]
struct RunJson {
    wait_ms: WaitsJson,
    refused: u64,
    opened: u64,
    busy: Number,
    /// Loans per second, from the first request to the last return; `null` for one, or if that time is too short.
    rate_per_second: Option<Number>,
    over_ms: Number,
}

#[derive(Serialize)]
struct WaitsJson {
    p50: Number,
    p90: Number,
    p99: Number,
    longest: Number,
}

/// One object with all plans.
pub fn json(traces: &[TracePlan], question: &Question) -> Result<String, Failure> {
    json_text(&LoansJson {
        wait_p99_ms: ms(question.wait_p99_us),
        open_ms: ms(question.open_us),
        traces: traces.iter().map(TraceJson::from).collect(),
    })
}

impl<'p> From<&'p TracePlan> for TraceJson<'p> {
    fn from(trace: &'p TracePlan) -> Self {
        Self {
            path: &trace.name,
            format: trace.source.name(),
            cut: trace.notes.cut.as_ref().map(CutJson::from),
            reading: ReadingJson::from(&trace.notes.reading),
            skipped: SkippedJson {
                plans: trace.notes.plans,
                other_language: trace.notes.other_language.as_ref().map_or(0, |(n, _)| *n),
                first_in_other_language: trace
                    .notes
                    .other_language
                    .as_ref()
                    .map(|(_, first)| first.as_str()),
                left_out: trace.notes.left_out,
            },
            log: LogJson::from(&trace.notes),
            half_of_requests: trace.notes.half.iter().map(HalfJson::from).collect(),
            pools: trace.plans.iter().map(PoolJson::from).collect(),
        }
    }
}

impl<'p> From<&'p Notes> for LogJson<'p> {
    fn from(notes: &'p Notes) -> Self {
        let parameter = |(name, value): (&'p String, &'p String)| ParameterJson { name, value };
        Self {
            failed: notes.failed,
            failed_without_start: notes.failed_without_start,
            missing_transactions: notes.missing_transactions(),
            threshold_ms: notes.threshold_us().map(ms),
            parameters: notes.parameters.iter().map(parameter).collect(),
        }
    }
}

impl<'p> From<&'p Half> for HalfJson<'p> {
    fn from(half: &'p Half) -> Self {
        Self { pool: &half.pool, statement: &half.statement, requests: half.requests, of: half.of }
    }
}

impl<'p> From<&'p LoanPlan> for PoolJson<'p> {
    fn from(plan: &'p LoanPlan) -> Self {
        Self {
            pool: &plan.pool,
            asks: plan.asks,
            unserved: plan.unserved,
            asked_over_ms: ms(plan.asked_over_us),
            rate_per_second: plan.rate_per_s.map(Number),
            mean_hold_ms: Number(plan.mean_hold_us / 1_000.0),
            over_ms: ms(plan.over_us),
            busy: Number(plan.busy),
            recorded_wait_ms: plan.recorded.into(),
            peak: plan.peak,
            callers: plan.callers,
            capacity: plan.smallest,
            capacity_as_needed: plan.smallest_as_needed,
            littles_law_deviation: Number(plan.deviation()),
            holds_grow: plan.holds_grow.map(Number),
            more_will_not_help: plan.more_will_not_help(),
            capacities: plan.capacities.iter().map(CapacityJson::from).collect(),
        }
    }
}

impl From<&AtCapacity> for CapacityJson {
    fn from(at: &AtCapacity) -> Self {
        Self {
            capacity: at.capacity,
            in_advance: at.in_advance.into(),
            as_needed: at.as_needed.into(),
        }
    }
}

impl From<Run> for RunJson {
    fn from(run: Run) -> Self {
        Self {
            wait_ms: run.waits.into(),
            refused: run.refused,
            opened: run.opened,
            busy: Number(run.busy),
            rate_per_second: run.rate_per_s.map(Number),
            over_ms: ms(run.over_us),
        }
    }
}

impl From<Waits> for WaitsJson {
    fn from(waits: Waits) -> Self {
        Self {
            p50: ms(waits.p50_us),
            p90: ms(waits.p90_us),
            p99: ms(waits.p99_us),
            longest: ms(waits.max_us),
        }
    }
}

fn ms(us: u64) -> Number {
    Number(us as f64 / 1_000.0)
}
