//! The meaning of a plan in one sentence, for a new user.

use super::advice::{function, nothing};
use super::figures::{byte_unit, bytes, count, number_of, percent};
use super::table::name_cell;
use crate::plan::{Class, Proposal, TracePlan};
use crate::trace::Format;

/// What the allocator has at hand is worth a measurement if it makes so many times the calls of the first proposal.
const MUCH_BUSIER: u64 = 4;

/// The sentence.
pub fn meaning(plan: &TracePlan) -> String {
    if plan.classes.is_empty() {
        return "The trace contains no objects, so there is nothing to pool.".to_owned();
    }
    match plan.advice.proposals.first() {
        None => nothing(plan),
        Some(first) if plan.summary.format == Format::Lifetimes => lifetimes(plan, first),
        Some(first) => allocations(plan, first),
    }
}

fn lifetimes(plan: &TracePlan, first: &Proposal) -> String {
    let worth: Vec<&Class> = plan.classes.iter().filter(|class| class.worth_a_pool).collect();
    let slots: u64 = worth.iter().map(|class| u64::from(class.capacity)).sum();
    let births: u64 = worth.iter().map(|class| class.statistics.lifetimes).sum();
    let mut sentence = format!(
        "{} in {} serve {} of {} objects and refuse none. {} needs {} for {}",
        number_of(slots, "slot"),
        number_of(worth.len() as u64, "pool"),
        count(births),
        count(plan.summary.births),
        name_cell(&first.class),
        number_of(first.slots.into(), "slot"),
        number_of(first.calls, "object"),
    );
    let class = worth.iter().find(|class| class.name == first.class);
    if let Some(smaller) = class.and_then(|class| class.smaller.last()) {
        sentence.push_str(&format!(
            "; {} would have refused {}",
            number_of(smaller.capacity.into(), "slot"),
            count(smaller.refused)
        ));
    }
    sentence.push('.');
    sentence
}

fn allocations(plan: &TracePlan, first: &Proposal) -> String {
    let by = match first.main_caller() {
        Some(caller) => format!(" that {} allocates", function(&caller.function)),
        None => String::new(),
    };
    let sentence = format!(
        "Begin with the {} {}{by}: {} ({}) replace {} of the {} calls to the allocator ({}).",
        first.class,
        byte_unit(&first.class),
        number_of(first.slots.into(), "slot"),
        bytes(first.bytes.unwrap_or(0)),
        count(first.calls_saved),
        count(plan.summary.births),
        percent(first.share_of_calls),
    );
    let busier = plan.advice.at_hand.first().filter(|other| {
        !plan.advice.is_measured() && other.calls_saved >= first.calls_saved * MUCH_BUSIER
    });
    match busier {
        None => sentence,
        Some(busier) => format!(
            "{sentence} Or measure first: --measure shows whether a pool for the {} {}, {} of the calls, \
             saves more time, although the allocator has blocks at hand for them.",
            busier.class,
            byte_unit(&busier.class),
            percent(busier.share_of_calls)
        ),
    }
}
