//! The state of the pools or lenders as text: for programs and pipes, and for the dashboard.

use super::list::List;
use millpond_plan::error::shown;
use millpond_plan::output::figures::{count, duration};
use millpond_plan::output::paint::Paint;

const BAR_CELLS: usize = 12;

/// The number of cells of a row's curve.
pub(super) const CURVE_CELLS: usize = 20;

/// Whether the program is still writing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum State {
    Recording,
    /// Nothing was written for this many seconds.
    Silent(f64),
    Ended,
}

/// The first line: the file, the tick with its rate if there are ticks, the time, and the state.
pub(super) struct Heading<'a> {
    pub(super) file: &'a str,
    pub(super) tick: Option<(u32, Option<f64>)>,
    pub(super) seconds: f64,
    pub(super) state: State,
}

impl Heading<'_> {
    pub(super) fn file(&self) -> String {
        shown(self.file.as_bytes())
    }

    /// The tick and the time.
    pub(super) fn clock(&self) -> String {
        let tick = self.tick.map_or_else(String::new, |(tick, rate)| {
            let rate = rate.map_or_else(String::new, |rate| format!(" ({rate:.1}/s)"));
            format!("  tick {}{rate}", count(tick.into()))
        });
        format!("{tick}  {}  ", duration(self.seconds))
    }

    pub(super) fn state(&self) -> String {
        match self.state {
            State::Recording => "recording".to_owned(),
            State::Silent(seconds) => {
                format!("nothing written for {}: has the program ended?", duration(seconds))
            }
            State::Ended => "the recording has ended".to_owned(),
        }
    }

    fn text(&self, paint: Paint) -> String {
        let state = self.state();
        let state = match self.state {
            State::Recording => paint.good(&state),
            State::Silent(_) => paint.bad(&state),
            State::Ended => state,
        };
        format!("{}{}{state}\n", paint.strong(&self.file()), self.clock())
    }
}

/// The heading and the list as text; if the list is empty, `if_empty` instead.
pub(super) fn text(heading: &Heading<'_>, list: &List, if_empty: &str, paint: Paint) -> String {
    let list = match list.rows.is_empty() {
        true => format!("{if_empty}\n"),
        false => list.text(paint),
    };
    format!("{}\n{list}", heading.text(paint))
}

/// The live slots as a bar, with a mark at the peak.
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

/// Numbers from 0 to `most` as a curve.
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
        // A hostile file may contain any number.
        assert_eq!(bar(u64::MAX, 1, 0).chars().count(), bar(0, 0, 1).chars().count());
    }
}
