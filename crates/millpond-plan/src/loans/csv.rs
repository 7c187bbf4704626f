//! Plans for loans as a table that other programs read: one line for each capacity.

use super::TracePlan;
use crate::output::csv_table::CsvTable;

const COLUMNS: [&str; 13] = [
    "trace",
    "pool",
    "capacity",
    "wait_p50_us",
    "wait_p90_us",
    "wait_p99_us",
    "wait_longest_us",
    "refused",
    "busy",
    "as_needed_wait_p99_us",
    "as_needed_wait_longest_us",
    "as_needed_refused",
    "as_needed_opened",
];

/// All plans as one CSV text.
pub fn csv(traces: &[TracePlan]) -> String {
    let mut table = CsvTable::new();
    table.line(COLUMNS);
    let plans = traces.iter().flat_map(|trace| trace.plans.iter().map(move |plan| (trace, plan)));
    for (trace, plan) in plans {
        for at in &plan.capacities {
            let (in_advance, as_needed) = (at.in_advance, at.as_needed);
            let fields = [
                trace.name.clone(),
                plan.pool.clone(),
                at.capacity.to_string(),
                in_advance.waits.p50_us.to_string(),
                in_advance.waits.p90_us.to_string(),
                in_advance.waits.p99_us.to_string(),
                in_advance.waits.max_us.to_string(),
                in_advance.refused.to_string(),
                in_advance.busy.to_string(),
                as_needed.waits.p99_us.to_string(),
                as_needed.waits.max_us.to_string(),
                as_needed.refused.to_string(),
                as_needed.opened.to_string(),
            ];
            table.line(fields);
        }
    }
    table.text()
}
