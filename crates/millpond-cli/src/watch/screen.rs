//! The picture as text.

use super::picture::{Picture, Watched};
use crate::error::shown;
use crate::output::figures::{count, duration, small};
use crate::output::paint::Paint;
use crate::output::table::{Table, name_cell};

const BAR_CELLS: usize = 12;
const CURVE_CELLS: usize = 20;

/// From this share on a pool is nearly full.
const NEARLY_FULL_PERCENT: u64 = 90;

/// How the news comes in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum State {
    Recording,
    /// Nothing has come for so many seconds.
    Silent(f64),
    Ended,
}

/// A heading and a table with at most so many pools.
pub(super) fn screen(
    name: &str,
    picture: &Picture,
    state: State,
    rows: usize,
    paint: Paint,
) -> String {
    let tick = (picture.tick, picture.tick_rate());
    let mut text = heading(name, Some(tick), picture.seconds(), state, paint);
    let pools = picture.pools().count();
    if pools == 0 {
        text += "no pool is recorded (`pool.record(&recorder)`)\n";
        return text;
    }
    let mut table = Table::new(&[
        "<pool",
        "live",
        "peak",
        "slots",
        "<full",
        "born/s",
        "refused",
        "evicted",
        "retired",
        "lost",
        "died/s",
        "<live lately",
    ]);
    picture.pools().take(rows).for_each(|pool| table.row(row(pool)));
    let is_worth_a_look = picture.pools().take(rows).map(|pool| {
        let stats = &pool.stats;
        stats.refused > 0 || stats.live * 100 >= stats.capacity * NEARLY_FULL_PERCENT
    });
    let lines = table.render(paint);
    let mut lines = lines.lines();
    text += lines.next().unwrap_or_default();
    text.push('\n');
    for (line, is_worth_a_look) in lines.zip(is_worth_a_look) {
        text += &if is_worth_a_look { paint.bad(line) } else { line.to_owned() };
        text.push('\n');
    }
    if pools > rows {
        let more = count((pools - rows) as u64);
        text += &paint.faint(&format!("… and {more} more pools (in a higher window)"));
        text.push('\n');
    }
    text
}

/// The first line, and an empty one: the file, the tick with its rate if there are ticks, the state.
pub(super) fn heading(
    name: &str,
    tick: Option<(u32, Option<f64>)>,
    seconds: f64,
    state: State,
    paint: Paint,
) -> String {
    let mut text = paint.strong(&shown(name.as_bytes()));
    if let Some((tick, rate)) = tick {
        text += &format!("  tick {}", count(tick.into()));
        text += &rate.map_or_else(String::new, |rate| format!(" ({rate:.1}/s)"));
    }
    text += &format!("  {}  ", duration(seconds));
    text += &match state {
        State::Recording => paint.good("recording"),
        State::Silent(seconds) => {
            paint.bad(&format!("no news for {}: is the program gone?", duration(seconds)))
        }
        State::Ended => "the recording has ended".to_owned(),
    };
    text + "\n\n"
}

fn row(pool: &Watched) -> Vec<String> {
    let stats = &pool.stats;
    let (born, died) = match pool.rates() {
        Some((born, died)) => (small(born), small(died)),
        None => (String::new(), String::new()),
    };
    let or_nothing = |number| if number == 0 { String::new() } else { count(number) };
    vec![
        name_cell(&stats.class),
        count(stats.live),
        count(stats.peak),
        count(stats.capacity),
        bar(stats.live, stats.peak, stats.capacity),
        born,
        or_nothing(stats.refused),
        or_nothing(stats.evicted),
        or_nothing(stats.retired),
        or_nothing(stats.dropped),
        died,
        curve_of(pool.curve(CURVE_CELLS), stats.peak),
    ]
}

/// The live slots as a bar, with a mark for the peak.
pub(super) fn bar(live: u64, peak: u64, capacity: u64) -> String {
    let cells = |slots: u64| {
        let share = slots.min(capacity) as f64 / capacity.max(1) as f64;
        (share * BAR_CELLS as f64).ceil() as usize
    };
    let (live_cells, peak_cells) = (cells(live), cells(peak));
    let cell = |cell| match cell {
        _ if cell < live_cells => '█',
        _ if cell + 1 == peak_cells => '▏',
        _ => '░',
    };
    let percent = live.min(capacity) as f64 * 100.0 / capacity.max(1) as f64;
    format!("{} {percent:3.0} %", (0..BAR_CELLS).map(cell).collect::<String>())
}

/// A curve of numbers between none and the most.
pub(super) fn curve_of(numbers: impl Iterator<Item = u64>, most: u64) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let height = |number: u64| {
        let share = number.min(most) as f64 / most.max(1) as f64;
        HEIGHTS[(share * 7.0).round() as usize]
    };
    numbers.map(height).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_show_live_and_peak() {
        assert_eq!(bar(0, 0, 10), "░░░░░░░░░░░░   0 %");
        assert_eq!(bar(5, 10, 10), "██████░░░░░▏  50 %");
        assert_eq!(bar(10, 10, 10), "████████████ 100 %");
        // Whatever a file says.
        assert_eq!(bar(u64::MAX, 1, 0).chars().count(), bar(0, 0, 1).chars().count());
    }
}
