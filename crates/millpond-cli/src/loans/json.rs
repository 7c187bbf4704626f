//! Plans for loans as JSON.

use millpond_lend::replay::{AtCapacity, LoanPlan, Question, Run, Waits};

use super::TracePlan;
use crate::output::json::Json;

/// One object with all plans. Times are in milliseconds.
pub(super) fn json(traces: &[TracePlan], question: &Question) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("wait_p99_ms").number(ms(question.wait_p99_us));
        json.key("open_ms").number(ms(question.open_us));
        json.key("traces").array(traces, |json, trace| {
            json.object(|json| {
                json.key("path").text(&trace.name);
                json.key("format").text(trace.source.name());
                json.key("pools").array(&trace.plans, pool);
            });
        });
    });
    json.into_text()
}

fn pool(json: &mut Json, plan: &LoanPlan) {
    json.object(|json| {
        json.key("pool").text(&plan.pool);
        json.key("asks").count(plan.asks as u64);
        json.key("unserved").count(plan.unserved as u64);
        json.key("rate_per_second").number(plan.rate_per_s);
        json.key("mean_hold_ms").number(plan.mean_hold_us / 1_000.0);
        json.key("busy").number(plan.busy);
        waits(json.key("recorded_wait_ms"), plan.recorded);
        json.key("peak").count(plan.peak as u64);
        capacity(json.key("capacity"), plan.smallest);
        capacity(json.key("capacity_as_needed"), plan.smallest_as_needed);
        json.key("littles_law_deviation").number(plan.deviation());
        json.key("holds_grow").maybe_number(plan.holds_grow);
        json.key("more_will_not_help").flag(plan.more_will_not_help());
        json.key("capacities").array(&plan.capacities, |json, at: &AtCapacity| {
            json.object(|json| {
                json.key("capacity").count(at.capacity as u64);
                run(json.key("in_advance"), at.in_advance);
                run(json.key("as_needed"), at.as_needed);
            });
        });
    });
}

fn capacity(json: &mut Json, capacity: Option<usize>) {
    match capacity {
        Some(capacity) => json.count(capacity as u64),
        None => json.null(),
    }
}

fn run(json: &mut Json, run: Run) {
    json.object(|json| {
        waits(json.key("wait_ms"), run.waits);
        json.key("refused").count(run.refused);
        json.key("opened").count(run.opened);
        json.key("busy").number(run.busy);
    });
}

fn waits(json: &mut Json, waits: Waits) {
    json.object(|json| {
        json.key("p50").number(ms(waits.p50_us));
        json.key("p90").number(ms(waits.p90_us));
        json.key("p99").number(ms(waits.p99_us));
        json.key("longest").number(ms(waits.max_us));
    });
}

fn ms(us: u64) -> f64 {
    us as f64 / 1_000.0
}
