//! Recordings by `heaptrack --raw`, which say who died, beside what heaptrack makes of them.

use serde_json::{Value, json};

use crate::common::{Directory, done, gzip, millpond, plan_json, refused, zstd};

/// A recording of the guide's own example (`crates/millpond/examples/on_boxes.rs`), and the same recording as heaptrack
/// interprets it.
const RAW: &[u8] = include_bytes!("../data/on_boxes.raw.zst");
const INTERPRETED: &[u8] = include_bytes!("../data/on_boxes.zst");

/// Puffs of smoke, which die about as old as they are.
const PUFF: &str = "56";

fn class<'j>(json: &'j Value, name: &str) -> &'j Value {
    let classes = json["traces"][0]["classes"].as_array().unwrap();
    classes.iter().find(|class| class["class"] == name).unwrap()
}

fn at_173_slots(json: &Value) -> &Value {
    let smaller = class(json, PUFF)["smaller"].as_array().unwrap();
    smaller.iter().find(|smaller| smaller["capacity"] == 173).unwrap()
}

#[test]
fn a_raw_recording_says_what_173_slots_refuse_and_an_interpreted_one_between_what() {
    let directory = Directory::new();
    let raw = plan_json(&directory, &directory.file("a.raw.zst", RAW));
    assert_eq!(raw["traces"][0]["format"], "heaptrack-raw");
    assert_eq!(raw["traces"][0]["lives"], "known");
    assert_eq!(*at_173_slots(&raw), json!({"capacity": 173, "refused": 1544, "evicted": 3919}));
    assert_eq!(class(&raw, PUFF)["lifetime_ticks"]["median"]["ticks"], 715);

    let interpreted = plan_json(&directory, &directory.file("b.zst", INTERPRETED));
    assert_eq!(interpreted["traces"][0]["format"], "heaptrack");
    assert_eq!(interpreted["traces"][0]["lives"], "between");
    let smaller = at_173_slots(&interpreted);
    assert!(smaller["refused"].is_null() && smaller["evicted"].is_null(), "{smaller}");
    for (figure, known) in [("refused_between", 1544), ("evicted_between", 3919)] {
        let [least, most] = ["least", "most"].map(|end| smaller[figure][end].as_u64().unwrap());
        assert!((least..=most).contains(&known), "{figure}: {smaller}");
    }
    let lives = &class(&interpreted, PUFF)["lifetime_ticks"];
    let [least, most] =
        ["least", "most"].map(|end| lives["median_between"][end]["ticks"].as_u64().unwrap());
    assert!(lives["median"].is_null() && least < 100 && most >= 713, "{lives}");

    // What does not depend on who died is the same.
    for field in ["lifetimes", "peak_live", "left_live", "peak_bytes", "ticks", "timestamps"] {
        assert_eq!(raw["traces"][0][field], interpreted["traces"][0][field], "{field}");
    }
    for of_raw in raw["traces"][0]["classes"].as_array().unwrap() {
        let name = of_raw["class"].as_str().unwrap();
        for field in ["lifetimes", "peak_live", "p99_live", "left_live", "capacity", "saving"] {
            assert_eq!(of_raw[field], class(&interpreted, name)[field], "{name}: {field}");
        }
    }
}

#[test]
fn a_range_is_marked_wherever_it_is_shown() {
    let directory = Directory::new();
    directory.file("a.raw.zst", RAW);
    directory.file("b.zst", INTERPRETED);
    let plan = |name: &str, more: &[&str]| {
        let arguments = ["plan", "--prices", "reference", "--report", "r.html"];
        done(&millpond(&directory).args(arguments).args(more).arg(name).output().unwrap())
    };
    let known = plan("a.raw.zst", &["--all"]);
    assert!(known.contains("173: refuse 1,544 or evict 3,919"), "{known}");
    assert!(!known.contains("ranges"), "{known}");
    let html = || std::fs::read_to_string(directory.path().join("r.html")).unwrap();
    assert!(!html().contains("dies first") && html().contains(">1,544<"));

    let first = plan("b.zst", &[]);
    for said in ["are ranges", "`heaptrack --raw` records which", "173: refuse or evict 174–4,290"]
    {
        assert!(first.split_whitespace().collect::<Vec<_>>().join(" ").contains(said), "{first}");
    }
    assert!(!first.contains("4,208"), "no end alone: {first}");
    let page = html();
    for said in
        ["are ranges", "if the newest dies first", "if the oldest dies first", ">174–4,290<"]
    {
        assert!(page.contains(said), "{said}");
    }
    let csv = plan("b.zst", &["--csv", "--summary", "s.csv"]);
    let lives: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    assert!(lives[10].parse::<u64>().unwrap() < lives[17].parse::<u64>().unwrap(), "{csv}");
    let arguments = ["merge", "--json", "--all", "s.csv"];
    let merged = done(&millpond(&directory).args(arguments).output().unwrap());
    let merged: Value = serde_json::from_str(&merged).unwrap();
    let classes = merged["groups"][0]["classes"].as_array().unwrap();
    let puff = classes.iter().find(|class| class["class"] == PUFF).unwrap();
    let median = &puff["lifetime_ticks"];
    assert!(median["median"].is_null(), "{median}");
    assert!(median["median_between"]["least"]["ticks"].as_u64().unwrap() < 100, "{median}");
    assert!(median["median_between"]["most"]["ticks"].as_u64().unwrap() > 700, "{median}");
    let pace = &puff["busiest_slot_seconds"]["lifo_between"];
    assert!(pace["least"].as_f64().unwrap() < pace["most"].as_f64().unwrap(), "{puff}");
    let arguments = ["merge", "--all", "s.csv"];
    let text = done(&millpond(&directory).args(arguments).output().unwrap());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("as if the newest"), "{text}");
}

/// Sessions that say who died and sessions that do not, in any order and in parts.
#[test]
fn a_merge_adds_ranges_and_figures() {
    let directory = Directory::new();
    for (name, content, session) in [("a.raw.zst", RAW, "known"), ("b.zst", INTERPRETED, "between")]
    {
        directory.file(name, content);
        let summary = format!("{session}.csv");
        let arguments = ["plan", "--no-report", "--session", session, "--summary", &summary, name];
        done(&millpond(&directory).args(arguments).output().unwrap());
    }
    let merge = |inputs: &[&str]| {
        let merged = ["merge", "--json", "--all"];
        let output = millpond(&directory).args(merged).args(inputs).output().unwrap();
        let merged: Value = serde_json::from_str(&done(&output)).unwrap();
        merged["groups"][0]["classes"][0]["lifetime_ticks"].clone()
    };
    let both = merge(&["known.csv", "between.csv"]);
    assert_eq!(merge(&["between.csv", "known.csv"]), both);
    let known = merge(&["known.csv"]);
    assert!(known.get("median_between").is_none(), "{known}");
    let most = |lives: &Value| lives["median_between"]["most"]["ticks"].as_u64().unwrap();
    let least = |lives: &Value| lives["median_between"]["least"]["ticks"].as_u64().unwrap();
    let between = merge(&["between.csv"]);
    assert!(least(&between) < least(&both), "half of the lives are known: {both}");
    assert!(most(&both) > 700 && most(&between) > 700, "{both}");
}

#[test]
fn names_come_from_the_interpreted_file_beside_it() {
    let directory = Directory::new();
    let raw = directory.file("game.raw.zst", RAW);
    let alone = plan_json(&directory, &raw);
    let callers = |json: &Value| class(json, PUFF)["callers"].clone();
    // The program and its libraries are nowhere on this machine.
    let passed_over = &alone["traces"][0]["reading"]["passed_over"];
    assert_eq!(passed_over[0]["reason"], "module-not-found", "{passed_over}");
    assert!(!callers(&alone).to_string().contains("main"), "{alone}");

    directory.file("game.zst", INTERPRETED);
    let named = plan_json(&directory, &raw);
    assert_eq!(named["traces"][0]["reading"]["passed_over"], json!([]));
    let interpreted = plan_json(&directory, &directory.file("b.zst", INTERPRETED));
    assert!(callers(&named).to_string().contains("main"), "{}", callers(&named));
    assert_eq!(callers(&named), callers(&interpreted));
    assert_eq!(named["traces"][0]["pool_first"], interpreted["traces"][0]["pool_first"]);
    // A file beside it that is something else is no reason to refuse it.
    directory.file("game.zst", b"tick,event,id,class\n");
    assert_eq!(plan_json(&directory, &raw), alone);
}

/// A small recording, as text.
const SMALL: &str = "v 10400 3\nx 6 ./game\nX ./game\nI 1000 99\nm 1 -\nm 1 x 1000 0 800\nt 1180 0\nt 1190 1\nc 1\n\
                     + 18 1 7f00\n+ 18 2 7f20\nc 5\n- 7f00\n+ 18 1 7f00\nc 9\n- 7f20\n";

#[test]
fn a_recording_may_begin_in_the_middle_and_lose_frees() {
    let directory = Directory::new();
    let text = SMALL.replace("c 5\n", "A\nc 5\n- 99\n- 98\n+ 20 1 7f20\n");
    let json = plan_json(&directory, &directory.file("a.raw", &text));
    let trace = &json["traces"][0];
    assert_eq!((&trace["lifetimes"], &trace["left_live"]), (&4.into(), &1.into()));
    let expected = json!([
        {"reason": "free-of-unknown-block", "count": 2},
        {"reason": "unseen-free", "count": 1},
    ]);
    assert_eq!(trace["reading"]["passed_over"], expected);
    assert_eq!(trace["reading"]["read"], text.lines().count());
    let output = millpond(&directory).args(["plan", "--no-report", "a.raw"]).output().unwrap();
    let said = done(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("2 frees of blocks whose allocations were not recorded"), "{said}");
    assert!(said.contains("1 block was freed without a record"), "{said}");
}

#[test]
fn every_packing_and_every_version_is_read() {
    let directory = Directory::new();
    let old = "v 10000 1\nx ./game\nX ./game\nm -\nm x 1000 0 800\nt 1180 0\nt 1190 1\nc 1\n+ 18 1 7f00\n\
               + 18 2 7f20\nc 5\n- 7f00\n+ 18 1 7f00\nc 9\n- 7f20\n";
    let expected = plan_json(&directory, &directory.file("game", SMALL));
    let lived = |json: &Value| json["traces"][0]["classes"].clone();
    for bytes in [gzip(SMALL.as_bytes()), zstd(SMALL.as_bytes()), old.as_bytes().to_vec()] {
        assert_eq!(lived(&plan_json(&directory, &directory.file("game", bytes))), lived(&expected));
    }
    let median = &lived(&expected)[0]["lifetime_ticks"]["median"];
    assert_eq!(*median, json!({"ticks": 4, "at_least": true}));
}

#[test]
fn a_cut_recording_is_planned_up_to_its_end() {
    let directory = Directory::new();
    for (name, bytes) in
        [("a.raw", &SMALL.as_bytes()[..SMALL.len() - 3]), ("a.zst", &RAW[..20_000])]
    {
        let file = directory.file(name, bytes);
        let output =
            millpond(&directory).args(["plan", "--no-report"]).arg(&file).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("The recording is cut short"), "{said}");
        let whole = millpond(&directory).args(["plan", "--whole"]).arg(&file).output().unwrap();
        assert!(refused(&whole).contains("cut short"));
    }
}

#[test]
fn what_is_no_raw_recording_is_refused_in_a_line() {
    let directory = Directory::new();
    let refuses = |from: &str, to: &str, part: &str| {
        assert!(SMALL.contains(from));
        let file = directory.file("a.raw", SMALL.replacen(from, to, 1));
        let line = refused(&millpond(&directory).arg("plan").arg(file).output().unwrap());
        assert!(line.contains(part), "{part}: {line}");
    };
    refuses("v 10400 3", "v 10400 4", "heaptrack file version 4, expected 1 to 3");
    refuses("c 5", "c 0", "time 0 comes after 1");
    refuses("c 5", "c 100000000", "expected milliseconds below 2^32");
    refuses(
        "+ 18 1 7f00",
        "+ 18 3 7f00",
        "stack node 3 is used, expected one of the 2 defined before",
    );
    refuses("+ 18 1 7f00", "+ 18 1", "expected `+ SIZE STACK ADDRESS`");
    refuses("- 7f00", "- x", "expected `- ADDRESS`");
    refuses("t 1190 1", "t 1190 2", "stack node 2 is used");
    refuses("m 1 x 1000 0 800", "m ff x 1000 0 800", "`ff x 1000 0 800`, expected `LENGTH STRING`");
    refuses("m 1 x 1000 0 800", "m 1 x", "expected `m NAME BASE` and segments");
    refuses("I 1000 99", "a 18 1", "`a 18 1` is not a known record of a raw recording");
    let nothing = SMALL.split("+ ").next().unwrap();
    let file = directory.file("a.raw", nothing);
    let line = refused(&millpond(&directory).arg("plan").arg(file).output().unwrap());
    assert!(line.contains("contains no allocation"), "{line}");
}

/// A recording of a program that is on this machine: this test.
#[test]
fn a_program_that_has_changed_gives_no_names() {
    let directory = Directory::new();
    let program = std::env::current_exe().unwrap();
    let path = program.to_str().unwrap();
    let text = SMALL.replace("x 6 ./game", &format!("x {:x} {path}", path.len()));
    let json = plan_json(&directory, &directory.file("a.raw", text));
    let expected = match cfg!(target_os = "linux") {
        true => "module-changed",
        false => "module-not-found",
    };
    let passed_over = &json["traces"][0]["reading"]["passed_over"];
    assert_eq!(*passed_over, json!([{"reason": expected, "count": 1}]));
}
