//! The names and shapes of everything that `--json` prints, as they are recorded: programs rely on them.
//!
//! `MILLPOND_RECORD=1 cargo test -p millpond-cli --test tool json_schema` records them anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::{Directory, TRACES, done, millpond};
use millpond::Pool;
use millpond::recorder::Recorder;
use serde_json::Value;

/// Each field of a value with the kinds of values that it has.
fn fields(path: &str, value: &Value, found: &mut BTreeMap<String, Vec<&'static str>>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(items) => {
            items.iter().for_each(|item| fields(&format!("{path}[]"), item, found));
            "list"
        }
        Value::Object(entries) => {
            for (name, value) in entries {
                fields(&format!("{path}.{name}"), value, found);
            }
            "object"
        }
    };
    let kinds = found.entry(path.to_owned()).or_default();
    if !kinds.contains(&kind) {
        kinds.push(kind);
        kinds.sort_unstable();
    }
}

/// Compares what these commands print with what is recorded.
#[track_caller]
fn is_as_recorded(directory: &Directory, name: &str, commands: &[&[&str]]) {
    let mut found = BTreeMap::new();
    for arguments in commands {
        let output = millpond(directory).args(*arguments).output().unwrap();
        let text = done(&output);
        assert_eq!(text.lines().count(), 1, "one object on one line");
        fields("", &serde_json::from_str(&text).unwrap(), &mut found);
    }
    found.remove("");
    let lines = found.iter().map(|(path, kinds)| format!("{path}: {}\n", kinds.join(", ")));
    let text: String = lines.collect();
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", name].iter().collect();
    if std::env::var_os("MILLPOND_RECORD").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, recorded, "{name}");
}

fn trace(name: &str) -> String {
    Path::new(TRACES).join(name).to_string_lossy().into_owned()
}

#[test]
fn plan() {
    let directory = Directory::new();
    let lifetimes = trace("freedoom2-map15-solo.csv.gz");
    let heap = trace("openttd-600ticks.heaptrack.zst");
    is_as_recorded(
        &directory,
        "plan.fields",
        &[
            &["plan", "--json", &lifetimes],
            &["plan", "--json", "--tick-rate", "35", &lifetimes],
            &["plan", "--json", "--size-classes", &heap],
        ],
    );
}

#[test]
fn merge() {
    let directory = Directory::new();
    let (lifetimes, heap) =
        (trace("freedoom2-map15-solo.csv.gz"), trace("openttd-600ticks.heaptrack.zst"));
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
fn watch() {
    let directory = Directory::new();
    let recorder = Recorder::create(directory.path().join("pools.trace")).unwrap();
    let mut imps = Pool::builder().capacity(8).name("imps").build();
    imps.record(&recorder);
    for i in 0..8 {
        imps.insert(i).unwrap();
        recorder.tick();
    }
    recorder.finish().unwrap();
    is_as_recorded(&directory, "watch.fields", &[&["watch", "--once", "--json", "pools.trace"]]);
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

/// Elsewhere nobody tells how much memory is resident.
#[cfg(target_os = "linux")]
#[test]
fn soak() {
    let arguments = ["soak", "--json", "--for", "60s", "--steps", "3000", "--only", "Pool, L"];
    is_as_recorded(&Directory::new(), "soak.fields", &[&arguments]);
}
