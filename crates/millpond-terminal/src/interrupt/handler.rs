//! The signal handler.
//!
//! Invariant: [`on_signal`] and what it calls only read and write atomics, write to an open file and end the process.
//! All of this is async-signal-safe: nothing takes a lock, allocates memory or panics.

use std::fs::File;
use std::io::{self, IsTerminal, Write, stderr};
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering::SeqCst};

use signal_hook::consts::SIGINT;
use signal_hook::low_level::{emulate_default_handler, register};

use super::SIGNALS;

/// The signal that has come; 0 before.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// How many parts of the program have to be finished before it ends.
static DEFERRALS: AtomicUsize = AtomicUsize::new(0);

/// Standard error without the lock of the standard library; nothing if it is closed.
static STDERR: OnceLock<Stderr> = OnceLock::new();

#[derive(Debug)]
struct Stderr {
    file: File,
    is_terminal: bool,
}

pub(super) fn listen() -> io::Result<()> {
    if let Ok(stderr_fd) = stderr().as_fd().try_clone_to_owned() {
        let stderr = Stderr { file: stderr_fd.into(), is_terminal: stderr().is_terminal() };
        STDERR.get_or_init(|| stderr);
    }
    for signal in SIGNALS {
        // SAFETY: the action is async-signal-safe, by the module's invariant.
        unsafe { register(signal, move || on_signal(signal)) }?;
    }
    Ok(())
}

fn on_signal(signal: i32) {
    SIGNAL.store(signal, SeqCst);
    if DEFERRALS.load(SeqCst) == 0 {
        end_by(signal);
    }
}

/// Prints the line, and lets the signal end the process.
fn end_by(signal: i32) {
    /// One signal may come during the other.
    static IS_SAID: AtomicBool = AtomicBool::new(false);
    if let Some(stderr) = STDERR.get()
        && !IS_SAID.swap(true, SeqCst)
    {
        // A line that cannot be written changes nothing: the status still says it.
        let _ = (&stderr.file).write(line(signal, stderr.is_terminal));
    }
    let _ = emulate_default_handler(signal);
}

/// On a terminal, the line replaces a progress bar and the ^C.
fn line(signal: i32, is_terminal: bool) -> &'static [u8] {
    match (signal == SIGINT, is_terminal) {
        (true, true) => b"\r\x1b[Kmillpond: interrupted (SIGINT)\n",
        (true, false) => b"millpond: interrupted (SIGINT)\n",
        (false, true) => b"\r\x1b[Kmillpond: interrupted (SIGTERM)\n",
        (false, false) => b"millpond: interrupted (SIGTERM)\n",
    }
}

pub(super) fn end_if_stopped() {
    let signal = SIGNAL.load(SeqCst);
    if signal != 0 {
        end_by(signal);
    }
}

pub(super) fn listen_again() {
    SIGNAL.store(0, SeqCst);
    // The deferral that the flag has forgotten.
    DEFERRALS.fetch_sub(1, SeqCst);
}

/// While it lives, a signal does not end the process; the signal is heeded when the last one is dropped.
pub(super) struct Deferral(());

impl Deferral {
    pub(super) fn begin() -> Self {
        DEFERRALS.fetch_add(1, SeqCst);
        Self(())
    }
}

impl Drop for Deferral {
    fn drop(&mut self) {
        // A signal that comes before this line finds the count, and the next line finds the signal.
        if DEFERRALS.fetch_sub(1, SeqCst) == 1 {
            end_if_stopped();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::os::unix::process::ExitStatusExt;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use signal_hook::consts::SIGTERM;
    use signal_hook::low_level::raise;

    use crate::interrupt;

    /// In the process that is interrupted, the file that it writes.
    const FILE: &str = "MILLPOND_TEST_INTERRUPTED_FILE";

    fn write_while_interrupted(path: &Path) {
        interrupt::listen().expect("signals");
        interrupt::whole(|| {
            raise(SIGTERM).expect("a signal");
            interrupt::whole(|| std::fs::write(path, "whole")).expect("a file");
            std::fs::write(path.with_extension("2"), "whole").expect("a file");
        });
        std::fs::write(path, "the signal did not end the process").expect("a file");
    }

    /// Runs itself in a process of its own.
    #[test]
    fn a_file_is_finished_before_a_signal_ends_the_command() {
        if let Some(path) = env::var_os(FILE) {
            return write_while_interrupted(&PathBuf::from(path));
        }
        let path = env::temp_dir().join(format!("millpond-interrupted-{}.1", std::process::id()));
        let name = "interrupt::handler::tests::a_file_is_finished_before_a_signal_ends_the_command";
        let output = Command::new(env::current_exe().expect("this test"))
            .args([name, "--exact", "--nocapture", "--test-threads=1"])
            .env(FILE, &path)
            .output()
            .expect("this test");
        assert_eq!(output.status.signal(), Some(SIGTERM), "{output:?}");
        assert_eq!(output.stderr, b"millpond: interrupted (SIGTERM)\n", "{output:?}");
        for path in [path.with_extension("2"), path] {
            assert_eq!(std::fs::read_to_string(&path).expect("both files"), "whole");
            std::fs::remove_file(&path).expect("both files");
        }
    }
}
