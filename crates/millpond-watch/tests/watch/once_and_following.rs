//! One picture, and a file that is followed.

use std::io::{Read, Write};
use std::process::Stdio;

use crate::{Directory, Random, done, millpond, refused};
use millpond::recorder::HEADER;
use millpond_testkit::live_trace;

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn once_shows_how_the_pools_stand() {
    let directory = Directory::new();
    live_trace(&directory);
    let text = done(&millpond(&directory).args(["--once", "game.trace"]).output().unwrap());
    assert!(text.starts_with("game.trace  tick 20"), "{text}");
    assert!(text.contains("the recording has ended"), "{text}");
    let row = text.lines().find(|line| line.starts_with("imps")).unwrap();
    let cells: Vec<_> = row.split_whitespace().collect();
    assert_eq!(cells[1..4], ["8", "8", "8"], "live, peak, slots: {row}");
    assert!(row.contains("████████████ 100 %"), "{row}");
    let headings = text.lines().find(|line| line.starts_with("pool")).unwrap();
    assert!(headings.contains("refused") && !headings.contains("evicted"), "{headings}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

/// Events may name their slots; what is no slot is refused.
#[test]
fn slots_are_read_or_refused() {
    let directory = Directory::new();
    for (slot, is_good) in [("", true), (",", true), (",7", true), (",4294967295", true)]
        .into_iter()
        .chain([(",-1", false), (",4294967296", false), (",x", false)])
    {
        let text = format!("{HEADER}\n0,alloc,0,a{slot}\n0,free,0,a{slot}\n1,end,2,recorder\n");
        directory.file("slots.trace", text);
        let output = millpond(&directory).args(["--once", "slots.trace"]).output().unwrap();
        match is_good {
            true => drop(done(&output)),
            false => assert!(refused(&output).contains("line 2 (byte "), "{slot}"),
        }
    }
}

#[test]
fn once_as_json() {
    let directory = Directory::new();
    live_trace(&directory);
    let arguments = ["--once", "--json", "game.trace"];
    let all = json(&done(&millpond(&directory).args(arguments).output().unwrap()));
    assert_eq!((&all["tick"], &all["ended"]), (&20.into(), &true.into()));
    let pool = &all["pools"][0];
    assert_eq!(pool["pool"], "imps");
    for (key, value) in [
        ("capacity", 8),
        ("live", 8),
        ("peak", 8),
        ("retired", 0),
        ("inserted", 20),
        ("removed", 12),
        ("refused", 1),
        ("evicted", 0),
        ("dropped_events", 0),
    ] {
        assert_eq!(pool[key], value, "{key}");
    }
}

#[test]
fn a_growing_file_is_followed_to_its_end() {
    let directory = Directory::new();
    let path = directory.file("game.trace", format!("{HEADER}\n0,alloc,0,a\n"));
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    let mut child = millpond(&directory)
        .args(["--json", "--interval", "0.05", "game.trace"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut next = || {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut lines, &mut line).unwrap();
        json(&line)
    };
    assert_eq!(next()["pools"].as_array().unwrap().len(), 0);
    // Half a line is no line yet.
    file.write_all(b"3,stats,0,a,9,1,1,0,1,").unwrap();
    assert_eq!(next()["tick"], 0);
    file.write_all(b"0,0,0,0,1\n").unwrap();
    while next()["tick"] != 3 {}
    // The program starts again: the file is shorter.
    file.set_len(0).unwrap();
    file.write_all(format!("{HEADER}\n").as_bytes()).unwrap();
    while next()["tick"] != 0 {}
    file.write_all(b"1,end,0,recorder\n").unwrap();
    while next()["ended"] != true {}
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn what_is_no_live_trace_is_refused_with_the_place() {
    let directory = Directory::new();
    let watch =
        |name: &str| refused(&millpond(&directory).args(["--once", name]).output().unwrap());
    assert!(watch("nowhere").contains("nowhere: no such file"));
    assert!(watch(".").contains("is not a file"));
    directory.file("other.csv", "tick,event,id,class\n");
    assert!(
        watch("other.csv")
            .contains("line 1 (byte 0): found `tick,event,id,class`, expected a live")
    );
    directory.file("bad", format!("{HEADER}\n5,alloc,0,a\n4,free,0,a\n"));
    let message = watch("bad");
    assert!(
        message.contains("line 3 (byte ") && message.contains("tick 4 comes after"),
        "{message}"
    );
    directory.file("long", format!("{HEADER}\n{}", "x".repeat(1 << 20)));
    assert!(watch("long").contains("a line of more than"));
    directory.file("binary", [0_u8; 100_000]);
    assert!(watch("binary").contains("of a live trace"));
    directory.file("escape", format!("{HEADER}\n1,\x1b[31m,0,a\n"));
    assert!(watch("escape").contains("\\u{1b}[31m"));
}

/// A live trace with bytes changed, doubled and cut: a picture or one line, never a panic.
#[test]
fn hostile_bytes_are_read_or_refused() {
    let directory = Directory::new();
    let good = std::fs::read(live_trace(&directory)).unwrap();
    let mut random = Random(7);
    let mut outcomes = [0; 2];
    for _ in 0..60 {
        let mut bytes = good.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] = b",0129\n-"[random.below(7) as usize],
                2 => drop(bytes.drain(at..(at + 30).min(bytes.len()))),
                _ => bytes.truncate(at.max(1)),
            }
        }
        directory.file("hostile", &bytes);
        let output = millpond(&directory).args(["--once", "hostile"]).output().unwrap();
        match output.status.code() {
            Some(0) => outcomes[0] += 1,
            _ => {
                refused(&output);
                outcomes[1] += 1;
            }
        }
    }
    assert!(outcomes.iter().all(|&count| count > 0), "{outcomes:?}");
}

/// What `Lender::write_live` writes.
#[test]
fn lenders_are_shown_with_their_waits() {
    let directory = Directory::new();
    let header = "asked_us,got_us,returned_us,pool,capacity,existing,opening,idle,out,waiting,loans,\
                  opened,open_failed,closed,timed_out,refused,cancelled,rows_lost,is_closed";
    let text = format!(
        "{header}\n0,,,orders,8,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n100,7100,9100,orders\n\
         2000000,,,orders,8,5,2,0,3,4,1,5,1,0,0,0,0,0,0\n"
    );
    let file = directory.file("orders.trace", &text);
    let watch = |arguments: &[&str]| {
        let mut command = millpond(&directory);
        command.args(["--once"]).args(arguments).arg(&file).output().unwrap()
    };
    let said = done(&watch(&[]));
    assert!(said.contains("orders") && said.contains("waiting"), "{said}");
    let json: serde_json::Value = serde_json::from_str(&done(&watch(&["--json"]))).unwrap();
    let lender = &json["lenders"][0];
    for (key, value) in [("out", 3), ("waiting", 4), ("opening", 2), ("opened", 5), ("loans", 1)] {
        assert_eq!(lender[key], value, "{key}");
    }
    assert_eq!(lender["loans_per_second"], 0.5);
    directory.file("orders.trace", format!("{text}1,2,3,4,5\n"));
    let line = refused(&watch(&[]));
    assert!(line.contains("line 5") && line.contains("more than four fields"), "{line}");
}
