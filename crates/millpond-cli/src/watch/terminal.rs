//! The terminal while a picture is drawn on it: another screen, keys as they are pressed; put back
//! whatever happens.

use std::io::{IsTerminal, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};
use crossterm::{execute, queue};

use crate::error::{Failure, reason};

/// What Ctrl-C and Ctrl-D send when the terminal does not handle them.
const CTRL_C: u8 = 3;
const CTRL_D: u8 = 4;

pub(super) struct Terminal {
    /// The keys, if there is a keyboard.
    keys: Option<Receiver<u8>>,
}

impl Terminal {
    pub(super) fn enter() -> Result<Self, Failure> {
        let mut terminal = Self { keys: None };
        if std::io::stdin().is_terminal() {
            enable_raw_mode().map_err(failed)?;
            let (send, keys) = channel();
            // It waits for a key until the tool ends.
            std::thread::spawn(move || {
                for byte in std::io::stdin().lock().bytes() {
                    let Ok(byte) = byte else { return };
                    if send.send(byte).is_err() {
                        return;
                    }
                }
            });
            terminal.keys = Some(keys);
        }
        execute!(std::io::stdout(), EnterAlternateScreen, Hide).map_err(failed)?;
        Ok(terminal)
    }

    /// How many lines there are.
    pub(super) fn rows(&self) -> u16 {
        size().map_or(24, |(_, rows)| rows)
    }

    /// Shows the text; lines that are too long are cut, and those that are too many are left out.
    pub(super) fn draw(&mut self, text: &str) -> Result<(), Failure> {
        let columns = size().map_or(80, |(columns, _)| usize::from(columns));
        let rows = self.rows();
        let mut stdout = std::io::stdout().lock();
        // Each line at its place: the screen never scrolls, and nothing wraps into the next.
        let lines = text.lines().chain(["", "q leaves"]).take(rows.into());
        let mut row = 0;
        for line in lines {
            queue!(stdout, MoveTo(0, row), Clear(ClearType::CurrentLine)).map_err(failed)?;
            write!(stdout, "{}", cut(line, columns)).map_err(failed)?;
            row += 1;
        }
        if row < rows {
            queue!(stdout, MoveTo(0, row), Clear(ClearType::FromCursorDown)).map_err(failed)?;
        }
        stdout.flush().map_err(failed)
    }

    /// Waits for a key for so long; whether it was q or Ctrl-C.
    pub(super) fn wants_to_leave(&mut self, wait: Duration) -> bool {
        let Some(keys) = &self.keys else {
            std::thread::sleep(wait);
            return false;
        };
        match keys.recv_timeout(wait) {
            Ok(key) => matches!(key, b'q' | b'Q' | CTRL_C | CTRL_D),
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                // Nobody is at the keyboard any more.
                self.keys = None;
                true
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // If the terminal is gone there is nothing to put back.
        let _ = execute!(std::io::stdout(), Show, LeaveAlternateScreen);
        if std::io::stdin().is_terminal() {
            let _ = disable_raw_mode();
        }
    }
}

/// As much of a line as fits, with its colours, which take no room.
fn cut(line: &str, columns: usize) -> String {
    let (mut out, mut width, mut in_escape) = (String::new(), 0, false);
    for c in line.chars() {
        if c == '\x1b' {
            in_escape = true;
        }
        if in_escape {
            in_escape = c != 'm';
            out.push(c);
        } else if width < columns {
            width += 1;
            out.push(c);
        }
    }
    out
}

fn failed(error: std::io::Error) -> Failure {
    Failure::Output(format!("terminal: {}", reason(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_colours_are_closed() {
        assert_eq!(cut("abc", 5), "abc");
        assert_eq!(cut("abcdef", 3), "abc");
        assert_eq!(cut("\x1b[31mabcdef\x1b[0m", 3), "\x1b[31mabc\x1b[0m");
    }
}
