//! `millpond plan --wait-p99-ms`: how many connections a recorded program needs.

use std::path::Path;

use crate::common::{Directory, Random, done, gzip, millpond, refused};
use millpond_overflow::Budget;
use serde_json::Value;

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

fn plan(directory: &Directory, file: &Path, arguments: &[&str]) -> String {
    let mut command = millpond(directory);
    command.args(["plan", "--no-report", "--open-ms", "0.001"]).args(arguments).arg(file);
    done(&command.output().unwrap())
}

/// A row of the table: capacity, the waits in ms (50 %, 90 %, 99 %, longest), busy, and opened as needed:
/// the wait of 99 %, and how many.
fn row(said: &str, capacity: usize) -> [f64; 8] {
    let cells = |line: &str| -> Vec<f64> {
        line.split_whitespace().filter_map(|cell| cell.parse().ok()).collect()
    };
    let row = said.lines().map(cells).find(|row| row.len() == 8 && row[0] == capacity as f64);
    row.expect("a row for this capacity").try_into().unwrap()
}

/// Rounds of as many as the capacity; the 99 % of 200 waits are the third longest.
#[test]
fn says_the_smallest_capacity_that_serves() {
    let directory = Directory::new();
    for (name, content) in
        [("orders.trace", trace().into_bytes()), ("orders.trace.gz", gzip(trace().as_bytes()))]
    {
        let file = directory.file(name, content);
        let said = plan(&directory, &file, &["--wait-p99-ms", "4"]);
        assert!(said.contains("200 requests"), "{said}");
        // Rounds of 7, 7 and 6. With one object less there are rounds of 6, 6, 6 and 2.
        assert!(said.contains("a capacity of 7 is enough"), "{said}");
        let busy = 0.44; // 20 × 2 ms in each of nine tenths of a second and the last 4 ms
        assert_eq!(row(&said, 6)[..6], [6.0, 2.0, 4.0, 6.0, 6.0, busy]);
        assert_eq!(row(&said, 7)[..6], [7.0, 2.0, 4.0, 4.0, 4.0, busy]);
        // Opening takes 1 µs and two are opened at once, so in the first burst object N is there N ÷ 2 µs
        // after the asks, rounded up: 4.001 ms are too long. Rounds of 8, 8 and 4 have four of them in the
        // first burst, rounds of 9, 9 and 2 have two, and the third longest wait is 4 ms, of the others.
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("each within 0.001 ms, a capacity of 9 is enough"), "{said}");
        assert_eq!(row(&said, 7)[6..], [4.0, 7.0]);
        // Two rounds of 10: nobody waits for a third.
        let said = plan(&directory, &file, &["--wait-p99-ms", "2.5"]);
        assert!(said.contains("a capacity of 10 is enough"), "{said}");
        assert_eq!(row(&said, 10)[1..5], [0.0, 2.0, 2.0, 2.0]);
    }
    assert_eq!(directory.names(), ["orders.trace", "orders.trace.gz"], "no report");
}

/// Without the ledger: N counters, and each caller goes to the one that is free first.
#[test]
fn every_capacity_agrees_with_counters() {
    let mut random = Random(5);
    let mut asked_us = 0;
    let loans: Vec<(u64, u64)> = (0..1_000)
        .map(|_| {
            asked_us += random.below(4_000);
            (asked_us, 1 + random.below(15_000))
        })
        .collect();
    let mut text = String::from("asked_us,got_us,returned_us,pool\n");
    for (asked_us, hold_us) in &loans {
        text += &format!("{asked_us},{asked_us},{},orders\n", asked_us + hold_us);
    }
    let directory = Directory::new();
    let file = directory.file("orders.trace", text);
    let json: Value =
        plan(&directory, &file, &["--wait-p99-ms", "10.5", "--json"]).parse().unwrap();
    let pool = &json["traces"][0]["pools"][0];
    assert_eq!((&pool["pool"], &pool["asks"]), (&"orders".into(), &1_000.into()));
    let mut smallest = None;
    let planned = pool["capacities"].as_array().unwrap();
    assert!(planned.len() > 7, "up to as many as are busy at once");
    for (capacity, at) in (1..).zip(planned) {
        let mut free_us = vec![0; capacity];
        let mut waits: Vec<u64> = loans
            .iter()
            .map(|(asked_us, hold_us)| {
                let counter = free_us.iter_mut().min().unwrap();
                let got_us = (*counter).max(*asked_us);
                *counter = got_us + hold_us;
                got_us - asked_us
            })
            .collect();
        waits.sort_unstable();
        assert_eq!(at["capacity"], capacity);
        for (name, index) in [("p50", 499), ("p90", 899), ("p99", 989), ("longest", 999)] {
            let planned = at["in_advance"]["wait_ms"][name].as_f64().unwrap();
            assert_eq!(planned, waits[index] as f64 / 1_000.0, "{capacity} {name}");
        }
        if smallest.is_none() && waits[989] <= 10_500 {
            smallest = Some(capacity);
        }
    }
    let smallest = smallest.expect("ten are enough");
    assert!(smallest > 3, "nearly four are busy on average");
    assert_eq!(pool["capacity"], smallest);
    assert!(pool["littles_law_deviation"].as_f64().unwrap() < 0.01);
    assert_eq!(pool["more_will_not_help"], false);
}

/// A recording of one burst, in which opening takes longer than anybody may wait.
#[test]
fn a_recording_that_is_its_own_start_has_a_plan() {
    let directory = Directory::new();
    let file = directory.file("orders.trace", trace());
    let arguments = ["--wait-p99-ms", "4", "--open-ms", "50"];
    let mut command = millpond(&directory);
    let said =
        done(&command.args(["plan", "--no-report"]).args(arguments).arg(&file).output().unwrap());
    assert!(said.contains("a capacity of 7 is enough if all are opened in advance"), "{said}");
    assert!(
        said.contains("if they are opened as needed, no capacity is enough in this recording"),
        "{said}"
    );
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
}

#[test]
fn the_report_draws_waits_over_capacity_and_csv_lists_them() {
    let directory = Directory::new();
    let file = directory.file("orders.trace", trace());
    let mut command = millpond(&directory);
    let said = done(&command.args(["plan", "--wait-p99-ms", "4"]).arg(&file).output().unwrap());
    assert!(said.contains("Report: "), "{said}");
    let html = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
    assert!(html.starts_with(millpond_plan::report::MARKER) && html.contains("Waits by capacity"));
    assert!(html.contains("a capacity of 7 is enough"), "the verdict");

    let csv = plan(&directory, &file, &["--wait-p99-ms", "4", "--csv"]);
    assert_eq!(csv.lines().count(), 21, "a heading and a line for each of 20 capacities");
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == columns), "{csv}");
    let seventh = csv.lines().nth(7).unwrap();
    assert!(seventh.contains(",orders,7,2000,4000,4000,4000,0,"), "{seventh}");

    directory.file("report.html", "a diary");
    let mut command = millpond(&directory);
    let line = refused(&command.args(["plan", "--wait-p99-ms", "4"]).arg(&file).output().unwrap());
    assert!(line.starts_with("report.html: exists") && line.contains("not overwriting"), "{line}");
}

/// Twenty callers at once who hold for 2 ms and think for 98. With one object, each waits for the nineteen
/// others once; from then on they come one after the other.
#[test]
fn closed_replays_callers_who_think() {
    let directory = Directory::new();
    let file = directory.file("orders.trace", trace());
    let arguments = ["--wait-p99-ms", "4", "--json"];
    let pool = |closed: &str| -> Value {
        let json: Value =
            plan(&directory, &file, &[&arguments[..], &[closed]].concat()).parse().unwrap();
        json["traces"][0]["pools"][0].clone()
    };
    let closed = pool("--closed");
    assert_eq!(closed["callers"], 20, "as many as at once");
    let waits = |pool: &Value| pool["capacities"][0]["in_advance"]["wait_ms"].clone();
    // The first round waits 0, 2, … 38 ms; later ones nothing: 20 of 200 waits, of which 38 and 36 are above 99 %.
    assert_eq!(waits(&closed)["p99"], 34.0);
    assert_eq!(waits(&closed)["p50"], 0.0);
    let open: Value = plan(&directory, &file, &arguments).parse().unwrap();
    let open = &open["traces"][0]["pools"][0];
    assert_eq!(open["callers"], Value::Null);
    assert_eq!(waits(open)["p50"], 18.0, "every burst waits");
    // Forty callers, the latter twenty from the second burst on, think for 198 ms.
    let forty = pool("--closed=40");
    assert_eq!(forty["callers"], 40);
    assert_eq!(forty["capacities"].as_array().unwrap().len(), 40);

    let said = plan(&directory, &file, &["--wait-p99-ms", "4", "--closed"]);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("replayed as 20 callers"), "{said}");
    let refuse = |closed: &[&str]| {
        let mut command = millpond(&directory);
        refused(&command.args(["plan", "--no-report"]).args(closed).arg(&file).output().unwrap())
    };
    let said = refuse(&["--wait-p99-ms", "4", "--closed=19"]);
    assert!(said.contains("20 callers at once in orders, more than 19"), "{said}");
    assert!(refuse(&["--wait-p99-ms", "4", "--closed=100001"]).contains("100001"));
    assert!(refuse(&["--closed"]).contains("--wait-p99-ms"));
}

/// What PostgreSQL 15 wrote for psql: statements on their own, transactions, errors, a line break in a query.
#[test]
fn the_log_of_a_real_server_is_a_trace() {
    let directory = Directory::new();
    let log = include_str!("../data/postgresql-15.csvlog");
    let file = directory.file("postgresql.csv.gz", gzip(log.as_bytes()));
    let json: Value = plan(&directory, &file, &["--wait-p99-ms", "5", "--json"]).parse().unwrap();
    assert_eq!(json["traces"][0]["format"], "postgresql-csvlog");
    let pools = json["traces"][0]["pools"].as_array().unwrap();
    assert_eq!(pools.len(), 1, "nobody got into the database that does not exist");
    assert_eq!(pools[0]["pool"], "postgres");
    // create; begin … commit; select 1; begin … rollback; a transaction in one string; select 2; and two that failed at
    // once.
    assert_eq!(pools[0]["asks"], 8);
    assert_eq!(json["traces"][0]["log"]["failed"], 3, "one of them between begin and rollback");
    // 1.585, 0.059, 10.667 and 0.112 ms as logged; begin … commit 20.577 (its statements); the other
    // began 0.004 ms before its time and ended within the same millisecond: 0.008.
    let sum_ms = 1.585 + 0.059 + 10.667 + 0.112 + 20.577 + 0.008;
    let mean_ms = pools[0]["mean_hold_ms"].as_f64().unwrap();
    assert!((mean_ms - sum_ms / 8.0).abs() < 1e-9, "{mean_ms}");
    let said = plan(&directory, &file, &["--wait-p99-ms", "5"]);
    assert!(said.contains("PostgreSQL's log"), "{said}");

    let cut = &log[..log.find("10.667").expect("a duration")];
    let file = directory.file("cut.csv", cut);
    let output =
        millpond(&directory).args(["plan", "--wait-p99-ms", "5", "--whole"]).arg(file).output();
    assert!(refused(&output.unwrap()).contains("columns, expected the 23"), "cut within a line");
}

/// A scenario for each trace, a capacity for each pool.
#[test]
fn capacities_become_a_budget() {
    let directory = Directory::new();
    // Ten callers at once: rounds of 4, 4 and 2.
    let mail: Vec<_> =
        trace().lines().skip(1).step_by(2).map(|row| row.replace("orders", "mail")).collect();
    let file = directory.file("shop.trace", trace() + &mail.join("\n") + "\n");
    let other = directory.file("night.trace", trace());
    let arguments = ["plan", "--wait-p99-ms", "4", "--no-report", "--budget", "b.toml"];
    let mut command = millpond(&directory);
    let said = done(&command.args(arguments).args([&file, &other]).output().unwrap());
    assert!(said.contains("Budget: "), "{said}");
    let text = std::fs::read_to_string(directory.path().join("b.toml")).unwrap();
    let budget = Budget::from_toml(&text).unwrap();
    assert_eq!(budget.scenario_names().collect::<Vec<_>>(), ["night", "shop"]);
    for (scenario, pool, capacity) in
        [("night", "orders", 7), ("shop", "orders", 7), ("shop", "mail", 4)]
    {
        assert_eq!(budget.scenario(scenario).unwrap().capacity(pool), Ok(capacity), "{text}");
    }
    assert!(budget.scenario("night").unwrap().capacity("mail").is_err());
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
    let expected = "line 1 (byte 0): this is a lifetime trace, which `millpond plan` reads without --wait-p99-ms, \
                    expected a trace of loans (first line \
                    `asked_us,got_us,returned_us,pool`) or PostgreSQL's csvlog";
    assert!(said.contains(expected), "{said}");
    let said = refuse(&wait, &format!("{header}9,3,4,orders\n"));
    assert!(said.contains("line 2 (byte 33): got_us is before asked_us"), "{said}");
    let said = refuse(&wait, header);
    assert!(said.contains("no loan in it"), "{said}");
    let said = refuse(&["--wait-p99-ms", "5", "--class", "Imp"], header);
    assert!(said.contains("--wait-p99-ms"), "{said}");
    let said = refuse(&["--wait-p99-ms", "5", "--budget", "b.toml"], &format!("{header}3,2,1,x\n"));
    assert!(said.contains("line 2 (byte 33): "), "{said}");
    let same = ["--wait-p99-ms", "5", "--budget", "b.toml", "--report", "b.toml"];
    let said = refuse(&same, &trace());
    assert!(said.contains("b.toml is also the file for the report"), "{said}");
    assert_eq!(directory.names(), ["bad.trace"], "no report and no budget");
}
