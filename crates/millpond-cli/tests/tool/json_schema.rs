//! The names and shapes of everything that `--json` prints, as they are recorded: programs rely on them.
//!
//! `MILLPOND_RECORD=1 cargo test -p millpond-cli --test tool json_schema` records them anew.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::{Directory, OPENTTD_JSON, TRACES, done, millpond, start_of_openttd};

#[track_caller]
fn is_as_recorded(directory: &Directory, name: &str, commands: &[&[&str]]) {
    are_as_recorded(name, outputs(directory, commands));
}

fn outputs(directory: &Directory, commands: &[&[&str]]) -> Vec<Output> {
    let output = |arguments: &&[&str]| millpond(directory).args(*arguments).output().unwrap();
    commands.iter().map(output).collect()
}

#[track_caller]
fn are_as_recorded(name: &str, outputs: impl IntoIterator<Item = Output>) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", name].iter().collect();
    millpond_testkit::is_as_recorded(&path, outputs);
}

fn trace(name: &str) -> String {
    Path::new(TRACES).join(name).to_string_lossy().into_owned()
}

#[test]
fn plan() {
    let directory = Directory::new();
    let lifetimes = trace("freedoom2-map15-solo.csv.gz");
    let of_lifetimes = outputs(
        &directory,
        &[
            &["plan", "--json", "--prices", "reference", &lifetimes],
            &["plan", "--json", "--prices", "fast=5/5/9", "--tick-rate", "35", &lifetimes],
        ],
    );
    are_as_recorded("plan.fields", of_lifetimes.into_iter().chain([OPENTTD_JSON.clone()]));
}

#[test]
fn merge() {
    let directory = Directory::new();
    let lifetimes = trace("freedoom2-map15-solo.csv.gz");
    let heap = start_of_openttd(&directory).to_string_lossy().into_owned();
    for (trace, summary) in [(&lifetimes, "l.csv"), (&heap, "h.csv")] {
        let arguments = ["plan", "--csv", "--summary", summary, "--tag", "level=1", trace];
        done(&millpond(&directory).args(arguments).output().unwrap());
    }
    is_as_recorded(
        &directory,
        "merge.fields",
        &[
            &["merge", "--json", "--all", "l.csv"],
            &["merge", "--json", "--by", "level", "--quantile", "0", "h.csv"],
        ],
    );
}

#[test]
fn loans() {
    let directory = Directory::new();
    let row = |n: u64| format!("{},{},{},orders\n", n * 900, n * 900 + 50, n * 900 + 3_000);
    let rows: String = (0..400).map(row).collect();
    directory.file("orders.trace", format!("asked_us,got_us,returned_us,pool\n{rows}"));
    let arguments = ["plan", "--json", "--wait-p99-ms", "5", "orders.trace"];
    let closed = ["plan", "--json", "--wait-p99-ms", "5", "--closed", "orders.trace"];
    is_as_recorded(&directory, "loans.fields", &[&arguments, &closed]);
}

#[test]
fn sums() {
    let directory = Directory::new();
    directory.file("dhat.out", include_str!("../data/dhat-mixed.json"));
    directory.file("rust.json", include_str!("../data/dhat-rs-sparks.json"));
    is_as_recorded(
        &directory,
        "sums.fields",
        &[&["plan", "--json", "dhat.out"], &["plan", "--json", "rust.json"]],
    );
}

#[test]
fn odds() {
    let arguments = ["odds", "--json", "--slots", "8", "--rounds", "1000"];
    is_as_recorded(&Directory::new(), "odds.fields", &[&arguments]);
}

#[test]
fn replay() {
    let directory = Directory::new();
    directory.file("a.csv", "tick,event,id,class\n0,alloc,1,A\n1,alloc,2,A\n5,free,1,A\n");
    is_as_recorded(
        &directory,
        "replay.fields",
        &[
            &["replay", "--json", "--rounds", "3", "a.csv"],
            &["replay", "--json", "--rounds", "3", "--walk", "a.csv"],
        ],
    );
}
