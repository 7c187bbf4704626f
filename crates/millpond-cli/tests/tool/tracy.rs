//! `millpond record --tracy` and `millpond plan --tracy`, with a client that says what a real one has said
//! (`crates/millpond-record/tests/streams`).

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;
use std::thread::{self, JoinHandle};

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::common::millpond_in_pipes;
use crate::common::{Directory, done, millpond, plan_json, refused};

fn stream(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../millpond-record/tests/streams");
    let stored = std::fs::File::open(path.join(name)).expect("a stream");
    let mut stream = Vec::new();
    flate2::read::GzDecoder::new(stored).read_to_end(&mut stream).expect("gzip");
    stream
}

/// A client that says this part of what was kept, and then waits to be let go, or breaks the connection. Its address.
fn client(stream: Vec<u8>, is_cut: bool) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("it has one").to_string();
    let thread = thread::spawn(move || {
        loop {
            let mut connection = listener.accept().expect("a recorder").0;
            let mut greeting = [0; 12];
            connection.read_exact(&mut greeting).expect("a greeting");
            if greeting[8..] == stream[..4] {
                connection.write_all(&[1]).expect("it is there");
                connection.write_all(&stream[4..]).expect("it is there");
                return if is_cut {
                } else {
                    until_let_go(connection)
                };
            }
            connection.write_all(&[2]).expect("it is there");
        }
    });
    (address, thread)
}

fn until_let_go(mut connection: TcpStream) {
    let mut query = [1; 13];
    while query[0] != 0 {
        connection.read_exact(&mut query).expect("a question, or the last word");
    }
}

/// Lines as one.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn run(directory: &Directory, arguments: &[&str]) -> Output {
    millpond(directory).args(arguments).output().unwrap()
}

/// The classes of a plan that are the program's types: size, births, peak, capacity, and what half of the peak would cost.
fn types(plan: &Value) -> Vec<[u64; 6]> {
    let classes = plan["traces"][0]["classes"].as_array().unwrap();
    let mut types: Vec<[u64; 6]> = classes
        .iter()
        .filter(|class| ["56", "40", "92"].contains(&class["class"].as_str().unwrap()))
        .map(|class| {
            let half = class["smaller"].as_array().unwrap().last().unwrap();
            let size = class["class"].as_str().unwrap().parse().unwrap();
            let number = |value: &Value| value.as_u64().unwrap();
            [
                size,
                number(&class["lifetimes"]),
                number(&class["peak_live"]),
                number(&class["capacity"]),
                number(&half["refused"]),
                number(&half["evicted"]),
            ]
        })
        .collect();
    types.sort_unstable();
    types
}

/// As heaptrack, LTTng and `millpond_record.h` have them: see `docs/guide/record.md`.
const TYPES: [[u64; 6]; 3] =
    [[40, 914, 55, 69, 251, 563], [56, 5262, 347, 434, 1544, 3919], [92, 120, 87, 109, 50, 74]];

#[test]
fn a_program_is_recorded_to_a_file_and_planned() {
    let directory = Directory::new();
    let (address, thread) = client(stream("on_boxes.82.stream.gz"), false);
    let said = done(&run(&directory, &["record", "--tracy", &address, "-o", "game.heap.gz"]));
    thread.join().unwrap();
    let recorded = "Recorded on_boxes (Tracy 0.14, protocol 82), ";
    assert!(said.starts_with(recorded), "{said}");
    assert!(
        words(&said).contains("until the program ended: 6,323 blocks, 1 alive at the end (544 B)")
            && words(&said).contains("1,200 frames."),
        "{said}"
    );
    assert!(said.contains("\nRecording: ") && said.ends_with("game.heap.gz\n"), "{said}");

    let plan = done(&run(&directory, &["plan", "--json", "--prices", "reference", "game.heap.gz"]));
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(types(&plan), TYPES);
    let trace = &plan["traces"][0];
    assert_eq!((&trace["format"], &trace["end"]), (&"tracy".into(), &"whole".into()));
    assert_eq!(trace["frames"]["count"], 1200);
    assert!(trace["frames"]["peak_live"].as_u64().is_some_and(|frame| frame <= 1200));
    let puffs = trace["classes"].as_array().unwrap().iter().find(|of| of["class"] == "56");
    let function = puffs.unwrap()["callers"][0]["function"].as_str().unwrap();
    assert!(function.starts_with("new<") && function.contains("::Puff>"), "{function}");

    // An earlier recording is replaced, and nothing else.
    let (address, thread) = client(stream("pools.69.stream.gz"), false);
    done(&run(&directory, &["record", "--tracy", &address, "-o", "game.heap.gz"]));
    thread.join().unwrap();
    directory.file("other.gz", "mine");
    let told = refused(&run(&directory, &["record", "--tracy", &address, "-o", "other.gz"]));
    assert!(told.contains("was not written by `millpond record`; not overwriting it"), "{told}");
    assert_eq!(directory.names(), ["game.heap.gz", "other.gz"]);
}

/// A program of two or more milliseconds a frame is planned in frames; one that marks them faster than the clock counts, or
/// once, in milliseconds.
#[test]
fn frames_are_the_ticks_of_a_plan() {
    let directory = Directory::new();
    let planned = |name: &str| {
        let (address, thread) = client(stream(name), false);
        done(&run(&directory, &["record", "--tracy", &address, "-o", "game.heap.gz"]));
        thread.join().unwrap();
        let plan = ["plan", "--no-report", "--prices", "reference", "--all"];
        let text = done(&run(&directory, &[&plan[..], &["game.heap.gz"]].concat()));
        let json = done(&run(&directory, &[&plan[..4], &["--json", "game.heap.gz"]].concat()));
        (text, serde_json::from_str::<Value>(&json).unwrap()["traces"][0].clone())
    };

    let (text, trace) = planned("ended.82.stream.gz");
    let (tick, frames) = (&trace["tick"], trace["frames"]["count"].as_u64().unwrap());
    // It marks a frame before its first block.
    assert_eq!((tick, &trace["first_tick"]), (&"frame".into(), &1.into()));
    assert_eq!(trace["ticks"].as_u64(), Some(frames));
    // The program makes twenty blocks of 48 bytes a frame, and keeps the newest 300: each lives fifteen frames. Its start
    // makes one more.
    let class = trace["classes"].as_array().unwrap().iter().find(|of| of["class"] == "48").unwrap();
    assert_eq!(class["lifetime_ticks"]["median"]["ticks"], 15, "{class}");
    let births = &class["births_per_tick"];
    assert_eq!((&births["worst"], &births["worst_tick"]), (&21.into(), &1.into()));
    assert_eq!(class["peak_frame"], class["peak_tick"]);
    assert!(text.contains("; times are in frames") && text.contains("born/frame"), "{text}");

    for name in ["on_boxes.82.stream.gz", "pools.82.stream.gz"] {
        let (text, trace) = planned(name);
        assert_eq!(trace["tick"], "ms", "{name}");
        assert!(trace["frames"]["count"].as_u64() > Some(0));
        assert!(text.contains("born/ms") && !text.contains("times are in frames"), "{text}");
    }
}

/// Marks that come at the end of a file, after what happens in their frames; two blocks are older than the first of them.
#[test]
fn what_comes_before_the_first_frame_is_in_tick_0() {
    let directory = Directory::new();
    let events =
        "c 0\n+ 0 30 0\n+ 1 30 0\nc b\n+ 2 30 0\nc 1c\n- 2\n+ 3 30 0\nc 2b\n- 0\n- 1\n- 3\n";
    let planned = |recorder: &str, marks: &str| {
        let text = format!("millpond heap 1{recorder}\nx game\n{events}{marks}e 0\n");
        let path = directory.file("game.heap", text);
        plan_json(&directory, &path)["traces"][0].clone()
    };
    let trace = planned(" tracy", "f a\nf 1a\nf 2a\n");
    assert_eq!(
        (&trace["tick"], &trace["first_tick"], &trace["ticks"]),
        (&"frame".into(), &0.into(), &4.into())
    );
    let class = &trace["classes"][0];
    assert_eq!(
        (&class["peak_tick"], &class["peak_frame"], &class["peak_live"]),
        (&1.into(), &1.into(), &3.into())
    );
    assert_eq!(
        (&class["births_per_tick"]["worst"], &class["births_per_tick"]["worst_tick"]),
        (&2.into(), &0.into())
    );
    // Lives of three frames, three, one and one.
    assert_eq!(class["lifetime_ticks"]["p95"]["ticks"], 3);
    assert_eq!(class["lifetime_ticks"]["median"]["ticks"], 1);
    // 44 ms, and 62.5 frames a second between the first mark and the last.
    assert_eq!((&trace["time"]["ms"], &trace["frames"]["per_second"]), (&44.into(), &62.5.into()));

    // `millpond_record.h` marks frames, too. One mark is none; marks of a wrong order are told as ever.
    assert_eq!(planned(" header", "f a\nf 1a\n")["tick"], "frame");
    let trace = planned(" tracy", "f a\n");
    assert_eq!((&trace["tick"], &trace["ticks"]), (&"ms".into(), &44.into()));
    let text = format!("millpond heap 1 tracy\n{events}f 1a\nf a\ne 0\n");
    directory.file("game.heap", text);
    let told = refused(&run(&directory, &["plan", "game.heap"]));
    assert!(told.contains("line 15 (byte 97): a frame begins at a after one at 1a"), "{told}");
}

#[test]
fn a_program_is_planned_at_once_in_any_protocol() {
    for protocol in [69, 74, 76, 82] {
        let directory = Directory::new();
        let (address, thread) = client(stream(&format!("pools.{protocol}.stream.gz")), false);
        let plan = done(&run(&directory, &["plan", "--tracy", &address, "--json", "--all"]));
        thread.join().unwrap();
        let plan: Value = serde_json::from_str(&plan).unwrap();
        let classes = plan["traces"][0]["classes"].as_array().unwrap();
        let bullets = classes.iter().find(|class| class["class"] == "64").unwrap();
        assert_eq!((&bullets["lifetimes"], &bullets["peak_live"]), (&300.into(), &101.into()));
        assert_eq!(bullets["callers"][0]["function"], "bullets", "the pool's name");
        assert!(directory.names().is_empty());
    }
    // What to type next records the program anew: there is no file.
    let directory = Directory::new();
    let (address, thread) = client(stream("pools.82.stream.gz"), false);
    let plan = ["plan", "--all", "--no-report", "--prices", "reference", "--tracy", &address];
    let text = done(&run(&directory, &plan));
    thread.join().unwrap();
    let next = format!("millpond plan --size-classes=64 --no-report --tracy {address}\n");
    assert!(text.contains(&next), "{text}");
}

#[test]
fn a_plan_may_keep_its_recording() {
    let directory = Directory::new();
    let (address, thread) = client(stream("pools.82.stream.gz"), false);
    let plan = ["plan", "--all", "--no-report", "--prices", "reference"];
    let kept = ["-o", "game.heap.gz", "--tracy", &address];
    let text = done(&run(&directory, &[&plan[..], &kept].concat()));
    thread.join().unwrap();
    assert!(text.starts_with("Recorded pools (Tracy 0.14, protocol 82), "), "{text}");
    assert!(words(&text).contains(", until the program ended: 358 blocks"), "{text}");
    assert!(text.contains("\nRecording: /") && text.ends_with("/game.heap.gz\n"), "{text}");
    // What to type next needs no further recording.
    assert!(text.contains("millpond plan --size-classes=64 --no-report game.heap.gz\n"), "{text}");
    let json = |arguments: &[&str]| {
        let arguments = [&["plan", "--json", "--prices", "reference"], arguments].concat();
        let plan = done(&run(&directory, &arguments));
        serde_json::from_str::<Value>(&plan).unwrap()["traces"][0].take()
    };
    let (address, thread) = client(stream("pools.82.stream.gz"), false);
    let (at_once, later) = (json(&["--tracy", &address]), json(&["game.heap.gz"]));
    thread.join().unwrap();
    assert_eq!(at_once["classes"], later["classes"]);
    assert_eq!((&at_once["ended_by"], &later["ended_by"]), (&"program".into(), &Value::Null));

    // No file of anybody else's, and none that has another use.
    directory.file("other.gz", "mine");
    let told =
        |more: &[&str]| refused(&run(&directory, &[&["plan", "--tracy", &address], more].concat()));
    assert!(told(&["-o", "other.gz"]).contains("not overwriting it"));
    assert!(told(&["-o", "x", "--report", "x"]).contains("also the file for the report"));
    assert!(told(&["-o", "x", "--budget", "x"]).contains("also the file for the budget"));
    for option in ["--output", "--seconds"] {
        let alone = refused(&run(&directory, &["plan", option, "5"]));
        assert!(alone.contains("--tracy"), "{alone}");
        let with_file = refused(&run(&directory, &["plan", option, "5", "game.heap.gz"]));
        assert!(with_file.contains("cannot be used with"), "{with_file}");
    }
    assert_eq!(directory.names(), ["game.heap.gz", "other.gz"]);
}

/// A client that goes on until it is told to end. It tells when it was asked for a name: then something is recorded.
#[cfg(target_os = "linux")]
fn client_that_goes_on() -> (String, std::sync::mpsc::Receiver<()>, JoinHandle<()>) {
    /// The block of one event that ends the talk, in protocol 82.
    const LAST_WORD: [u8; 6] = [2, 0, 0, 0, 0x10, 73];
    let stream = stream("ended.82.stream.gz");
    assert!(stream.ends_with(&LAST_WORD));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("it has one").to_string();
    let (is_recorded, recorded) = std::sync::mpsc::channel();
    let thread = thread::spawn(move || {
        let mut connection = listener.accept().expect("a recorder").0;
        connection.read_exact(&mut [0; 12]).expect("a greeting");
        connection.write_all(&[1]).expect("it is there");
        connection.write_all(&stream[4..stream.len() - LAST_WORD.len()]).expect("it is there");
        let mut query = [0; 13];
        while query[0] != 9 {
            connection.read_exact(&mut query).expect("a question");
            // Nobody may listen any more.
            let _ = is_recorded.send(());
        }
        connection.write_all(&LAST_WORD).expect("it is there");
        until_let_go(connection);
    });
    (address, recorded, thread)
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_recording_and_the_output_says_so() {
    use millpond_testkit::interruption::{Signal, interrupt};
    for arguments in [
        &["record", "-o", "a.gz", "--tracy"][..],
        &["plan", "--no-report", "-o", "a.gz", "--tracy"],
        &["plan", "--json", "--tracy"],
    ] {
        let directory = Directory::new();
        let (address, recorded, thread) = client_that_goes_on();
        let child = millpond_in_pipes(&directory, &[arguments, &[&address]].concat());
        recorded.recv().expect("a name is asked for");
        let said = done(&interrupt(child, Signal::INT));
        thread.join().unwrap();
        match serde_json::from_str::<Value>(&said) {
            Ok(json) => assert_eq!(json["traces"][0]["ended_by"], "interrupt"),
            Err(_) => assert!(words(&said).contains(", until Ctrl-C: "), "{said}"),
        }
    }
}

#[test]
fn a_program_that_ends_without_a_word_is_recorded_as_far_as_it_came() {
    let directory = Directory::new();
    let mut half = stream("ended.82.stream.gz");
    half.truncate(half.len() / 2);
    for arguments in [&["record", "-o", "a.gz", "--tracy"][..], &["plan", "--no-report", "--tracy"]]
    {
        let (address, thread) = client(half.clone(), true);
        let output = run(&directory, &[arguments, &[&address]].concat());
        thread.join().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), told.lines().count()), (Some(3), 1), "{told}");
        assert!(
            told.contains("forever ended without a word") && told.contains("what came before"),
            "{told}"
        );
        let said = String::from_utf8(output.stdout).unwrap();
        let ended = "until it ended without a word: ";
        assert!(said.starts_with("Recorded forever (") && words(&said).contains(ended), "{said}");
    }
    let output = run(&directory, &["plan", "--no-report", "a.gz"]);
    assert_eq!(output.status.code(), Some(3), "the file says so, too");
}

#[test]
fn what_cannot_be_recorded_is_told_in_one_line() {
    let directory = Directory::new();
    let told = |arguments: &[&str]| refused(&run(&directory, arguments));
    assert!(told(&["record", "--tracy", "a b", "-o", "x"]).contains("expected a host"));
    assert!(told(&["record", "--tracy", "h:0", "-o", "x"]).contains("expected a port"));
    assert!(told(&["record", "-o", "x"]).contains("--tracy"));
    assert!(told(&["plan", "--tracy", "--measure"]).contains("cannot be used with"));
    assert!(
        told(&["record", "--tracy", "no-such-host.invalid", "-o", "x"]).contains("not the name")
    );
    // A stream without memory: its welcome, and nothing else.
    let mut silent = stream("pools.76.stream.gz");
    silent.truncate(4 + 1170);
    let (address, _) = client(silent, true);
    assert!(
        told(&["record", "--tracy", &address, "-o", "x"]).contains("says nothing of its memory")
    );
    assert!(directory.names().is_empty());
}
