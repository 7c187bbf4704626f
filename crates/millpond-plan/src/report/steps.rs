//! Draws a series of ranges as SVG paths of steps.

use std::fmt::Write as _;

use super::{model::Series, plot::y_at};

/// `series` as at most `points_max` ranges: neighbours are merged into the range of both, which keeps the highest peak.
pub(super) fn thinned(series: &Series, points_max: usize) -> Vec<(u64, u64)> {
    let merge = series.points.len().div_ceil(points_max.max(1)).max(1);
    series
        .points
        .chunks(merge)
        .map(|chunk| {
            let least = chunk.iter().map(|&(low, high)| low.min(high)).min();
            let greatest = chunk.iter().map(|&(low, high)| low.max(high)).max();
            (least.unwrap_or(0), greatest.unwrap_or(0))
        })
        .collect()
}

/// The outline of the upper ends, from left to right.
pub(super) fn outline(points: &[(u64, u64)], top: f64) -> String {
    let heights = points.iter().map(|&(_, high)| y_at(high as f64 / top));
    stair('M', "h", heights)
}

/// The area from the bottom to the upper ends.
pub(super) fn area(points: &[(u64, u64)], top: f64) -> String {
    format!("{}V{}H0z", outline(points, top), y_at(0.0))
}

/// The area between the upper and the lower ends.
pub(super) fn band(points: &[(u64, u64)], top: f64) -> String {
    let heights = points.iter().rev().map(|&(low, _)| y_at(low as f64 / top));
    format!("{}{}z", outline(points, top), stair('V', "h-", heights))
}

/// Steps of width one through `heights`; equal neighbours share a step.
fn stair(first: char, sideways: &str, heights: impl Iterator<Item = i64>) -> String {
    let mut path = String::new();
    let mut current = None;
    let mut run = 0;
    for height in heights {
        if current == Some(height) {
            run += 1;
            continue;
        }
        match current {
            None if first == 'M' => drop(write!(path, "M0 {height}")),
            None => drop(write!(path, "V{height}")),
            Some(_) => drop(write!(path, "{sideways}{run}V{height}")),
        }
        (current, run) = (Some(height), 1);
    }
    if run > 0 {
        let _ = write!(path, "{sideways}{run}");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: Vec<(u64, u64)>) -> Series {
        Series { start: 0, end: points.len() as u64, points }
    }

    #[test]
    fn thinning_keeps_the_extremes() {
        let points: Vec<_> = (0..10_000).map(|i| (i % 7, if i == 4321 { 99 } else { 8 })).collect();
        let thin = thinned(&series(points), 300);
        assert!(thin.len() <= 300, "{}", thin.len());
        assert_eq!(thin.iter().map(|p| p.1).max(), Some(99));
        assert_eq!(thin.iter().map(|p| p.0).min(), Some(0));
    }

    #[test]
    fn a_short_series_is_left_alone() {
        assert_eq!(thinned(&series(vec![(1, 2), (3, 4)]), 300), [(1, 2), (3, 4)]);
        assert_eq!(thinned(&series(vec![(9, 2)]), 300), [(2, 9)]);
        assert!(thinned(&series(vec![]), 300).is_empty());
    }

    #[test]
    fn paths_step_and_merge_equal_neighbours() {
        let points = [(0, 5), (0, 5), (5, 10)];
        assert_eq!(outline(&points, 10.0), "M0 500h2V0h1");
        assert_eq!(area(&points, 10.0), "M0 500h2V0h1V1000H0z");
        assert_eq!(band(&points, 10.0), "M0 500h2V0h1V500h-1V1000h-2z");
        assert_eq!(outline(&[], 10.0), "");
    }
}
