//! Makes of what `ninja -t compdb` prints a compilation database that clangd can use:
//!
//! ```text
//! ninja -t compdb -x | cleandb > compile_commands.json
//! cleandb --append-arguments '-Wno-unused-function' --output compile_commands.json -- ninja -t compdb -x
//! ```
//!
//! The second form needs no shell; it leaves a file alone that would not change. Entries of what compiles nothing
//! go, paths become absolute and have forward slashes, `cmd /c` goes, and arguments are appended.

#[path = "../../arguments.rs"]
mod arguments;
mod command;
#[path = "../../output.rs"]
mod output;
mod paths;

use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, io};

use serde_json::{Value, json};

use crate::arguments::arguments;
use crate::paths::Paths;

type Result<T> = std::result::Result<T, String>;

const USAGE: &str =
    "cleandb [--append-arguments 'ARG …']… [--output FILE [--merge]] [-- COMMAND ARG…]";

/// What compilers compile; entries of other files come from steps that link, copy or bake.
const SOURCES: [&str; 12] =
    ["c", "C", "cc", "cp", "cpp", "CPP", "cxx", "c++", "m", "mm", "cu", "cppm"];

#[derive(Default)]
struct Options {
    appended: Vec<String>,
    output: Option<String>,
    /// Whether the output keeps the entries of other build directories.
    merges: bool,
    /// Prints the database; without it, standard input is read.
    command: Vec<String>,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self::default();
        while let Some(arg) = args.next() {
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (arg.as_str(), None),
            };
            match name {
                "--" => options.command = args.by_ref().collect(),
                "--append-arguments" => {
                    let value =
                        value.or_else(|| args.next()).ok_or("--append-arguments: no value")?;
                    options.appended.extend(value.split_whitespace().map(String::from));
                }
                "--output" => {
                    let value = value.or_else(|| args.next()).ok_or("--output: no value")?;
                    options.output = Some(value);
                }
                "--merge" if arg == name => options.merges = true,
                _ => return Err(format!("{arg:?}: no such option; {USAGE}")),
            }
        }
        match options.merges && options.output.is_none() {
            true => Err(format!("--merge: expected --output FILE; {USAGE}")),
            false => Ok(options),
        }
    }

    /// The entries of the old output that are of other build directories which are still there. An output that is no
    /// database has none.
    fn kept(&self, new: &[Value]) -> Vec<Value> {
        let (Some(path), true) = (&self.output, self.merges) else { return Vec::new() };
        let old = output::read(Path::new(path));
        let old: Option<Vec<Value>> = old.and_then(|old| serde_json::from_slice(&old).ok());
        let here = env::current_dir().map(|here| here.to_string_lossy().replace('\\', "/"));
        let is_kept = |entry: &Value| {
            let directory = entry["directory"].as_str();
            directory.is_some_and(|directory| {
                here.as_ref().is_ok_and(|here| here != directory)
                    && new.iter().all(|entry| entry["directory"] != directory)
                    && Path::new(directory).is_dir()
            })
        };
        old.unwrap_or_default().into_iter().filter(is_kept).collect()
    }

    fn read(&self) -> Result<Vec<u8>> {
        let Some((program, args)) = self.command.split_first() else {
            let mut input = Vec::new();
            io::stdin()
                .read_to_end(&mut input)
                .map_err(|error| format!("standard input: {error}"))?;
            return Ok(input);
        };
        let ran = Command::new(program).args(args).stderr(std::process::Stdio::inherit()).output();
        let ran = ran.map_err(|error| format!("{program}: {error}"))?;
        if ran.status.success() {
            Ok(ran.stdout)
        } else {
            Err(format!("{program}: {}", ran.status))
        }
    }

    fn write(&self, database: &str) -> Result<()> {
        let Some(path) = &self.output else {
            return match io::stdout().write_all(database.as_bytes()) {
                // Who closes the pipe has read enough.
                Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                    Err(format!("standard output: {error}"))
                }
                _ => Ok(()),
            };
        };
        output::save(Path::new(path), database.as_bytes())
            .map_err(|error| format!("{path}: {error}"))
    }
}

/// One entry made clean, or `None` if it compiles nothing.
fn clean(entry: &Value, appended: &[String]) -> Result<Option<Value>> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let file = text("file").ok_or("no \"file\"")?;
    let directory = text("directory").ok_or("no \"directory\"")?;
    if !file.rsplit_once('.').is_some_and(|(_, extension)| SOURCES.contains(&extension)) {
        return Ok(None);
    }
    let mut paths = Paths::new(directory)?;
    let arguments = match (text("command"), entry.get("arguments").and_then(Value::as_array)) {
        (Some(command), _) => command::split(command, paths.is_windows())?,
        (None, Some(list)) => {
            let texts = list.iter().map(|it| it.as_str().map(String::from));
            texts.collect::<Option<Vec<_>>>().ok_or("\"arguments\" are not all texts")?
        }
        (None, None) => return Err("neither \"command\" nor \"arguments\"".into()),
    };
    let arguments = command::without_shell(arguments, &mut paths)?;
    if arguments.is_empty() {
        return Err("an empty command".into());
    }
    let mut arguments = paths.in_arguments(arguments, file);
    let end = arguments.iter().position(|it| it == "--").unwrap_or(arguments.len());
    arguments.splice(end..end, appended.iter().cloned());
    let mut cleaned = json!({
        "directory": paths.directory(),
        "file": paths.absolute(file),
        "arguments": arguments,
    });
    if let Some(output) = text("output") {
        cleaned["output"] = paths.absolute(output).into();
    }
    Ok(Some(cleaned))
}

fn run() -> Result<()> {
    let options = Options::parse(arguments()?.into_iter())?;
    let input = options.read()?;
    let entries: Vec<Value> = serde_json::from_slice(&input)
        .map_err(|error| format!("not a list of commands in JSON: {error}"))?;
    let mut all = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let cleaned = clean(entry, &options.appended);
        all.extend(cleaned.map_err(|error| format!("entry {}: {error}", index + 1))?);
    }
    all.extend(options.kept(&all));
    if options.merges {
        // The same file whichever build directory comes last.
        all.sort_by(|a, b| a["directory"].as_str().cmp(&b["directory"].as_str()));
    }
    let lines: Vec<String> = all.iter().map(Value::to_string).collect();
    options.write(&format!("[\n{}\n]\n", lines.join(",\n")))
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cleandb: {error}");
            ExitCode::from(2)
        }
    }
}
