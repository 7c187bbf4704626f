//! Progress on standard error, for work that takes noticeably long.
//!
//! Drawn with indicatif, which writes nothing where standard error is not a terminal, and draws at a limited rate. pbr
//! writes to whatever it is given, and kdam's bars are macros after Python's tqdm.

use std::io::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use millpond_plan::progress::Progress;

/// The delay before the first drawing, and between two of them.
const REDRAW: Duration = Duration::from_millis(200);

/// The longest label: the whole bar has to fit on one line of a narrow terminal.
const LABEL_CHARS_MAX: usize = 24;

/// Draws the progress of a reading on standard error, if that is a terminal.
///
/// Nothing is drawn for work that ends within a fifth of a second.
#[derive(Debug)]
pub struct Bar {
    line: StatusLine,
    bytes_total: u64,
}

impl Bar {
    /// A bar for standard error; silent if that is not a terminal.
    #[must_use]
    pub fn on_stderr(label: impl Into<String>, bytes_total: u64) -> Self {
        Self::on(ProgressDrawTarget::stderr(), label, bytes_total)
    }

    fn on(target: ProgressDrawTarget, label: impl Into<String>, bytes_total: u64) -> Self {
        let label = millpond_plan::error::shown(label.into().as_bytes());
        let label: String = label.chars().take(LABEL_CHARS_MAX).collect();
        let bytes_total = bytes_total.max(1);
        let bar = ProgressBar::with_draw_target(Some(bytes_total), target).with_prefix(label);
        let line = StatusLine::new(bar, "{prefix} {bar:16} {percent:>3} %  {msg}", REDRAW);
        Self { line, bytes_total }
    }
}

impl Progress for Bar {
    fn update(&mut self, bytes_read: u64, events: u64) {
        if self.line.is_due() {
            self.line.bar.set_position(bytes_read.min(self.bytes_total));
            self.line.say(rate(events, self.line.begun.elapsed()));
        }
    }
}

/// Shows a reading on standard error.
pub(crate) fn show(label: &str, bytes_total: u64) -> Box<dyn Progress> {
    Box::new(Bar::on_stderr(label, bytes_total))
}

fn rate(events: u64, elapsed: Duration) -> String {
    let millions = events as f64 / 1e6;
    let rate = millions / elapsed.as_secs_f64().max(1e-9);
    format!("{millions:.1} million events, {rate:.1} million/s")
}

/// A line on a terminal that is redrawn from time to time, and erased when it is dropped.
#[derive(Debug)]
pub struct StatusLine {
    bar: ProgressBar,
    redraw: Duration,
    begun: Instant,
    drawn: Option<Instant>,
}

impl StatusLine {
    /// A line of words on standard error; silent if that is not a terminal.
    pub fn on_stderr(redraw: Duration) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        Self::new(bar, "{msg}", redraw)
    }

    fn new(bar: ProgressBar, template: &str, redraw: Duration) -> Self {
        // The templates are this file's own; a wrong one would leave the default bar.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("█░"));
        }
        Self { bar, redraw, begun: Instant::now(), drawn: None }
    }

    /// Whether there is a terminal, and it is time to redraw the line.
    pub fn is_due(&self) -> bool {
        !self.bar.is_hidden() && self.drawn.unwrap_or(self.begun).elapsed() >= self.redraw
    }

    /// Writes a line of its own on standard error, whether or not that is a terminal.
    pub fn tell(&self, line: &str) {
        // If standard error is closed, nobody reads it.
        self.bar.suspend(|| _ = writeln!(std::io::stderr(), "{line}"));
    }

    /// Draws the line.
    pub fn say(&mut self, words: String) {
        self.drawn = Some(Instant::now());
        self.bar.set_message(words);
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    use super::*;

    /// A terminal of 80 columns that keeps what is written.
    #[derive(Debug, Clone, Default)]
    struct Screen(Arc<Mutex<String>>);

    impl Screen {
        fn add(&self, text: &str) -> io::Result<()> {
            self.0.lock().expect("nobody panics with the lock").push_str(text);
            Ok(())
        }
    }

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            80
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.add(text)
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.add(text)
        }

        fn clear_line(&self) -> io::Result<()> {
            self.add("<cleared>")
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_bar_shows_share_and_rate_and_goes_again() {
        let screen = Screen::default();
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        let mut progress = Bar::on(target, "reading x", 1000);
        progress.update(1, 1);
        let text = || screen.0.lock().expect("nobody panics with the lock").clone();
        assert!(!text().contains("reading x"), "too soon: {}", text());
        progress.line.redraw = Duration::ZERO;
        progress.update(500, 6_000_000);
        assert!(text().contains("reading x ████████░░░░░░░░  50 %"), "{}", text());
        assert!(text().contains("6.0 million events"), "{}", text());
        // More than all must not upset it.
        progress.update(5000, 6_000_000);
        drop(progress);
        assert!(text().trim_end().ends_with("<cleared>"), "{}", text());
    }

    #[test]
    fn labels_and_rates_are_short() {
        assert_eq!(rate(6_000_000, Duration::from_secs(2)), "6.0 million events, 3.0 million/s");
        let progress = Bar::on(ProgressDrawTarget::hidden(), "x".repeat(500), 0);
        assert_eq!(progress.line.bar.prefix().chars().count(), LABEL_CHARS_MAX);
        assert!(!progress.line.is_due(), "nobody looks");
    }
}
