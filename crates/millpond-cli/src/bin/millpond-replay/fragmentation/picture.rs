//! The picture: what is live, what is free, the largest hole, and the pools.

use std::fmt::Write;

use super::{Outcome, Point};
use millpond_cli::output_file::HEAP_MARKER;
use millpond_plan::output::figures::{bytes, duration_beside};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 70.0;
const BOTTOM: f64 = 40.0;

const LIVE: &str = "#3c6e91";
const FREE: &str = "#d9a441";
const HOLE: &str = "#b3392f";
const POOLS: &str = "#2e7d4f";
const INK: &str = "#2b2b2b";

/// The picture as SVG.
pub(crate) fn svg(outcome: &Outcome) -> String {
    let frame = Frame::around(outcome);
    let mut svg = format!(
        "{HEAP_MARKER}<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\" role=\"img\" aria-label=\"{}\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n",
        "Memory in use, free memory and the largest hole of a heap over time"
    );
    legend(&mut svg);
    frame.axes(&mut svg, outcome.ticks_per_second);
    frame.area(&mut svg, &outcome.points, LIVE, |_| 0, |point| point.live_bytes);
    frame.area(&mut svg, &outcome.points, FREE, |point| point.live_bytes, |point| point.heap_bytes);
    frame.line(&mut svg, &outcome.points, HOLE, "", |point| point.largest_hole);
    frame.line(&mut svg, &outcome.points, POOLS, " stroke-dasharray=\"7 4\"", |_| {
        outcome.pool_bytes
    });
    if !outcome.says_who_died {
        let _ =
            writeln!(svg, "<text x=\"{LEFT}\" y=\"58\" fill=\"{INK}\">{NEWEST_DIES_FIRST}</text>");
    }
    svg.push_str("</svg>\n");
    svg
}

/// Under the legend, where a recording does not say who died.
const NEWEST_DIES_FIRST: &str =
    "assumed: of several equal blocks the newest is freed first (heaptrack --raw records which)";

fn legend(svg: &mut String) {
    let mut x = LEFT;
    for (color, what) in [
        (LIVE, "heap: in use"),
        (FREE, "heap: free, in holes"),
        (HOLE, "its largest hole"),
        (POOLS, "the same program in pools: all its memory"),
    ] {
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"24\" width=\"14\" height=\"14\" fill=\"{color}\"/>\
             <text x=\"{}\" y=\"36\" fill=\"{INK}\">{what}</text>",
            x + 20.0
        );
        x += 50.0 + 7.0 * what.len() as f64;
    }
}

/// Maps times and sizes to positions in the picture.
struct Frame {
    first_tick: f64,
    ticks: f64,
    top_bytes: u64,
}

impl Frame {
    fn around(outcome: &Outcome) -> Self {
        let first_tick = outcome.points.first().map_or(0.0, |point| f64::from(point.tick));
        let ticks = f64::from(outcome.end().tick) - first_tick;
        let highest = outcome.points.iter().map(|point| point.heap_bytes).max().unwrap_or(0);
        let top_bytes = highest.max(outcome.pool_bytes).max(1);
        Self { first_tick, ticks: ticks.max(1.0), top_bytes: top_bytes + top_bytes / 12 }
    }

    fn x(&self, tick: f64) -> f64 {
        LEFT + (tick - self.first_tick) / self.ticks * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, bytes: u64) -> f64 {
        HEIGHT - BOTTOM - bytes as f64 / self.top_bytes as f64 * (HEIGHT - TOP - BOTTOM)
    }

    fn axes(&self, svg: &mut String, ticks_per_second: Option<f64>) {
        let step = round_step(self.top_bytes, 5);
        for mark in (0..).map(|n| n * step).take_while(|mark| *mark <= self.top_bytes) {
            let y = self.y(mark);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#dddddd\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"{INK}\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                y + 4.0,
                bytes(mark)
            );
        }
        for part in 0..=4 {
            let tick = self.first_tick + self.ticks * f64::from(part) / 4.0;
            let label = match ticks_per_second {
                Some(rate) => duration_beside(tick / rate, (self.first_tick + self.ticks) / rate),
                None => format!("tick {tick:.0}"),
            };
            let anchor = ["start", "middle", "middle", "middle", "end"][part as usize];
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"{anchor}\" fill=\"{INK}\">{label}</text>",
                self.x(tick),
                HEIGHT - BOTTOM + 22.0
            );
        }
    }

    /// The area between two heights.
    fn area(
        &self,
        svg: &mut String,
        points: &[Point],
        color: &str,
        low: impl Fn(&Point) -> u64,
        high: impl Fn(&Point) -> u64,
    ) {
        let mut path = String::from("M");
        for point in points {
            let _ =
                write!(path, "{:.1} {:.1} ", self.x(f64::from(point.tick)), self.y(high(point)));
        }
        for point in points.iter().rev() {
            let _ = write!(path, "{:.1} {:.1} ", self.x(f64::from(point.tick)), self.y(low(point)));
        }
        let _ = writeln!(svg, "<path d=\"{path}Z\" fill=\"{color}\" fill-opacity=\"0.75\"/>");
    }

    fn line(
        &self,
        svg: &mut String,
        points: &[Point],
        color: &str,
        more: &str,
        at: impl Fn(&Point) -> u64,
    ) {
        let mut path = String::from("M");
        for point in points {
            let _ = write!(path, "{:.1} {:.1} ", self.x(f64::from(point.tick)), self.y(at(point)));
        }
        let path = path.trim_end();
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"{more}/>"
        );
    }
}

/// A round distance between marks, for about this many marks.
fn round_step(top: u64, marks: u64) -> u64 {
    let rough = (top / marks).max(1);
    let power = 1 << rough.ilog2();
    if rough > power + power / 2 { power * 2 } else { power }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(points: Vec<Point>) -> Outcome {
        Outcome {
            name: "<game>".to_owned(),
            points,
            births: 2,
            ticks_per_second: Some(60.0),
            live_bytes_peak: 100,
            worst: Point::default(),
            pool_bytes: 4096,
            says_who_died: true,
        }
    }

    #[test]
    fn everything_is_within_the_picture_and_of_its_color() {
        let point = |tick, heap_bytes, live_bytes| Point {
            tick,
            heap_bytes,
            live_bytes,
            largest_hole: (heap_bytes - live_bytes) / 2,
        };
        let svg = svg(&outcome(vec![point(0, 1000, 1000), point(600, 9000, 500)]));
        assert!(svg.starts_with(HEAP_MARKER) && svg.ends_with("</svg>\n"));
        for color in [LIVE, FREE, HOLE, POOLS] {
            assert_eq!(svg.matches(color).count(), 2, "{color}: the legend and the shape");
        }
        assert!(svg.contains(">10 s<") && !svg.contains("game"), "{svg}");
        let paths = svg.split(" d=\"M").skip(1).map(|rest| rest.split('"').next().unwrap());
        for number in
            paths.flat_map(|path| path.split(|c: char| !c.is_ascii_digit() && c != '.' && c != '-'))
        {
            let value: f64 = if number.is_empty() { 0.0 } else { number.parse().unwrap() };
            assert!((0.0..=WIDTH).contains(&value), "{number}");
        }
    }

    #[test]
    fn a_run_of_no_events_has_a_picture_too() {
        let svg = svg(&outcome(Vec::new()));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn who_died_is_assumed_where_a_recording_does_not_say_it() {
        let known = outcome(vec![Point::default()]);
        assert!(!svg(&known).contains("assumed"));
        assert!(svg(&Outcome { says_who_died: false, ..known }).contains(NEWEST_DIES_FIRST));
    }
}
