//! Recordings of other tools, through the scripts in `tools`. They need python3.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{Directory, Random, plan_json};

/// What valgrind's DHAT counted in a program of ten lines: 10,000 sparks of 32 bytes, two at a time, and a
/// level of 4,096 bytes that is never freed.
const SPARKS: &str = include_str!("data/dhat-sparks.json");

fn dhat_to_csv(file: &Path) -> Output {
    let script: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "..", "..", "tools", "dhat-to-csv"].iter().collect();
    Command::new("python3").arg(script).arg(file).output().unwrap()
}

#[test]
fn what_dhat_has_counted_is_planned() {
    let directory = Directory::new();
    let output = dhat_to_csv(&directory.file("sparks.json", SPARKS));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let trace = directory.file("sparks.csv", output.stdout);
    let json = plan_json(&directory, &trace);
    let plan = &json["traces"][0];
    assert_eq!((&plan["lifetimes"], &plan["left_live"]), (&10_001.into(), &1.into()));
    let first = plan["pool_first"].as_array().unwrap();
    assert_eq!(first.len(), 1, "{first:?}");
    assert_eq!((&first[0]["class"], &first[0]["calls"]), (&"32".into(), &10_000.into()));
    assert_eq!(first[0]["callers"][0]["stack"], serde_json::json!(["spawn", "main"]));
}

#[test]
fn files_that_are_none_of_dhat_are_refused_in_one_line() {
    let directory = Directory::new();
    for (text, part) in [
        ("", "Expecting value"),
        ("[]", "is no file of DHAT"),
        (r#"{"mode":"copy","pps":[],"ftbl":[]}"#, "mode 'copy'"),
        (r#"{"mode":"heap","pps":[3],"ftbl":[]}"#, "a place is no object"),
        (r#"{"mode":"heap","pps":[{"tbk":-1}],"ftbl":[]}"#, "`tbk` is -1"),
        (r#"{"mode":"heap","pps":[{"tbk":3,"mbk":5}],"ftbl":[]}"#, "3 blocks, 5 at once"),
        (r#"{"mode":"heap","pps":[{"tbk":3,"fs":[0]}],"ftbl":[]}"#, "frame 0 is not in the table"),
        (r#"{"mode":"heap","pps":[{"tbk":999999999999}],"ftbl":[]}"#, "more than 200000000 blocks"),
    ] {
        let output = dhat_to_csv(&directory.file("a.json", text));
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}: {said}");
        assert!(said.starts_with("dhat-to-csv: ") && said.contains(part), "{text}: {said}");
        assert!(said.trim_end().lines().count() == 1 && output.stdout.is_empty(), "{text}: {said}");
    }
    let mut random = Random(3);
    for _ in 0..12 {
        let mut bytes = SPARKS.as_bytes().to_vec();
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] = random.below(256) as u8;
        let output = dhat_to_csv(&directory.file("a.json", bytes));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() || !said.contains("Traceback"), "{said}");
    }
}
