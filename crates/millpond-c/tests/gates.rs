//! The header's inline functions take no more instructions than recorded: 2 % more fails. What a machine does besides
//! does not count.
//!
//! The figures are instructions per operation, call and loop included, with gcc 12 `-O2`.

mod support;

use std::process::Command;

use support::{has, here, library, made, run, strict};

const RECORDED: [(&str, f64); 6] = [
    ("nothing", 11.0),
    ("get", 27.0),
    ("get_32", 29.0),
    ("remove_insert", 80.0),
    ("remove_insert_32", 88.0),
    ("walk_10", 177.0),
];

/// How many instructions the program takes for so many rounds of an operation.
fn instructions(program: &std::path::Path, operation: &str, rounds: u32) -> f64 {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    let said = run(valgrind.args([operation, &rounds.to_string()])).stderr;
    let said = String::from_utf8(said).unwrap();
    let collected = said.lines().find_map(|line| line.split_once("Collected : "));
    collected.expect("a count").1.trim().parse().unwrap()
}

#[test]
fn inline_functions_take_as_many_instructions_as_recorded() {
    if library().is_none() || !has("valgrind") {
        return;
    }
    let version = run(Command::new("gcc").arg("-dumpversion")).stdout;
    if version != b"12\n" || !cfg!(target_arch = "x86_64") {
        println!("not run: the instructions were counted with gcc 12 on x86-64");
        return;
    }
    let program = made("gates").join("gates");
    let mut compile = strict("gcc");
    compile.args(["-std=c99", "-O2"]).arg(here().join("tests/gates.c")).arg(library().unwrap());
    run(compile.arg("-o").arg(&program));
    let listed = String::from_utf8(run(&mut Command::new(&program)).stdout).unwrap();
    assert!(listed.lines().eq(RECORDED.map(|(name, _)| name)));
    for (operation, recorded) in RECORDED {
        // Whole walks.
        let count = |rounds| instructions(&program, operation, rounds);
        let each = (count(20_000) - count(10_000)) / 10_000.0;
        println!("{operation}: {each:.1} instructions, recorded {recorded:.1}");
        assert!(each <= recorded * 1.02, "{operation}: {each:.1}, recorded {recorded:.1}");
    }
}
