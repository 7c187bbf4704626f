//! `millpond plan --budget`: written by the tool, read by the library.

use std::path::PathBuf;

use crate::common::{Directory, TRACES, done, millpond, refused, start_of_openttd};
use millpond_overflow::Budget;
use serde_json::Value;

const NAMES: [&str; 3] = ["freedoom2-map01-8bots", "freedoom2-map15-solo", "openttd-600ticks"];
const GAMES: [&str; 2] = ["freedoom2-map01-8bots.csv.gz", "freedoom2-map15-solo.csv.gz"];

fn read(directory: &Directory, name: &str) -> String {
    std::fs::read_to_string(directory.path().join(name)).unwrap()
}

#[test]
fn the_library_reads_what_the_plans_of_the_bundled_traces_say() {
    let directory = Directory::new();
    let [bots, solo] = GAMES.map(|name| [TRACES, name].iter().collect::<PathBuf>());
    let traces = [bots, solo, start_of_openttd(&directory)];
    let mut command = millpond(&directory);
    command.args(["plan", "--json", "--all", "--budget", "budget.toml"]).args(&traces);
    let json: Value = serde_json::from_str(&done(&command.output().unwrap())).unwrap();
    let text = read(&directory, "budget.toml");
    let budget = Budget::from_toml(&text).unwrap();
    assert_eq!(budget.scenario_names().collect::<Vec<_>>(), NAMES);
    for (trace, name) in json["traces"].as_array().unwrap().iter().zip(NAMES) {
        let scenario = budget.scenario(name).unwrap();
        let classes = trace["classes"].as_array().unwrap();
        assert_eq!(scenario.entries().len(), classes.len());
        for class in classes {
            let slots = scenario.capacity(class["class"].as_str().unwrap()).unwrap();
            assert_eq!(class["capacity"], slots);
        }
    }
    // A level that starts, and one that asks for what the trace has not seen.
    let level = budget.scenario("freedoom2-map15-solo").unwrap();
    assert!(level.pool::<[f32; 4]>("Blood").unwrap().capacity() > 0);
    let error = level.pool::<u8>("Unicorn").unwrap_err().to_string();
    assert!(error.contains("pool \"Unicorn\": is missing, expected one of "), "{error}");
    assert!(text.contains(" at the peak"), "{text}");
    assert_eq!(directory.names(), ["budget.toml", "openttd-600ticks.heaptrack"]);
}

#[test]
fn class_names_of_all_kinds_come_through() {
    let directory = Directory::new();
    let names =
        ["a.b", "x=1", "é ü", "tab\there", "\\n", "#no", "[t]", "'q", "a\"b", "7", "\u{1b}"];
    let lines: String =
        names.iter().enumerate().map(|(id, name)| format!("0,alloc,{id},{name}\n")).collect();
    directory.file("odd names!.csv", format!("tick,event,id,class\n{lines}"));
    let arguments =
        ["plan", "odd names!.csv", "--all", "--no-report", "--budget", "b.toml", "--headroom", "0"];
    let text = done(&millpond(&directory).args(arguments).output().unwrap());
    assert!(text.contains("\nBudget: ") && text.contains("b.toml"), "{text}");
    let budget = Budget::from_toml(&read(&directory, "b.toml")).unwrap();
    let scenario = budget.scenario("odd names!").unwrap();
    assert_eq!(scenario.entries().len(), names.len());
    for name in names {
        assert_eq!(scenario.capacity(name).unwrap(), 1, "{name:?}");
    }
}

#[test]
fn classes_that_are_not_worth_a_pool_are_left_out() {
    let directory = Directory::new();
    let mut trace = "tick,event,id,class\n0,alloc,100000,Tree\n".to_owned();
    for id in 0..500 {
        trace += &format!("{id},alloc,{id},Spark\n{id},free,{id},Spark\n");
    }
    directory.file("a.csv", trace);
    let plan = |more: &[&str]| {
        let arguments = ["plan", "a.csv", "--no-report", "--budget", "b.toml"];
        done(&millpond(&directory).args(arguments).args(more).output().unwrap());
        read(&directory, "b.toml")
    };
    let budget = plan(&[]);
    assert!(budget.contains("\nSpark = 2") && !budget.contains("Tree ="), "{budget}");
    assert!(budget.contains("# 1 class is not worth a pool (--all adds them)."), "{budget}");
    let budget = plan(&["--all"]);
    assert!(budget.contains("\nSpark = 2") && budget.contains("\nTree = 2"), "{budget}");
}

const TRACE: &str = "tick,event,id,class\n0,alloc,1,Imp\n3,free,1,Imp\n";

#[test]
fn an_untouched_budget_is_replaced_and_an_edited_one_never() {
    let directory = Directory::new();
    directory.file("a.csv", TRACE);
    let plan = |headroom: &str| {
        let arguments =
            ["plan", "--json", "--all", "a.csv", "--budget", "b.toml", "--headroom", headroom];
        millpond(&directory).args(arguments).output().unwrap()
    };
    done(&plan("0"));
    let first = read(&directory, "b.toml");
    done(&plan("900"));
    let second = read(&directory, "b.toml");
    assert!(first.contains("Imp = 1 ") && second.contains("Imp = 10 "), "{first}{second}");

    for edited in [second.replace("= 10", "= 11"), String::new(), "my diary".to_owned()] {
        directory.file("b.toml", &edited);
        let line = refused(&plan("0"));
        assert!(
            line.starts_with("b.toml: exists and is not an unedited millpond budget"),
            "{line}"
        );
        assert_eq!(read(&directory, "b.toml"), edited);
    }
    assert_eq!(directory.names(), ["a.csv", "b.toml"]);
}

#[test]
fn budgets_that_cannot_be_written() {
    let directory = Directory::new();
    directory.file("a.csv", TRACE);
    directory.file("a.csv.gz", crate::common::gzip(TRACE.as_bytes()));
    for (arguments, part) in [
        (&["a.csv", "a.csv.gz", "--budget", "b.toml"][..], "two traces are named `a`"),
        (&["a.csv", "--budget", "x", "--report", "x"], "x is also the file for the report"),
        (&["a.csv", "--budget", "./x", "--report", "x"], "x is also the file for the report"),
        (&["a.csv", "--budget", "a.csv"], "a.csv: exists and is not an unedited millpond budget"),
        (&["a.csv", "--budget", "."], "is a directory"),
        (&["a.csv", "--budget", "no/where.toml"], "no/where.toml: its directory does not exist"),
        (&["nowhere.csv", "--budget", "b.toml"], "nowhere.csv: no such file"),
    ] {
        let mut command = millpond(&directory);
        let line = refused(&command.arg("plan").arg("--json").args(arguments).output().unwrap());
        assert!(line.contains(part), "{arguments:?}: {line}");
    }
    assert_eq!(directory.names(), ["a.csv", "a.csv.gz"]);
}
