//! `millpond-watch`, which `millpond watch` starts: the pools or lenders of a running program, from the live trace that it writes.

mod dashboard;
mod json;
mod list;
mod loans;
mod picture;
mod screen;
mod slot_map;
mod slots;
mod terminal;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;

use dashboard::{Dashboard, Detail};
use list::List;
use loans::Lenders;
use millpond_plan::error::{Failure, Fault};
use millpond_plan::trace::follow::{Following, State};
use millpond_terminal::arguments::number;
use millpond_terminal::interrupt;
use picture::Picture;
use screen::Heading;
use terminal::{Screen, Wish};

/// Show the pools or lenders of a running program, from the live trace that it writes.
///
/// The program calls `Recorder::create("game.trace")` and `pool.record(&recorder)` (feature `recorder` of the library).
/// For a `millpond_lend::Lender`, it calls `lender.write_live(file, false)` ten times a second; the table then shows
/// waits, loans and openings. On a terminal, the table is redrawn continuously, and the selected pool is shown with a
/// curve and a map of its slots. Up and Down select a pool, Left and Right the column to sort by, r reverses the order,
/// q or Ctrl-C quits. Elsewhere, one table (or, with --json, one line) is printed per interval until the recording
/// ends.
#[derive(Debug, Parser)]
#[command(name = "millpond watch", bin_name = "millpond watch", version, term_width = 80)]
#[command(after_help = "\
Examples:
  millpond watch game.trace
  ssh server millpond watch /srv/game/game.trace
  millpond watch --once --json game.trace | jq '.pools[] | select(.refused > 0)'")]
pub struct WatchArguments {
    #[command(flatten)]
    color: millpond_terminal::Color,
    /// The live trace. If the program restarts, so does the table.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print the current state and exit.
    #[arg(long)]
    once: bool,
    /// Print JSON, one object per line, for programs.
    #[arg(long)]
    json: bool,
    /// Seconds between two updates.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5, value_parser = number(0.05..=3600.0))]
    interval: f64,
}

/// The recorder writes ten times a second; after this long, it is considered gone.
const SILENT_AFTER: Duration = Duration::from_secs(3);

/// The longest time until a key press has an effect.
const LOOK_FOR_KEYS: Duration = Duration::from_millis(50);

/// Runs the command with these arguments, the first of them the program's own name; returns the exit code:
/// 0 done, 2 unusable input or arguments.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    millpond_terminal::run(arguments, |arguments: WatchArguments| watch(&arguments))
}

/// Follows the file.
fn watch(arguments: &WatchArguments) -> Result<(), Failure> {
    millpond_terminal::set_when(arguments.color.when);
    let name = arguments.file.to_string_lossy().into_owned();
    let of_input = |fault: Fault| fault.of_input(&name);
    let mut watching = Watching::begin(&arguments.file).map_err(of_input)?;
    if arguments.once {
        return millpond_terminal::print(&watching.text(arguments.json)?);
    }
    let stop = interrupt::stop_flag()?;
    let interval = Duration::from_secs_f64(arguments.interval);
    if arguments.json || !std::io::stdout().is_terminal() {
        return print_on(&mut watching, arguments.json, interval, &stop).map_err(|e| e.or(&name));
    }
    let mut screen = Screen::enter()?;
    let mut dashboard = Dashboard::new(millpond_terminal::paint());
    while !stop.load(Ordering::Relaxed) {
        watching.read().map_err(of_input)?;
        let drawn = Instant::now();
        watching.draw(&mut screen, &mut dashboard)?;
        while drawn.elapsed() < interval && !stop.load(Ordering::Relaxed) {
            match screen.wish(LOOK_FOR_KEYS.min(interval)) {
                Some(Wish::Quit) => return Ok(()),
                Some(wish) => {
                    dashboard.follow(wish);
                    watching.draw(&mut screen, &mut dashboard)?;
                }
                None => {}
            }
        }
    }
    Ok(())
}

/// Why printing ended early.
enum Ended {
    Input(Fault),
    Output(Failure),
}

impl Ended {
    fn or(self, name: &str) -> Failure {
        match self {
            Self::Input(fault) => fault.of_input(name),
            Self::Output(failure) => failure,
        }
    }
}

/// Prints the state in each interval, until the recording has ended or a signal stops it.
fn print_on(
    watching: &mut Watching,
    as_json: bool,
    interval: Duration,
    stop: &AtomicBool,
) -> Result<(), Ended> {
    loop {
        let text = watching.text(as_json).map_err(Ended::Output)?;
        millpond_terminal::print(&text).map_err(Ended::Output)?;
        let printed = Instant::now();
        while printed.elapsed() < interval {
            if watching.subject().has_ended() || stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            std::thread::sleep(LOOK_FOR_KEYS.min(interval));
        }
        watching.read().map_err(Ended::Input)?;
        if !as_json {
            millpond_terminal::print("\n").map_err(Ended::Output)?;
        }
    }
}

/// The subject of a live trace, by its first line.
#[derive(Debug)]
enum Subject {
    Pools(Picture),
    Lenders(Lenders),
}

impl Subject {
    fn has_ended(&self) -> bool {
        match self {
            Self::Pools(picture) => picture.has_ended(),
            Self::Lenders(lenders) => lenders.has_ended(),
        }
    }

    fn list(&self) -> List {
        match self {
            Self::Pools(picture) => picture.list(),
            Self::Lenders(lenders) => lenders.list(),
        }
    }

    fn detail(&self, name: &str) -> Option<Detail<'_>> {
        match self {
            Self::Pools(picture) => picture.detail(name),
            Self::Lenders(lenders) => lenders.detail(name),
        }
    }

    /// The text in place of an empty list.
    fn if_empty(&self) -> &'static str {
        match self {
            Self::Pools(_) => "no pool is recorded (`pool.record(&recorder)`)",
            Self::Lenders(_) => "no lender is recorded (`lender.write_live(file, false)`)",
        }
    }
}

impl State for Subject {
    fn before() -> Self {
        // Pools, until the first line says otherwise.
        Self::Pools(Picture::default())
    }

    fn line(&mut self, number: u64, line: &[u8]) -> Result<(), String> {
        if number == 0 && loans::is_header(line) {
            *self = Self::Lenders(Lenders::default());
            return Ok(());
        }
        match self {
            Self::Pools(picture) => picture.line(number, line),
            Self::Lenders(lenders) => lenders.line(line),
        }
    }
}

/// The file that is followed.
struct Watching {
    following: Following<Subject>,
    /// When the last data came.
    heard: Instant,
}

impl Watching {
    fn begin(path: &Path) -> Result<Self, Fault> {
        Ok(Self { following: Following::begin(path)?, heard: Instant::now() })
    }

    fn read(&mut self) -> Result<(), Fault> {
        if self.following.read()? {
            self.heard = Instant::now();
        }
        Ok(())
    }

    fn subject(&self) -> &Subject {
        &self.following.state
    }

    fn text(&self, as_json: bool) -> Result<String, Failure> {
        let name = self.following.name();
        if as_json {
            return match self.subject() {
                Subject::Pools(picture) => json::json(&name, picture),
                Subject::Lenders(lenders) => json::lenders_json(&name, lenders),
            };
        }
        let (list, if_empty) = (self.subject().list(), self.subject().if_empty());
        Ok(screen::text(&self.heading(&name), &list, if_empty, millpond_terminal::paint()))
    }

    fn draw(&self, screen: &mut Screen, dashboard: &mut Dashboard) -> Result<(), Failure> {
        let name = self.following.name();
        let (heading, subject) = (self.heading(&name), self.subject());
        let detail = |name: &str| subject.detail(name);
        screen.draw(|frame| {
            dashboard.draw(frame, &heading, subject.list(), subject.if_empty(), detail);
        })
    }

    fn heading<'h>(&self, file: &'h str) -> Heading<'h> {
        let silent = self.heard.elapsed();
        let state = match self.subject().has_ended() {
            true => screen::State::Ended,
            false if silent >= SILENT_AFTER => screen::State::Silent(silent.as_secs_f64()),
            false => screen::State::Recording,
        };
        let (tick, seconds) = match self.subject() {
            Subject::Pools(picture) => {
                (Some((picture.tick(), picture.tick_rate())), picture.seconds())
            }
            Subject::Lenders(lenders) => (None, lenders.seconds()),
        };
        Heading { file, tick, seconds, state }
    }
}
