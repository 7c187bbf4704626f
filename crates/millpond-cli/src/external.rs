//! Commands that are programs of their own, `millpond-merge`, `millpond-replay`, `millpond-odds`, `millpond-watch` and
//! `millpond-soak`: found beside this program or on the path, as cargo and git find theirs.
//!
//! They take longer to build than all the rest. The first three come with the tool; the others have packages of their own,
//! because they need libraries that planning does without.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use millpond_plan::error::{Failure, reason};

/// The commands, and the package of each; the program's name is `millpond-` and the command's.
const COMMANDS: [(&str, &str); 5] = [
    ("merge", "millpond-cli"),
    ("replay", "millpond-cli"),
    ("odds", "millpond-cli"),
    ("watch", "millpond-watch"),
    ("soak", "millpond-soak"),
];

/// A command that is a program of its own, and its arguments, which the tool does not look at.
#[derive(Debug)]
pub(crate) struct External {
    name: &'static str,
    package: &'static str,
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
        let word = words.get(at)?;
        let (name, package) = COMMANDS.into_iter().find(|(name, _)| word == name)?;
        let arguments = [&words[..at], &words[at + 1..]].concat();
        Some(Self { name, package, arguments })
    }

    /// Such a command after other options than one `--color`.
    pub(crate) fn out_of_place(name: &str) -> Failure {
        Failure::Arguments(format!("expected `{name}` as the first word, and all options after it"))
    }

    /// Replaces this process by the program, or waits for it where the system cannot do that.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let Self { name, package, .. } = self;
        let mut error = started(Command::new(program(name)).args(&self.arguments));
        if let Some(mut cargo) = self.by_cargo().filter(|_| error.kind() == ErrorKind::NotFound) {
            error = started(&mut cargo);
        }
        Err(Failure::Arguments(match error.kind() {
            ErrorKind::NotFound => format!(
                "`{name}` is a program of its own and is not installed; install it with `cargo install {package}`, \
                 or, in a checkout of millpond, build it with `cargo build --release -p {package}`"
            ),
            _ => format!("millpond-{name} cannot be started: {}", reason(&error)),
        }))
    }

    /// Within `cargo run` in a checkout, cargo builds the program and runs it.
    fn by_cargo(&self) -> Option<Command> {
        let (cargo, directory) = (env::var_os("CARGO")?, env::var_os("CARGO_MANIFEST_DIR")?);
        let mut command = Command::new(cargo);
        let workspace = Path::new(&directory).join("../../Cargo.toml");
        command.args(["run", "--release", "--manifest-path"]).arg(workspace);
        let program = format!("millpond-{}", self.name);
        command.args(["--package", self.package, "--bin", &program, "--"]).args(&self.arguments);
        Some(command)
    }
}

fn is_color(word: &OsStr) -> bool {
    word.as_encoded_bytes().starts_with(b"--color=")
}

/// The program beside this one; or, if there is none, its name, for the system to look for on the path.
fn program(name: &str) -> PathBuf {
    let file = format!("millpond-{name}{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().map(|this| this.with_file_name(&file));
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
