//! Commands that are programs of their own, `millpond-watch` and `millpond-soak`: found beside this program or on the
//! path, as cargo and git find theirs.
//!
//! They need libraries that planning does without, and take as long to build as all the rest.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use millpond_plan::error::{Failure, reason};

/// The names of the commands; each program's name is `millpond-` and the command's.
const NAMES: [&str; 2] = ["watch", "soak"];

/// A command that is a program of its own, and its arguments, which the tool does not look at.
#[derive(Debug)]
pub(crate) struct External {
    name: &'static str,
    arguments: Vec<OsString>,
}

impl External {
    /// The command that is asked for by these arguments, the first of them the tool's own name, if it is such a program.
    pub(crate) fn of(arguments: &[OsString]) -> Option<Self> {
        let (_, words) = arguments.split_first()?;
        // Only the tool's own option may come before the command.
        let at = match words {
            [color, _, ..] if color == "--color" => 2,
            [color, ..] if is_color(color) => 1,
            _ => 0,
        };
        let name = NAMES.into_iter().find(|name| words.get(at).is_some_and(|word| word == name))?;
        let arguments = [&words[..at], &words[at + 1..]].concat();
        Some(Self { name, arguments })
    }

    /// Replaces this process by the program, or waits for it where the system cannot do that.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let name = self.name;
        let error = started(Command::new(program(name)).args(&self.arguments));
        Err(Failure::Arguments(match error.kind() {
            ErrorKind::NotFound => format!(
                "`{name}` is a program of its own and is not installed; install it with `cargo install \
                 millpond-{name}` (in a checkout of millpond: cargo build --release -p millpond-{name})"
            ),
            _ => format!("millpond-{name} cannot be started: {}", reason(&error)),
        }))
    }
}

fn is_color(word: &OsStr) -> bool {
    word.as_encoded_bytes().starts_with(b"--color=")
}

/// The program beside this one; or, if there is none, its name, for the system to look for on the path.
fn program(name: &str) -> PathBuf {
    let file = format!("millpond-{name}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().map(|this| this.with_file_name(&file));
    beside.ok().filter(|path| path.is_file()).unwrap_or_else(|| file.into())
}

/// Runs the program in place of this one; returns why it could not be started.
#[cfg(unix)]
fn started(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Runs the program, and ends with its exit code; returns why it could not be started.
#[cfg(not(unix))]
fn started(command: &mut Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(2)),
        Err(error) => error,
    }
}
