//! `millpond check`, `millpond diff` and `millpond export`, on recordings of one made-up program with changes made on purpose.

use std::fmt::Write as _;

use serde_json::Value;

use crate::common::{Directory, Random, done, millpond, refused};

/// A change of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    No,
    Size,
    Count,
    Life,
    NewSite,
    Peak,
}

/// 1,000 frames of 16 ms: sparks come in bursts whose largest one is early, walls stay, and now and then there is a sound. The
/// noise is that of another run: a few objects and milliseconds more or less. As a recording of the heap, or as a lifetime
/// trace.
fn recording(change: Change, noise: u64, is_heap: bool) -> String {
    let mut random = Random(noise);
    let mut events: Vec<(u64, bool, u64, usize)> = Vec::new();
    let mut id = 0;
    let mut object = |frame: u64, life: u64, class: usize, random: &mut Random| {
        let begin = frame * 16 + random.below(3);
        events.push((begin, true, id, class));
        events.push((begin + life * 16 + random.below(4), false, id, class));
        id += 1;
    };
    for frame in 0..1000_u64 {
        let peak_at = if change == Change::Peak { 800 } else { 200 };
        let burst = if frame.abs_diff(peak_at) < 40 { 8 } else { 3 };
        let more = if change == Change::Count { 2 } else { 1 };
        let life = if change == Change::Life { 60 } else { 20 };
        for _ in 0..burst * more {
            object(frame, life, 0, &mut random);
        }
        if frame % 10 == 0 {
            object(frame, 1000 - frame, 1, &mut random);
        }
        if frame % 7 == 0 {
            object(frame, 3 + random.below(2), 2, &mut random);
        }
        if change == Change::NewSite && frame % 5 == 0 {
            object(frame, 9, 3, &mut random);
        }
    }
    // What the environment adds: a handful of blocks of somebody else.
    for _ in 0..noise % 5 {
        object(1, 2, 4, &mut random);
    }
    events.sort_by_key(|&(ms, is_birth, id, _)| (ms, is_birth, id));
    let spark = if change == Change::Size { 64 } else { 48 };
    let names = ["Spark", "Wall", "Sound", "Ghost", "Locale"];
    let sizes = [spark, 200, 24, 32, 17];
    let mut text = match is_heap {
        true => "millpond heap 1 header\nx game\nt 1 1\nt 2 2\nt 3 3\nt 4 4\nt 5 5\n".to_owned(),
        false => "tick,event,id,class,ms\n".to_owned(),
    };
    let mut frames = 0;
    for (ms, is_birth, id, class) in events {
        if is_heap {
            while frames * 16 <= ms && frames < 1000 {
                let _ = writeln!(text, "f {:x}", frames * 16);
                frames += 1;
            }
            let _ = match is_birth {
                true => writeln!(text, "c {ms:x}\n+ {id:x} {:x} {}", sizes[class], class + 1),
                false => writeln!(text, "c {ms:x}\n- {id:x}"),
            };
        } else {
            let event = if is_birth { "alloc" } else { "free" };
            let _ = writeln!(text, "{},{event},{id},{},{ms}", ms / 16, names[class]);
        }
    }
    if is_heap {
        for (class, name) in names.iter().enumerate() {
            let _ = writeln!(text, "n {:x}\tnew<{name}>\t\t", class + 1);
        }
        text += "e 0\n";
    }
    text
}

fn differences(directory: &Directory, before: &str, after: &str) -> Vec<Value> {
    let output = millpond(directory).args(["diff", "--json", before, after]).output().unwrap();
    let json: Value = serde_json::from_str(&done(&output)).unwrap();
    json["differences"].as_array().unwrap().clone()
}

/// Ten pairs, each with one change: it is named, and nothing else. Two recordings of one program have no difference.
#[test]
fn each_change_is_named_and_none_is_invented() {
    let directory = Directory::new();
    for is_heap in [true, false] {
        directory.file("before", recording(Change::No, 1, is_heap));
        for noise in 2..8 {
            directory.file("after", recording(Change::No, noise, is_heap));
            assert_eq!(
                differences(&directory, "before", "after"),
                [] as [Value; 0],
                "noise {noise}"
            );
        }
        for (change, name, kinds) in [
            (Change::Size, "Spark", &["size"][..]),
            (Change::Count, "Spark", &["peak", "births"]),
            (Change::Life, "Spark", &["peak", "life"]),
            (Change::NewSite, "Ghost", &["new"]),
            (Change::Peak, "Spark", &["peak-at"]),
        ] {
            directory.file("after", recording(change, 9, is_heap));
            let found = differences(&directory, "before", "after");
            if change == Change::Size && !is_heap {
                // A lifetime trace has no sizes.
                assert!(found.is_empty());
                continue;
            }
            let [found] = &found[..] else { panic!("{change:?}: {found:?}") };
            assert!(found["name"].as_str().unwrap().contains(name), "{change:?}: {found}");
            assert_eq!(found["changes"], serde_json::json!(kinds), "{change:?}: {found}");
        }
    }
}

#[test]
fn a_diff_is_told_in_words_in_markdown_and_as_a_report() {
    let directory = Directory::new();
    directory.file("a.heap", recording(Change::No, 1, true));
    directory.file("b.heap", recording(Change::Life, 2, true));
    let run = |more: &[&str]| {
        let mut command = millpond(&directory);
        done(&command.args(["diff", "a.heap", "b.heap"]).args(more).output().unwrap())
    };
    let text = run(&["--report", "diff.html"]);
    assert!(text.starts_with("a.heap → b.heap\n1 is different, "), "{text}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("new<Spark>, 48 bytes: at once")
            && text.contains("median life 20 frames → 60 frames"),
        "{text}"
    );
    let page = std::fs::read_to_string(directory.path().join("diff.html")).unwrap();
    assert!(page.contains("new&lt;Spark&gt;") && page.contains("median life"), "{page}");
    let markdown = run(&["--markdown"]);
    assert!(markdown.contains("| new\\<Spark\\>, 48 bytes |"), "{markdown}");
    directory.file("c.csv", recording(Change::No, 1, false));
    let output = millpond(&directory).args(["diff", "a.heap", "c.csv"]).output().unwrap();
    assert!(refused(&output).contains("expected two of one kind"));
}

#[test]
fn a_recording_that_does_not_fit_its_budget_fails_the_check() {
    let directory = Directory::new();
    directory.file("game.heap", recording(Change::No, 1, true));
    let plan = ["plan", "--no-report", "--all", "--budget", "b.toml", "game.heap"];
    done(&millpond(&directory).args(plan).output().unwrap());
    let budget = std::fs::read_to_string(directory.path().join("b.toml")).unwrap();
    assert!(budget.contains("# 48 is requested by new<Spark>\n"), "{budget}");
    let check =
        |arguments: &[&str]| millpond(&directory).arg("check").args(arguments).output().unwrap();
    let fits = done(&check(&["b.toml", "game.heap"]));
    assert!(fits.contains("Fits scenario game: "), "{fits}");

    directory.file("night.heap", recording(Change::Count, 6, true));
    let output = check(&["b.toml", "game.heap", "night.heap"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), told.as_str()), (Some(1), "millpond: 1 pool overflows\n"));
    let text = String::from_utf8(output.stdout).unwrap();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Does not fit scenario game: 1 of "), "{text}");
    assert!(words.contains("first full 48 ") && words.contains(" frame 1"), "{text}");
    assert!(words.contains("48: requested by new<Spark>"), "{text}");

    let output = check(&["--json", "b.toml", "night.heap"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let pool = &json["recordings"][0]["pools"][0];
    assert_eq!(
        (&json["fits"], &pool["pool"], &pool["overflows"]),
        (&false.into(), &"48".into(), &true.into())
    );
    let (peak, slots) = (pool["peak_live"].as_u64().unwrap(), pool["slots"].as_u64().unwrap());
    assert_eq!(pool["too_few_by"], peak - slots);
    assert!(pool["turned_away"].as_u64().unwrap() > 0 && pool["first"]["frame"].as_u64().is_some());
    assert_eq!(
        pool["requested_by"],
        serde_json::json!([
            {"function": "new<Spark>", "lifetimes": pool["requested_by"][0]["lifetimes"], "is_new": false}
        ])
    );

    // Somebody else requests blocks of the same size.
    let other = recording(Change::Count, 6, true).replace("new<Spark>", "new<Ember>");
    directory.file("other.heap", other);
    let text = String::from_utf8(check(&["b.toml", "other.heap"]).stdout).unwrap();
    assert!(text.contains("48: new since the budget: requested by new<Ember>"), "{text}");
    let text = String::from_utf8(check(&["--markdown", "b.toml", "other.heap"]).stdout).unwrap();
    assert!(
        text.contains("too small for 1 of 1 recording.**")
            && text.contains("| other\\.heap | 48 |"),
        "{text}"
    );
}

#[test]
fn a_budget_is_any_that_the_library_reads_and_its_scenario_is_found() {
    let directory = Directory::new();
    directory.file("e1m1.csv", recording(Change::No, 1, false));
    let check = |budget: &str, more: &[&str]| {
        directory.file("b.toml", budget);
        let mut command = millpond(&directory);
        command.args(["check", "b.toml", "e1m1.csv"]).args(more).output().unwrap()
    };
    let pools = "Wall = 200\nSound = { capacity = 1, on_full = \"evict-oldest\" }\nSpark = { capacity = 10, on_full = \"grow\", max = 900 }\n";
    let fits = done(&check(&format!("[scenario.any]\n{pools}"), &[]));
    let fits = fits.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        fits.contains("Fits scenario any: 3 pools") && fits.contains("1 class without a pool"),
        "{fits}"
    );
    let two = format!("[scenario.any]\n{pools}[scenario.e1m1]\nWall = 3\n");
    assert_eq!(check(&two, &[]).status.code(), Some(1), "the scenario of its name");
    done(&check(&two, &["--scenario", "any"]));
    // A hundred walls come to stay, and a pool that evicts never overflows.
    let evicts = "[scenario.any]\nWall = { capacity = 3, on_full = \"evict-oldest\" }\n";
    done(&check(evicts, &[]));
    let neither = format!("[scenario.a]\n{pools}[scenario.b]\n{pools}");
    assert!(refused(&check(&neither, &[])).contains("choose one with --scenario NAME"));
    assert!(refused(&check(&two, &["--scenario", "c"])).contains("\"c\""));
    for bad in ["", "[scenario.a]\nWall = 0\n", "Wall = \u{1b}", "[scenario"] {
        let told = refused(&check(bad, &[]));
        assert!(told.contains("b.toml"), "{told}");
    }
}

#[test]
fn a_recording_becomes_counters_for_perfetto() {
    let directory = Directory::new();
    directory.file("game.heap", recording(Change::No, 1, true));
    let output = millpond(&directory).args(["export", "--chrome", "game.heap"]).output().unwrap();
    let json: Value = serde_json::from_str(&done(&output)).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    assert!(events.len() > 1000 && events.iter().all(|event| event["ph"] == "C"));
    let most = |name: &str| {
        let of = events.iter().filter(|event| event["name"] == name);
        of.map(|event| event["args"]["live"].as_u64().unwrap()).max().unwrap()
    };
    // 1,000 frames of 16 ms, and the lives that begin in the last of them, in microseconds from the first event on.
    let times: Vec<u64> = events.iter().map(|event| event["ts"].as_u64().unwrap()).collect();
    assert!(times.is_sorted() && times[0] == 0);
    assert!((15_984_000..17_000_000).contains(times.last().unwrap()), "{:?}", times.last());
    assert_eq!(most("200 bytes"), 100);
    assert!(most("48 bytes") > 100);
}
