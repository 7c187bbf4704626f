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
    for arguments in [&["--frames", "none"][..], &["--frames"], &["--frames", "0"], &["fast"]] {
        let (output, text) = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("expected"), "{text}");
    }
}
