//! `millpond soak` as its users call it.

mod checkpoint;
#[cfg(target_os = "linux")]
mod interrupted;
mod pools;
#[cfg(target_os = "linux")]
mod program;

use std::process::Command;

use millpond_testkit::{Directory, done};

/// The command, in a directory.
fn millpond(directory: &Directory) -> Command {
    millpond_testkit::command(env!("CARGO_BIN_EXE_millpond-soak"), directory)
}

#[test]
fn help_fits_eighty_columns() {
    let directory = Directory::new();
    for flag in ["--help", "-h"] {
        let help = done(&millpond(&directory).arg(flag).output().unwrap());
        assert!(help.contains("Usage: millpond soak") && help.contains("Examples"), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
}

/// Elsewhere nobody tells how much memory is resident.
#[cfg(target_os = "linux")]
#[test]
fn the_json_is_as_recorded() {
    let directory = Directory::new();
    let arguments = ["--json", "--for", "60s", "--steps", "3000", "--only", "Pool, L"];
    let output = millpond(&directory).args(arguments).output().unwrap();
    let fields = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/soak.fields");
    millpond_testkit::is_as_recorded(&fields, [output]);
}
