//! What `cleandb` makes of the commands that Ninja, Meson and CMake print, on Linux and Windows.

mod common;

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use common::{Workbench, text};
use serde_json::{Value, json};

fn run(args: &[&str], input: &[u8]) -> Output {
    let mut cleandb = Command::new(env!("CARGO_BIN_EXE_cleandb"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cleandb starts");
    // It may refuse its arguments without reading.
    let _ = cleandb.stdin.take().expect("a pipe").write_all(input);
    cleandb.wait_with_output().expect("cleandb ends")
}

/// The cleaned entries of these.
#[track_caller]
fn clean(args: &[&str], entries: &Value) -> Vec<Value> {
    let ran = run(args, entries.to_string().as_bytes());
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    serde_json::from_slice(&ran.stdout).expect("a list")
}

#[track_caller]
fn arguments(args: &[&str], directory: &str, file: &str, command: &str) -> Vec<String> {
    let cleaned =
        clean(args, &json!([{ "directory": directory, "file": file, "command": command }]));
    serde_json::from_value(cleaned[0]["arguments"].clone()).expect("texts")
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn the_default_target_rewrites_the_database() {
    let bench = Workbench::new("database");
    bench.build();
    let files = || {
        let database: Vec<Value> =
            serde_json::from_str(&bench.read("compile_commands.json")).expect("a list");
        let file = |entry: &Value| entry["file"].as_str().expect("a file").to_owned();
        database.iter().map(file).collect::<BTreeSet<_>>()
    };
    let path = |name: &str| bench.path(name).to_str().expect("UTF-8").to_owned();
    let sources =
        ["baker/bake.c", "examples/checks/root.cpp", "examples/fireworks.c", "examples/show.cpp"];
    assert_eq!(files(), sources.map(path).into());
    // It follows the graph: a new program, another flag.
    bench.write("examples/hello.c", "int main(void) { return 0; }\n");
    assert!(bench.ninja(&[]).succeeded);
    assert!(files().contains(&path("examples/hello.c")));
    bench.generate(&["--set", "cflags=-std=c99 -DHELLO=1"]);
    assert!(bench.ninja(&[]).succeeded);
    assert!(bench.read("compile_commands.json").contains("\"-DHELLO=1\""));
    // One that went comes again.
    bench.remove("compile_commands.json");
    bench.ninja(&[]).built_exactly(&["../compile_commands.json"]);
}

/// Two platforms are two build directories, and clangd reads one database.
#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn build_directories_share_the_database() {
    let bench = Workbench::new("platforms");
    bench.build();
    let entries = || {
        let database: Vec<Value> =
            serde_json::from_str(&bench.read("compile_commands.json")).expect("a list");
        let name = |entry: &Value| {
            let directory = entry["directory"].as_str().expect("a directory");
            directory.rsplit('/').next().expect("a name").to_owned()
        };
        database.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(entries(), ["build"; 4]);
    let args = ["--build", "handheld", "--assets", "assets", "--baker", "baker/bake.c"];
    let platform = ["--platform", "handheld"];
    let ran = bench.run(env!("CARGO_BIN_EXE_bake-gen"), &[&args[..], &platform].concat());
    assert!(ran.status.success());
    assert!(bench.ninja_in("handheld", &[]).succeeded);
    assert_eq!(entries(), ["build", "build", "build", "build", "handheld"]);
    // The file is the same whichever comes last.
    let both = bench.read("compile_commands.json");
    for flags in ["-std=c99 -DSOME=1", "-std=c99 -O2 -Wall -Wextra"] {
        bench.generate(&["--set", &format!("cflags={flags}")]);
        assert!(bench.ninja(&[]).succeeded);
    }
    assert_eq!(bench.read("compile_commands.json"), both);
    // A build directory that is gone is forgotten.
    std::fs::remove_dir_all(bench.path("handheld")).expect("the directory");
    bench.append("examples/show.cpp", "\n");
    bench.generate(&["--set", "cxxflags=-std=c++17 -DOTHER=1"]);
    assert!(bench.ninja(&[]).succeeded);
    assert_eq!(entries(), ["build"; 4]);
}

#[test]
fn what_compiles_nothing_goes() {
    let entry =
        |file: &str| json!({ "directory": "/b", "file": file, "command": format!("tool {file}") });
    let compiled = ["a.c", "dir/b.cpp", "c.cc", "d.cxx", "e.C", "f.m", "g.mm", "h.c++", "i.cu"];
    let others = [
        "a.o",
        "bin/program",
        "libx.a",
        "game.exe",
        "spark.spr",
        "build.ninja",
        "CMakeLists.txt",
        "all",
        "x.so.1",
        "c",
        "PHONY",
        "archive.c.gz",
        "a.h",
        "",
    ];
    let entries =
        Value::from_iter(others.iter().chain(&compiled).chain(&others).map(|file| entry(file)));
    let cleaned = clean(&[], &entries);
    let files: Vec<_> = cleaned.iter().map(|it| it["file"].as_str().expect("a file")).collect();
    assert_eq!(files, compiled.map(|file| format!("/b/{file}")));
}

#[test]
fn paths_become_absolute() {
    let command = "/usr/bin/cc -I../inc -I inc2 -isystem ../sys -I/abs/./x/../y -I=usr -D'X=../a b' -include pre.h -c ../src/a.c -o obj/a.o";
    let entry = json!({ "directory": "/p/build", "file": "../src/a.c", "command": command, "output": "obj/a.o" });
    assert_eq!(
        clean(&[], &json!([entry]))[0],
        json!({
            "directory": "/p/build",
            "file": "/p/src/a.c",
            "output": "/p/build/obj/a.o",
            "arguments": ["/usr/bin/cc", "-I/p/inc", "-I", "/p/build/inc2", "-isystem", "/p/sys", "-I/abs/y", "-I=usr",
                "-DX=../a b", "-include", "pre.h", "-c", "/p/src/a.c", "-o", "/p/build/obj/a.o"],
        })
    );
    // A list of arguments stays one; nothing goes above the root.
    let entry =
        json!({ "directory": "/", "file": "../../a.c", "arguments": ["cc", "a b", "../../a.c"] });
    assert_eq!(
        clean(&[], &json!([entry]))[0],
        json!({ "directory": "/", "file": "/a.c", "arguments": ["cc", "a b", "/a.c"] })
    );
}

#[test]
fn windows_commands_lose_cmd_and_backslashes() {
    let cl = r#"C:\VS\cl.exe /nologo /I..\inc -DNAME=\"a\\b\" "/Foobj dir\a.obj" /c ..\src\a.cpp"#;
    let expected = [
        "C:/VS/cl.exe",
        "/nologo",
        "/IC:/p/inc",
        r#"-DNAME="a\\b""#,
        "/Foobj dir/a.obj",
        "/c",
        "C:/p/src/a.cpp",
    ];
    let of = |command: &str| arguments(&[], r"C:\p\build", r"..\src\a.cpp", command);
    assert_eq!(of(cl), expected);
    let plain = r"clang.exe -c ..\src\a.cpp";
    let expected = ["clang.exe", "-c", "C:/p/src/a.cpp"];
    for shell in ["cmd /c ", "cmd.exe /C ", r"C:\Windows\system32\cmd.exe /D /c "] {
        assert_eq!(of(&format!("{shell}{plain}")), expected);
        assert_eq!(of(&format!("{shell}\"{plain}\"")), expected);
        assert_eq!(of(&format!("{shell}\"cd . && {plain} && cd .\"")), expected);
    }
    let moved = r#"cmd /c "cd /D C:\p\other && clang -I. -c ..\src\a.cpp""#;
    assert_eq!(of(moved), ["clang", "-IC:/p/other", "-c", "C:/p/src/a.cpp"]);
    let cleaned = clean(
        &[],
        &json!([{ "directory": r"\\server\share\b", "file": r"..\a.c", "command": "cc" }]),
    );
    assert_eq!(
        (&cleaned[0]["directory"], &cleaned[0]["file"]),
        (&json!("//server/share/b"), &json!("//server/share/a.c"))
    );
}

#[test]
fn appended_arguments_are_elements_of_their_own_before_the_end_of_options() {
    let of = |command: &str| {
        arguments(
            &["--append-arguments", " -Wno-a  -DX=1 ", "--append-arguments=-b"],
            "/",
            "a.c",
            command,
        )
    };
    assert_eq!(of("cc -c a.c"), ["cc", "-c", "/a.c", "-Wno-a", "-DX=1", "-b"]);
    assert_eq!(of("cc -c -- a.c"), ["cc", "-c", "-Wno-a", "-DX=1", "-b", "--", "/a.c"]);
    assert_eq!(
        of(r#"ccache cc '-DA=a b' "-DB=\"c\"" -DC=\'"#),
        ["ccache", "cc", "-DA=a b", r#"-DB="c""#, "-DC='", "-Wno-a", "-DX=1", "-b"]
    );
}

#[test]
fn a_command_is_run_without_a_shell() {
    let bench = Workbench::empty("cleandb-command");
    bench.write("raw.json", r#"[{"directory": "/b", "file": "a b.c", "command": "cc 'a b.c'"}]"#);
    let cleandb = env!("CARGO_BIN_EXE_cleandb");
    let ran = bench.run(cleandb, &["--output", "out.json", "--", "cat", "raw.json"]);
    assert!(ran.status.success() && ran.stdout.is_empty(), "{}", text(&ran.stderr));
    let expected =
        "[\n{\"arguments\":[\"cc\",\"/b/a b.c\"],\"directory\":\"/b\",\"file\":\"/b/a b.c\"}\n]\n";
    assert_eq!(bench.read("out.json"), expected);
    // What would not change is not written; what fails leaves the file as it was.
    let written =
        std::fs::metadata(bench.path("out.json")).and_then(|it| it.modified()).expect("a time");
    assert!(
        bench.run(cleandb, &["--output", "out.json", "--", "cat", "raw.json"]).status.success()
    );
    assert_eq!(
        std::fs::metadata(bench.path("out.json")).and_then(|it| it.modified()).expect("a time"),
        written
    );
    for command in [&["cat", "missing.json"][..], &["no-such-program"], &["echo", "[{}]"]] {
        let ran = bench.run(cleandb, &[&["--output", "out.json", "--"], command].concat());
        assert_eq!(ran.status.code(), Some(2), "{command:?}");
        assert_eq!(bench.read("out.json"), expected);
    }
    assert_eq!(bench.files(".").len(), 2);
}

#[test]
fn hostile_input_gets_one_line_and_no_output() {
    let deep = "[".repeat(100_000);
    let cases: [(&[u8], &str); 14] = [
        (b"", "not a list"),
        (b"{}", "not a list"),
        (b"[{}", "not a list"),
        (b"[1]", "entry 1: no \"file\""),
        (b"[{\"file\": 3}]", "entry 1: no \"file\""),
        (b"[{\"file\": \"a.c\"}]", "entry 1: no \"directory\""),
        (
            b"[{\"file\": \"a.c\", \"directory\": \"x\", \"command\": \"cc\"}]",
            "entry 1: \"x\": not an absolute directory",
        ),
        (b"[{\"file\": \"a.c\", \"directory\": \"/\"}]", "entry 1: neither"),
        (
            b"[{\"file\": \"a.c\", \"directory\": \"/\", \"command\": \"  \"}]",
            "entry 1: an empty command",
        ),
        (
            b"[{\"file\": \"a.c\", \"directory\": \"C:/\", \"command\": \"cmd /c\"}]",
            "entry 1: an empty command",
        ),
        (
            b"[{\"file\": \"a.c\", \"directory\": \"/\", \"command\": \"cc 'a\"}]",
            "entry 1: a quote without its end",
        ),
        (
            b"[{\"file\": \"a.c\", \"directory\": \"/\", \"arguments\": [\"cc\", 1]}]",
            "entry 1: \"arguments\" are not",
        ),
        (b"[{\"file\": \"\xff.c\", \"directory\": \"/\"}]", "not a list"),
        (deep.as_bytes(), "not a list"),
    ];
    for (input, expected) in cases {
        let ran = run(&[], input);
        let said = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{said}");
        assert!(
            said.starts_with(&format!("cleandb: {expected}")) && said.lines().count() == 1,
            "{expected}: {said}"
        );
        assert!(ran.stdout.is_empty());
    }
    for args in
        [&["--what"][..], &["--output"], &["--append-arguments"], &["--output=x", "raw.json"]]
    {
        let ran = run(args, b"[]");
        assert_eq!(
            (ran.status.code(), text(&ran.stderr).lines().count()),
            (Some(2), 1),
            "{args:?}"
        );
    }
}
