//! The parts of the tool that computes how large each pool has to be.
//!
//! [`run`] is the whole tool; `trace` reads traces, `plan` plans pools for them. The library exists for the tool and
//! its tests; its interface is not stable.

mod allocations;
mod args;
pub mod error;
mod extras;
mod fragmentation;
mod generate;
mod generate_game;
pub mod input;
mod interrupt;
pub mod loans;
mod measure;
pub mod merge;
mod merge_command;
pub mod odds;
mod odds_command;
pub mod output;
mod output_file;
pub mod pattern;
pub mod plan;
mod plan_command;
mod plan_report;
mod random;
mod replay;
mod replay_command;
pub mod report;
mod samples;
mod soak;
mod soak_command;
pub mod summary;
pub mod trace;
mod watch;

pub use allocations::Counting;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser;
use clap::error::ErrorKind;

use args::{Arguments, Command};
use error::{Failure, shown};

/// Runs the tool with these arguments, the first of them its own name; returns the exit code:
/// 0 done, 1 a check that it made failed, 2 unusable input or arguments.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let result = parsed(arguments).and_then(|arguments| match arguments {
        Some(arguments) => interrupt::listen().and_then(|()| dispatch(arguments)),
        None => Ok(()),
    });
    let Err(failure) = result else { return 0 };
    if failure != Failure::ClosedPipe {
        // If standard error is closed, only the exit code reports the failure.
        let _ = writeln!(std::io::stderr(), "millpond: {failure}");
    }
    failure.exit_code()
}

fn dispatch(arguments: Arguments) -> Result<(), Failure> {
    output::paint::set_when(arguments.color);
    match arguments.command {
        None => plan_command::run_bundled(),
        Some(Command::Plan(arguments)) => plan_command::run(&arguments),
        Some(Command::Merge(arguments)) => merge_command::run(&arguments),
        Some(Command::Replay(arguments)) => replay_command::run(&arguments),
        Some(Command::Odds(arguments)) => odds_command::run(&arguments),
        Some(Command::Soak(arguments)) => {
            soak_command::run(&arguments).inspect(|()| interrupt::end_if_stopped())
        }
        Some(Command::Watch(arguments)) => watch::run(&arguments),
        Some(Command::Generate(arguments)) => generate::run(&arguments),
        Some(Command::Completions { shell }) => extras::completions(shell),
        Some(Command::Man { command }) => extras::man(command.as_deref()),
    }
}

/// The arguments; `None` if they asked for help, which has been printed.
fn parsed(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Arguments>, Failure> {
    match Arguments::try_parse_from(arguments) {
        Ok(arguments) => Ok(Some(arguments)),
        Err(e) if matches!(e.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            e.print().map_err(|e| Failure::from_stdout(&e))?;
            Ok(None)
        }
        Err(e) => Err(Failure::Arguments(in_one_line(&e.to_string()))),
    }
}

/// The first paragraph of a longer message and what it suggests, as one line.
fn in_one_line(message: &str) -> String {
    let mut paragraphs = message.split("\n\n");
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = joined(paragraphs.next().unwrap_or(message));
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    let suggestion = paragraphs
        .map(joined)
        .find_map(|paragraph| paragraph.strip_prefix("tip: ").map(str::to_owned))
        .map_or_else(String::new, |tip| format!("; {}", shown(tip.as_bytes())));
    format!("{}{suggestion} (see --help)", shown(line.as_bytes()))
}

/// Writes text to standard output.
fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|e| Failure::from_stdout(&e))
}
