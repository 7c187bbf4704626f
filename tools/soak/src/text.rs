//! The summary of a soak as text.

use std::fmt::Write;

use hdrhistogram::Histogram;

use super::checkpoint::SoFar;
use super::{Outcome, Violation};
use millpond_plan::error::shown;
use millpond_plan::output::figures::{bytes, count, duration};
use millpond_plan::output::paint::Paint;
use millpond_plan::output::table::Table;

const BAR_CELLS: usize = 40;

/// The summary. `again` is the command that repeats the soak, without seed, steps and pool.
pub(crate) fn text(outcome: &Outcome, so_far: Option<SoFar>, again: &str, paint: Paint) -> String {
    let mut text = String::new();
    text.push_str(&pools(outcome, paint));
    text.push('\n');
    text.push_str(&latency(&outcome.latency));
    text.push('\n');
    totals(&mut text, outcome, paint);
    match &outcome.violation {
        Some(violation) => text.push_str(&reproduction(violation, outcome, again, paint)),
        None => {
            let verdict = match outcome.broken_promise() {
                None => paint.good("No violation."),
                Some(promise) => paint.bad(&format!("Failed: {promise}.")),
            };
            let _ = writeln!(text, "{verdict}");
        }
    }
    text.push_str(&so_far.map_or_else(String::new, |so_far| so_far.text()));
    text
}

fn pools(outcome: &Outcome, paint: Paint) -> String {
    let mut table = Table::new(&[
        "<pool",
        "operations",
        "refused",
        "worst µs",
        "median ns",
        "peak",
        "live",
        "retired",
        "allocations",
    ])
    .with_whole_names(&[]);
    for pool in &outcome.pools {
        let tally = pool.tally;
        let mut cells = vec![pool.name.clone()];
        let counts = [
            tally.operations,
            tally.refused,
            pool.worst_ns / 1000,
            pool.median_ns,
            tally.peak,
            tally.live,
            tally.retired,
            tally.allocations,
        ];
        cells.extend(counts.map(count));
        table.row(cells);
    }
    table.render(paint)
}

/// One line for each power of two from the fastest operation to the slowest.
fn latency(histogram: &Histogram<u64>) -> String {
    let mut text = "Insertions and removals by duration:\n".to_owned();
    let bands: Vec<(u64, u64)> = (0..36)
        .map(|power| (1 << power, histogram.count_between(1 << power, (2 << power) - 1)))
        .collect();
    let most = bands.iter().map(|band| band.1).max().unwrap_or(0).max(1);
    for (from, number) in bands.iter().filter(|band| band.1 > 0) {
        let cells = (number * BAR_CELLS as u64).div_ceil(most) as usize;
        let until = from * 2;
        let _ = writeln!(text, "  < {until:>12} ns {:>16}  {}", count(*number), "█".repeat(cells));
    }
    text
}

fn totals(text: &mut String, outcome: &Outcome, paint: Paint) {
    let total = outcome.total();
    let seconds = outcome.elapsed.as_secs_f64();
    let resident = |bytes: Option<u64>| {
        bytes.map_or_else(|| "unknown on this system".to_owned(), |n| format!("{} bytes", count(n)))
    };
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{} {value}", paint.faint(&format!("{name:<26}")));
    };
    line("time", duration(seconds) + if outcome.interrupted { ", then stopped" } else { "" });
    if let Some(processor) = outcome.processor {
        line("of the processor", duration(processor.as_secs_f64()));
    }
    line(
        "seed, slots in each pool",
        format!("{}, {}", outcome.seed, count(outcome.capacity as u64)),
    );
    let rate = total.operations as f64 / seconds.max(1e-9) / 1e6;
    line("operations", format!("{} ({rate:.1} million/s)", count(total.operations)));
    line("violations", u8::from(outcome.violation.is_some()).to_string());
    let counted =
        if outcome.allocations_counted { count(total.allocations) } else { "not counted".into() };
    line("allocations after start", counted);
    if outcome.violation.is_none() {
        line(
            "objects made, dropped",
            format!("{}, {}", count(outcome.made), count(outcome.dropped)),
        );
    }
    if total.renewed > 0 {
        line("pools used up, replaced", count(total.renewed));
    }
    if total.renewals.resident_growth != 0 {
        let growth = total.renewals.resident_growth;
        let sign = if growth < 0 { "−" } else { "+" };
        line("resident by replacing", format!("{sign}{} bytes", count(growth.unsigned_abs())));
    }
    line("resident at start", resident(outcome.resident_start));
    line("resident at the peak", resident(outcome.resident_peak));
    line("resident at the end", resident(outcome.resident_end));
    line("objects' bytes at the peak", bytes(total.bytes_peak));
    line("objects' bytes at the end", bytes(total.bytes_live));
    line("worst operation", format!("{} µs", count(outcome.latency.max() / 1000)));
}

fn reproduction(violation: &Violation, outcome: &Outcome, again: &str, paint: Paint) -> String {
    let Violation { pool, step, message } = violation;
    let message = shown(message.as_bytes());
    let mut text = paint.bad(&format!("Violation: {pool}, step {step}: {message}"));
    let seed = outcome.seed;
    let _ = writeln!(text, "\nReproduce it: {again} --seed {seed} --steps {step} --only '{pool}'");
    text
}
