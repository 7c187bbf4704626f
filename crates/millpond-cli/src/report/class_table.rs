//! The table of classes: one row a pool.

use std::fmt::Write as _;

use super::{
    figures, html, live_plot,
    model::{Class, Format, Length, Proof, Smaller, Trace},
};

/// Rows of a table; what a trace has beyond them is summed up in one line below.
const ROWS_MAX: usize = 1000;
/// Smaller capacities in a row; the class's card has all of them.
const SMALLER_IN_ROW: usize = 3;

/// The table, in a box of its own that scrolls sideways where it is wider than the page.
pub(super) fn table(trace: &Trace) -> String {
    let shown = &trace.classes[..trace.classes.len().min(ROWS_MAX)];
    let columns = Columns::of(trace);
    let rows: String = shown.iter().map(|class| row(class, columns)).collect();
    format!(
        "<div class=\"scroll\"><table class=\"classes\"><thead>{}</thead><tbody>{rows}</tbody></table></div>\n{}",
        columns.head(trace),
        rest(&trace.classes[shown.len()..])
    )
}

/// Which of the columns have anything to say.
#[derive(Clone, Copy)]
struct Columns {
    bytes: bool,
    smaller: bool,
    handle: bool,
    proof: bool,
}

impl Columns {
    fn of(trace: &Trace) -> Self {
        let any = |says: fn(&Class) -> bool| trace.classes.iter().any(says);
        Self {
            bytes: any(|class| class.bytes_at_capacity.is_some()),
            smaller: any(|class| !class.smaller.is_empty()),
            handle: any(|class| !class.handle.is_empty()),
            proof: any(|class| class.proof.is_some()),
        }
    }

    fn head(self, trace: &Trace) -> String {
        let name = match trace.format {
            Format::Lifetimes => "class",
            Format::Heaptrack => "size, bytes",
        };
        let unit = figures::unit_name(trace.time_unit);
        let units = figures::unit_names(trace.time_unit);
        let mut head = format!(
            "<tr><th class=\"key\">{name}</th><th>live over time</th>\
             <th class=\"num strong\">capacity</th>"
        );
        if self.bytes {
            head += "<th class=\"num\">bytes</th>";
        }
        head += "<th class=\"num\">peak live</th><th class=\"num\">p99 live</th>\
                 <th class=\"num\">lifetimes</th>";
        if self.proof {
            head += "<th>proved</th>";
        }
        if self.smaller {
            head += "<th>refused if smaller</th>";
        }
        let _ = write!(
            head,
            "<th class=\"num\">births per {unit}</th><th class=\"num\">worst {unit}</th>\
             <th class=\"num\">median life, {units}</th><th class=\"num\">p95 life, {units}</th>"
        );
        if self.handle {
            head += "<th>handle</th>";
        }
        head + "</tr>"
    }
}

fn row(class: &Class, columns: Columns) -> String {
    let wave = live_plot::sparkline(&class.live_over_time, class.capacity);
    let mut row = format!("<tr>{}<td class=\"wave\">{wave}</td>", key(&class.name));
    let _ = write!(
        row,
        "<td class=\"num strong\" data-v=\"{0}\">{1}</td>",
        class.capacity,
        figures::count(class.capacity)
    );
    if columns.bytes {
        row += &optional(class.bytes_at_capacity, figures::bytes);
    }
    row += &number(class.peak_live);
    row += &number(class.p99_live);
    row += &number(class.lifetimes);
    if columns.proof {
        row += &proof(class.proof.as_ref());
    }
    if columns.smaller {
        row += &smaller(&class.smaller);
    }
    let _ = write!(
        row,
        "<td class=\"num\" data-v=\"{}\">{}</td>",
        class.births_mean,
        figures::mean(class.births_mean)
    );
    row += &number(class.births_worst);
    row += &length(class.lifetime_median);
    row += &length(class.lifetime_p95);
    if columns.handle {
        let _ = write!(row, "<td class=\"code\">{}</td>", html::cut(&class.handle, 60));
    }
    row + "</tr>\n"
}

/// The name; a requested size sorts by its value.
fn key(name: &str) -> String {
    match name.parse::<u64>() {
        Ok(size) => {
            format!("<th class=\"key\" scope=\"row\" data-v=\"{size}\">{}</th>", html::size(name))
        }
        Err(_) => format!("<th class=\"key\" scope=\"row\">{}</th>", html::name(name)),
    }
}

fn number(value: u64) -> String {
    format!("<td class=\"num\" data-v=\"{value}\">{}</td>", figures::count(value))
}

fn optional(value: Option<u64>, shown: impl Fn(u64) -> String) -> String {
    match value {
        Some(value) => format!("<td class=\"num\" data-v=\"{value}\">{}</td>", shown(value)),
        None => "<td class=\"num none\" data-v=\"-1\">–</td>".to_owned(),
    }
}

/// A length of life; `≥` says that it may be longer.
fn length(length: Option<Length>) -> String {
    let at_least = length.is_some_and(|length| length.at_least);
    let sign = if at_least { "≥" } else { "" };
    optional(length.map(|length| length.steps), |steps| format!("{sign}{}", figures::count(steps)))
}

fn smaller(smaller: &[Smaller]) -> String {
    let mut cell = String::from("<td class=\"smaller\">");
    for pool in smaller.iter().take(SMALLER_IN_ROW) {
        let _ = write!(
            cell,
            "<span><b>{}</b> at {}</span> ",
            figures::count(pool.refused),
            figures::count(pool.capacity)
        );
    }
    cell + "</td>"
}

fn proof(proof: Option<&Proof>) -> String {
    match proof {
        None => "<td class=\"none\">–</td>".to_owned(),
        Some(proof) if proof.holds() => "<td class=\"good\">✓</td>".to_owned(),
        Some(proof) => format!(
            "<td class=\"bad\">✗ {} refused, {} stale resolved</td>",
            figures::count(proof.refused),
            figures::count(proof.stale_resolved)
        ),
    }
}

/// What the classes beyond the last row come to.
fn rest(classes: &[Class]) -> String {
    if classes.is_empty() {
        return String::new();
    }
    let lifetimes = classes.iter().fold(0u64, |sum, class| sum.saturating_add(class.lifetimes));
    let capacity = classes.iter().fold(0u64, |sum, class| sum.saturating_add(class.capacity));
    format!(
        "<p class=\"none\">And {} further classes with {} lifetimes and a capacity of {} in all; \
         <code>millpond plan --json</code> lists every one.</p>\n",
        figures::count(classes.len() as u64),
        figures::count(lifetimes),
        figures::count(capacity)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(classes: Vec<Class>) -> Trace {
        Trace { classes, ..Trace::default() }
    }

    #[test]
    fn columns_without_a_value_are_left_out() {
        let html =
            table(&trace(vec![Class { name: "Imp".to_owned(), capacity: 20, ..Class::default() }]));
        assert!(!html.contains("bytes</th>") && !html.contains("proved</th>"), "{html}");
        let html = table(&trace(vec![Class {
            bytes_at_capacity: Some(4096),
            proof: Some(Proof::default()),
            ..Class::default()
        }]));
        assert!(html.contains("4,096 B") && html.contains("✓"), "{html}");
    }

    #[test]
    fn lifetimes_that_had_not_ended_are_told_from_those_that_had() {
        let length = |at_least| Some(Length { steps: 1234, at_least });
        let class = Class {
            lifetime_median: length(false),
            lifetime_p95: length(true),
            ..Class::default()
        };
        let html = table(&trace(vec![class]));
        assert!(html.contains(">1,234<") && html.contains(">≥1,234<"), "{html}");
    }

    #[test]
    fn every_row_has_a_cell_for_every_head() {
        let all = Columns { bytes: true, smaller: true, handle: true, proof: true };
        let none = Columns { bytes: false, smaller: false, handle: false, proof: false };
        for columns in [all, none] {
            let head = columns.head(&Trace::default());
            let row = row(&Class::default(), columns);
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
            let html = table(&trace(vec![Class { proof: Some(broken), ..Class::default() }]));
            assert!(html.contains("✗") && !html.contains("✓"), "{html}");
        }
    }

    #[test]
    fn a_hundred_thousand_classes_are_summed_up() {
        let class = Class { lifetimes: 2, capacity: 3, ..Class::default() };
        let html = table(&trace(vec![class; 100_000]));
        assert_eq!(html.matches("<tr>").count(), ROWS_MAX + 1);
        assert!(html.contains("99,000 further classes with 198,000 lifetimes"), "{html}");
    }
}
