//! The header's inline functions take no more instructions than recorded: 2 % more fails. What a machine does besides
//! does not count.
//!
//! The figures are instructions per operation, call and loop included, with gcc 12 `-O2`.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::{has, here, library, made, run, strict};

const RECORDED: [(&str, f64); 10] = [
    ("nothing", 11.0),
    ("get", 27.0),
    ("get_32", 31.0),
    ("remove_insert", 69.0),
    ("remove_insert_32", 79.0),
    ("walk_10", 88.5),
    ("walk_10_one_by_one", 168.9),
    ("get_packed", 29.0),
    ("remove_insert_packed", 121.0),
    ("walk_10_packed", 76.1),
];

/// How many instructions the program takes for so many rounds of an operation.
fn instructions(program: &Path, operation: &str, rounds: u32) -> f64 {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    let said = run(valgrind.args([operation, &rounds.to_string()])).stderr;
    let said = String::from_utf8(said).unwrap();
    let collected = said.lines().find_map(|line| line.split_once("Collected : "));
    collected.expect("a count").1.trim().parse().unwrap()
}

/// Whether the instructions can be counted, with the compiler that they were recorded for.
fn counts() -> bool {
    if library().is_none() || !has("valgrind") {
        return false;
    }
    let version = run(Command::new("gcc").arg("-dumpversion")).stdout;
    let is_recorded = version == b"12\n" && cfg!(target_arch = "x86_64");
    if !is_recorded {
        println!("not run: the instructions were counted with gcc 12 on x86-64");
    }
    is_recorded
}

/// Compiles `tests/gates.c` or `tests/gates.cpp`, in a folder of the test's own: tests run side by side.
fn compiled(folder: &str, compiler: &str, standard: &str, source: &str) -> PathBuf {
    let program = made(folder).join(source);
    let mut compile = strict(compiler);
    compile.args([standard, "-O2"]).arg(here().join("tests").join(source)).arg(library().unwrap());
    run(compile.arg("-o").arg(&program));
    program
}

/// The names of a program's operations.
fn listed(program: &Path) -> Vec<String> {
    let said = String::from_utf8(run(&mut Command::new(program)).stdout).unwrap();
    said.lines().map(str::to_owned).collect()
}

/// How many instructions the program takes for each of a hundred whole walks, and more of what is shorter.
fn each(program: &Path, operation: &str) -> f64 {
    let count = |rounds| instructions(program, operation, rounds);
    (count(20_000) - count(10_000)) / 10_000.0
}

#[test]
fn inline_functions_take_as_many_instructions_as_recorded() {
    if !counts() {
        return;
    }
    let program = compiled("gates", "gcc", "-std=c99", "gates.c");
    assert_eq!(listed(&program), RECORDED.map(|(name, _)| name));
    let mut too_many = Vec::new();
    for (operation, recorded) in RECORDED {
        let each = each(&program, operation);
        println!("{operation}: {each:.1} instructions, recorded {recorded:.1}");
        if each > recorded * 1.02 {
            too_many.push(operation);
        }
    }
    assert!(too_many.is_empty(), "more than recorded: {too_many:?}");
}

/// What the class may take in addition: a value with a constructor, which may use the pool, is made before it gets its
/// slot, and its 32 bytes are copied there.
fn allowed_in_cpp(operation: &str) -> f64 {
    if operation == "remove_insert" { 7.0 } else { 0.0 }
}

/// Otherwise, what the class adds to the header's functions is optimised away.
#[test]
fn the_pool_of_cpp_takes_as_many_instructions_as_that_of_c() {
    if !counts() {
        return;
    }
    let compiled = |compiler, standard, source| compiled("gates-cpp", compiler, standard, source);
    let (in_c, in_cpp) =
        (compiled("gcc", "-std=c99", "gates.c"), compiled("g++", "-std=c++17", "gates.cpp"));
    let operations = listed(&in_cpp);
    assert!(operations.len() > 4 && operations[0] == "nothing", "{operations:?}");
    let loops = [&in_c, &in_cpp].map(|program| each(program, "nothing"));
    let mut too_many = Vec::new();
    for operation in &operations[1..] {
        let [c, cpp] = [(&in_c, loops[0]), (&in_cpp, loops[1])]
            .map(|(program, nothing)| each(program, operation) - nothing);
        println!("{operation}: {c:.1} instructions in C, {cpp:.1} in C++");
        if cpp > c * 1.02 + allowed_in_cpp(operation) {
            too_many.push(operation);
        }
    }
    assert!(too_many.is_empty(), "more than in C: {too_many:?}");
}
