//! Soaks that are interrupted by Ctrl-C (SIGINT) or SIGTERM.

use std::os::unix::process::ExitStatusExt;

use crate::millpond;
use millpond_testkit::interruption::{
    SIGINT_LINE, SIGTERM_LINE, Signal, ended_by, interrupt, wait_until, wait_until_it_listens,
    wait_until_it_works,
};
use millpond_testkit::{Directory, in_pipes};

#[test]
fn one_that_waits_for_its_trace_ends_with_one_line() {
    for (signal, line) in [(Signal::INT, SIGINT_LINE), (Signal::TERM, SIGTERM_LINE)] {
        let directory = Directory::new();
        let mut command = millpond(&directory);
        command.args(["--trace", "-"]);
        let child = in_pipes(command);
        wait_until_it_listens(&child);
        ended_by(&interrupt(child, signal), signal, line);
        assert_eq!(directory.names(), [""; 0], "nothing is left behind");
    }
}

/// What it has counted is not lost; the status still says that it was interrupted.
#[test]
fn a_soak_ends_with_its_summary() {
    for (signal, line) in [(Signal::INT, SIGINT_LINE), (Signal::TERM, SIGTERM_LINE)] {
        let directory = Directory::new();
        let arguments = ["--for", "1h", "--json", "--capacity", "100"];
        let mut command = millpond(&directory);
        command.args(arguments);
        let child = in_pipes(command);
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
    let arguments = ["--for", "1h", "--warm-up", "1h", "--", "sh", "-c", script];
    let mut command = millpond(&directory);
    command.args(arguments);
    let child = in_pipes(command);
    wait_until("the program runs", || directory.path().join("begun").exists());
    let output = interrupt(child, Signal::TERM);
    // The shell may say that its own command was ended.
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.ends_with(SIGTERM_LINE), "{told}");
    assert_eq!(output.status.signal(), Some(Signal::TERM.as_raw()));
    assert_eq!(directory.names(), ["begun", "ended"]);
}
