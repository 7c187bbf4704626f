//! The static library, and the compilers that the machine has.
#![allow(dead_code, reason = "each program of tests uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The crate's folder.
pub(crate) fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder for what a test makes.
pub(crate) fn made(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Whether the machine has this program; says so if not.
pub(crate) fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        println!("not run: no {program} on this machine");
    }
    found
}

/// The static library, made once; `None` where the machine lacks what that needs.
pub(crate) fn library() -> Option<&'static Path> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let make = || {
        if !cfg!(all(target_os = "linux", target_pointer_width = "64")) {
            println!("not run: the library is made on Linux");
            return None;
        }
        if !["gcc", "ld", "objcopy", "nm", "ar"].iter().all(|program| has(program)) {
            return None;
        }
        let folder = made("library");
        run(Command::new(here().join("build-library")).arg(&folder));
        Some(folder.join("libmillpond.a"))
    };
    LIBRARY.get_or_init(make).as_deref()
}

/// Runs a command that must succeed.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    output
}

/// A compiler with every warning, as an error.
pub(crate) fn strict(compiler: &str) -> Command {
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wshadow", "-Wconversion"]);
    command.arg("-I").arg(here().join("include"));
    command
}

/// Whether nothing is found by the target `source` of the tests, under each of the sets of sanitizers, for as many inputs
/// of libFuzzer's as `MILLPOND_FUZZ_RUNS` says. Without it, the inputs are those of `fuzz_same.c`: what libFuzzer tries
/// depends on addresses, which differ from run to run.
pub(crate) fn fuzz(source: &str, sanitizers: &[&[&str]], library: Option<&Path>) {
    let runs = std::env::var("MILLPOND_FUZZ_RUNS").ok();
    let compiler = if runs.is_some() { "clang" } else { "gcc" };
    if !has(compiler) {
        return;
    }
    for sanitizers in sanitizers {
        let mut sanitizers = sanitizers.to_vec();
        let mut command = strict(compiler);
        command.args(["-std=c99", "-g", "-O1", "-fno-sanitize-recover=all"]);
        command.arg(here().join("tests").join(source));
        if runs.is_some() {
            sanitizers.push("fuzzer");
        } else {
            command.arg(here().join("tests/fuzz_same.c"));
        }
        let sanitizers = sanitizers.join(",");
        if !sanitizers.is_empty() {
            command.arg(format!("-fsanitize={sanitizers}"));
        }
        let program = made("programs").join(format!("{source}-{compiler}-{sanitizers}"));
        let built = command.args(library).arg("-o").arg(&program).output().unwrap();
        let said = String::from_utf8_lossy(&built.stderr);
        if said.contains("libclang_rt.fuzzer") {
            println!("not run: no libFuzzer on this machine (apt-get install libclang-rt-14-dev)");
            return;
        }
        assert!(built.status.success(), "{said}");
        // What is found stays beside the program.
        let mut fuzz = Command::new(&program);
        fuzz.current_dir(made("programs"));
        if let Some(runs) = &runs {
            fuzz.args([&format!("-runs={runs}"), "-seed=1", "-max_len=600", "-len_control=0"]);
        }
        run(&mut fuzz);
    }
}
