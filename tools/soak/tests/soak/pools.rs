//! `millpond soak` as a user calls it.

use crate::millpond;
use millpond_testkit::{Directory, TRACES};
use serde_json::Value;

fn json(arguments: &[&str]) -> (Option<i32>, Value) {
    let directory = Directory::new();
    let output = millpond(&directory).arg("--json").args(arguments).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
}

/// "No allocation, no fragmentation; a soak test of several days must pass": the same soak, for a moment.
#[test]
fn keeps_every_promise() {
    let (code, soak) = json(&["--steps", "20000", "--capacity", "500", "--seed", "3"]);
    assert_eq!((code, &soak["seed"], &soak["violations"]), (Some(0), &3.into(), &0.into()));
    assert_eq!((&soak["allocations"], &soak["broken_promise"]), (&0.into(), &Value::Null));
    assert_eq!(soak["objects_made"], soak["objects_dropped"]);
    let pools = soak["pools"].as_array().unwrap();
    assert_eq!(soak["operations"], 20_000 * pools.len());
    for kind in ["Pool, Roster", "PackedPool", "StaticPool", "SideTable", "Spill", "RosterPool"] {
        let named = |pool: &Value| pool["pool"].as_str().unwrap().starts_with(kind);
        assert!(pools.iter().any(named), "{kind}");
    }
    let counts = soak["latency_ns"]["histogram"].as_array().unwrap();
    assert!(counts.iter().map(|band| band["count"].as_u64().unwrap()).sum::<u64>() > 100_000);
}

#[test]
fn follows_a_trace() {
    let trace = format!("{TRACES}/freedoom2-map01-8bots.csv.gz");
    let (code, soak) = json(&["--steps", "30000", "--trace", &trace, "--only", "Pool, L"]);
    assert_eq!((code, &soak["capacity"]), (Some(0), &276.into()));
    assert_eq!(soak["allocations"], 0);
    // At its peak the trace fills the pool, which retired slots would not allow.
    assert!(soak["pools"].as_array().unwrap().iter().all(|pool| pool["peak"].as_u64() > Some(200)));
}

#[test]
fn the_system_allocator_is_asked_all_the_time() {
    let (code, soak) = json(&["--steps", "20000", "--system-allocator", "--capacity", "1000"]);
    assert_eq!(code, Some(0));
    assert!(soak["allocations"].as_u64().unwrap() > 10_000);
}

/// Each replacement takes memory, and all of it is given back.
#[test]
fn pools_that_are_used_up_are_replaced_and_keep_nothing() {
    let arguments = ["--steps", "400000", "--capacity", "40", "--only", "255 lifetimes"];
    let (code, soak) = json(&arguments);
    assert_eq!((code, &soak["broken_promise"]), (Some(0), &Value::Null));
    let renewed = |pool: &Value| pool["renewed"].as_u64().unwrap();
    let pools = soak["pools"].as_array().unwrap();
    let (of_them, total) = (pools.iter().map(renewed), renewed(&soak));
    assert!(total > 50 && of_them.sum::<u64>() == total, "{total}");
}

#[test]
fn prints_a_summary() {
    let directory = Directory::new();
    let output = millpond(&directory).args(["--for", "0.1s"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Pool, Lifo") && text.contains("No violation."), "{text}");
    assert!(text.contains("allocations after start") && text.contains("resident at the end"));
}

#[test]
fn bad_arguments_are_told_in_one_line() {
    let directory = Directory::new();
    for (arguments, says) in [
        (&["--for", "5"][..], "expected a number and s, m, h or d"),
        (&["--only", "nothing"], "no pool has a name that contains `nothing`"),
        (&["--trace", "nowhere.csv"], "nowhere.csv: no such file"),
        (&["--capacity", "0"], "expected a whole number from 1 to 1048576"),
        (&["--capacity", "x"], "expected a whole number from 1 to 1048576"),
        (&["--for", "0s"], "expected a longer time"),
        (&["--capacity", "5", "--trace", "x"], "cannot be used with"),
    ] {
        let output = millpond(&directory).args(arguments).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(says) && told.lines().count() == 1, "{arguments:?}: {told}");
    }
}
