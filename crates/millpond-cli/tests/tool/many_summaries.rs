//! Summaries in the table engines that people have: DuckDB and Spark. Needs python3 with the packages `duckdb` and
//! `pyspark`, and Java.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Directory, done, millpond};
use crate::merge::without_paths;
use serde_json::Value;

fn tool(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "..", "tools", name].iter().collect()
}

/// The interpreter: `MILLPOND_PYTHON`, or `python3`.
fn python() -> Command {
    Command::new(std::env::var_os("MILLPOND_PYTHON").unwrap_or_else(|| "python3".into()))
}

/// Made-up summaries of this many sessions.
fn made_up(directory: &Directory, sessions: &str) -> PathBuf {
    let summaries = directory.path().join("summaries");
    // Few files, as a fleet has them; each a part that somebody has collected.
    let some = [sessions, "40", "50"];
    let output = python().arg(tool("made-up-summaries")).arg(&summaries).args(some).output();
    let output = output.expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    summaries
}

fn merged(directory: &Directory, summaries: &Path, arguments: &[&str]) -> Value {
    let mut command = millpond(directory);
    command.args(["merge", "--json"]).args(arguments);
    let mut files: Vec<_> =
        std::fs::read_dir(summaries).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    serde_json::from_str(&done(&command.args(files).output().unwrap())).unwrap()
}

#[test]
fn a_database_groups_the_sessions_as_merge_does() {
    if !python().args(["-c", "import duckdb"]).output().is_ok_and(|output| output.status.success())
    {
        println!(
            "not run: no python3 with duckdb (pip install duckdb; MILLPOND_PYTHON names another python3)"
        );
        return;
    }
    let directory = Directory::new();
    let summaries = made_up(&directory, "200");
    let output = python()
        .arg(tool("group-summaries"))
        .arg(summaries.join("*.csv"))
        .args(["level", "platform"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut table = csv::Reader::from_reader(&output.stdout[..]);
    let groups = table.headers().unwrap().iter().map(str::to_owned).collect::<Vec<_>>();
    let expected = [
        "level",
        "platform",
        "class",
        "sessions",
        "lifetimes",
        "peak_median",
        "peak_99",
        "peak_max",
        "neediest",
    ];
    assert_eq!(groups, expected);
    let lines: Vec<csv::StringRecord> = table.records().collect::<Result<_, _>>().unwrap();
    assert!(lines.len() > 20, "{lines:?}");
    // What both count, class by class of each level: lifetimes and the greatest peak.
    let json = merged(&directory, &summaries, &["--by", "level", "--all"]);
    let mut compared = 0;
    for group in json["groups"].as_array().unwrap() {
        for class in group["classes"].as_array().unwrap() {
            let same =
                lines.iter().filter(|line| group["value"] == line[0] && class["class"] == line[2]);
            let (mut lifetimes, mut sessions, mut peak) = (0_u64, 0_u64, 0_u64);
            for line in same {
                let number = |column: usize| line[column].parse::<u64>().unwrap();
                sessions += number(3);
                lifetimes += number(4);
                peak = peak.max(number(7));
            }
            assert_eq!(class["lifetimes"], lifetimes, "{class}");
            assert_eq!(class["sessions"], sessions, "{class}");
            assert_eq!(class["peak_max"], peak, "{class}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn what_a_database_has_written_is_merged() {
    if !python().args(["-c", "import duckdb"]).output().is_ok_and(|output| output.status.success())
    {
        println!("not run: no python3 with duckdb");
        return;
    }
    let directory = Directory::new();
    let summaries = made_up(&directory, "60");
    let one = directory.path().join("one");
    std::fs::create_dir(&one).unwrap();
    let query = "import duckdb, sys; duckdb.sql(f\"\"\"COPY (SELECT * FROM read_csv('{sys.argv[1]}', \
                 union_by_name = true, header = true) ORDER BY session) TO '{sys.argv[2]}' (HEADER)\"\"\")";
    let output = python()
        .args(["-c", query])
        .args([summaries.join("*.csv"), one.join("all.csv")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let [apart, together] = [&summaries, &one].map(|path| {
        let json = merged(&directory, path, &["--quantile", "95", "--by", "platform"]);
        json["groups"].as_array().unwrap().iter().map(capacities).collect::<Vec<_>>()
    });
    assert_eq!(apart, together);
}

/// What a plan says, without the files that the sessions are in.
fn capacities(group: &Value) -> (Value, Value, Vec<(Value, Value)>) {
    let classes = group["classes"].as_array().unwrap().iter();
    let capacities = classes.map(|class| (class["class"].clone(), class["capacity"].clone()));
    (group["value"].clone(), group["refused"].clone(), capacities.collect())
}

/// With another number of sessions: `MILLPOND_FLEET_SESSIONS=1000000`.
#[test]
fn a_fleet_that_is_planned_in_spark_has_the_plan_of_one_merge() {
    let has_spark =
        python().args(["-c", "import pyspark"]).output().is_ok_and(|o| o.status.success());
    if !has_spark || Command::new("java").arg("-version").output().is_err() {
        println!("not run: no java, or no python3 with pyspark (pip install pyspark)");
        return;
    }
    let directory = Directory::new();
    let sessions = std::env::var("MILLPOND_FLEET_SESSIONS").unwrap_or_else(|_| "300".into());
    let summaries = made_up(&directory, &sessions);
    let parquet = directory.path().join("fleet.parquet");
    let write = "import sys; from pyspark.sql import SparkSession; \
                 SparkSession.builder.getOrCreate().read.csv(sys.argv[1], header=True).write.parquet(sys.argv[2])";
    let written = python().args(["-c", write]).args([&summaries, &parquet]).output().unwrap();
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let options = ["--quantile", "99", "--json"];
    let expected = merged(&directory, &summaries, &["--quantile", "99", "--by", "level"]);
    for input in [summaries, parquet] {
        let output = python()
            .arg(tool("merge-on-spark"))
            .args(["--by", "level", "--parts", "7"])
            .arg(input)
            .arg("--")
            .args(options)
            .env("MILLPOND", millpond(&directory).get_program())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(without_paths(found), without_paths(expected.clone()));
    }
}
