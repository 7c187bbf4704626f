//! Ctrl-C (SIGINT) and SIGTERM for commands of the tests.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Output};
use std::thread;
use std::time::{Duration, Instant};

pub use rustix::process::Signal;
use rustix::process::{Pid, kill_process};

/// Sends the signal, and waits for the end.
pub fn interrupt(mut child: Child, signal: Signal) -> Output {
    let stdin = child.stdin.take();
    kill_process(Pid::from_child(&child), signal).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    output
}

/// How long a busy machine may take for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for something to become so.
#[track_caller]
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "waited too long: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the process has a handler for the last of the signals, before which they would simply end it.
pub fn wait_until_it_listens(child: &Child) {
    let listens = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
        caught & 1 << (Signal::TERM.as_raw() - 1) != 0
    };
    wait_until("it listens", listens);
}

/// Waits until the process has worked for some tenths of a second.
pub fn wait_until_it_works(child: &Child) {
    let ticks = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        // User time is the 14th field; the second one ends with a parenthesis.
        let after_name = stat.rsplit(')').next().unwrap();
        after_name.split_whitespace().nth(11).unwrap().parse::<u64>().unwrap()
    };
    wait_until("it works", || ticks() >= 20);
}

/// One line, nothing on standard output, and the status that a shell shows as 130 or 143.
#[track_caller]
pub fn ended_by(output: &Output, signal: Signal, line: &str) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(signal.as_raw()), "{told}");
    assert_eq!(told, line);
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// What a command says.
pub const SIGINT_LINE: &str = "millpond: interrupted (SIGINT)\n";
/// What a command says.
pub const SIGTERM_LINE: &str = "millpond: interrupted (SIGTERM)\n";
