//! What `millpond plan` advises, on recordings in which it is known what is right.

use std::fmt::Write as _;

use crate::common::{Directory, Random, done, millpond, plan_json};
use serde_json::Value;

/// How many blocks of a kind are alive at once in [`Recording::churn`].
const CROWD: usize = 50;

/// A heaptrack file that is written call by call.
#[derive(Default)]
struct Recording {
    head: String,
    events: String,
    strings: Vec<String>,
    nodes: usize,
    kinds: usize,
}

impl Recording {
    fn string(&mut self, text: &str) -> usize {
        if let Some(at) = self.strings.iter().position(|known| known == text) {
            return at + 1;
        }
        let _ = writeln!(self.head, "s {:x} {text}", text.len());
        self.strings.push(text.to_owned());
        self.strings.len()
    }

    /// A kind of allocation: so many bytes, asked for by `inner < outer < …`. A function may be followed
    /// by `@` and the library that it is in.
    fn kind(&mut self, bytes: usize, stack: &str) -> usize {
        let mut parent = 0;
        for function in stack.rsplit(" < ") {
            let (function, module) =
                function.split_once('@').unwrap_or((function, "/home/me/game"));
            let (function, module) = (self.string(function), self.string(module));
            self.nodes += 1;
            // Every function allocates on one line: its instruction is told by its name.
            let _ = writeln!(self.head, "i {function:x} {module:x} {function:x} 0 0");
            let _ = writeln!(self.head, "t {:x} {parent:x}", self.nodes);
            parent = self.nodes;
        }
        let _ = writeln!(self.head, "a {bytes:x} {parent:x}");
        self.kinds += 1;
        self.kinds - 1
    }

    fn birth(&mut self, kind: usize) {
        let _ = writeln!(self.events, "+ {kind:x}");
    }

    fn death(&mut self, kind: usize) {
        let _ = writeln!(self.events, "- {kind:x}");
    }

    /// So many that come and go in crowds: more than any allocator has at hand.
    fn churn(&mut self, kind: usize, times: usize) {
        let mut left = times;
        while left > 0 {
            let crowd = left.min(CROWD);
            (0..crowd).for_each(|_| self.birth(kind));
            (0..crowd).for_each(|_| self.death(kind));
            left -= crowd;
        }
    }

    /// So many that come and go one by one.
    fn one_by_one(&mut self, kind: usize, times: usize) {
        for _ in 0..times {
            self.birth(kind);
            self.death(kind);
        }
    }

    fn text(&self) -> String {
        format!("v 10400 3\n{}c 0\n{}c 64\n", self.head, self.events)
    }

    #[track_caller]
    fn plan(&self) -> Value {
        let directory = Directory::new();
        let trace = directory.file("a.heaptrack", self.text());
        plan_json(&directory, &trace)["traces"][0].take()
    }
}

/// The classes that are proposed, in order.
fn classes(trace: &Value) -> Vec<&str> {
    let first = trace["pool_first"].as_array().unwrap();
    first.iter().map(|proposal| proposal["class"].as_str().unwrap()).collect()
}

#[test]
fn the_busy_small_type_comes_before_the_rare_large_one() {
    let mut recording = Recording::default();
    let small = recording.kind(24, "operator new(unsigned long) < spawn() < main");
    let large = recording.kind(1 << 20, "operator new(unsigned long) < load() < main");
    recording.churn(large, 99);
    recording.churn(small, 99_922);
    let trace = recording.plan();
    assert_eq!(classes(&trace), ["24"]);
    let first = &trace["pool_first"][0];
    assert_eq!((&first["calls"], &first["calls_saved"]), (&99_922.into(), &99_872.into()));
    assert!((first["share_of_calls"].as_f64().unwrap() - 99_872.0 / 100_021.0).abs() < 1e-12);
    assert_eq!(first["callers"][0]["function"], "spawn()");
    assert_eq!(first["callers"][0]["stack"], serde_json::json!(["spawn()", "main"]));
}

#[test]
fn a_buffer_that_grows_is_no_case_for_a_pool() {
    let mut recording = Recording::default();
    let sizes: Vec<usize> =
        (4..12).map(|n| recording.kind(1 << n, "grow < append < main")).collect();
    let node = recording.kind(48, "insert < main");
    for _ in 0..100 {
        recording.birth(sizes[0]);
        for pair in sizes.windows(2) {
            recording.death(pair[0]);
            recording.birth(pair[1]);
        }
        recording.death(sizes[7]);
        recording.churn(node, 50);
    }
    let trace = recording.plan();
    assert_eq!(classes(&trace), ["48"]);
    let growing = &trace["growing_buffers"][0];
    assert_eq!(growing["function"], "grow");
    assert_eq!((&growing["bytes_min"], &growing["bytes_max"]), (&16.into(), &2048.into()));
}

#[test]
fn many_sizes_from_one_place_are_a_case_for_size_classes() {
    let mut recording = Recording::default();
    let sizes: Vec<usize> = (17..57).map(|n| recording.kind(n, "text < parse < main")).collect();
    // The same place asks for a few large ones, which no allocator of size classes serves.
    let large = recording.kind(1 << 20, "text < parse < main");
    (0..30).for_each(|_| recording.birth(large));
    let mut random = Random(1);
    for _ in 0..40 {
        let texts: Vec<usize> =
            (0..400).map(|_| sizes[random.below(sizes.len() as u64) as usize]).collect();
        texts.iter().for_each(|&kind| recording.birth(kind));
        texts.iter().for_each(|&kind| recording.death(kind));
    }
    let trace = recording.plan();
    assert_eq!(classes(&trace), ["17-56"]);
    let first = &trace["pool_first"][0];
    assert_eq!((&first["means"], &first["calls_saved"]), (&"size-classes".into(), &15_600.into()));
    let why = first["why"].as_str().unwrap();
    assert!(why.contains("millpond plan --size-classes=56 --no-report "), "{why}");
}

#[test]
fn what_libraries_allocate_for_themselves_comes_last_or_not_at_all() {
    let libc = "/lib/x86_64-linux-gnu/libc.so.6";
    let cpp = "/lib/x86_64-linux-gnu/libstdc++.so.6";
    let font = "/usr/lib/x86_64-linux-gnu/libfontconfig.so.1";
    let mut recording = Recording::default();
    let file = recording.kind(472, &format!("__fopen_internal@{libc} < open < main"));
    let locale = recording.kind(16, &format!("std::locale::locale()@{cpp} < format < main"));
    let fonts = recording.kind(40, &format!("FcPatternCreate@{font} < text < main"));
    let node = recording.kind(56, &format!("operator new(unsigned long)@{cpp} < insert < main"));
    for (kind, times) in [(file, 5000), (locale, 3000), (fonts, 2000), (node, 1000)] {
        recording.churn(kind, times);
    }
    let trace = recording.plan();
    assert_eq!(classes(&trace), ["56", "472", "16", "40"]);
    let inside: Vec<&Value> =
        trace["pool_first"].as_array().unwrap().iter().map(|p| &p["inside"]).collect();
    assert_eq!(inside[0], &Value::Null);
    assert_eq!(inside[1..], ["libc", "libstdc++", "libfontconfig.so.1"]);

    let mut recording = Recording::default();
    let file = recording.kind(472, &format!("__fopen_internal@{libc} < open < main"));
    recording.churn(file, 5000);
    assert!(classes(&recording.plan()).is_empty(), "nothing that the program can do");
}

#[test]
fn a_library_that_does_the_work_is_the_program() {
    let jq = "/usr/lib/x86_64-linux-gnu/libjq.so.1";
    let mut recording = Recording::default();
    let text = recording.kind(32, &format!("jv_string@{jq} < jq_next@{jq} < main"));
    let other = recording.kind(64, "main");
    recording.churn(text, 5000);
    recording.churn(other, 500);
    let trace = recording.plan();
    assert_eq!(classes(&trace), ["32", "64"]);
    assert!(trace["pool_first"][0].get("inside").is_none());
}

#[test]
fn wrappers_are_skipped_by_what_they_do_and_by_name() {
    let mut recording = Recording::default();
    let stacks = ["take < parse < main", "take < run < main", "take < run < main"];
    let kinds: Vec<usize> = [16, 24, 40]
        .iter()
        .zip(stacks)
        .map(|(&bytes, stack)| recording.kind(bytes, stack))
        .collect();
    for (&kind, times) in kinds.iter().zip([500, 400, 300]) {
        recording.churn(kind, times);
    }
    let trace = recording.plan();
    assert_eq!(trace["skipped_wrappers"][0]["function"], "take");
    let callers: Vec<&Value> = trace["pool_first"]
        .as_array()
        .unwrap()
        .iter()
        .map(|proposal| &proposal["callers"][0]["function"])
        .collect();
    assert_eq!(callers, ["parse", "run", "run"]);

    let directory = Directory::new();
    directory.file("a.heaptrack", recording.text());
    let arguments = ["plan", "--json", "--skip-caller", "ru*", "a.heaptrack"];
    let text = done(&millpond(&directory).args(arguments).output().unwrap());
    let json: Value = serde_json::from_str(&text).unwrap();
    let second = &json["traces"][0]["pool_first"][1];
    assert_eq!(second["callers"][0]["function"], "main");
}

#[test]
fn nothing_worth_pooling_is_said_plainly() {
    let directory = Directory::new();
    // 37 classes with 257 births, of which most live until the end.
    let mut text = "tick,event,id,class\n".to_owned();
    for id in 0..257 {
        let _ = writeln!(text, "{id},alloc,{id},Kind{}", id % 37);
        if id % 5 == 0 {
            let _ = writeln!(text, "{id},free,{id},Kind{}", id % 37);
        }
    }
    let trace = directory.file("a.csv", text);
    assert!(classes(&plan_json(&directory, &trace)["traces"][0]).is_empty());
    let said = done(&millpond(&directory).args(["plan", "--no-report", "a.csv"]).output().unwrap());
    assert!(said.contains("Nothing is worth pooling: for no class would a pool save"), "{said}");
    assert!(!said.contains("and refuse none"), "{said}");
}

#[test]
fn lifetime_traces_are_ranked_by_births() {
    let directory = Directory::new();
    let mut text = "tick,event,id,class,size\n".to_owned();
    let mut id = 0;
    for (class, births, size) in [("Level", 150, 1 << 20), ("Spark", 4000, 16), ("Puff", 900, 64)] {
        for _ in 0..births {
            let _ = writeln!(text, "5,alloc,{id},{class},{size}\n5,free,{id},{class},{size}");
            id += 1;
        }
    }
    let trace = directory.file("a.csv", text);
    let json = plan_json(&directory, &trace);
    assert_eq!(classes(&json["traces"][0]), ["Spark", "Puff", "Level"]);
    let first = &json["traces"][0]["pool_first"][0];
    assert_eq!((&first["slots"], &first["bytes"]), (&2.into(), &32.into()));
    assert_eq!(first["callers"], serde_json::json!([]));
}

#[test]
fn what_the_allocator_has_at_hand_is_no_case_for_a_pool() {
    let mut recording = Recording::default();
    let copy = recording.kind(24, "copy_key < find < main");
    let node = recording.kind(56, "insert < main");
    recording.one_by_one(copy, 9000);
    recording.churn(node, 1000);
    let trace = recording.plan();
    assert_eq!(classes(&trace), ["56"]);
    let cheap = &trace["served_at_hand"][0];
    assert_eq!((&cheap["class"], &cheap["calls_saved"]), (&"24".into(), &8999.into()));
    assert_eq!(cheap["calls_at_hand"], 8999);
    // Seven of each crowd but the first find a block at hand.
    assert_eq!(trace["pool_first"][0]["calls_at_hand"], 19 * 7);

    let directory = Directory::new();
    directory.file("a.heaptrack", recording.text());
    let plan = |more: &[&str]| {
        let command = ["plan", "--no-report", "a.heaptrack"];
        done(&millpond(&directory).args(command).args(more).output().unwrap())
    };
    let said = plan(&[]);
    let line = "No pool for 24 bytes of copy_key < find < main: 8,999 of 10,000 calls (90 %)";
    assert!(said.contains(line), "{said}");
    // An allocator that keeps nothing at hand is slow each time.
    let said = plan(&["--blocks-at-hand", "0"]);
    assert!(said.contains(" 1. 24 bytes: a pool of 2 slots (48 B) saves 8,999"), "{said}");
}

/// What sqlite's parser is beside its registers: a few calls that the allocator has nothing at hand for, and very many
/// for which it has.
#[test]
fn a_much_busier_size_at_hand_is_worth_a_measurement() {
    let plan = |times_at_hand: usize| {
        let mut recording = Recording::default();
        let parser = recording.kind(2432, "parse < main");
        let register = recording.kind(32, "grow < step < main");
        recording.churn(parser, 800);
        recording.one_by_one(register, times_at_hand);
        let directory = Directory::new();
        let trace = directory.file("a.heaptrack", recording.text());
        let mut command = millpond(&directory);
        let said = done(&command.args(["plan", "--no-report"]).arg(trace).output().unwrap());
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let said = plan(40_000);
    assert!(said.contains("Begin with the 2432 bytes that parse allocates"), "{said}");
    assert!(
        said.contains("Or measure first: --measure shows whether a pool for the 32 bytes, 98 %"),
        "{said}"
    );
    assert!(!plan(2000).contains("Or measure first"), "as busy as the other");
}
