//! The meaning of a plan in one sentence, for a new user.

use super::advice::{change, function, little_time, nothing, time_saved, what};
use super::between::between;
use super::figures::{count, number_of};
use super::table::name_cell;
use crate::plan::{Class, Means, Proposal, TracePlan};
use crate::trace::{Format, Summary};

/// The sentence.
pub fn meaning(plan: &TracePlan) -> String {
    if plan.classes.is_empty() {
        let why = if plan.summary.has_pools {
            " (does the program call `record` of each pool?)"
        } else {
            ""
        };
        return format!("The trace contains no objects{why}, so there is nothing to pool.");
    }
    match plan.advice.proposals.first() {
        _ if plan.summary.has_pools => pools(plan),
        None => nothing(plan),
        Some(first) if plan.summary.format == Format::Lifetimes => lifetimes(plan, first),
        Some(first) => allocations(plan, first),
    }
}

/// Whether pools save time, in a sentence. Of a program that has pools already, whether they are large enough.
pub fn time(plan: &TracePlan) -> String {
    let all = match plan.advice.proposals.len() {
        0 | 1 => String::new(),
        2 => " Both proposals: --all, or the report.".to_owned(),
        more => format!(" All {more} proposals: --all, or the report."),
    };
    match plan.advice.proposals.first() {
        Some(first) if !plan.summary.has_pools && plan.summary.format == Format::Lifetimes => {
            little_time(plan).unwrap_or_else(|| {
                format!(
                    "Begin with {}: compared with an allocation for each object, {} saves {}.{all}",
                    what(first, plan),
                    change(first),
                    time_saved(first.time_saved, plan.advice.time)
                )
            })
        }
        Some(first) if !plan.summary.has_pools => allocations(plan, first) + &all,
        _ => meaning(plan),
    }
}

/// Of a program that has pools already, how large they have to be is all.
fn pools(plan: &TracePlan) -> String {
    let slots: u64 = plan.classes.iter().map(|class| u64::from(class.capacity)).sum();
    let mut sentence = format!(
        "{} in {} serve {} and refuse none.",
        number_of(slots, "slot"),
        number_of(plan.classes.len() as u64, "pool"),
        number_of(plan.summary.births, "object"),
    );
    if plan.summary.refused > 0 {
        sentence.push_str(&format!(
            " But {} full while the program was recorded, and may need more.",
            full_pools(&plan.summary)
        ));
    }
    sentence
}

/// More names than these in a sentence are only counted.
const NAMES_MAX: usize = 3;

/// The pools that refused objects, as the subject of a sentence about the past.
pub fn full_pools(summary: &Summary) -> String {
    let names: Vec<_> = summary.full.iter().take(NAMES_MAX).map(|name| name_cell(name)).collect();
    let names = names.join(", ");
    match summary.full.len() {
        1 => format!("{names} was"),
        all if all > NAMES_MAX => {
            format!("{names} and {} more were", count((all - NAMES_MAX) as u64))
        }
        _ => format!("{names} were"),
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
            between(smaller.refused)
        ));
    }
    let saved = time_saved(first.time_saved, plan.advice.time);
    sentence.push_str(&format!(". Compared with an allocation for each object, it saves {saved}."));
    sentence
}

fn allocations(plan: &TracePlan, first: &Proposal) -> String {
    let tried = if first.time_saved.is_measured { ", tried here" } else { "" };
    let saves = format!("saves {}{tried}", time_saved(first.time_saved, plan.advice.time));
    let by = match first.main_caller() {
        Some(caller) if !matches!(first.means, Means::ProgramSizeClasses(_)) => {
            format!(" that {} allocates", function(&caller.function))
        }
        _ => String::new(),
    };
    format!("Begin with {}{by}: {} {saves}.", what(first, plan), change(first))
}
