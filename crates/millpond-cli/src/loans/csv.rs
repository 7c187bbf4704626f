//! Plans for loans as a table that other programs read: one line for each capacity.

use std::fmt::Write;

use super::TracePlan;
use crate::output::plan_csv::field;

const HEADER: &str = "trace,pool,capacity,wait_p50_us,wait_p90_us,wait_p99_us,wait_longest_us,refused,busy,\
                      as_needed_wait_p99_us,as_needed_wait_longest_us,as_needed_refused,as_needed_opened\n";

/// All plans as one CSV text.
pub(super) fn csv(traces: &[TracePlan]) -> String {
    let mut text = HEADER.to_owned();
    let plans = traces.iter().flat_map(|trace| trace.plans.iter().map(move |plan| (trace, plan)));
    for (trace, plan) in plans {
        for at in &plan.capacities {
            let (in_advance, as_needed) = (at.in_advance, at.as_needed);
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{},{},{},{}",
                field(&trace.name),
                field(&plan.pool),
                at.capacity,
                in_advance.waits.p50_us,
                in_advance.waits.p90_us,
                in_advance.waits.p99_us,
                in_advance.waits.max_us,
                in_advance.refused,
                in_advance.busy,
                as_needed.waits.p99_us,
                as_needed.waits.max_us,
                as_needed.refused,
                as_needed.opened,
            );
        }
    }
    text
}
