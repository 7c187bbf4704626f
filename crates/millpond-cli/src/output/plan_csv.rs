//! A plan as a table that other programs read: one line for each class.

use super::plan_text::Wanted;
use super::{csv_failure, csv_text};
use crate::error::Failure;
use crate::plan::{Length, TracePlan};

const COLUMNS: [&str; 14] = [
    "trace",
    "class",
    "lifetimes",
    "calls_saved",
    "worth_a_pool",
    "peak_live",
    "p99_live",
    "left_live",
    "capacity",
    "bytes_at_capacity",
    "median_life",
    "p95_life",
    "births_mean",
    "births_worst",
];

/// All plans as one CSV text. What is not known is an empty field.
pub(crate) fn plan_csv(plans: &[TracePlan], wanted: &Wanted) -> Result<String, Failure> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(COLUMNS).map_err(csv_failure)?;
    for plan in plans {
        for class in wanted.classes(plan) {
            let statistics = &class.statistics;
            let fields = [
                plan.name.clone(),
                class.name.clone(),
                statistics.lifetimes.to_string(),
                class.saving.allocations.to_string(),
                class.worth_a_pool.to_string(),
                statistics.peak_live.to_string(),
                class.p99_live.to_string(),
                statistics.live.to_string(),
                class.capacity.to_string(),
                class.bytes_at_capacity().map_or_else(String::new, |bytes| bytes.to_string()),
                length(class.median),
                length(class.p95),
                class.births_mean.to_string(),
                statistics.births_worst.to_string(),
            ];
            table.write_record(fields).map_err(csv_failure)?;
        }
    }
    csv_text(table)
}

/// The ticks of a length, for a field of a table.
pub(super) fn length(length: Option<Length>) -> String {
    length.map_or_else(String::new, |length| length.ticks.to_string())
}
