//! `millpond check`, `millpond diff` and `millpond export`, on recordings of one made-up program with changes made on purpose.

use std::fmt::Write as _;

use serde_json::Value;

use crate::common::{Directory, Random, done, millpond, refused};

/// A change of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Size,
    Count,
    Life,
    NewSite,
    Peak,
}

const CHANGES: [Change; 5] =
    [Change::Size, Change::Count, Change::Life, Change::NewSite, Change::Peak];

/// What is changed: the sparks, or the sounds, and what is new beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Sparks,
    Sounds,
}

type Changed = Option<(Change, Of)>;

/// As millpond-heap writes it, or as a lifetime trace with sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum As {
    Heap,
    Lifetimes,
}

const NAMES: [&str; 6] = ["Spark", "Wall", "Sound", "Ghost", "Wisp", "Locale"];

/// 1,000 frames of 16 ms: sparks and sounds come in bursts, whose largest are early and in the middle, and walls stay. The noise is
/// that of another run: a few objects and milliseconds more or less.
fn recording(changed: Changed, noise: u64, written: As) -> String {
    let is = |change: Change, of: Of| changed == Some((change, of));
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
        let is_near = |at: u64| frame.abs_diff(at) < 40;
        let sparks =
            if is_near(if is(Change::Peak, Of::Sparks) { 800 } else { 200 }) { 8 } else { 3 };
        for _ in 0..sparks * if is(Change::Count, Of::Sparks) { 2 } else { 1 } {
            object(frame, if is(Change::Life, Of::Sparks) { 60 } else { 20 }, 0, &mut random);
        }
        if frame % 10 == 0 {
            object(frame, 1000 - frame, 1, &mut random);
        }
        let sounds =
            if is_near(if is(Change::Peak, Of::Sounds) { 930 } else { 500 }) { 12 } else { 4 };
        if frame % 7 == 0 {
            for _ in 0..sounds * if is(Change::Count, Of::Sounds) { 3 } else { 1 } {
                let life = if is(Change::Life, Of::Sounds) { 40 } else { 5 };
                object(frame, life + random.below(2), 2, &mut random);
            }
        }
        if is(Change::NewSite, Of::Sparks) && frame % 5 == 0 {
            object(frame, 9, 3, &mut random);
        }
        if is(Change::NewSite, Of::Sounds) && frame % 50 == 0 {
            object(frame, 400, 4, &mut random);
        }
    }
    // What the environment adds: a handful of blocks of somebody else.
    for _ in 0..noise % 5 {
        object(1, 2, 5, &mut random);
    }
    events.sort_by_key(|&(ms, is_birth, id, _)| (ms, is_birth, id));
    let spark = if is(Change::Size, Of::Sparks) { 64 } else { 48 };
    let sound = if is(Change::Size, Of::Sounds) { 23 } else { 24 };
    let sizes = [spark, 200, sound, 32, 80, 17];
    let mut text = match written {
        As::Heap => {
            "millpond heap 1 header\nx game\nt 1 1\nt 2 2\nt 3 3\nt 4 4\nt 5 5\nt 6 6\n".to_owned()
        }
        As::Lifetimes => "tick,event,id,class,size,ms\n".to_owned(),
    };
    let mut frames = 0;
    for (ms, is_birth, id, class) in events {
        if written == As::Heap {
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
            let (tick, name, size) = (ms / 16, NAMES[class], sizes[class]);
            let _ = writeln!(text, "{tick},{event},{id},{name},{size},{ms}");
        }
    }
    if written == As::Heap {
        for (class, name) in NAMES.iter().enumerate() {
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

/// Ten pairs, each with one change: it is named, and nothing else, in either format. Two recordings of one program have no
/// difference.
#[test]
fn each_of_ten_changes_is_named_and_none_is_invented() {
    let directory = Directory::new();
    for written in [As::Heap, As::Lifetimes] {
        directory.file("before", recording(None, 1, written));
        for noise in 2..8 {
            directory.file("after", recording(None, noise, written));
            let found = differences(&directory, "before", "after");
            assert_eq!(found, [] as [Value; 0], "{written:?}, noise {noise}");
        }
        let mut pairs = 0;
        for (of, name, new) in [(Of::Sparks, "Spark", "Ghost"), (Of::Sounds, "Sound", "Wisp")] {
            for change in CHANGES {
                directory.file("after", recording(Some((change, of)), 9, written));
                let found = differences(&directory, "before", "after");
                let [found] = &found[..] else { panic!("{change:?}: {found:?}") };
                let (name, kinds) = match change {
                    Change::Size => (name, &["size"][..]),
                    Change::Count => (name, &["peak", "births"][..]),
                    Change::Life => (name, &["peak", "life"][..]),
                    Change::NewSite => (new, &["new"][..]),
                    Change::Peak => (name, &["peak-at"][..]),
                };
                assert!(found["name"].as_str().unwrap().contains(name), "{change:?}: {found}");
                assert_eq!(found["changes"], serde_json::json!(kinds), "{change:?}: {found}");
                pairs += 1;
            }
        }
        assert_eq!(pairs, 10);
    }
}

/// The same ten beside a budget: a pool that overflows, a class that has none, and what is not as it was and fits, are named,
/// and nothing else.
#[test]
fn a_check_names_each_of_ten_changes() {
    let directory = Directory::new();
    for (written, [spark, sound, larger, smaller, ghost, wisp]) in [
        (As::Heap, ["48", "24", "64", "23", "32", "80"]),
        (As::Lifetimes, ["Spark", "Sound", "", "", "Ghost", "Wisp"]),
    ] {
        directory.file("game", recording(None, 4, written));
        done(
            &millpond(&directory)
                .args(["plan", "--no-report", "--all", "--budget", "b.toml", "game"])
                .output()
                .unwrap(),
        );
        // The pools that overflow, the classes without a pool, and what else has changed.
        let checked = |changed: Changed, noise: u64| -> [Vec<String>; 3] {
            directory.file("after", recording(changed, noise, written));
            let output =
                millpond(&directory).args(["check", "--json", "b.toml", "after"]).output().unwrap();
            let json: Value = serde_json::from_slice(&output.stdout).unwrap();
            let recording = &json["recordings"][0];
            let pools = recording["pools"].as_array().unwrap();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let over = pools.iter().filter(|pool| {
                assert_eq!(pool["overflows"] == true, pool["first"].is_object(), "{pool}");
                pool["overflows"] == true
            });
            let overflow: Vec<_> = over.map(|pool| text(&pool["pool"])).collect();
            assert_eq!(output.status.code(), Some(i32::from(!overflow.is_empty())), "{json}");
            let without = recording["without_pool"].as_array().unwrap();
            let changes = pools.iter().flat_map(|pool| {
                let changes = pool["changes"].as_array().unwrap().iter();
                changes.map(|of| format!("{}: {}", text(&pool["pool"]), text(&of["what"])))
            });
            [overflow, without.iter().map(|of| text(&of["class"])).collect(), changes.collect()]
        };
        let nothing = [const { Vec::new() }; 3];
        for noise in [1, 2, 3, 4, 5, 6, 7] {
            assert_eq!(checked(None, noise), nothing, "{written:?}, noise {noise}");
        }
        let mut named = 0;
        for (of, name, other_size, new) in
            [(Of::Sparks, spark, larger, ghost), (Of::Sounds, sound, smaller, wisp)]
        {
            for change in CHANGES {
                let [mut overflow, mut without, mut changes] = nothing.clone();
                match change {
                    // A pool of a type has objects of any size; in a recording of a heap, the size is the pool.
                    Change::Size if written == As::Lifetimes => {
                        changes.push(format!("{name}: size"))
                    }
                    Change::Size => without.push(other_size.to_owned()),
                    Change::Count | Change::Life => overflow.push(name.to_owned()),
                    Change::NewSite => without.push(new.to_owned()),
                    Change::Peak => changes.push(format!("{name}: peak-at")),
                }
                let found = checked(Some((change, of)), 9);
                assert_eq!(found, [overflow, without, changes], "{written:?} {change:?} {of:?}");
                named += 1;
            }
        }
        assert_eq!(named, 10);
    }
}

/// What has changed and fits is told in words and in Markdown, and is no failure.
#[test]
fn a_change_that_fits_is_told_and_is_no_failure() {
    let directory = Directory::new();
    directory.file("game.csv", recording(None, 4, As::Lifetimes));
    let plan = ["plan", "--no-report", "--all", "--budget", "b.toml", "game.csv"];
    done(&millpond(&directory).args(plan).output().unwrap());
    let budget = std::fs::read_to_string(directory.path().join("b.toml")).unwrap();
    let of_sparks = budget.lines().find(|line| line.starts_with("Spark ")).unwrap();
    assert!(
        of_sparks.contains("; near it from ") && of_sparks.ends_with("; 48 bytes each"),
        "{of_sparks}"
    );
    let check = |arguments: &[&str]| {
        let output = millpond(&directory).arg("check").args(arguments).output().unwrap();
        let words = done(&output);
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let alike = check(&["b.toml", "game.csv"]);
    assert!(!alike.contains("Not as in the budget's recording"), "{alike}");
    for (change, name, told) in [
        (Change::Size, "Spark", "64 bytes each, planned with 48 bytes each"),
        (Change::Peak, "Spark", "near its peak from 7"),
    ] {
        directory.file("after.csv", recording(Some((change, Of::Sparks)), 6, As::Lifetimes));
        let text = check(&["b.toml", "after.csv"]);
        assert!(
            text.contains(&format!("Not as in the budget's recording: {name}: {told}")),
            "{text}"
        );
        let markdown = check(&["--markdown", "b.toml", "game.csv", "after.csv"]);
        let told = format!("Not as in the budget's recording: - after\\.csv: {name}: {told}");
        assert!(markdown.contains(&told), "{markdown}");
    }
    // Without the comments, only what overflows is known.
    let bare: Vec<_> = budget.lines().map(|line| line.split('#').next().unwrap()).collect();
    directory.file("bare.toml", bare.join("\n"));
    let bare = check(&["bare.toml", "after.csv"]);
    assert!(bare.contains("Fits scenario game") && !bare.contains("Not as in"), "{bare}");
}

/// 600 blocks a number of milliseconds apart, of which thirty are alive at once, and so many others by the way. Without frames.
fn paced(ms: u64, others: u64) -> String {
    let mut text = "millpond heap 1\nx game\nt 1 1\nt 2 2\n".to_owned();
    for n in 0..600_u64 {
        let _ = writeln!(text, "c {:x}\n+ {n:x} 30 1", n * ms);
        if n >= 30 {
            let _ = writeln!(text, "- {:x}", n - 30);
        }
        if n % (600 / others) == 0 && n / (600 / others) < others {
            let _ = writeln!(text, "+ {0:x} 40 2\n- {0:x}", 1000 + n);
        }
    }
    text + "n 1\tnew<Spark>\t\t\nn 2\troll\t\t\ne 0\n"
}

/// On a slow machine everything lives longer, and a game that rolls dice never makes quite as many of anything.
#[test]
fn a_slow_machine_and_dice_are_no_change() {
    let directory = Directory::new();
    directory.file("before", paced(2, 34));
    directory.file("after", paced(5, 44));
    assert_eq!(differences(&directory, "before", "after"), [] as [Value; 0]);
    // Three times as many are no chance, and who asks for smaller differences gets them.
    directory.file("many", paced(2, 102));
    let changes = |arguments: &[&str]| {
        let output =
            millpond(&directory).args(["diff", "--json"]).args(arguments).output().unwrap();
        let json: Value = serde_json::from_str(&done(&output)).unwrap();
        let of = json["differences"].as_array().unwrap().iter();
        of.map(|of| (of["name"].clone(), of["changes"].clone())).collect::<Vec<_>>()
    };
    let more = [("roll".into(), serde_json::json!(["births"]))];
    assert_eq!(changes(&["before", "many"]), more);
    assert_eq!(changes(&["--threshold", "3", "before", "after"]), more);
}

/// A thousand steps of two milliseconds, or of ten in some of them, without frames. A block of smoke is born in each, and ten in
/// those of a blast; each lives for ten steps.
fn blast(at: u64, is_slow: impl Fn(u64) -> bool) -> String {
    let mut text = "millpond heap 1\nx game\nt 1 1\nt 2 2\n".to_owned();
    let (mut ms, mut id, mut alive) = (0, 0, std::collections::VecDeque::new());
    for step in 0..1000_u64 {
        let _ = writeln!(text, "c {ms:x}\n+ 0 20 1\n- 0");
        ms += if is_slow(step) { 10 } else { 2 };
        while alive.front().is_some_and(|&(born, _)| born + 10 <= step) {
            let (_, id) = alive.pop_front().unwrap();
            let _ = writeln!(text, "- {id:x}");
        }
        for _ in 0..if step.abs_diff(at) < 15 { 10 } else { 1 } {
            id += 1;
            alive.push_back((step, id));
            let _ = writeln!(text, "+ {id:x} 30 2");
        }
    }
    text + "n 1\tstep\t\t\nn 2\tnew<Smoke>\t\t\ne 0\n"
}

/// A machine that is slow for a while puts all that comes later at another share of the time.
#[test]
fn a_machine_that_is_slow_for_a_while_moves_no_peak() {
    let directory = Directory::new();
    directory.file("before", blast(600, |_| false));
    directory.file("slow", blast(600, |step| step < 300));
    directory.file("moved", blast(200, |_| false));
    assert_eq!(differences(&directory, "before", "slow"), [] as [Value; 0]);
    let [moved] = &differences(&directory, "before", "moved")[..] else { panic!("one change") };
    assert_eq!(moved["changes"], serde_json::json!(["peak-at"]), "{moved}");
    let plan = ["plan", "--no-report", "--all", "--budget", "b.toml", "before"];
    done(&millpond(&directory).args(plan).output().unwrap());
    let check = millpond(&directory).args(["check", "b.toml", "slow"]).output().unwrap();
    let check = done(&check);
    assert!(!check.contains("Not as in the budget's recording"), "{check}");
}

#[test]
fn a_diff_is_told_in_words_in_markdown_and_as_a_report() {
    let directory = Directory::new();
    directory.file("a.heap", recording(None, 1, As::Heap));
    directory.file("b.heap", recording(Some((Change::Life, Of::Sparks)), 2, As::Heap));
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
    directory.file("c.csv", recording(None, 1, As::Lifetimes));
    let output = millpond(&directory).args(["diff", "a.heap", "c.csv"]).output().unwrap();
    assert!(refused(&output).contains("expected two of one kind"));
}

#[test]
fn a_recording_that_does_not_fit_its_budget_fails_the_check() {
    let directory = Directory::new();
    directory.file("game.heap", recording(None, 1, As::Heap));
    let plan = ["plan", "--no-report", "--all", "--budget", "b.toml", "game.heap"];
    done(&millpond(&directory).args(plan).output().unwrap());
    let budget = std::fs::read_to_string(directory.path().join("b.toml")).unwrap();
    assert!(budget.contains("# 48 is requested by new<Spark>\n"), "{budget}");
    let check =
        |arguments: &[&str]| millpond(&directory).arg("check").args(arguments).output().unwrap();
    let fits = done(&check(&["b.toml", "game.heap"]));
    assert!(fits.contains("Fits scenario game: "), "{fits}");

    directory.file("night.heap", recording(Some((Change::Count, Of::Sparks)), 6, As::Heap));
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
    let other = recording(Some((Change::Count, Of::Sparks)), 6, As::Heap)
        .replace("new<Spark>", "new<Ember>");
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
    directory.file("e1m1.csv", recording(None, 1, As::Lifetimes));
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
    directory.file("game.heap", recording(None, 1, As::Heap));
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
