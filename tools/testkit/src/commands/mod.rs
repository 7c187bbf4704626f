//! What the tests of the commands share: running them, and places to put files.

#[cfg(target_os = "linux")]
pub mod interruption;
mod json_shape;

pub use json_shape::is_as_recorded;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use millpond::Pool;
use millpond::recorder::Recorder;

/// The bundled traces.
pub const TRACES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces");

/// A directory of the test's own, removed at its end.
#[derive(Debug)]
pub struct Directory(PathBuf);

impl Directory {
    /// Creates an empty one.
    ///
    /// # Panics
    /// If it cannot be created.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a directory is not a default value")]
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("millpond-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file; returns its path.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The names of all that is in it.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// Makes a FIFO, at whose other end nobody is: to open it waits for ever.
#[cfg(target_os = "linux")]
pub fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A command in a directory, with nothing on standard input.
#[must_use]
pub fn command(program: impl AsRef<OsStr>, directory: &Directory) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory.path()).stdin(Stdio::null());
    // Temporary copies of pipes go where the test can see whether they are left behind.
    command.env("TMPDIR", directory.path());
    command
}

/// Starts a command with pipes for standard input, output and error.
///
/// # Panics
/// If it cannot be started.
#[must_use]
pub fn in_pipes(mut command: Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Runs a command with something on standard input.
///
/// # Panics
/// If it cannot be run.
#[must_use]
pub fn reading(command: Command, stdin: &[u8]) -> Output {
    let mut child = in_pipes(command);
    // A command that refuses early closes its end; that is its right.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

/// Asserts exit code 2, nothing on standard output, and one line on standard error, which is
/// returned.
#[track_caller]
pub fn refused(output: &Output) -> String {
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
pub fn done(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_eq!(stderr, "");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Writes the live trace of a pool of 8 that has had 20 lifetimes and a refusal, as `game.trace`; returns its path.
///
/// # Panics
/// If it cannot be written.
pub fn live_trace(directory: &Directory) -> PathBuf {
    let path = directory.path().join("game.trace");
    let recorder = Recorder::create(&path).unwrap();
    let mut imps = Pool::builder().capacity(8).name("imps").build();
    imps.record(&recorder);
    let mut last = None;
    for i in 0..20 {
        if i >= 8 {
            imps.remove(last.unwrap()).unwrap();
        }
        last = Some(imps.insert(i).unwrap());
        recorder.tick();
    }
    imps.insert(99).unwrap_err();
    assert_eq!(recorder.finish().unwrap().dropped, 0);
    path
}

/// Compressed with gzip.
///
/// # Panics
/// Never: a vector can be written to.
#[must_use]
pub fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Compressed with zstd.
#[must_use]
pub fn zstd(text: &[u8]) -> Vec<u8> {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    compress_to_vec(text, CompressionLevel::Fastest)
}

/// The same numbers on every run.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % end
    }
}
