//! Programs in C and C++ against the static library, in every standard that the compilers here know.

mod support;

use std::process::Command;

use support::{fuzz, has, here, library, made, run, strict};

/// Compilers of C and of C++.
const COMPILERS: [(&str, &str); 2] = [("gcc", "g++"), ("clang", "clang++")];

fn compile_and_run(command: &mut Command, source: &str, name: &str) -> String {
    let Some(library) = library() else { return String::new() };
    let program = made("programs").join(name);
    run(command
        .arg(here().join("tests").join(source))
        .args(["-x", "none"])
        .arg(library)
        .arg("-o")
        .arg(&program));
    String::from_utf8(run(&mut Command::new(&program)).stdout).unwrap()
}

#[test]
fn every_function_does_what_the_header_says_in_every_standard() {
    if library().is_none() {
        return;
    }
    for (compiler, (c, cpp)) in COMPILERS.into_iter().enumerate().filter(|(_, (c, _))| has(c)) {
        // The oldest and the newest with each compiler, those between with one of them.
        let [c_between, cpp_between] = [["c11", "14"], ["c17", "17"]][compiler];
        for (at, standard) in ["c99", c_between, "c2x"].iter().enumerate() {
            let mut command = strict(c);
            command.arg(format!("-std={standard}")).arg(["-O0", "-O2"][(at + compiler) % 2]);
            let said = compile_and_run(&mut command, "basics.c", &format!("{c}-{standard}"));
            assert_eq!(said, "all is well\n");
        }
        for (at, standard) in ["11", cpp_between, "2b"].iter().enumerate() {
            let mut command = strict(cpp);
            command.arg(format!("-std=c++{standard}")).arg(["-O2", "-O0"][(at + compiler) % 2]);
            command.args(["-fno-exceptions", "-fno-rtti", "-x", "c++"]);
            let said = compile_and_run(&mut command, "basics.c", &format!("{cpp}-{standard}"));
            assert_eq!(said, "all is well\n");
        }
    }
}

#[test]
fn the_pool_of_cpp_keeps_its_promises_with_and_without_exceptions() {
    if library().is_none() {
        return;
    }
    let sanitized = ["-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    // Each takes a compiler ten seconds: every option with one of the two.
    let each: [[(&str, &[&str]); 2]; 2] = [
        [("17", &["-fno-exceptions", "-fno-rtti"]), ("20", &["-O2", "-DNDEBUG"])],
        [("2b", &["-fno-exceptions", "-O1", "-Wold-style-cast"]), ("17", &sanitized)],
    ];
    for ((c, cpp), each) in COMPILERS.into_iter().zip(each).filter(|((c, _), _)| has(c)) {
        for (standard, more) in each {
            let mut command = strict(cpp);
            command.arg(format!("-std=c++{standard}")).args(more);
            let said = compile_and_run(&mut command, "pool.cpp", &format!("{c}-pool"));
            assert_eq!(said, "all is well\n", "{cpp} {standard} {more:?}");
        }
    }
}

/// In builds with assertions and without: a null reference would be worse than the end of the program.
#[test]
fn a_refused_handle_in_brackets_ends_the_program_and_says_which() {
    if library().is_none() {
        return;
    }
    let to_do = "pool[handle] is for handles that are known to be good: for others, use get(handle), which returns null \
                 if the object is gone, or ask contains(handle).";
    for (cpp, options) in
        [("g++", &["-O0"][..]), ("clang++", &["-O2", "-DNDEBUG", "-fno-exceptions"])]
    {
        if !has(cpp) {
            continue;
        }
        let mut command = strict(cpp);
        command.arg("-std=c++17").args(options);
        // Nothing is looked up without an argument.
        let said = compile_and_run(&mut command, "refused.cpp", &format!("{cpp}-refused"));
        let (_, generations) = said.trim_end().split_once("found 0\n").unwrap();
        let (gone, of_growing) = generations.split_once(' ').unwrap();
        let next = |generation: &str| generation.parse::<u32>().unwrap() + 1;
        let stale = "stale: its object was removed";
        for (which, expected) in [
            ("stale", format!("the pool refuses the handle 0v1: {stale}; slot 0 is now in generation 2")),
            ("const", format!("the pool refuses the handle 0v1: {stale}; slot 0 is now in generation 2")),
            (
                "free",
                format!("the pool refuses the handle 0v2: {stale}; slot 0 is free, and next in generation 3"),
            ),
            ("none", "the pool refuses the handle 0, which names nothing".to_owned()),
            (
                "far",
                "the pool refuses the handle 77v1: out of range: there is no such slot; the pool has 8 slots".to_owned(),
            ),
            (
                "packed",
                format!(
                    "pool \"bullets\" refuses the handle 0v{gone}: {stale}; slot 0 is free, and next in generation {}",
                    next(gone)
                ),
            ),
            (
                "growing",
                format!(
                    "pool \"bullets\" refuses the handle 0v{of_growing}: {stale}; slot 0 is free, and next in \
                     generation {}",
                    next(of_growing)
                ),
            ),
            ("no pool", "no pool".to_owned()),
        ] {
            let mut program = Command::new(made("programs").join(format!("{cpp}-refused")));
            let output = program.arg(which).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(said, format!("millpond: {expected}. {to_do}\n"), "{cpp} {which}");
            assert!(!output.status.success() && output.stdout.is_empty(), "{cpp} {which}");
        }
        let mut program = Command::new(made("programs").join(format!("{cpp}-refused")));
        assert!(run(program.arg("good")).stdout.starts_with(b"found 2\n"));
    }
}

#[test]
fn what_no_program_should_pass_is_borne() {
    if library().is_none() {
        return;
    }
    let sanitized = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    for (c, _) in COMPILERS.into_iter().filter(|(c, _)| has(c)) {
        for (name, more) in [("plain", ["-O2"].as_slice()), ("sanitized", &sanitized)] {
            for source in ["hostile.c", "hostile_packed.c"] {
                let mut command = strict(c);
                command.arg("-std=c99").args(more);
                let said = compile_and_run(&mut command, source, &format!("{c}-{source}-{name}"));
                assert_eq!(said, "all is well\n", "{c} {source} {name}");
            }
        }
    }
}

/// "A debug mode that fills a reclaimed slot with a magic value (0x1deadb0b), so that use of a dead object shows."
#[test]
fn a_write_to_a_dead_slot_is_told_when_the_slot_is_used_again() {
    if library().is_none() {
        return;
    }
    for (c, _) in COMPILERS.into_iter().filter(|(c, _)| has(c)) {
        for (more, expected) in [
            (&["-O0"][..], "millpond: slot 2 was written to while it was dead, at byte 6\n"),
            (
                &["-O2", "-DPACKED"],
                "millpond: slot 2 was written to while it was dead, at byte 6\n",
            ),
            (&["-O1", "-DGROWN"], "millpond: slot 2 was written to while it was dead, at byte 6\n"),
            (&["-DHARMLESS"], "not noticed\n"),
            (&["-DHARMLESS", "-DGROWN"], "not noticed\n"),
            (&["-DHARMLESS", "-DPACKED"], "not noticed\n"),
        ] {
            let mut command = strict(c);
            command.arg("-std=c99").args(more);
            let name = format!("{c}-dead-slot");
            let said = compile_and_run(&mut command, "dead_slot.c", &name);
            assert_eq!(said, expected, "{c} {more:?}");
            // On stderr as well, for a program that has no handler for `abort`.
            let errors = run(&mut Command::new(made("programs").join(name))).stderr;
            let on_stderr = if more[0] == "-DHARMLESS" { "" } else { expected };
            assert_eq!(String::from_utf8_lossy(&errors), on_stderr, "{c} {more:?}");
        }
    }
}

#[test]
fn dead_slots_are_open_to_the_sanitizer_while_they_are_filled() {
    if library().is_none() {
        return;
    }
    let mut command = strict("gcc");
    command.args(["-std=c99", "-O1", "-g"]);
    assert_eq!(compile_and_run(&mut command, "watched.c", "watched"), "all is well\n");
}

#[test]
fn each_request_for_memory_may_be_refused() {
    if library().is_none() {
        return;
    }
    let mut command = strict("gcc");
    command.args(["-std=c99", "-O1", "-g", "-Wl,--wrap=aligned_alloc,--wrap=calloc,--wrap=free"]);
    let said = compile_and_run(&mut command, "out_of_memory.c", "out-of-memory");
    assert_eq!(said, "all is well\n");
}

#[test]
fn what_only_reads_a_pool_writes_nothing_and_runs_on_several_threads() {
    if library().is_none() {
        return;
    }
    for (c, _) in COMPILERS.into_iter().filter(|(c, _)| has(c)) {
        for more in ["-O2", "-fsanitize=thread"] {
            let mut command = strict(c);
            command.args(["-std=c99", "-pthread", "-g", more]);
            let said = compile_and_run(&mut command, "readers.c", &format!("{c}-readers"));
            assert_eq!(said, "all is well\n", "{c} {more}");
        }
    }
}

/// The sanitizer sees that what one thread wrote is read by others only afterwards, although the library is not instrumented;
/// and it finds a write to a value that several threads hold.
#[test]
fn threads_share_pools_and_objects_that_are_lent() {
    if library().is_none() {
        return;
    }
    let addresses = "-fsanitize=address,undefined";
    for (c, cpp) in COMPILERS.into_iter().filter(|(c, cpp)| has(c) && has(cpp)) {
        for more in ["-O2", addresses, "-fsanitize=thread"] {
            let mut command = strict(c);
            command.args(["-std=c99", "-pthread", "-g1", more]);
            let said = compile_and_run(&mut command, "shared.c", &format!("{c}-shared"));
            assert_eq!(said, "all is well\n", "{c} {more}");
            let mut command = strict(cpp);
            command.args(["-std=c++17", "-pthread", "-g1", more]);
            let said = compile_and_run(&mut command, "shared.cpp", &format!("{cpp}-shared"));
            assert_eq!(said, "all is well\n", "{cpp} {more}");
        }
    }
    let mut command = strict("gcc");
    command.args(["-std=c99", "-pthread", "-g1", "-fsanitize=thread", "-DRACES"]);
    let program = made("programs").join("shared-races");
    command.arg(here().join("tests/shared.c")).arg(library().unwrap()).arg("-o").arg(&program);
    run(&mut command);
    let output = Command::new(program).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("data race"));
}

/// In builds with assertions, each ends the program.
#[test]
fn what_a_loop_must_not_do_ends_at_an_assertion() {
    if library().is_none() {
        return;
    }
    for (which, expected) in [
        ("packed removes", "a loop over a packed_pool inserts or removes"),
        ("packed inserts", "a loop over a packed_pool inserts or removes"),
        ("growing inserts", "the loop has inserted a value, and the pool has grown"),
    ] {
        let mut command = strict("g++");
        compile_and_run(command.arg("-std=c++17"), "loops.cpp", "loops");
        let output = Command::new(made("programs").join("loops")).arg(which).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(expected), "{which}: {said}");
    }
}

/// The library is made for 64 bits only, but the header does without: what it says of such machines is not tested.
#[test]
fn the_header_compiles_for_other_machines() {
    if library().is_none() {
        return;
    }
    let source = made("programs").join("other-machine.c");
    let uses = "#include \"millpond.h\"\ntypedef struct { float x; int frames_left; } spark;\n\
                MP_POOL(sparks, spark)\nMP_POOL32(small_sparks, spark, 20)\n\
                /* Names that a macro might have used itself. */\n\
                MP_POOL(pool, spark)\nMP_POOL(in, spark)\nMP_POOL(id, spark)\nMP_POOL32(handle, spark, 20)\n\
                MP_PACKED(packed, spark)\nMP_PACKED(place, spark)\nMP_PACKED32(of, spark, 16)\n";
    std::fs::write(&source, uses).unwrap();
    let compiles = |compiler: &str, machine: &[&str]| {
        let mut compile = strict(compiler);
        compile.args(["-std=c99", "-ffreestanding", "-fsyntax-only"]).args(machine).arg(&source);
        run(&mut compile);
    };
    if cfg!(target_arch = "x86_64") {
        compiles("gcc", &["-m32"]);
    }
    if has("clang") {
        for machine in ["s390x-linux-gnu", "aarch64-linux-gnu", "x86_64-pc-windows-msvc"] {
            compiles("clang", &["-target", machine]);
        }
    }
}

/// The library is not instrumented: the header tells the sanitizer which slots are dead.
#[test]
fn sanitizers_find_nothing_and_find_the_use_of_a_dead_slot() {
    if library().is_none() {
        return;
    }
    for (c, _) in COMPILERS.into_iter().filter(|(c, _)| has(c)) {
        let sanitized = || {
            let mut command = strict(c);
            command.args([
                "-g",
                "-O1",
                "-fsanitize=address,undefined",
                "-fno-sanitize-recover=all",
            ]);
            command
        };
        let said = compile_and_run(&mut sanitized(), "basics.c", &format!("{c}-asan"));
        assert_eq!(said, "all is well\n");
        for kind in ["-DPLAIN", "-DPACKED", "-DGROWN", "-DOUT"] {
            let program = made("programs").join(format!("{c}-use-after-remove"));
            let source = here().join("tests/use_after_remove.c");
            run(sanitized().arg(kind).arg(source).arg(library().unwrap()).arg("-o").arg(&program));
            let output = Command::new(&program).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            let is_found = !output.status.success() && said.contains("use-after-poison");
            assert!(is_found, "{c} {kind}: {said}");
        }
    }
}

#[test]
fn valgrind_finds_nothing() {
    if library().is_none() || !has("valgrind") {
        return;
    }
    let mut command = strict("gcc");
    compile_and_run(command.args(["-g", "-O1"]), "basics.c", "valgrind");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--error-exitcode=9", "--leak-check=full", "--quiet"]);
    run(valgrind.arg(made("programs").join("valgrind")));
}

/// With the address sanitizer, insertions and removals of plain pools are called; without it, they are the header's own.
fn fuzz_library(source: &str) {
    if let Some(library) = library() {
        fuzz(source, &[&[], &["address", "undefined"]], Some(library));
    }
}

#[test]
fn the_fuzzer_finds_no_difference_to_a_model() {
    fuzz_library("fuzz.c");
}

#[test]
fn the_fuzzer_finds_no_difference_to_a_model_of_packed_pools() {
    fuzz_library("fuzz_packed.c");
}
