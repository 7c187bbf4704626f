//! `millpond plan --wait-p99-ms`: how many connections a recorded program needs.

mod common;

use common::{Directory, done, gzip, millpond, refused};

/// Twenty callers at once, each for 2 ms, ten times.
fn trace() -> String {
    let mut text = String::from("asked_us,got_us,returned_us,pool\n");
    for burst in 0..10 {
        let asked_us = burst * 100_000;
        for _ in 0..20 {
            text += &format!("{asked_us},{asked_us},{},orders\n", asked_us + 2_000);
        }
    }
    text
}

#[test]
fn says_the_smallest_capacity_that_serves() {
    let directory = Directory::new();
    for (name, content) in
        [("orders.trace", trace().into_bytes()), ("orders.trace.gz", gzip(trace().as_bytes()))]
    {
        let file = directory.file(name, content);
        let mut command = millpond(&directory);
        command.args(["plan", "--wait-p99-ms", "4.5", "--open-ms", "0.001"]).arg(file);
        let said = done(&command.output().unwrap());
        // Rounds of 7, 7 and 6: the last one waits 4 ms, and in the first burst for an opening.
        assert!(said.contains("a capacity of 7 serves"), "{said}");
        assert!(said.contains("200 asks"), "{said}");
    }
    assert_eq!(directory.names(), ["orders.trace", "orders.trace.gz"], "no report");
}

#[test]
fn bad_traces_and_arguments_are_one_line() {
    let directory = Directory::new();
    let refuse = |arguments: &[&str], content: &str| {
        let file = directory.file("bad.trace", content);
        let output = millpond(&directory).arg("plan").args(arguments).arg(file).output().unwrap();
        refused(&output)
    };
    let header = "asked_us,got_us,returned_us,pool\n";
    let wait = ["--wait-p99-ms", "5"];
    let said = refuse(&wait, "tick,event,id,class\n");
    assert!(said.contains("line 1: expected asked_us,got_us,returned_us,pool"), "{said}");
    let said = refuse(&wait, &format!("{header}9,3,4,orders\n"));
    assert!(said.contains("line 2: got_us is before asked_us"), "{said}");
    let said = refuse(&wait, header);
    assert!(said.contains("no loan in it"), "{said}");
    let said = refuse(&["--wait-p99-ms", "5", "--json"], header);
    assert!(said.contains("--wait-p99-ms"), "{said}");
}
