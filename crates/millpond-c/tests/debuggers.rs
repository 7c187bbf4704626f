//! What gdb shows of handles and pools; and that the file for Visual Studio is well-formed.

mod support;

use std::process::Command;

use support::{has, here, library, made, run, strict};

#[test]
fn gdb_shows_handles_and_live_values() {
    if library().is_none() || !has("gdb") {
        return;
    }
    let folder = made("gdb");
    let source = folder.join("shown.cpp");
    std::fs::write(
        &source,
        "#include <millpond.hpp>\nstruct bullet { int x; };\n\
         extern \"C\" void look() { asm volatile(\"\"); }\n\
         int main() {\n    millpond::pool<bullet> bullets(9);\n    auto gone = bullets.emplace(bullet{5});\n\
         auto first = bullets.emplace(bullet{6});\n    auto second = bullets.emplace(bullet{7});\n\
         bullets.remove(gone);\n    look();\n    return first == second;\n}\n",
    )
    .unwrap();
    let program = folder.join("shown");
    let mut compile = strict("g++");
    run(compile
        .args(["-std=c++17", "-g", "-O0"])
        .arg(&source)
        .arg(library().unwrap())
        .arg("-o")
        .arg(&program));
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
        .arg(&program);
    let said = String::from_utf8_lossy(&run(&mut gdb).stdout).into_owned();
    for expected in [
        "= 2v1\n",
        "2 of 9 live, at most 3 = {[1v1] = {x = 6}, [2v1] = {x = 7}}",
        "{births = 3, deaths = 1, peak = 3, retired = 0}",
    ] {
        assert!(said.contains(expected), "{expected} in {said}");
    }
}

#[test]
fn the_natvis_file_names_fields_that_there_are() {
    let natvis = std::fs::read_to_string(here().join("debuggers/millpond.natvis")).unwrap();
    let header = std::fs::read_to_string(here().join("include/millpond.h")).unwrap();
    let header = header + &std::fs::read_to_string(here().join("include/millpond.hpp")).unwrap();
    let words = natvis.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let fields: Vec<_> = words.filter(|word| word.len() > 1 && word.ends_with('_')).collect();
    assert!(fields.len() > 8);
    for field in fields {
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
