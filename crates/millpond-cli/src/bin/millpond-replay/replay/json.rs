//! The figures of a replay as JSON. The types are the schema.

use serde::Serialize;

use super::latency::Latency;
use super::{Measured, Outcome};
use millpond_plan::error::Failure;
use millpond_plan::output::json::{Number, json_text};
use millpond_plan::output::plan_json::TimeSavedJson;

/// What `replay --json` prints.
#[derive(Serialize)]
struct ReplayJson<'o> {
    /// The tool's version.
    millpond: &'static str,
    traces: Vec<TraceJson<'o>>,
}

#[derive(Serialize)]
struct TraceJson<'o> {
    path: &'o str,
    /// Births and deaths in the trace, and those that were replayed: the remaining objects die at the end.
    events: u64,
    events_replayed: usize,
    lifetimes_replayed: usize,
    /// How often all objects were visited (`--walk`), and the number of visits.
    walks: usize,
    visits: u64,
    classes: usize,
    /// `known`, or `newest-first` where the trace does not say which object dies, and the newest of several equal ones did.
    lives: &'static str,
    /// The slots of all pools, and their size in bytes.
    slots: usize,
    pool_bytes: u64,
    object_bytes: ObjectBytesJson,
    rounds: usize,
    passes_per_round: usize,
    /// The cost of reading the clock.
    timer_ns: u32,
    results: Vec<MeasuredJson<'o>>,
    /// The best pool, if it saves enough time to be worth a change.
    recommended: Option<&'static str>,
    /// The best pool otherwise.
    best_of_none: Option<&'static str>,
    /// What the best pool saves.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_saved: Option<TimeSavedJson>,
    /// The reason, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    recommendation: Option<&'o str>,
}

#[derive(Serialize)]
struct ObjectBytesJson {
    min: usize,
    max: usize,
    /// The number of classes whose objects are larger than can be replayed.
    classes_cut: usize,
}

/// The figures of one pool type.
#[derive(Serialize)]
struct MeasuredJson<'o> {
    name: &'o str,
    /// Whether every removed object was the one that was inserted.
    right: bool,
    /// Without walks.
    #[serde(skip_serializing_if = "Option::is_none")]
    ns_per_event: Option<TimesJson>,
    /// With walks.
    #[serde(skip_serializing_if = "Option::is_none")]
    ns_per_tick: Option<TimesJson>,
    /// Less than 1 is faster than boxes.
    ratio_to_box: Option<Number>,
    latency_ns: LatencyJson,
}

#[derive(Serialize)]
struct TimesJson {
    median: Number,
    lower_quartile: Number,
    upper_quartile: Number,
}

#[derive(Serialize)]
struct LatencyJson {
    p50: u64,
    p90: u64,
    p99: u64,
    p999: u64,
    p9999: u64,
    worst: u64,
    worst_seen: u64,
}

/// All outcomes as one object.
pub(crate) fn json(outcomes: &[Outcome]) -> Result<String, Failure> {
    json_text(&ReplayJson {
        millpond: env!("CARGO_PKG_VERSION"),
        traces: outcomes.iter().map(TraceJson::from).collect(),
    })
}

impl<'o> From<&'o Outcome> for TraceJson<'o> {
    fn from(outcome: &'o Outcome) -> Self {
        let script = &outcome.script;
        let verdict = outcome.verdict.as_ref();
        Self {
            path: &outcome.name,
            events: script.events_in_trace,
            events_replayed: script.events,
            lifetimes_replayed: script.lifetimes,
            walks: script.walks.count,
            visits: script.walks.visits,
            classes: script.classes,
            lives: if script.says_who_died { "known" } else { "newest-first" },
            slots: script.slots,
            pool_bytes: script.pool_bytes,
            object_bytes: ObjectBytesJson {
                min: script.bytes_min,
                max: script.bytes_max,
                classes_cut: script.cut,
            },
            rounds: outcome.rounds,
            passes_per_round: outcome.passes,
            timer_ns: outcome.timer.nanoseconds,
            results: outcome.results.iter().map(|m| MeasuredJson::of(outcome, m)).collect(),
            recommended: verdict.filter(|of| of.is_worth).map(|of| of.name),
            best_of_none: verdict.filter(|of| !of.is_worth).map(|of| of.name),
            time_saved: verdict.map(|of| TimeSavedJson::of(&of.saved, script.recorded_ms)),
            recommendation: verdict.map(|verdict| verdict.sentence.as_str()),
        }
    }
}

impl<'o> MeasuredJson<'o> {
    fn of(outcome: &Outcome, measured: &'o Measured) -> Self {
        let times = TimesJson {
            median: Number(measured.times.median),
            lower_quartile: Number(measured.times.lower_quartile),
            upper_quartile: Number(measured.times.upper_quartile),
        };
        let (ns_per_event, ns_per_tick) =
            if outcome.script.walks.count > 0 { (None, Some(times)) } else { (Some(times), None) };
        Self {
            name: measured.name,
            right: measured.right,
            ns_per_event,
            ns_per_tick,
            ratio_to_box: outcome.ratio(measured).map(Number),
            latency_ns: LatencyJson::from(&measured.latency),
        }
    }
}

impl From<&Latency> for LatencyJson {
    fn from(latency: &Latency) -> Self {
        Self {
            p50: latency.p50,
            p90: latency.p90,
            p99: latency.p99,
            p999: latency.p999,
            p9999: latency.p9999,
            worst: latency.worst,
            worst_seen: latency.worst_seen,
        }
    }
}
