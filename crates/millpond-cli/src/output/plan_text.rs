//! A plan as a person reads it on a terminal.

use std::fmt::Write;

use super::figures::{bytes, count, duration, small};
use super::meaning::meaning;
use super::paint::Paint;
use super::size_classes::size_classes_text;
use super::table::{Table, name_cell, short_function};
use crate::plan::{
    Class, GENERATION_BITS, Length, Proof, Rules, TracePlan, lifetimes_of, seconds_until,
};
use crate::trace::Format;

/// What is said once, before the traces.
pub(crate) fn rules_text(rules: &Rules, paint: Paint) -> String {
    let text = format!(
        "Rule: {} (--headroom). A handle has to last {} (--session-hours).",
        rules.headroom.rule(),
        duration(rules.session_seconds)
    );
    format!("{}\n", paint.faint(&text))
}

/// One trace: what it is, the pools that it needs, how long their handles last.
pub(crate) fn trace_text(plan: &TracePlan, top: usize, paint: Paint) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "\n{}", paint.strong(&crate::error::shown(plan.name.as_bytes())));
    let _ = writeln!(out, "{}", what_it_is(plan));
    if plan.summary.format == Format::Heaptrack {
        let _ = writeln!(out, "\n{}", paint.strong("What to pool first"));
        out.push_str(
            &paint.faint("by (lifetimes − peak live) × bytes ÷ (1 + median lifetime in ms); what saves less than 0.1 % of \
             all saved calls comes last\n"),
        );
        out.push_str(&savings_table(plan, top).render(paint));
    }
    let _ = writeln!(out, "\n{}", paint.strong("How large each pool has to be"));
    out.push_str(&paint.faint(&sizes_legend(plan)));
    out.push_str(&sizes_table(plan, top).render(paint));
    let _ = writeln!(out, "\n{}", paint.strong("How long the busiest slot lasts"));
    out.push_str(&handles_table(plan, top).render(paint));
    if plan.classes.len() > top {
        let more = plan.classes.len() - top;
        let _ = writeln!(
            out,
            "{}",
            paint.faint(&format!("… and {} more classes (--top, --json)", count(more as u64)))
        );
    }
    let _ = writeln!(out, "\n{}", proof_text(&plan.proof(), paint));
    let _ = writeln!(out, "{}", paint.faint(&timing(plan)));
    let _ = writeln!(out, "{}", paint.strong(&meaning(plan)));
    if let Some(found) = &plan.size_classes {
        out.push_str(&size_classes_text(&plan.name, found, paint));
    }
    out
}

/// What the proof has shown, with its counts.
fn proof_text(proof: &Proof, paint: Paint) -> String {
    let verdict = if proof.holds() { paint.good("Proved") } else { paint.bad("NOT PROVED") };
    format!(
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
    )
}

fn what_it_is(plan: &TracePlan) -> String {
    let summary = &plan.summary;
    let what = match summary.format {
        Format::Lifetimes => format!(
            "lifetime trace, {} ticks at {} ticks/s (--tick-rate)",
            count(summary.ticks()),
            plan.ticks_per_second
        ),
        Format::Heaptrack => format!(
            "heaptrack file (of equal blocks the newest is taken to die first), {} ms in {} timestamps",
            count(summary.ticks()),
            count(summary.timestamps.unwrap_or(0))
        ),
    };
    let mut text = format!(
        "{what} = {}, {} events\n{} lifetimes in {} classes, at most {} alive at once, {} left alive",
        duration(plan.seconds()),
        count(summary.events()),
        count(summary.births),
        count(plan.classes.len() as u64),
        count(plan.peak_live.into()),
        count(plan.left_live.into()),
    );
    if let Some(peak_bytes) = plan.peak_bytes {
        let _ = write!(text, ", {} bytes at the peak", count(peak_bytes));
    }
    if summary.missing_events > 0 {
        let missing = count(summary.missing_events);
        let _ = write!(
            text,
            "\n{missing} events are missing, because the recorder's disk was too slow: the pools were \
             fuller than this plan knows (a recorder with more events, or a faster disk, helps)"
        );
    }
    if summary.refused > 0 {
        let refused = count(summary.refused);
        let _ = write!(
            text,
            "\n{refused} more objects were refused, because the recorded program's own pools were full: \
             record it with larger pools to see what it needs"
        );
    }
    text
}

/// What the headings of the table of sizes mean.
fn sizes_legend(plan: &TracePlan) -> String {
    format!(
        "life: median length of a lifetime, and what 95 % do not exceed, in {}; live: at most in 99 % \
         of them, and the peak\nsmaller pool: its capacity: how many objects it would have refused/\
         evicted (the oldest first)\n",
        match plan.summary.format {
            Format::Lifetimes => "ticks",
            Format::Heaptrack => "ms",
        }
    )
}

fn sizes_table(plan: &TracePlan, top: usize) -> Table {
    let (class, mean) = match plan.summary.format {
        Format::Lifetimes => ("<class", "born/tick"),
        Format::Heaptrack => ("size", "born/ms"),
    };
    let sized = plan.classes.iter().any(|class| class.statistics.bytes_max.is_some());
    let bytes_heading = if sized { "bytes" } else { "" };
    let mut table = Table::new(&[
        class,
        "lifetimes",
        mean,
        "worst",
        "life",
        "95 %",
        "live 99 %",
        "peak",
        "capacity",
        bytes_heading,
        "<smaller pool: refused/evicted",
    ]);
    for class in plan.classes.iter().take(top) {
        table.row(vec![
            name_cell(&class.name),
            count(class.statistics.lifetimes),
            small(class.births_mean),
            count(class.statistics.births_worst),
            length(class.median),
            length(class.p95),
            count(class.p99_live.into()),
            count(class.statistics.peak_live.into()),
            count(class.capacity.into()),
            class.bytes_at_capacity().map_or_else(String::new, bytes),
            smaller(class),
        ]);
    }
    table
}

fn length(length: Option<Length>) -> String {
    match length {
        Some(Length { ticks, at_least: true }) => format!("≥{}", count(ticks)),
        Some(Length { ticks, .. }) => count(ticks),
        None => "–".to_owned(),
    }
}

/// The largest of the smaller pools, and the smallest.
fn smaller(class: &Class) -> String {
    let (first, last) = match class.smaller.as_slice() {
        [] => return String::new(),
        [only] => (only, None),
        [first, .., last] => (first, Some(last)),
    };
    let text: Vec<String> = [first]
        .into_iter()
        .chain(last)
        .map(|s| format!("{}: {}/{}", count(s.capacity.into()), count(s.refused), count(s.evicted)))
        .collect();
    text.join("  ")
}

fn handles_table(plan: &TracePlan, top: usize) -> Table {
    let class = match plan.summary.format {
        Format::Lifetimes => "<class",
        Format::Heaptrack => "size",
    };
    let mut table = Table::new(&[
        class,
        "Lifo 12 bit",
        "24 bit",
        "32 bit",
        "Fifo 12 bit",
        "24 bit",
        "32 bit",
        "<handle",
        "<reuse",
    ]);
    for class in plan.classes.iter().take(top) {
        let mut row = vec![name_cell(&class.name)];
        for busiest in [class.busiest_slot.lifo, class.busiest_slot.fifo] {
            for bits in GENERATION_BITS {
                let seconds = seconds_until(lifetimes_of(bits), busiest, plan.seconds());
                row.push(seconds.map_or_else(|| "–".to_owned(), duration));
            }
        }
        row.push(class.layout.handle.to_owned());
        let retires = if class.layout.lasts { "" } else { " (slots retire)" };
        row.push(format!("{}{retires}", class.layout.reuse.name()));
        table.row(row);
    }
    table
}

fn savings_table(plan: &TracePlan, top: usize) -> Table {
    let total: f64 = plan.classes.iter().map(|class| class.saving.score).sum();
    let mut table = Table::new(&[
        "size",
        "saves calls",
        "of bytes",
        "life (ms)",
        "share",
        "<asked for most by",
    ]);
    for class in plan.classes.iter().take(top).filter(|class| class.saving.allocations > 0) {
        let caller = class.callers.first();
        let callers = caller.map_or_else(String::new, |caller| {
            let share = caller.allocations as f64 / class.statistics.lifetimes as f64 * 100.0;
            format!("{share:.0} % {}", name_cell(&short_function(&caller.function)))
        });
        table.row(vec![
            class.name.clone(),
            count(class.saving.allocations),
            bytes(class.saving.bytes),
            length(class.median),
            format!("{:.1} %", class.saving.score / total.max(f64::MIN_POSITIVE) * 100.0),
            callers,
        ]);
    }
    table
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
