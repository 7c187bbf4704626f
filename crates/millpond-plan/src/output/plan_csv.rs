//! A plan as a table that other programs read: one line for each class.

use super::csv_table::{CsvTable, csv_field};
use super::plan_text::Wanted;
use crate::plan::TracePlan;

const COLUMNS: [&str; 19] = [
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
    "proposal",
    "saved_low_ms",
    "saved_high_ms",
    "median_life_most",
    "p95_life_most",
];

/// All plans as one CSV text. Unknown values are empty fields. Of a recording that does not say who died, lives are at
/// least and at most as long as two columns say; of others both are the same.
pub fn plan_csv(plans: &[TracePlan], wanted: &Wanted) -> String {
    let mut table = CsvTable::new();
    table.line(COLUMNS);
    for plan in plans {
        for class in wanted.classes(plan) {
            let statistics = &class.statistics;
            let number = plan.advice.number_of(&class.name);
            let saved = number.map(|number| plan.advice.proposals[number - 1].time_saved);
            let ms = |ms: f64| format!("{ms:.6}");
            let fields = [
                plan.name.clone(),
                class.name.clone(),
                statistics.lifetimes.to_string(),
                class.saving.allocations.to_string(),
                class.worth_a_pool.to_string(),
                statistics.peak_live.to_string(),
                csv_field(class.p99_live),
                statistics.live.to_string(),
                class.capacity.to_string(),
                csv_field(class.bytes_at_capacity()),
                csv_field(class.median.map(|length| length.least.ticks)),
                csv_field(class.p95.map(|length| length.least.ticks)),
                csv_field(class.births.map(|births| births.mean)),
                csv_field(class.births.map(|births| births.worst)),
                csv_field(number),
                csv_field(saved.map(|saved| ms(saved.low_ms))),
                csv_field(saved.map(|saved| ms(saved.high_ms))),
                csv_field(class.median.map(|length| length.most.ticks)),
                csv_field(class.p95.map(|length| length.most.ticks)),
            ];
            table.line(fields);
        }
    }
    table.text()
}
