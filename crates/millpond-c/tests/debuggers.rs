//! What gdb and lldb show of handles and pools; and that the file for Visual Studio is well-formed.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{has, here, library, made, run, strict};

/// A program for this debugger, which stops in `look` with two live bullets of three.
fn shown(debugger: &str) -> PathBuf {
    let folder = made(&format!("debuggers-{debugger}"));
    let source = folder.join("shown.cpp");
    fs::write(
        &source,
        "#include <millpond.hpp>\nstruct bullet { int x; };\n\
         extern \"C\" void look() { asm volatile(\"\"); }\n\
         int main() {\n    millpond::pool<bullet> bullets(9);\n    auto gone = bullets.emplace(bullet{5});\n\
         auto first = bullets.emplace(bullet{6});\n    auto second = bullets.emplace(bullet{7});\n\
         bullets.remove(gone);\n\
         \x20   millpond::packed_pool<bullet> packed(9);\n    gone = packed.emplace(bullet{5});\n\
         \x20   packed.emplace(bullet{6});\n    packed.emplace(bullet{7});\n    packed.remove(gone);\n    look();\n    return first == second;\n}\n",
    )
    .unwrap();
    let program = folder.join("shown");
    let mut compile = strict("g++");
    compile.args(["-std=c++17", "-g", "-O0"]).arg(&source).arg(library().unwrap());
    run(compile.arg("-o").arg(&program));
    program
}

/// A program in C for this debugger, which stops in `look`.
fn shown_in_c(debugger: &str) -> PathBuf {
    let folder = made(&format!("debuggers-{debugger}"));
    let source = folder.join("shown.c");
    fs::write(
        &source,
        "#include <millpond.h>\n#include <stdio.h>\ntypedef struct { int x; } bullet;\n\
         MP_POOL(bullets, bullet)\nMP_PACKED(sparks, bullet)\n\
         typedef struct user_id { uint64_t number; } user_id;\n\
         void look(void);\nvoid look(void) { __asm__ volatile(\"\"); }\n\
         int main(void) {\n    mp_options options = MP_OPTIONS(bullet, 9);\n    mp_pool *pool;\n    mp_packed *packed;\n\
         \x20   mp_walk walk = MP_WALK;\n    user_id user = {77};\n    bullets all;\n    sparks some;\n    bullets_id gone, second;\n    sparks_id spark;\n\
         \x20   if (mp_pool_create(&options, &pool) != MP_OK || mp_packed_create(&options, &packed) != MP_OK) return 1;\n\
         \x20   all = bullets_of(pool);\n    some = sparks_of(packed);\n\
         \x20   bullets_insert(&all, &gone)->x = 5;\n    bullets_insert(&all, &second)->x = 6;\n\
         \x20   bullets_remove(&all, gone);\n    sparks_insert(&some, &spark)->x = 8;\n\
         \x20   while (bullets_next(&all, &walk) != NULL) printf(\"%d\\n\", (int)bullets_id_at(&all, walk.index).bits);\n\
         \x20   printf(\"%d\\n\", sparks_values(&some)->x);\n\
         \x20   look();\n    mp_packed_destroy(packed);\n    mp_pool_destroy(pool);\n    return (int)user.number - 77;\n}\n",
    )
    .unwrap();
    let program = folder.join("shown-in-c");
    let mut compile = strict("gcc");
    compile.args(["-std=c99", "-g", "-O0"]).arg(&source).arg(library().unwrap());
    run(compile.arg("-o").arg(&program));
    program
}

#[test]
fn gdb_shows_the_typed_handles_and_pools_of_c() {
    if library().is_none() || !has("gdb") {
        return;
    }
    let program = shown_in_c("gdb");
    let script = format!("source {}", here().join("debuggers/millpond_gdb.py").display());
    let mut gdb = Command::new("gdb");
    gdb.args(["-q", "-nx", "-batch", "-ex", &script, "-ex", "break look", "-ex", "run"]);
    for command in ["up", "print second", "print all", "print some", "print spark", "print user"] {
        gdb.args(["-ex", command]);
    }
    let said = String::from_utf8_lossy(&run(gdb.arg(&program)).stdout).into_owned();
    for expected in [
        "$1 = 1v1\n",
        "$2 = 1 of 9 live, at most 2 = {[1v1] = {x = 6}}\n",
        "$3 = 1 of 9 live, at most 1 = {[0v1] = {x = 8}}\n",
        "$4 = 0v1\n",
        "$5 = {number = 77}\n",
    ] {
        assert!(said.contains(expected), "{expected} in {said}");
    }
}

#[test]
fn gdb_shows_handles_and_live_values() {
    if library().is_none() || !has("gdb") {
        return;
    }
    let program = shown("gdb");
    let script = format!("source {}", here().join("debuggers/millpond_gdb.py").display());
    let mut gdb = Command::new("gdb");
    gdb.args([
        "-q",
        "-nx",
        "-batch",
        "-ex",
        &script,
        "-ex",
        "break look",
        "-ex",
        "run",
        "-ex",
        "up",
    ]);
    gdb.args(["-ex", "print second", "-ex", "print bullets", "-ex", "print *bullets.raw_"])
        .args(["-ex", "print packed", "-ex", "print *packed.raw_"])
        .arg(&program);
    let said = String::from_utf8_lossy(&run(&mut gdb).stdout).into_owned();
    for expected in [
        "= 2v1\n",
        "2 of 9 live, at most 3 = {[1v1] = {x = 6}, [2v1] = {x = 7}}",
        "$3 = 2 of 9 live, at most 3 = {inserted = 3, removed = 1, peak = 3, retired = 0}",
        "2 of 9 live, at most 3 = {[2v1] = {x = 7}, [1v1] = {x = 6}}",
        "$5 = 2 of 9 live, at most 3 = {inserted = 3, removed = 1, peak = 3, retired = 0}",
    ] {
        assert!(said.contains(expected), "{expected} in {said}");
    }
}

/// A program with the pools that need no library, and those that grow, which stops in `look`.
fn shown_without_a_library(debugger: &str) -> PathBuf {
    let folder = made(&format!("debuggers-small-{debugger}"));
    let source = folder.join("shown.cpp");
    fs::write(
        &source,
        "#include <millpond.hpp>\n#include <millpond_small.hpp>\nstruct bullet { int x; };\n\
         extern \"C\" void look() { asm volatile(\"\"); }\n\
         int main() {\n    mps::pool<bullet> plain(9), named(9, {\"bullets\", false});\n\
         \x20   mps::growing_pool<bullet> growing;\n    mps::packed_pool<bullet> packed(9);\n\
         \x20   auto gone = plain.emplace(bullet{5});\n    plain.emplace(bullet{6});\n\
         \x20   auto second = plain.emplace(bullet{7});\n    plain.remove(gone);\n    named.emplace(bullet{1});\n\
         \x20   for (int i = 0; i < 5000; ++i) growing.emplace(bullet{i});\n\
         \x20   growing.retain([](const bullet &one) { return one.x == 4999; });\n\
         \x20   gone = packed.emplace(bullet{5});\n    packed.emplace(bullet{6});\n    packed.emplace(bullet{7});\n\
         \x20   packed.remove(gone);\n    millpond::growing_pool<bullet> chunks;\n\
         \x20   bullet *first = chunks.alloc(bullet{8});\n    chunks.alloc(bullet{9});\n    chunks.free(first);\n\
         \x20   millpond::vec_pool<bullet> vector(2);\n    vector.emplace(bullet{4});\n\
         \x20   look();\n    return second == gone;\n}\n",
    )
    .unwrap();
    let program = folder.join("shown");
    let mut compile = strict("g++");
    compile.args(["-std=c++17", "-g", "-O0"]).arg(&source).arg(library().unwrap());
    run(compile.arg("-o").arg(&program));
    program
}

#[test]
fn gdb_shows_the_pools_that_grow_and_those_without_a_library() {
    if library().is_none() || !has("gdb") {
        return;
    }
    let script = format!("source {}", here().join("debuggers/millpond_gdb.py").display());
    let mut gdb = Command::new("gdb");
    gdb.args([
        "-q",
        "-nx",
        "-batch",
        "-ex",
        &script,
        "-ex",
        "break look",
        "-ex",
        "run",
        "-ex",
        "up",
    ]);
    for shown in ["second", "plain", "named", "growing", "packed", "chunks", "vector"] {
        gdb.args(["-ex", &format!("print {shown}")]);
    }
    let said =
        String::from_utf8_lossy(&run(gdb.arg(shown_without_a_library("gdb"))).stdout).into_owned();
    for expected in [
        "$1 = 2v1\n",
        "$2 = 2 of 9 live, at most 3 = {[1v1] = {x = 6}, [2v1] = {x = 7}}\n",
        "$3 = \"bullets\": 1 of 9 live, at most 1, generations from 2133709781 = {[0v2133709781] = {x = 1}}\n",
        "live, at most 5000 = {[4999v1] = {x = 4999}}\n",
        "$5 = 2 of 9 live, at most 3 = {[2v1] = {x = 7}, [1v1] = {x = 6}}\n",
        "$6 = 1 of 64 live, in 1 chunks = {[0.1] = {x = 9}}\n",
        "$7 = 1 of 2 live, at most 1 = {[0v1] = {x = 4}}\n",
    ] {
        assert!(said.contains(expected), "{expected} in {said}");
    }
}

#[test]
fn lldb_shows_the_pools_that_grow_and_those_without_a_library() {
    if library().is_none() || !has("lldb") {
        return;
    }
    let script =
        format!("command script import {}", here().join("debuggers/millpond_lldb.py").display());
    let mut lldb = Command::new("lldb");
    lldb.args(["--no-lldbinit", "--batch", "-o", &script]);
    for command in [
        "breakpoint set -n look",
        "run",
        "up",
        "frame variable second plain named growing packed chunks vector",
    ] {
        lldb.args(["-o", command]);
    }
    lldb.arg(shown_without_a_library("lldb"));
    if let Some(path) = python_of_lldb() {
        lldb.env("PYTHONPATH", path);
    }
    let output = lldb.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("No module named") {
        println!("not run: lldb has no Python (apt-get install python3-lldb-14)");
        return;
    }
    for expected in [
        "second = 2v1\n",
        "plain = 2 of 9 live, at most 3 {\n  [1v1] = (x = 6)\n  [2v1] = (x = 7)\n}",
        "named = \"bullets\": 1 of 9 live, at most 1, generations from 2133709781 {",
        "[4999v1] = (x = 4999)",
        "packed = 2 of 9 live, at most 3 {\n  [2v1] = (x = 7)\n  [1v1] = (x = 6)\n}",
        "chunks = 1 of 64 live, in 1 chunks {\n  [0.1] = (x = 9)\n}",
        "vector = 1 of 2 live, at most 1 {\n  [0v1] = (x = 4)\n}",
    ] {
        assert!(said.contains(expected), "{expected} in {said}{errors}");
    }
}

/// Where lldb's Python module is, if it is Debian 12's: there lldb looks in another folder, and the module's link to lldb
/// itself leads nowhere.
fn python_of_lldb() -> Option<PathBuf> {
    let packaged = Path::new("/usr/lib/llvm-14/lib/python3.11/dist-packages/lldb");
    let lldb = Path::new("/usr/lib/x86_64-linux-gnu/liblldb-14.so.1");
    let path = made("debuggers-python").join("python");
    let module = path.join("lldb");
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&module).unwrap();
    for entry in fs::read_dir(packaged).ok()? {
        let entry = entry.unwrap();
        let is_link_to_lldb = entry.file_name().to_string_lossy().starts_with("_lldb");
        let to = if is_link_to_lldb { lldb.to_owned() } else { entry.path() };
        std::os::unix::fs::symlink(to, module.join(entry.file_name())).unwrap();
    }
    Some(path)
}

#[test]
fn lldb_shows_the_typed_handles_and_pools_of_c() {
    if library().is_none() || !has("lldb") {
        return;
    }
    let script = here().join("debuggers/millpond_lldb.py");
    let script = format!("command script import {}", script.display());
    let mut lldb = Command::new("lldb");
    lldb.args(["--no-lldbinit", "--batch", "-o", &script]);
    for command in [
        "millpond_pool bullets sparks",
        "breakpoint set -n look",
        "run",
        "up",
        "frame variable second all some spark user",
    ] {
        lldb.args(["-o", command]);
    }
    lldb.arg(shown_in_c("lldb"));
    if let Some(path) = python_of_lldb() {
        lldb.env("PYTHONPATH", path);
    }
    let output = lldb.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("No module named") {
        println!("not run: lldb has no Python (apt-get install python3-lldb-14)");
        return;
    }
    for expected in [
        "second = 1v1",
        "all = 1 of 9 live, at most 2",
        "some = 1 of 9 live, at most 1",
        "spark = 0v1",
        "number = 77\n",
    ] {
        assert!(said.contains(expected), "{expected} in {said}{errors}");
    }
}

#[test]
fn lldb_shows_handles_and_live_values() {
    if library().is_none() || !has("lldb") {
        return;
    }
    let script = here().join("debuggers/millpond_lldb.py");
    let script = format!("command script import {}", script.display());
    let mut lldb = Command::new("lldb");
    lldb.args(["--no-lldbinit", "--batch", "-o", &script]);
    for command in ["breakpoint set -n look", "run", "up", "frame variable second bullets packed"] {
        lldb.args(["-o", command]);
    }
    lldb.args(["-o", "frame variable *bullets.raw_"]).arg(shown("lldb"));
    if let Some(path) = python_of_lldb() {
        lldb.env("PYTHONPATH", path);
    }
    let output = lldb.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("No module named") {
        println!("not run: lldb has no Python (apt-get install python3-lldb-14)");
        return;
    }
    for expected in [
        "second = 2v1\n",
        "bullets = 2 of 9 live, at most 3 {",
        "[1v1] = (x = 6)",
        "[2v1] = (x = 7)",
        "packed = 2 of 9 live, at most 3 {\n  [2v1] = (x = 7)\n  [1v1] = (x = 6)\n}",
    ] {
        assert!(said.contains(expected), "{expected} in {said}{errors}");
    }
}

#[test]
fn the_natvis_file_names_fields_that_there_are() {
    let natvis = fs::read_to_string(here().join("debuggers/millpond.natvis")).unwrap();
    let header = fs::read_to_string(here().join("include/millpond.h")).unwrap();
    let of = |name| fs::read_to_string(here().join("include").join(name)).unwrap();
    let header =
        header + &of("millpond.hpp") + &of("millpond_growing.hpp") + &of("millpond_small.hpp");
    let words = natvis.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let fields: Vec<_> = words.filter(|word| word.len() > 1 && word.ends_with('_')).collect();
    assert!(fields.len() > 8);
    // The state of the slots has names without an end of their own.
    let (_, slots) = natvis.split_once(r#"<Type Name="mps::slots_">"#).unwrap();
    let (_, counted) = slots.split_once("live</DisplayString>\n    <DisplayString>").unwrap();
    let counted = counted.split("live<").next().unwrap();
    let counted = counted.split(|c: char| !c.is_alphanumeric());
    let counted = counted.filter(|word| word.len() > 3 && *word != "unsigned");
    assert_eq!(counted.clone().count(), 6);
    for field in fields.into_iter().chain(counted) {
        let declared =
            [format!("{field};"), format!("{field},"), format!("{field}{{"), format!("{field} =")];
        assert!(declared.iter().any(|text| header.contains(text)), "{field}");
    }
    // Every element that is opened is closed.
    let (mut open, mut rest) = (Vec::new(), natvis.as_str());
    while let Some((_, tag)) = rest.split_once('<') {
        let (tag, after) = tag.split_once('>').unwrap();
        rest = after;
        let name = tag.split_whitespace().next().unwrap_or("");
        if let Some(closed) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed));
        } else if !tag.ends_with('/') && !tag.starts_with(['?', '!']) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
