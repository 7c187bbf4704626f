//! A plan as JSON, for programs.

use super::json::Json;
use super::size_classes::size_classes_json;
use crate::plan::{
    Class, GENERATION_BITS, Length, Proof, Rules, TracePlan, lifetimes_of, seconds_until,
};

/// How many callers of each class are told.
const CALLERS_MAX: usize = 20;

/// All plans as one JSON object. It tells no timings: the same input gives the same text.
pub(crate) fn plan_json(plans: &[TracePlan], rules: &Rules) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("millpond").text(env!("CARGO_PKG_VERSION"));
        json.key("rules").object(|json| {
            json.key("headroom_percent").number(rules.headroom.percent);
            json.key("session_seconds").number(rules.session_seconds);
        });
        json.key("traces").array(plans, trace);
    });
    json.into_text()
}

fn trace(json: &mut Json, plan: &TracePlan) {
    json.object(|json| {
        json.key("path").text(&plan.name);
        json.key("format").text(plan.summary.format.name());
        json.key("first_tick").count(plan.summary.first_tick);
        json.key("ticks").count(plan.summary.ticks());
        json.key("ticks_per_second").number(plan.ticks_per_second);
        if let Some(timestamps) = plan.summary.timestamps {
            json.key("timestamps").count(timestamps);
        }
        json.key("events").count(plan.summary.events());
        json.key("missing_events").count(plan.summary.missing_events);
        json.key("refused_while_recorded").count(plan.summary.refused);
        json.key("lifetimes").count(plan.summary.births);
        json.key("peak_live").count(plan.peak_live);
        json.key("left_live").count(plan.left_live);
        if let Some(peak_bytes) = plan.peak_bytes {
            json.key("peak_bytes").count(peak_bytes);
        }
        json.key("classes").array(&plan.classes, |json, c| class(json, plan, c));
        if let Some(found) = &plan.size_classes {
            size_classes_json(json.key("size_classes"), found);
        }
    });
}

fn class(json: &mut Json, plan: &TracePlan, class: &Class) {
    let statistics = &class.statistics;
    json.object(|json| {
        json.key("class").text(&class.name);
        json.key("lifetimes").count(statistics.lifetimes);
        json.key("peak_live").count(statistics.peak_live);
        json.key("peak_tick").count(statistics.peak_tick);
        json.key("p99_live").count(class.p99_live);
        json.key("mean_live").number(statistics.live_mean());
        json.key("left_live").count(statistics.live);
        json.key("births_per_tick").object(|json| {
            json.key("mean").number(class.births_mean);
            json.key("worst").count(statistics.births_worst);
            json.key("worst_tick").count(statistics.births_worst_tick);
        });
        json.key("lifetime_ticks").object(|json| {
            length(json.key("median"), class.median);
            length(json.key("p95"), class.p95);
        });
        json.key("capacity").count(class.capacity);
        if let (Some(object), Some(pool)) = (statistics.bytes_max, class.bytes_at_capacity()) {
            json.key("bytes_per_object").count(object);
            json.key("bytes_at_capacity").count(pool);
        }
        json.key("smaller").array(&class.smaller, |json, smaller| {
            json.object(|json| {
                json.key("capacity").count(smaller.capacity);
                json.key("refused").count(smaller.refused);
                json.key("evicted").count(smaller.evicted);
            });
        });
        handles(json, plan, class);
        proof(json, &class.proof);
        demand(json, class);
    });
}

/// How long a lifetime is; `at_least` tells that objects which never died are part of it.
fn length(json: &mut Json, length: Option<Length>) {
    match length {
        Some(length) => json.object(|json| {
            json.key("ticks").count(length.ticks);
            json.key("at_least").flag(length.at_least);
        }),
        None => json.null(),
    }
}

fn proof(json: &mut Json, proof: &Proof) {
    json.key("proof").object(|json| {
        json.key("holds").flag(proof.holds());
        json.key("operations").count(proof.operations);
        json.key("refused").count(proof.refused);
        json.key("live_checked").count(proof.live_checked);
        json.key("live_wrong").count(proof.live_wrong);
        json.key("stale_checked").count(proof.stale_checked);
        json.key("stale_resolved").count(proof.stale_resolved);
        json.key("drops").count(proof.drops);
        json.key("drops_expected").count(proof.drops_expected);
    });
}

fn handles(json: &mut Json, plan: &TracePlan, class: &Class) {
    json.key("busiest_slot_lifetimes").object(|json| {
        json.key("lifo").count(class.busiest_slot.lifo);
        json.key("fifo").count(class.busiest_slot.fifo);
    });
    json.key("generations").array(GENERATION_BITS, |json, bits| {
        let seconds = |busiest| seconds_until(lifetimes_of(bits), busiest, plan.seconds());
        json.object(|json| {
            json.key("bits").count(bits);
            json.key("lifo_seconds").maybe_number(seconds(class.busiest_slot.lifo));
            json.key("fifo_seconds").maybe_number(seconds(class.busiest_slot.fifo));
        });
    });
    json.key("handle").text(class.layout.handle);
    json.key("reuse").text(class.layout.reuse.name());
    json.key("outlasts_session").flag(class.layout.lasts);
}

fn demand(json: &mut Json, class: &Class) {
    if class.statistics.bytes_max.is_some() {
        json.key("saving").object(|json| {
            json.key("allocations").count(class.saving.allocations);
            json.key("bytes").count(class.saving.bytes);
            json.key("score").number(class.saving.score);
            json.key("rare").flag(class.saving.rare);
        });
    }
    if !class.callers.is_empty() {
        json.key("callers").array(class.callers.iter().take(CALLERS_MAX), |json, caller| {
            json.object(|json| {
                json.key("function").text(&caller.function);
                json.key("allocations").count(caller.allocations);
            });
        });
    }
}
