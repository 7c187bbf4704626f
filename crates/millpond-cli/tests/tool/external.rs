//! Commands that are programs of their own. The tool is copied to a directory of the test's, because it looks beside
//! itself first.

use std::process::{Command, Output};

use crate::common::{Directory, done, refused};

/// A copy of the tool, with nothing on the path but what is asked for, as from a shell.
fn tool(directory: &Directory, path: &str, arguments: &[&str]) -> Command {
    let tool = directory.path().join("millpond");
    if !tool.exists() {
        made_by(&["cp", env!("CARGO_BIN_EXE_millpond"), tool.to_str().unwrap()]);
    }
    let mut command = Command::new(tool);
    command.args(arguments).current_dir(directory.path()).env("PATH", path);
    command.env_remove("CARGO").env_remove("CARGO_MANIFEST_DIR");
    command
}

fn run(directory: &Directory, path: &str, arguments: &[&str]) -> Output {
    tool(directory, path, arguments).output().unwrap()
}

/// Makes a program by another process: the system refuses to run a file that any process has open for writing, and one
/// that another test is just starting would have it, if this process had opened it.
fn made_by(command: &[&str]) {
    assert!(Command::new(command[0]).args(&command[1..]).status().unwrap().success());
}

/// Prints who it is, and its arguments, each on a line of its own; ends with 7 if one of them is `fail`.
fn program(directory: &Directory, name: &str) {
    let script = "#!/bin/sh\necho \"$0\"; for a in \"$@\"; do echo \"<$a>\"; case $a in fail) exit 7;; esac; done\n";
    let path = directory.path().join(name);
    let make = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\"";
    made_by(&["sh", "-c", make, path.to_str().unwrap(), script]);
}

#[test]
fn one_that_is_not_installed_says_how_to_get_it() {
    let directory = Directory::new();
    let tool = "millpond-cli";
    let own = [("watch", "millpond-watch"), ("soak", "millpond-soak")];
    for (name, package) in own.into_iter().chain(["merge", "replay", "odds"].map(|it| (it, tool))) {
        for more in [&[][..], &["--help"], &["--", "x"]] {
            let line = refused(&run(&directory, "", &[&[name][..], more].concat()));
            let (install, build) = (format!("cargo install {package}`"), format!("-p {package}`"));
            assert!(line.contains(&install) && line.contains(&build), "{line}");
        }
    }
}

#[test]
fn it_gets_its_arguments_as_they_are() {
    let directory = Directory::new();
    program(&directory, "millpond-soak");
    let said = |arguments: &[&str]| done(&run(&directory, "", arguments));
    let words = ["--for", "8h", "--help", "--", "./game", "--color", "x y", "--", ""];
    let text = said(&[&["soak"][..], &words].concat());
    let got: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(got, words.map(|word| format!("<{word}>")));
    // The tool's own option comes before the command.
    assert!(said(&["--color", "never", "soak"]).ends_with("<--color>\n<never>\n"));
    assert!(said(&["--color=never", "soak", "x"]).ends_with("<--color=never>\n<x>\n"));
    assert_eq!(run(&directory, "", &["soak", "fail"]).status.code(), Some(7));
}

#[test]
fn the_one_beside_the_tool_comes_before_the_one_on_the_path() {
    let (directory, other) = (Directory::new(), Directory::new());
    program(&other, "millpond-watch");
    let path = other.path().to_str().unwrap();
    assert!(done(&run(&directory, path, &["watch"])).starts_with(path), "on the path");
    program(&directory, "millpond-watch");
    let beside = directory.path().to_str().unwrap();
    assert!(done(&run(&directory, path, &["watch"])).starts_with(beside), "beside the tool");
}

#[test]
fn within_cargo_run_it_is_built() {
    let directory = Directory::new();
    program(&directory, "cargo");
    let cargo = directory.path().join("cargo");
    let mut command = tool(&directory, "", &["replay", "--rounds", "3", "a.csv"]);
    command.env("CARGO", cargo).env("CARGO_MANIFEST_DIR", "/m/crates/millpond-cli");
    let text = done(&command.output().unwrap());
    let words = "run --release --manifest-path /m/crates/millpond-cli/../../Cargo.toml --package \
                 millpond-cli --bin millpond-replay -- --rounds 3 a.csv";
    let expected: Vec<String> = words.split(' ').map(|word| format!("<{word}>")).collect();
    assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), expected);
}
