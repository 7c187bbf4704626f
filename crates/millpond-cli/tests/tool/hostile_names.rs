//! Names from outside in every output: nothing that moves the cursor, turns the direction of text or is calculated by a
//! spreadsheet.

use millpond_plan::output::foreign::is_hidden;

use crate::common::{Directory, done, millpond};

/// Classes with every kind of hidden character, in files whose own names have some.
const NAMES: [&str; 8] = [
    "a\u{1b}[31mred",
    "b\u{202e}gnp.exe",
    "c\u{2066}d\u{2069}",
    "=1+1",
    "@SUM(A1)",
    "-[Enemy init]",
    "e\u{200b}f\u{feff}\u{e0041}",
    "g\u{85}h\u{7f}i\tj",
];

fn trace() -> String {
    let mut trace = "tick,event,id,class\n".to_owned();
    for (class, name) in NAMES.iter().enumerate() {
        for turn in 0..300 {
            let (tick, id) = (turn * 2, class * 1000 + turn);
            trace += &format!("{tick},alloc,{id},{name}\n");
        }
    }
    let mut lines: Vec<_> = trace.lines().skip(1).map(str::to_owned).collect();
    for (class, name) in NAMES.iter().enumerate() {
        for turn in 0..300 {
            lines.push(format!("{},free,{},{name}", turn * 2 + 1, class * 1000 + turn));
        }
    }
    lines.sort_by_key(|line| line.split(',').next().unwrap().parse::<u64>().unwrap());
    format!("tick,event,id,class\n{}\n", lines.join("\n"))
}

#[track_caller]
fn nothing_is_hidden(what: &str, text: &str) {
    let hidden = text.chars().find(|c| is_hidden(*c) && *c != '\n');
    assert_eq!(hidden, None, "{what}: {text}");
}

#[track_caller]
fn no_formula(what: &str, table: &str) {
    nothing_is_hidden(what, table);
    for line in table.lines() {
        for cell in line.split(',') {
            let cell = cell.trim_matches('"');
            assert!(!cell.starts_with(['=', '+', '-', '@']), "{what}: {line}");
        }
    }
}

#[test]
fn every_output_of_a_plan_shows_them_harmlessly() {
    let directory = Directory::new();
    directory.file("t\u{202e}r.csv", trace());
    let run = |arguments: &[&str]| {
        let output = millpond(&directory).args(arguments).output().unwrap();
        nothing_is_hidden("standard error", &String::from_utf8_lossy(&output.stderr));
        done(&output)
    };
    let plan = ["plan", "t\u{202e}r.csv", "--all"];
    nothing_is_hidden("text", &run(&[&plan[..], &["--no-report"]].concat()));
    no_formula("csv", &run(&[&plan[..], &["--csv", "--no-report"]].concat()));
    let json = run(&[&plan[..], &["--json", "--no-report"]].concat());
    nothing_is_hidden("json", &json);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let text = json.to_string();
    assert!(
        text.contains("=1+1") && text.contains("b\u{202e}gnp.exe"),
        "as they are, for programs"
    );
    let files = ["--report", "r.html", "--budget", "b.toml", "--summary", "s.csv"];
    run(&[&plan[..], &files].concat());
    let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
    nothing_is_hidden("html", &read("r.html"));
    let budget = read("b.toml");
    nothing_is_hidden("toml", &budget);
    assert!(
        budget.contains("\"=1+1\" = ") && budget.contains("\"b\\u202egnp.exe\" = "),
        "{budget}"
    );
    no_formula("summary", &read("s.csv"));

    // What a summary escapes so that no spreadsheet calculates it, is read as it was.
    nothing_is_hidden("merge", &run(&["merge", "s.csv"]));
    no_formula("merge, csv", &run(&["merge", "s.csv", "--csv"]));
    let merged = run(&["merge", "s.csv", "--json"]);
    nothing_is_hidden("merge, json", &merged);
    assert!(merged.contains("\"=1+1\"") && merged.contains("\"-[Enemy init]\""), "{merged}");
}

/// A summary writes each of these bytes as six.
#[test]
fn the_longest_name_full_of_hidden_characters_is_merged() {
    let directory = Directory::new();
    let name = "\u{1b}".repeat(255);
    directory.file("t.csv", trace().replace("=1+1", &name));
    let run = |arguments: &[&str]| done(&millpond(&directory).args(arguments).output().unwrap());
    run(&[
        "plan",
        "t.csv",
        "--no-report",
        "--summary",
        "s.csv",
        "--session",
        &"\u{ad}".repeat(127),
    ]);
    let whole = run(&["merge", "s.csv", "--json"]);
    nothing_is_hidden("merge", &whole);
    assert!(whole.matches("u{1b}").count() >= 255, "{whole}");
    run(&["merge", "s.csv", "--partial", "part.json"]);
    run(&["merge", "part.json", "--partial", "all.json"]);
}

#[test]
fn messages_about_them_are_one_harmless_line() {
    let directory = Directory::new();
    directory.file("t.csv", "tick,event,id,class\n0,alloc,1,a\u{202e}b\n0,alloc,1,a\u{202e}b\n");
    for arguments in [
        &["plan", "t.csv", "--no-report"][..],
        &["plan", "no\u{202e}such\u{1b}[2J"],
        &["plan", "t.csv", "--report", "a\u{2066}b/c"],
        &["replay", "x\u{feff}y"],
        &["merge", "z\u{e0041}"],
    ] {
        let output = millpond(&directory).args(arguments).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(told.lines().count(), 1, "{told}");
        nothing_is_hidden("message", &told);
    }
}
