//! `millpond plan --wait-p99-ms`: how many connections a recorded program needs.

mod common;

use std::path::Path;

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

fn plan(directory: &Directory, file: &Path, wait_p99_ms: &str) -> String {
    let mut command = millpond(directory);
    command.args(["plan", "--open-ms", "0.001", "--wait-p99-ms", wait_p99_ms]).arg(file);
    done(&command.output().unwrap())
}

/// A row of the table: capacity, the waits in ms (50 %, 90 %, 99 %, longest), refused, opened.
fn row(said: &str, capacity: usize) -> [f64; 7] {
    let cells = |line: &str| -> Vec<f64> {
        line.split_whitespace().filter_map(|cell| cell.parse().ok()).collect()
    };
    let row = said.lines().map(cells).find(|row| row.len() == 8 && row[0] == capacity as f64);
    row.expect("a row for this capacity")[..7].try_into().unwrap()
}

/// Opening takes 1 µs and two are opened at once, so in the first burst object N is there N ÷ 2 µs after
/// the asks, rounded up; in the other nine all are there. The 99 % of 200 waits are the third longest.
#[test]
fn says_the_smallest_capacity_that_serves() {
    let directory = Directory::new();
    for (name, content) in
        [("orders.trace", trace().into_bytes()), ("orders.trace.gz", gzip(trace().as_bytes()))]
    {
        let file = directory.file(name, content);
        let said = plan(&directory, &file, "4.5");
        assert!(said.contains("200 asks"), "{said}");
        // Rounds of 7, 7 and 6: in the first burst the six wait 4.001 ms to 4.003 ms. With one object
        // less there are rounds of 6, 6, 6 and 2, and twenty of the 200 wait 6 ms.
        assert!(said.contains("a capacity of 7 serves"), "{said}");
        assert_eq!(row(&said, 6), [6.0, 2.0, 4.0, 6.0, 6.0, 0.0, 6.0]);
        assert_eq!(row(&said, 7), [7.0, 2.0, 4.0, 4.0, 4.0, 0.0, 7.0]);
        // 4.001 ms are too long. Rounds of 8, 8 and 4 have four of them in the first burst, rounds of 9, 9
        // and 2 have two, and the third longest wait is 4 ms, of the other bursts.
        let said = plan(&directory, &file, "4");
        assert!(said.contains("a capacity of 9 serves"), "{said}");
        // Two rounds of 10: nobody waits for a third.
        let said = plan(&directory, &file, "2.5");
        assert!(said.contains("a capacity of 10 serves"), "{said}");
        assert_eq!(row(&said, 10), [10.0, 0.0, 2.0, 2.0, 2.0, 0.0, 10.0]);
    }
    assert_eq!(directory.names(), ["orders.trace", "orders.trace.gz"], "no report");
}

/// Without the ledger: N counters, and each caller goes to the one that is free first. All times are
/// whole milliseconds, so the microseconds that opening takes are lost in rounding.
#[test]
fn every_capacity_agrees_with_counters() {
    let mut seed = 5_u64;
    let mut random = |limit: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    };
    let mut asked_ms = 0;
    let loans: Vec<(u64, u64)> = (0..1_000)
        .map(|_| {
            asked_ms += random(4);
            (asked_ms, 1 + random(15))
        })
        .collect();
    let mut text = String::from("asked_us,got_us,returned_us,pool\n");
    for (asked_ms, hold_ms) in &loans {
        let returned_ms = asked_ms + hold_ms;
        text += &format!("{asked_ms}000,{asked_ms}000,{returned_ms}000,orders\n");
    }
    let directory = Directory::new();
    let said = plan(&directory, &directory.file("orders.trace", text), "10.5");
    let mut smallest = None;
    for capacity in 1..=10_usize {
        let mut free_ms = vec![0; capacity];
        let mut waits: Vec<u64> = loans
            .iter()
            .map(|(asked_ms, hold_ms)| {
                let counter = free_ms.iter_mut().min().unwrap();
                let got_ms = (*counter).max(*asked_ms);
                *counter = got_ms + hold_ms;
                got_ms - asked_ms
            })
            .collect();
        waits.sort_unstable();
        let [p50, p90, p99, longest] = [499, 899, 989, 999].map(|index| waits[index] as f64);
        let expected = [capacity as f64, p50, p90, p99, longest, 0.0, capacity as f64];
        assert_eq!(row(&said, capacity), expected, "{said}");
        if smallest.is_none() && p99 <= 10.5 {
            smallest = Some(capacity);
        }
    }
    let smallest = smallest.expect("ten are enough");
    assert!(smallest > 5, "five are busy on average");
    assert!(said.contains(&format!("a capacity of {smallest} serves")), "{said}");
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
