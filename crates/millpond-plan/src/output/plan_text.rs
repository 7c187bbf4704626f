//! A plan as text for a terminal.

use std::fmt::Write;

use super::advice::{advice_text, allocators_text, left_out_sentence, next_line, why_not_tried};
use super::between::{
    WHO_DIED_IS_UNKNOWN, WHO_DIED_IS_UNKNOWN_BRIEFLY, between, in_table, length_in_table,
};
use super::figures::{byte_unit, bytes, count, duration, number_of, small};
use super::handles::{Lasting, handles_table};
use super::meaning::{full_pools, time};
use super::paint::Paint;
use super::size_classes::size_classes_text;
use super::table::{Table, function_up_to, name_cell};
use super::wrap::wrapped;
use crate::input::Cut;
use crate::pattern::Pattern;
use crate::plan::{Between, Class, Proof, Rules, TracePlan, Unsure, Untouched};
use crate::trace::{Caller, End, Format, HeapFormat, Summary, TickUnit};

/// The parts of a plan to show.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// How many classes the tables show.
    pub top: usize,
    /// Which classes they show; all without a pattern.
    pub classes: Option<Pattern>,
    /// Whether handles are proposed.
    pub handles: bool,
    /// Whether the user had the proposals measured, so that they are shown.
    pub measured: bool,
    /// Whether everything is shown, including classes that are not worth a pool.
    pub all: bool,
}

impl Wanted {
    /// Of the classes that are wanted, those that the tables list: the ones that are worth a pool, unless there are
    /// none, or all are wanted.
    fn listed<'p>(&self, classes: &[&'p Class]) -> Vec<&'p Class> {
        let worth: Vec<&Class> = classes.iter().copied().filter(|of| of.worth_a_pool).collect();
        match self.details() || worth.is_empty() {
            true => classes.to_vec(),
            false => worth,
        }
    }

    /// Whether all tables are shown: for everything, or for the classes that the user names.
    fn details(&self) -> bool {
        self.all || self.classes.is_some()
    }

    /// The classes of a plan that are wanted, however many they are.
    pub fn classes<'p>(&self, plan: &'p TracePlan) -> Vec<&'p Class> {
        let fits = |class: &&Class| {
            self.classes.as_ref().is_none_or(|pattern| pattern.matches(&class.name))
        };
        plan.classes.iter().filter(fits).collect()
    }
}

/// All plans: each answers first how many slots to reserve, then whether pools save time, then how it was checked.
pub fn plans_text(plans: &[TracePlan], rules: &Rules, wanted: &Wanted, paint: Paint) -> String {
    let mut has_legend = false;
    let mut trace = |plan| trace_text(plan, rules, wanted, paint, &mut has_legend);
    let traces: Vec<_> = plans.iter().map(&mut trace).collect();
    let mut text = traces.join("\n");
    if wanted.details() {
        text += &prices_text(rules, paint);
    }
    text
}

/// The prices behind the proposals.
fn prices_text(rules: &Rules, paint: Paint) -> String {
    let whose = if rules.prices.are_measured { "measured here" } else { "given" };
    // One price after the other, so that none is cut at the end of a line.
    let prices = rules.prices.to_string().replace(',', ", ");
    let text =
        format!("Prices: what a call costs, in ns per object, {whose} (--prices): {prices}.");
    format!("\n{}", paint.faint_lines(&wrapped(&text)))
}

/// One plan; the legend of its table, unless an earlier one had it.
fn trace_text(
    plan: &TracePlan,
    rules: &Rules,
    wanted: &Wanted,
    paint: Paint,
    has_legend: &mut bool,
) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", paint.strong(&crate::error::shown(plan.name.as_bytes())));
    out.push_str(&what_it_is(plan, wanted));
    let all = wanted.classes(plan);
    let listed = wanted.listed(&all);
    let shown_max = if wanted.all { usize::MAX } else { wanted.top };
    let classes = &listed[..listed.len().min(shown_max)];
    if !classes.is_empty() {
        let _ = writeln!(out, "\n{}", paint.strong("How many slots to reserve"));
        let legend = (!std::mem::replace(has_legend, true)).then(|| sizes_legend(rules));
        out.push_str(&sizes(plan, classes, legend, paint));
    }
    if all.len() > classes.len() {
        let more = number_of((all.len() - classes.len()) as u64, "more class");
        let text = format!("… and {more} (--all, --top, --class)");
        let _ = writeln!(out, "{}", paint.faint(&text));
    }
    if !plan.summary.has_times() {
        let _ = write!(out, "\n{}", wrapped(NO_TIMES));
    }
    let _ = write!(out, "\n{}", paint.strong_lines(&wrapped(&time(plan))));
    if let Some(next) = plan.advice.proposals.first().and_then(|first| next_line(first, plan)) {
        // Not wrapped: it is to be copied.
        let _ = writeln!(out, "  {next}");
    }
    let left_out = left_out_sentence(plan).filter(|_| !wanted.details() && !wanted.measured);
    for sentence in left_out.into_iter().chain(why_not_tried(rules).map(str::to_owned)) {
        out += &paint.faint_lines(&wrapped(&sentence));
    }
    let _ = write!(out, "\n{}", proof_text(&plan.proof(), wanted, paint));
    if wanted.details() || wanted.measured {
        out.push_str(&advice_text(plan, wanted.all, paint));
    }
    out.push_str(&allocators_text(plan, paint));
    if wanted.details() {
        out.push_str(&details(plan, classes, rules, wanted, paint));
    }
    if let Some(found) = &plan.size_classes {
        out.push_str(&size_classes_text(&plan.name, found, plan.summary.language(), paint));
    }
    out
}

/// What few want to know: how long objects and generations last, and how fast the plan was made.
fn details(
    plan: &TracePlan,
    classes: &[&Class],
    rules: &Rules,
    wanted: &Wanted,
    paint: Paint,
) -> String {
    let mut out = String::new();
    if plan.summary.has_times() {
        let _ = writeln!(out, "\n{}", paint.strong("How long objects live"));
        out.push_str(&paint.faint_lines(&wrapped(&lives_legend(plan))));
        out.push_str(&lives_table(plan, classes).render(paint));
    }
    if plan.summary.has_times() && wanted.handles {
        let _ = writeln!(out, "\n{}", paint.strong("How long handles last"));
        match plan.seconds() {
            Some(seconds) => {
                let session = duration(rules.session_seconds);
                let legend =
                    format!("{HANDLES_LEGEND}. Handles must last {session} (--session-hours).");
                out.push_str(&paint.faint_lines(&wrapped(&legend)));
                let lasting = classes.iter().map(|class| Lasting {
                    class: &class.name,
                    pace: class.busiest_slot.map(|slot| slot.pace(seconds)).unwrap_or_default(),
                    layout: class.layout,
                });
                out.push_str(&handles_table(class_heading(plan), lasting).render(paint));
            }
            None => out.push_str(&wrapped(NO_CLOCK)),
        }
    }
    let _ = write!(out, "\n{}", paint.faint_lines(&wrapped(&timing(plan))));
    out
}

const HANDLES_LEGEND: &str = "how long the program can run until the slot that is reused most has used up its generations, \
                              if a handle has 12 or 24 bits for them; Handle32<T, N>: a handle of 4 bytes, N bits for \
                              the slot and 32 - N for the generation";

const NO_TIMES: &str = "The recording has counts but no times: how long objects live, what a smaller pool would have \
                        refused, and how long handles last are unknown.";

const NO_CLOCK: &str = "The trace has no clock, so it is unknown how long generations last. Set the number of ticks per \
                        second with --tick-rate HZ.";

/// The result of the replay on real pools, with its counts.
fn proof_text(proof: &Proof, wanted: &Wanted, paint: Paint) -> String {
    if !proof.holds() {
        let text = wrapped(&format!(
            "{CHECK_FAILED} on real pools, Lifo and Fifo: {} operations, {} refused; {} live handles \
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
        return text.replacen(CHECK_FAILED, &paint.bad(CHECK_FAILED), 1);
    }
    let operations = count(proof.operations);
    let text = match wanted.details() {
        false => wrapped(&format!(
            "{CHECKED} by replaying what was read on real pools: all {operations} operations fit."
        )),
        true => wrapped(&format!(
            "{CHECKED} by replaying what was read on real pools, in the reuse orders Lifo and Fifo: all {operations} \
             operations of the replay fit; all {} live handles found their object; all {} stale handles were rejected; \
             every value was dropped exactly once.",
            count(proof.live_checked),
            count(proof.stale_checked),
        )),
    };
    text.replacen(CHECKED, &paint.good(CHECKED), 1)
}

const CHECKED: &str = "Checked";

const CHECK_FAILED: &str = "CHECK FAILED";

fn what_it_is(plan: &TracePlan, wanted: &Wanted) -> String {
    let kinds = match plan.summary.format {
        Format::Lifetimes => number_of(plan.classes.len() as u64, "class"),
        Format::Heap(_) => number_of(plan.classes.len() as u64, "size"),
    };
    let mut what = format!(
        "{}. {} of {kinds}, at most {} alive at once",
        format_and_time(plan, wanted),
        number_of(plan.summary.births, "object"),
        count(plan.peak_live.into()),
    );
    if let Some(peak_bytes) = plan.peak_bytes {
        let _ = write!(what, " ({})", bytes(peak_bytes));
    }
    if let Some(frame) = plan.frame_of(plan.peak_tick) {
        let _ = write!(what, ", in frame {}", count(frame));
    }
    if wanted.all {
        let (events, left) =
            (number_of(plan.summary.events(), "event"), count(plan.left_live.into()));
        let _ = write!(what, ", {left} still alive at the end; {events}");
    }
    what.push('.');
    if plan.summary.reading.passed_over().is_empty() {
        let _ = write!(what, " {}", plan.summary.reading.sentence());
    }
    let who_died = match wanted.details() || wanted.measured {
        true => WHO_DIED_IS_UNKNOWN,
        false => WHO_DIED_IS_UNKNOWN_BRIEFLY,
    };
    let paragraphs = [what].into_iter().chain(missing(&plan.summary, who_died));
    paragraphs.map(|paragraph| wrapped(&paragraph)).collect()
}

fn format_and_time(plan: &TracePlan, wanted: &Wanted) -> String {
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
                    format!("Lifetime trace, {ticks} at {rate} per second ({whose}), {seconds}")
                }
                _ => format!("Lifetime trace, {ticks} (no clock; set one with --tick-rate)"),
            }
        }
        Format::Heap(format) => {
            let what = match format {
                HeapFormat::Heaptrack => "Recorded by heaptrack",
                HeapFormat::HeaptrackRaw => "Recorded by heaptrack --raw",
                HeapFormat::Millpond => "Recorded by millpond-heap",
                HeapFormat::Tracy => "Recorded from Tracy's client",
                HeapFormat::Header => "Recorded by millpond_record.h",
                HeapFormat::Csv => "Table of allocations",
            };
            let Some(seconds) = plan.seconds() else { return format!("{what}, without times") };
            let timestamps = match wanted.all {
                true => {
                    let timestamps = summary.timestamps.unwrap_or(0);
                    format!(" in {}", number_of(timestamps, "timestamp"))
                }
                false => String::new(),
            };
            let frames = match &summary.frames {
                Some(frames) => {
                    let rate =
                        frames.per_second().map(|rate| format!(", {} a second", small(rate)));
                    let frames = number_of(frames.count(), "frame");
                    let are_ticks = match summary.tick_unit() {
                        TickUnit::Frame => "; times are in frames",
                        _ => "",
                    };
                    format!(", {frames}{}{are_ticks}", rate.unwrap_or_default())
                }
                None => String::new(),
            };
            let ms = count(summary.ms_in_frames.unwrap_or(summary.ticks()));
            match seconds < 1.0 {
                true => format!("{what}, {ms} ms{timestamps}{frames}"),
                false => format!("{what}, {} ({ms} ms){timestamps}{frames}", duration(seconds)),
            }
        }
    }
}

/// What the recording lacks, a paragraph each.
pub fn what_is_missing(summary: &Summary) -> Vec<String> {
    missing(summary, WHO_DIED_IS_UNKNOWN)
}

/// The same, with the sentence for a recording that does not say who died.
fn missing(summary: &Summary, who_died: &str) -> Vec<String> {
    let mut paragraphs = Vec::new();
    paragraphs.extend(summary.cut.as_ref().map(Cut::sentence));
    if !summary.reading.passed_over().is_empty() {
        paragraphs.push(summary.reading.sentence());
    }
    if !summary.says_who_died() {
        paragraphs.push(who_died.to_owned());
    }
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

fn lives_legend(plan: &TracePlan) -> String {
    let unit = plan.summary.tick_unit();
    let (one, many) = (unit.name(), unit.names());
    format!(
        "live 99 %: how many were alive at once for 99 % of the time, at most; born/{one}: on average over the recording, \
         and in the worst {one}; median life, 95 % live: the lifetime in {many} that half of them, and 95 %, do not \
         exceed (≥: some objects were still alive at the end)"
    )
}

/// The heading of the first column.
fn class_heading(plan: &TracePlan) -> &'static str {
    match plan.summary.format {
        Format::Lifetimes => "<class",
        Format::Heap(_) => "size",
    }
}

/// The heading of the column that says what a smaller pool would cost.
const FEWER: &str = "fewer slots would";

fn sizes_legend(rules: &Rules) -> String {
    format!(
        "at once: the most that were alive together; reserve: that plus {} % (--headroom)",
        small(rules.headroom.percent)
    )
}

/// The answer: a line for each class.
fn sizes(plan: &TracePlan, classes: &[&Class], legend: Option<String>, paint: Paint) -> String {
    let sized = plan.classes.iter().any(|class| class.statistics.bytes_max.is_some());
    let has_smaller = classes.iter().any(|class| !class.smaller.is_empty());
    let mut table = Table::new(&[
        class_heading(plan),
        "created",
        "at once",
        "reserve",
        if sized { "memory" } else { "" },
        if has_smaller { "<fewer slots would" } else { "" },
    ])
    .with_whole_names(&[FEWER]);
    for class in classes {
        table.row(vec![
            name_cell(&class.name),
            count(class.statistics.lifetimes),
            count(class.statistics.peak_live.into()),
            count(class.capacity.into()),
            class.bytes_at_capacity().map_or_else(String::new, bytes),
            smaller(class).unwrap_or_default(),
        ]);
        if let Some(caller) = class.main_caller() {
            table.below(|columns_max| requested_by(caller, class, columns_max));
        }
    }
    let mut out = table.render(paint);
    if let Some(legend) = legend {
        out.push_str(&paint.faint_lines(&wrapped(&legend)));
    }
    if let Some(text) = untouched_text(plan, classes) {
        out.push_str(&wrapped(&text));
    }
    // Where the column has no room, the class that matters most has a sentence.
    if has_smaller && table.widths().last() == Some(&0) {
        let first = classes.iter().find_map(|class| Some((class, class.smaller.last()?)));
        if let Some((class, smaller)) = first {
            out.push_str(&wrapped(&format!(
                "For {}, {} would refuse {}, or evict {}.",
                name_cell(&class.name),
                number_of(smaller.capacity.into(), "slot"),
                objects(smaller.refused),
                between(smaller.evicted),
            )));
        }
    }
    out
}

/// Who requests most objects of a class: `1,800 by new<[u8; 200]> in shoot`, `all by shoot`.
fn requested_by(caller: &Caller, class: &Class, columns_max: usize) -> String {
    let many = match caller.allocations == class.statistics.lifetimes {
        true => "all".to_owned(),
        false => count(caller.allocations),
    };
    let by = format!("{many} by ");
    let function = function_up_to(&caller.function, columns_max.saturating_sub(by.len()));
    by + &function
}

/// `1 object`, `2 objects`, `3 to 5 objects`.
fn objects(number: Between<u64>) -> String {
    number
        .one()
        .map_or_else(|| format!("{} objects", between(number)), |one| number_of(one, "object"))
}

/// Where an untouched capacity fits: the class for which it saves most, and how many others.
fn untouched_text(plan: &TracePlan, classes: &[&Class]) -> Option<String> {
    let worth = classes.iter().filter(|class| class.worth_a_pool);
    let fits: Vec<_> = worth.filter_map(|class| Some((class, class.untouched(plan)?))).collect();
    let most = |(_, of): &&(_, Untouched)| of.bytes_of_addresses - of.bytes_before.unwrap_or(0);
    let (class, of) = fits.iter().max_by_key(most)?;
    let others = match fits.len() - 1 {
        0 => String::new(),
        more => format!(" The same is true of {}.", number_of(more as u64, "other class")),
    };
    Some(untouched_sentence(plan, class, of) + &others)
}

/// What it takes, in a sentence: the touched pages in the end, and until then.
pub fn untouched_sentence(plan: &TracePlan, class: &Class, of: &Untouched) -> String {
    let peak = u64::from(class.statistics.peak_live);
    let name = match plan.summary.format {
        Format::Lifetimes => name_cell(&class.name),
        Format::Heap(_) => {
            format!("blocks of {} {}", name_cell(&class.name), byte_unit(&class.name))
        }
    };
    let why = match of.why {
        Unsure::RarePeak { usual } => format!(
            "The peak of {name} is rare: in 99 % of the time at most {}.",
            count(usual.into())
        ),
        Unsure::Grows => format!("The number of {name} still rose when the recording ended."),
        Unsure::Refused => format!("{name} refused objects, so its peak is unknown."),
    };
    let at_peak = match of.bytes_before {
        Some(before) => {
            format!(
                "{} until that peak comes, and {} from then on",
                bytes(before),
                bytes(of.bytes_at_peak)
            )
        }
        None => format!("{} for {} at once", bytes(of.bytes_at_peak), count(peak)),
    };
    let sized = if of.is_sized { "" } else { ", if an object has 64 bytes" };
    format!(
        "{why} With an untouched capacity (`untouched`) of {}, its pool takes memory as it fills: {at_peak}, of \
         {} of address space{sized}.",
        number_of(of.slots.into(), "slot"),
        bytes(of.bytes_of_addresses),
    )
}

fn lives_table(plan: &TracePlan, classes: &[&Class]) -> Table {
    let mean = match plan.summary.tick_unit() {
        TickUnit::Tick => "born/tick",
        TickUnit::Millisecond => "born/ms",
        TickUnit::Frame => "born/frame",
    };
    let mut table = Table::new(&[
        class_heading(plan),
        "live 99 %",
        mean,
        "worst",
        "median life",
        "95 % live",
        "left alive",
    ]);
    for class in classes {
        table.row(vec![
            name_cell(&class.name),
            class.p99_live.map_or_else(String::new, |live| count(live.into())),
            class.births.map_or_else(String::new, |births| small(births.mean)),
            class.births.map_or_else(String::new, |births| count(births.worst)),
            length_in_table(class.median),
            length_in_table(class.p95),
            count(class.statistics.live.into()),
        ]);
    }
    table
}

/// The smallest of the smaller pools: the cost of saving most.
fn smaller(class: &Class) -> Option<String> {
    let smaller = class.smaller.last()?;
    let capacity = count(smaller.capacity.into());
    Some(match smaller.refused.one().zip(smaller.evicted.one()) {
        Some((refused, evicted)) => {
            format!("{capacity}: refuse {} or evict {}", count(refused), count(evicted))
        }
        // Both ranges in the room of one: they are the same, or nearly.
        None => format!("{capacity}: refuse or evict {}", in_table(smaller.either())),
    })
}

fn timing(plan: &TracePlan) -> String {
    let rate = |took: std::time::Duration| {
        plan.summary.events() as f64 / took.as_secs_f64().max(1e-9) / 1e6
    };
    format!(
        "Read in {:.2} s ({:.1} million events/s), checked in {:.2} s ({:.1} million events/s).",
        plan.statistics_took.as_secs_f64(),
        rate(plan.statistics_took),
        plan.replay_took.as_secs_f64(),
        rate(plan.replay_took),
    )
}
