//! `millpond merge --partial` and `--counts`: a fleet's sessions, counted in parts, have the plan of one merge.

use std::process::Output;

use crate::common::{Directory, Random, done, gzip, millpond, refused};
use crate::merge::{Session, sessions, summary};

/// Writes the sessions as `parts` summaries, of random sizes, each with sessions from anywhere; returns their names.
fn split(
    directory: &Directory,
    sessions: &[Session],
    parts: usize,
    random: &mut Random,
) -> Vec<String> {
    let mut each = vec![Vec::new(); parts];
    for session in sessions {
        // Most sessions in few parts.
        let place = random.below(parts as u64).min(random.below(parts as u64));
        each[place as usize].push(session.clone());
    }
    each.retain(|part| !part.is_empty());
    let mut names = Vec::new();
    for (number, part) in each.iter().enumerate() {
        names.push(format!("{number}.csv"));
        directory.file(&names[number], summary(part));
    }
    names
}

fn merge(directory: &Directory, arguments: &[&str], inputs: &[String]) -> Output {
    millpond(directory).arg("merge").args(arguments).args(inputs).output().unwrap()
}

/// Counts each of the inputs by itself, and adds the counts up in two steps.
fn count(directory: &Directory, options: &[&str], inputs: &[String]) {
    let partial = |name: &str, inputs: &[String]| {
        let line = done(&merge(directory, &[options, &["--partial", name]].concat(), inputs));
        assert!(line.contains("the counts of"), "{line}");
    };
    let mut counted = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        counted.push(format!("counts-{number}.json"));
        partial(&counted[number], std::slice::from_ref(input));
    }
    let (some, others) = counted.split_at(counted.len() / 2);
    if some.is_empty() {
        return partial("counts.json", others);
    }
    partial("some.json", some);
    partial("counts.json", &[&["some.json".to_owned()], others].concat());
}

/// Keeps the sessions that may be given up, of each of the inputs by itself; returns the names of the files.
fn keep_rare(directory: &Directory, options: &[&str], inputs: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        kept.push(format!("rare-{number}.json"));
        let step = ["--counts", "counts.json", "--partial", &kept[number]];
        let arguments = [options, &step].concat();
        let line = done(&merge(directory, &arguments, std::slice::from_ref(input)));
        assert!(line.contains("sessions that may be given up"), "{line}");
    }
    kept
}

#[test]
fn however_the_sessions_are_split_the_plan_is_the_same() {
    let mut random = Random(17);
    let all = sessions(120);
    let by_level = ["--by", "level"];
    for (parts, by, rules) in [
        (1, &[][..], &[][..]),
        (3, &by_level, &["--quantile", "99"]),
        (7, &[], &["--quantile", "80", "--all"]),
        (4, &by_level, &["--quantile", "40"]),
        (2, &[], &["--quantile", "0"]),
        (2, &[], &["--quantile", "100"]),
    ] {
        let directory = Directory::new();
        let mut inputs = split(&directory, &all, parts, &mut random);
        let formats: [&[&str]; 4] = [&["--json"], &["--csv"], &[], &["--headroom", "30", "--json"]];
        let expected = formats.map(|format| {
            done(&merge(&directory, &[by, rules, format].concat(), &inputs)).into_bytes()
        });
        count(&directory, by, &inputs);
        inputs.reverse();
        let mut rare = keep_rare(&directory, rules, &inputs);
        if parts == 7 {
            // The last step may read summaries too.
            rare[0].clone_from(&inputs[0]);
        }
        for (format, expected) in formats.into_iter().zip(&expected) {
            let arguments = [rules, format, &["--counts", "counts.json"]].concat();
            let found = done(&merge(&directory, &arguments, &rare)).into_bytes();
            assert!(found == *expected, "{parts} parts, {by:?} {rules:?} {format:?}");
        }
    }
}

#[test]
fn of_many_sessions_only_the_rarest_are_kept() {
    let directory = Directory::new();
    let mut all = sessions(20_400);
    // One class that all sessions have, in which each has another peak, tells how rare each of them is.
    for (number, session) in all.iter_mut().enumerate() {
        session.needs.clear();
        session.needs.insert("Imp", (40_000, 2 + number as u32));
    }
    let inputs = split(&directory, &all, 2, &mut Random(3));
    count(&directory, &[], &inputs);
    let rare = keep_rare(&directory, &[], &inputs);
    let kept = |name: &String| {
        let text = std::fs::read_to_string(directory.path().join(name)).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json["millpond_rare_sessions"]["groups"][0]["sessions"].as_array().unwrap().len()
    };
    // 95 % would give up 1,020 sessions, more than are kept for a level that nobody has asked for; 99 % give up 204.
    assert_eq!(rare.iter().map(kept).sum::<usize>(), 204);
}

/// Each part of a message, for steps over two summaries that were counted and kept as they should be.
#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let directory = Directory::new();
    let all = sessions(60);
    directory.file("a.csv", summary(&all[..30]));
    directory.file("b.csv", summary(&all[30..]));
    directory.file("mine.json", "{\"dear\": \"diary\"}");
    let inputs = ["a.csv", "b.csv"].map(str::to_owned);
    count(&directory, &[], &inputs);
    keep_rare(&directory, &["--quantile", "90"], &inputs);
    done(&merge(&directory, &["--by", "level", "--partial", "by.json"], &inputs));
    let names = directory.names();
    let counts: &[&str] = &["--counts", "counts.json", "--quantile", "90"];
    for (arguments, part) in [
        (&["rare-0.json"][..], "expected each part once"),
        (&["rare-0.json", "rare-0.json", "rare-1.json"], "expected each part once"),
        (&["rare-0.json", "a.csv"], "expected each part once"),
        (&["counts-0.json", "rare-1.json"], "counts-0.json: has counts, expected summaries"),
        (&["--by", "level", "rare-0.json", "rare-1.json"], "counted without this --by"),
        (
            &["--all", "rare-0.json", "rare-1.json"],
            "made with --quantile 90, expected --quantile 90 --all",
        ),
        (&["mine.json"], "mine.json: is not a part that `merge --partial` has written"),
        (&["--partial", "mine.json", "a.csv"], "mine.json: exists and was not written by"),
        (&["--partial", "p.json", "--json", "a.csv"], "cannot be used with"),
    ] {
        let line = refused(
            &millpond(&directory).arg("merge").args(counts).args(arguments).output().unwrap(),
        );
        assert!(line.contains(part), "{arguments:?}: {line}");
        assert_eq!(directory.names(), names, "{arguments:?}");
    }
    for (arguments, part) in [
        (&["--counts", "counts.json", "rare-0.json", "rare-1.json"][..], "made with --quantile 90"),
        (&["--counts", "counts-0.json", "rare-0.json"], "was made with other counts"),
        (&["--counts", "rare-0.json", "a.csv"], "rare-0.json: has no counts"),
        (&["--counts", "a.csv", "a.csv"], "a.csv: has no counts"),
        (&["--counts", "none.json", "a.csv"], "none.json: no such file"),
        (&["--partial", "p.json", "rare-0.json"], "rare-0.json: has sessions that may be given up"),
        (
            &["--partial", "p.json", "counts.json", "by.json"],
            "are grouped --by level, expected not grouped",
        ),
        (&["--partial", "p.json", "counts-0.json", "counts.json"], "is given twice"),
        (&["--partial", "p.json", "counts-0.json", "a.csv"], "is given twice"),
        (&["counts-0.json", "counts-1.json"], "has counts, expected summaries"),
    ] {
        let line = refused(&millpond(&directory).arg("merge").args(arguments).output().unwrap());
        assert!(line.contains(part), "{arguments:?}: {line}");
        assert_eq!(directory.names(), names, "{arguments:?}");
    }
}

/// Files that somebody has changed, or that were damaged on their way.
#[test]
fn parts_that_say_what_cannot_be_are_refused() {
    let directory = Directory::new();
    directory.file("a.csv", summary(&sessions(12)));
    let inputs = ["a.csv".to_owned()];
    count(&directory, &[], &inputs);
    keep_rare(&directory, &[], &inputs);
    let read = |name| std::fs::read_to_string(directory.path().join(name)).unwrap();
    let (counts, rare) = (read("counts.json"), read("rare-0.json"));
    let replaced = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from} is not in {text}");
        text.replacen(from, to, 1).into_bytes()
    };
    let counts_with = |from: &str, to: &str| replaced(&counts, from, to);
    let refuses = |bytes: Vec<u8>, arguments: &[&str], part: &str| {
        directory.file("bad.json", bytes);
        let line = refused(&millpond(&directory).arg("merge").args(arguments).output().unwrap());
        assert!(line.starts_with("bad.json: ") && line.contains(part), "{part}: {line}");
    };
    let add: &[&str] = &["--partial", "p.json", "bad.json"];
    for (bytes, part) in [
        (counts.as_bytes()[..counts.len() / 2].to_vec(), "EOF while parsing"),
        (counts_with("\"sessions\":12", "\"sessions\":-1"), "invalid value"),
        (counts_with("\"sessions\":12", "\"sessions\":99999999999999"), "too many sessions"),
        (counts_with("\"sessions\":12", "\"sessions\":1"), "more sessions than its group"),
        (
            counts_with("\"without_clock\":0", "\"without_clock\":13"),
            "more sessions without a clock",
        ),
        (counts_with("\"name\":\"Imp\"", "\"name\":\"\""), "has no name"),
        (counts_with("\"name\":\"Imp\"", "\"name\":\"Puff\""), "a class occurs twice"),
        (counts_with("\"peaks\":[[", "\"peaks\":[[0,1],["), "a peak is 0"),
        (
            counts_with("\"peaks\":[[", "\"peaks\":[[7,18446744073709551615],["),
            "are not those of its sessions",
        ),
        (counts_with("\"pace\":null", "\"pace\":[-1.0,null]"), "is no time"),
        (counts_with("\"seen\"", "\"sawn\""), "unknown field"),
        (gzip(&[b"{".to_vec(), vec![b' '; 30_000_000]].concat()), "expands to more than"),
    ] {
        refuses(bytes, add, part);
    }
    let last: &[&str] = &["--counts", "counts.json", "bad.json"];
    for (from, to, part) in [
        ("\"peaks\":[[0,", "\"peaks\":[[9,", "has other classes than the counts"),
        ("\"peaks\":[[0,", "\"peaks\":[[0,1],[0,", "has other classes than the counts"),
        ("\"peaks\":[[0,", "\"peaks\":[[0,4000", "expected finished summaries"),
    ] {
        refuses(replaced(&rare, from, to), last, part);
    }
}
