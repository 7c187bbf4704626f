//! Commands that are interrupted by Ctrl-C (SIGINT) or SIGTERM.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Output};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{Directory, millpond, millpond_in_pipes};
use rustix::process::{Pid, Signal, kill_process};

/// Sends the signal, and waits for the end.
fn interrupt(mut child: Child, signal: Signal) -> Output {
    let stdin = child.stdin.take();
    kill_process(Pid::from_child(&child), signal).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    output
}

/// How long a busy machine may take for anything.
const PATIENCE: Duration = Duration::from_secs(60);

#[track_caller]
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "waited too long: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the process has a handler for the last of the signals, before which they would simply end it.
fn wait_until_it_listens(child: &Child) {
    let listens = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
        caught & 1 << (Signal::TERM.as_raw() - 1) != 0
    };
    wait_until("it listens", listens);
}

/// Waits until the process has worked for some tenths of a second.
fn wait_until_it_works(child: &Child) {
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
fn ended_by(output: &Output, signal: Signal, line: &str) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(signal.as_raw()), "{told}");
    assert_eq!(told, line);
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
}

const SIGINT_LINE: &str = "millpond: interrupted (SIGINT)\n";
const SIGTERM_LINE: &str = "millpond: interrupted (SIGTERM)\n";

#[test]
fn a_command_that_waits_for_its_input_ends_with_one_line() {
    for arguments in [
        &["plan", "-"][..],
        &["plan", "--measure", "--summary", "s.csv", "--budget", "b.toml", "-"],
        &["plan", "--wait-p99-ms", "5", "-"],
        &["replay", "-"],
        &["replay", "--heap", "heap.svg", "-"],
        &["merge", "--budget", "b.toml", "-"],
        &["soak", "--trace", "-"],
    ] {
        for (signal, line) in [(Signal::INT, SIGINT_LINE), (Signal::TERM, SIGTERM_LINE)] {
            let directory = Directory::new();
            let child = millpond_in_pipes(&directory, arguments);
            wait_until_it_listens(&child);
            ended_by(&interrupt(child, signal), signal, line);
            assert_eq!(directory.names(), [""; 0], "{arguments:?}: nothing is left behind");
        }
    }
}

#[test]
fn a_command_that_works_ends_with_one_line() {
    let directory = Directory::new();
    let made = millpond(&directory).args(["generate", "--events", "100000"]).output().unwrap();
    directory.file("made.csv", made.stdout);
    for arguments in [
        &["replay", "--rounds", "10000", "--json", "made.csv"][..],
        &["odds", "--rounds", "1000000000"],
    ] {
        let child = millpond_in_pipes(&directory, arguments);
        wait_until_it_works(&child);
        ended_by(&interrupt(child, Signal::INT), Signal::INT, SIGINT_LINE);
        assert_eq!(directory.names(), ["made.csv"], "{arguments:?}");
    }
}

/// What it has counted is not lost; the status still says that it was interrupted.
#[test]
fn a_soak_ends_with_its_summary() {
    for (signal, line) in [(Signal::INT, SIGINT_LINE), (Signal::TERM, SIGTERM_LINE)] {
        let directory = Directory::new();
        let arguments = ["soak", "--for", "1h", "--json", "--capacity", "100"];
        let child = millpond_in_pipes(&directory, &arguments);
        wait_until_it_works(&child);
        let mut output = interrupt(child, signal);
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&summary["interrupted"], &summary["violations"]), (&true.into(), &0.into()));
        output.stdout.clear();
        ended_by(&output, signal, line);
    }
}

#[test]
fn a_soak_of_a_program_ends_the_program() {
    let directory = Directory::new();
    let script = "trap 'echo ended > ended; exit 0' TERM; echo begun > begun; \
                  while :; do sleep 0.05; done";
    let arguments = ["soak", "--for", "1h", "--warm-up", "1h", "--", "sh", "-c", script];
    let child = millpond_in_pipes(&directory, &arguments);
    wait_until("the program runs", || directory.path().join("begun").exists());
    let output = interrupt(child, Signal::TERM);
    // The shell may say that its own command was ended.
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.ends_with(SIGTERM_LINE), "{told}");
    assert_eq!(output.status.signal(), Some(Signal::TERM.as_raw()));
    assert_eq!(directory.names(), ["begun", "ended"]);
}
