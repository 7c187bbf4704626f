use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::colors::{FAINT, INK};

/// A part of a picture.
pub(crate) type Area<'p> = DrawingArea<BitMapBackend<'p>, Shift>;

/// Lines over time, or over whatever goes to the right.
#[derive(Clone, Debug)]
pub struct Chart<'a> {
    /// Above the chart.
    pub title: &'a str,
    /// What goes to the right, and in which unit.
    pub x_label: &'a str,
    /// Where the chart begins and ends.
    pub x: Range<f64>,
    /// What goes up, and in which unit.
    pub y_label: &'a str,
    /// Where the chart begins and ends.
    pub y: Range<f64>,
    /// What is drawn, the last one above the others.
    pub lines: Vec<Line<'a>>,
}

/// A line in a chart.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// What it is; nothing if the picture says it elsewhere.
    pub name: &'a str,
    /// What it looks like.
    pub color: RGBColor,
    /// From the left to the right.
    pub points: Vec<(f64, f64)>,
}

impl Chart<'_> {
    pub(crate) fn draw(
        &self,
        area: &Area<'_>,
        scale: f64,
    ) -> Result<(), Box<dyn std::error::Error + '_>> {
        let font = |size: f64| ("sans-serif", size * scale).into_font();
        let pixels = |size: f64| (size * scale) as u32;
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, font(16.0).color(&INK))
            .margin_left(pixels(12.0))
            .margin_right(pixels(14.0))
            .margin_top(pixels(2.0))
            .x_label_area_size(pixels(36.0))
            .y_label_area_size(pixels(56.0))
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        chart
            .configure_mesh()
            .axis_style(FAINT)
            .bold_line_style(FAINT.mix(0.25))
            .light_line_style(FAINT.mix(0.0))
            .label_style(font(12.0).color(&FAINT))
            .axis_desc_style(font(13.0).color(&INK))
            .x_desc(self.x_label)
            .y_desc(self.y_label)
            .y_labels(5)
            .x_label_formatter(&rounded)
            .y_label_formatter(&rounded)
            .draw()?;
        for line in &self.lines {
            let style = line.color.stroke_width((1.4 * scale).round() as u32);
            let (length, fill) = ((16.0 * scale) as i32, line.color.filled());
            let swatch = move |(x, y)| Rectangle::new([(x, y - 3), (x + length, y + 3)], fill);
            let series = chart.draw_series(LineSeries::new(line.points.iter().copied(), style))?;
            if !line.name.is_empty() {
                series.label(line.name).legend(swatch);
            }
        }
        if self.lines.iter().any(|line| !line.name.is_empty()) {
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperLeft)
                .margin(pixels(8.0))
                .legend_area_size(pixels(22.0))
                .label_font(font(13.0).color(&INK))
                .draw()?;
        }
        Ok(())
    }
}

/// With no more decimals than are needed.
fn rounded(number: &f64) -> String {
    if *number >= 1000.0 {
        return thousands(number.round() as usize);
    }
    ((number * 1000.0).round() / 1000.0).to_string()
}

/// A number with a comma before each three digits.
#[must_use]
pub fn thousands(number: usize) -> String {
    match number / 1000 {
        0 => number.to_string(),
        more => format!("{},{:03}", thousands(more), number % 1000),
    }
}
