//! What the commands of millpond share: how arguments are read, how an error is told, colour, progress, and Ctrl-C.
//!
//! The commands are programs of their own, as those of cargo and git are: `millpond`, `millpond-watch` and
//! `millpond-soak`. The library exists for them; its interface is not stable.

pub mod arguments;
pub mod interrupt;
pub mod output_file;
mod paint;
pub mod progress;

pub use paint::{Color, When, paint, set_when};

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use clap::Parser;
use clap::error::ErrorKind;
use millpond_plan::error::{Failure, Fault, shown};
use millpond_plan::input::{Source, Spool};

/// Reads the arguments, the first of them the program's own name, and runs the command; returns the exit code:
/// 0 done, 1 a check that it made failed, 2 unusable input or arguments, 3 done with an input that is cut short.
pub fn run<A: Parser>(
    arguments: impl IntoIterator<Item = OsString>,
    command: impl FnOnce(A) -> Result<(), Failure>,
) -> u8 {
    exit_code(parsed(arguments).and_then(|arguments| match arguments {
        Some(arguments) => interrupt::listen().and_then(|()| command(arguments)),
        None => Ok(()),
    }))
}

/// Reports a failure on standard error; returns the exit code.
pub fn exit_code(result: Result<(), Failure>) -> u8 {
    let Err(failure) = result else { return 0 };
    if failure != Failure::ClosedPipe {
        // If standard error is closed, only the exit code reports the failure.
        let _ = writeln!(std::io::stderr(), "millpond: {failure}");
    }
    failure.exit_code()
}

/// The arguments; `None` if they asked for help, which has been printed.
fn parsed<A: Parser>(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<A>, Failure> {
    match A::try_parse_from(arguments) {
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
///
/// # Errors
/// If standard output is closed or cannot be written to.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|e| Failure::from_stdout(&e))
}

/// Opens an input, a file or `-` for standard input, whose readings are shown on standard error.
///
/// # Errors
/// If it does not exist, may not be read, or is neither a file nor a pipe.
pub fn open(path: &Path) -> Result<Source, Fault> {
    let spool = || interrupt::whole(Spool::create);
    Ok(Source::from_path_spooling(path, spool)?.shown(progress::show))
}
