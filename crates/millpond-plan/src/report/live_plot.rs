//! Live objects over time with the capacity line above them, large and as a sparkline.

use std::fmt::Write as _;

use super::{
    figures,
    model::{Series, TimeUnit},
    plot::{Frame, HEIGHT, Tick, round_ticks, y_at},
    steps,
};

/// The maximum number of points of a plot.
const POINTS_MAX: usize = 320;
/// The maximum number of points of a sparkline in a table.
const SPARK_POINTS_MAX: usize = 72;
/// Room above the highest line, as a factor.
const HEADROOM: f64 = 1.12;

/// The plot; `capacity` draws a line, if there is a single pool.
pub(super) fn plot(series: &Series, capacity: Option<u64>, unit: TimeUnit) -> String {
    let points = steps::thinned(series, POINTS_MAX);
    if points.is_empty() {
        return "<p class=\"none\">No live objects were recorded over time.</p>\n".to_owned();
    }
    let top = top(&points, capacity);
    let peak = points.iter().map(|point| point.1).max().unwrap_or(0);
    let frame = Frame {
        caption: "Live objects over time".to_owned(),
        note: format!("in {}", unit_axis(unit)),
        description: format!("Live objects over time, at most {}", figures::count(peak)),
        x: round_ticks(series.start, series.end, 5, |at| figures::short_duration(at, unit)),
        y: round_ticks(0, top as u64, 4, figures::short_count)
            .into_iter()
            .map(|tick| Tick { at: tick.at * top.floor() / top, ..tick })
            .collect(),
        marks: capacity
            .map(|capacity| Tick {
                at: capacity as f64 / top,
                label: format!("capacity {}", figures::count(capacity)),
            })
            .into_iter()
            .collect(),
        width: points.len(),
        data: hover_data(series, &points, unit),
    };
    frame.around(&shapes(&points, capacity, top))
}

/// The same without axes, small enough for a table cell.
pub(super) fn sparkline(series: &Series, capacity: u64) -> String {
    let points = steps::thinned(series, SPARK_POINTS_MAX);
    if points.is_empty() {
        return String::new();
    }
    let top = top(&points, Some(capacity));
    format!(
        "<svg class=\"spark\" viewBox=\"0 0 {} {HEIGHT}\" preserveAspectRatio=\"none\" \
         aria-hidden=\"true\">{}</svg>",
        points.len(),
        shapes(&points, Some(capacity), top)
    )
}

/// The value at the upper edge of the plot.
fn top(points: &[(u64, u64)], capacity: Option<u64>) -> f64 {
    let highest = points.iter().map(|point| point.1).max().unwrap_or(0);
    highest.max(capacity.unwrap_or(0)).max(1) as f64 * HEADROOM
}

fn shapes(points: &[(u64, u64)], capacity: Option<u64>, top: f64) -> String {
    let mut shapes = format!(
        "<path class=\"area\" d=\"{}\"/><path class=\"band\" d=\"{}\"/>\
         <path class=\"line\" d=\"{}\"/>",
        steps::area(points, top),
        steps::band(points, top),
        steps::outline(points, top)
    );
    if let Some(capacity) = capacity {
        let height = y_at(capacity as f64 / top);
        let _ = write!(shapes, "<path class=\"cap\" d=\"M0 {height}h{}\"/>", points.len());
    }
    shapes
}

fn hover_data(series: &Series, points: &[(u64, u64)], unit: TimeUnit) -> String {
    let mut values = String::new();
    for &(low, high) in points {
        let separator = if values.is_empty() { "" } else { " " };
        if low == high {
            let _ = write!(values, "{separator}{high}");
        } else {
            let _ = write!(values, "{separator}{low}-{high}");
        }
    }
    format!(
        " data-plot=\"live\" data-start=\"{}\" data-end=\"{}\" data-unit=\"{}\" data-values=\"{values}\"",
        series.start,
        series.end,
        figures::unit_name(unit)
    )
}

/// The label of the time axis.
pub(super) fn unit_axis(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Ticks => "ticks",
        TimeUnit::Milliseconds => "wall time",
        TimeUnit::Frames => "frames",
        TimeUnit::Events => "events",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long_series() -> Series {
        Series { start: 0, end: 50_000, points: (0..50_000).map(|i| (i % 90, i % 100)).collect() }
    }

    #[test]
    fn plot_shows_the_capacity_and_stays_small() {
        let html = plot(&long_series(), Some(128), TimeUnit::Ticks);
        assert!(html.contains("class=\"cap\""));
        assert!(html.contains("capacity 128"));
        assert!(html.len() < 16_000, "{}", html.len());
    }

    #[test]
    fn an_empty_series_says_so() {
        assert!(plot(&Series::default(), Some(3), TimeUnit::Ticks).contains("No live objects"));
        assert_eq!(sparkline(&Series::default(), 3), "");
    }

    #[test]
    fn a_series_of_zeros_has_finite_coordinates() {
        let series = Series { start: 0, end: 0, points: vec![(0, 0)] };
        let html = plot(&series, Some(0), TimeUnit::Milliseconds);
        assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
    }

    #[test]
    fn the_largest_values_are_drawn_without_overflow() {
        let series = Series { start: 0, end: u64::MAX, points: vec![(0, u64::MAX)] };
        let html = plot(&series, Some(u64::MAX), TimeUnit::Events);
        assert!(html.contains("<path class=\"line\""));
    }
}
