//! The command line itself: help, arguments that cannot be used, closed pipes.

use std::io::Read;

use crate::common::{
    Directory, done, gzip, millpond, millpond_in_pipes, millpond_reading, refused, zstd,
};

#[test]
fn every_command_has_help_with_an_example() {
    let directory = Directory::new();
    for command in ["", "plan", "merge", "replay", "generate", "odds", "completions", "man"]
        .map(|name| Some(name).filter(|name| !name.is_empty()))
    {
        let output = millpond(&directory).args(command).arg("--help").output().unwrap();
        let help = done(&output);
        assert!(help.contains("Usage:") && help.contains("Example"), "{command:?}: {help}");
    }
    assert!(
        done(&millpond(&directory).arg("--version").output().unwrap()).starts_with("millpond ")
    );
}

#[test]
fn completions_and_manual_page() {
    let directory = Directory::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = millpond(&directory).args(["completions", shell]).output().unwrap();
        let script = done(&output);
        for option in ["headroom", "budget", "rounds", "seed", "quantile", "interval", "warm-up"] {
            assert!(script.contains(option), "{shell}: {option}");
        }
    }
    let page = |arguments: &[&str]| {
        done(&millpond(&directory).arg("man").args(arguments).output().unwrap())
    };
    assert!(page(&[]).contains(".TH millpond"));
    let plan = page(&["plan"]);
    assert!(plan.contains("headroom") && plan.contains("millpond plan game.csv.gz"), "{plan}");
    assert!(plan.contains("budget"), "{plan}");
    assert!(page(&["replay"]).contains("rounds") && page(&["soak"]).contains("72h"));
    assert!(page(&["watch"]).contains("interval"));
}

#[test]
fn arguments_that_cannot_be_used() {
    let directory = Directory::new();
    for (arguments, part) in [
        (&["plan"][..], "<TRACE>"),
        (&["frobnicate"], "frobnicate"),
        (&["plan", "--frobnicate", "x"], "--frobnicate"),
        (&["plan", "--headroom", "-1", "x"], "-1"),
        (&["plan", "--headroom", "lots", "x"], "lots"),
        (&["plan", "--headroom", "NaN", "x"], "NaN"),
        (&["plan", "--headroom", "1001", "x"], "expected a number from 0 to 1000"),
        (&["plan", "--tick-rate", "0", "x"], "--tick-rate"),
        (&["plan", "--top", "many", "x"], "many"),
        (&["generate", "--events", "0"], "--events"),
        (&["completions", "tcsh"], "tcsh"),
        (&["man", "frobnicate"], "frobnicate"),
        (&["odds", "--slots", "0"], "--slots"),
    ] {
        let output = millpond(&directory).args(arguments).output().unwrap();
        let line = refused(&output);
        assert!(line.contains(part), "{arguments:?}: {line}");
    }
}

#[test]
fn a_closed_output_pipe_is_no_error() {
    let directory = Directory::new();
    let mut child = millpond_in_pipes(&directory, &["generate", "--events", "1000000"]);
    let mut stdout = child.stdout.take().unwrap();
    let mut head = [0; 19];
    stdout.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"tick,event,id,class");
    drop(stdout);
    done(&child.wait_with_output().unwrap());
}

#[test]
fn a_plan_whose_reader_has_gone() {
    let directory = Directory::new();
    // Enough output that it cannot all wait in the pipe.
    let lines: String = (0..1000).map(|n| format!("0,alloc,{n},Class{n}\n")).collect();
    directory.file("wide.csv", format!("tick,event,id,class\n{lines}"));
    let mut child = millpond_in_pipes(&directory, &["plan", "--json", "wide.csv"]);
    drop(child.stdout.take());
    done(&child.wait_with_output().unwrap());
}

#[test]
fn plain_gzip_zstd_and_standard_input_give_the_same_plan() {
    let directory = Directory::new();
    let text = "tick,event,id,class\n0,alloc,1,A\n5,alloc,2,B\n9,free,1,A\n";
    let plan = |name: &str, content: &[u8]| {
        let trace = directory.file(name, content);
        let mut json = crate::common::plan_json(&directory, &trace);
        json["traces"][0]["path"].take();
        json
    };
    // Names that say something else than the content.
    let plain = plan("plain.zst", text.as_bytes());
    assert_eq!(plan("packed.csv", &gzip(text.as_bytes())), plain);
    assert_eq!(plan("packed.gz", &zstd(text.as_bytes())), plain);
    let (head, tail) = text.as_bytes().split_at(40);
    assert_eq!(plan("members.gz", &[gzip(head), gzip(tail)].concat()), plain);
    let skippable = [&b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"[..], &zstd(tail)].concat();
    assert_eq!(plan("frames.zst", &[zstd(head), skippable].concat()), plain);
    assert_eq!(plan("marked.csv", &[b"\xef\xbb\xbf", text.as_bytes()].concat()), plain);
    assert_eq!(plan("crlf.csv", text.replace('\n', "\r\n").as_bytes()), plain);

    let arguments = ["plan", "--json", "--prices", "reference", "-"];
    let output = millpond_reading(&directory, &arguments, &gzip(text.as_bytes()));
    let mut json: serde_json::Value = serde_json::from_str(&done(&output)).unwrap();
    json["traces"][0]["path"].take();
    assert_eq!(json, plain);
}

#[test]
fn generated_traces_have_the_length_that_was_asked_for_and_never_differ() {
    let directory = Directory::new();
    for format in [&[][..], &["--heaptrack"]] {
        let generate = || {
            let arguments = ["generate", "--events", "5000", "--live", "100"];
            millpond(&directory).args(arguments).args(format).output().unwrap().stdout
        };
        let text = generate();
        assert_eq!(text, generate());
        let json = crate::common::plan_json(&directory, &directory.file("made-up", text));
        assert_eq!(json["traces"][0]["events"], 5000);
        assert!(json["traces"][0]["peak_live"].as_u64().unwrap() >= 100);
    }
}

#[test]
fn no_colour_where_nobody_sees_it() {
    let directory = Directory::new();
    let trace = directory.file("a.csv", "tick,event,id,class\n0,alloc,1,A\n");
    let text = done(&millpond(&directory).arg("plan").arg(trace).output().unwrap());
    assert!(!text.contains('\x1b'));
}

#[test]
fn a_size_column_tells_how_many_bytes_a_pool_takes() {
    let directory = Directory::new();
    let text = "tick,event,id,class,x,size\n0,alloc,1,A,9.5,40\n1,alloc,2,A,9.5,48\n\
                2,alloc,3,B,9.5,7\n3,free,1,A,,\n";
    let json = crate::common::plan_json(&directory, &directory.file("sized.csv", text));
    let classes = json["traces"][0]["classes"].as_array().unwrap();
    let of = |name: &str| classes.iter().find(|class| class["class"] == name).unwrap();
    // A slot is as large as the largest object; two live at once and a quarter on top are three.
    assert_eq!(of("A")["bytes_per_object"], 48);
    assert_eq!(of("A")["bytes_at_capacity"], 3 * 48);
    assert_eq!(of("B")["bytes_at_capacity"], 2 * 7);
}
