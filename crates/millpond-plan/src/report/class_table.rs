//! The table of classes, with one row for each pool.

use horrorshow::{Raw, Template, owned_html};

use super::{
    figures, live_plot,
    model::{Between, Caller, Class, Format, Length, Proof, Smaller, Trace},
    texts,
};
use crate::output::between::in_table;

/// The maximum number of rows; the classes beyond are summed up in one line below.
const ROWS_MAX: usize = 1000;

/// The longest name of a function.
const CALLER_CHARS_MAX: usize = 60;

/// The headings, which a cell repeats: in a narrow window each row becomes a list of them.
const LIVE_OVER_TIME: &str = "live over time";
const RESERVE: &str = "reserve";
const MEMORY: &str = "memory";
const MOST: &str = "most at once";
const USUAL: &str = "99 % of the time";
const CREATED: &str = "created";
const CALLER: &str = "requested most by";
const CHECKED: &str = "checked";
const SMALLER: &str = "with fewer slots";
const HANDLE: &str = "handle";

/// The table. In a window that is too narrow for it, each of its rows is a list.
pub(super) fn table(trace: &Trace) -> impl Template {
    let shown = &trace.classes[..trace.classes.len().min(ROWS_MAX)];
    let columns = Columns::of(trace);
    let times = headings_of_times(trace);
    owned_html! {
        div(class="scroll") {
            table(class="classes") {
                thead : columns.head(trace);
                tbody { @ for class in shown { : row(class, columns, &times); } }
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
    caller: bool,
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
            caller: any(|class| class.caller.is_some()),
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
        let times = headings_of_times(trace);
        owned_html! {
            tr {
                th(class="key") : name;
                @ if self.live_over_time { th : LIVE_OVER_TIME; }
                th(class="num strong") : RESERVE;
                @ if self.bytes { th(class="num") : MEMORY; }
                th(class="num") : MOST;
                @ if self.times { th(class="num") : USUAL; }
                th(class="num") : CREATED;
                @ if self.caller { th : CALLER; }
                @ if self.proof { th : CHECKED; }
                @ if self.smaller { th : SMALLER; }
                @ if self.times { @ for heading in &times { th(class="num") : heading; } }
                @ if self.handle { th : HANDLE; }
            }
        }
    }
}

fn headings_of_times(trace: &Trace) -> [String; 4] {
    let unit = figures::unit_name(trace.time_unit);
    let units = figures::unit_names(trace.time_unit);
    [
        format!("created per {unit}"),
        format!("worst {unit}"),
        format!("median life, {units}"),
        format!("95 % live, {units}"),
    ]
}

fn row<'r>(class: &'r Class, columns: Columns, times: &'r [String; 4]) -> impl Template + 'r {
    owned_html! {
        tr {
            : key(&class.name);
            @ if columns.live_over_time {
                td(class="wave", data-h=LIVE_OVER_TIME) {
                    @ if let Some(series) = &class.live_over_time {
                        : Raw(live_plot::sparkline(series, class.capacity));
                    }
                }
            }
            td(class="num strong", data-v=class.capacity, data-h=RESERVE) : figures::count(class.capacity);
            @ if columns.bytes { : optional(MEMORY, class.bytes_at_capacity, figures::bytes); }
            : number(MOST, class.peak_live);
            @ if columns.times { : optional(USUAL, class.p99_live, figures::count); }
            : number(CREATED, class.lifetimes);
            @ if columns.caller { : caller(class.caller.as_ref()); }
            @ if columns.proof { : proof(class.proof.as_ref()); }
            @ if columns.smaller { : smaller(&class.smaller); }
            @ if columns.times {
                : optional(&times[0], class.births.map(|births| births.mean), figures::mean);
                : optional(&times[1], class.births.map(|births| births.worst), figures::count);
                : length(&times[2], class.lifetime_median);
                : length(&times[3], class.lifetime_p95);
            }
            @ if columns.handle { td(class="code", data-h=HANDLE) : texts::cut(&class.handle, 60); }
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

fn number(heading: &str, value: u64) -> impl Template {
    owned_html! { td(class="num", data-v=value, data-h=heading) : figures::count(value); }
}

fn optional<V: Copy + ToString>(
    heading: &str,
    value: Option<V>,
    shown: impl Fn(V) -> String,
) -> impl Template {
    owned_html! {
        @ if let Some(value) = value {
            td(class="num", data-v=value.to_string(), data-h=heading) : shown(value);
        } else {
            td(class="num none", data-v="-1", data-h=heading) : "–";
        }
    }
}

/// The length of a lifetime; `≥` means that it may be longer.
fn length(heading: &str, length: Option<Between<Length>>) -> impl Template {
    let shown = |length: Length| {
        let sign = if length.at_least { "≥" } else { "" };
        format!("{sign}{}", figures::count(length.steps))
    };
    let most = length.map(|length| length.most.steps);
    optional(heading, most, move |_| match length.map(|length| length.map(shown)) {
        Some(Between { least, most }) if least != most => format!("{least}–{most}"),
        Some(Between { most, .. }) => most,
        None => String::new(),
    })
}

/// What the smallest of the smaller pools refuses; the class's card has all of them.
fn smaller(smaller: &[Smaller]) -> impl Template {
    owned_html! {
        td(class="smaller", data-h=SMALLER) {
            @ if let Some(pool) = smaller.last() {
                : figures::number_of(pool.capacity, "slot"); : " refuse ";
                b : in_table(pool.refused);
            }
        }
    }
}

/// The function that requests most of the objects; a tooltip says how many.
fn caller(caller: Option<&Caller>) -> impl Template {
    owned_html! {
        @ if let Some(caller) = caller {
            td(class="code caller", data-h=CALLER, title=figures::number_of(caller.allocations, "object")) {
                : texts::cut(&caller.function, CALLER_CHARS_MAX);
            }
        } else {
            td(class="none", data-h=CALLER) : "–";
        }
    }
}

fn proof(proof: Option<&Proof>) -> impl Template {
    owned_html! {
        @ if let Some(proof) = proof {
            @ if proof.holds() {
                td(class="good", data-h=CHECKED) : "✓";
            } else {
                td(class="bad", data-h=CHECKED) {
                    : "✗ "; : figures::count(proof.refused); : " refused, ";
                    : figures::count(proof.stale_resolved); : " stale resolved";
                }
            }
        } else {
            td(class="none", data-h=CHECKED) : "–";
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
            caller: is,
            smaller: is,
            handle: is,
            proof: is,
        };
        for columns in [true, false].map(columns) {
            let head = columns.head(&Trace::default()).into_string().unwrap();
            let times = headings_of_times(&Trace::default());
            let class = Class::default();
            let row = row(&class, columns, &times).into_string().unwrap();
            let cells = row.matches("</td>").count() + row.matches("</th>").count();
            assert_eq!(head.matches("</th>").count(), cells, "{row}");
        }
    }

    /// A narrow window shows the heading beside each cell.
    #[test]
    fn every_cell_repeats_its_heading() {
        let class = Class { births: Some(Births::default()), ..Class::default() };
        let html = render(vec![class]);
        let cells = html.matches("<td").count();
        assert!(cells > 5 && html.matches("data-h=").count() == cells, "{html}");
    }

    #[test]
    fn who_requests_most_has_a_column_if_somebody_is_known() {
        let class = |function: &str| Class {
            caller: Some(Caller { function: function.to_owned(), allocations: 1800 }),
            ..Class::default()
        };
        let html =
            render(vec![class("new<Puff> in shoot"), class(&"x".repeat(100)), Class::default()]);
        assert!(html.contains("title=\"1,800 objects\">new&lt;Puff&gt; in shoot</td>"), "{html}");
        assert!(html.contains(&("x".repeat(CALLER_CHARS_MAX) + "…</td>")), "{html}");
        assert_eq!(html.matches("data-h=\"requested most by\"").count(), 3);
        assert!(!render(vec![Class::default()]).contains(CALLER));
    }

    #[test]
    fn fewer_slots_are_told_in_words() {
        let smaller = |capacity| Smaller {
            capacity,
            refused: Between::known(10_508),
            evicted: Between::known(7),
        };
        let class = Class { smaller: vec![smaller(500), smaller(412)], ..Class::default() };
        let html = render(vec![class]);
        assert!(
            html.contains("412 slots refuse <b>10,508</b>") && !html.contains("500 slots"),
            "{html}"
        );
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
