//! The summary of a soak for programs.

use super::{Outcome, PoolOutcome, Tally};
use crate::output::json::Json;

/// The summary as one object.
pub(crate) fn json(outcome: &Outcome) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("seed").count(outcome.seed);
        json.key("capacity").count(outcome.capacity as u64);
        json.key("seconds").number(outcome.elapsed.as_secs_f64());
        json.key("interrupted").flag(outcome.interrupted);
        json.key("system_allocator").flag(outcome.system_allocator);
        json.key("violations").count(u8::from(outcome.violation.is_some()));
        json.key("violation");
        match &outcome.violation {
            None => json.null(),
            Some(violation) => json.object(|json| {
                json.key("pool").text(&violation.pool);
                json.key("step").count(violation.step);
                json.key("message").text(&violation.message);
            }),
        }
        json.key("broken_promise");
        match outcome.broken_promise() {
            None => json.null(),
            Some(promise) => json.text(&promise),
        }
        tally(json, outcome.total(), outcome.allocations_counted);
        json.key("objects_made").count(outcome.made);
        json.key("objects_dropped").count(outcome.dropped);
        json.key("resident_bytes_start");
        maybe(json, outcome.resident_start);
        json.key("resident_bytes_peak");
        maybe(json, outcome.resident_peak);
        json.key("resident_bytes_end");
        maybe(json, outcome.resident_end);
        latency(json, outcome);
        json.key("pools").array(&outcome.pools, |json, pool| {
            json.object(|json| self::pool(json, pool, outcome.allocations_counted));
        });
    });
    json.into_text()
}

fn maybe(json: &mut Json, bytes: Option<u64>) {
    match bytes {
        Some(bytes) => json.count(bytes),
        None => json.null(),
    }
}

fn tally(json: &mut Json, tally: Tally, allocations_counted: bool) {
    json.key("operations").count(tally.operations);
    json.key("live").count(tally.live);
    json.key("peak").count(tally.peak);
    json.key("retired").count(tally.retired);
    json.key("refused").count(tally.refused);
    json.key("renewed").count(tally.renewed);
    json.key("allocations");
    maybe(json, allocations_counted.then_some(tally.allocations));
    json.key("object_bytes_live").count(tally.bytes_live);
    json.key("object_bytes_peak").count(tally.bytes_peak);
}

fn pool(json: &mut Json, pool: &PoolOutcome, allocations_counted: bool) {
    json.key("pool").text(&pool.name);
    tally(json, pool.tally, allocations_counted);
    json.key("median_ns").count(pool.median_ns);
    json.key("worst_ns").count(pool.worst_ns);
}

/// Quantiles, and the histogram in powers of two.
fn latency(json: &mut Json, outcome: &Outcome) {
    let histogram = &outcome.latency;
    json.key("latency_ns").object(|json| {
        for (name, quantile) in [("p50", 0.5), ("p99", 0.99), ("p999", 0.999), ("p9999", 0.9999)] {
            json.key(name).count(histogram.value_at_quantile(quantile));
        }
        json.key("worst").count(histogram.max());
        let bands = (0..36)
            .map(|power| (2_u64 << power, histogram.count_between(1 << power, (2 << power) - 1)));
        json.key("histogram").array(bands.filter(|band| band.1 > 0), |json, (below, number)| {
            json.object(|json| {
                json.key("below").count(below);
                json.key("count").count(number);
            });
        });
    });
}
