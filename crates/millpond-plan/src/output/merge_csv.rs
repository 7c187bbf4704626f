//! A plan for many sessions as a table that other programs read: one line for each class.

use super::csv_table::{CsvTable, csv_field};
use crate::merge::{GroupPlan, MergeRules};

const COLUMNS: [&str; 14] = [
    "class",
    "sessions",
    "lifetimes",
    "calls_saved",
    "worth_in",
    "peak_median",
    "peak_max",
    "capacity",
    "bytes_at_capacity",
    "refused_in",
    "median_life",
    "p95_life",
    "median_life_most",
    "p95_life_most",
];

/// All groups as one CSV text, the value of the group first if there are groups. Unknown values are empty fields.
#[inline]
pub fn merge_csv(groups: &[GroupPlan], rules: &MergeRules) -> String {
    let mut table = CsvTable::new();
    table.line(rules.by.iter().map(String::as_str).chain(COLUMNS));
    for group in groups {
        for class in &group.classes {
            let fields = [
                class.name.clone(),
                class.sessions.to_string(),
                class.births.to_string(),
                class.calls_saved.to_string(),
                class.worth_in.to_string(),
                class.peak_median.to_string(),
                class.peak_max.to_string(),
                class.capacity.to_string(),
                csv_field(class.bytes_at_capacity()),
                class.refused_in.to_string(),
                csv_field(class.life_median.map(|length| length.least.ticks)),
                csv_field(class.life_p95.map(|length| length.least.ticks)),
                csv_field(class.life_median.map(|length| length.most.ticks)),
                csv_field(class.life_p95.map(|length| length.most.ticks)),
            ];
            table.line(group.value.iter().chain(&fields));
        }
    }
    table.text()
}
