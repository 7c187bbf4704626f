//! Recordings that are cut short: what is there is planned, and everything says that the rest is missing.

use std::path::Path;
use std::process::Output;

use crate::common::{
    Directory, TRACES, cut_short as cut, gzip, millpond, millpond_reading, refused, zstd,
};
use serde_json::Value;

fn run(directory: &Directory, arguments: &[&str], file: &Path) -> Output {
    millpond(directory).arg("plan").args(arguments).arg(file).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_str::<Value>(&cut(output)).unwrap()["traces"][0].take()
}

const LIFETIMES: &str =
    "tick,event,id,class\n0,alloc,1,Imp\n3,alloc,2,Demon\n9,free,1,Imp\n12,free,2,Demon\n";
const HEAPTRACK: &str =
    "v 10400 3\ns 4 main\ni 1000 1 1\nt 1 0\na 10 1\nc 1\n+ 0\n+ 0\nc 2\n- 0\n- 0\n";
const HEAP: &str = "millpond heap 1\nx game\nc 1\n+ 10 8 0\n+ 20 8 0\nc 9\n- 10\n- 20\n";
const TABLE: &str =
    "ms,event,address,size,stack\n0,alloc,10,24,f\n1,alloc,20,24,f\n5,free,10\n9,free,20\n";
const LIVE: &str = "tick,event,id,class,capacity,live,peak,retired,inserted,removed,refused,evicted,dropped,ms\n\
                    0,alloc,0,Imp,0\n1,alloc,1,Imp,1\n2,free,0,Imp,0\n9,free,1,Imp,1\n";

/// Each format, cut in its last line, plain and compressed.
#[test]
fn every_format_is_planned_up_to_where_it_is_cut() {
    let directory = Directory::new();
    for text in [LIFETIMES, HEAPTRACK, HEAP, TABLE, LIVE] {
        let end = text.len() - 2;
        let line = text.lines().count() as u64;
        let byte = text[..end].rfind('\n').unwrap() as u64 + 1;
        for (packed, ends) in [
            (text.as_bytes()[..end].to_vec(), "text"),
            (gzip(&text.as_bytes()[..end]), "text"),
            (zstd(&text.as_bytes()[..end]), "text"),
        ] {
            let file = directory.file("game", packed);
            let trace = json(&run(&directory, &["--json"], &file));
            assert_eq!(
                (&trace["lifetimes"], &trace["left_live"]),
                (&2.into(), &1.into()),
                "{text}"
            );
            let expected = serde_json::json!({"line": line, "byte": byte, "ends": ends});
            assert_eq!(trace["cut"], expected, "{text}");
        }
    }
}

/// A live trace of a program that still runs, or was killed between two lines.
#[test]
fn a_live_trace_without_its_last_line_says_so() {
    let directory = Directory::new();
    let file = directory.file("game.trace", LIVE);
    let trace = json(&run(&directory, &["--json"], &file));
    assert_eq!((&trace["end"], &trace["cut"]), (&"missing".into(), &Value::Null));
    let text = cut(&run(&directory, &[], &file));
    assert!(text.contains("The recording has no end: the program still runs"), "{text}");
    let html = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
    assert!(html.contains("The recording has no end: the program still runs"));
    let line = refused(&run(&directory, &["--whole"], &file));
    assert!(line.ends_with("the recording has no end, expected its last line"), "{line}");
    let file = directory.file("game.trace", [LIVE, "9,end,0,recorder\n"].concat());
    let said = crate::common::done(&run(&directory, &["--json", "--whole"], &file));
    assert!(said.contains("\"end\":\"whole\""), "{said}");
}

/// The members and frames before the one that is cut are read, and so are its own blocks.
#[test]
fn compressed_data_is_read_up_to_where_it_is_cut() {
    let directory = Directory::new();
    let (head, rest) = LIFETIMES.split_at(LIFETIMES.find("9,").unwrap());
    for (pack, ends) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip data"), (zstd, "zstd data")] {
        let (first, second) = (pack(head.as_bytes()), pack(rest.as_bytes()));
        let both = [&first[..], &second].concat();
        for end in first.len() + 1..both.len() {
            let file = directory.file("game", &both[..end]);
            let trace = json(&run(&directory, &["--json"], &file));
            // The two births, and as many deaths as could be decompressed.
            assert_eq!(trace["lifetimes"], 2, "{ends} {end}");
            let cut = &trace["cut"];
            assert_eq!(cut["ends"], ends, "{end}");
            let deaths = 2 - trace["left_live"].as_u64().unwrap();
            assert_eq!(cut["line"].as_u64().unwrap(), 4 + deaths, "{end}");
        }
        // Whole, it has no cut.
        let output = run(&directory, &["--json", "--whole"], &directory.file("game", &both));
        assert!(crate::common::done(&output).contains("\"cut\":null"));
    }
}

/// A real recording, whose last blocks are still in the decoder's window when the data ends.
#[test]
fn a_real_recording_that_is_cut_has_most_of_its_events() {
    let directory = Directory::new();
    let whole = std::fs::read(format!("{TRACES}/freedoom2-map01-8bots.csv.gz")).unwrap();
    let text = {
        use std::io::Read;
        let mut text = Vec::new();
        flate2_text(&whole).read_to_end(&mut text).unwrap();
        text
    };
    let events = |trace: &Value| trace["events"].as_u64().unwrap();
    let lines = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
    for (packed, name) in [(whole, "gzip data"), (zstd(&text), "zstd data")] {
        let file = directory.file("game", &packed[..packed.len() / 2]);
        let trace = json(&run(&directory, &["--json"], &file));
        assert!(
            events(&trace) > lines(&text) / 4,
            "{name}: {} of {}",
            events(&trace),
            lines(&text)
        );
        assert_eq!(trace["cut"]["line"].as_u64().unwrap(), events(&trace) + 2, "{name}");
        assert_eq!(trace["cut"]["ends"], name);
    }
}

fn flate2_text(packed: &[u8]) -> impl std::io::Read + '_ {
    struct Bytes<'b>(millpond_plan::input::Input<'b>);
    impl std::io::Read for Bytes<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0.read(buffer).map_err(|fault| std::io::Error::other(fault.to_string()))
        }
    }
    let source =
        Box::leak(Box::new(millpond_plan::input::Source::from_memory(packed.to_vec().leak())));
    Bytes(source.open().unwrap())
}

#[test]
fn text_and_report_say_where_it_ends_and_whole_refuses_it() {
    let directory = Directory::new();
    let file = directory.file("game.csv", &LIFETIMES[..LIFETIMES.len() - 2]);
    let sentence =
        "The recording is cut short: its text ends in line 5 (byte 63), and the rest is missing.";
    let text = cut(&run(&directory, &["--prices", "reference"], &file));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(sentence), "{text}");
    let html = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
    assert!(html.contains(sentence));
    std::fs::remove_file(directory.path().join("report.html")).unwrap();
    let line = refused(&run(&directory, &["--whole"], &file));
    assert!(
        line.ends_with(
            "line 5 (byte 63): the last line is cut short, expected a line end after it"
        ),
        "{line}"
    );
    assert_eq!(directory.names(), ["game.csv"], "nothing is written");
    // The summary and the budget are of what is there.
    cut(&run(&directory, &["--no-report", "--budget", "b.toml", "--summary", "s.csv"], &file));
    assert!(directory.names().contains(&"b.toml".to_owned()));
    // One of several.
    let good = directory.file("good.csv", LIFETIMES);
    let output =
        millpond(&directory).args(["plan", "--json"]).args([&good, &file]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("game.csv: line 5"));
    let traces = serde_json::from_str::<Value>(&cut(&output)).unwrap();
    assert_eq!(traces["traces"][0]["cut"], Value::Null);
    let output =
        millpond_reading(&directory, &["plan", "--no-report", "-"], &LIFETIMES.as_bytes()[..60]);
    assert!(cut(&output).contains("cut short"), "standard input, too");
}

#[test]
fn a_cut_before_the_first_event_leaves_nothing_to_plan() {
    let directory = Directory::new();
    for (text, part) in [
        ("tick,event", "line 1 (byte 0): the last line is cut short"),
        ("tick,event,id,class\n0,all", "line 2 (byte 20): the last line is cut short"),
        ("v 10400 3\ns 4 ma", "line 2 (byte 10): the last line is cut short"),
        ("asked_us,got_us,returned_us,pool\n0,0,1", "is a trace of loans"),
    ] {
        let file = directory.file("game", text);
        let line = refused(&run(&directory, &[], &file));
        assert!(line.contains(part), "{text}: {line}");
    }
}

const LOANS: &str =
    "asked_us,got_us,returned_us,pool\n0,0,2000,orders\n500,500,2500,orders\n900,900,3000,orders\n";

const LOG: &str = concat!(
    "2026-11-22 09:16:56.200 UTC,\"cook\",\"shop\",31,\"[local]\",a.1,5,\"SELECT\",2026-11-22 09:16:56 UTC,\
     3/0,0,LOG,00000,\"duration: 1.016 ms  statement: select 1\",,,,,,,,,\"psql\"\n",
    "2026-11-22 09:16:56.230 UTC,\"cook\",\"shop\",31,\"[local]\",a.1,5,\"SELECT\",2026-11-22 09:16:56 UTC,\
     3/0,0,LOG,00000,\"duration: 1.064 ms  statement: \n\"\"select\"\" 2\",,,,,,,,,\"psql\"\n",
    "2026-11-22 09:16:56.240 UTC,\"cook\",\"shop\",31,\"[local]\",a.1,5,\"SELECT\",2026-11-22 09:16:56 UTC,\
     3/0,0,LOG,00000,\"duration: 1.064 ms  statement: select 3\",,,,,,,,,\"psql\"\n",
);

#[test]
fn loans_and_logs_are_planned_up_to_where_they_are_cut() {
    let directory = Directory::new();
    let wait = ["--wait-p99-ms", "5", "--no-report"];
    for (text, line) in [(LOANS, 4), (LOG, 4)] {
        let end = text.len() - 40;
        let end = if text == LOANS { text.len() - 5 } else { end };
        for packed in [text.as_bytes()[..end].to_vec(), gzip(&text.as_bytes()[..end])] {
            let file = directory.file("loans", packed);
            let trace = json(&run(&directory, &[&wait[..], &["--json"]].concat(), &file));
            assert_eq!(trace["pools"][0]["asks"], 2, "{trace}");
            assert_eq!(
                (&trace["cut"]["line"], &trace["cut"]["ends"]),
                (&line.into(), &"text".into())
            );
            let said = cut(&run(&directory, &wait, &file));
            assert!(said.contains("The recording is cut short"), "{said}");
            let line = refused(&run(&directory, &[&wait[..], &["--whole"]].concat(), &file));
            assert!(
                line.contains("cut short") || line.contains("columns, expected the 23"),
                "{line}"
            );
        }
        let packed = gzip(text.as_bytes());
        let file = directory.file("loans", &packed[..packed.len() - 3]);
        let trace = json(&run(&directory, &[&wait[..], &["--json"]].concat(), &file));
        assert_eq!(
            (&trace["pools"][0]["asks"], &trace["cut"]["ends"]),
            (&3.into(), &"gzip data".into())
        );
        cut(&run(&directory, &wait[..2], &file));
        let html = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
        assert!(html.contains("The recording is cut short: its gzip data ends"));
        let file = directory.file("loans", gzip(text.as_bytes()));
        let said = crate::common::done(&run(&directory, &[&wait[..], &["--json"]].concat(), &file));
        assert!(said.contains("\"cut\":null"), "{said}");
    }
}

/// Other commands need the whole of what they read.
#[test]
fn a_replay_and_a_merge_refuse_what_is_cut() {
    let directory = Directory::new();
    let file = directory.file("game.csv", &LIFETIMES[..LIFETIMES.len() - 2]);
    let output = millpond(&directory).arg("replay").arg(&file).output().unwrap();
    assert!(refused(&output).contains("cut short"));
    let whole = directory.file("good.csv", LIFETIMES);
    let output = millpond(&directory)
        .args(["plan", "--no-report", "--summary", "s.csv"])
        .arg(whole)
        .output();
    crate::common::done(&output.unwrap());
    let summary = std::fs::read(directory.path().join("s.csv")).unwrap();
    let cut_summary = directory.file("cut.csv.gz", &gzip(&summary)[..60]);
    let output = millpond(&directory).arg("merge").arg(cut_summary).output().unwrap();
    assert!(refused(&output).contains("the gzip data is cut short"));
}
