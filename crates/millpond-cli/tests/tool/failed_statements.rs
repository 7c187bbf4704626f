//! Statements that fail hold a connection as long as others do. The logs are those of a PostgreSQL 15 that was driven by
//! a client which noted, on its own clock, how long it held each connection.

use std::collections::BTreeMap;
use std::path::PathBuf;

use millpond_plan::input::Source;
use millpond_plan::loans::{Notes, recorded};

use crate::common::{Directory, done, millpond};

fn path(name: &str) -> PathBuf {
    let name = format!("postgresql-15-{name}.csvlog.gz");
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", &name].iter().collect()
}

/// The holds of each kind of failure, which has a database of its own, in milliseconds, and what is said of the log.
fn holds(name: &str) -> (BTreeMap<String, Vec<f64>>, Notes) {
    let source = Source::from_path(&path(name)).unwrap();
    let recording = recorded(&source, &[]).unwrap();
    let holds = recording.pools.iter().map(|pool| {
        let hold = |row: &millpond_lend::TraceRow| (row.ended_us - row.asked_us) as f64 / 1e3;
        (pool.pool.clone(), pool.rows.iter().map(hold).collect())
    });
    (holds.collect(), recording.notes)
}

/// What the client held, in milliseconds, by its own clock.
type Held = [(&'static str, f64); 10];

/// Of clients that send the text of each statement: a timeout; a cancelled one; a broken constraint in a block, which is
/// rolled back later; an exception of a function; a lock that does not come; a session that idles in a transaction until
/// the server ends it; one that an administrator ends; a deadlock; one that the parser refuses; a commit that fails.
const HELD_BY_TEXTS: Held = [
    ("timeout", 304.3),
    ("cancelled", 254.7),
    ("unique", 224.8),
    ("raised", 209.9),
    ("lockto", 181.9),
    ("idle", 419.7),
    ("terminated", 229.5),
    ("deadlock", 205.9),
    ("syntax", 3.4),
    ("commit", 114.1),
];

/// The client's clock runs while its messages are on their way, on a machine with other work.
const ON_THE_WAY_MS: f64 = 6.0;

#[test]
fn with_the_texts_of_statements_each_failure_is_held_as_long_as_it_was() {
    let (holds, notes) = holds("failed-statements");
    for (kind, held) in HELD_BY_TEXTS {
        let is_it = |hold: &&f64| (**hold - held).abs() <= ON_THE_WAY_MS;
        let rows = &holds[kind];
        assert!(
            rows.iter().any(|hold| is_it(&hold)),
            "{kind}: held for {held}, and there are {rows:?}"
        );
    }
    // To the millisecond of the log: from the line with a statement's text to the line with its error; from `begin` to
    // the end of the session or of the block.
    for (kind, at, ms) in [
        ("timeout", 4, 304.0),
        ("cancelled", 4, 252.0),
        ("unique", 3, 225.124),
        ("raised", 3, 204.0),
        ("lockto", 5, 181.0),
        ("idle", 4, 415.112),
        ("terminated", 4, 226.0),
        ("deadlock", 6, 206.067),
        ("commit", 4, 111.092),
        // A client that vanishes in a transaction held its connection until the server saw it.
        ("gone", 3, 401.094),
    ] {
        assert_eq!(holds[kind][at], ms, "{kind}");
    }
    // What the parser refuses has no text of its own.
    assert_eq!((notes.failed, notes.failed_without_start), (10, 1));
}

#[test]
fn in_the_extended_protocol_a_failure_begins_with_what_was_bound() {
    let (holds, notes) = holds("failed-extended");
    for (kind, at, ms) in [
        ("timeout", 4, 300.43),
        ("cancelled", 4, 226.391),
        ("unique", 3, 224.058),
        ("lockto", 5, 181.805),
        ("idle", 4, 411.051),
        ("terminated", 4, 216.398),
        ("deadlock", 6, 209.03),
        ("commit", 4, 112.047),
        ("gone", 3, 403.068),
    ] {
        assert_eq!(holds[kind][at], ms, "{kind}");
    }
    assert_eq!((notes.failed, notes.failed_without_start), (10, 2));
}

/// Without texts, the beginning of a statement outside of a transaction is not in the log.
#[test]
fn a_beginning_that_is_unknown_is_told_and_never_too_late() {
    let (holds, notes) = holds("failed-simple");
    for (kind, at, ms) in [
        // In a block, and an idle session: known.
        ("unique", 3, 226.041),
        ("idle", 4, 411.039),
        ("deadlock", 6, 211.035),
        ("commit", 4, 113.056),
        // Cancelled, or waiting for a lock: from the line before, after which the client waited for 50 to 100 ms.
        ("timeout", 4, 401.0),
        ("cancelled", 4, 355.0),
        ("terminated", 4, 334.0),
        ("lockto", 5, 241.0),
        // Whatever else fails is taken to fail at once.
        ("raised", 3, 0.0),
        ("syntax", 3, 0.0),
    ] {
        assert_eq!(holds[kind][at], ms, "{kind}");
    }
    assert_eq!((notes.failed, notes.failed_without_start), (10, 6));
    let text = said("failed-simple");
    assert!(
        text.contains("10 statements failed and held a connection until then. 6 have no beginning"),
        "{text}"
    );
    assert!(said("failed-statements").contains("1 has no beginning"));
}

/// The text of a plan, on one line.
fn said(name: &str) -> String {
    let directory = Directory::new();
    let mut command = millpond(&directory);
    command.args(["plan", "--no-report", "--wait-p99-ms", "5"]).arg(path(name));
    let said = done(&command.output().unwrap());
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `log_min_duration_statement = 10`; a fifth of the statements; a fifth of the transactions.
#[test]
fn a_log_of_a_part_of_the_statements_is_recognised() {
    for name in ["threshold", "sample", "transactions"] {
        let notes = holds(name).1;
        assert!(notes.missing_transactions().is_some(), "{name}: {notes:?}");
        let text = said(name);
        assert!(text.contains("seems to have only a part of the statements"), "{name}: {text}");
    }
    for name in ["failed-simple", "failed-statements", "failed-extended"] {
        let notes = holds(name).1;
        assert_eq!((notes.missing_transactions(), notes.threshold_us()), (None, None), "{name}");
        assert!(!said(name).contains("only a part"), "{name}");
    }
}

fn line(ms: u64, severity: &str, message: &str) -> String {
    let at = format!("2026-11-22 09:16:{:02}.{:03} UTC", ms / 1000, ms % 1000);
    format!(
        "{at},\"cook\",\"shop\",31,\"[local]\",a.1,5,\"SELECT\",{at},3/0,0,{severity},00000,\"{message}\",,,,,,,,,\"psql\",\
         \"client backend\",,0\n"
    )
}

/// Statements of their own have no transaction in the log, but their durations say it, or the server's own line.
#[test]
fn a_threshold_shows_in_durations_and_in_the_servers_own_words() {
    let directory = Directory::new();
    let said = |log: String| {
        let file = directory.file("postgresql.csv", log);
        let mut command = millpond(&directory);
        command.args(["plan", "--no-report", "--wait-p99-ms", "5"]).arg(file);
        done(&command.output().unwrap()).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let slow =
        |n: u64| line(n * 50, "LOG", &format!("duration: {}.250 ms  statement: select", 12 + n));
    let log: String = (1..30).map(slow).collect();
    let text = said(log.clone());
    assert!(text.contains("no statement in it took less than 13.2 ms"), "{text}");
    let fast = line(1_500, "LOG", "duration: 0.050 ms  statement: select");
    assert!(!said(log + &fast).contains("only a part"));
    let setting = |value: &str| {
        line(
            5,
            "LOG",
            &format!("parameter \"\"log_min_duration_statement\"\" changed to \"\"{value}\"\""),
        )
    };
    assert!(said(setting("100") + &fast).contains("it sets log_min_duration_statement = 100"));
    assert!(!said(setting("0") + &fast).contains("only a part"));
}

/// Errors of the server's own processes, and of clients who never got in, hold nothing.
#[test]
fn errors_of_others_are_no_statements() {
    let fast = line(1_500, "LOG", "duration: 0.050 ms  statement: select");
    let of =
        |from: &str, to: &str| line(1_600, "ERROR", "canceling autovacuum task").replace(from, to);
    for other in [
        of("client backend", "autovacuum worker"),
        of("\"cook\"", ""),
        of("\"SELECT\"", "\"startup\"").replace("ERROR", "FATAL"),
        of("\"SELECT\"", "\"idle\"").replace("ERROR", "FATAL"),
    ] {
        let text = [fast.clone(), other.clone()].concat();
        let source = Source::from_memory(text.leak().as_bytes());
        let recording = recorded(&source, &[]).unwrap();
        assert_eq!((recording.pools[0].rows.len(), recording.notes.failed), (1, 0), "{other}");
    }
}
