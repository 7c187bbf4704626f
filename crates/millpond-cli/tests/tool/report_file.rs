//! Where the report goes, and what it never replaces.

use std::path::Path;

use crate::common::{Directory, demonstration, done, millpond, refused};

const TRACE: &str = "tick,event,id,class\n0,alloc,1,Imp\n3,alloc,2,<b>Demon\n9,free,1,Imp\n";

#[test]
fn it_is_written_and_its_place_is_told() {
    let directory = Directory::new();
    directory.file("a.csv", TRACE);
    let text = done(&millpond(&directory).args(["plan", "a.csv"]).output().unwrap());
    let place = text.lines().find_map(|line| line.strip_prefix("Report: ")).unwrap();
    assert_eq!(Path::new(place).file_name().unwrap(), "report.html");
    let html = std::fs::read_to_string(place).unwrap();
    assert!(html.starts_with(millpond_plan::report::MARKER));
    assert!(html.contains("Imp") && html.contains("&lt;b&gt;Demon") && !html.contains("<b>Demon"));
    assert_eq!(directory.names(), ["a.csv", "report.html"], "nothing unfinished is left");
}

#[test]
fn an_earlier_report_is_replaced() {
    let directory = Directory::new();
    directory.file("a.csv", TRACE);
    let old = format!("{}\nold", millpond_plan::report::MARKER);
    let report = directory.file("plan.html", old);
    let arguments = ["plan", "a.csv", "--report", "plan.html"];
    done(&millpond(&directory).args(arguments).output().unwrap());
    assert!(std::fs::read_to_string(report).unwrap().len() > 1000);
    assert_eq!(directory.names(), ["a.csv", "plan.html"]);
}

#[test]
fn nothing_else_is_ever_replaced() {
    let directory = Directory::new();
    directory.file("a.csv", TRACE);
    for content in ["", "my diary", "<!-- millpond report v1 -->", "<!DOCTYPE html>"] {
        let report = directory.file("report.html", content);
        let mut plan = millpond(&directory);
        plan.args(["plan", "a.csv"]);
        for mut command in [plan, demonstration(&directory)] {
            let line = refused(&command.output().unwrap());
            assert!(line.starts_with("report.html: exists and is not a millpond report"), "{line}");
        }
        assert_eq!(std::fs::read_to_string(&report).unwrap(), content);
    }
    let line = refused(
        &millpond(&directory).args(["plan", "a.csv", "--report", "a.csv"]).output().unwrap(),
    );
    assert!(line.starts_with("a.csv: exists and is not a millpond report"), "{line}");
    assert_eq!(directory.names(), ["a.csv", "report.html"]);
}

#[test]
fn places_where_no_file_can_be() {
    let directory = Directory::new();
    directory.file("a.csv", TRACE);
    for (place, part) in [
        (".", ".: is a directory"),
        ("..", "..: is a directory"),
        ("", "a value is required for '--report <FILE>'"),
        ("missing/report.html", "missing/report.html: its directory does not exist"),
    ] {
        let arguments = ["plan", "a.csv", "--report", place];
        let line = refused(&millpond(&directory).args(arguments).output().unwrap());
        assert!(line.starts_with(part), "{place}: {line}");
    }
    assert_eq!(directory.names(), ["a.csv"]);
}

/// Before any of them is opened: a FIFO would wait for ever.
#[cfg(target_os = "linux")]
#[test]
fn what_is_no_regular_file_is_refused() {
    use std::os::unix::fs::symlink;

    let directory = Directory::new();
    directory.file("a.csv", TRACE);
    let inside = |name| directory.path().join(name);
    millpond_testkit::fifo(&inside("fifo"));
    symlink("fifo", inside("to-fifo")).unwrap();
    symlink("/dev/null", inside("device")).unwrap();
    symlink("nowhere", inside("dangling")).unwrap();
    symlink("round", inside("round")).unwrap();
    for (place, part) in [
        ("fifo", "fifo: is not a regular file"),
        ("to-fifo", "to-fifo: is not a regular file"),
        ("device", "device: is not a regular file"),
        ("/dev/null", "/dev/null: is not a regular file"),
        ("dangling", "dangling: is a link to nothing"),
        ("round", "round: "),
    ] {
        for option in ["--report", "--budget", "--summary"] {
            let more = if option == "--report" { &[][..] } else { &["--no-report"] };
            let arguments = ["plan", "a.csv", option, place];
            let output = millpond(&directory).args(arguments).args(more).output().unwrap();
            let line = refused(&output);
            assert!(line.starts_with(part), "{option} {place}: {line}");
        }
    }
    assert_eq!(directory.names(), ["a.csv", "dangling", "device", "fifo", "round", "to-fifo"]);
}

/// A user who has made a link keeps it.
#[cfg(unix)]
#[test]
fn a_link_to_a_report_stays_and_its_file_is_replaced() {
    let directory = Directory::new();
    directory.file("a.csv", TRACE);
    let real = directory.file("real.html", format!("{}\nold", millpond_plan::report::MARKER));
    let link = directory.path().join("report.html");
    std::os::unix::fs::symlink("real.html", &link).unwrap();
    done(&millpond(&directory).args(["plan", "a.csv"]).output().unwrap());
    assert!(std::fs::symlink_metadata(link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(real).unwrap().len() > 1000);
    assert_eq!(directory.names(), ["a.csv", "real.html", "report.html"]);
}

#[test]
fn none_if_none_is_wanted() {
    let directory = Directory::new();
    directory.file("a.csv", TRACE);
    for option in ["--no-report", "--json"] {
        done(&millpond(&directory).args(["plan", "a.csv", option]).output().unwrap());
        assert_eq!(directory.names(), ["a.csv"]);
    }
    let arguments = ["plan", "a.csv", "--json", "--report", "x.html"];
    let json = done(&millpond(&directory).args(arguments).output().unwrap());
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
    assert_eq!(directory.names(), ["a.csv", "x.html"]);
    let both = ["plan", "a.csv", "--no-report", "--report", "x.html"];
    refused(&millpond(&directory).args(both).output().unwrap());
}
