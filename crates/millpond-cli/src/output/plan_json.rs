//! A plan as JSON, for programs.

use super::advice::why;
use super::json::Json;
use super::plan_text::Wanted;
use super::size_classes::size_classes_json;
use crate::plan::{
    Class, GENERATION_BITS, Length, Means, Proof, Proposal, Rules, TracePlan, lifetimes_of,
    seconds_until,
};
use crate::trace::Caller;

/// How many callers of each class are told.
const CALLERS_MAX: usize = 20;

/// All plans as one JSON object. It tells no timings but those that were measured on demand: otherwise the
/// same input gives the same text.
pub(crate) fn plan_json(plans: &[TracePlan], rules: &Rules, wanted: &Wanted) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("millpond").text(env!("CARGO_PKG_VERSION"));
        json.key("rules").object(|json| {
            json.key("headroom_percent").number(rules.headroom.percent);
            json.key("session_seconds").number(rules.session_seconds);
        });
        json.key("traces").array(plans, |json, plan| trace(json, plan, &wanted.classes(plan)));
    });
    json.into_text()
}

/// One proposal of what to pool.
fn pool_first(json: &mut Json, plan: &TracePlan, proposal: &Proposal) {
    json.object(|json| {
        json.key("class").text(&proposal.class);
        json.key("means").text(match proposal.means {
            Means::Pool => "pool",
            Means::SizeClasses => "size-classes",
            Means::Library(_) => "none",
        });
        if let Means::Library(library) = &proposal.means {
            json.key("inside").text(library);
        }
        json.key("calls").count(proposal.calls);
        json.key("calls_saved").count(proposal.calls_saved);
        json.key("share_of_calls").number(proposal.share_of_calls);
        json.key("calls_at_hand").count(proposal.calls_at_hand);
        json.key("slots").count(proposal.slots);
        if let Some(bytes) = proposal.bytes {
            json.key("bytes").count(bytes);
        }
        callers(json, &proposal.callers);
        json.key("together_with").array(&proposal.together_with, |json, class| json.text(class));
        if let Some(saved) = proposal.time_saved {
            json.key("time_saved").object(|json| {
                json.key("calls").count(saved.calls);
                json.key("least_ms").number(saved.least_ms);
                json.key("most_ms").number(saved.most_ms);
            });
        }
        json.key("why").text(&why(proposal, plan));
    });
}

/// Who asks for memory, the busiest first.
fn callers(json: &mut Json, callers: &[Caller]) {
    json.key("callers").array(callers.iter().take(CALLERS_MAX), |json, caller| {
        json.object(|json| {
            json.key("function").text(&caller.function);
            json.key("allocations").count(caller.allocations);
            json.key("stack").array(&caller.stack, |json, name| json.text(name));
        });
    });
}

fn trace(json: &mut Json, plan: &TracePlan, classes: &[&Class]) {
    json.object(|json| {
        json.key("path").text(&plan.name);
        json.key("format").text(plan.summary.format.name());
        json.key("first_tick").count(plan.summary.first_tick);
        json.key("ticks").count(plan.summary.ticks());
        json.key("ticks_per_second").maybe_number(plan.ticks_per_second);
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
        json.key("pool_first")
            .array(&plan.advice.proposals, |json, proposal| pool_first(json, plan, proposal));
        json.key("served_at_hand")
            .array(&plan.advice.at_hand, |json, proposal| pool_first(json, plan, proposal));
        json.key("growing_buffers").array(&plan.advice.growing, |json, growing| {
            json.object(|json| {
                json.key("function").text(&growing.caller.function);
                json.key("stack").array(&growing.caller.stack, |json, name| json.text(name));
                json.key("bytes_min").count(growing.sizes.0);
                json.key("bytes_max").count(growing.sizes.1);
                json.key("share_of_calls").number(growing.share_of_calls);
            });
        });
        json.key("skipped_wrappers").array(&plan.advice.wrappers, |json, wrapper| {
            json.object(|json| {
                json.key("function").text(&wrapper.function);
                json.key("share_of_calls").number(wrapper.share);
            });
        });
        json.key("classes").array(classes, |json, c| class(json, plan, c));
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
        let seconds = |busiest| seconds_until(lifetimes_of(bits), busiest, plan.seconds()?);
        json.object(|json| {
            json.key("bits").count(bits);
            json.key("lifo_seconds").maybe_number(seconds(class.busiest_slot.lifo));
            json.key("fifo_seconds").maybe_number(seconds(class.busiest_slot.fifo));
        });
    });
    match class.layout {
        Some(layout) => {
            json.key("handle").text(layout.handle);
            json.key("reuse").text(layout.reuse.name());
            json.key("outlasts_session").flag(layout.lasts);
        }
        None => ["handle", "reuse", "outlasts_session"].iter().for_each(|key| json.key(key).null()),
    }
}

fn demand(json: &mut Json, class: &Class) {
    json.key("worth_a_pool").flag(class.worth_a_pool);
    json.key("saving").object(|json| {
        json.key("allocations").count(class.saving.allocations);
        if class.statistics.bytes_max.is_some() {
            json.key("bytes").count(class.saving.bytes);
        }
    });
    if !class.callers.is_empty() {
        callers(json, &class.callers);
    }
}
