//! The terminal while the dashboard is drawn on it: the alternate screen, and keys as they are pressed. The terminal's
//! earlier state is restored in every case.

use std::io::{Stdout, stdout};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::{Frame, Terminal};

use millpond_plan::error::{Failure, reason};

/// What the user requests with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    Quit,
    /// Selects the row this many rows further down.
    Move(isize),
    First,
    Last,
    /// Sorts by the next column, or by the previous one.
    SortByNext,
    SortByPrevious,
    Reverse,
    /// Only draws, because the window has another size.
    Redraw,
}

/// The number of rows that Page Up and Page Down move.
const PAGE_ROWS: isize = 10;

pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    has_keys: bool,
}

impl Screen {
    pub(super) fn enter() -> Result<Self, Failure> {
        let terminal = Terminal::new(CrosstermBackend::new(stdout())).map_err(failed)?;
        // Without a keyboard, signals still end the command.
        let has_keys = enable_raw_mode().is_ok();
        let screen = Self { terminal, has_keys };
        execute!(stdout(), EnterAlternateScreen, Hide).map_err(failed)?;
        Ok(screen)
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> Result<(), Failure> {
        self.terminal.draw(draw).map(drop).map_err(failed)
    }

    /// Waits for a key for at most this long.
    pub(super) fn wish(&mut self, wait: Duration) -> Option<Wish> {
        if !self.has_keys {
            std::thread::sleep(wait);
            return None;
        }
        match event::poll(wait).and_then(|is_there| is_there.then(event::read).transpose()) {
            Ok(event) => event.and_then(wish_of),
            // The keyboard is gone.
            Err(_) => Some(Wish::Quit),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // If the terminal is gone, there is nothing to restore.
        let _ = execute!(stdout(), Show, LeaveAlternateScreen);
        if self.has_keys {
            let _ = disable_raw_mode();
        }
    }
}

fn wish_of(event: Event) -> Option<Wish> {
    match event {
        Event::Key(key) if key.kind == KeyEventKind::Press => wish_of_key(key),
        Event::Resize(..) => Some(Wish::Redraw),
        _ => None,
    }
}

fn wish_of_key(key: KeyEvent) -> Option<Wish> {
    // While keys are read one by one, Ctrl-C and Ctrl-D do not become signals.
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return matches!(key.code, KeyCode::Char('c' | 'd')).then_some(Wish::Quit);
    }
    Some(match key.code {
        KeyCode::Char('q' | 'Q') => Wish::Quit,
        KeyCode::Down | KeyCode::Char('j') => Wish::Move(1),
        KeyCode::Up | KeyCode::Char('k') => Wish::Move(-1),
        KeyCode::PageDown => Wish::Move(PAGE_ROWS),
        KeyCode::PageUp => Wish::Move(-PAGE_ROWS),
        KeyCode::Home | KeyCode::Char('g') => Wish::First,
        KeyCode::End | KeyCode::Char('G') => Wish::Last,
        KeyCode::Right | KeyCode::Char('s') => Wish::SortByNext,
        KeyCode::Left | KeyCode::Char('S') => Wish::SortByPrevious,
        KeyCode::Char('r') => Wish::Reverse,
        _ => return None,
    })
}

fn failed(error: std::io::Error) -> Failure {
    Failure::Output(format!("terminal: {}", reason(&error)))
}
