//! Recordings of other tools, through the scripts in `tools`. They need python3.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{Directory, Random, done, millpond, plan_json, refused};

fn run_tool(name: &str, file: &Path) -> Output {
    let script: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "..", "tools", name].iter().collect();
    Command::new("python3").arg(script).arg(file).output().unwrap()
}

/// Asserts that a tool has refused a file in one line that says `part`, and has written nothing.
#[track_caller]
fn is_refused(tool: &str, output: &Output, part: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with(&format!("{tool}: ")) && said.contains(part), "{said}");
    assert!(said.trim_end().lines().count() == 1 && output.stdout.is_empty(), "{said}");
}

/// A table that was written from counts: whatever needs times or an order is left out or refused, not made up.
#[test]
fn nothing_that_needs_times_is_said_of_counts() {
    let directory = Directory::new();
    let spawn = "alloc,2,32,spawn;main\n0,alloc,3,32,spawn;main\n0,free,2\n0,free,3\n0,";
    let lines =
        format!("0,alloc,1,4096,load;main\n0,{}alloc,4,8,end\n1,free,4\n", spawn.repeat(5_000));
    let trace = directory.file("sparks.csv", format!("ms,event,address,size,stack\n{lines}"));
    let arguments = ["plan", "--all", "--no-report"];
    let text = done(&millpond(&directory).args(arguments).arg(&trace).output().unwrap());
    assert!(
        text.contains("Table of allocations, without times. 10,002 objects of 3 sizes"),
        "{text}"
    );
    assert!(text.contains("The recording has counts but no times:"), "{text}");
    for absent in ["live 99 %", "fewer slots", "born/ms", "How long", "Handles must last"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
    let json = plan_json(&directory, &trace);
    let class = &json["traces"][0]["classes"][0];
    assert_eq!((&class["class"], &class["peak_live"]), (&"32".into(), &2.into()));
    for nothing in ["p99_live", "mean_live", "peak_tick", "births_per_tick", "handle"] {
        assert!(class[nothing].is_null(), "{nothing}: {class}");
    }
    assert!(
        class["lifetime_ticks"]["median"].is_null() && class["busiest_slot_lifetimes"].is_null()
    );
    assert_eq!(class["smaller"], serde_json::json!([]));
    assert_eq!(json["traces"][0]["ticks_per_second"], serde_json::Value::Null);
    let files = ["plan", "--report", "r.html", "--summary", "s.csv"];
    done(&millpond(&directory).args(files).arg(&trace).output().unwrap());
    let merged = done(&millpond(&directory).args(["merge", "--all", "s.csv"]).output().unwrap());
    assert!(
        merged.lines().any(|line| line.split_whitespace().eq(["32", "10,000", "9,998", "–", "–"]))
    );
    let report = std::fs::read_to_string(directory.path().join("r.html")).unwrap();
    assert!(report.contains("counts without times") && report.contains("Each class<"), "{report}");
    for absent in
        ["Lifetimes by length", "over time", "99 % of the time", "created per", "median life"]
    {
        assert!(!report.contains(absent), "{absent}");
    }
    let files = ["plan", "--no-report", "--budget", "b.toml", "--csv", "--prices", "reference"];
    let csv = done(&millpond(&directory).args(files).arg(&trace).output().unwrap());
    assert!(csv.contains(",32,10000,9998,true,2,,0,3,96,,,,,1,0.064000,0.350000,,\n"), "{csv}");
    let budget = std::fs::read_to_string(directory.path().join("b.toml")).unwrap();
    assert!(budget.contains("# 2 at the peak") && !budget.contains("99 %"), "{budget}");
    for arguments in [&["plan", "--measure"][..], &["replay"], &["replay", "--heap", "a.svg"]] {
        let output = millpond(&directory).args(arguments).arg(&trace).output().unwrap();
        assert!(refused(&output).contains("has counts but no times"), "{arguments:?}");
    }
}

/// 500 buffers of 20,001 bytes, one at a time, and one of 300,001 that lives until the end.
const GAME: &str = "\
def spawn():
    return bytearray(20000)
level = bytearray(300000)
for _ in range(500):
    spawn()
";

/// A recording that memray makes of [`GAME`]; `None` where there is no memray.
fn memray_recording(directory: &Directory, options: &[&str]) -> Option<PathBuf> {
    memray_recording_of(directory, GAME, options)
}

/// The same of another program, which may be killed.
fn memray_recording_of(directory: &Directory, game: &str, options: &[&str]) -> Option<PathBuf> {
    let python = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.current_dir(directory.path()).args(arguments).output().unwrap()
    };
    if !python(&["-c", "import memray"]).status.success() {
        eprintln!("not run: there is no memray here");
        return None;
    }
    directory.file("game.py", game);
    let run = ["-m", "memray", "run", "-q", "-f", "-o", "game.bin"];
    let made = python(&[&run, options, &["game.py"]].concat());
    let is_made = made.status.success() || (made.status.code().is_none() && game != GAME);
    assert!(is_made, "{}", String::from_utf8_lossy(&made.stderr));
    Some(directory.path().join("game.bin"))
}

#[test]
fn what_memray_has_recorded_is_planned() {
    let directory = Directory::new();
    let Some(recording) = memray_recording(&directory, &[]) else { return };
    let output = run_tool("memray-to-csv", &recording);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json = plan_json(&directory, &directory.file("game.csv", output.stdout));
    let plan = &json["traces"][0];
    let class = |size: &str| {
        let classes = plan["classes"].as_array().unwrap();
        classes.iter().find(|class| class["class"] == size).unwrap()
    };
    let spawned = class("20001");
    assert_eq!((&spawned["lifetimes"], &spawned["peak_live"]), (&500.into(), &1.into()));
    assert_eq!(class("300001")["lifetimes"], 1);
    // Whether half a thousand calls are worth a change depends on how long Python takes.
    let proposed = &plan["pool_first"][0];
    let first = if proposed.is_null() { &plan["best_of_none"] } else { proposed };
    assert_eq!((&first["class"], &first["calls_saved"]), (&"20001".into(), &499.into()));
    let stack = first["callers"][0]["stack"].as_array().unwrap();
    assert_eq!((&stack[0], &stack[1]), (&"spawn@game.py:2".into(), &"<module>@game.py:5".into()));
}

/// Frees by Python's own allocator are no allocations of 0 bytes.
#[test]
fn what_pythons_own_allocator_frees_is_dead() {
    let directory = Directory::new();
    let options = ["--trace-python-allocators"];
    let Some(recording) = memray_recording(&directory, &options) else { return };
    let output = run_tool("memray-to-csv", &recording);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).unwrap();
    let of_size =
        |bytes: &str| table.lines().filter(|line| line.split(',').nth(3) == Some(bytes)).count();
    assert!(of_size("0") < 100, "{}", of_size("0"));
    assert!(of_size("56") >= 500, "the bytearrays themselves: {}", of_size("56"));
}

/// Sums, as pytest-memray records by default.
#[test]
fn the_sums_of_an_aggregated_recording_are_planned() {
    let directory = Directory::new();
    let Some(recording) = memray_recording(&directory, &["--aggregate"]) else { return };
    let output = run_tool("memray-to-csv", &recording);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let sums = plan_json(&directory, &directory.file("game.csv", output.stdout))["sums"][0].take();
    assert_eq!((&sums["format"], &sums["created"]), (&"memray".into(), &Value::Null));
    let places = sums["places"].as_array().unwrap();
    let level = places.iter().find(|place| place["size"] == 300_001).unwrap();
    assert_eq!((&level["at_once"]["at_least"], &level["left"]), (&1.into(), &1.into()));
    assert_eq!((&level["created"], &level["reserve"]), (&Value::Null, &Value::Null));
    assert!(level["function"].as_str().unwrap().starts_with("<module>@game.py:"), "{level}");
}

/// A program that is killed leaves a recording without an end.
#[test]
fn a_recording_without_an_end_is_converted_and_says_so() {
    let directory = Directory::new();
    let kill = "import os\nos.kill(os.getpid(), 9)\n";
    let Some(recording) = memray_recording_of(&directory, &[GAME, kill].concat(), &[]) else {
        return;
    };
    let output = run_tool("memray-to-csv", &recording);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.lines().count() == 1
            && said.contains("has no end")
            && said.contains("the rest is missing"),
        "{said}"
    );
    let json = plan_json(&directory, &directory.file("game.csv", output.stdout));
    let classes = json["traces"][0]["classes"].as_array().unwrap();
    assert!(classes.iter().any(|class| class["class"] == "20001" && class["lifetimes"] == 500));
    // A copy that was interrupted.
    let recording = memray_recording(&directory, &["--no-compress"]).expect("there is memray");
    let whole = std::fs::read(&recording).unwrap();
    assert!(run_tool("memray-to-csv", &recording).status.success());
    let half = directory.file("half.bin", &whole[..whole.len() / 2]);
    assert_eq!(run_tool("memray-to-csv", &half).status.code(), Some(3));
}

#[test]
fn the_first_bytes_of_a_recording_name_its_script() {
    let directory = Directory::new();
    for options in [&[][..], &["--no-compress"], &["--aggregate"]] {
        let Some(recording) = memray_recording(&directory, options) else { return };
        let line = refused(&millpond(&directory).arg("plan").arg(recording).output().unwrap());
        assert!(
            line.contains("recording of memray") && line.contains("tools/memray-to-csv"),
            "{line}"
        );
    }
}

#[test]
fn files_that_are_none_of_memray_are_refused_in_one_line() {
    let directory = Directory::new();
    let Some(recording) = memray_recording(&directory, &[]) else { return };
    let whole = std::fs::read(recording).unwrap();
    for bytes in [&b""[..], b"ms,event", GAME.as_bytes(), &whole[..20], &whole[..whole.len() / 4]] {
        let output = run_tool("memray-to-csv", &directory.file("a.bin", bytes));
        is_refused("memray-to-csv", &output, "memray");
    }
    let output = run_tool("memray-to-csv", &directory.path().join("none.bin"));
    is_refused("memray-to-csv", &output, "none.bin");
    let mut random = Random(5);
    for _ in 0..8 {
        let mut bytes = whole.clone();
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] = random.below(256) as u8;
        let output = run_tool("memray-to-csv", &directory.file("a.bin", bytes));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() || output.status.code() == Some(1), "{said}");
        assert!(said.trim_end().lines().count() <= 1, "{said}");
    }
}

/// Where Debian has the program that gives a recording its names.
const INTERPRET: &str = "/usr/lib/heaptrack/libexec/heaptrack_interpret";

#[test]
fn the_functions_of_a_raw_recording_have_the_names_that_heaptrack_gives_them() {
    let directory = Directory::new();
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(directory.path()).output();
        output.is_ok_and(|output| output.status.success())
    };
    let work = "import json; json.dumps([{str(i): i} for i in range(2000)])";
    if !run("heaptrack", &["--raw", "-o", "a", "python3", "-c", work])
        || !run("sh", &["-c", &format!("zstd -dc a.raw.zst | {INTERPRET} > b.heaptrack")])
        || std::fs::read(directory.path().join("b.heaptrack")).unwrap().is_empty()
    {
        eprintln!("not run: there is no heaptrack with zstd here");
        return;
    }
    let plan = |name: &str| {
        plan_json(&directory, &directory.path().join(name))["traces"][0]["classes"].take()
    };
    let (raw, interpreted) = (plan("a.raw.zst"), plan("b.heaptrack"));
    let callers = |classes: &Value| -> Vec<String> {
        let all = classes.as_array().unwrap().iter();
        let mut callers: Vec<_> =
            all.map(|class| format!("{}: {}", class["class"], class["callers"])).collect();
        callers.sort();
        callers
    };
    assert_eq!(callers(&raw), callers(&interpreted));
    assert!(callers(&raw).iter().any(|of| of.contains("\"function\":\"")), "{raw}");
}
