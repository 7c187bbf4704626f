//! A line with the progress of a soak.

use std::time::{Duration, Instant};

use super::Tally;
use millpond_plan::output::figures::{bytes, count, duration};
use millpond_terminal::progress::StatusLine;

const REDRAW: Duration = Duration::from_millis(500);

/// Drawn on standard error, if that is a terminal, and erased at the end.
pub(super) struct ProgressLine {
    status: StatusLine,
    time: Duration,
    begun: Instant,
}

impl ProgressLine {
    pub(super) fn on_stderr(time: Duration) -> Self {
        Self { status: StatusLine::on_stderr(REDRAW), time, begun: Instant::now() }
    }

    pub(super) fn update(&mut self, now: impl FnOnce() -> (Tally, Option<u64>)) {
        if self.status.is_due() {
            let (tally, resident) = now();
            self.status.say(line(self.begun.elapsed(), self.time, tally, resident));
        }
    }
}

fn line(elapsed: Duration, time: Duration, tally: Tally, resident: Option<u64>) -> String {
    let rate = tally.operations as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
    format!(
        "{} of {}: {} operations, {rate:.1} million/s, {} live, {} peak, {} retired, {} resident",
        duration(elapsed.as_secs_f64()),
        duration(time.as_secs_f64()),
        count(tally.operations),
        count(tally.live),
        count(tally.peak),
        count(tally.retired),
        resident.map_or_else(|| "?".to_owned(), bytes),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_what_happens() {
        let tally = Tally { operations: 6_000_000, live: 12, retired: 3, ..Tally::default() };
        let line = line(Duration::from_secs(2), Duration::from_secs(60), tally, Some(1 << 20));
        assert_eq!(
            line,
            "2.0 s of 60 s: 6,000,000 operations, 3.0 million/s, 12 live, 0 peak, 3 retired, \
             1.0 MiB resident"
                .replace("1.0 MiB", &bytes(1 << 20))
        );
    }
}
