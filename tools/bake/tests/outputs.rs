//! What is written for other programs: whole or not at all, and only where a file is or can be.

mod common;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::{Command, Output, Stdio};

use common::{Workbench, text};

const COMMANDS: &str = r#"[{"directory": "/tmp", "command": "cc -c a.c", "file": "a.c"}]"#;

/// Runs `cleandb` over some commands.
fn cleandb(bench: &Workbench, args: &[&OsStr], stdout: Stdio) -> Output {
    let mut ran = Command::new(env!("CARGO_BIN_EXE_cleandb"))
        .args(args)
        .current_dir(&bench.root)
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .expect("cleandb starts");
    // It may refuse its arguments without reading.
    let _ = ran.stdin.take().expect("a pipe").write_all(COMMANDS.as_bytes());
    ran.wait_with_output().expect("cleandb ends")
}

fn cleandb_into(bench: &Workbench, output: &str) -> Output {
    cleandb(bench, &["--merge", "--output", output].map(OsStr::new), Stdio::null())
}

#[track_caller]
fn is_refused(ran: &Output, part: &str) {
    let said = text(&ran.stderr);
    assert!(ran.status.code() == Some(2) && said.lines().count() == 1, "{said}");
    assert!(said.contains(part), "{said}");
}

#[test]
fn a_database_replaces_a_file_and_nothing_else() {
    let bench = Workbench::empty("outputs");
    fs::create_dir(bench.path("folder")).expect("a folder");
    symlink("loop", bench.path("loop")).expect("a link");
    symlink("nothing", bench.path("nowhere")).expect("a link");
    assert!(bench.run("mkfifo", &["queue"]).status.success());
    for (output, why) in [
        ("folder", "folder: is a directory"),
        ("loop", "loop: Too many levels"),
        ("nowhere", "nowhere: No such file"),
        ("queue", "queue: not a regular file"),
        ("/dev/null", "/dev/null: not a regular file"),
        ("none/database", "none/database: No such file"),
    ] {
        is_refused(&cleandb_into(&bench, output), why);
    }
    let left: Vec<_> = fs::read_dir(&bench.root).expect("a folder").collect();
    assert_eq!(left.len(), 4, "{left:?}");
    assert!(bench.path("loop").is_symlink() && bench.path("nowhere").is_symlink());
}

/// Many projects link to the database of the build directory.
#[test]
fn a_link_to_a_database_stays() {
    let bench = Workbench::empty("linked-database");
    bench.write("build/database", "[]");
    symlink("build/database", bench.path("compile_commands.json")).expect("a link");
    assert!(cleandb_into(&bench, "compile_commands.json").status.success());
    assert!(bench.path("compile_commands.json").is_symlink());
    assert!(bench.read("build/database").contains("a.c"));
}

#[test]
fn a_graph_replaces_a_file_and_nothing_else() {
    let bench = Workbench::new("graph-outputs");
    fs::create_dir_all(bench.path("build/build.ninja")).expect("a folder");
    is_refused(&bench.try_generate(&[]), "build.ninja: is a directory");
    bench.remove("build/build.ninja");
    assert!(bench.run("mkfifo", &["build/build.ninja"]).status.success());
    is_refused(&bench.try_generate(&[]), "build.ninja: not a regular file");
    bench.remove("build/build.ninja");
    bench.generate(&[]);
    // Of an unfinished file nothing is left, and what the graph depends on is not touched without need.
    let graph = |bench: &Workbench| {
        fs::metadata(bench.path("build/build.ninja"))
            .expect("the graph")
            .modified()
            .expect("a time")
    };
    let before = graph(&bench);
    bench.generate(&[]);
    assert_eq!(graph(&bench), before);
    assert_eq!(bench.files("build").len(), 2);
}

#[test]
fn a_closed_pipe_is_no_error_and_a_full_disk_is_one() {
    let bench = Workbench::empty("closed-pipe");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let ran = cleandb(&bench, &[], writer.into());
    assert!(ran.status.success() && ran.stderr.is_empty(), "{}", text(&ran.stderr));
    if cfg!(target_os = "linux") {
        let full = fs::File::create("/dev/full").expect("the device");
        is_refused(&cleandb(&bench, &[], full.into()), "standard output: No space left");
    }
}

#[test]
fn arguments_that_are_no_text_are_refused() {
    let bench = Workbench::empty("no-text");
    let no_text = OsStr::from_bytes(b"\xff.json");
    is_refused(
        &cleandb(&bench, &[OsStr::new("--output"), no_text], Stdio::null()),
        "expected UTF-8",
    );
    let bake_gen = Command::new(env!("CARGO_BIN_EXE_bake-gen")).arg(no_text).output();
    is_refused(&bake_gen.expect("bake-gen runs"), "expected UTF-8");
}
