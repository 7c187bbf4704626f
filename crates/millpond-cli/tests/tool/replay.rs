//! `millpond replay` as a user calls it.

use std::path::PathBuf;

use crate::common::{Directory, TRACES, done, millpond, millpond_reading, refused};
use serde_json::Value;

#[test]
fn the_bundled_games_are_replayed_through_every_pool() {
    let directory = Directory::new();
    let traces = [
        ("freedoom2-map01-8bots.csv.gz", 14_678, 64, 64),
        ("freedoom2-map15-solo.csv.gz", 4507, 64, 64),
    ];
    let mut command = millpond(&directory);
    command.args(["replay", "--json", "--rounds", "1"]);
    for (name, ..) in traces {
        command.arg([TRACES, name].iter().collect::<PathBuf>());
    }
    let json: Value = serde_json::from_str(&done(&command.output().unwrap())).unwrap();
    for (trace, (_, lifetimes, smallest, largest)) in
        json["traces"].as_array().unwrap().iter().zip(traces)
    {
        assert_eq!(trace["lifetimes_replayed"], lifetimes);
        assert_eq!(trace["events_replayed"], 2 * lifetimes);
        assert_eq!(trace["object_bytes"]["min"], smallest);
        assert_eq!(trace["object_bytes"]["max"], largest);
        let results = trace["results"].as_array().unwrap();
        let names: Vec<_> = results.iter().map(|result| result["name"].as_str().unwrap()).collect();
        for name in [
            "Pool, Lifo",
            "Pool, Fifo",
            "Pool, LowestFirst",
            "Pool, Roster",
            "PackedPool",
            "VecPool",
            "Recycler, Lifo",
            "Box",
        ] {
            assert!(names.contains(&name), "{name} is not in {names:?}");
        }
        for result in results {
            assert_eq!(result["right"], true);
            let figure = |of: &str, name: &str| result[of][name].as_f64().unwrap();
            let times = ["lower_quartile", "median", "upper_quartile"];
            let times = times.map(|name| figure("ns_per_event", name));
            assert!(times[0] > 0.0 && times.is_sorted(), "{result}");
            let quantiles = ["p50", "p90", "p99", "p999", "p9999", "worst"];
            let quantiles = quantiles.map(|name| figure("latency_ns", name));
            assert!(quantiles.is_sorted(), "{result}");
            // Each operation by its fastest round is no slower than the worst of all rounds.
            assert!(quantiles[5] <= figure("latency_ns", "worst_seen"), "{result}");
            assert!(result["ratio_to_box"].as_f64().unwrap() > 0.0);
        }
        // One of both: times are those of this machine.
        let (recommended, best) = (trace["recommended"].as_str(), trace["best_of_none"].as_str());
        let name = recommended.xor(best).unwrap();
        assert!(names.contains(&name) && name != "Box");
        let sentence = trace["recommendation"].as_str().unwrap();
        let beginning = match recommended {
            Some(name) => format!("Use {name}, which was measured to save "),
            None => "Nothing is worth pooling for time: no change saves 0.1 ms".to_owned(),
        };
        assert!(sentence.starts_with(&beginning), "{sentence}");
        assert!(sentence.contains(&format!("{name}, which was measured to save ")), "{sentence}");
        let saved = |key: &str| trace["time_saved"][key].as_f64().unwrap();
        let middle = saved("low_ms").midpoint(saved("high_ms"));
        let share = trace["time_saved"]["high_share_of_time"].as_f64();
        let recorded_ms = share.map(|share| saved("high_ms") / share);
        assert_eq!(recommended.is_some(), millpond_plan::plan::is_worth(middle, recorded_ms));
    }
}

const TRACE: &str = "tick,event,id,class\n0,alloc,1,Imp\n1,alloc,2,Demon\n3,free,1,Imp\n";

#[test]
fn it_says_which_one_to_take() {
    let directory = Directory::new();
    let arguments = ["replay", "-", "--rounds", "2", "--bytes", "100", "--events", "2"];
    let text = done(&millpond_reading(&directory, &arguments, TRACE.as_bytes()));
    assert!(text.contains("4 insertions and removals of 2 objects of 128 bytes"), "{text}");
    assert!(text.contains("the first of 3 events"), "{text}");
    // Three events save nobody a tenth of a millisecond.
    let text_in_one_line = text.replace('\n', " ");
    assert!(text_in_one_line.contains("no change saves 0.1 ms. The best is "), "{text}");
    assert!(text_in_one_line.contains(" ns per insertion or removal,"), "{text}");
    assert!(directory.names().is_empty());
}

#[test]
fn whole_ticks_are_timed_with_a_walk_in_each() {
    let directory = Directory::new();
    let arguments = ["replay", "-", "--walk", "--json", "--rounds", "2"];
    let text = done(&millpond_reading(&directory, &arguments, TRACE.as_bytes()));
    let json: Value = serde_json::from_str(&text).unwrap();
    let trace = &json["traces"][0];
    // After tick 0 one is alive, after tick 1 two, after tick 3 one.
    assert_eq!((&trace["walks"], &trace["visits"]), (&3.into(), &4.into()));
    let results = trace["results"].as_array().unwrap();
    for result in results {
        assert_eq!(result["right"], true, "{result}");
        assert!(result["ns_per_tick"]["median"].as_f64().unwrap() > 0.0, "{result}");
    }
    assert!(results.iter().any(|result| result["name"] == "Recycler, Lifo; runs"));
    let sentence = trace["recommendation"].as_str().unwrap();
    assert!(sentence.contains(" ns per tick with its walk, "), "{sentence}");
}

/// A recording that does not say which of two equal blocks is freed, and the same as a table with addresses.
const WHO_DIED: [(&str, &str, &str); 2] = [
    (
        "heaptrack.a.1",
        "newest-first",
        "v 10400 3\nX ./a\ns 4 main\nI 1000 40000\ni 1 0 1\nt 1 0\na 20 1\n+ 0\nc 1\n+ 0\nc 2\n- 0\nc 3\n- 0\n",
    ),
    (
        "a.csv",
        "known",
        "ms,event,address,size,stack\n0,alloc,1,32,main\n1,alloc,2,32,main\n2,free,1\n3,free,2\n",
    ),
];

#[test]
fn a_replay_says_that_it_assumes_who_died_where_a_recording_does_not_say_it() {
    for (name, lives, recording) in WHO_DIED {
        let directory = Directory::new();
        directory.file(name, recording);
        let replay = |more: &[&str]| {
            let mut command = millpond(&directory);
            done(&command.arg("replay").args(more).arg(name).output().unwrap()).replace('\n', " ")
        };
        let json: Value = serde_json::from_str(&replay(&["--json", "--rounds", "1"])).unwrap();
        assert_eq!(json["traces"][0]["lives"], lives);
        let is_assumed = lives != "known";
        let sentence = "does not say which of several blocks of one size and call stack is freed";
        for text in [replay(&["--rounds", "1"]), replay(&["--heap", "heap.svg"])] {
            assert_eq!(text.contains(sentence), is_assumed, "{text}");
        }
        let picture = std::fs::read_to_string(directory.path().join("heap.svg")).unwrap();
        assert_eq!(picture.contains("the newest is freed first"), is_assumed, "{name}");
    }
}

/// Objects of the smallest and the largest size and of one between them, some of which are alive at the end.
const SIZED: &str = "tick,event,id,class,size\n0,alloc,1,A,40\n1,alloc,2,A,48\n2,alloc,3,B,9000\n\
                     3,free,1,A,\n3,alloc,4,A,48\n3,alloc,5,C,1\n4,free,3,B,\n";

#[test]
fn every_pool_returns_and_visits_the_objects_of_each_class() {
    let directory = Directory::new();
    directory.file("sized.csv", SIZED);
    let results = |more: &[&str]| {
        let mut command = millpond(&directory);
        command.args(["replay", "--json", "--rounds", "1", "sized.csv"]).args(more);
        let json: Value = serde_json::from_str(&done(&command.output().unwrap())).unwrap();
        let trace = &json["traces"][0];
        let bytes = &trace["object_bytes"];
        assert_eq!((&bytes["min"], trace["classes"].as_u64()), (&16.into(), Some(3)), "{trace}");
        trace["results"].as_array().unwrap().clone()
    };
    let (plain, walks) = (results(&[]), results(&["--walk"]));
    // Seven pools have two ways to be walked through.
    assert_eq!((plain.len(), walks.len()), (8, 14));
    for result in plain.iter().chain(&walks) {
        assert_eq!(result["right"], true, "{result}");
    }
}

#[test]
fn walks_that_would_take_for_ever_are_refused() {
    let directory = Directory::new();
    // 60,000 live on while there is an event in each of 20,000 ticks.
    let mut text = "tick,event,id,class\n".to_owned();
    (0..60_000).for_each(|id| text += &format!("0,alloc,{id},A\n"));
    (1..20_000).for_each(|tick| text += &format!("{tick},alloc,{},A\n", 60_000 + tick));
    directory.file("crowd.csv", text);
    let output = millpond(&directory).args(["replay", "--walk", "crowd.csv"]).output().unwrap();
    let line = refused(&output);
    let part = "its walks visit 1,399,990,000 objects, expected at most 1,000,000,000";
    assert!(line.contains(part), "{line}");
}

#[test]
fn input_and_arguments_that_cannot_be_used() {
    let directory = Directory::new();
    directory.file("good.csv", TRACE);
    directory.file("empty.csv", "");
    directory.file("bad.csv", format!("{TRACE}4,free,1,Imp\n"));
    let large: String = (0..600).map(|id| format!("0,alloc,{id},A,4096\n")).collect();
    directory.file("large.csv", format!("tick,event,id,class,size\n{large}"));
    for (arguments, part) in [
        (&["nowhere.csv"][..], "nowhere.csv: no such file"),
        (&["."], "is a directory"),
        (&["empty.csv"], "empty.csv: is empty"),
        (&["good.csv", "bad.csv"], "bad.csv: line 5 (byte 63): id 1 is freed but not alive"),
        (
            &["large.csv", "--memory", "2"],
            "large.csv: its 600 slots take 2.3 MiB, expected at most",
        ),
        (&["good.csv", "--rounds", "0"], "expected a whole number from 1 to 10000"),
        (&["good.csv", "--bytes", "0"], "expected a whole number from 1 to 4096"),
        (&["good.csv", "--bytes", "5000"], "expected a whole number from 1 to 4096"),
        (&["good.csv", "--events", "0"], "--events"),
        (&["good.csv", "--memory", "0"], "--memory"),
        (&[], "<TRACE>"),
    ] {
        let output = millpond(&directory).arg("replay").args(arguments).output().unwrap();
        let line = refused(&output);
        assert!(line.contains(part), "{arguments:?}: {line}");
    }
}
