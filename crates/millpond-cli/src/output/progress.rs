//! A progress bar with a rate, for input that takes long enough to wonder.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How long to wait before the first sign, and between two of them.
const REDRAW: Duration = Duration::from_millis(200);

const BAR_CELLS: usize = 16;

/// The longest label: the whole bar has to fit on one line of a narrow terminal.
const LABEL_CHARS_MAX: usize = 24;

/// Draws how far a reading has come on standard error, if that is a terminal.
///
/// Nothing is drawn for what is done within a fifth of a second.
#[derive(Debug)]
pub struct Progress {
    label: String,
    bytes_total: u64,
    begun: Instant,
    drawn: Option<Instant>,
    visible: bool,
}

impl Progress {
    /// A bar for standard error; silent if that is not a terminal.
    #[must_use]
    pub fn on_stderr(label: impl Into<String>, bytes_total: u64) -> Self {
        let mut progress = Self::silent(label, bytes_total);
        progress.visible = std::io::stderr().is_terminal();
        progress
    }

    /// A bar that never shows.
    #[must_use]
    pub fn silent(label: impl Into<String>, bytes_total: u64) -> Self {
        let label = crate::error::shown(label.into().as_bytes());
        let label = label.chars().take(LABEL_CHARS_MAX).collect();
        Self { label, bytes_total, begun: Instant::now(), drawn: None, visible: false }
    }

    /// Reports how much has been read; cheap enough for every block.
    pub fn update(&mut self, bytes_read: u64, events: u64) {
        if !self.visible || self.drawn.unwrap_or(self.begun).elapsed() < REDRAW {
            return;
        }
        self.drawn = Some(Instant::now());
        let line = self.line(bytes_read, events, self.begun.elapsed());
        // A bar that cannot be drawn is no reason to stop.
        let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
    }

    fn line(&self, bytes_read: u64, events: u64, elapsed: Duration) -> String {
        let share = bytes_read as f64 / self.bytes_total.max(1) as f64;
        let cells = (share.min(1.0) * BAR_CELLS as f64) as usize;
        let rate = events as f64 / elapsed.as_secs_f64() / 1e6;
        format!(
            "{} {}{} {:3.0} %  {:.1} million events, {rate:.1} million/s",
            self.label,
            "█".repeat(cells),
            "░".repeat(BAR_CELLS - cells),
            share.min(1.0) * 100.0,
            events as f64 / 1e6,
        )
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_share_and_rate() {
        let progress = Progress::silent("reading x", 1000);
        let line = progress.line(500, 6_000_000, Duration::from_secs(2));
        assert!(line.contains(" 50 %") && line.contains("3.0 million/s"), "{line}");
        assert_eq!(line.matches('█').count(), BAR_CELLS / 2);
        assert!(
            Progress::silent("x".repeat(500), 1).line(1, 1, Duration::ZERO).chars().count() < 90
        );
        // More than all, or nothing at all, must not upset it.
        assert!(progress.line(5000, 1, Duration::ZERO).contains("100 %"));
        assert!(Progress::silent("", 0).line(0, 0, Duration::from_secs(1)).contains("  0 %"));
    }
}
