//! What the tests of the binary share: running it, and places to put files.

pub(crate) mod planning;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The bundled traces.
pub(crate) const TRACES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces");

/// A directory of the test's own, removed at its end.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The names of all that is in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The tool, with its working directory set. `MILLPOND_PROGRAM=/path/to/millpond` runs another build of it.
pub(crate) fn millpond(directory: &Directory) -> Command {
    let program = std::env::var_os("MILLPOND_PROGRAM");
    let mut command = Command::new(program.unwrap_or(env!("CARGO_BIN_EXE_millpond").into()));
    command.current_dir(directory.path()).stdin(Stdio::null());
    // Temporary copies of pipes go where the test can see whether they are left behind.
    command.env("TMPDIR", directory.path());
    command
}

/// Starts the tool with pipes for standard input, output and error.
pub(crate) fn millpond_in_pipes(directory: &Directory, arguments: &[&str]) -> Child {
    let mut command = millpond(directory);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Runs the tool with something on standard input.
pub(crate) fn millpond_reading(directory: &Directory, arguments: &[&str], stdin: &[u8]) -> Output {
    let mut child = millpond_in_pipes(directory, arguments);
    // A tool that refuses early closes its end; that is its right.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

/// Asserts exit code 2, nothing on standard output, and one line on standard error, which is
/// returned.
#[track_caller]
pub(crate) fn refused(output: &Output) -> String {
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    let line = stderr.strip_suffix('\n').expect("a whole line");
    assert!(!line.contains('\n') && !line.contains('\r'), "more than one line: {stderr}");
    let message = line.strip_prefix("millpond: ").expect("says who speaks");
    message.to_owned()
}

/// Asserts exit code 0 and nothing on standard error; returns standard output.
#[track_caller]
pub(crate) fn done(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_eq!(stderr, "");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// `millpond plan --json` of one trace.
#[track_caller]
pub(crate) fn plan_json(directory: &Directory, trace: &Path) -> serde_json::Value {
    let output = millpond(directory).args(["plan", "--json"]).arg(trace).output().unwrap();
    serde_json::from_str(&done(&output)).unwrap()
}

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(text: &[u8]) -> Vec<u8> {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    compress_to_vec(text, CompressionLevel::Fastest)
}

/// The same numbers on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % end
    }
}
