//! `millpond plan --size-classes`: what it prints is what the library takes.

use crate::common::{Directory, OPENTTD, done, millpond, refused, start_of_openttd};
use millpond_memory::SizeClasses;
use serde_json::Value;

fn classes(trace: &Value) -> Vec<(usize, usize)> {
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let classes = trace["size_classes"]["classes"].as_array().unwrap();
    classes.iter().map(|class| (number(&class["slot_bytes"]), number(&class["slots"]))).collect()
}

#[test]
fn the_library_takes_the_classes_of_the_bundled_trace() {
    let found = &OPENTTD["size_classes"];
    let classes = classes(&OPENTTD);
    assert!(classes.len() >= 8 && classes.len() <= 20, "{classes:?}");
    assert!(classes.windows(2).all(|pair| pair[0].0 < pair[1].0));
    assert!(classes.iter().all(|(bytes, _)| *bytes <= 512 && bytes % 16 == 0));
    let served = found["allocations_served"].as_u64().unwrap();
    assert_eq!(served, 249_447, "those of 1 to 512 bytes");
    let memory = SizeClasses::builder().classes(classes.clone()).build();
    let reserved: Vec<_> =
        memory.class_stats().map(|class| (class.slot_bytes, class.slots_reserved)).collect();
    assert_eq!(reserved, classes);
}

#[test]
fn the_text_has_a_table_and_code_and_the_limit_is_the_users() {
    let directory = Directory::new();
    let start = start_of_openttd(&directory);
    let run = |option: &str| {
        let mut command = millpond(&directory);
        command.args(["plan", "--no-report", "--headroom", "0", option]).arg(&start);
        done(&command.output().unwrap())
    };
    let text = run("--size-classes=64");
    assert!(text.contains("Requests of up to 64 bytes are "), "{text}");
    // OpenTTD is in C++.
    assert!(text.contains("#include \"millpond_pmr.hpp\"\n"), "{text}");
    assert!(text.contains("static const mp_class slots_by_size[] = {\n"), "{text}");
    assert!(
        text.contains("    {64, ") && text.contains(" memory(slots_by_size, 3, MP_CLASSES_GROW);"),
        "{text}"
    );
    assert!(!text.contains("SIZE_CLASSES:") && !text.contains("let "), "{text}");
    assert!(!run("--json").contains("size_classes"));
}

/// The code is in the language of the program, as its names tell.
#[test]
fn the_code_is_in_the_language_of_the_recording() {
    let directory = Directory::new();
    let heaptrack = |name: &str| {
        format!("v 10400 2\ns {name}\ns game\ni 10 2 1\nt 1 0\na 18 1\nc 0\n+ 0\n+ 0\n")
    };
    let table = |name: &str| format!("ms,event,address,size,stack\n0,alloc,10,24,{name};main\n");
    let heap = "millpond heap 1\nx game\nt 1 a1\n+ 10 18 1\n+ 20 18 1\nn a1\tspawn\tmain.rs\ne 0\n";
    let (rust, cpp) = (".classes(SIZE_CLASSES).build();", "millpond::size_classes memory(");
    let c = "mp_classes_give(memory, block, bytes, 8);";
    // heaptrack itself is in C++, and so its own block is in the recording of a program in C.
    let of_recorder = format!(
        "v 10400 2\ns __gnu_cxx::pool::pool()\ns game\ns spawn\ni 10 2 1\ni 20 2 3\nt 1 0\nt 2 0\na 11c00 1\na 18 2\nc 0\n\
         + 0\n{}",
        "+ 1\n".repeat(100)
    );
    for (text, code, other) in [
        (heaptrack("std::__cxx11::list<Thing*>::push_back(Thing* const&)"), cpp, rust),
        (heaptrack("spawn"), c, cpp),
        (of_recorder, c, cpp),
        (heaptrack("core::ops::function::FnOnce::call_once"), rust, cpp),
        (heaptrack("/rustc/17067e9ac6d7/library/alloc/src/alloc.rs"), rust, cpp),
        (heap.to_owned(), rust, cpp),
        (table("spawn(int)"), cpp, rust),
        (table("spawn@game.py:2"), rust, cpp),
        (table("__rust_alloc"), rust, cpp),
    ] {
        directory.file("a", &text);
        let arguments = ["plan", "--no-report", "--size-classes", "a"];
        let said = done(&millpond(&directory).args(arguments).output().unwrap());
        assert!(said.contains(code) && !said.contains(other), "{text}: {said}");
        let needs_size = said.contains("`free` gets no size");
        assert_eq!(needs_size, code == c, "{text}: {said}");
    }
}

#[test]
fn a_small_trace_is_counted_by_hand() {
    let directory = Directory::new();
    // Three of 0x18 bytes (two at once), one of 0x20 at the same time as these, one of 0x1000.
    let text = "v 10400 3\na 18 0\na 20 0\na 1000 0\n+ 0\n+ 0\n+ 1\n- 0\n+ 0\n+ 2\n- 0\n- 1\n";
    directory.file("a.heaptrack", text);
    let arguments = ["plan", "--json", "--headroom", "0", "--size-classes", "a.heaptrack"];
    let json = done(&millpond(&directory).args(arguments).output().unwrap());
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(classes(&json["traces"][0]), [(32, 3)]);
    let class = &json["traces"][0]["size_classes"]["classes"][0];
    assert_eq!((&class["allocations"], &class["peak_bytes"]), (&4.into(), &(24 * 2 + 32).into()));
}

#[test]
fn what_cannot_be_done_is_said() {
    let directory = Directory::new();
    directory.file("a.csv", "tick,event,id,class\n0,alloc,1,Imp\n");
    let refuse = |arguments: &[&str]| {
        refused(&millpond(&directory).arg("plan").args(arguments).output().unwrap())
    };
    let said = refuse(&["--size-classes", "--no-report", "a.csv"]);
    assert!(said.contains("a.csv: contains no sizes; --size-classes needs a recording"), "{said}");
    for bytes in ["0", "2049", "x", "-1"] {
        refuse(&[&format!("--size-classes={bytes}"), "a.csv"]);
    }
    assert_eq!(directory.names(), ["a.csv"]);
}
