//! Each importer has a fuzz target, and each fuzz target is run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every format that is read, as its source names it, and its target.
const IMPORTERS: [(&str, &str); 8] = [
    ("Lifetimes", "csv"),
    ("Heaptrack", "heaptrack"),
    ("HeaptrackRaw", "heaptrack_raw"),
    ("Millpond", "heap"),
    ("Header", "heap"),
    ("Tracy", "tracy"),
    ("Csv", "allocations"),
    // One for each of its formats: they are told apart inside.
    ("Heap", "heap"),
];

/// Those of other folders of `millpond-plan`, each of which reads files.
const FOLDERS: [(&str, &[&str]); 3] =
    [("loans", &["loans", "csvlog"]), ("sums", &["sums"]), ("summary", &["summaries"])];

/// The variants of an enum in this text, after the words that open its list.
fn variants(text: &str, opening: &str) -> Vec<String> {
    let begin = text.find(opening).unwrap_or_else(|| panic!("no `{opening}`"));
    let body = text[begin..].split_once("{\n").unwrap().1.split_once("\n}").unwrap().0;
    let lines = body.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    lines.map(|line| line.split(['(', ',', ':']).next().unwrap().trim().to_owned()).collect()
}

#[test]
fn each_importer_has_a_fuzz_target_and_each_target_is_run() {
    let formats = read("crates/millpond-plan/src/trace/mod.rs");
    let mut named: Vec<String> = variants(&formats, "pub enum Format {\n");
    named.extend(variants(&formats, "heap_formats! {\n"));
    let known: BTreeSet<&str> = IMPORTERS.iter().map(|(format, _)| *format).collect();
    let named: BTreeSet<&str> = named.iter().map(String::as_str).collect();
    assert_eq!(named, known, "a format that is new needs a fuzz target, and a line here");

    let targets: BTreeSet<String> = std::fs::read_dir(repository().join("fuzz/fuzz_targets"))
        .unwrap()
        .filter_map(|entry| {
            entry.unwrap().file_name().into_string().unwrap().strip_suffix(".rs").map(str::to_owned)
        })
        .collect();
    let folders = FOLDERS.iter().flat_map(|(folder, targets)| {
        let path = format!("crates/millpond-plan/src/{folder}");
        assert!(repository().join(&path).is_dir(), "{path} has gone");
        targets.iter().copied()
    });
    for target in IMPORTERS.iter().map(|(_, target)| *target).chain(folders) {
        assert!(targets.contains(target), "{target} is no fuzz target");
    }

    let script = read("ci/fuzz");
    let run = script.split_once("for target in ").unwrap().1.split_once(';').unwrap().0;
    let run: BTreeSet<String> = run.split_whitespace().map(str::to_owned).collect();
    assert_eq!(run, targets, "ci/fuzz runs all that there are");
    let manifest = read("fuzz/Cargo.toml");
    for target in &targets {
        assert!(manifest.contains(&format!("name = \"{target}\"")), "{target} is not built");
    }
}
