//! Sums by place as a table that other programs read: one line for each place and size.

use super::{Size, SumsPlan};
use crate::output::csv_table::{CsvTable, csv_field};
use crate::pattern::Pattern;

const COLUMNS: [&str; 13] = [
    "trace",
    "function",
    "size",
    "size_is",
    "mean_size",
    "created",
    "bytes",
    "at_once_at_least",
    "at_once_at_most",
    "on_average",
    "left",
    "reserve",
    "bytes_reserved",
];

/// All plans as one CSV text. Unknown values are empty fields.
#[must_use]
pub fn csv(plans: &[SumsPlan], wanted: Option<&Pattern>) -> String {
    let mut table = CsvTable::new();
    table.line(COLUMNS);
    for plan in plans {
        for place in plan.wanted(wanted) {
            table.line([
                plan.name.clone(),
                place.function.clone(),
                csv_field(place.size.bytes()),
                size_is(place.size).to_owned(),
                format!("{:.3}", place.bytes as f64 / place.blocks as f64),
                csv_field(plan.tool.requested(place.blocks)),
                csv_field(plan.tool.requested(place.bytes)),
                place.at_once.least.to_string(),
                place.at_once.most.to_string(),
                csv_field(place.on_average.map(|mean| format!("{mean:.3}"))),
                place.left.to_string(),
                csv_field(place.reserve),
                csv_field(place.bytes_reserved()),
            ]);
        }
    }
    table.text()
}

/// What is known of a size, in JSON and CSV.
pub(super) fn size_is(size: Size) -> &'static str {
    match size {
        Size::Exactly(_) => "counted",
        Size::Assumed(_) => "assumed",
        Size::Mean(_) => "several",
    }
}
