//! Recordings of `millpond-heap` and tables of allocations, read by `plan` and `replay`.

use std::fmt::Write as _;

use crate::common::{
    Directory, Random, TRACES, cut_short, done, gzip, millpond, plan_json, refused,
};
use serde_json::Value;

/// 1,000 sparks of 48 bytes from `spawn`, twenty at a time, and a buffer that `push` grows 100 times.
fn recording() -> String {
    let mut text = "millpond heap 1\nx /home/me/game\nt 1 a1 b1\nt 2 a2 b1\n".to_owned();
    for n in 0..1000 {
        let _ = writeln!(text, "c {:x}\n+ {:x} 30 1", n / 100, 0x1000 + n);
        if n % 20 == 19 {
            (n - 19..=n).for_each(|spark| text += &format!("- {:x}\n", 0x1000 + spark));
        }
        if n % 10 == 0 {
            let _ = writeln!(text, "+ 20 40 2\nr 20 30 80 2\nr 30 20 100 2\nr 20 20 200 2\n- 20");
        }
    }
    text += "n a1\tgame::spawn\t/home/me/game/src/main.rs\n";
    text += "n a2\talloc::raw_vec::finish_grow\t/rustc/1/library/alloc/src/raw_vec.rs\n";
    text += "n a2\tgame::push\t/home/me/game/src/main.rs\n";
    text + "n b1\tgame::main\t/home/me/game/src/main.rs\ne 0\n"
}

#[test]
fn a_recording_of_a_rust_program_is_planned() {
    let directory = Directory::new();
    let trace = directory.file("game.heap", recording());
    let json = plan_json(&directory, &trace);
    let plan = &json["traces"][0];
    assert_eq!((&plan["format"], &plan["lifetimes"]), (&"millpond-heap".into(), &1400.into()));
    assert_eq!((&plan["ticks"], &plan["left_live"]), (&10.into(), &0.into()));
    let first = plan["pool_first"].as_array().unwrap();
    assert_eq!((&first[0]["class"], &first[0]["calls_saved"]), (&"48".into(), &980.into()));
    assert_eq!((&first[0]["kind"], &first[0]["number"]), (&"pool".into(), &1.into()));
    assert_eq!(first[0]["callers"][0]["stack"], serde_json::json!(["game::spawn", "game::main"]));
    let text = done(
        &millpond(&directory).args(["replay", "--rounds", "3", "game.heap"]).output().unwrap(),
    );
    assert!(text.contains("2,800 insertions and removals of 1,400"), "{text}");
}

#[test]
fn deaths_of_what_was_born_before_the_recording_are_passed_over() {
    let directory = Directory::new();
    let text = "millpond heap 1\nx game\n- 77\nt 1 a\n+ 10 8 1\nr 99 30 10 1\n- 10\ne 0\n";
    let trace = directory.file("a.heap", text);
    let json = plan_json(&directory, &trace);
    let plan = &json["traces"][0];
    assert_eq!((&plan["lifetimes"], &plan["left_live"]), (&2.into(), &1.into()));
}

#[test]
fn a_recording_without_an_end_says_so() {
    let directory = Directory::new();
    for (last, end, part) in [
        ("e 0\n", "whole", None),
        ("e 1\n", "at-limit", Some("reached its maximum file size")),
        ("", "missing", Some("has no end: the program still runs, it was killed")),
    ] {
        directory.file("a.heap", format!("millpond heap 1\nx game\n+ 10 8 0\n{last}"));
        let arguments = ["plan", "--no-report", "a.heap"];
        let output = millpond(&directory).args(arguments).output().unwrap();
        let is_missing = end == "missing";
        let text = if is_missing { cut_short(&output) } else { done(&output) };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(text.contains("The recording"), part.is_some(), "{text}");
        assert!(part.is_none_or(|part| text.contains(part)), "{text}");
        let output = millpond(&directory).args(["plan", "--json", "a.heap"]).output().unwrap();
        let text = if is_missing { cut_short(&output) } else { done(&output) };
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["traces"][0]["end"], end);
        let output = millpond(&directory).args(["plan", "--whole", "a.heap"]).output().unwrap();
        if is_missing {
            assert!(refused(&output).ends_with("the recording has no end, expected its last line"));
        } else {
            done(&output);
        }
    }
}

/// 72 MB of names in 72 KB: refused before they take the memory.
#[test]
fn a_bomb_of_names_is_refused() {
    let directory = Directory::new();
    let names = format!("n a1\t{}\t\n", "x".repeat(60_000)).repeat(60);
    let mut packed = gzip(b"millpond heap 1\nx game\nt 1 a1\n+ 10 8 1\n");
    packed.extend(gzip(names.as_bytes()).repeat(20));
    assert!(packed.len() < 100_000, "{}", packed.len());
    directory.file("a.heap", packed);
    let line = refused(&millpond(&directory).args(["plan", "a.heap"]).output().unwrap());
    assert!(line.starts_with("a.heap: line ") && line.contains("64 MiB of names"), "{line}");
}

#[test]
fn recordings_that_make_no_sense_are_refused() {
    let directory = Directory::new();
    for (text, part) in [
        ("millpond heap 2\n", "expected `millpond heap 1`"),
        ("millpond heap 1\n", "contains no allocation"),
        ("millpond heap 1\n\n", "line 2"),
        ("millpond heap 1\n+ 10 8 1\n", "call stack 1 is used"),
        ("millpond heap 1\n+ 10 8\n", "expected 3 hexadecimal numbers"),
        ("millpond heap 1\n+ 10 8 0 0\n", "expected 3 hexadecimal numbers"),
        ("millpond heap 1\n+ 10 8 0\n+ 10 8 0\n", "block 10 is allocated while it is alive"),
        ("millpond heap 1\nr 1 2 3 0\nr 9 2 3 0\n", "block 2 is allocated while it is alive"),
        ("millpond heap 1\nc 5\nc 4\n", "time 4 comes after 5"),
        ("millpond heap 1\nc 100000000\n", "below 2^32"),
        ("millpond heap 1\nt 2 a\n", "expected call stack 1"),
        ("millpond heap 1\nt 1 x\n", "expected hexadecimal addresses"),
        ("millpond heap 1\nn 1\tf\n", "a name and a file"),
        ("millpond heap 1\nz\n", "not a known record"),
        ("millpond heap 1\n+ 10 8 0", "cut short"),
        ("ms,event,address,size,stack\n", "contains no allocation"),
        ("ms,event,address,size,stack\n0,alloc\n", "expected `ms,event,address,size,stack`"),
        ("ms,event,address,size,stack\n0,alloc,zz,8,f\n", "address `zz`"),
        ("ms,event,address,size,stack\n0,alloc,10,-8,f\n", "size `-8`"),
        (
            "ms,event,address,size,stack\n0,alloc,10,8,f\n0,alloc,10,8,f\n",
            "allocated while it is alive",
        ),
        (
            "ms,event,address,size,stack\n0,alloc,10,8,f\n0,free,10,,\n0,free,10,,\n",
            "block 10 is freed but not alive",
        ),
        ("ms,event,address,size,stack\n5,alloc,10,8,f\n4,free,10,,\n", "4 ms come after 5 ms"),
        ("ms,event,address,size,stack\n0,move,10,8,f\n", "event `move`"),
        ("ms,event,address,size,stack\nx,alloc,10,8,f\n", "time `x`"),
    ] {
        directory.file("a", text);
        let line = refused(&millpond(&directory).args(["plan", "a"]).output().unwrap());
        assert!(line.starts_with("a: ") && line.contains(part), "{text:?}: {line}");
    }
}

#[test]
fn changed_bytes_are_planned_or_refused_in_one_line() {
    let directory = Directory::new();
    let table = "ms,event,address,size,stack\n0,alloc,0x10,24,f;g;main\n1,alloc,20,8,h(int, int)\n\
                 2,free,10\n3,free,20,,\n";
    let heap: String = recording().lines().take(60).map(|line| format!("{line}\n")).collect();
    let mut random = Random(7);
    let mut planned = 0;
    for (number, text) in (0..120).map(|n| (n, if n % 2 == 0 { table } else { heap.as_str() })) {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=random.below(2) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(3) {
                0 => bytes[at] = random.below(256) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"\n ,;+-rtnce0f\xff"[random.below(14) as usize]),
            }
        }
        let trace = directory.file(&format!("{number}"), bytes);
        let output = millpond(&directory).args(["plan", "--json"]).arg(&trace).output().unwrap();
        match output.status.code() {
            Some(0 | 3) => {
                planned += usize::from(serde_json::from_slice::<Value>(&output.stdout).is_ok())
            }
            _ => drop(refused(&output)),
        }
    }
    assert!((10..110).contains(&planned), "{planned}");
}

#[test]
fn a_table_of_allocations_is_planned() {
    let directory = Directory::new();
    let mut text = "ms,event,address,size,stack\n".to_owned();
    for n in 0..500 {
        let ms = n / 100;
        let _ = writeln!(text, "{ms},alloc,0x{n:x},24,malloc;spawn(int, int);main");
        if n % 20 == 19 {
            (n - 19..=n).for_each(|spark| text += &format!("{ms},free,0x{spark:x}\n"));
        }
    }
    let trace = directory.file("a.csv", text);
    let json = plan_json(&directory, &trace);
    let plan = &json["traces"][0];
    assert_eq!(plan["format"], "allocations");
    let first = &plan["pool_first"][0];
    assert_eq!((&first["class"], &first["calls_saved"]), (&"24".into(), &480.into()));
    assert_eq!(first["callers"][0]["stack"], serde_json::json!(["spawn(int, int)", "main"]));
}

#[test]
fn a_lifetime_trace_is_still_one() {
    let directory = Directory::new();
    let trace = std::path::Path::new(TRACES).join("freedoom2-map15-solo.csv.gz");
    assert_eq!(plan_json(&directory, &trace)["traces"][0]["format"], "lifetimes");
}
