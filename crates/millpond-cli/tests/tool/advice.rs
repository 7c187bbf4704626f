//! What `millpond plan` advises, on recordings in which it is known what is right.

use std::fmt::Write as _;

use crate::common::{Directory, Random, done, millpond, plan_json, refused};
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
            // Every function allocates on one line: its instruction is told by its name. `?` has none.
            let frame = match self.strings[function - 1].as_str() {
                "?" => String::new(),
                _ => format!(" {function:x} 0 0"),
            };
            let _ = writeln!(self.head, "i {function:x} {module:x}{frame}");
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
        format!("v 10400 3\n{}c 0\n{}c a\n", self.head, self.events)
    }

    #[track_caller]
    fn plan(&self) -> Value {
        let directory = Directory::new();
        let trace = directory.file("a.heaptrack", self.text());
        plan_json(&directory, &trace)["traces"][0].take()
    }
}

/// The proposals of pools and of size classes for one place, in order.
fn proposals(trace: &Value) -> Vec<&Value> {
    let kinds = ["pool", "shared-pool", "size-classes"].map(Value::from);
    let all = trace["pool_first"].as_array().unwrap();
    all.iter().filter(|proposal| kinds.contains(&proposal["kind"])).collect()
}

/// Their classes.
fn classes(trace: &Value) -> Vec<&str> {
    proposals(trace).iter().map(|proposal| proposal["class"].as_str().unwrap()).collect()
}

/// The first proposal of a kind.
#[track_caller]
fn of_kind<'t>(trace: &'t Value, kind: &str) -> &'t Value {
    let all = trace["pool_first"].as_array().unwrap();
    all.iter().find(|proposal| proposal["kind"] == kind).unwrap()
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
    for _ in 0..400 {
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
    let growing = of_kind(&trace, "reserve");
    assert_eq!(growing["callers"][0]["function"], "grow");
    assert_eq!((&growing["calls"], &growing["calls_saved"]), (&3200.into(), &2800.into()));
    assert_eq!(growing["class"], "16-2048");
}

/// 73 % of the calls of the place have one size.
#[test]
fn a_place_with_few_resizes_is_no_buffer_that_grows() {
    let mut recording = Recording::default();
    let sizes = [24, 48, 96, 192].map(|bytes| recording.kind(bytes, "take < parse < main"));
    for _ in 0..400 {
        recording.churn(sizes[0], 30);
        recording.birth(sizes[0]);
        for pair in sizes.windows(2) {
            recording.death(pair[0]);
            recording.birth(pair[1]);
        }
        recording.death(sizes[3]);
    }
    let trace = recording.plan();
    assert!(trace["pool_first"].as_array().unwrap().iter().all(|of| of["kind"] != "reserve"));
    assert_eq!(classes(&trace)[0], "24");
}

/// The nodes of a document: from several places, of several sizes, all alive until the end.
#[test]
fn what_is_built_up_and_goes_together_is_a_case_for_an_arena() {
    for dies in [false, true] {
        let mut recording = Recording::default();
        let kinds = [
            recording.kind(120, "new_node < parse < main"),
            recording.kind(32, "copy_name < parse < main"),
        ];
        let order: Vec<usize> = (0..6000).map(|n| kinds[n % 3 / 2]).collect();
        order.iter().for_each(|&kind| recording.birth(kind));
        if dies {
            order.iter().for_each(|&kind| recording.death(kind));
        }
        let trace = recording.plan();
        let first = &trace["pool_first"][0];
        assert_eq!((&first["kind"], &first["calls"]), (&"arena".into(), &6000.into()), "{first}");
        // A quarter more than the 4,000 nodes and 2,000 names.
        assert_eq!(first["bytes"], (4000 * 120 + 2000 * 32) * 5 / 4);
        assert!(classes(&trace).is_empty(), "no slot is used again");
    }
}

#[test]
fn sizes_of_many_places_are_a_case_for_size_classes_of_the_whole_program() {
    let mut recording = Recording::default();
    let kinds: Vec<usize> =
        (1..=40).map(|n| recording.kind(n * 8, &format!("place{n} < main"))).collect();
    let library = recording.kind(64, "__fopen_internal@/lib/x86_64-linux-gnu/libc.so.6 < main");
    for _ in 0..40 {
        for &kind in &kinds {
            recording.churn(kind, 10);
        }
        recording.churn(library, 10);
    }
    let trace = recording.plan();
    let first = &trace["pool_first"][0];
    assert_eq!((&first["kind"], &first["number"]), (&"program-size-classes".into(), &1.into()));
    // All but the library's; the largest sizes may be left out for the last 3 %.
    let calls = first["calls"].as_u64().unwrap();
    assert!((15_500..=16_000).contains(&calls), "{calls}");
    assert!(first["slot_bytes"].as_array().unwrap().len() <= 12);
}

/// However much its prices promise: a program may crash under another allocator, or become slower.
#[test]
fn another_allocator_is_something_to_try_and_never_a_proposal() {
    let mut recording = Recording::default();
    let kinds: Vec<usize> =
        (1..=40).map(|n| recording.kind(n * 8, &format!("place{n} < main"))).collect();
    for _ in 0..40 {
        kinds.iter().for_each(|&kind| recording.churn(kind, 10));
    }
    let directory = Directory::new();
    directory.file("a.heaptrack", recording.text());
    let plan = |prices: &str, more: &[&str]| {
        let command = ["plan", "--no-report", "--prices", prices, "a.heaptrack"];
        done(&millpond(&directory).args(command).args(more).output().unwrap())
    };
    let json: Value = serde_json::from_str(&plan("fast=1/1/2", &["--json"])).unwrap();
    let trace = &json["traces"][0];
    let proposals = trace["pool_first"].as_array().unwrap();
    assert!(!proposals.is_empty() && proposals.iter().all(|of| of["kind"] != "allocator"));
    let other = &trace["allocators"][0];
    assert_eq!((&other["name"], &other["start_ms"]), (&"fast".into(), &Value::Null));
    assert!(other["warning"].as_str().unwrap().contains("may crash"), "{other}");
    assert!(other["time_saved"]["low_ms"].as_f64().unwrap() > 0.0, "{other}");
    let said = plan("fast=1/1/2", &[]).split_whitespace().collect::<Vec<_>>().join(" ");
    let (first, others) = said.split_once("Other allocators to try").unwrap();
    assert!(first.contains("Begin with") && !first.contains("fast"), "{first}");
    for part in ["fast: saves", "start not counted", "LD_PRELOAD=libfast.so ./program", "may crash"]
    {
        assert!(others.contains(part), "{part}: {others}");
    }
    assert!(!plan("reference", &[]).contains("Other allocators"));
    // One that is slower says so, and comes last.
    let said = plan("slow=900/900/900,fast=1/1/2", &[]);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let (fast, slow) = said.split_once("slow: takes ").expect(&said);
    assert!(fast.contains("fast: saves") && slow.contains(" ms more (by prices)"), "{said}");
    assert!(!slow.contains("0.00 %"), "{said}");
}

/// Texts of many sizes, which this stack allocates.
fn texts(stack: &str) -> Recording {
    let mut recording = Recording::default();
    let sizes: Vec<usize> = (17..57).map(|n| recording.kind(n, stack)).collect();
    // The same place asks for a few large ones, which no allocator of size classes serves.
    let large = recording.kind(1 << 20, stack);
    (0..30).for_each(|_| recording.birth(large));
    // One text stays, so that an arena would never be empty.
    recording.birth(sizes[0]);
    let mut random = Random(1);
    for _ in 0..40 {
        let texts: Vec<usize> =
            (0..400).map(|_| sizes[random.below(sizes.len() as u64) as usize]).collect();
        texts.iter().for_each(|&kind| recording.birth(kind));
        texts.iter().for_each(|&kind| recording.death(kind));
    }
    recording
}

#[test]
fn a_program_without_names_is_no_place_and_is_told_once() {
    let directory = Directory::new();
    directory.file("a.heaptrack", texts("?").text());
    let plan = |more: &str| {
        let command = ["plan", "--no-report", "--prices", "reference", more, "a.heaptrack"];
        done(&millpond(&directory).args(command).output().unwrap())
    };
    let json: Value = serde_json::from_str(&plan("--json")).unwrap();
    let all = json["traces"][0]["pool_first"].as_array().unwrap();
    assert_eq!(all[0]["kind"], "program-size-classes");
    assert!(all.iter().all(|one| one["kind"] != "size-classes"), "{all:?}");
    let said = plan("--all");
    assert_eq!(said.matches("with debug symbols").count(), 1, "{said}");
    // A caller that has a name is a place, but not the one that allocates.
    directory.file("a.heaptrack", texts("? < parse < main").text());
    let said = plan("--all");
    assert!(said.contains("100 % (no name) < parse < main"), "{said}");
    assert_eq!(said.matches("with debug symbols").count(), 1, "{said}");
}

#[test]
fn many_sizes_from_one_place_are_a_case_for_size_classes() {
    let trace = texts("text < parse < main").plan();
    assert_eq!(classes(&trace), ["17-56"]);
    let first = &trace["pool_first"][0];
    assert_eq!((&first["kind"], &first["calls_saved"]), (&"size-classes".into(), &15_600.into()));
    // 400 at once of 36.5 bytes on average, in slots of 32, 48 and 64 bytes, and a quarter more.
    assert!(first["bytes"].as_u64().unwrap() > 20_000, "{first}");
    let why = first["why"].as_str().unwrap();
    assert!(why.contains("millpond plan --size-classes=56 --no-report "), "{why}");
}

#[test]
fn what_libraries_allocate_for_themselves_is_told_apart() {
    let libc = "/lib/x86_64-linux-gnu/libc.so.6";
    let cpp = "/lib/x86_64-linux-gnu/libstdc++.so.6";
    let zlib = "/usr/lib/x86_64-linux-gnu/libz.so.1";
    let mut recording = Recording::default();
    let file = recording.kind(472, &format!("__fopen_internal@{libc} < open < main"));
    let locale = recording.kind(16, &format!("std::locale::locale()@{cpp} < format < main"));
    let window = recording.kind(40, &format!("inflateInit2_@{zlib} < unpack < main"));
    let node = recording.kind(56, &format!("operator new(unsigned long)@{cpp} < insert < main"));
    for (kind, times) in [(file, 5000), (locale, 3000), (window, 2000), (node, 1000)] {
        recording.churn(kind, times);
    }
    let trace = recording.plan();
    assert_eq!(classes(&trace), ["56"]);
    let libraries = trace["inside_libraries"].as_array().unwrap();
    let names: Vec<&Value> = libraries.iter().map(|library| &library["name"]).collect();
    assert_eq!(names, ["libc", "libstdc++", "libz.so.1"]);
    assert!(libraries[0]["hook"].is_null());
    assert!(libraries[2]["hook"].as_str().unwrap().contains("zalloc"));

    let mut recording = Recording::default();
    let file = recording.kind(472, &format!("__fopen_internal@{libc} < open < main"));
    recording.churn(file, 5000);
    let trace = recording.plan();
    assert!(trace["pool_first"].as_array().unwrap().is_empty(), "nothing that the program can do");
}

#[test]
fn a_library_that_does_the_work_is_the_program() {
    let jq = "/usr/lib/x86_64-linux-gnu/libjq.so.1";
    let mut recording = Recording::default();
    let text = recording.kind(32, &format!("jv_string@{jq} < jq_next@{jq} < main"));
    let other = recording.kind(64, "main");
    recording.churn(text, 5000);
    recording.churn(other, 1500);
    let trace = recording.plan();
    assert_eq!(classes(&trace), ["32", "64"]);
    assert!(trace["inside_libraries"].as_array().unwrap().is_empty());
}

#[test]
fn wrappers_are_skipped_by_what_they_do_and_by_name() {
    let mut recording = Recording::default();
    let stacks = ["take < parse < main", "take < run < main", "take < run < main"];
    let kinds: Vec<usize> = [16, 48, 80]
        .iter()
        .zip(stacks)
        .map(|(&bytes, stack)| recording.kind(bytes, stack))
        .collect();
    for (&kind, times) in kinds.iter().zip([5000, 4000, 3000]) {
        recording.churn(kind, times);
    }
    let trace = recording.plan();
    assert_eq!(trace["skipped_wrappers"][0]["function"], "take");
    let proposals = proposals(&trace);
    let callers: Vec<&Value> =
        proposals.iter().map(|proposal| &proposal["callers"][0]["function"]).collect();
    assert_eq!(callers, ["parse", "run", "run"]);

    let directory = Directory::new();
    directory.file("a.heaptrack", recording.text());
    let arguments = ["plan", "--json", "--skip-caller", "ru*", "a.heaptrack"];
    let text = done(&millpond(&directory).args(arguments).output().unwrap());
    let json: Value = serde_json::from_str(&text).unwrap();
    let second = super::advice::proposals(&json["traces"][0])[1];
    assert_eq!(
        (&second["class"], &second["callers"][0]["function"]),
        (&"48".into(), &"main".into())
    );
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
    assert!(
        said.contains("Nothing is worth pooling for time: no change saves 0.1 ms. No object"),
        "{said}"
    );
    assert!(!said.contains("and refuse none"), "{said}");
}

#[test]
fn lifetime_traces_are_ranked_by_time() {
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
    assert_eq!(classes(&json["traces"][0]), ["Spark", "Level", "Puff"]);
    let first = &json["traces"][0]["pool_first"][0];
    assert_eq!((&first["slots"], &first["bytes"]), (&2.into(), &32.into()));
    assert_eq!(first["callers"], serde_json::json!([]));
}

#[test]
fn calls_count_by_their_price() {
    let mut recording = Recording::default();
    let copy = recording.kind(24, "copy_key < find < main");
    let node = recording.kind(56, "insert < main");
    recording.one_by_one(copy, 9000);
    recording.churn(node, 2000);
    let trace = recording.plan();
    assert_eq!(classes(&trace), ["24", "56"]);
    assert_eq!(proposals(&trace)[0]["calls_at_hand"], 8999);
    // Seven of each crowd but the first find a block at hand.
    assert_eq!(proposals(&trace)[1]["calls_at_hand"], 39 * 7);

    let directory = Directory::new();
    directory.file("a.heaptrack", recording.text());
    let plan = |more: &[&str]| {
        let command = ["plan", "--json", "a.heaptrack"];
        let text = done(&millpond(&directory).args(command).args(more).output().unwrap());
        serde_json::from_str::<Value>(&text).unwrap()["traces"][0].take()
    };
    // Calls at hand that cost what a pool costs are not worth one.
    assert_eq!(classes(&plan(&["--prices", "at-hand=4..8"])), ["56"]);
    // An allocator that keeps nothing at hand is slow each time.
    let trace = plan(&["--prices", "at-hand=4..8", "--blocks-at-hand", "0"]);
    assert_eq!(classes(&trace), ["24", "56"]);
}

/// `Vec<Box<Spark>>`: nearly all calls are at hand, and yet a pool is twice as fast.
#[test]
fn a_plain_loop_over_boxes_is_worth_a_pool() {
    let mut recording = Recording::default();
    let spark = recording.kind(56, "spawn < main");
    for _ in 0..4000 {
        (0..6).for_each(|_| recording.birth(spark));
        (0..6).for_each(|_| recording.death(spark));
    }
    let trace = recording.plan();
    let first = &trace["pool_first"][0];
    assert_eq!((&first["kind"], &first["class"]), (&"pool".into(), &"56".into()));
    assert!(first["calls_at_hand"].as_u64().unwrap() > 23_900, "{first}");
    assert!(first["time_saved"]["low_ms"].as_f64().unwrap() > 0.1, "{first}");
}

#[test]
fn below_the_threshold_the_best_change_is_named_all_the_same() {
    let mut recording = Recording::default();
    let node = recording.kind(56, "insert < main");
    recording.churn(node, 300);
    let trace = recording.plan();
    assert!(trace["pool_first"].as_array().unwrap().is_empty());
    assert_eq!(trace["best_of_none"]["class"], "56");
    let directory = Directory::new();
    directory.file("a.heaptrack", recording.text());
    let command = ["plan", "--no-report", "--prices", "reference", "a.heaptrack"];
    let said = done(&millpond(&directory).args(command).output().unwrap());
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let threshold =
        "no change saves 0.1 ms or 0.1 % of the recording's time. The best is 56 bytes of insert:";
    assert!(said.contains(threshold), "{said}");
}

/// Lists of pointers to things of 20 and 32 bytes: each is born before its node and freed before it.
fn lists(rounds: usize) -> Recording {
    let mut recording = Recording::default();
    let thing = recording.kind(20, "spawn < main");
    let big = recording.kind(32, "spawn_big < main");
    let node = recording.kind(24, "push < main");
    let text = recording.kind(100, "say < main");
    for round in 0..rounds {
        for value in [thing, thing, thing, big] {
            recording.birth(value);
            recording.birth(node);
        }
        // Something else now and then, and between the nodes of a pair.
        recording.one_by_one(text, round % 2);
        for value in [thing, thing, thing, big] {
            recording.death(value);
            if round % 50 == 0 {
                recording.one_by_one(text, 1);
            }
            recording.death(node);
        }
    }
    recording
}

#[test]
fn values_that_are_born_and_freed_with_a_node_are_better_kept_packed() {
    let trace = lists(2_000).plan();
    let first = &trace["pool_first"][0];
    assert_eq!((&first["kind"], &first["class"]), (&"packed".into(), &"20-32".into()), "{trace}");
    assert_eq!((&first["calls"], &first["calls_saved"]), (&16_000.into(), &15_996.into()));
    // Three of 20 bytes and one of 32, and a quarter more; no slot for a node.
    assert_eq!((&first["slots"], &first["bytes"]), (&6.into(), &(4 * 20 + 2 * 32).into()));
    let why = first["why"].as_str().unwrap();
    assert!(
        why.contains("keeping the values of 20 and 32 bytes themselves in packed pools of 6 slots"),
        "{why}"
    );
    assert!(
        why.contains("a block of 24 bytes for each") && why.contains("mp_packed, in millpond.h"),
        "{why}"
    );
    let best_pool =
        trace["pool_first"].as_array().unwrap().iter().find(|of| of["kind"] != "packed");
    let ms = |of: &Value| of["time_saved"]["high_ms"].as_f64().unwrap();
    assert!(
        best_pool.is_some_and(|pool| ms(pool) < ms(first)),
        "the pools are still there: {trace}"
    );
}

/// Whether packed pools are among what the plan proposes.
fn is_packed(recording: &Recording) -> bool {
    let trace = recording.plan();
    let all = trace["pool_first"].as_array().unwrap().iter();
    all.chain([&trace["best_of_none"]]).any(|of| of["kind"] == "packed")
}

/// Lists of pointers that are made anew in each round: first all objects are deleted, and then the list.
#[test]
fn a_list_that_is_torn_down_as_a_whole_is_better_kept_packed() {
    let rebuilt = |rounds: usize| {
        let mut recording = Recording::default();
        let things = [20, 32, 40].map(|size| recording.kind(size, "spawn < main"));
        let node = recording.kind(24, "push < main");
        let all = || (0..500).map(|n| things[n % 3]);
        for _ in 0..rounds {
            all()
                .for_each(|thing| [thing, node].into_iter().for_each(|kind| recording.birth(kind)));
            all().for_each(|thing| recording.death(thing));
            all().for_each(|_| recording.death(node));
        }
        recording
    };
    let first = &rebuilt(40).plan()["pool_first"][0];
    let why = first["why"].as_str().unwrap();
    assert_eq!(first["kind"], "packed", "{why}");
    assert!(why.contains("keeping the values of 20, 32 and 40 bytes themselves"), "{why}");
    // Filled once, a pool only takes memory that nobody has used.
    assert!(!is_packed(&rebuilt(1)));
}

/// The recording of `case-studies/jsonnetfmt`, with a list of pointers that is filled once.
#[test]
fn of_a_real_list_that_is_filled_once_nothing_is_promised() {
    let directory = Directory::new();
    let recording =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../case-studies/jsonnetfmt/recording.zst");
    let trace = &plan_json(&directory, recording.as_ref())["traces"][0];
    assert_eq!((&trace["lifetimes"], &trace["peak_live"]), (&309_392.into(), &96_349.into()));
    let proposals = trace["pool_first"].as_array().unwrap();
    assert_eq!(proposals[0]["kind"], "arena");
    let function = proposals[0]["callers"][0]["function"].as_str().unwrap();
    assert!(function.starts_with("jsonnet_lex("), "{function}");
    assert!(proposals.iter().all(|of| of["kind"] != "packed"));
}

#[test]
fn sizes_that_only_meet_by_chance_are_no_pairs() {
    // Born in pairs, freed apart: the nodes of a list that is cleared at once, of objects that live on.
    let mut recording = Recording::default();
    let (thing, node) = (recording.kind(20, "spawn < main"), recording.kind(24, "push < main"));
    for _ in 0..500 {
        (0..4).for_each(|_| [thing, node].into_iter().for_each(|kind| recording.birth(kind)));
        (0..4).for_each(|_| recording.death(node));
        (0..4).for_each(|_| recording.death(thing));
    }
    assert!(!is_packed(&recording));
    // The nodes of another container are half of all of that size.
    let mut recording = lists(500);
    recording.churn(2, 2_000);
    assert!(!is_packed(&recording));
    // Few, and in a library, which nobody changes.
    assert!(!is_packed(&lists(10)));
    let mut recording = Recording::default();
    let inside = "@/lib/x86_64-linux-gnu/libc.so.6";
    let (thing, node) = (
        recording.kind(20, &format!("__fopen_internal{inside} < main")),
        recording.kind(24, &format!("__getdelim{inside} < main")),
    );
    for _ in 0..500 {
        [thing, node].into_iter().for_each(|kind| recording.birth(kind));
        [thing, node].into_iter().for_each(|kind| recording.death(kind));
    }
    assert!(!is_packed(&recording));
}

/// A recording of two seconds of a program that takes 40 ms without the recorder.
#[test]
fn shares_of_time_say_of_what_and_the_programs_own_time_may_be_given() {
    let mut recording = Recording::default();
    let node = recording.kind(56, "insert < main");
    recording.churn(node, 3000);
    let directory = Directory::new();
    directory.file("a.heaptrack", recording.text() + "c 7d0\n");
    let plan = |arguments: &[&str]| {
        let command = ["plan", "--prices", "reference", "a.heaptrack"];
        done(&millpond(&directory).args(command).args(arguments).output().unwrap())
    };
    let words = |said: &str| said.split_whitespace().collect::<Vec<_>>().join(" ");
    let json = |arguments: &[&str]| -> Value {
        serde_json::from_str::<Value>(&plan(&[arguments, &["--json"]].concat())).unwrap()["traces"]
            [0]
        .take()
    };
    let report = || words(&std::fs::read_to_string(directory.path().join("report.html")).unwrap());
    let of_recording = json(&[]);
    assert_eq!(
        of_recording["time"],
        serde_json::json!({"ms": 2001, "of": "recording", "is_slowed": true})
    );
    assert!(of_recording["pool_first"].as_array().unwrap().is_empty(), "{of_recording}");
    let recorder = "The recorder slows the program: what is saved is a larger share of the program's own time.";
    let said = words(&plan(&[]));
    assert!(said.contains(recorder) && said.contains("of the recording's time"), "{said}");
    assert!(said.contains("no change saves 0.1 ms or 0.1 % of the recording's time"), "{said}");
    assert!(report().contains(&recorder.replace('\'', "&#39;")) || report().contains(recorder));

    // The threshold is of the program's time, too: the same saving is worth a change in a program that takes 10 ms.
    let of_program = json(&["--run-ms", "10"]);
    assert_eq!(
        of_program["time"],
        serde_json::json!({"ms": 10, "of": "program", "is_slowed": false})
    );
    let (first, best) = (&of_program["pool_first"][0], &of_recording["best_of_none"]);
    assert_eq!(first["class"], "56");
    let share = |of: &Value| of["time_saved"]["high_share_of_time"].as_f64().unwrap();
    assert!((share(first) / share(best) - 200.1).abs() < 0.1, "{first} {best}");
    let said = words(&plan(&["--run-ms", "10"]));
    assert!(said.contains("of the program's time") && !said.contains("recorder slows"), "{said}");
    let said = words(&plan(&["--run-ms", "4000"]));
    assert!(
        said.contains("no change saves 0.1 ms or 0.1 % of the program's 4,000 ms (--run-ms)"),
        "{said}"
    );
    assert!(!report().contains("recorder slows"));

    let two = ["plan", "--run-ms", "10", "a.heaptrack", "a.heaptrack"];
    let line = refused(&millpond(&directory).args(two).output().unwrap());
    assert!(line.contains("--run-ms: expected one trace"), "{line}");
    let zero = ["plan", "--run-ms", "0", "a.heaptrack"];
    assert!(refused(&millpond(&directory).args(zero).output().unwrap()).contains("--run-ms"));
}

#[test]
fn prices_that_are_none_are_refused() {
    let directory = Directory::new();
    for wrong in ["", "gold=3", "pool=-1", "pool=1e99", "fast=1/2"] {
        let prices = format!("--prices={wrong}");
        let output = millpond(&directory).args(["plan", &prices, "a.csv"]).output().unwrap();
        assert!(refused(&output).contains("expected"), "{wrong}");
    }
}
