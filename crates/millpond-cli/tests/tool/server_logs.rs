//! Logs of servers as traces of loans: each request counts once, in whatever language and with whatever second lines.

use std::path::Path;

use crate::common::{Directory, done, millpond, refused};
use serde_json::Value;

/// A line of PostgreSQL's csvlog.
fn line(ms: u64, session: &str, tag: &str, transaction: &str, message: &str) -> String {
    let (seconds, ms) = (ms / 1000, ms % 1000);
    format!(
        "2026-11-22 09:16:{seconds:02}.{ms:03} UTC,\"cook\",\"shop\",31,\"[local]\",{session},5,\"{tag}\",\
         2026-11-22 09:16:56 UTC,{transaction},0,LOG,00000,\"{message}\",,,,,,,,,\"psql\",\"client backend\",,0\n"
    )
}

fn plan(directory: &Directory, file: &Path, arguments: &[&str]) -> String {
    let mut command = millpond(directory);
    command.args(["plan", "--no-report", "--wait-p99-ms", "5"]).args(arguments).arg(file);
    done(&command.output().unwrap())
}

/// The plan of its only pool, and what is said of the trace.
fn planned(log: &str, arguments: &[&str]) -> (Value, Value) {
    let directory = Directory::new();
    let file = directory.file("postgresql.csv", log);
    let json: Value = plan(&directory, &file, &[arguments, &["--json"]].concat()).parse().unwrap();
    let trace = json["traces"][0].clone();
    assert_eq!(trace["pools"].as_array().unwrap().len(), 1, "{trace}");
    (trace["pools"][0].clone(), trace)
}

/// Everything on one line.
fn said(log: &str, arguments: &[&str]) -> String {
    let directory = Directory::new();
    let file = directory.file("postgresql.csv", log);
    let said = plan(&directory, &file, arguments);
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_plan_of_auto_explain_is_a_second_line_about_a_statement() {
    let statement = "duration: 1.000 ms  statement: select 1";
    let plan_line =
        "duration: 0.998 ms  plan:\nQuery Text: select 1\nResult  (cost=0.00..0.01 rows=1)";
    // Outside a transaction, before and after its statement; nested in a function; within a transaction.
    let single = [
        line(100, "a.1", "SELECT", "3/5", plan_line),
        line(100, "a.1", "SELECT", "3/0", statement),
    ];
    let nested = [
        line(100, "a.1", "SELECT", "3/5", "duration: 0.100 ms  plan:\nQuery Text: select inner"),
        line(100, "a.1", "SELECT", "3/5", plan_line),
        line(100, "a.1", "SELECT", "3/0", statement),
        line(100, "a.1", "SELECT", "3/0", plan_line),
    ];
    for log in [&single[..], &nested] {
        let (pool, trace) = planned(&log.concat(), &[]);
        assert_eq!((&pool["asks"], &pool["capacity"]), (&1.into(), &1.into()), "{pool}");
        assert_eq!(pool["mean_hold_ms"], 1, "{pool}");
        assert_eq!(trace["skipped"]["plans"], log.len() - 1);
    }
    let transaction = [
        line(100, "a.1", "BEGIN", "3/3", "duration: 0.010 ms  statement: begin"),
        line(110, "a.1", "SELECT", "3/3", plan_line),
        line(110, "a.1", "SELECT", "3/3", statement),
        line(120, "a.1", "COMMIT", "3/0", "duration: 0.020 ms  statement: commit"),
    ];
    let (pool, _) = planned(&transaction.concat(), &[]);
    assert_eq!((&pool["asks"], &pool["mean_hold_ms"]), (&1.into(), &20.01.into()));
    let (without, _) = planned(&[0, 2, 3].map(|n| transaction[n].clone()).concat(), &[]);
    assert_eq!(without["mean_hold_ms"], pool["mean_hold_ms"], "a plan adds nothing to a hold");

    let directory = Directory::new();
    let file = directory.file("postgresql.csv", line(100, "a.1", "SELECT", "3/5", plan_line));
    let output =
        millpond(&directory).args(["plan", "--wait-p99-ms", "5"]).arg(file).output().unwrap();
    assert!(refused(&output).contains("only plans of auto_explain"), "no line of its own");
}

/// `log_statement = 'all'` writes the text in a line of its own, and then the duration without it.
#[test]
fn the_text_of_a_statement_is_no_request() {
    let log = [
        line(100, "a.1", "idle", "3/4", "statement: select 1"),
        line(101, "a.1", "SELECT", "3/0", "duration: 1.000 ms"),
        line(102, "a.1", "idle", "3/5", "statement: discard all"),
        line(103, "a.1", "DISCARD ALL", "3/0", "duration: 0.500 ms"),
    ];
    let (pool, _) = planned(&log.concat(), &[]);
    assert_eq!(pool["asks"], 2);
    let (pool, trace) = planned(&log.concat(), &["--skip-statement", "DISCARD ALL"]);
    assert_eq!((&pool["asks"], &pool["mean_hold_ms"]), (&1.into(), &1.into()));
    assert_eq!(trace["skipped"]["left_out"], 1);
}

/// Parse, bind and execute: in one transaction, with texts or with tags alone, and prepared in a transaction of its
/// own.
#[test]
fn the_steps_of_the_extended_protocol_are_one_request() {
    let steps = |transactions: [&str; 3], texts: [&str; 3], tags: [&str; 3]| {
        let step = |n: usize| line(100 + n as u64, "a.1", tags[n], transactions[n], texts[n]);
        [step(0), step(1), step(2)].concat()
    };
    let texts = [
        "duration: 0.100 ms  parse s1: select",
        "duration: 0.200 ms  bind s1/p1: select",
        "duration: 0.300 ms  execute s1/p1: select",
    ];
    let bare = ["duration: 0.100 ms", "duration: 0.200 ms", "duration: 0.300 ms"];
    for (texts, tags) in [(texts, ["SELECT"; 3]), (bare, ["PARSE", "BIND", "SELECT"])] {
        for transactions in [["3/7"; 3], ["3/7", "3/8", "3/8"], ["3/0"; 3], ["3/7", "3/8", "3/9"]] {
            let (pool, _) = planned(&steps(transactions, texts, tags), &[]);
            assert_eq!(pool["asks"], 1, "{transactions:?} {texts:?}");
            let hold_ms = pool["mean_hold_ms"].as_f64().unwrap();
            // In one transaction, from the first step to the last; otherwise, what the steps took.
            let expected = match transactions {
                ["3/7", "3/7", _] => 2.1,
                ["3/7", "3/8", "3/8"] => 1.2 + 0.1,
                _ => 0.6,
            };
            assert!((hold_ms - expected).abs() < 1e-9, "{transactions:?}: {hold_ms}");
        }
    }
    // What is prepared for later is no request, and does not last until it is used.
    let log = [
        line(0, "a.1", "PARSE", "3/7", "duration: 0.100 ms  parse s1: select"),
        line(5_000, "a.1", "SELECT", "3/8", "duration: 0.300 ms  execute s1: select"),
        line(9_000, "a.1", "PARSE", "3/9", "duration: 0.100 ms  parse s2: select"),
    ];
    let (pool, _) = planned(&log.concat(), &[]);
    assert_eq!((&pool["asks"], &pool["mean_hold_ms"]), (&1.into(), &0.4.into()));
}

/// A pool of the program's own that resets each session: the requests, and as many statements that are none.
fn with_resets() -> String {
    let of = |n: u64| {
        let session = format!("a.{n}");
        line(
            n * 50,
            &session,
            "SELECT",
            "3/0",
            &format!("duration: 10.000 ms  statement: select {n}"),
        ) + &line(
            n * 50 + 2,
            &session,
            "DISCARD ALL",
            "3/0",
            "duration: 1.000 ms  statement: DISCARD ALL;",
        )
    };
    (1..=24).map(of).collect()
}

#[test]
fn a_statement_that_is_half_of_all_is_named_and_may_be_left_out() {
    let log = with_resets();
    let (pool, trace) = planned(&log, &[]);
    assert_eq!(pool["asks"], 48);
    let half = &trace["half_of_requests"][0];
    assert_eq!((&half["pool"], &half["statement"]), (&"shop".into(), &"DISCARD ALL;".into()));
    assert_eq!((&half["requests"], &half["of"]), (&24.into(), &48.into()));
    let text = said(&log, &[]);
    assert!(
        text.contains("`DISCARD ALL;` makes 24 of 48 requests")
            && text.contains("--skip-statement"),
        "{text}"
    );
    for pattern in ["discard all", "DISCARD ALL;", "DISCARD*"] {
        let (pool, trace) = planned(&log, &["--skip-statement", pattern]);
        assert_eq!((&pool["asks"], &pool["mean_hold_ms"]), (&24.into(), &10.into()), "{pattern}");
        assert_eq!(trace["skipped"]["left_out"], 24);
        assert_eq!(trace["half_of_requests"], serde_json::json!([]));
    }
    assert!(said(&log, &["--skip-statement", "DISCARD*"]).contains("24 statements were left out"));
    let directory = Directory::new();
    let file = directory.file("postgresql.csv", &log);
    let mut command = millpond(&directory);
    done(&command.args(["plan", "--wait-p99-ms", "5"]).arg(&file).output().unwrap());
    let html = std::fs::read_to_string(directory.path().join("report.html")).unwrap();
    assert!(html.contains("`DISCARD ALL;` makes 24 of 48 requests"), "the report says so, too");
    let mut command = millpond(&directory);
    command.args(["plan", "--wait-p99-ms", "5", "--skip-statement", "*"]).arg(&file);
    assert!(refused(&command.output().unwrap()).contains("left out by --skip-statement"));
}

/// One query alone is no reason for a note, nor is one that is less than half.
#[test]
fn a_log_of_one_query_or_of_many_has_no_note() {
    let one =
        |n: u64| line(n * 50, "a.1", "SELECT", "3/0", "duration: 1.000 ms  statement: select 1");
    let many = |n: u64| {
        let text = format!("duration: 1.000 ms  statement: select {}", n % 3);
        line(n * 50, "a.1", "SELECT", "3/0", &text)
    };
    for log in [(1..9).map(one).collect::<String>(), (1..9).map(many).collect()] {
        assert_eq!(planned(&log, &[]).1["half_of_requests"], serde_json::json!([]));
    }
}

/// What may not be a request is still the end of its transaction.
#[test]
fn a_commit_that_is_left_out_ends_its_transaction() {
    let log = [
        line(100, "a.1", "BEGIN", "3/3", "duration: 0.010 ms  statement: begin"),
        line(110, "a.1", "SELECT", "3/3", "duration: 1.000 ms  statement: select 1"),
        line(120, "a.1", "COMMIT", "3/0", "duration: 0.020 ms  statement: commit"),
    ];
    let (pool, _) = planned(&log.concat(), &["--skip-statement", "commit"]);
    assert_eq!((&pool["asks"], &pool["mean_hold_ms"]), (&1.into(), &20.01.into()));
}

/// As PostgreSQL's translations have it.
const LANGUAGES: [(&str, &str); 12] = [
    ("French", "durée : 20.000 ms, instruction : select 1"),
    ("German", "Dauer: 20.000 ms  Anweisung: select 1"),
    ("Spanish", "duración: 20.000 ms  sentencia: select 1"),
    ("Italian", "durata: 20.000 ms istruzione: select 1"),
    ("Portuguese", "duração: 20.000 ms  comando: select 1"),
    ("Polish", "czas trwania: 20.000 ms  wyrażenie: select 1"),
    ("Russian", "продолжительность: 20.000 мс, оператор: select 1"),
    ("Swedish", "varaktighet: 20.000 ms  sats: select 1"),
    ("Turkish", "süre: 20.000 ms  ifade: select 1"),
    ("Japanese", "期間: 20.000 ミリ秒 文: select 1"),
    ("Chinese", "执行时间: 20.000 毫秒  语句: select 1"),
    ("Korean", "실행시간: 20.000 ms, 쿼리: select 1"),
];

#[test]
fn durations_in_another_language_are_counted_and_named() {
    for (language, message) in LANGUAGES {
        let other = line(100, "b.2", "SELECT", "4/0", message);
        let directory = Directory::new();
        let file = directory.file("postgresql.csv", &other);
        let output =
            millpond(&directory).args(["plan", "--wait-p99-ms", "5"]).arg(file).output().unwrap();
        let refusal = refused(&output);
        assert!(
            refusal.contains("lc_messages = 'C'") && refusal.contains(message),
            "{language}: {refusal}"
        );
        // Some sessions speak it: they are missing, and that is said.
        let log = line(90, "a.1", "SELECT", "3/0", "duration: 1.000 ms  statement: select 1")
            + &other.repeat(3);
        let (pool, trace) = planned(&log, &[]);
        assert_eq!(pool["asks"], 1, "{language}");
        assert_eq!(trace["skipped"]["other_language"], 3, "{language}");
        assert_eq!(trace["skipped"]["first_in_other_language"], message);
        let text = said(&log, &[]);
        assert!(
            text.contains("3 durations were skipped") && text.contains("lc_messages = 'C'"),
            "{language}: {text}"
        );
    }
    // In Latin-1, as old servers write it.
    let mut log =
        line(100, "b.2", "SELECT", "4/0", "dur@e : 20.000 ms, instruction : select 1").into_bytes();
    let at = log.iter().position(|byte| *byte == b'@').unwrap();
    log[at] = 0xe9;
    let directory = Directory::new();
    let file = directory.file("postgresql.csv", log);
    let output =
        millpond(&directory).args(["plan", "--wait-p99-ms", "5"]).arg(file).output().unwrap();
    assert!(refused(&output).contains("`durée : 20.000 ms, instruction : select 1`"));
}

/// Messages that are no durations, but begin with a word and a colon.
#[test]
fn other_messages_with_numbers_are_not_another_language() {
    let mut log = line(90, "a.1", "SELECT", "3/0", "duration: 1.000 ms  statement: select 1");
    for message in [
        "checkpoint complete: wrote 3 buffers (0.0%); 0 WAL file(s) added; write=0.201 s",
        "process 31 still waiting for ShareLock on transaction 5 after 1000.123 ms",
        "disconnection: session time: 0:00:00.027 user=cook database=shop host=[local]",
        "temporary file: path \"\"base/pgsql_tmp/pgsql_tmp31.0\"\", size 1024",
        "automatic vacuum of table \"\"shop.orders\"\": index scans: 0",
        "AUDIT: SESSION,1,1,READ,SELECT,,,select 1,<not logged>",
    ] {
        log += &line(95, "b.2", "", "", message);
    }
    let (pool, trace) = planned(&log, &[]);
    assert_eq!((&pool["asks"], &trace["skipped"]["other_language"]), (&1.into(), &0.into()));
    assert!(!said(&log, &[]).contains("skipped"));
}

/// Rates of one request, of a burst, and of an even row, in all outputs.
#[test]
fn a_rate_says_over_which_time_and_one_alone_has_none() {
    let header = "asked_us,got_us,returned_us,pool\n";
    let loans = |rows: &[(u64, u64)]| {
        let row = |(at, hold): &(u64, u64)| format!("{at},{at},{},orders\n", at + hold);
        header.to_owned() + &rows.iter().map(row).collect::<String>()
    };
    let one = loans(&[(5, 10_000)]);
    let burst = loans(&(0..48).map(|n| (n / 24, 10_000)).collect::<Vec<_>>());
    let even = loans(&(0..10).map(|n| (n * 50_000, 2_000)).collect::<Vec<_>>());
    for (text, rate, busy, words) in [
        (&one, Value::Null, "1.00 busy on average over the 10.0 ms", "orders: 1 request, held"),
        (
            &burst,
            Value::Null,
            "48.00 busy on average over the 10.0 ms",
            "48 requests within 0.001 ms, too short a time for a rate",
        ),
        (
            &even,
            20.into(),
            "0.04 busy on average over the 452.0 ms",
            "10 requests, 20.0 per second over 450.0 ms",
        ),
    ] {
        let (pool, _) = planned(text, &[]);
        assert_eq!(pool["rate_per_second"], rate, "{pool}");
        let text = said(text, &[]);
        assert!(text.contains(words) && text.contains(busy), "{text}");
    }
    let closed = said(&one, &["--closed"]);
    assert!(closed.contains("a capacity of 1 takes 10.0 ms in all"), "{closed}");
    let closed = said(&even, &["--closed"]);
    assert!(closed.contains("loans a second over 452.0 ms"), "{closed}");
}
