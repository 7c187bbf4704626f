//! Files that have sums by place and no single block: DHAT's and dhat-rs's.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::{
    Directory, Random, cut_short, done, gzip, millpond, millpond_reading, refused,
};

/// What valgrind's DHAT counted in a program of ten lines: 10,000 sparks of 32 bytes, two at a time, and a
/// level of 4,096 bytes that is never freed.
const SPARKS: &str = include_str!("../data/dhat-sparks.json");

/// What dhat-rs 0.3 counted in the same program in Rust.
const RUST_SPARKS: &str = include_str!("../data/dhat-rs-sparks.json");

/// What valgrind 3.19 counted in a program that frees a block of 1 MiB first, so that its peak is then: 1,000 blocks of 24
/// bytes that are all alive at once, 200 of 24 and of 136 bytes by turns, one that is resized fifty times, and five of
/// 2,000 bytes that are left.
const MIXED: &str = include_str!("../data/dhat-mixed.json");

fn file(directory: &Directory, name: &str, text: impl AsRef<[u8]>) -> Value {
    let file = directory.file(name, text);
    let output = millpond(directory).args(["plan", "--json"]).arg(file).output().unwrap();
    json_of(&done(&output))
}

fn json_of(text: &str) -> Value {
    let json: Value = text.parse().unwrap();
    assert_eq!(json["sums"].as_array().unwrap().len(), 1);
    json["sums"][0].clone()
}

/// The place of a function with blocks of this size, or of several.
fn place<'j>(json: &'j Value, function: &str, size: &Value) -> &'j Value {
    let places = json["places"].as_array().unwrap();
    let is_it = |place: &&Value| place["function"] == function && &place["size"] == size;
    places.iter().find(is_it).unwrap_or_else(|| panic!("{function}, {size}: {json}"))
}

fn at_once(place: &Value) -> [u64; 2] {
    ["at_least", "at_most"].map(|bound| place["at_once"][bound].as_u64().unwrap())
}

#[test]
fn counts_are_those_of_the_file() {
    let directory = Directory::new();
    for (text, format, spawn) in
        [(SPARKS, "dhat", "spawn"), (RUST_SPARKS, "dhat-rs", "sparks::spawn")]
    {
        let json = file(&directory, "sparks.json", text);
        assert_eq!((&json["format"], &json["created"]), (&format.into(), &10_001.into()));
        let places = json["places"].as_array().unwrap();
        let sparks = places.iter().filter(|place| place["function"] == spawn);
        assert_eq!(sparks.map(|place| place["created"].as_u64().unwrap()).sum::<u64>(), 10_000);
    }
    let json = file(&directory, "sparks.json", SPARKS);
    let level = place(&json, "load", &4096.into());
    assert_eq!(
        (&level["size_is"], at_once(level), &level["left"], &level["reserve"]),
        (&"counted".into(), [1, 1], &1.into(), &2.into())
    );
    assert_eq!(place(&json, "spawn", &32.into())["stack"], json!(["spawn", "main"]));
}

/// Since version 3.17, valgrind counts the blocks of a place only at peaks of the program: nothing is reserved by that.
#[test]
fn a_peak_that_was_not_counted_is_a_range() {
    let directory = Directory::new();
    let json = file(&directory, "dhat.out.123", MIXED);
    let small = place(&json, "small", &24.into());
    // All 1,000 are alive at once. On average over the run 219 are, so no fewer were at some moment.
    assert_eq!((&small["size_is"], at_once(small)), (&"counted".into(), [219, 1000]));
    assert_eq!((&small["reserve"], &small["at_once"]["is_counted"]), (&Value::Null, &false.into()));
    // What is left at the end was alive at once: exactly, if that is all of it.
    let left = place(&json, "main", &2000.into());
    assert_eq!(
        (&left["size_is"], at_once(left), &left["reserve"]),
        (&"assumed".into(), [5, 5], &7.into())
    );
}

#[test]
fn a_mean_of_sizes_is_no_size() {
    let directory = Directory::new();
    let json = file(&directory, "dhat.out.123", MIXED);
    let places = json["places"].as_array().unwrap();
    assert!(places.iter().all(|place| place["size"] != 80), "{json}");
    let mixed = places.iter().find(|place| place["mean_size"] == 80).unwrap();
    assert_eq!((&mixed["size_is"], &mixed["created"]), (&"several".into(), &200.into()));
    assert_eq!((&mixed["size"], &mixed["reserve"]), (&Value::Null, &Value::Null));
    let text = said(&directory, MIXED, &["--all"]);
    assert!(
        text.contains("main ~80 200") && text.contains("~: the place asks for several sizes"),
        "{text}"
    );
    // Without counts of accesses, one size is assumed, and that is said.
    let text = said(&directory, RUST_SPARKS, &[]);
    assert!(text.contains("32* 9,999 2") && text.contains("*: assumed"), "{text}");
}

/// A place of two call stacks: each has its peak, and both may have had it at once.
#[test]
fn peaks_of_call_stacks_are_added_up_where_they_were_counted() {
    let directory = Directory::new();
    let point = |frames: &str, blocks: u64, most: u64| {
        format!(
            "{{\"tb\":{},\"tbk\":{blocks},\"tl\":9,\"mb\":{},\"mbk\":{most},\"gb\":0,\"gbk\":0,\"eb\":0,\"ebk\":0,\
             \"fs\":{frames}}}",
            blocks * 48,
            most * 48
        )
    };
    let text = |mode: &str, version: u64| {
        format!(
            "{{\"dhatFileVersion\":{version},{mode}\"te\":100,\"pps\":[{},{}],\"ftbl\":[\"[root]\",\"0x1: spawn \
             (a.c:1)\",\"0x2: one (a.c:2)\",\"0x3: two (a.c:3)\"]}}\n",
            point("[1,2]", 100, 7),
            point("[1,3]", 100, 5)
        )
    };
    let json = file(&directory, "a.json", text("\"mode\":\"rust-heap\",", 2));
    let spawn = place(&json, "spawn", &48.into());
    assert_eq!(at_once(spawn), [7, 12]);
    assert_eq!((&spawn["reserve"], &spawn["call_stacks"]), (&15.into(), &2.into()));
    let version_1 = text("", 1).replace("\"pps\"", "\"aps\"").replace("\"te\"", "\"ei\"");
    let version_1 = version_1.replace("\"eb", "\"fb").replace("\"tl\"", "\"tli\"");
    let json = file(&directory, "a.json", version_1);
    assert_eq!(at_once(place(&json, "spawn", &48.into())), [7, 12], "valgrind 3.15");
    let json = file(&directory, "a.json", text("\"mode\":\"heap\",", 2));
    assert_eq!(place(&json, "spawn", &48.into())["reserve"], Value::Null, "valgrind 3.17");
}

/// A call stack may have had more blocks when the program had most bytes, or at its end, than when it had most bytes itself:
/// then that is its peak, of which the peak of the place is made.
#[test]
fn the_peak_of_a_call_stack_is_the_most_that_was_counted_at_any_moment() {
    let directory = Directory::new();
    // By moment: the stack's own peak of bytes, the program's, and its end.
    let point = |frames: &str, [most, at_peak, at_end]: [u64; 3]| {
        format!(
            "{{\"tb\":4800,\"tbk\":100,\"tl\":9,\"mb\":{},\"mbk\":{most},\"gb\":{},\"gbk\":{at_peak},\"eb\":{},\
             \"ebk\":{at_end},\"fs\":{frames}}}",
            most * 48,
            at_peak * 48,
            at_end * 48
        )
    };
    let peaks = |one, other| {
        let text = format!(
            "{{\"dhatFileVersion\":2,\"mode\":\"rust-heap\",\"te\":100,\"pps\":[{},{}],\"ftbl\":[\"[root]\",\"0x1: spawn \
             (a.c:1)\",\"0x2: one (a.c:2)\",\"0x3: two (a.c:3)\"]}}\n",
            point("[1,2]", one),
            point("[1,3]", other)
        );
        let json = file(&directory, "a.json", text);
        let spawn = place(&json, "spawn", &48.into());
        (at_once(spawn), spawn["reserve"].as_u64().unwrap())
    };
    // 5 of the other stack, and the peak of the first, wherever it was counted.
    for one in [[9, 0, 0], [2, 9, 0], [2, 0, 9]] {
        assert_eq!(peaks(one, [5, 0, 0]), ([9, 14], 18), "{one:?}");
        assert_eq!(peaks([5, 0, 0], one), ([9, 14], 18), "{one:?}");
    }
    // At one moment, both together.
    assert_eq!(peaks([2, 9, 0], [2, 5, 0]), ([14, 14], 18));
    assert_eq!(peaks([2, 0, 9], [2, 0, 5]), ([14, 14], 18));
}

fn said(directory: &Directory, text: impl AsRef<[u8]>, arguments: &[&str]) -> String {
    let file = directory.file("dhat.out", text);
    let mut command = millpond(directory);
    command.args(["plan", "--no-report"]).args(arguments).arg(file);
    let said = done(&command.output().unwrap());
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn nothing_is_said_that_needs_lives() {
    let directory = Directory::new();
    let text = said(&directory, MIXED, &["--all"]);
    for absent in ["or evict", "Checked", "How long objects live ", "handles", "Begin with"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
    assert!(text.contains("Counts only: nothing was replayed"), "{text}");
    assert!(text.contains("Since version 3.17, valgrind notes"), "{text}");
    assert!(!said(&directory, RUST_SPARKS, &[]).contains("3.17"));
    let dhat = directory.file("dhat.out", MIXED);
    for option in [
        &["--measure"][..],
        &["--size-classes"],
        &["--summary", "s.csv"],
        &["--budget", "b.toml"],
        &["--run-ms", "9"],
    ] {
        let output = millpond(&directory).arg("plan").args(option).arg(&dhat).output().unwrap();
        let line = refused(&output);
        assert!(line.contains(option[0]) && line.contains("sums by place"), "{line}");
    }
    for name in ["s.csv", "b.toml", "report.html"] {
        assert!(!directory.path().join(name).exists(), "{name}");
    }
    for command in [&["replay"][..], &["plan", "--wait-p99-ms", "5"]] {
        let line = refused(&millpond(&directory).args(command).arg(&dhat).output().unwrap());
        assert!(line.contains("file of DHAT, which has sums by place"), "{line}");
    }
    let trace = directory.file("a.csv", "tick,event,id,class\n0,alloc,1,A\n");
    let output = millpond(&directory).arg("plan").arg(trace).arg(&dhat).output().unwrap();
    assert!(refused(&output).contains("expected to be planned apart"));
}

#[test]
fn all_outputs_have_all_places() {
    let directory = Directory::new();
    let dhat = directory.file("dhat.out", MIXED);
    let run = |arguments: &[&str]| {
        done(&millpond(&directory).arg("plan").args(arguments).arg(&dhat).output().unwrap())
    };
    let csv = run(&["--csv"]);
    assert_eq!(csv.lines().count(), 6, "{csv}");
    assert!(csv.contains(",small,24,counted,24.000,1000,24000,219,1000,"), "{csv}");
    run(&["--top", "2"]);
    let html = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
    assert_eq!(html.matches("<tr><th class=\"key\"><span").count(), 5, "{html}");
    assert!(html.contains("small &lt; main") && html.contains("≥219"), "{html}");
    let text = said(&directory, MIXED, &["--top", "2"]);
    assert!(text.contains("and 3 more places (--all"), "{text}");
    assert!(!said(&directory, MIXED, &["--all"]).contains("more places"));
    let text = said(&directory, MIXED, &["--class", "sm*"]);
    assert!(text.contains("small 24 1,000") && !text.contains("main ~80"), "{text}");
    // Both names are in the code, and one of them only calls.
    let text = said(&directory, MIXED, &["--skip-caller", "small"]);
    assert!(text.contains("main 24 1,000"), "{text}");
}

#[test]
fn names_may_be_any_bytes() {
    let directory = Directory::new();
    let bytes: Vec<u8> =
        MIXED.replace("small", "sm@ll").bytes().map(|b| if b == b'@' { 0xe9 } else { b }).collect();
    let json = file(&directory, "a", &bytes);
    assert_eq!(place(&json, "sm\u{e9}ll", &24.into())["created"], 1000, "Latin-1");
    let text = said(&directory, MIXED.replace("small", "sm\u{1b}[31mll"), &[]);
    assert!(text.contains("sm\\u{1b}[31mll") && !text.contains('\u{1b}'), "{text}");
    let halves = MIXED.replace("small", "sm\\ud800ll").replace("./t", "\\u0001\\n");
    assert_eq!(file(&directory, "a", halves)["created"], 1257, "half a character");
    assert_eq!(file(&directory, "a", ["\u{feff}", MIXED].concat())["created"], 1257, "marked");
    let utf16: Vec<u8> =
        std::iter::once(0xfeff).chain(MIXED.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(file(&directory, "a", utf16)["created"], 1257, "UTF-16");
    assert_eq!(file(&directory, "a", gzip(MIXED.as_bytes()))["created"], 1257, "compressed");
    let output = millpond_reading(&directory, &["plan", "--json", "-"], MIXED.as_bytes());
    assert_eq!(json_of(&done(&output))["created"], 1257, "a pipe");
}

#[test]
fn a_file_that_is_cut_is_planned_up_to_its_end() {
    let directory = Directory::new();
    for text in [SPARKS, RUST_SPARKS, MIXED] {
        let first = text.find("\"fs\"").unwrap();
        let mut planned = 0;
        for cut in (0..text.trim_end().len()).step_by(61) {
            let file = directory.file("a.json", &text[..cut]);
            let plan = |options: &[&str]| {
                millpond(&directory)
                    .args(["plan", "--json"])
                    .args(options)
                    .arg(&file)
                    .output()
                    .unwrap()
            };
            let output = plan(&[]);
            if output.status.code() != Some(3) {
                let line = refused(&output);
                let is_known = ["cut short", "is empty", "expected a lifetime trace", "this is"];
                assert!(is_known.iter().any(|part| line.contains(part)), "{cut}: {line}");
                continue;
            }
            planned += 1;
            assert!(cut > first, "{cut}");
            let json = json_of(&cut_short(&output));
            assert_eq!(
                (json["peak_bytes"].clone(), &json["cut"]["ends"]),
                (Value::Null, &"text".into())
            );
            assert!(refused(&plan(&["--whole"])).contains("cut short"));
        }
        assert!(planned > 3, "{planned}");
    }
    // All call stacks are there, and the last name is not.
    let cut = &MIXED[..MIXED.trim_end().len() - 4];
    let file = directory.file("a.json", cut);
    let output = millpond(&directory).args(["plan", "--json"]).arg(&file).output().unwrap();
    let json = json_of(&cut_short(&output));
    let line = 1 + cut.matches('\n').count();
    let begins = cut.rfind('\n').unwrap() + 1;
    assert_eq!((&json["created"], &json["cut"]["line"]), (&1257.into(), &line.into()));
    assert_eq!(json["cut"]["byte"], begins);
    let zipped = gzip(MIXED.as_bytes());
    let file = directory.file("a.json.gz", &zipped[..zipped.len() - 30]);
    let output = millpond(&directory).args(["plan", "--json"]).arg(&file).output().unwrap();
    assert_eq!(json_of(&cut_short(&output))["cut"]["ends"], "gzip data");
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    let directory = Directory::new();
    let point = |inside: &str| {
        format!(
            "{{\"dhatFileVersion\":2,\"mode\":\"heap\",\"pps\":[{{{inside}}}],\"ftbl\":[\"[root]\"]}}"
        )
    };
    let nested = "[".repeat(200_000);
    let unknown = format!("{{\"dhatFileVersion\":2,\"a\":{nested}");
    let nested = format!("{{\"dhatFileVersion\":2,\"pps\":{nested}");
    for (text, part) in [
        (
            "{\"dhatFileVersion\":3,\"pps\":[],\"ftbl\":[]}",
            "version 3 of DHAT's file, expected 1 or 2",
        ),
        ("{\"dhatFileVersion\":\"two\",\"pps\":[],\"ftbl\":[]}", "line 1 (byte 0): column"),
        (
            "{\"dhatFileVersion\":2,\"mode\":\"copy\",\"pps\":[],\"ftbl\":[]}",
            "mode `copy` counts no blocks",
        ),
        (
            "{\"dhatFileVersion\":2,\"mode\":\"heap\",\"pps\":[],\"ftbl\":[]}",
            "contains no allocation",
        ),
        ("{\"dhatFileVersion\":2,\"mode\":\"heap\"}", "no `pps` and `ftbl`"),
        (&point("\"tb\":1"), "missing field `tbk`"),
        (&point("\"tb\":3,\"tbk\":-1"), "expected u64"),
        (&point("\"tb\":3,\"tbk\":1.5"), "expected u64"),
        (&point("\"tb\":3,\"tbk\":1e999"), "out of range"),
        (&point("\"tb\":3,\"tbk\":3,\"mbk\":5"), "3 blocks, of which 5 were alive at once"),
        (&point("\"tb\":3,\"tbk\":3,\"fs\":[1]"), "names a frame that is not in the table of 1"),
        (&point("\"tb\":3,\"tbk\":18446744073709551615"), "expected at most 2^38"),
        (&(point("\"tb\":3,\"tbk\":3") + "x"), "trailing characters"),
        (&nested, "invalid type: sequence"),
        (&unknown, "cut short before its first call stack"),
    ] {
        let file = directory.file("a.json", text);
        let line = refused(&millpond(&directory).arg("plan").arg(file).output().unwrap());
        assert!(line.contains(part), "{part}: {line}");
        assert!(!directory.path().join("report.html").exists());
    }
    // Figures as large as they can be neither overflow nor take memory.
    let blocks = 1_u64 << 38;
    let huge =
        point(&format!("\"tb\":18446744073709551615,\"tbk\":{blocks},\"tl\":18446744073709551615"));
    assert_eq!(file(&directory, "a.json", huge)["created"], blocks);
    let mut random = Random(3);
    for _ in 0..200 {
        let mut bytes = MIXED.as_bytes().to_vec();
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] = random.below(256) as u8;
        millpond_plan_of(&bytes);
    }
}

/// Plans bytes in this process.
fn millpond_plan_of(bytes: &[u8]) {
    let text: &'static [u8] = bytes.to_vec().leak();
    crate::common::planning::plan_sums(
        &millpond_plan::input::Source::from_memory(text).up_to_its_end(),
    );
}

#[test]
fn a_directory_is_no_file_of_sums() {
    let directory = Directory::new();
    let output = millpond(&directory).arg("plan").arg(Path::new(".")).output().unwrap();
    assert!(refused(&output).contains("is a directory"));
}

/// What memray counted with `--aggregate`, as `tools/memray-to-csv` writes it.
const AT_PEAK: &str = "at_peak,bytes_at_peak,left,bytes_left,stack\n\
                       900,21600,100,2400,spawn@a.py:3;main@a.py:9\n\
                       3,100,0,0,load@a.py:5;main@a.py:9\n\
                       0,0,0,0,gone@a.py:6\n\
                       0,0,2,96,end@a.py:7,8;main@a.py:9\n";

#[test]
fn what_was_alive_at_the_peak_and_at_the_end_is_said_and_nothing_else() {
    let directory = Directory::new();
    let json = file(&directory, "a.csv", AT_PEAK);
    assert_eq!((&json["format"], &json["peak_bytes"]), (&"memray".into(), &21_700.into()));
    let (reading, places) = (&json["reading"], json["places"].as_array().unwrap());
    assert_eq!((&reading["read"], places.len()), (&4.into(), 3));
    assert_eq!(reading["passed_over"][0]["count"], 1);
    let spawn = place(&json, "spawn@a.py:3", &24.into());
    assert_eq!((&spawn["left"], &spawn["size_is"]), (&100.into(), &"assumed".into()));
    assert_eq!(at_once(spawn)[0], 900);
    assert_eq!(place(&json, "load@a.py:5", &Value::Null)["size_is"], "several");
    assert_eq!(place(&json, "end@a.py:7,8", &48.into())["at_once"]["at_least"], 2);
    for place in places.iter().chain([&json]) {
        assert!(place["created"].is_null() && place["reserve"].is_null(), "{place}");
    }
    let plan = |more: &[&str]| {
        let arguments = ["plan", "--report", "r.html", "a.csv"];
        done(&millpond(&directory).args(arguments).args(more).output().unwrap())
    };
    let text = plan(&[]).replace('\n', " ");
    for part in
        ["≥900", "905 blocks at the peak or at the end", "without --aggregate", "900 of 905"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(plan(&["--csv"]).contains("a.csv,spawn@a.py:3,24,assumed,24.000,,,900,"));
}

#[test]
fn tables_of_sums_that_cannot_be_used_are_refused_in_one_line() {
    let directory = Directory::new();
    let header = AT_PEAK.lines().next().unwrap();
    for (lines, part) in [
        ("1,24,0,x,a\n", "line 2 (byte 44): `1,24,0,x,a`, expected `at_peak,"),
        ("1,24\n", "expected `at_peak,"),
        ("1,999999999999999999,0,0,a\n", "expected `at_peak,"),
        ("-1,24,0,0,a\n", "expected `at_peak,"),
        ("", "contains no allocation"),
        ("0,0,0,0,a\n", "contains no allocation"),
    ] {
        directory.file("a.csv", format!("{header}\n{lines}"));
        let line = refused(&millpond(&directory).args(["plan", "a.csv"]).output().unwrap());
        assert!(line.contains(part), "{lines}: {line}");
    }
}
