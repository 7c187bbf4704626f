//! The frame that every plot shares: caption, axes, and an SVG that stretches between them.
//!
//! The plots are drawn by hand, after a comparison of libraries: `plotters` (its SVG backend writes fixed colours and
//! font sizes into attributes, so a plot follows neither dark mode nor the width of a phone), `poloto` (themeable by
//! CSS classes, but its labels are part of the picture and become unreadable on a phone, and it has neither ranges of
//! values nor a memory map), `charming` and an embedded uPlot (both draw in JavaScript, so without it there is nothing
//! to see). Here the SVG contains only shapes, and is stretched to the available width; labels are HTML beside it, in
//! the page's own font size, and every colour is a CSS variable.

use std::fmt::Write as _;

/// The height of every plot in its own coordinates; the page scales it.
pub(super) const HEIGHT: u32 = 1000;

/// A label on an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    /// Its position, from 0.0 (left or bottom) to 1.0 (right or top).
    pub(super) at: f64,
    /// Its text.
    pub(super) label: String,
}

/// A plot without its shapes.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The title.
    pub(super) caption: String,
    /// A remark beside the caption, as HTML.
    pub(super) note: String,
    /// The text for screen readers.
    pub(super) description: String,
    /// Labels along time or length.
    pub(super) x: Vec<Tick>,
    /// Labels along the quantity; each draws a grid line.
    pub(super) y: Vec<Tick>,
    /// Labels in the plot at a height: the capacity.
    pub(super) marks: Vec<Tick>,
    /// The width of the plot in its own coordinates.
    pub(super) width: usize,
    /// Attributes of the SVG with the values that the script shows under the pointer.
    pub(super) data: String,
}

impl Frame {
    /// The whole plot: the frame around `shapes`.
    pub(super) fn around(&self, shapes: &str) -> String {
        let (caption, note, data) = (&self.caption, &self.note, &self.data);
        let (width, description) = (self.width, &self.description);
        let grid = self.grid();
        let x = labels(&self.x, "left");
        let y = labels(&self.y, "bottom");
        let marks = labels(&self.marks, "bottom");
        format!(
            "<figure class=\"plot\"><figcaption><b>{caption}</b> <span>{note}</span></figcaption>\
             <div class=\"frame\"><div class=\"ys\">{y}</div><div class=\"area\">\
             <svg viewBox=\"0 0 {width} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
             aria-label=\"{description}\"{data}>{grid}{shapes}</svg>\
             <div class=\"marks\">{marks}</div></div><div class=\"xs\">{x}</div></div></figure>\n"
        )
    }

    fn grid(&self) -> String {
        let mut path = String::new();
        for tick in &self.y {
            let _ = write!(path, "M0 {}h{}", y_at(tick.at), self.width);
        }
        if path.is_empty() {
            return path;
        }
        format!("<path class=\"grid\" d=\"{path}\"/>")
    }
}

/// The y coordinate of a height between 0.0 (bottom) and 1.0 (top).
pub(super) fn y_at(height: f64) -> i64 {
    let down = (1.0 - height.clamp(0.0, 1.0)) * f64::from(HEIGHT);
    down.round() as i64
}

/// Round values from `start` to `end`, about `wanted` of them, each with its position between the two.
pub(super) fn round_ticks(
    start: u64,
    end: u64,
    wanted: u64,
    label: impl Fn(u64) -> String,
) -> Vec<Tick> {
    let span = end.saturating_sub(start);
    if span == 0 {
        return vec![Tick { at: 0.0, label: label(start) }];
    }
    let step = round_step(span, wanted.max(1));
    let first = start.div_ceil(step);
    (first..=end / step)
        .map(|multiple| multiple * step)
        .map(|value| Tick { at: (value - start) as f64 / span as f64, label: label(value) })
        .collect()
}

/// The smallest of 1, 2, 5, 10, 20, 50, … that divides `span` into at most `wanted` parts.
fn round_step(span: u64, wanted: u64) -> u64 {
    let least = span.div_ceil(wanted);
    let mut decade = 1u64;
    loop {
        for factor in [1, 2, 5] {
            let step = decade.saturating_mul(factor);
            if step >= least {
                return step;
            }
        }
        decade = decade.saturating_mul(10);
    }
}

fn labels(ticks: &[Tick], side: &str) -> String {
    ticks.iter().fold(String::new(), |mut html, tick| {
        // The outermost labels are aligned with the edge, so that they do not extend beyond it.
        let class = match tick.at {
            at if at < 0.04 => " class=\"first\"",
            at if at > 0.96 => " class=\"last\"",
            _ => "",
        };
        let percent = tick.at * 100.0;
        let _ = write!(html, "<i{class} style=\"{side}:{percent:.1}%\">{}</i>", tick.label);
        html
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(start: u64, end: u64, wanted: u64) -> Vec<String> {
        round_ticks(start, end, wanted, |value| value.to_string())
            .into_iter()
            .map(|tick| tick.label)
            .collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(values(0, 12_600, 4), ["0", "5000", "10000"]);
        assert_eq!(values(0, 3, 4), ["0", "1", "2", "3"]);
        assert_eq!(values(3500, 3849, 4), ["3500", "3600", "3700", "3800"]);
        assert_eq!(values(7, 7, 4), ["7"]);
        assert_eq!(values(0, u64::MAX, 2).len(), 2);
    }

    #[test]
    fn tick_places_are_shares_of_the_span() {
        let ticks = round_ticks(100, 300, 2, |value| value.to_string());
        let places: Vec<f64> = ticks.iter().map(|tick| tick.at).collect();
        assert_eq!(places, [0.0, 0.5, 1.0]);
    }

    #[test]
    fn heights_outside_the_plot_stay_at_its_edge() {
        assert_eq!(y_at(0.0), 1000);
        assert_eq!(y_at(1.0), 0);
        assert_eq!(y_at(7.0), 0);
        assert_eq!(y_at(-1.0), 1000);
    }
}
