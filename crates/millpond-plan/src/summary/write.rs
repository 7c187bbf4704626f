//! Writes plans as lines of a summary.

use super::sketch::sketch;
use super::{COLUMNS, Tag};
use crate::output::csv_table::{CsvTable, csv_field};
use crate::plan::{Class, TracePlan};

/// The beginning of every summary: the first columns.
const BEGINNING: &[u8] = b"session,format,ticks,ticks_per_second,";

/// The sessions with their names, as a table whose lines all have the same tags.
pub fn summary_csv(sessions: &[(&str, &TracePlan)], tags: &[Tag]) -> String {
    let mut table = CsvTable::new();
    let tag_columns = tags.iter().map(|tag| tag.column.as_str());
    let (session, class) = COLUMNS.split_at(CLASS_COLUMN);
    table.line(session.iter().copied().chain(tag_columns).chain(class.iter().copied()));
    for (name, plan) in sessions {
        for class in &plan.classes {
            let values = tags.iter().map(|tag| tag.value.clone());
            let fields = session_fields(name, plan).chain(values).chain(class_fields(plan, class));
            table.line(fields);
        }
    }
    table.text()
}

/// The first of [`COLUMNS`] that belongs to a class; those before it belong to the session.
const CLASS_COLUMN: usize = 4;

fn session_fields(name: &str, plan: &TracePlan) -> impl Iterator<Item = String> {
    [
        name.to_owned(),
        plan.summary.format.name().to_owned(),
        plan.summary.ticks().to_string(),
        csv_field(plan.ticks_per_second),
    ]
    .into_iter()
}

fn class_fields(plan: &TracePlan, class: &Class) -> impl Iterator<Item = String> {
    let statistics = &class.statistics;
    let is_between = class.oldest_first.is_some();
    let busiest = class.busiest_slot.filter(|_| is_between);
    let known = |lengths| if plan.summary.has_times() { sketch(lengths) } else { String::new() };
    [
        class.name.clone(),
        statistics.lifetimes.to_string(),
        statistics.peak_live.to_string(),
        csv_field(class.p99_live),
        statistics.live.to_string(),
        csv_field(statistics.bytes_max),
        csv_field(class.births.map(|births| births.worst)),
        csv_field(class.busiest_slot.map(|slot| slot.lifo.most)),
        csv_field(class.busiest_slot.map(|slot| slot.fifo.most)),
        class.worth_a_pool.to_string(),
        csv_field(class.median.map(|length| length.least.ticks)),
        csv_field(class.p95.map(|length| length.least.ticks)),
        known(&statistics.ended),
        known(&statistics.left),
        csv_field(busiest.map(|slot| slot.lifo.least)),
        csv_field(busiest.map(|slot| slot.fifo.least)),
        csv_field(class.median.filter(|_| is_between).map(|length| length.most.ticks)),
        csv_field(class.p95.filter(|_| is_between).map(|length| length.most.ticks)),
        class.oldest_first.as_ref().map_or_else(String::new, |oldest| known(&oldest.ended)),
        class.oldest_first.as_ref().map_or_else(String::new, |oldest| known(&oldest.left)),
    ]
    .into_iter()
}

/// Whether a file that begins with `start` is a summary.
#[must_use]
pub fn is_summary(start: &[u8]) -> bool {
    start.starts_with(BEGINNING)
}

/// The number of bytes by which a summary is recognised.
pub const BYTES_TO_LOOK_AT: usize = BEGINNING.len();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_begins_as_it_is_recognised() {
        let text = summary_csv(&[], &[]);
        assert_eq!(text, format!("{}\n", COLUMNS.join(",")));
        assert!(is_summary(text.as_bytes()));
        let tag = Tag::parse("level=1").unwrap();
        let text = summary_csv(&[], &[tag]);
        assert!(is_summary(text.as_bytes()) && text.contains("ticks_per_second,level,class"));
    }
}
