//! The figures of a replay as text.

use std::fmt::Write;

use super::object::SIZES;
use super::run::STRETCH;
use super::{Outcome, Summary};
use millpond_plan::error::shown;
use millpond_plan::output::between::NEWEST_DIES_FIRST;
use millpond_plan::output::figures::{bytes, count, number_of, small};
use millpond_plan::output::paint::Paint;
use millpond_plan::output::table::Table;
use millpond_plan::output::wrap::wrapped;

/// The columns that give way when figures are wide, the one that says least about the pools first.
const GIVE_WAY: &[&str] = &["seen µs", "¼", "¾", "p99.9"];

/// One trace.
pub(crate) fn text(outcome: &Outcome, paint: Paint) -> String {
    let mut text = format!("\n{}\n", paint.strong(&shown(outcome.name.as_bytes())));
    text += &what_was_replayed(&outcome.script);
    if !outcome.script.says_who_died {
        text += &wrapped(NEWEST_DIES_FIRST);
    }
    if let Some(verdict) = &outcome.verdict {
        text.push('\n');
        text += &paint.strong_lines(&wrapped(&verdict.sentence));
    }
    text.push('\n');
    text += &figures(outcome, paint);
    let walks = outcome.script.walks.count > 0;
    text.push('\n');
    text += &wrapped(&format!(
        "median, ¼, ¾: nanoseconds per {}, the median and the quartiles of {} rounds, for each \
         stretch of {} events; × Box: the median as a multiple of Box's. Then single operations, each \
         with its fastest round; `seen` is the slowest of all rounds and includes other work \
         of the machine. The clock's own {} ns are subtracted; smaller single times are \
         rough. Columns without room are left out.",
        if walks { "tick with its walk" } else { "insertion or removal" },
        outcome.rounds,
        count(STRETCH as u64),
        outcome.timer.nanoseconds,
    ));
    text += &wrapped(if walks {
        "A walk reads and writes all objects, at the end of each tick with an insertion or removal: \
         `runs` iterates with runs_mut, the others with values_mut (a Recycler with iter_mut); boxes \
         are in a Vec."
    } else {
        "These figures are for insertions and removals only, because a trace contains no lookups and \
         iterations. --walk adds iteration. A Recycler keeps its objects constructed; only two words \
         of each are written."
    });
    text
}

fn what_was_replayed(script: &Summary) -> String {
    let Summary { events, events_in_trace, lifetimes, classes, slots, .. } = *script;
    let sizes = if script.bytes_min == script.bytes_max {
        format!("{} bytes", script.bytes_min)
    } else {
        format!("{} to {} bytes", script.bytes_min, script.bytes_max)
    };
    let mut text = wrapped(&format!(
        "{} insertions and removals of {} of {sizes}, in {} of {} in total, {}",
        count(events as u64),
        number_of(lifetimes as u64, "object"),
        number_of(classes as u64, "pool"),
        number_of(slots as u64, "slot"),
        bytes(script.pool_bytes),
    ));
    if script.walks.count > 0 {
        let (walks, visits) = (count(script.walks.count as u64), count(script.walks.visits));
        let _ = writeln!(text, "{walks} walks over all objects, {visits} visits");
    }
    if script.events_taken < events_in_trace {
        let all = count(events_in_trace);
        let _ = writeln!(text, "(the first of {all} events; --events replays more)");
    }
    if script.cut > 0 {
        let largest = SIZES[SIZES.len() - 1];
        let _ = writeln!(
            text,
            "({} with larger objects; {largest} bytes are used)",
            number_of(script.cut as u64, "class")
        );
    }
    text
}

fn figures(outcome: &Outcome, paint: Paint) -> String {
    let mut table =
        Table::new(&["<pool", "median", "¼", "¾", "× Box", "p99", "p99.9", "worst", "seen µs"])
            .with_whole_names(GIVE_WAY);
    for measured in &outcome.results {
        let (times, latency) = (measured.times, &measured.latency);
        let mut cells = vec![measured.name.to_owned()];
        cells.extend(
            [times.median, times.lower_quartile, times.upper_quartile].map(|ns| format!("{ns:.1}")),
        );
        cells.push(outcome.ratio(measured).map_or_else(|| "–".to_owned(), small));
        cells.extend([latency.p99, latency.p999, latency.worst].map(count));
        cells.push(small(latency.worst_seen as f64 / 1000.0));
        table.row(cells);
    }
    table.render(paint)
}
