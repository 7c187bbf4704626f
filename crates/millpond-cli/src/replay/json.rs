//! The figures of a replay for programs.

use super::{Measured, Outcome};
use crate::output::json::Json;

/// All outcomes as one object.
pub(crate) fn json(outcomes: &[Outcome]) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("millpond").text(env!("CARGO_PKG_VERSION"));
        json.key("traces")
            .array(outcomes, |json, outcome| json.object(|json| trace(json, outcome)));
    });
    json.into_text()
}

fn trace(json: &mut Json, outcome: &Outcome) {
    let script = &outcome.script;
    json.key("path").text(&outcome.name);
    json.key("events").count(script.events_in_trace);
    json.key("events_replayed").count(script.events as u64);
    json.key("lifetimes_replayed").count(script.lifetimes as u64);
    json.key("walks").count(script.walks.count as u64);
    json.key("visits").count(script.walks.visits);
    json.key("classes").count(script.classes as u64);
    json.key("slots").count(script.slots as u64);
    json.key("pool_bytes").count(script.pool_bytes);
    json.key("object_bytes").object(|json| {
        json.key("min").count(script.bytes_min as u64);
        json.key("max").count(script.bytes_max as u64);
        json.key("classes_cut").count(script.cut as u64);
    });
    json.key("rounds").count(outcome.rounds as u64);
    json.key("passes_per_round").count(outcome.passes as u64);
    json.key("timer_ns").count(outcome.timer.nanoseconds);
    json.key("results").array(&outcome.results, |json, measured| {
        json.object(|json| self::measured(json, outcome, measured));
    });
    if let Some(verdict) = &outcome.verdict {
        json.key("recommended").text(verdict.name);
        json.key("recommendation").text(&verdict.sentence);
    }
}

fn measured(json: &mut Json, outcome: &Outcome, measured: &Measured) {
    json.key("name").text(measured.name);
    json.key("right").flag(measured.right);
    json.key(if outcome.script.walks.count > 0 { "ns_per_tick" } else { "ns_per_event" }).object(
        |json| {
            json.key("median").number(measured.times.median);
            json.key("lower_quartile").number(measured.times.lower_quartile);
            json.key("upper_quartile").number(measured.times.upper_quartile);
        },
    );
    json.key("ratio_to_box").maybe_number(outcome.ratio(measured));
    json.key("latency_ns").object(|json| {
        let latency = &measured.latency;
        for (name, quantile) in
            [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999), ("p9999", 0.9999)]
        {
            json.key(name).count(latency.at(quantile));
        }
        json.key("worst").count(latency.worst());
        json.key("worst_seen").count(latency.worst_seen);
    });
}
