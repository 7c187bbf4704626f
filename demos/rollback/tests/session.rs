//! The demo as a program: it comes through, and it can fail.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> (Output, String) {
    let program = env!("CARGO_BIN_EXE_millpond-rollback-demo");
    let output = Command::new(program).args(arguments).output().unwrap();
    let text = [&output.stdout[..], &output.stderr].concat();
    (output, String::from_utf8(text).unwrap())
}

#[test]
fn every_checksum_is_equal() {
    let (output, text) = run(&["--frames", "200"]);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("checksums compared: 200, all equal"), "{text}");
    // Recorded: the same on every machine, optimised or not.
    assert!(text.contains("the last f3766f5dea69a6ac"), "{text}");
    assert_eq!(text.matches(" 0 allocations").count(), 2, "{text}");
}

/// In each session, the first player's bullets fly on one thread, and the second player's in lots on so many.
#[test]
fn lots_on_any_number_of_threads_have_the_sums_of_one() {
    let play = |arguments: &[&str]| {
        let (output, text) = run(&[&["--frames", "150"], arguments].concat());
        assert!(output.status.success(), "{text}");
        assert!(text.contains("checksums compared: 150, all equal"), "{text}");
        let line = text.lines().find(|line| line.starts_with("SyncTest")).unwrap();
        (line.rsplit_once(' ').unwrap().1.to_owned(), text)
    };
    let (serial, text) = play(&["--lots"]);
    assert_eq!(text.matches(" 0 allocations").count(), 2, "{text}");
    for threads in ["1", "2", "3", "7", "64"] {
        let (sum, text) = play(&["--threads", threads]);
        assert_eq!(sum, serial, "{threads} threads: {text}");
    }
}

#[test]
fn a_desync_in_lots_is_found() {
    let (output, text) = run(&["--frames", "120", "--threads", "2", "--desync", "60"]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("the players' states differ in frame 60"), "{text}");
}

#[test]
fn a_desync_is_found_and_told() {
    let (output, text) = run(&["--frames", "200", "--desync", "100"]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("the players' states differ in frame 100"), "{text}");
    let differs = |line: &str| line.starts_with("bullets, slot ") && line.ends_with(" differ");
    assert!(text.lines().any(differs), "{text}");
}

#[test]
fn unusable_arguments_are_refused() {
    for arguments in [
        &["--frames", "none"][..],
        &["--frames"],
        &["--frames", "0"],
        &["--threads", "0"],
        &["--threads", "1000000"],
        &["fast"],
    ] {
        let (output, text) = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("expected"), "{text}");
    }
}
