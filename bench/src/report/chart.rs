//! The charts, as SVG.
//!
//! Written by hand, not with a plotting crate: a chart in a README has to follow the reader's light or dark
//! theme, which takes a style sheet in the file (`prefers-color-scheme`); plotters and its like write fixed
//! colours into every element.

use std::fmt::Write;

use super::document::thousands;
use crate::measure::Cell;
use crate::results::{Group, Results};

/// What the chart of operations shows, and the headings.
const PANELS: [(&str, &str); 6] = [
    ("get", "random get"),
    ("churn", "remove one, insert one"),
    ("burst", "remove 1/16, insert 1/16"),
    ("iterate 100%, for_each", "iterate, 100 % live"),
    ("iterate 50%, for_each", "iterate, 50 % live"),
    ("iterate 10%, for_each", "iterate, 10 % live"),
];

/// Whom the charts show; all of them would not be readable.
const SHOWN: [&str; 9] = [
    "Pool, Lifo",
    "slotmap",
    "slotmap, dense",
    "thunderdome",
    "generational-arena",
    "gen_map",
    "slab",
    "Vec of Option",
    "Vec, swap_remove",
];

const STYLE: &str = "<style>\
text{font:13px system-ui,sans-serif;fill:#24292f}.small{font-size:11px;fill:#57606a}\
.own{fill:#0969da}.peer{fill:#afb8c1}.own-line{stroke:#0969da}.axis{stroke:#d0d7de}\
.title{font-weight:600}.series{fill:none;stroke-width:2}\
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9198a1}\
.own{fill:#4493f8}.peer{fill:#656c76}.own-line{stroke:#4493f8}.axis{stroke:#3d444d}}\
</style>";

const PANEL_WIDTH: f64 = 440.0;
const NAME_WIDTH: f64 = 140.0;
const BAR_WIDTH_MAX: f64 = 230.0;
const ROW_HEIGHT: f64 = 20.0;

/// Bars at 100,000 slots of 64 bytes: six operations, and whom to compare.
pub(crate) fn operations(results: &Results) -> Option<String> {
    let group = Group { object_bytes: 64, slots: 100_000 };
    let panels = PANELS.iter().map(|(work, heading)| (panel_cells(results, work, group), *heading));
    let panels: Vec<_> = panels.filter(|(cells, _)| !cells.is_empty()).collect();
    let rows = panels.iter().map(|(cells, _)| cells.len()).max()?;
    let panel_height = rows as f64 * ROW_HEIGHT + 44.0;
    let height = panel_height * panels.len().div_ceil(2) as f64 + 30.0;
    let mut svg =
        open(2.0 * PANEL_WIDTH, height, "Nanoseconds per operation at 100,000 slots of 64 bytes");
    for (index, (cells, heading)) in panels.iter().enumerate() {
        let (x, y) = ((index % 2) as f64 * PANEL_WIDTH, 34.0 + (index / 2) as f64 * panel_height);
        svg += &panel(x, y, heading, cells);
    }
    Some(svg + "</svg>\n")
}

fn panel_cells<'a>(results: &'a Results, work: &str, group: Group) -> Vec<&'a Cell> {
    SHOWN.iter().filter_map(|name| results.cell(work, group, name)).collect()
}

fn panel(x: f64, y: f64, heading: &str, cells: &[&Cell]) -> String {
    let longest = cells.iter().map(|cell| cell.median).fold(0.0, f64::max);
    let mut svg =
        format!("<text class=\"title\" x=\"{}\" y=\"{}\">{heading}</text>\n", x + 12.0, y + 14.0);
    for (row, cell) in cells.iter().enumerate() {
        let top = y + 24.0 + row as f64 * ROW_HEIGHT;
        let width = (cell.median / longest * BAR_WIDTH_MAX).max(1.0);
        let start = x + NAME_WIDTH;
        let class = if row == 0 { "own" } else { "peer" };
        let _ = writeln!(
            svg,
            "<text class=\"small\" x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <rect class=\"{class}\" x=\"{start:.0}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"14\" rx=\"2\"/>\
             <text class=\"small\" x=\"{:.1}\" y=\"{:.1}\">{:.2}</text>",
            start - 6.0,
            top + 11.0,
            escape(cell.contender),
            top,
            start + width + 5.0,
            top + 11.0,
            cell.median
        );
    }
    svg
}

/// Lines of churn over the number of slots, both axes by powers.
pub(crate) fn scaling(results: &Results) -> Option<String> {
    const LEFT: f64 = 50.0;
    const WIDTH: f64 = 560.0;
    const HEIGHT: f64 = 300.0;
    let lines = scaling_lines(results);
    let points = || lines.iter().flat_map(|(_, points)| points.iter().copied());
    let slots_max = points().map(|(slots, _)| slots).max()?;
    let slots_min = points().map(|(slots, _)| slots).min()?;
    if slots_min == slots_max {
        return None;
    }
    let (low, high) =
        points().fold((f64::MAX, 0f64), |(low, high), (_, y)| (low.min(y), high.max(y)));
    let (low, high) = (low.log2().floor(), high.log2().ceil());
    let place_x = |slots: usize| {
        let span = (slots_max as f64 / slots_min as f64).ln();
        LEFT + (slots as f64 / slots_min as f64).ln() / span * WIDTH
    };
    let place_y = |nanoseconds: f64| 40.0 + (high - nanoseconds.log2()) / (high - low) * HEIGHT;
    let title = "Remove one and insert one, 64 bytes: nanoseconds by number of slots";
    let mut svg = open(LEFT + WIDTH + 200.0, HEIGHT + 80.0, title);
    for power in low as i32..=high as i32 {
        let (y, value) = (place_y(2f64.powi(power)), 2f64.powi(power));
        let _ = writeln!(
            svg,
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"small\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            LEFT + WIDTH,
            LEFT - 6.0,
            y + 4.0
        );
    }
    for &(slots, _) in &lines[0].1 {
        let x = place_x(slots);
        let _ = writeln!(
            svg,
            "<text class=\"small\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            HEIGHT + 60.0,
            thousands(slots)
        );
    }
    svg += &scaling_paths(&lines, LEFT + WIDTH, &place_x, &place_y);
    Some(svg + "</svg>\n")
}

/// A contender and its points (slots, nanoseconds).
type Line = (&'static str, Vec<(usize, f64)>);

fn scaling_lines(results: &Results) -> Vec<Line> {
    let lines = SHOWN.iter().map(|name| {
        let cells = results.cells.iter().filter(|cell| {
            cell.work == "churn" && cell.object_bytes == 64 && cell.contender == *name
        });
        (*name, cells.map(|cell| (cell.slots, cell.median)).collect::<Vec<_>>())
    });
    lines.filter(|(_, points)| !points.is_empty()).collect()
}

/// The lines, and their names at the right end, moved apart where they would overlap.
fn scaling_paths(
    lines: &[Line],
    right: f64,
    place_x: &dyn Fn(usize) -> f64,
    place_y: &dyn Fn(f64) -> f64,
) -> String {
    const COLORS: [&str; 8] =
        ["#8250df", "#bf3989", "#1a7f37", "#cf222e", "#9a6700", "#1b7c83", "#bc4c00", "#6e7781"];
    let mut ends: Vec<(f64, usize)> = Vec::new();
    let mut svg = String::new();
    for (index, (_, points)) in lines.iter().enumerate() {
        let path: Vec<String> = points
            .iter()
            .map(|&(slots, y)| format!("{:.1},{:.1}", place_x(slots), place_y(y)))
            .collect();
        let stroke = if index == 0 {
            "class=\"series own-line\" stroke-width=\"3\"".to_owned()
        } else {
            format!("class=\"series\" stroke=\"{}\"", COLORS[(index - 1) % COLORS.len()])
        };
        let _ = writeln!(svg, "<polyline {stroke} points=\"{}\"/>", path.join(" "));
        ends.extend(points.last().map(|&(_, y)| (place_y(y), index)));
    }
    ends.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut free = f64::MIN;
    for (y, index) in ends {
        let y = y.max(free);
        free = y + 14.0;
        let fill = match index {
            0 => "class=\"own\"".to_owned(),
            _ => format!("style=\"fill:{}\"", COLORS[(index - 1) % COLORS.len()]),
        };
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" {fill}>{}</text>",
            right + 8.0,
            y + 4.0,
            escape(lines[index].0)
        );
    }
    svg
}

fn open(width: f64, height: f64, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" \
         aria-label=\"{title}\">\n{STYLE}\n<text class=\"title\" x=\"12\" y=\"20\">{title}</text>\n"
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
