//! A plan as text for a terminal.

use std::fmt::Write;

use super::advice::advice_text;
use super::figures::{bytes, count, duration, number_of, small};
use super::handles::{Lasting, handles_table};
use super::meaning::{full_pools, meaning};
use super::paint::Paint;
use super::size_classes::size_classes_text;
use super::table::{Table, name_cell};
use super::wrap::wrapped;
use crate::input::Cut;
use crate::pattern::Pattern;
use crate::plan::{Class, Length, Proof, Rules, TracePlan};
use crate::trace::{End, Format, HeapFormat, Summary};

/// The parts of a plan to show.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// How many classes the tables show.
    pub top: usize,
    /// Which classes they show; all without a pattern.
    pub classes: Option<Pattern>,
    /// Whether handles are proposed.
    pub handles: bool,
    /// Whether everything is shown, including classes that are not worth a pool.
    pub all: bool,
}

impl Wanted {
    /// Of the classes that are wanted, those that the tables list: the ones that are worth a pool, unless there are
    /// none, or all are wanted.
    fn listed<'p>(&self, classes: &[&'p Class]) -> Vec<&'p Class> {
        let worth: Vec<&Class> = classes.iter().copied().filter(|of| of.worth_a_pool).collect();
        match self.all || self.classes.is_some() || worth.is_empty() {
            true => classes.to_vec(),
            false => worth,
        }
    }

    /// Whether handles are proposed. Most programs whose heap is recorded refer to objects by address.
    fn has_handles(&self, plan: &TracePlan) -> bool {
        self.handles && (self.all || plan.summary.format == Format::Lifetimes)
    }

    /// The classes of a plan that are wanted, however many they are.
    pub fn classes<'p>(&self, plan: &'p TracePlan) -> Vec<&'p Class> {
        let fits = |class: &&Class| {
            self.classes.as_ref().is_none_or(|pattern| pattern.matches(&class.name))
        };
        plan.classes.iter().filter(fits).collect()
    }
}

/// The introduction, before the traces. Without a clock in any of them, no handles are proposed.
pub fn rules_text(plans: &[TracePlan], rules: &Rules, wanted: &Wanted, paint: Paint) -> String {
    let mut text = format!("Rule: {} (--headroom).", rules.headroom.rule());
    if plans.iter().any(|plan| plan.ticks_per_second.is_some() && wanted.has_handles(plan)) {
        let _ = write!(
            text,
            " Handles must last {} (--session-hours).",
            duration(rules.session_seconds)
        );
    }
    paint.faint_lines(&wrapped(&text))
}

/// The prices behind the proposals, after the traces.
pub fn prices_text(rules: &Rules, paint: Paint) -> String {
    let whose = if rules.prices.are_measured { "measured here" } else { "given" };
    // One price after the other, so that none is cut at the end of a line.
    let prices = rules.prices.to_string().replace(',', ", ");
    let text = format!("Prices of calls, in ns per object, {whose} (--prices): {prices}.");
    format!("\n{}", paint.faint_lines(&wrapped(&text)))
}

/// One trace: what it is, what to pool, how large each pool has to be, how long its handles last.
pub fn trace_text(plan: &TracePlan, wanted: &Wanted, paint: Paint) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "\n{}", paint.strong(&crate::error::shown(plan.name.as_bytes())));
    out.push_str(&what_it_is(plan));
    out.push_str(&advice_text(plan, wanted, paint));
    let all = wanted.classes(plan);
    let listed = wanted.listed(&all);
    let classes = &listed[..listed.len().min(wanted.top)];
    let has_times = plan.summary.has_times();
    let _ = writeln!(out, "\n{}", paint.strong("How large each pool has to be"));
    if has_times {
        let number = if is_numbered(plan, classes) {
            "no.: the number of the proposal (--all shows each); "
        } else {
            ""
        };
        out.push_str(&paint.faint_lines(&wrapped(&format!("{number}{SIZES_LEGEND}"))));
    }
    out.push_str(&sizes_table(plan, classes).render(paint));
    if all.len() > classes.len() {
        let more = number_of((all.len() - classes.len()) as u64, "more class");
        let text = format!("… and {more} (--all, --top, --json)");
        let _ = writeln!(out, "{}", paint.faint(&text));
    }
    if has_fine_clock(&plan.summary) || (has_times && wanted.all) {
        let _ = writeln!(out, "\n{}", paint.strong("How long objects live"));
        out.push_str(&paint.faint_lines(&wrapped(lives_legend(plan))));
        out.push_str(&lives_table(plan, classes).render(paint));
    }
    if has_times && wanted.has_handles(plan) {
        let _ = writeln!(out, "\n{}", paint.strong("How long the busiest slot lasts"));
        match plan.seconds() {
            Some(seconds) => {
                out.push_str(&paint.faint_lines(&wrapped(HANDLES_LEGEND)));
                let lasting = classes.iter().map(|class| Lasting {
                    class: &class.name,
                    pace: class.busiest_slot.unwrap_or_default().pace(seconds),
                    layout: class.layout,
                });
                out.push_str(&handles_table(class_heading(plan), lasting).render(paint));
            }
            None => out.push_str(&wrapped(NO_CLOCK)),
        }
    }
    if !has_times {
        let _ = write!(out, "\n{}", wrapped(NO_TIMES));
    }
    let _ = write!(out, "\n{}", proof_text(&plan.proof(), paint));
    out.push_str(&paint.faint_lines(&wrapped(&timing(plan))));
    out.push_str(&paint.strong_lines(&wrapped(&meaning(plan))));
    if let Some(found) = &plan.size_classes {
        out.push_str(&size_classes_text(&plan.name, found, plan.summary.language(), paint));
    }
    out
}

const HANDLES_LEGEND: &str = "until its generations are used up, if a handle has 12 or 24 bits for them; Handle32<T, N>: a \
                              handle of 4 bytes, N bits for the slot and 32 - N for the generation";

const NO_TIMES: &str = "The recording has counts but no times: how long objects live, what a smaller pool would have \
                        refused, and how long handles last are unknown. In a table from DHAT, the peak of a size is the \
                        sum of the peaks of its call sites.";

const NO_CLOCK: &str = "The trace has no clock, so it is unknown how long generations last. Set the number of ticks per \
                        second with --tick-rate HZ.";

/// The result of the proof, with its counts.
fn proof_text(proof: &Proof, paint: Paint) -> String {
    let verdict = if proof.holds() { "Proved" } else { "NOT PROVED" };
    let text = wrapped(&format!(
        "{verdict} on real pools, Lifo and Fifo: {} operations, {} refused; {} live handles \
         looked up, {} wrong; {} stale handles tried, {} resolved; {} of {} values dropped.",
        count(proof.operations),
        count(proof.refused),
        count(proof.live_checked),
        count(proof.live_wrong),
        count(proof.stale_checked),
        count(proof.stale_resolved),
        count(proof.drops),
        count(proof.drops_expected),
    ));
    let painted = if proof.holds() { paint.good(verdict) } else { paint.bad(verdict) };
    text.replacen(verdict, &painted, 1)
}

fn what_it_is(plan: &TracePlan) -> String {
    let mut objects = format!(
        "{} in {}, at most {} alive at once, {} still alive at the end",
        number_of(plan.summary.births, "lifetime"),
        number_of(plan.classes.len() as u64, "class"),
        count(plan.peak_live.into()),
        count(plan.left_live.into()),
    );
    if let Some(peak_bytes) = plan.peak_bytes {
        let _ = write!(objects, ", {} bytes at the peak", count(peak_bytes));
    }
    let what = format!("{}, {}", format_and_time(plan), number_of(plan.summary.events(), "event"));
    let paragraphs = [what, objects].into_iter().chain(what_is_missing(&plan.summary));
    paragraphs.map(|paragraph| wrapped(&paragraph)).collect()
}

fn format_and_time(plan: &TracePlan) -> String {
    let summary = &plan.summary;
    match summary.format {
        Format::Lifetimes => {
            // A recorder counts from its first tick, in which there may be nothing yet.
            let ticks = match summary.has_pools {
                true => format!("ticks {} to {}", summary.first_tick, summary.last_tick),
                false => number_of(summary.ticks(), "tick"),
            };
            match (plan.seconds(), plan.ticks_per_second) {
                (Some(seconds), Some(rate)) => {
                    let whose = if summary.ticks_per_second == Some(rate) {
                        "from its column ms"
                    } else {
                        "--tick-rate"
                    };
                    let seconds = duration(seconds);
                    let rate = small(rate);
                    format!("lifetime trace, {ticks} at {rate} per second ({whose}), {seconds}")
                }
                _ => format!("lifetime trace, {ticks} (no clock; set one with --tick-rate)"),
            }
        }
        Format::Heap(format) => {
            let what = match format {
                HeapFormat::Heaptrack => {
                    "heaptrack file (assumes that the newest of several equal blocks is freed first)"
                }
                HeapFormat::Millpond => "recording of millpond-heap",
                HeapFormat::Csv => "table of allocations",
            };
            let timestamps = number_of(summary.timestamps.unwrap_or(0), "timestamp");
            match plan.seconds() {
                None => format!("{what} without times"),
                Some(seconds) if seconds < 1.0 => {
                    format!("{what}, {} ms in {timestamps}", count(summary.ticks()))
                }
                Some(seconds) => {
                    let (ms, seconds) = (count(summary.ticks()), duration(seconds));
                    format!("{what}, {ms} ms ({seconds}) in {timestamps}")
                }
            }
        }
    }
}

/// What the recording lacks, a paragraph each.
pub fn what_is_missing(summary: &Summary) -> Vec<String> {
    let mut paragraphs = Vec::new();
    paragraphs.extend(summary.cut.as_ref().map(Cut::sentence));
    if summary.missing_events > 0 {
        let missing = count(summary.missing_events);
        paragraphs.push(format!(
            "{missing} events are missing, because the recorder's disk was too slow. The pools were fuller \
             than this plan shows. Give the recorder a larger ring (`RecorderBuilder::events`) or a \
             faster disk."
        ));
    }
    match summary.end {
        None | Some(End::Whole) => {}
        Some(End::AtLimit) => {
            let what =
                "The recording reached its maximum file size and ended before the program did.";
            paragraphs.push(what.to_owned());
        }
        Some(End::Missing) => {
            let lacks = match summary.format {
                Format::Lifetimes => "what comes later",
                Format::Heap(_) => "what came later, and the names of functions",
            };
            paragraphs.push(format!(
                "The recording has no end: the program still runs, it was killed, or the disk was full. This plan lacks \
                 {lacks}."
            ));
        }
    }
    if summary.refused > 0 {
        let refused = number_of(summary.refused, "more object");
        paragraphs.push(format!(
            "{} full and refused {refused}. Record the program with larger pools to see how many it needs.",
            full_pools(summary),
        ));
    }
    paragraphs
}

const SIZES_LEGEND: &str = "live 99 %: not exceeded 99 % of the time; smaller pool: a smaller capacity, and how many objects it would \
                            have refused/evicted (oldest first)";

fn lives_legend(plan: &TracePlan) -> &'static str {
    match plan.summary.format {
        Format::Lifetimes => {
            "born/tick: on average over the recording, and in the worst tick; median life, 95 % live: the lifetime in ticks that \
             half of them, and 95 %, do not exceed (≥: some objects were still alive at the end)"
        }
        Format::Heap(_) => {
            "born/ms: on average over the recording, and in the worst ms; median life, 95 % live: the lifetime in ms that half of \
             them, and 95 %, do not exceed (≥: some objects were still alive at the end)"
        }
    }
}

/// The heading of the first column.
fn class_heading(plan: &TracePlan) -> &'static str {
    match plan.summary.format {
        Format::Lifetimes => "<class",
        Format::Heap(_) => "size",
    }
}

/// Whether the clock is fine enough for lifetimes and the worst tick. heaptrack's stands still between two timestamps.
fn has_fine_clock(summary: &Summary) -> bool {
    summary.has_times() && summary.timestamps.is_none_or(|times| times * 2 >= summary.ticks())
}

/// Whether one of these classes has a proposal of its own.
fn is_numbered(plan: &TracePlan, classes: &[&Class]) -> bool {
    classes.iter().any(|class| plan.advice.number_of(&class.name).is_some())
}

fn sizes_table(plan: &TracePlan, classes: &[&Class]) -> Table {
    let sized = plan.classes.iter().any(|class| class.statistics.bytes_max.is_some());
    let has_times = plan.summary.has_times();
    let mut table = Table::new(&[
        class_heading(plan),
        if is_numbered(plan, classes) { "no." } else { "" },
        "lifetimes",
        if has_times { "live 99 %" } else { "" },
        "peak",
        "capacity",
        if sized { "bytes" } else { "" },
        if has_times { "<smaller pool" } else { "" },
    ]);
    for class in classes {
        let number = plan.advice.number_of(&class.name);
        table.row(vec![
            name_cell(&class.name),
            number.map_or_else(String::new, |number| number.to_string()),
            count(class.statistics.lifetimes),
            class.p99_live.map_or_else(String::new, |live| count(live.into())),
            count(class.statistics.peak_live.into()),
            count(class.capacity.into()),
            class.bytes_at_capacity().map_or_else(String::new, bytes),
            smaller(class),
        ]);
    }
    table
}

fn lives_table(plan: &TracePlan, classes: &[&Class]) -> Table {
    let mean = match plan.summary.format {
        Format::Lifetimes => "born/tick",
        Format::Heap(_) => "born/ms",
    };
    let mut table =
        Table::new(&[class_heading(plan), mean, "worst", "median life", "95 % live", "left alive"]);
    for class in classes {
        table.row(vec![
            name_cell(&class.name),
            class.births.map_or_else(String::new, |births| small(births.mean)),
            class.births.map_or_else(String::new, |births| count(births.worst)),
            length(class.median),
            length(class.p95),
            count(class.statistics.live.into()),
        ]);
    }
    table
}

/// The length of a lifetime.
pub fn length(length: Option<Length>) -> String {
    match length {
        Some(Length { ticks, at_least: true }) => format!("≥{}", count(ticks)),
        Some(Length { ticks, .. }) => count(ticks),
        None => "–".to_owned(),
    }
}

/// The smallest of the smaller pools: the cost of saving most.
fn smaller(class: &Class) -> String {
    class.smaller.last().map_or_else(String::new, |smaller| {
        let [capacity, refused, evicted] =
            [smaller.capacity.into(), smaller.refused, smaller.evicted].map(count);
        format!("{capacity}: {refused}/{evicted}")
    })
}

fn timing(plan: &TracePlan) -> String {
    let rate = |took: std::time::Duration| {
        plan.summary.events() as f64 / took.as_secs_f64().max(1e-9) / 1e6
    };
    format!(
        "Read in {:.2} s ({:.1} million events/s), proved in {:.2} s ({:.1} million events/s)",
        plan.statistics_took.as_secs_f64(),
        rate(plan.statistics_took),
        plan.replay_took.as_secs_f64(),
        rate(plan.replay_took),
    )
}
