//! What happened, drawn from the live trace.

use std::ops::Range;
use std::path::Path;

use millpond_demos::{Chart, FAINT, Failure, INK, Line, Picture, RGBColor, Stage};
use millpond_lend::replay::{Line as TraceLine, parse_line};

use crate::Interruption;

const SIZE: [usize; 2] = [960, 820];
const BLUE: RGBColor = RGBColor(96, 170, 255);
const GOLD: RGBColor = RGBColor(255, 196, 84);
const RED: RGBColor = RGBColor(255, 104, 96);
const VIOLET: RGBColor = RGBColor(150, 92, 170);

/// The interruption is drawn at least this wide, as a share of the picture.
const NARROWEST: f64 = 0.004;

/// Where no loan came back for so many seconds, there is a gap.
const GAP_S: f64 = 0.25;
const GREEN: RGBColor = RGBColor(120, 214, 140);

/// A line over time, each point a tenth of a second.
type Points = Vec<(f64, f64)>;

/// What the trace says.
#[derive(Debug, Default)]
struct Curves {
    waits: [Points; 3],
    existing: Points,
    out: Points,
    waiting: Points,
    opened: Points,
    open_failed: Points,
    closed: Points,
}

/// Draws `orders.png` from a live trace, with an interruption in this stretch of seconds.
pub(crate) fn draw(
    stage: &Stage,
    trace: &Path,
    interruption: &Interruption,
    down: Range<f64>,
) -> Result<(), Failure> {
    let curves = read(&std::fs::read_to_string(trace)?)?;
    let mut picture = Picture::new(SIZE[0], SIZE[1]);
    picture.text([20.0, 34.0], 20.0, INK, interruption.title);
    let end = curves.existing.last().map_or(1.0, |(at, _)| *at).max(0.1);
    let [p50, p99, longest] = curves.waits;
    let lines = |lines: Vec<(&'static str, RGBColor, Points)>| -> Vec<Line<'static>> {
        let lines = lines.into_iter();
        lines.flat_map(|(name, color, points)| with_gaps(name, color, &points)).collect()
    };
    let charts = [
        (
            "how long callers waited",
            "ms",
            lines(vec![("longest", FAINT, longest), ("99 %", GOLD, p99), ("50 %", BLUE, p50)]),
        ),
        (
            "connections and callers",
            "how many",
            lines(vec![
                ("callers who wait", GOLD, curves.waiting),
                ("connections", FAINT, curves.existing),
                ("lent", BLUE, curves.out),
            ]),
        ),
        (
            "since the start",
            "how many",
            lines(vec![
                ("opened", GREEN, curves.opened),
                ("closed", FAINT, curves.closed),
                ("openings that failed", RED, curves.open_failed),
            ]),
        ),
    ];
    for (index, (title, y_label, mut lines)) in charts.into_iter().enumerate() {
        let values = lines.iter().flat_map(|line| &line.points).map(|(_, value)| *value);
        // With room for the legend.
        let top = values.fold(1.0, f64::max) * 1.4;
        // However short it is, it is seen.
        let least = down.start + end * NARROWEST;
        let [from, to] = [down.start, down.end.max(least)].map(|at| at.clamp(0.0, end));
        let points = vec![(from, 0.0), (from, top), (to, top), (to, 0.0)];
        lines.insert(0, Line { name: interruption.meanwhile, color: VIOLET, points });
        let chart = Chart {
            title,
            x_label: if index == 2 { "seconds" } else { "" },
            x: 0.0..end,
            y_label,
            y: 0.0..top,
            lines,
        };
        picture.chart([0, 50 + index * 255], [SIZE[0], 250], &chart);
    }
    picture.save(stage, "orders.png")
}

/// The line as its parts; the first has the name.
fn with_gaps(name: &'static str, color: RGBColor, points: &[(f64, f64)]) -> Vec<Line<'static>> {
    let parts = points.chunk_by(|(before, _), (at, _)| at - before < GAP_S);
    parts
        .enumerate()
        .map(|(index, part)| {
            let name = if index == 0 { name } else { "" };
            Line { name, color, points: part.to_vec() }
        })
        .collect()
}

fn read(text: &str) -> Result<Curves, Failure> {
    let mut curves = Curves::default();
    let mut waits = Vec::new();
    for line in text.lines().skip(1) {
        let (_, line) = parse_line(line).map_err(|why| Failure::Untrue(why.to_owned()))?;
        match line {
            TraceLine::Row(row) => waits.push(row.got_us.unwrap_or(row.ended_us) - row.asked_us),
            TraceLine::Stats(stats) => {
                let at = stats.at_us as f64 / 1e6;
                waits.sort_unstable();
                for (curve, percent) in curves.waits.iter_mut().zip([50, 99, 100]) {
                    let rank = (waits.len() * percent).div_ceil(100);
                    let wait_us = waits.get(rank.saturating_sub(1)).copied();
                    curve.extend(wait_us.map(|wait_us| (at, wait_us as f64 / 1e3)));
                }
                waits.clear();
                let points = [
                    (&mut curves.existing, stats.existing),
                    (&mut curves.out, stats.out),
                    (&mut curves.waiting, stats.waiting),
                    (&mut curves.opened, stats.opened),
                    (&mut curves.open_failed, stats.open_failed),
                    (&mut curves.closed, stats.closed),
                ];
                for (curve, value) in points {
                    curve.push((at, value as f64));
                }
            }
            _ => {}
        }
    }
    Ok(curves)
}
