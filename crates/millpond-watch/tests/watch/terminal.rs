//! `millpond watch` on a terminal: what its screen shows, and that the terminal is left as it was.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::Directory;
use millpond::recorder::HEADER;
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};
use vt100::{Parser, Screen};

/// So long a screen that never comes is waited for.
const PATIENCE: Duration = Duration::from_secs(120);

/// A trace of so many pools, one with a refusal, that is not at its end.
fn trace(pools: u32, tick: u32) -> String {
    let mut text = format!("{HEADER}\n");
    for pool in 0..pools {
        text +=
            &format!("{tick},stats,{pool},pool-{pool:02},100,{pool},90,0,200,100,{pool},0,0,50\n");
    }
    text
}

fn append(path: &Path, text: &str) {
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// `millpond watch` with a terminal of its own.
struct Session {
    terminal: File,
    /// The terminal stays while this is open, so that its settings can be looked at in the end.
    line: OwnedFd,
    settings_before: Termios,
    child: Child,
    written: Receiver<Vec<u8>>,
    parser: Parser,
}

impl Session {
    fn start(directory: &Directory, file: &str, rows: u16, columns: u16) -> Self {
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(pty_process::Size::new(rows, columns)).unwrap();
        let line = pts.as_fd().try_clone_to_owned().unwrap();
        let settings_before = tcgetattr(&line).unwrap();
        let child = pty_process::blocking::Command::new(env!("CARGO_BIN_EXE_millpond-watch"))
            .args(["--interval", "0.05", file])
            .current_dir(directory.path())
            .env("TERM", "xterm-256color")
            .spawn(pts)
            .unwrap();
        let terminal = File::from(OwnedFd::from(pty));
        let mut reader = terminal.try_clone().unwrap();
        let (send, written) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if send.send(buffer[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let (rows, columns) = (NonZero::new(rows).unwrap(), NonZero::new(columns).unwrap());
        let parser = Parser::new(rows, columns, 0);
        Self { terminal, line, settings_before, child, written, parser }
    }

    fn resize(&mut self, rows: u16, columns: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.terminal, size).unwrap();
        let (rows, columns) = (NonZero::new(rows).unwrap(), NonZero::new(columns).unwrap());
        self.parser.screen_mut().set_size(rows, columns);
    }

    fn press(&mut self, keys: &[u8]) {
        self.terminal.write_all(keys).unwrap();
    }

    /// Presses a key until the tool has ended. A key that comes in the same moment as a new size of the window is read only
    /// with the next one: `crossterm` hands out the size, and forgets that there was a key as well.
    fn press_until_it_ends(&mut self, keys: &[u8]) {
        let begin = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < PATIENCE, "it never ended");
            self.press(keys);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits until the screen is as it should be.
    fn wait_for(&mut self, what: &str, is_so: impl Fn(&Screen) -> bool) {
        let begin = Instant::now();
        while !is_so(self.parser.screen()) {
            match self.written.recv_timeout(Duration::from_millis(100)) {
                Ok(bytes) if begin.elapsed() < PATIENCE => self.parser.process(&bytes),
                Err(RecvTimeoutError::Timeout) if begin.elapsed() < PATIENCE => {}
                _ => panic!("{what} never came:\n{}", self.parser.screen().contents()),
            }
        }
    }

    fn lines(&self) -> Vec<String> {
        self.parser.screen().contents().lines().map(str::to_owned).collect()
    }

    /// Waits until the tool has ended; the terminal has to be as it was before.
    fn end(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap();
        let (before, after) = (self.settings_before, tcgetattr(&self.terminal).unwrap());
        assert_eq!(after.local_modes, before.local_modes);
        assert_eq!(after.input_modes, before.input_modes);
        assert_eq!(after.output_modes, before.output_modes);
        // What was written last is read to its end, which comes when nobody has the terminal any more.
        drop(self.line);
        self.written.iter().for_each(|bytes| self.parser.process(&bytes));
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen(), "the screen of before");
        assert!(!screen.hide_cursor(), "the cursor is back");
        (status, screen.contents())
    }
}

fn begins_with(screen: &Screen, words: &str) -> bool {
    screen.contents().starts_with(words)
}

fn shows(words: &str) -> impl Fn(&Screen) -> bool {
    move |screen| screen.contents().contains(words)
}

#[test]
fn a_table_is_drawn_and_drawn_again_and_q_leaves() {
    let directory = Directory::new();
    let path = directory.file("game.trace", trace(3, 7));
    let mut session = Session::start(&directory, "game.trace", 24, 120);
    session.wait_for("the last line", shows("q quit"));
    assert!(session.parser.screen().alternate_screen() && session.parser.screen().hide_cursor());
    let settings = tcgetattr(&session.terminal).unwrap();
    assert!(!settings.local_modes.contains(LocalModes::ICANON), "keys come as they are pressed");
    let lines = session.lines();
    assert!(lines[0].starts_with("game.trace  tick 7"), "{lines:?}");
    assert!(lines[2].starts_with("pool ") && lines[4].starts_with("pool-01 "), "{lines:?}");
    assert!(lines.len() == 24 && lines[23].starts_with("1 of 3   q quit"), "{lines:?}");
    // A pool that has refused somebody is red, one that has not is not; the selected one is reversed.
    let colour = |row| session.parser.screen().cell(row, 0).unwrap().fgcolor();
    assert_eq!((colour(3), colour(4)), (vt100::Color::Default, vt100::Color::Idx(1)));
    let is_reversed = |row| session.parser.screen().cell(row, 0).unwrap().inverse();
    assert!(is_reversed(3) && !is_reversed(4));
    // Below the list are the gauge, the curve and the slots of the selected pool.
    let contents = session.parser.screen().contents();
    assert!(contents.contains("0 of 100 slots live, 90 at the peak"), "{contents}");
    assert!(contents.contains("live lately, at most 0"), "{contents}");

    append(&path, "9,stats,1,pool-01,100,55,90,0,300,145,1,0,0,80\n");
    session.wait_for("the next tick", |screen| begins_with(screen, "game.trace  tick 9"));
    session.press(b"x");
    session.press(b"q");
    let (status, first_screen) = session.end();
    assert!(status.success() && first_screen.is_empty(), "{status}: {first_screen}");
}

#[test]
fn a_window_of_another_size_is_filled_and_never_scrolls() {
    let directory = Directory::new();
    directory.file("game.trace", trace(30, 7));
    let mut session = Session::start(&directory, "game.trace", 12, 100);
    session.wait_for("eight pools", |screen| shows("pool-07")(screen) && shows("q quit")(screen));
    let lines = session.lines();
    assert!(lines[0].starts_with("game.trace") && lines[10].starts_with("pool-07"), "{lines:?}");
    assert!(lines.len() == 12 && lines[11].starts_with("1 of 30   q quit"), "{lines:?}");

    // End and arrows scroll; Right sorts by the name, then by live objects, the most first.
    session.press(b"\x1b[F");
    session.wait_for("the last pool", shows("30 of 30"));
    assert!(session.lines()[10].starts_with("pool-29"), "{:?}", session.lines());
    session.press(b"\x1b[A");
    session.wait_for("the last but one", shows("29 of 30"));
    session.press(b"\x1b[C\x1b[C");
    session.wait_for("the order by live objects", shows("2 of 30"));
    session.press(b"\x1b[H");
    session.wait_for("the first row", |screen| {
        screen.contents().lines().nth(3).is_some_and(|line| line.starts_with("pool-29"))
    });
    session.press(b"r");
    session.wait_for("the reverse order", shows("30 of 30"));
    session.press(b"\x1b[H");
    session.wait_for("the first pool", shows("1 of 30"));

    // Higher, and so narrow that columns are dropped.
    session.resize(17, 30);
    session.wait_for("thirteen pools", |screen| {
        screen.contents().contains("pool-12") && begins_with(screen, "game.trace")
    });
    let longest = session.lines().iter().map(|line| line.chars().count()).max();
    assert!(longest <= Some(30), "{:?}", session.lines());

    // Hardly a window any more.
    session.resize(4, 20);
    session.wait_for("the heading", |screen| begins_with(screen, "game.trace  tick 7"));
    session.resize(70, 100);
    session.wait_for("all pools", |screen| {
        let contents = screen.contents();
        contents.contains("pool-29") && contents.contains("1 of 30   q quit")
    });
    assert!(session.lines()[0].starts_with("game.trace"));
    session.press_until_it_ends(b"Q");
    assert!(session.end().0.success());
}

#[test]
fn ctrl_c_and_signals_leave_the_terminal_as_it_was() {
    let directory = Directory::new();
    directory.file("game.trace", trace(3, 7));
    let leave: [fn(&mut Session); 3] = [
        |session| session.press(b"\x03"),
        |session| session.signal(Signal::INT),
        |session| session.signal(Signal::TERM),
    ];
    for leave in leave {
        let mut session = Session::start(&directory, "game.trace", 24, 80);
        session.wait_for("the table", shows("q quit"));
        leave(&mut session);
        let (status, first_screen) = session.end();
        assert!(status.success() && first_screen.is_empty(), "{status}: {first_screen}");
    }
}

#[test]
fn a_file_that_stops_growing_is_told_and_goes_on() {
    let directory = Directory::new();
    let path = directory.file("game.trace", trace(2, 7));
    let mut session = Session::start(&directory, "game.trace", 24, 100);
    session.wait_for("the table", shows("recording"));
    session.wait_for("the doubt", shows("has the program ended?"));
    append(&path, &trace(2, 8)[HEADER.len() + 1..]);
    session.wait_for("the end of the doubt", |screen| {
        begins_with(screen, "game.trace  tick 8") && !shows("ended?")(screen)
    });
    append(&path, "9,end,0,recorder\n");
    session.wait_for("the end", shows("the recording has ended"));
    session.press(b"q");
    assert!(session.end().0.success());
}

#[test]
fn a_file_that_is_cut_short_is_read_from_its_start() {
    let directory = Directory::new();
    let path = directory.file("game.trace", trace(9, 700));
    let mut session = Session::start(&directory, "game.trace", 24, 100);
    session.wait_for("nine pools", shows("pool-08"));
    std::fs::write(&path, trace(1, 2)).unwrap();
    session.wait_for("the new recording", |screen| {
        begins_with(screen, "game.trace  tick 2") && !shows("pool-08")(screen)
    });
    // Then it is no trace any more: one line on the terminal as it was before.
    std::fs::write(&path, "nonsense\n").unwrap();
    let (status, first_screen) = session.end();
    assert_eq!(status.code(), Some(2));
    assert!(first_screen.contains("line 1 (byte 0): found `nonsense`"), "{first_screen}");
    assert_eq!(first_screen.lines().count(), 1, "{first_screen}");
}
