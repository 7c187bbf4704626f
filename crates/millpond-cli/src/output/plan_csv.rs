//! A plan as a table that other programs read: one line for each class.

use std::fmt::Write;

use super::plan_text::Wanted;
use crate::plan::{Length, TracePlan};

const HEADER: &str = "trace,class,lifetimes,calls_saved,worth_a_pool,peak_live,p99_live,left_live,capacity,\
                      bytes_at_capacity,median_life,p95_life,births_mean,births_worst\n";

/// All plans as one CSV text. What is not known is an empty field.
pub(crate) fn plan_csv(plans: &[TracePlan], wanted: &Wanted) -> String {
    let mut text = HEADER.to_owned();
    for plan in plans {
        for class in wanted.classes(plan) {
            let statistics = &class.statistics;
            let bytes = class.bytes_at_capacity().map_or_else(String::new, |n| n.to_string());
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{bytes},{},{},{},{}",
                field(&plan.name),
                field(&class.name),
                statistics.lifetimes,
                class.saving.allocations,
                class.worth_a_pool,
                statistics.peak_live,
                class.p99_live,
                statistics.live,
                class.capacity,
                length(class.median),
                length(class.p95),
                class.births_mean,
                statistics.births_worst,
            );
        }
    }
    text
}

fn length(length: Option<Length>) -> String {
    length.map_or_else(String::new, |length| length.ticks.to_string())
}

/// A text as a field: in quotes where it must be.
pub(crate) fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must() {
        assert_eq!(field("Imp"), "Imp");
        assert_eq!(field("a,b"), "\"a,b\"");
        assert_eq!(field("a\"b\n"), "\"a\"\"b\n\"");
    }
}
