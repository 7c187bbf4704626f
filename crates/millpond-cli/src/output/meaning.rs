//! What a plan means, in one sentence for somebody who has just arrived.

use super::figures::{bytes, count};
use super::table::{name_cell, short_function};
use crate::plan::{Class, TracePlan};
use crate::trace::Format;

/// The sentence.
pub(crate) fn meaning(plan: &TracePlan) -> String {
    match (plan.summary.format, plan.classes.first()) {
        (_, None) => "Nothing lived in this trace, so there is nothing to pool.".to_owned(),
        (Format::Lifetimes, Some(busiest)) => lifetimes(plan, busiest),
        (Format::Heaptrack, Some(first)) => heaptrack(plan, first),
    }
}

fn lifetimes(plan: &TracePlan, busiest: &Class) -> String {
    let slots: u64 = plan.classes.iter().map(|class| u64::from(class.capacity)).sum();
    let mut sentence = format!(
        "{} slots in {} take the place of {} births without ever refusing one; the {} of the \
         busiest, {}, serve {}",
        count(slots),
        number_of(plan.classes.len() as u64, "pool"),
        count(plan.summary.births),
        count(busiest.capacity.into()),
        name_cell(&busiest.name),
        number_of(busiest.statistics.lifetimes, "object"),
    );
    if let Some(smaller) = busiest.smaller.last() {
        sentence.push_str(&format!(
            ", and {} would have had to refuse {}",
            count(smaller.capacity.into()),
            count(smaller.refused)
        ));
    }
    sentence.push('.');
    sentence
}

fn heaptrack(plan: &TracePlan, first: &Class) -> String {
    let saved: u64 = plan.classes.iter().map(|class| class.saving.allocations).sum();
    let share = saved as f64 / plan.summary.births.max(1) as f64 * 100.0;
    let asker = match first.callers.first() {
        Some(caller) => {
            format!(" that {} asks for", name_cell(&short_function(&caller.function)))
        }
        None => String::new(),
    };
    format!(
        "{share:.0} % of all {} allocations come back to memory that was free again, so pools \
         would save them; begin with the {} bytes{asker}: {} ({}) do the work of {} allocations.",
        count(plan.summary.births),
        first.name,
        number_of(first.capacity.into(), "slot"),
        bytes(first.bytes_at_capacity().unwrap_or(0)),
        count(first.statistics.lifetimes),
    )
}

fn number_of(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", count(number))
}
