//! The table of classes, with one row for each pool.

use horrorshow::{Raw, Template, owned_html};

use super::{
    figures, live_plot,
    model::{Between, Class, Format, Length, Proof, Smaller, Trace},
    texts,
};
use crate::output::between::in_table;

/// The maximum number of rows; the classes beyond are summed up in one line below.
const ROWS_MAX: usize = 1000;
/// The maximum number of smaller capacities in a row; the class's card has all of them.
const SMALLER_IN_ROW: usize = 3;

/// The table, in its own box that scrolls sideways if the table is wider than the page.
pub(super) fn table(trace: &Trace) -> impl Template {
    let shown = &trace.classes[..trace.classes.len().min(ROWS_MAX)];
    let columns = Columns::of(trace);
    owned_html! {
        div(class="scroll") {
            table(class="classes") {
                thead : columns.head(trace);
                tbody { @ for class in shown { : row(class, columns); } }
            }
        }
        : "\n";
        : rest(&trace.classes[shown.len()..]);
    }
}

/// The columns with content.
#[derive(Clone, Copy)]
struct Columns {
    live_over_time: bool,
    times: bool,
    bytes: bool,
    smaller: bool,
    handle: bool,
    proof: bool,
}

impl Columns {
    fn of(trace: &Trace) -> Self {
        let any = |says: fn(&Class) -> bool| trace.classes.iter().any(says);
        Self {
            live_over_time: any(|class| class.live_over_time.is_some()),
            times: any(|class| class.births.is_some()),
            bytes: any(|class| class.bytes_at_capacity.is_some()),
            smaller: any(|class| !class.smaller.is_empty()),
            handle: any(|class| !class.handle.is_empty()),
            proof: any(|class| class.proof.is_some()),
        }
    }

    fn head(self, trace: &Trace) -> impl Template {
        let name = match trace.format {
            Format::Lifetimes => "class",
            Format::Heap => "size, bytes",
        };
        let unit = figures::unit_name(trace.time_unit);
        let units = figures::unit_names(trace.time_unit);
        owned_html! {
            tr {
                th(class="key") : name;
                @ if self.live_over_time { th : "live over time"; }
                th(class="num strong") : "reserve";
                @ if self.bytes { th(class="num") : "memory"; }
                th(class="num") : "most at once";
                @ if self.times { th(class="num") : "99 % of the time"; }
                th(class="num") : "created";
                @ if self.proof { th : "checked"; }
                @ if self.smaller { th : "refused with fewer slots"; }
                @ if self.times {
                    th(class="num") { : "created per "; : unit; }
                    th(class="num") { : "worst "; : unit; }
                    th(class="num") { : "median life, "; : units; }
                    th(class="num") { : "95 % live, "; : units; }
                }
                @ if self.handle { th : "handle"; }
            }
        }
    }
}

fn row(class: &Class, columns: Columns) -> impl Template {
    owned_html! {
        tr {
            : key(&class.name);
            @ if columns.live_over_time {
                td(class="wave") {
                    @ if let Some(series) = &class.live_over_time {
                        : Raw(live_plot::sparkline(series, class.capacity));
                    }
                }
            }
            td(class="num strong", data-v=class.capacity) : figures::count(class.capacity);
            @ if columns.bytes { : optional(class.bytes_at_capacity, figures::bytes); }
            : number(class.peak_live);
            @ if columns.times { : optional(class.p99_live, figures::count); }
            : number(class.lifetimes);
            @ if columns.proof { : proof(class.proof.as_ref()); }
            @ if columns.smaller { : smaller(&class.smaller); }
            @ if columns.times {
                : optional(class.births.map(|births| births.mean), figures::mean);
                : optional(class.births.map(|births| births.worst), figures::count);
                : length(class.lifetime_median);
                : length(class.lifetime_p95);
            }
            @ if columns.handle { td(class="code") : texts::cut(&class.handle, 60); }
        }
        : "\n";
    }
}

/// The name; sizes are sorted by value.
fn key(name: &str) -> impl Template {
    let size = name.parse::<u64>().ok();
    owned_html! {
        th(class="key", scope="row", data-v?=size) {
            @ if size.is_some() { : texts::size(name); } else { : texts::name(name); }
        }
    }
}

fn number(value: u64) -> impl Template {
    owned_html! { td(class="num", data-v=value) : figures::count(value); }
}

fn optional<V: Copy + ToString>(value: Option<V>, shown: impl Fn(V) -> String) -> impl Template {
    owned_html! {
        @ if let Some(value) = value {
            td(class="num", data-v=value.to_string()) : shown(value);
        } else {
            td(class="num none", data-v="-1") : "–";
        }
    }
}

/// The length of a lifetime; `≥` means that it may be longer.
fn length(length: Option<Between<Length>>) -> impl Template {
    let shown = |length: Length| {
        let sign = if length.at_least { "≥" } else { "" };
        format!("{sign}{}", figures::count(length.steps))
    };
    let most = length.map(|length| length.most.steps);
    optional(most, move |_| match length.map(|length| length.map(shown)) {
        Some(Between { least, most }) if least != most => format!("{least}–{most}"),
        Some(Between { most, .. }) => most,
        None => String::new(),
    })
}

fn smaller(smaller: &[Smaller]) -> impl Template {
    owned_html! {
        td(class="smaller") {
            @ for pool in smaller.iter().take(SMALLER_IN_ROW) {
                span {
                    b : in_table(pool.refused);
                    : " at "; : figures::count(pool.capacity);
                }
                : " ";
            }
        }
    }
}

fn proof(proof: Option<&Proof>) -> impl Template {
    owned_html! {
        @ if let Some(proof) = proof {
            @ if proof.holds() {
                td(class="good") : "✓";
            } else {
                td(class="bad") {
                    : "✗ "; : figures::count(proof.refused); : " refused, ";
                    : figures::count(proof.stale_resolved); : " stale resolved";
                }
            }
        } else {
            td(class="none") : "–";
        }
    }
}

/// The sum of the classes beyond the last row.
fn rest(classes: &[Class]) -> impl Template {
    let lifetimes = classes.iter().fold(0u64, |sum, class| sum.saturating_add(class.lifetimes));
    let capacity = classes.iter().fold(0u64, |sum, class| sum.saturating_add(class.capacity));
    owned_html! {
        @ if !classes.is_empty() {
            p(class="none") {
                : "And "; : figures::number_of(classes.len() as u64, "further class");
                : " with "; : figures::count(lifetimes);
                : " objects and "; : figures::count(capacity);
                : " slots in all; "; code : "millpond plan --json"; : " lists every one.";
            }
            : "\n";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::Births;

    fn render(classes: Vec<Class>) -> String {
        table(&Trace { classes, ..Trace::default() }).into_string().unwrap()
    }

    #[test]
    fn columns_without_a_value_are_left_out() {
        let html = render(vec![Class { name: "Imp".to_owned(), capacity: 20, ..Class::default() }]);
        assert!(!html.contains("memory</th>") && !html.contains("checked</th>"), "{html}");
        let html = render(vec![Class {
            bytes_at_capacity: Some(4096),
            proof: Some(Proof::default()),
            ..Class::default()
        }]);
        assert!(html.contains("4,096 B") && html.contains("✓"), "{html}");
    }

    #[test]
    fn lifetimes_that_had_not_ended_are_told_from_those_that_had() {
        let length = |steps, at_least| Length { steps, at_least };
        let class = |median, p95| Class {
            births: Some(Births::default()),
            lifetime_median: Some(median),
            lifetime_p95: Some(p95),
            ..Class::default()
        };
        let known = |at_least| Between::known(length(1234, at_least));
        let html = render(vec![class(known(false), known(true))]);
        assert!(html.contains(">1,234<") && html.contains(">≥1,234<"), "{html}");
        let both = Between { least: length(20, false), most: length(719, true) };
        assert!(render(vec![class(both, both)]).contains(">20–≥719<"));
    }

    #[test]
    fn every_row_has_a_cell_for_every_head() {
        let columns = |is: bool| Columns {
            live_over_time: is,
            times: is,
            bytes: is,
            smaller: is,
            handle: is,
            proof: is,
        };
        for columns in [true, false].map(columns) {
            let head = columns.head(&Trace::default()).into_string().unwrap();
            let row = row(&Class::default(), columns).into_string().unwrap();
            let cells = row.matches("</td>").count() + row.matches("</th>").count();
            assert_eq!(head.matches("</th>").count(), cells, "{row}");
        }
    }

    #[test]
    fn a_plan_that_failed_is_not_called_proved() {
        for broken in [
            Proof { refused: 1, ..Proof::default() },
            Proof { stale_resolved: 1, ..Proof::default() },
            Proof { drops: 1, ..Proof::default() },
        ] {
            let html = render(vec![Class { proof: Some(broken), ..Class::default() }]);
            assert!(html.contains("✗") && !html.contains("✓"), "{html}");
        }
    }

    #[test]
    fn a_hundred_thousand_classes_are_summed_up() {
        let class = Class { lifetimes: 2, capacity: 3, ..Class::default() };
        let html = render(vec![class; 100_000]);
        assert_eq!(html.matches("<tr>").count(), ROWS_MAX + 1);
        assert!(html.contains("99,000 further classes with 198,000 objects"), "{html}");
    }
}
