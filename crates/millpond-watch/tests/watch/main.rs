//! `millpond watch` as its users call it.

mod once_and_following;
#[cfg(unix)]
mod terminal;

use std::path::Path;
use std::process::Command;

use millpond::Pool;
use millpond::recorder::Recorder;
use millpond_testkit::{Directory, Random, done, is_as_recorded, refused};

/// The command, in a directory.
fn millpond(directory: &Directory) -> Command {
    millpond_testkit::command(env!("CARGO_BIN_EXE_millpond-watch"), directory)
}

#[test]
fn help_fits_eighty_columns() {
    let directory = Directory::new();
    for flag in ["--help", "-h"] {
        let help = done(&millpond(&directory).arg(flag).output().unwrap());
        assert!(help.contains("Usage: millpond watch") && help.contains("Examples"), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
}

#[test]
fn the_json_is_as_recorded() {
    let directory = Directory::new();
    let recorder = Recorder::create(directory.path().join("pools.trace")).unwrap();
    let mut imps = Pool::builder().capacity(8).name("imps").build();
    imps.record(&recorder);
    for i in 0..8 {
        imps.insert(i).unwrap();
        recorder.tick();
    }
    recorder.finish().unwrap();
    let output = millpond(&directory).args(["--once", "--json", "pools.trace"]).output().unwrap();
    let fields = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/watch.fields");
    is_as_recorded(&fields, [output]);
}
