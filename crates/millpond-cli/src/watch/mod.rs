//! `millpond watch`: the pools or lenders of a running program, from the live trace that it writes.

mod dashboard;
mod follow;
mod json;
mod list;
mod loans;
mod picture;
mod screen;
mod slot_map;
mod slots;
mod terminal;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;

use crate::args::number;
use crate::error::Failure;
use crate::interrupt;
use crate::output::paint::Paint;
use crate::trace::live::PoolStats;
use dashboard::{Dashboard, Detail};
use follow::{Follow, News};
use list::List;
use loans::Lenders;
use picture::Picture;
use screen::{Heading, State};
use terminal::{Screen, Wish};

/// Show the pools or lenders of a running program, from the live trace that it writes.
///
/// The program calls `Recorder::create("game.trace")` and `pool.record(&recorder)` (feature `recorder` of the library).
/// For a `millpond_lend::Lender`, it calls `lender.write_live(file, false)` ten times a second; the table then shows
/// waits, loans and openings. On a terminal, the table is redrawn continuously, and the selected pool is shown with a
/// curve and a map of its slots. Up and Down select a pool, Left and Right the column to sort by, r reverses the order,
/// q or Ctrl-C quits. Elsewhere, one table (or, with --json, one line) is printed per interval until the recording
/// ends.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  millpond watch game.trace
  ssh server millpond watch /srv/game/game.trace
  millpond watch --once --json game.trace | jq '.pools[] | select(.refused > 0)'")]
pub(crate) struct WatchArguments {
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

/// Follows the file.
pub(crate) fn run(arguments: &WatchArguments) -> Result<(), Failure> {
    let name = arguments.file.to_string_lossy().into_owned();
    let of_input = |fault: crate::error::Fault| fault.of_input(&name);
    let mut watching = Watching::begin(&arguments.file, Subject::with_slots).map_err(of_input)?;
    if arguments.once {
        return crate::print(&watching.text(arguments.json)?);
    }
    let stop = interrupt::stop_flag()?;
    let interval = Duration::from_secs_f64(arguments.interval);
    if arguments.json || !std::io::stdout().is_terminal() {
        return print_on(&mut watching, arguments.json, interval, &stop).map_err(|e| e.or(&name));
    }
    let mut screen = Screen::enter()?;
    let mut dashboard = Dashboard::new(Paint::for_stdout());
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
    Input(crate::error::Fault),
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
        crate::print(&text).map_err(Ended::Output)?;
        let printed = Instant::now();
        while printed.elapsed() < interval {
            if watching.subject.has_ended() || stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            std::thread::sleep(LOOK_FOR_KEYS.min(interval));
        }
        watching.read().map_err(Ended::Input)?;
        if !as_json {
            crate::print("\n").map_err(Ended::Output)?;
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
    /// Nothing yet; pools, until the first line says otherwise.
    fn with_slots() -> Self {
        Self::Pools(Picture::default())
    }

    /// The same, without the slots of the pools.
    fn without_slots() -> Self {
        Self::Pools(Picture::without_slots())
    }

    /// Takes a line; the first of the file has the number 0.
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

    fn has_ended(&self) -> bool {
        match self {
            Self::Pools(picture) => picture.has_ended,
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

/// A file, and the state after its lines so far.
struct Watching {
    follow: Follow,
    subject: Subject,
    /// The subject before a recording begins.
    nothing_yet: fn() -> Subject,
    /// When the last data came.
    heard: Instant,
}

impl Watching {
    fn begin(path: &Path, nothing_yet: fn() -> Subject) -> Result<Self, crate::error::Fault> {
        let follow = Follow::open(path)?;
        let (subject, heard) = (nothing_yet(), Instant::now());
        let mut watching = Self { follow, subject, nothing_yet, heard };
        watching.read_on()?;
        Ok(watching)
    }

    /// Reads the new lines. If they contradict the earlier ones, another recording may have begun and be longer
    /// already; then the file is read again from its start.
    fn read(&mut self) -> Result<(), crate::error::Fault> {
        self.read_on().or_else(|_| {
            self.follow.start_again()?;
            self.subject = (self.nothing_yet)();
            self.read_on()
        })
    }

    fn read_on(&mut self) -> Result<(), crate::error::Fault> {
        loop {
            let mut has_news = false;
            let subject = &mut self.subject;
            let news = self.follow.lines(|number, line| {
                has_news = true;
                subject.line(number, line)
            })?;
            if has_news {
                self.heard = Instant::now();
            }
            match news {
                News::UpToDate => return Ok(()),
                News::StartedAgain => self.subject = (self.nothing_yet)(),
            }
        }
    }

    fn text(&self, as_json: bool) -> Result<String, Failure> {
        let name = self.follow.name();
        if as_json {
            return match &self.subject {
                Subject::Pools(picture) => json::json(&name, picture),
                Subject::Lenders(lenders) => json::lenders_json(&name, lenders),
            };
        }
        let (list, if_empty) = (self.subject.list(), self.subject.if_empty());
        Ok(screen::text(&self.heading(&name), &list, if_empty, Paint::for_stdout()))
    }

    fn draw(&self, screen: &mut Screen, dashboard: &mut Dashboard) -> Result<(), Failure> {
        let name = self.follow.name();
        let (heading, subject) = (self.heading(&name), &self.subject);
        let detail = |name: &str| subject.detail(name);
        screen.draw(|frame| {
            dashboard.draw(frame, &heading, subject.list(), subject.if_empty(), detail);
        })
    }

    fn heading<'h>(&self, file: &'h str) -> Heading<'h> {
        let silent = self.heard.elapsed();
        let state = match self.subject.has_ended() {
            true => State::Ended,
            false if silent >= SILENT_AFTER => State::Silent(silent.as_secs_f64()),
            false => State::Recording,
        };
        let (tick, seconds) = match &self.subject {
            Subject::Pools(picture) => {
                (Some((picture.tick, picture.tick_rate())), picture.seconds())
            }
            Subject::Lenders(lenders) => (None, lenders.seconds()),
        };
        Heading { file, tick, seconds, state }
    }
}

/// A live trace that another command follows: its pools, without their slots.
pub(crate) struct Following(Watching);

impl Following {
    pub(crate) fn begin(path: &Path) -> Result<Self, Failure> {
        let watching = Watching::begin(path, Subject::without_slots);
        watching.map(Self).map_err(|fault| fault.of_input(&path.to_string_lossy()))
    }

    /// Reads the new lines.
    pub(crate) fn read(&mut self) -> Result<(), Failure> {
        let name = self.0.follow.name();
        self.0.read().map_err(|fault| fault.of_input(&name))
    }

    /// The current pools.
    pub(crate) fn pools(&self) -> impl Iterator<Item = &PoolStats> {
        let picture = match &self.0.subject {
            Subject::Pools(picture) => Some(picture),
            Subject::Lenders(_) => None,
        };
        picture.into_iter().flat_map(|picture| picture.pools().map(|pool| &pool.stats))
    }
}
