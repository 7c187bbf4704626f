//! The binary interface is the recorded one: a program that was compiled with an earlier header of this version finds
//! the same functions, structs and codes.
//!
//! What is compared is the header, with an empty body for each function: that the library is what the header says,
//! `tests/header.rs` checks. After a change that is meant:
//!
//!     MILLPOND_RECORD_ABI=1 cargo test -p millpond-c --test abi

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{has, here, made, run};

/// A source that has each function of the header.
fn bodies(header: &str) -> String {
    let mut source = String::from("#include \"millpond.h\"\nchar mp_last_words[256];\n");
    let mut lines = header.lines();
    while let Some(line) = lines.next() {
        let is_function = line.starts_with(|c: char| c.is_ascii_lowercase())
            && !["static ", "typedef ", "extern "].iter().any(|word| line.starts_with(word))
            && line.contains("mp_")
            && line.contains('(');
        if is_function {
            let mut declared = line.to_owned();
            while !declared.ends_with([';', '{']) {
                // The comment behind a declaration is none of it.
                declared = declared.split("; /*").next().unwrap().to_owned();
                match declared.ends_with(')') {
                    true => declared.push(';'),
                    false => declared = declared + " " + lines.next().unwrap().trim(),
                }
            }
            let declared = declared.strip_suffix(';').expect("a declaration");
            source += &format!("{declared} {{ __builtin_trap(); }}\n");
        }
    }
    source
}

/// The header as a shared library with all that a debugger would be told.
fn compiled(folder: &Path, header: &str) -> std::path::PathBuf {
    fs::write(folder.join("millpond.h"), header).unwrap();
    fs::write(folder.join("bodies.c"), bodies(header)).unwrap();
    run(Command::new("gcc")
        .args(["-std=c11", "-g", "-shared", "-fPIC", "-w", "bodies.c", "-o", "bodies.so"])
        .current_dir(folder));
    folder.join("bodies.so")
}

/// What has changed since the record.
fn changes(folder: &Path, header: &str) -> (bool, String) {
    let compiled = compiled(folder, header);
    let output =
        Command::new("abidiff").arg(here().join("tests/millpond.abi")).arg(compiled).output();
    let output = output.unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn the_binary_interface_is_the_recorded_one() {
    if !has("gcc") || !["abidw", "abidiff"].iter().all(|program| has(program)) {
        return;
    }
    let folder = made("abi");
    let header = fs::read_to_string(here().join("include/millpond.h")).unwrap();
    assert!(bodies(&header).lines().count() > 50);
    if std::env::var_os("MILLPOND_RECORD_ABI").is_some() {
        let mut record = Command::new("abidw");
        record.args(["--no-corpus-path", "--no-comp-dir-path", "--no-show-locs"]);
        let record = run(record.arg(compiled(&folder, &header))).stdout;
        fs::write(here().join("tests/millpond.abi"), record).unwrap();
    }
    let (is_same, report) = changes(&folder, &header);
    assert!(is_same, "{report}");

    // Each of these would go unnoticed by programs that are compiled already.
    for (what, by) in [
        ("uint64_t capacity, live, peak, retired;", "uint64_t capacity, peak, live, retired;"),
        ("uint32_t peak_, retired_;", "uint32_t retired_, peak_;"),
        ("void mp_pool_clear(mp_pool *pool);", "void mp_pool_clear(mp_pool *pool, int how);"),
        ("size_t mp_table_count(const mp_table *table);", ""),
        ("size_t count_;", "uint32_t count_;"),
    ] {
        let changed = header.replacen(what, by, 1);
        assert_ne!(changed, header, "{what}");
        assert!(!changes(&folder, &changed).0, "{what}");
    }
}
