//! Lifetimes by length, as bars on a logarithmic scale.

use std::fmt::Write as _;

use super::{
    figures, live_plot,
    model::{Bin, TimeUnit},
    plot::{Frame, HEIGHT, Tick, y_at},
};

/// The maximum number of bars.
const BARS_MAX: usize = 40;
/// The minimum number of bars that there is room for, so that a single bar does not fill the plot.
const BARS_MIN: usize = 12;
/// The maximum number of labels below the bars.
const LABELS_MAX: usize = 5;

/// The plot of `bins`, in their order, and what it assumes.
pub(super) fn plot(bins: &[Bin], unit: TimeUnit, assumes: &str) -> String {
    let bars = thinned(bins);
    let highest = bars.iter().map(|bar| bar.count).max().unwrap_or(0);
    if highest == 0 {
        return "<figure class=\"plot\"><figcaption><b>Lifetimes by length</b></figcaption>\
                <p class=\"none\">None ended while the trace was recorded.</p></figure>\n"
            .to_owned();
    }
    let frame = Frame {
        caption: format!("Lifetimes by length{assumes}"),
        note: format!("in {}, log scale", live_plot::unit_axis(unit)),
        description: format!("Lifetimes by length, {} in the tallest bar", figures::count(highest)),
        x: length_ticks(&bars, unit),
        y: count_ticks(highest),
        width: width(&bars),
        data: " data-plot=\"bars\"".to_owned(),
        ..Frame::default()
    };
    frame.around(&shapes(&bars, highest, unit))
}

/// At most [`BARS_MAX`] bars: neighbours are merged.
fn thinned(bins: &[Bin]) -> Vec<Bin> {
    let merge = bins.len().div_ceil(BARS_MAX).max(1);
    bins.chunks(merge)
        .map(|chunk| Bin {
            from: chunk[0].from,
            to: chunk[chunk.len() - 1].to,
            count: chunk.iter().fold(0, |sum: u64, bin| sum.saturating_add(bin.count)),
        })
        .collect()
}

/// The number of bars that there is room for.
fn width(bars: &[Bin]) -> usize {
    bars.len().max(BARS_MIN)
}

/// The height of a bar: one lifetime is visible, and `highest` reaches the top.
fn height(count: u64, highest: u64) -> f64 {
    const ROOM_ABOVE: f64 = 0.94;
    ROOM_ABOVE * (1.0 + count as f64).ln() / (1.0 + highest as f64).ln()
}

fn shapes(bars: &[Bin], highest: u64, unit: TimeUnit) -> String {
    let mut shapes = String::new();
    for (position, bar) in bars.iter().enumerate().filter(|(_, bar)| bar.count > 0) {
        let top = y_at(height(bar.count, highest));
        let tall = i64::from(HEIGHT) - top;
        let _ = write!(
            shapes,
            "<rect class=\"bar\" x=\"{position}.08\" y=\"{top}\" width=\".84\" height=\"{tall}\">\
             <title>{}: {}</title></rect>",
            length(bar, unit),
            figures::number_of(bar.count, "lifetime")
        );
    }
    shapes
}

fn length(bar: &Bin, unit: TimeUnit) -> String {
    let last = bar.to.saturating_sub(1).max(bar.from);
    if last == bar.from {
        return figures::duration(bar.from, unit);
    }
    format!("{} to {}", figures::short_duration(bar.from, unit), figures::duration(last, unit))
}

/// The shortest lengths of some bars, each at its bar's left edge.
fn length_ticks(bars: &[Bin], unit: TimeUnit) -> Vec<Tick> {
    let every = bars.len().div_ceil(LABELS_MAX).max(1);
    (0..bars.len())
        .step_by(every)
        .map(|position| Tick {
            at: position as f64 / width(bars) as f64,
            label: figures::short_duration(bars[position].from, unit),
        })
        .collect()
}

/// Powers of ten up to `highest`, only every second or third of them if there are many; and `highest` itself if it is
/// not too close to the last of them.
fn count_ticks(highest: u64) -> Vec<Tick> {
    const APART_MIN: f64 = 0.2;
    let decades = highest.max(1).ilog10();
    let every = (decades / 4 + 1) as usize;
    let tick = |count| Tick { at: height(count, highest), label: figures::short_count(count) };
    let mut ticks: Vec<Tick> =
        (0..=decades).step_by(every).map(|power| tick(10u64.pow(power))).collect();
    let top = tick(highest);
    if ticks.last().is_some_and(|last| top.at - last.at > APART_MIN) {
        ticks.push(top);
    }
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bin(from: u64, to: u64, count: u64) -> Bin {
        Bin { from, to, count }
    }

    #[test]
    fn each_filled_bin_is_a_bar_that_says_what_it_holds() {
        let html = plot(&[bin(0, 1, 5), bin(1, 2, 0), bin(2, 4, 1000)], TimeUnit::Ticks, "");
        assert_eq!(html.matches("class=\"bar\"").count(), 2);
        assert!(html.contains("<title>0 ticks: 5 lifetimes</title>"), "{html}");
        assert!(html.contains("<title>2 to 3 ticks: 1,000 lifetimes</title>"), "{html}");
    }

    #[test]
    fn many_bins_merge_without_losing_a_lifetime() {
        let bins: Vec<_> = (0..1000).map(|i| bin(i, i + 1, 3)).collect();
        let bars = thinned(&bins);
        assert!(bars.len() <= BARS_MAX);
        assert_eq!(bars.iter().map(|bar| bar.count).sum::<u64>(), 3000);
        assert_eq!((bars[0].from, bars[bars.len() - 1].to), (0, 1000));
    }

    #[test]
    fn nothing_ended_is_said_in_words() {
        assert!(plot(&[], TimeUnit::Ticks, "").contains("None ended"));
        assert!(plot(&[bin(0, 1, 0)], TimeUnit::Ticks, "").contains("None ended"));
    }

    #[test]
    fn counts_are_labelled_by_decade_and_at_the_top() {
        let labels = |highest| -> Vec<String> {
            count_ticks(highest).into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(1), ["1"]);
        assert_eq!(labels(3), ["1", "3"]);
        assert_eq!(labels(105), ["1", "10", "100"]);
        assert_eq!(labels(900), ["1", "10", "100", "900"]);
        assert!(labels(u64::MAX).len() <= 6);
    }

    #[test]
    fn a_single_bar_is_no_wider_than_one_of_twelve() {
        let html = plot(&[bin(0, 1, 3)], TimeUnit::Ticks, "");
        assert!(html.contains("viewBox=\"0 0 12 1000\""), "{html}");
    }

    #[test]
    fn one_lifetime_is_visible_beside_a_million() {
        assert!(height(1, 1_000_000) > 0.04);
        assert!(height(1_000_000, 1_000_000) < 1.0);
    }
}
