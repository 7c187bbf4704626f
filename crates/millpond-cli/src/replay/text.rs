//! The figures of a replay for people.

use std::fmt::Write;

use super::object::SIZES;
use super::run::STRETCH;
use super::{Outcome, Summary};
use crate::error::shown;
use crate::output::figures::{bytes, count, small};
use crate::output::paint::Paint;
use crate::output::table::Table;

/// One trace.
pub(crate) fn text(outcome: &Outcome, paint: Paint) -> String {
    let mut text = format!("\n{}\n", paint.strong(&shown(outcome.name.as_bytes())));
    text += &what_was_replayed(&outcome.script);
    text.push('\n');
    text += &figures(outcome, paint);
    let _ = writeln!(
        text,
        "\nNanoseconds for a birth or death, the median of {0} rounds and the quartiles, taken for each \
         stretch of\n{1} events; and the median as a multiple of Box's. Then single operations, each \
         by the fastest of its\n{0} rounds: what it always takes. `seen` is the worst of all rounds, \
         whatever the machine did meanwhile.\nThe clock's own {2} ns are taken off, so that single \
         figures below them are rough.\n",
        outcome.rounds,
        count(STRETCH as u64),
        outcome.timer.nanoseconds
    );
    if let Some(verdict) = &outcome.verdict {
        let _ = writeln!(text, "{}", paint.strong(&verdict.sentence));
    }
    text += "This counts births and deaths alone. A trace does not say how often objects are looked up or \
             gone\nover: where they are gone over far more often, see PackedPool. A Recycler's objects \
             stay made, and\nonly two words of each were written.\n";
    text
}

fn what_was_replayed(script: &Summary) -> String {
    let Summary { events, events_in_trace, lifetimes, classes, slots, .. } = *script;
    let sizes = if script.bytes_min == script.bytes_max {
        format!("{} bytes", script.bytes_min)
    } else {
        format!("{} to {} bytes", script.bytes_min, script.bytes_max)
    };
    let mut text = format!(
        "{} births and deaths of {} objects of {sizes}, in {} pools of {} slots together, {}\n",
        count(events as u64),
        count(lifetimes as u64),
        count(classes as u64),
        count(slots as u64),
        bytes(script.pool_bytes),
    );
    if script.events_taken < events_in_trace {
        let all = count(events_in_trace);
        let _ = writeln!(text, "(the first of {all} events; --events replays more)");
    }
    if script.cut > 0 {
        let largest = SIZES[SIZES.len() - 1];
        let _ =
            writeln!(text, "({} classes of larger objects, cut to {largest} bytes)", script.cut);
    }
    text
}

fn figures(outcome: &Outcome, paint: Paint) -> String {
    let mut table = Table::new(&[
        "<pool", "median", "¼", "¾", "× Box", "p50", "p99", "p99.9", "p99.99", "worst", "seen",
    ])
    .of_any_width();
    for measured in &outcome.results {
        let (times, latency) = (measured.times, &measured.latency);
        let mut cells = vec![measured.name.to_owned()];
        cells.extend(
            [times.median, times.lower_quartile, times.upper_quartile].map(|ns| format!("{ns:.1}")),
        );
        cells.push(outcome.ratio(measured).map_or_else(|| "–".to_owned(), small));
        cells.extend([0.5, 0.99, 0.999, 0.9999].map(|quantile| count(latency.at(quantile))));
        cells.extend([latency.worst(), latency.worst_seen].map(count));
        table.row(cells);
    }
    table.render(paint)
}
