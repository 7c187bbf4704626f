//! Commands that are interrupted by Ctrl-C (SIGINT) or SIGTERM.

use crate::common::{Directory, millpond, millpond_in_pipes};
use millpond_testkit::interruption::{
    SIGINT_LINE, SIGTERM_LINE, Signal, ended_by, interrupt, wait_until_it_listens,
    wait_until_it_works,
};

#[test]
fn a_command_that_waits_for_its_input_ends_with_one_line() {
    for arguments in [
        &["plan", "-"][..],
        &["plan", "--measure", "--summary", "s.csv", "--budget", "b.toml", "-"],
        &["plan", "--wait-p99-ms", "5", "-"],
        &["replay", "-"],
        &["replay", "--heap", "heap.svg", "-"],
        &["merge", "--budget", "b.toml", "-"],
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
