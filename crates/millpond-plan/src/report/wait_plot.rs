//! Waits by capacity: a line for each share of the callers, on a logarithmic scale.

use std::fmt::Write as _;

use millpond_lend::replay::AtCapacity;

use super::plot::{Frame, HEIGHT, Tick, round_ticks, y_at};
use crate::output::figures::milliseconds;

/// The width of a step from one capacity to the next.
const STEP: usize = 100;
/// The maximum number of labels along the capacities.
const X_LABELS_MAX: u64 = 10;

/// A line of the plot.
struct Line {
    name: &'static str,
    /// Its class in the style sheet.
    class: &'static str,
    wait_us: fn(&AtCapacity) -> u64,
}

const LINES: [Line; 5] = [
    Line { name: "50 %", class: "waits0", wait_us: |at| at.in_advance.waits.p50_us },
    Line { name: "90 %", class: "waits1", wait_us: |at| at.in_advance.waits.p90_us },
    Line { name: "longest", class: "waits3", wait_us: |at| at.in_advance.waits.max_us },
    Line {
        name: "99 %, opened as needed",
        class: "waits4",
        wait_us: |at| at.as_needed.waits.p99_us,
    },
    Line { name: "99 %", class: "waits2", wait_us: |at| at.in_advance.waits.p99_us },
];

/// The plot; `limit_us` draws the required wait.
pub(super) fn plot(capacities: &[AtCapacity], limit_us: u64) -> String {
    let (Some(first), Some(last)) = (capacities.first(), capacities.last()) else {
        return "<p class=\"none\">No loan was recorded.</p>\n".to_owned();
    };
    let waits = capacities.iter().flat_map(|at| LINES.iter().map(move |line| (line.wait_us)(at)));
    let longest_us = waits.max().unwrap_or(0).max(limit_us).max(1);
    let (start, end) = (first.capacity as u64, last.capacity as u64);
    // A single capacity is a line, too.
    let span = (end - start).max(1);
    let width = usize::try_from(span).unwrap_or(1).saturating_mul(STEP);
    let frame = Frame {
        caption: "Waits by capacity".to_owned(),
        note: format!("log scale{}", legend()),
        description: format!(
            "How long callers wait with {start} to {end} objects, at most {}",
            milliseconds(longest_us)
        ),
        x: round_ticks(start, end, X_LABELS_MAX, |capacity| capacity.to_string()),
        y: wait_ticks(longest_us),
        marks: vec![Tick { at: height(limit_us, longest_us), label: milliseconds(limit_us) }],
        width,
        data: String::new(),
    };
    let x = |at: &AtCapacity| (at.capacity as u64 - start) * STEP as u64;
    let mut shapes = String::new();
    for line in &LINES {
        let mut path = String::new();
        for (index, at) in capacities.iter().enumerate() {
            let y = y_at(height((line.wait_us)(at), longest_us));
            let _ = write!(path, "{}{} {y}", if index == 0 { 'M' } else { 'L' }, x(at));
        }
        if capacities.len() == 1 {
            let _ = write!(path, "h{width}");
        }
        let _ = write!(shapes, "<path class=\"{}\" d=\"{path}\"/>", line.class);
    }
    let limit = y_at(height(limit_us, longest_us));
    let _ = write!(shapes, "<path class=\"cap\" d=\"M0 {limit}h{width}\"/>");
    frame.around(&shapes)
}

/// The height of a wait; the longest nearly reaches the top.
fn height(wait_us: u64, longest_us: u64) -> f64 {
    const ROOM_ABOVE: f64 = 0.94;
    ROOM_ABOVE * (1.0 + wait_us as f64).ln() / (1.0 + longest_us as f64).ln()
}

/// Zero, and the powers of ten from 1 µs or, if the longest wait exceeds 10 ms, from 0.1 ms on.
fn wait_ticks(longest_us: u64) -> Vec<Tick> {
    let first = if longest_us > 10_000 { 100 } else { 1 };
    let tick = |us| Tick { at: height(us, longest_us), label: milliseconds(us) };
    let tens = std::iter::successors(Some(first), |us: &u64| us.checked_mul(10));
    std::iter::once(0).chain(tens.take_while(|us| *us <= longest_us)).map(tick).collect()
}

fn legend() -> String {
    LINES.iter().fold(String::new(), |mut html, line| {
        let _ = write!(
            html,
            "<svg class=\"key-line\" viewBox=\"0 0 22 {HEIGHT}\" preserveAspectRatio=\"none\" \
             aria-hidden=\"true\"><path class=\"{}\" d=\"M0 500h22\"/></svg>{}",
            line.class, line.name
        );
        html
    })
}

#[cfg(test)]
mod tests {
    use millpond_lend::TraceRow;
    use millpond_lend::replay::{PoolTrace, Question, plan};

    use super::*;

    fn capacities(callers: u64) -> Vec<AtCapacity> {
        let row = TraceRow { asked_us: 0, got_us: Some(0), ended_us: 2_000 };
        let rows = (0..callers).map(|_| row).collect();
        plan(&PoolTrace { pool: String::new(), rows }, &Question::default()).capacities
    }

    #[test]
    fn every_line_has_a_point_for_each_capacity() {
        let html = plot(&capacities(20), 5_000);
        assert_eq!(html.matches("<path class=\"waits").count(), 2 * LINES.len());
        let path = html.split("<path class=\"waits2\" d=\"").last().unwrap_or_default();
        let path = path.split('"').next().unwrap_or_default();
        assert_eq!(path.matches('L').count(), 19, "{path}");
        assert!(html.contains("class=\"cap\"") && html.contains(">5.0 ms<"), "{html}");
    }

    #[test]
    fn one_capacity_and_none_are_drawn_too() {
        let html = plot(&capacities(1), 5_000);
        assert!(html.contains("h100") && !html.contains("NaN"), "{html}");
        assert!(plot(&[], 5_000).contains("No loan"));
        assert!(!plot(&capacities(3), u64::MAX).contains("NaN"));
    }
}
