//! Sources that include each other, in clangd: what an editor shows in them, and what compilers say.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use common::language_server::LanguageServer;
use common::{HERE, Workbench, text};

/// The folder, and the sources in it that others include.
const CHECKS: &str = "examples/checks";
const SUBS: [&str; 5] = ["bytes.cpp", "levels.cpp", "palettes.cpp", "report.cpp", "sprites.cpp"];

/// The tests of `millpond.hpp`: `pool.cpp`, and what it includes of the folder `pool`.
const TESTS_OF_HPP: &str = "../../crates/millpond-c/tests";
const SUBS_OF_HPP: [&str; 7] = [
    "containers.cpp",
    "detached.cpp",
    "growing.cpp",
    "hostile.cpp",
    "lifetimes.cpp",
    "packed.cpp",
    "values.cpp",
];

/// A session that is told nothing about where the project or its database is.
fn session(bench: &Workbench) -> LanguageServer {
    let home = bench.path("../elsewhere").join(bench.root.file_name().expect("a name"));
    LanguageServer::start(&home)
}

fn file(bench: &Workbench, name: &str) -> PathBuf {
    bench.path(CHECKS).join(name)
}

/// All diagnostics of the root, the header and the subs, with the file's name before each.
fn diagnostics(bench: &Workbench) -> Vec<String> {
    let mut server = session(bench);
    let names = ["root.cpp", "root.unity.h"].into_iter().chain(SUBS);
    let each = names.flat_map(|name| {
        let found = server.open(&file(bench, name));
        found.into_iter().map(move |diagnostic| format!("{name}:{diagnostic}"))
    });
    each.collect()
}

/// Checks a header, the root beside or above it, and the subs, all of them.
fn check_layout(folder: &Path, root: &Path, subs: &[&str]) {
    let code = |file: &Path| {
        let text =
            fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("//"));
        lines.map(String::from).collect::<Vec<_>>()
    };
    let header = code(&folder.join("root.unity.h"));
    assert_eq!(header[0], "#pragma once");
    let is_sub = |line: &String| line.ends_with(".cpp\" // IWYU pragma: keep");
    let included: Vec<_> = header.iter().filter(|line| is_sub(line)).cloned().collect();
    let expected: Vec<_> =
        subs.iter().map(|sub| format!("#include \"{sub}\" // IWYU pragma: keep")).collect();
    assert_eq!(included, expected);
    let last_declaration = header.iter().rposition(|line| line.ends_with(';'));
    assert!(
        last_declaration < header.iter().position(is_sub),
        "all declarations stand above the subs"
    );
    let first = &code(root)[0];
    assert!(first.starts_with("#include") && first.ends_with("root.unity.h\""), "{first}");
    for sub in subs {
        let first = &code(&folder.join(sub))[..2];
        assert_eq!(
            first,
            ["#pragma once", "#include \"root.unity.h\" // IWYU pragma: keep"],
            "{sub}"
        );
    }
    let files = fs::read_dir(folder).expect("the folder");
    let files: BTreeSet<_> = files.map(|it| folder.join(it.expect("a file").file_name())).collect();
    let known = subs.iter().chain(&["root.unity.h"]).map(|name| folder.join(name));
    let known: BTreeSet<_> =
        known.chain([root.to_owned()].into_iter().filter(|it| it.starts_with(folder))).collect();
    assert_eq!(files, known, "the header includes all of them");
}

#[test]
fn header_root_and_subs_are_laid_out_for_clangd() {
    let checks = Path::new(HERE).join(CHECKS);
    check_layout(&checks, &checks.join("root.cpp"), &SUBS);
    let tests = Path::new(HERE).join(TESTS_OF_HPP);
    check_layout(&tests.join("pool"), &tests.join("pool.cpp"), &SUBS_OF_HPP);
}

#[test]
#[cfg_attr(
    not(all(ninja, clangd)),
    ignore = "not run: needs ninja and clangd (apt-get install ninja-build clangd)"
)]
fn no_diagnostics_in_root_subs_and_header() {
    let bench = Workbench::new("quiet");
    bench.build();
    assert_eq!(diagnostics(&bench), [""; 0]);
    // Nor does a clangd that looks for includes without use find one, as those from version 17 on do.
    bench.write(".clangd", "Diagnostics:\n  UnusedIncludes: Strict\n");
    assert_eq!(diagnostics(&bench), [""; 0]);
}

#[test]
#[cfg_attr(not(clangd), ignore = "not run: clangd is not installed (apt-get install clangd)")]
fn no_diagnostics_in_the_tests_of_the_cpp_header() {
    let bench = Workbench::empty("hpp");
    let tests = Path::new(HERE).join(TESTS_OF_HPP);
    common::copy(&tests.join("../include"), &bench.path("include"));
    common::copy(&tests.join("pool.cpp"), &bench.path("tests/pool.cpp"));
    common::copy(&tests.join("pool"), &bench.path("tests/pool"));
    let directory = bench.path("build");
    let command = "c++ -std=c++17 -Wall -Wextra -I../include -c ../tests/pool.cpp";
    let entry = serde_json::json!([{ "directory": directory, "file": "../tests/pool.cpp", "command": command }]);
    bench.write("raw.json", &entry.to_string());
    let appended = "-Wno-pragma-once-outside-header -Wno-unused-function -Wno-undefined-internal";
    let args = [
        "--append-arguments",
        appended,
        "--output",
        "compile_commands.json",
        "--",
        "cat",
        "raw.json",
    ];
    assert!(bench.run(env!("CARGO_BIN_EXE_cleandb"), &args).status.success());
    let mut server = session(&bench);
    for name in ["pool.cpp", "pool/root.unity.h"]
        .map(String::from)
        .into_iter()
        .chain(SUBS_OF_HPP.map(|it| format!("pool/{it}")))
    {
        assert_eq!(server.open(&bench.path("tests").join(&name)), [""; 0], "{name}");
    }
}

#[test]
#[cfg_attr(
    not(all(ninja, clang, clangd)),
    ignore = "not run: needs ninja, clang and clangd (apt-get install ninja-build clang clangd)"
)]
fn each_appended_flag_is_needed() {
    let bench = Workbench::new("each-flag");
    bench.build();
    let database = bench.read("compile_commands.json");
    for flag in ["-Wno-unused-function", "-Wno-undefined-internal"] {
        bench.write("compile_commands.json", &database.replace(&format!(",\"{flag}\""), ""));
        let found = diagnostics(&bench);
        let name = flag.replace("-Wno-", "-W");
        assert!(found.iter().any(|it| it.contains(&name)), "without {flag}: {found:?}");
    }
    // clangd 14 does not need the third, as it compiles the top of a file by itself; clang does.
    let once = "-Wno-pragma-once-outside-header";
    assert!(database.contains(once));
    let header =
        ["-fsyntax-only", "-std=c++17", "-Ibuild/baked", "-xc++", "examples/checks/root.unity.h"];
    let warns = |more: &[&str]| {
        let ran = bench.run("clang++", &[&header[..], more].concat());
        text(&ran.stderr).contains("#pragma once in main file")
    };
    assert!(warns(&[]) && !warns(&[once]));
}

#[test]
#[cfg_attr(
    not(all(ninja, clangd)),
    ignore = "not run: needs ninja and clangd (apt-get install ninja-build clangd)"
)]
fn what_breaks_the_layout_shows() {
    let bench = Workbench::new("broken-layout");
    bench.build();
    let broken = |expected: &str| {
        let found = diagnostics(&bench);
        assert!(found.iter().any(|it| it.contains(expected)), "{expected}: {found:?}");
    };
    // Include guards in place of the pragma.
    let sub = "examples/checks/report.cpp";
    let (kept, header) = (bench.read(sub), bench.read("examples/checks/root.unity.h"));
    bench.write(
        sub,
        &format!("{}\n#endif\n", kept.replace("#pragma once", "#ifndef REPORT\n#define REPORT")),
    );
    broken("pp_including_mainfile_in_preamble");
    bench.write(sub, &kept);
    // A declaration that is not in the header.
    bench.replace(
        "examples/checks/root.unity.h",
        "SHARED void check(bool holds, const char *what);\n",
        "",
    );
    broken("undeclared");
    bench.write("examples/checks/root.unity.h", &header);
    // No flags: the folder of baked headers is unknown. The file stays, as clangd would search further up.
    bench.write("compile_commands.json", "[]");
    broken("levels/fireworks.h' file not found");
}

#[test]
#[cfg_attr(
    not(all(ninja, clang, clang_tidy)),
    ignore = "not run: needs ninja, clang and clang-tidy (apt-get install ninja-build clang clang-tidy)"
)]
fn other_tools_get_the_root_only() {
    let bench = Workbench::new("root-only");
    bench.build();
    let sub = bench.run(
        "clang++",
        &["-fsyntax-only", "-std=c++17", "-Ibuild/baked", "examples/checks/report.cpp"],
    );
    assert!(
        !sub.status.success() && text(&sub.stderr).contains("redefinition of 'check'"),
        "{}",
        text(&sub.stderr)
    );
    let root = bench.run(
        "clang++",
        &[
            "-fsyntax-only",
            "-std=c++17",
            "-Ibuild/baked",
            "-Wall",
            "-Werror",
            "examples/checks/root.cpp",
        ],
    );
    assert!(root.status.success(), "{}", text(&root.stderr));
    let database = bench.read("compile_commands.json");
    let entries: Vec<_> = database.lines().filter(|line| line.contains(CHECKS)).collect();
    assert!(entries.len() == 1 && entries[0].contains("checks/root.cpp"), "{entries:?}");
    let commands = bench.ninja(&["-t", "commands", "-s", "tidy-checks"]).text;
    assert!(
        commands.trim_end().ends_with("-p ../compile_commands.json ../examples/checks/root.cpp"),
        "{commands}"
    );
    let tidied = bench.ninja(&["tidy-checks"]);
    assert!(tidied.succeeded && !tidied.text.contains("warning:"), "{}", tidied.text);
}

#[test]
#[cfg_attr(not(ninja), ignore = "not run: ninja is not installed (apt-get install ninja-build)")]
fn unity_and_separate_builds_pass_the_same_checks() {
    let bench = Workbench::new("separate");
    bench.build();
    let sources = SUBS.iter().chain(&["root.cpp"]).map(|name| format!("../{CHECKS}/{name}"));
    for source in sources.clone() {
        let object = format!("{}.o", source.rsplit('/').next().expect("a name"));
        let args = ["-std=c++17", "-DCHECKS_SEPARATE", "-Ibaked", "-c", &source, "-o", &object];
        let ran = bench.run_in("build", "c++", &args);
        assert!(ran.status.success(), "{}", text(&ran.stderr));
    }
    let objects: Vec<_> =
        sources.map(|source| format!("{}.o", source.rsplit('/').next().expect("a name"))).collect();
    let args: Vec<_> = objects.iter().map(String::as_str).chain(["-o", "bin/separate"]).collect();
    let ran = bench.run_in("build", "c++", &args);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let [unity, separate] = ["bin/examples/checks", "bin/separate"].map(|program| {
        let ran = bench.run_in("build", &format!("./{program}"), &[]);
        assert!(ran.status.success(), "{program}: {}", text(&ran.stdout));
        text(&ran.stdout)
    });
    assert_eq!(unity, separate);
    assert_eq!(unity.lines().filter(|line| line.starts_with("ok: ")).count(), 7);
    // A check that fails fails in both.
    bench.replace("assets/levels/fireworks.lvl", "wave 90 sparks 1200", "wave 90 sparks 1199");
    assert!(bench.ninja(&[]).succeeded);
    let ran = bench.run_in("build", "bin/examples/checks", &[]);
    assert!(
        !ran.status.success() && text(&ran.stdout).contains("FAILED: fireworks asks"),
        "{}",
        text(&ran.stdout)
    );
}

#[test]
#[cfg_attr(
    not(all(ninja, clangd)),
    ignore = "not run: needs ninja and clangd (apt-get install ninja-build clangd)"
)]
fn definition_references_and_completion_work_in_subs() {
    let bench = Workbench::new("navigate");
    bench.build();
    let mut server = session(&bench);
    let (levels, sprites) = (file(&bench, "levels.cpp"), file(&bench, "sprites.cpp"));
    server.open(&sprites);
    server.open(&levels);
    server.wait_for_index();
    // From one sub into another, and into a baked header.
    assert_eq!(server.definition(&sprites, "read_b|aked(\"sprites"), [("bytes.cpp".into(), 4)]);
    assert_eq!(server.definition(&levels, "che|ck(fireworks"), [("report.cpp".into(), 6)]);
    assert_eq!(server.definition(&levels, "storm_sp|arks_slots"), [("storm.h".into(), 5)]);
    let uses = [("palettes.cpp", 5), ("sprites.cpp", 7)];
    let uses = uses.map(|(name, line)| (name.to_owned(), line));
    assert_eq!(server.references(&sprites, "read_b|aked(\"sprites"), uses);
    // What is declared in the header, defined in another sub, and baked.
    for (at, name) in [("u16|_at(rocket, 0)", "u16_at"), ("check|(rocket", "check")] {
        let names = server.completion(&sprites, at);
        assert!(names.iter().any(|it| it == name), "{name}: {names:?}");
    }
    let names = server.completion(&levels, "fireworks_wa|ves");
    assert!(names.iter().any(|it| it == "fireworks_waves"), "{names:?}");
}

#[test]
#[cfg_attr(
    not(all(ninja, clangd)),
    ignore = "not run: needs ninja and clangd (apt-get install ninja-build clangd)"
)]
fn the_database_is_found_from_every_source_folder() {
    let bench = Workbench::new("found");
    bench.build();
    common::copy(&Path::new(HERE).join("../../.clangd"), &bench.path(".clangd"));
    let database = bench.path("compile_commands.json");
    let folders =
        ["baker/bake.c", "examples/fireworks.c", "examples/show.cpp", "examples/checks/levels.cpp"];
    for source in folders {
        let mut server = session(&bench);
        assert_eq!(server.open(&bench.path(source)), [""; 0], "{source}");
        let log = server.log();
        assert!(
            log.contains(&format!("Loaded compilation database from {}", database.display())),
            "{source}: {log}"
        );
        assert!(!log.contains("fallback"), "{source}: {log}");
        // What the database lacks has the flags of its neighbour.
        let inferred = format!("inferred from {}", file(&bench, "root.cpp").display());
        assert_eq!(log.contains(&inferred), source.ends_with("levels.cpp"), "{source}: {log}");
    }
    // Flags that differ: a baked header is C, which `.clangd` says.
    let mut server = session(&bench);
    let header = bench.path("build/baked/levels/storm.h");
    assert_eq!(server.open(&header), [""; 0]);
    let log = server.log();
    let command =
        log.lines().find(|line| line.starts_with('/') && line.ends_with("levels/storm.h"));
    assert!(command.is_some_and(|it| it.contains("-xc ") && it.contains("-std=c99")), "{log}");
}
