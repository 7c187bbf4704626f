//! Running the tool.

pub(crate) mod planning;

use std::path::{Path, PathBuf};

use std::process::{Child, Command, Output};
use std::sync::LazyLock;

use millpond_plan::input::Source;
use serde_json::Value;

pub(crate) use millpond_testkit::{Directory, Random, TRACES, done, gzip, refused, zstd};

/// The tool as a user runs it, in a directory: not by cargo, even if cargo runs the tests.
/// `MILLPOND_PROGRAM=/path/to/millpond` runs another build of it.
pub(crate) fn millpond(directory: &Directory) -> Command {
    let program = std::env::var_os("MILLPOND_PROGRAM");
    let program = program.unwrap_or(env!("CARGO_BIN_EXE_millpond").into());
    let mut command = millpond_testkit::command(program, directory);
    command.env_remove("CARGO_PKG_NAME");
    command
}

/// What `cargo run` does in the repository.
pub(crate) fn demonstration(directory: &Directory) -> Command {
    let mut command = millpond(directory);
    command.env("CARGO_PKG_NAME", env!("CARGO_PKG_NAME"));
    command
}

/// The plan of the bundled recording of OpenTTD, with classes of sizes: once for all tests, because it takes a debug build
/// some seconds.
pub(crate) static OPENTTD: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str::<Value>(&done(&OPENTTD_JSON)).unwrap()["traces"][0].take()
});

/// What the tool says of it.
pub(crate) static OPENTTD_JSON: LazyLock<Output> = LazyLock::new(|| {
    let directory = Directory::new();
    let mut command = millpond(&directory);
    command.args(["plan", "--json", "--prices", "reference", "--size-classes"]);
    command.arg(Path::new(TRACES).join(RECORDING)).output().unwrap()
});

const RECORDING: &str = "openttd-600ticks.heaptrack.zst";

/// The first megabyte of that recording, in the directory.
pub(crate) fn start_of_openttd(directory: &Directory) -> PathBuf {
    let whole = Path::new(TRACES).join(RECORDING);
    let source = Source::from_path(&whole).unwrap();
    let mut input = source.open().unwrap();
    let mut start = vec![0; 1_000_000];
    let mut filled = 0;
    while filled < start.len() {
        let read = input.read(&mut start[filled..]).unwrap();
        assert!(read > 0, "the recording is shorter than its start");
        filled += read;
    }
    start.truncate(start.iter().rposition(|byte| *byte == b'\n').unwrap() + 1);
    directory.file("openttd-600ticks.heaptrack", start)
}

/// Starts the tool with pipes for standard input, output and error.
pub(crate) fn millpond_in_pipes(directory: &Directory, arguments: &[&str]) -> Child {
    let mut command = millpond(directory);
    command.args(arguments);
    millpond_testkit::in_pipes(command)
}

/// Runs the tool with something on standard input.
pub(crate) fn millpond_reading(directory: &Directory, arguments: &[&str], stdin: &[u8]) -> Output {
    let mut command = millpond(directory);
    command.args(arguments);
    millpond_testkit::reading(command, stdin)
}

/// Asserts exit code 3 and one line on standard error, which says that an input is cut short; returns standard output.
#[track_caller]
pub(crate) fn cut_short(output: &Output) -> String {
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    let is_line = told.lines().count() == 1 && told.starts_with("millpond: ");
    assert!(is_line && told.contains("planned what is there (--whole refuses it)"), "{told}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// `millpond plan --json` of one trace.
#[track_caller]
pub(crate) fn plan_json(directory: &Directory, trace: &Path) -> serde_json::Value {
    let output = millpond(directory)
        .args(["plan", "--json", "--prices", "reference"])
        .arg(trace)
        .output()
        .unwrap();
    serde_json::from_str(&done(&output)).unwrap()
}
