//! `millpond_record.h` in C and in C++, as compilers of this machine build it.

#[cfg(unix)]
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Command;

/// Builds one of the programs, runs it, and returns its recording; `None` if there is no compiler, which is told.
#[cfg(unix)]
fn recorded(name: &str, more: &[&str]) -> Option<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (compiler, standard) = match name.ends_with(".c") {
        true => ("cc", "-std=c11"),
        false => ("c++", "-std=c++17"),
    };
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let unique = format!("{name}{}", more.concat().replace(['-', '='], ""));
    let (program, recording) = (directory.join(&unique), directory.join(format!("{unique}.heap")));
    let built = Command::new(compiler)
        .args([standard, "-O1", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread"])
        .args(more)
        .arg("-I")
        .arg(here.join("include"))
        .arg(here.join("tests/programs").join(name))
        .arg("-o")
        .arg(&program)
        .output();
    let built = match built {
        Ok(built) => built,
        Err(why) => {
            println!("not run: no {compiler}: {why}");
            return None;
        }
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let _ = std::fs::remove_file(&recording);
    let ran = Command::new(&program).env("MILLPOND_RECORD_FILE", &recording).output();
    assert!(ran.expect("it was built").status.success());
    Some(std::fs::read_to_string(&recording).unwrap_or_default())
}

/// How many blocks of each of these sizes were born, and how many of all died.
#[cfg(unix)]
fn births(text: &str, sizes: &[u64]) -> (Vec<usize>, usize) {
    let lines =
        |letter: &str| text.lines().filter(|line| line.starts_with(letter)).collect::<Vec<_>>();
    let size = |line: &&str| line.split(' ').nth(2).map(|bytes| u64::from_str_radix(bytes, 16));
    let births: Vec<_> = lines("+ ").iter().filter_map(size).collect();
    let of = |bytes: &u64| births.iter().filter(|size| size.as_ref() == Ok(bytes)).count();
    (sizes.iter().map(of).collect(), lines("- ").len())
}

#[cfg(unix)]
const ON: [&str; 2] = ["-DMILLPOND_RECORD", "-DMILLPOND_RECORD_IMPLEMENTATION"];

#[cfg(unix)]
#[test]
fn cpp_with_types() {
    let Some(text) = recorded("on_boxes.cpp", &[&ON[..], &["-DMILLPOND_RECORD_NEW"]].concat())
    else {
        return;
    };
    assert!(text.starts_with("millpond heap 1 header\nx ") && text.ends_with("\ne 0\n"));
    let (births, deaths) = births(&text, &[56, 40, 92]);
    // As by Tracy: see `a_skirmish_on_boxes` in `streams.rs`. The three others are the vectors' memory.
    assert_eq!((births, deaths), (vec![5262, 914, 120], 5262 + 914 + 120 + 3));
    assert_eq!(text.lines().filter(|line| line.starts_with("f ")).count(), 1200);
    let names: Vec<&str> = text.lines().filter(|line| line.starts_with("n ")).collect();
    for name in ["\tnew<Puff>\t", "\tnew<Shell>\t", "\tnew<Unit>\t", "\tmain\t", "on_boxes.cpp:"] {
        assert!(names.iter().any(|line| line.contains(name)), "{name}: {names:?}");
    }
}

#[cfg(unix)]
#[test]
fn cpp_without_types_has_call_sites_by_address() {
    let Some(text) = recorded("on_boxes.cpp", &ON) else { return };
    assert_eq!(births(&text, &[56, 40, 92]).0, [5262, 914, 120]);
    assert!(text.lines().filter(|line| line.starts_with("t ")).count() >= 4);
    assert!(!text.contains("new<"));
}

#[cfg(unix)]
#[test]
fn without_the_macro_there_is_nothing() {
    if let Some(text) = recorded("on_boxes.cpp", &[]) {
        assert_eq!(text, "");
    }
}

/// Each block is freed by another thread than its own, and its address comes again in a third.
#[cfg(unix)]
#[test]
fn c_with_threads_that_free_each_others_blocks() {
    let Some(text) = recorded("threads.c", &ON[..1]) else { return };
    let (of_threads, deaths) = births(&text, &[24, 32, 40, 48]);
    assert_eq!(of_threads, [40_000; 4]);
    let (others, _) = births(&text, &[10, 100, 200, 128, 96, 63]);
    assert_eq!((others, deaths), (vec![1; 6], 160_006));
    let mut alive = std::collections::HashSet::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        match (words.next(), words.next()) {
            (Some("+"), Some(block)) => assert!(alive.insert(block), "{line}: it is alive"),
            (Some("-"), Some(block)) => assert!(alive.remove(block), "{line}: it is not alive"),
            _ => {}
        }
    }
    assert!(alive.is_empty());
    let names: Vec<&str> = text.lines().filter(|line| line.starts_with("n ")).collect();
    for name in ["threads.c:", "\twork\t", "\tmain\t"] {
        assert!(names.iter().any(|line| line.contains(name)), "{name}: {names:?}");
    }
}

#[cfg(not(unix))]
#[test]
fn programs_in_c() {
    println!("not run: the compilers of other systems are not looked for");
}
