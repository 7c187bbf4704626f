//! The memory map: which slots of a pool were live when.
//!
//! Time runs to the right, slots run downwards from slot 0, and a cell is darker if a larger share of it was live.
//! Adjacent cells of one shade become one stroke, and all strokes of a shade one path, so a map is a few paths however
//! many cells it has.

use std::fmt::Write as _;

use super::{
    figures, live_plot,
    model::{SlotMap, TimeUnit},
    plot::{Frame, HEIGHT, Tick, round_ticks},
};

/// The maximum number of columns.
const COLUMNS_MAX: usize = 160;
/// The maximum number of rows.
const ROWS_MAX: usize = 48;
/// Shades besides the background.
const SHADES: u8 = 5;

/// The plot of `map`, and what it assumes.
pub(super) fn plot(map: &SlotMap, unit: TimeUnit, assumes: &str) -> String {
    let Some(grid) = Grid::thinned(map) else {
        return "<p class=\"none\">No slots were recorded over time.</p>\n".to_owned();
    };
    let frame = Frame {
        caption: format!("Slots over time{assumes}"),
        note: format!("in {} {LEGEND}", live_plot::unit_axis(unit)),
        description: format!("Which of {} slots were live when", figures::count(map.slots)),
        x: round_ticks(map.start, map.end, 5, |at| figures::short_duration(at, unit)),
        y: slot_ticks(map.slots),
        width: grid.columns,
        data: format!(
            " class=\"map\" data-plot=\"map\" data-start=\"{}\" data-end=\"{}\" data-unit=\"{}\" \
             data-slots=\"{}\"",
            map.start,
            map.end,
            figures::unit_name(unit),
            map.slots
        ),
        ..Frame::default()
    };
    frame.around(&shapes(&grid))
}

/// The meaning of the shades.
const LEGEND: &str = "<span class=\"legend\">dead<i class=\"m1\"></i><i class=\"m2\"></i>\
                      <i class=\"m3\"></i><i class=\"m4\"></i><i class=\"m5\"></i>live</span>";

/// A map, reduced to the cells of a plot.
struct Grid {
    columns: usize,
    rows: usize,
    /// Shade of each cell, row by row: 0 (never live) to [`SHADES`].
    shades: Vec<u8>,
}

impl Grid {
    /// `map` with adjacent cells merged into their mean; `None` if it has no cells, or not the stated number.
    fn thinned(map: &SlotMap) -> Option<Self> {
        let cells = map.columns.checked_mul(map.rows)?;
        if cells == 0 || map.cells.len() != cells {
            return None;
        }
        let wide = map.columns.div_ceil(COLUMNS_MAX);
        let tall = map.rows.div_ceil(ROWS_MAX);
        let (columns, rows) = (map.columns.div_ceil(wide), map.rows.div_ceil(tall));
        let mut shades = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            let lines = row * tall..((row + 1) * tall).min(map.rows);
            for column in 0..columns {
                let across = column * wide..((column + 1) * wide).min(map.columns);
                let count = lines.len() * across.len();
                let sum: usize = lines
                    .clone()
                    .flat_map(|line| &map.cells[line * map.columns..][across.clone()])
                    .map(|&cell| usize::from(cell))
                    .sum();
                shades.push(shade(sum, count));
            }
        }
        Some(Self { columns, rows, shades })
    }
}

/// The shade of `count` cells with the sum `sum`: even a short life shows.
fn shade(sum: usize, count: usize) -> u8 {
    let full = count * usize::from(u8::MAX);
    u8::try_from((sum * usize::from(SHADES)).div_ceil(full)).unwrap_or(SHADES)
}

/// One path for each shade, scaled from cells to the plot's height.
fn shapes(grid: &Grid) -> String {
    let mut paths = vec![String::new(); usize::from(SHADES)];
    for (row, line) in grid.shades.chunks(grid.columns).enumerate() {
        let mut column = 0;
        for run in line.chunk_by(|left, right| left == right) {
            if let Some(path) = usize::from(run[0]).checked_sub(1).map(|shade| &mut paths[shade]) {
                let _ = write!(path, "M{column} {row}.5h{}", run.len());
            }
            column += run.len();
        }
    }
    let scale = f64::from(HEIGHT) / grid.rows as f64;
    let mut shapes = format!("<g transform=\"scale(1 {scale:.4})\">");
    for (shade, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let _ = write!(shapes, "<path class=\"m{}\" d=\"{path}\"/>", shade + 1);
    }
    shapes + "</g>"
}

/// Slot numbers from top to bottom.
fn slot_ticks(slots: u64) -> Vec<Tick> {
    round_ticks(0, slots, 4, figures::short_count)
        .into_iter()
        .map(|tick| Tick { at: 1.0 - tick.at, ..tick })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(columns: usize, rows: usize, cells: Vec<u8>) -> SlotMap {
        SlotMap { start: 0, end: columns as u64, slots: rows as u64, columns, rows, cells }
    }

    #[test]
    fn touching_cells_of_one_shade_are_one_stroke() {
        let html = plot(&map(4, 2, vec![255, 255, 0, 255, 0, 0, 1, 0]), TimeUnit::Ticks, "");
        assert!(html.contains("<path class=\"m5\" d=\"M0 0.5h2M3 0.5h1\"/>"), "{html}");
        assert!(html.contains("<path class=\"m1\" d=\"M2 1.5h1\"/>"), "{html}");
    }

    #[test]
    fn shades_are_none_only_for_never_live() {
        assert_eq!(shade(0, 1), 0);
        assert_eq!(shade(1, 1), 1);
        assert_eq!(shade(51, 1), 1);
        assert_eq!(shade(52, 1), 2);
        assert_eq!(shade(255, 1), SHADES);
        assert_eq!(shade(1, 1_000_000), 1);
    }

    #[test]
    fn a_large_map_is_bounded_even_if_it_is_noise() {
        let noise: Vec<u8> =
            (0..2000u32 * 500).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let html = plot(&map(2000, 500, noise.clone()), TimeUnit::Ticks, "");
        assert!(html.len() < 100_000, "{}", html.len());
        let small = plot(&map(160, 48, noise[..160 * 48].to_vec()), TimeUnit::Ticks, "");
        assert!(small.len() < 100_000, "{}", small.len());
    }

    #[test]
    fn a_map_that_lies_about_its_size_is_not_drawn() {
        for wrong in [map(4, 2, vec![0; 7]), map(0, 0, vec![]), map(usize::MAX, 2, vec![0; 7])] {
            assert!(plot(&wrong, TimeUnit::Ticks, "").contains("No slots"));
        }
    }
}
