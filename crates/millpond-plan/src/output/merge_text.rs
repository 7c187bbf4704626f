//! A plan for many sessions as text for a terminal.

use std::fmt::Write;

use super::between::{ENDS, length_in_table};
use super::figures::{bytes, count, duration, number_of};
use super::handles::{Lasting, handles_table};
use super::paint::Paint;
use super::table::{Table, name_cell};
use super::wrap::wrapped;
use crate::error::shown;
use crate::merge::{ClassPlan, GroupPlan, MergeRules};

/// The parts of a plan to show.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// How many classes the tables show.
    pub top: usize,
    /// Whether handles are proposed.
    pub handles: bool,
    /// Whether all tables are shown.
    pub all: bool,
}

/// The rule in one sentence.
#[inline]
pub fn rule(rules: &MergeRules) -> String {
    let percent = rules.quantile_percent;
    let headroom = match rules.headroom.percent {
        0.0 => String::new(),
        headroom => format!(", plus {headroom} %"),
    };
    format!("capacities that serve {percent} % of the sessions without any refusal{headroom}")
}

/// All groups: how many slots to reserve, what other capacities cost, and, if all is wanted, the rest.
#[inline]
pub fn merge_text(
    groups: &[GroupPlan],
    rules: &MergeRules,
    wanted: &Wanted,
    paint: Paint,
) -> String {
    let mut out = String::new();
    for group in groups {
        if !out.is_empty() {
            out.push('\n');
        }
        if let (Some(column), Some(value)) = (&rules.by, &group.value) {
            let title = format!("{} {}", shown(column.as_bytes()), shown(value.as_bytes()));
            let _ = writeln!(out, "{}", paint.strong(&title));
        }
        out.push_str(&what_it_is(group));
        if !group.classes.is_empty() {
            out.push_str(&sizes(group, rules, wanted, paint));
        }
        out.push('\n');
        out.push_str(&paint.strong_lines(&wrapped(&verdict(group, rules))));
        if !group.classes.is_empty() {
            out.push_str(&costs(group, paint));
            if wanted.all {
                out.push_str(&details(group, rules, wanted, paint));
            }
        }
    }
    out
}

#[inline]
fn what_it_is(group: &GroupPlan) -> String {
    let lasted = match group.seconds {
        Some(seconds) => format!(", {} in all", duration(seconds)),
        None => String::new(),
    };
    let left_out = match group.left_out {
        0 => String::new(),
        1 => ", without 1 that is not worth a pool in any session (--all)".to_owned(),
        n => format!(
            ", without {} that are not worth a pool in any session (--all)",
            count(n as u64)
        ),
    };
    let sessions = number_of(group.sessions, "session");
    let classes = number_of(group.classes.len() as u64, "class");
    wrapped(&format!("{sessions}{lasted}; {classes}{left_out}"))
}

/// The answer: a line for each class.
#[inline]
fn sizes(group: &GroupPlan, rules: &MergeRules, wanted: &Wanted, paint: Paint) -> String {
    let classes = &group.classes[..group.classes.len().min(wanted.top)];
    let mut out = format!("\n{}\n", paint.strong("How many slots to reserve"));
    out.push_str(&sizes_table(group, classes).render(paint));
    if group.classes.len() > classes.len() {
        let more = number_of((group.classes.len() - classes.len()) as u64, "more class");
        let _ = writeln!(out, "{}", paint.faint(&format!("… and {more} (--all, --top, --json)")));
    }
    let legend = format!(
        "median, highest: the peak of half of the sessions, and of the one that needs most; reserve: {} \
         (--quantile); refusals: the number of sessions in which a pool of that size is full at some time",
        rule(rules)
    );
    out.push_str(&paint.faint_lines(&wrapped(&legend)));
    out
}

/// What other capacities cost, and who needs most.
#[inline]
fn costs(group: &GroupPlan, paint: Paint) -> String {
    let mut out = format!("\n{}\n", paint.strong("What serving more or fewer sessions costs"));
    out.push_str(&levels_table(group).render(paint));
    if !group.neediest.is_empty() {
        let _ = writeln!(out, "\n{}", paint.strong("Sessions with the most refusals"));
        out.push_str(&neediest_table(group).render(paint));
    }
    out
}

/// How long objects and generations last.
#[inline]
fn details(group: &GroupPlan, rules: &MergeRules, wanted: &Wanted, paint: Paint) -> String {
    let classes = &group.classes[..group.classes.len().min(wanted.top)];
    let unit = if group.is_heap { "ms" } else { "ticks" };
    let legend = format!(
        "life, 95 %: the median lifetime in {unit}, and the one that 95 % do not exceed (accurate to 1 in 16; \
         ≥: some objects were still alive at the end{})",
        if is_between(classes) { ENDS } else { "" }
    );
    let mut out =
        format!("\n{}\n", paint.strong("How many objects there are, and how long they live"));
    out.push_str(&paint.faint_lines(&wrapped(&legend)));
    out.push_str(&lives_table(group, classes).render(paint));
    if wanted.handles {
        out.push_str(&handles(group, rules, classes, paint));
    }
    out
}

/// Whether a session does not say who died, so that a figure of these classes has two ends.
#[inline]
fn is_between(classes: &[ClassPlan]) -> bool {
    classes.iter().any(|class| {
        [class.life_median, class.life_p95].iter().flatten().any(|length| length.one().is_none())
            || class.pace.is_some_and(|pace| pace.fastest != pace.slowest)
    })
}

/// How long handles last, as far as the sessions say.
#[inline]
fn handles(group: &GroupPlan, rules: &MergeRules, classes: &[ClassPlan], paint: Paint) -> String {
    let mut out = format!("\n{}\n", paint.strong("How long handles last"));
    let lasting = classes.iter().filter_map(|class| {
        Some(Lasting { class: &class.name, pace: class.pace?, layout: class.layout })
    });
    let table = handles_table(class_heading(group), lasting);
    if !table.is_empty() {
        let session = duration(rules.session_seconds);
        let legend = format!(
            "how long the program can run until the slot that is reused most has used up its generations, in the \
             session that reused it fastest. Handles must last {session} (--session-hours)."
        );
        out.push_str(&paint.faint_lines(&wrapped(&legend)));
        out.push_str(&table.render(paint));
    }
    if classes.iter().any(|class| class.pace.is_none()) {
        let others = if table.is_empty() { "all classes" } else { "the other classes" };
        out.push_str(&wrapped(&format!(
            "No handles for {others}: a session has no clock (`plan --tick-rate`), or its summary \
             has no columns `busiest_lifo` and `busiest_fifo`."
        )));
    }
    out
}

/// The heading of a class's column.
#[inline]
fn class_heading(group: &GroupPlan) -> &'static str {
    if group.is_heap { "size" } else { "<class" }
}

#[inline]
fn sizes_table(group: &GroupPlan, classes: &[ClassPlan]) -> Table {
    let sized = classes.iter().any(|class| class.bytes_max.is_some());
    let mut table = Table::new(&[
        class_heading(group),
        "sessions",
        "median",
        "highest",
        "reserve",
        if sized { "memory" } else { "" },
        "refusals",
        "<needs most",
    ]);
    for class in classes {
        table.row(vec![
            name_cell(&class.name),
            count(class.sessions),
            count(class.peak_median.into()),
            count(class.peak_max.into()),
            count(class.capacity.into()),
            class.bytes_at_capacity().map_or_else(String::new, bytes),
            count(class.refused_in),
            class.needs_most.first().map_or_else(String::new, |need| name_cell(&need.session)),
        ]);
    }
    table
}

#[inline]
fn lives_table(group: &GroupPlan, classes: &[ClassPlan]) -> Table {
    let headings = [class_heading(group), "lifetimes", "calls saved", "life", "95 %"];
    let mut table = Table::new(&headings);
    for class in classes {
        table.row(vec![
            name_cell(&class.name),
            count(class.births),
            count(class.calls_saved),
            length_in_table(class.life_median),
            length_in_table(class.life_p95),
        ]);
    }
    table
}

#[inline]
fn levels_table(group: &GroupPlan) -> Table {
    let sized = group.levels.iter().any(|level| level.bytes.is_some());
    let memory_heading = if sized { "memory" } else { "" };
    let mut table =
        Table::new(&["sessions served", "slots", memory_heading, "sessions with refusals"]);
    for level in &group.levels {
        table.row(vec![
            format!("{} %", level.percent),
            count(level.slots),
            level.bytes.map_or_else(String::new, bytes),
            count(level.refused),
        ]);
    }
    table
}

#[inline]
fn neediest_table(group: &GroupPlan) -> Table {
    let mut table = Table::new(&["<session", "slots missing", "<class", "peak", "capacity"]);
    for refused in &group.neediest {
        table.row(vec![
            name_cell(&refused.session),
            count(refused.missing),
            name_cell(&refused.class),
            count(refused.peak_live.into()),
            count(refused.capacity.into()),
        ]);
    }
    table
}

#[inline]
fn verdict(group: &GroupPlan, rules: &MergeRules) -> String {
    if group.classes.is_empty() {
        return "Nothing is worth pooling in any of these sessions.".to_owned();
    }
    let sessions = number_of(group.sessions, "session");
    let refused = match group.refused {
        0 => "none".to_owned(),
        n => count(n),
    };
    let mut text = format!("Of {sessions}, {refused} would have had a refusal.");
    let percent = rules.quantile_percent;
    if percent < 100.0 && (group.sessions as f64) < 100.0 / (100.0 - percent) - 1e-6 {
        let _ = write!(
            text,
            " With so few sessions, {percent} % of them are all of them, so the capacities are the greatest \
             peaks. --headroom adds room for peaks that are not recorded."
        );
    }
    text
}
