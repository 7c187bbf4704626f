//! The traces that come with the project, against what is known about them.

use std::path::PathBuf;

use crate::common::{Directory, OPENTTD, TRACES, demonstration, done, millpond, plan_json};
use serde_json::Value;

fn bundled(name: &str) -> Value {
    let trace: PathBuf = [TRACES, name].iter().collect();
    plan_json(&Directory::new(), &trace)["traces"][0].take()
}

/// What every plan has to say, whatever the trace.
#[track_caller]
fn adds_up(trace: &Value) {
    let classes = trace["classes"].as_array().unwrap();
    let sum = |field: &str| classes.iter().map(|c| c[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("lifetimes"), trace["lifetimes"]);
    assert_eq!(sum("left_live"), trace["left_live"]);
    assert!(sum("peak_live") >= trace["peak_live"].as_u64().unwrap());
    let [lifetimes, left] = ["lifetimes", "left_live"].map(|f| trace[f].as_u64().unwrap());
    assert_eq!(trace["events"], 2 * lifetimes - left);
    for class in classes {
        let [peak, p99, capacity] =
            ["peak_live", "p99_live", "capacity"].map(|f| class[f].as_u64().unwrap());
        assert!(p99 <= peak && peak < capacity, "{class}");
        assert_eq!(capacity, (peak * 125).div_ceil(100), "{class}");
        for smaller in class["smaller"].as_array().unwrap() {
            assert!(smaller["capacity"].as_u64().unwrap() < peak);
            for figure in ["refused", "evicted"] {
                let most = match trace["lives"].as_str() {
                    Some("between") if smaller[figure].is_null() => {
                        let both = &smaller[&format!("{figure}_between")];
                        assert!(both["least"].as_u64().unwrap() < both["most"].as_u64().unwrap());
                        &both["most"]
                    }
                    _ => &smaller[figure],
                };
                assert!(most.as_u64().unwrap() > 0, "{class}");
            }
        }
    }
}

#[test]
fn freedoom_map01_with_8_bots() {
    let trace = bundled("freedoom2-map01-8bots.csv.gz");
    assert_eq!(trace["format"], "lifetimes");
    assert_eq!(trace["lifetimes"], 14_678);
    assert_eq!(trace["peak_live"], 276);
    assert_eq!(trace["events"], 29_114);
    assert_eq!(trace["ticks"], 12_597);
    assert_eq!(trace["classes"].as_array().unwrap().len(), 48);
    // Nobody has said how long a tick is.
    assert!(trace["ticks_per_second"].is_null() && trace["classes"][0]["handle"].is_null());
    assert!(trace.get("peak_bytes").is_none());
    adds_up(&trace);
}

#[test]
fn freedoom_map15_solo() {
    let trace = bundled("freedoom2-map15-solo.csv.gz");
    assert_eq!(trace["format"], "lifetimes");
    assert_eq!(trace["lifetimes"], 4507);
    assert_eq!(trace["peak_live"], 417);
    assert_eq!(trace["classes"].as_array().unwrap().len(), 49);
    adds_up(&trace);
}

#[test]
fn openttd_by_heaptrack() {
    let trace = &*OPENTTD;
    assert_eq!(trace["format"], "heaptrack");
    assert_eq!(trace["lifetimes"], 256_915);
    assert_eq!(trace["peak_live"], 43_991);
    assert_eq!(trace["peak_bytes"], 11_489_893);
    assert_eq!(trace["timestamps"], 28);
    adds_up(trace);
    for class in trace["classes"].as_array().unwrap() {
        let size: u64 = class["class"].as_str().unwrap().parse().unwrap();
        assert_eq!(class["bytes_per_object"], size);
        assert_eq!(class["bytes_at_capacity"], size * class["capacity"].as_u64().unwrap());
    }
}

#[test]
fn openttd_names_the_functions_that_ask() {
    let trace = &*OPENTTD;
    let classes = trace["classes"].as_array().unwrap();
    let of_56 = classes.iter().find(|class| class["class"] == "56").unwrap();
    let callers = of_56["callers"].as_array().unwrap();
    assert_eq!(callers[0]["function"], "(no name) < ReadGRFSpriteOffsets(SpriteFile&)");
    let asked: u64 = callers.iter().map(|c| c["allocations"].as_u64().unwrap()).sum();
    assert!(asked <= of_56["lifetimes"].as_u64().unwrap());
    let saved = |class: &Value| std::cmp::Reverse(class["saving"]["allocations"].as_u64().unwrap());
    assert!(classes.iter().map(saved).is_sorted());
}

#[test]
fn openttd_is_told_to_serve_most_calls_in_another_way() {
    let trace = &*OPENTTD;
    let all = trace["pool_first"].as_array().unwrap();
    let first = &all[0];
    assert_eq!(first["kind"], "program-size-classes");
    assert!(first["share_of_calls"].as_f64().unwrap() > 0.7, "{first}");
    let sizes = first["slot_bytes"].as_array().unwrap();
    assert!((2..=12).contains(&sizes.len()), "{first}");
    let of_kind = |kind: &str, class: &str| {
        all.iter().find(|of| of["kind"] == kind && of["class"] == class).unwrap()
    };
    let map = of_kind("pool", "56");
    // Debian's program is stripped: the function of the map's nodes has no name, its caller has one.
    let stack = [
        "(no name)",
        "ReadGRFSpriteOffsets(SpriteFile&)",
        "LoadNewGRFFile(GRFConfig*, GrfLoadingStage, Subdirectory, bool)",
    ];
    assert_eq!(map["callers"][0]["stack"], serde_json::json!(stack));
    // Sizes that share a bin of the allocator are one proposal.
    assert_eq!(of_kind("shared-pool", "1-24")["classes"], serde_json::json!(["1", "8", "24"]));
    for (number, proposal) in (1..).zip(all) {
        assert_eq!(proposal["number"], number);
        let [calls, saved] = ["calls", "calls_saved"].map(|f| proposal[f].as_u64().unwrap());
        let share = proposal["share_of_calls"].as_f64().unwrap();
        assert!(saved <= calls && (share - saved as f64 / 256_915.0).abs() < 1e-9, "{proposal}");
        let saves = &proposal["time_saved"];
        let [low, high] = ["low_ms", "high_ms"].map(|end| saves[end].as_f64().unwrap());
        assert!(low <= high && saves["is_measured"] == false, "{proposal}");
        let share = saves["high_share_of_time"].as_f64().unwrap();
        assert!((share - high / trace["ticks"].as_f64().unwrap()).abs() < 1e-9, "{proposal}");
        assert!(!proposal["why"].as_str().unwrap().is_empty());
    }
    // The C library's own `FILE` is no program's to pool.
    let libraries = trace["inside_libraries"].as_array().unwrap();
    assert!(libraries.iter().any(|library| library["name"] == "libc"), "{libraries:?}");
    assert!(all.iter().all(|proposal| proposal["class"] != "472"));
}

#[test]
fn a_game_is_told_to_pool_what_is_born_most() {
    let trace = bundled("freedoom2-map01-8bots.csv.gz");
    let first = &trace["pool_first"][0];
    let class = trace["classes"].as_array().unwrap().iter().find(|c| c["class"] == first["class"]);
    let class = class.unwrap();
    let [lifetimes, peak] = ["lifetimes", "peak_live"].map(|f| class[f].as_u64().unwrap());
    assert_eq!(first["class"], "BulletPuff");
    assert_eq!(
        (&first["calls"], &first["calls_saved"]),
        (&lifetimes.into(), &(lifetimes - peak).into())
    );
}

#[test]
#[ignore = "long unless `MILLPOND_PROGRAM` is an optimised tool"]
fn without_a_command_all_three_are_planned() {
    let directory = Directory::new();
    let text = done(&demonstration(&directory).output().unwrap());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["14,678 objects", "objects of 49 classes", "256,915 objects", "43,991", "11.0 MiB"]
    {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

/// Only cargo, in the repository, shows the demonstration: in a folder of the user's, a word alone writes no file.
#[test]
fn without_a_command_the_tool_explains_itself_and_writes_nothing() {
    let directory = Directory::new();
    for elsewhere in [None, Some("another-game")] {
        let mut command = millpond(&directory);
        command.envs(elsewhere.map(|package| ("CARGO_PKG_NAME", package)));
        let text = done(&command.output().unwrap());
        assert!(text.contains("Usage: millpond plan") && text.contains("heaptrack"), "{text}");
        assert!(text.lines().count() <= 20, "{text}");
        assert!(directory.names().is_empty(), "{:?}", directory.names());
    }
}

#[test]
fn the_headroom_is_the_users() {
    let directory = Directory::new();
    let trace: PathBuf = [TRACES, "freedoom2-map15-solo.csv.gz"].iter().collect();
    for (percent, of_peak) in [("0", 100), ("12.5", 0), ("100", 200)] {
        let mut command = millpond(&directory);
        command.args(["plan", "--json", "--headroom", percent]).arg(&trace);
        let json: Value = serde_json::from_str(&done(&command.output().unwrap())).unwrap();
        for class in json["traces"][0]["classes"].as_array().unwrap() {
            let [peak, capacity] = ["peak_live", "capacity"].map(|f| class[f].as_u64().unwrap());
            let expected = if of_peak == 0 { (peak * 9).div_ceil(8) } else { peak * of_peak / 100 };
            assert_eq!(capacity, expected, "{percent} %");
        }
    }
}

#[test]
fn the_same_trace_gives_the_same_plan_and_the_same_report() {
    let trace: PathBuf = [TRACES, "freedoom2-map01-8bots.csv.gz"].iter().collect();
    let outcome = || {
        let directory = Directory::new();
        let mut command = millpond(&directory);
        command.args(["plan", "--json", "--prices", "reference", "--report", "r.html"]).arg(&trace);
        let json = done(&command.output().unwrap());
        (json, std::fs::read(directory.path().join("r.html")).unwrap())
    };
    // Not `assert_eq`: nobody wants to read a megabyte of difference.
    assert!(outcome() == outcome());
}
