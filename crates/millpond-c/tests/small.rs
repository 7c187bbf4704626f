//! The headers that need no library, `millpond_small.h` and `millpond_small.hpp`: every function in every standard, on
//! other machines, under sanitizers and a fuzzer, the same steps as the pools in Rust, and the worked examples.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use millpond::Handle;
use millpond_classic::{BytemapPool, ObjectPool, PoolAllocator, PoolBox, RosterPool};
use support::{fuzz, has, here, made, run, strict};

/// Compiles a program of one file without the library.
fn compiled(mut compile: Command, source: &str, name: &str) -> Command {
    let program = made("small").join(name);
    run(compile.arg(here().join(source)).arg("-o").arg(&program));
    Command::new(program)
}

fn said(command: &mut Command) -> String {
    String::from_utf8(run(command).stdout).unwrap()
}

fn with(compiler: &str, arguments: &[&str]) -> Command {
    let mut command = strict(compiler);
    command.args(arguments);
    command
}

#[test]
fn each_function_does_what_the_header_says_in_each_standard() {
    let sanitized = "-fsanitize=address,undefined";
    for (c, cpp) in [("gcc", "g++"), ("clang", "clang++")] {
        if !has(c) || !has(cpp) {
            continue;
        }
        for (at, standard) in ["c99", "c11", "c17", "c2x"].iter().enumerate() {
            let standard = format!("-std={standard}");
            let more = [["-O2", "-g0"], [sanitized, "-fno-sanitize-recover=all"]][at % 2];
            let command = with(c, &[&standard, more[0], more[1]]);
            let mut program = compiled(command, "tests/small.c", &format!("{c}{standard}"));
            assert_eq!(said(&mut program), "all is well\n");
        }
        for (at, standard) in ["11", "14", "17", "20"].iter().enumerate() {
            let standard = format!("-std=c++{standard}");
            let more = [sanitized, "-O2"][at % 2];
            let options = ["-x", "c++", "-fno-exceptions", "-fno-rtti", &standard, more];
            let mut program =
                compiled(with(cpp, &options), "tests/small.c", &format!("{c}{standard}"));
            assert_eq!(said(&mut program), "all is well\n");
        }
    }
}

#[test]
fn it_runs_on_machines_of_32_bits_and_of_the_other_byte_order() {
    if !has("gcc") {
        return;
    }
    let empty = made("small").join("empty.c");
    fs::write(&empty, "#include <stdio.h>\nint main(void) { return 0; }\n").unwrap();
    let links = |compiler: &str, options: &[&str]| {
        let mut command = Command::new(compiler);
        command.args(options).arg(&empty).arg("-o").arg(made("small").join("empty"));
        command.output().is_ok_and(|output| output.status.success())
    };
    if links("gcc", &["-m32"]) {
        let mut program =
            compiled(with("gcc", &["-std=c99", "-m32", "-O2"]), "tests/small.c", "of-32-bits");
        assert_eq!(said(&mut program), "all is well\n");
    } else {
        println!(
            "not run: gcc links nothing for 32 bits (apt-get install libc6-dev-i386 \
             lib32gcc-12-dev, for gcc 12)"
        );
    }
    let emulator = ["qemu-s390x-static", "qemu-s390x"].into_iter().find(|program| has(program));
    if let (true, Some(emulator)) = (links("s390x-linux-gnu-gcc", &["-static"]), emulator) {
        let command = with("s390x-linux-gnu-gcc", &["-std=c99", "-static", "-O2"]);
        let program = compiled(command, "tests/small.c", "big-endian");
        assert_eq!(said(Command::new(emulator).arg(program.get_program())), "all is well\n");
    } else {
        println!(
            "not run: no big-endian machine (apt-get install gcc-s390x-linux-gnu \
             libc6-dev-s390x-cross qemu-user-static)"
        );
    }
}

/// `millpond_growing.hpp`, which needs no library either.
#[test]
fn the_growing_pool_constructs_and_destroys_each_object_once() {
    let sanitized = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    for (c, cpp) in [("gcc", "g++"), ("clang", "clang++")] {
        if !has(c) || !has(cpp) {
            continue;
        }
        for (standard, more) in [
            ("-std=c++17", sanitized.as_slice()),
            ("-std=c++20", &["-O2", "-fno-exceptions", "-fno-rtti"]),
            ("-std=c++2b", &["-O2"]),
        ] {
            let mut command = with(cpp, &[standard]);
            command.args(more);
            let mut program =
                compiled(command, "tests/growing.cpp", &format!("growing-{c}{standard}"));
            assert_eq!(said(&mut program), "all is well\n");
        }
        let example = "examples/cpp/growing_quadtree.cpp";
        let mut program = compiled(with(cpp, &["-std=c++17", "-O1"]), example, "growing_quadtree");
        let expected = "600 frames, more than 100 nodes at once, 1 chunk, 0 nodes left\n";
        assert_eq!(said(&mut program), expected);
    }
}

/// `millpond_small.hpp`: its model and what is tried by hand, in each standard, with and without exceptions, and under the
/// sanitizers of addresses, undefined behaviour and threads.
#[test]
fn the_pools_of_cpp_without_a_library_keep_their_promises() {
    // Unoptimised: gcc takes a minute longer to optimise what the sanitizers add than the program takes to run.
    let addresses = ["-g1", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let threads = ["-g1", "-O1", "-fsanitize=thread"];
    let each: [[(&str, &[&str]); 4]; 2] = [
        [
            ("17", &["-fno-exceptions", "-fno-rtti", "-O2"]),
            ("20", &["-O2", "-DNDEBUG"]),
            ("17", &addresses),
            ("2b", &threads),
        ],
        [
            ("2b", &["-fno-exceptions", "-O1"]),
            ("17", &["-O2", "-Wold-style-cast", "-Wsign-conversion"]),
            ("20", &addresses),
            ("17", &threads),
        ],
    ];
    for ((c, cpp), each) in [("gcc", "g++"), ("clang", "clang++")].into_iter().zip(each) {
        if !has(c) || !has(cpp) {
            continue;
        }
        for (at, (standard, more)) in each.into_iter().enumerate() {
            let mut command = with(cpp, &[&format!("-std=c++{standard}"), "-pthread"]);
            command.args(more);
            let mut program =
                compiled(command, "tests/small_pools.cpp", &format!("pools-{c}-{at}"));
            assert_eq!(said(&mut program), "all is well\n", "{cpp} {standard} {more:?}");
        }
    }
}

/// As programs for Windows are built and tried on Linux.
#[test]
fn the_pools_of_cpp_without_a_library_run_on_windows() {
    let wine = ["wine64", "/usr/lib/wine/wine64", "wine"];
    let compiler = "x86_64-w64-mingw32-g++-posix";
    let Some(wine) = wine.into_iter().find(|wine| has(wine)) else { return };
    if !has(compiler) {
        return;
    }
    let options = ["-std=c++17", "-O1", "-static", "-pthread"];
    let program = compiled(with(compiler, &options), "tests/small_pools.cpp", "pools.exe");
    let mut run = Command::new(wine);
    run.env("WINEDEBUG", "-all").arg(program.get_program());
    assert_eq!(said(&mut run).replace('\r', ""), "all is well\n");
}

/// The message is on stderr, whatever the build.
#[test]
fn what_ends_a_program_says_why_on_stderr() {
    let to_do = "pool[handle] is for handles that are known to be good: for others, use get(handle), which returns null \
                 if the object is gone.";
    for (c, options) in [("g++", ["-O0", "-g0"]), ("clang++", ["-O2", "-DNDEBUG"])] {
        if !has(c) {
            continue;
        }
        let command = with(c, &["-std=c++17", "-pthread", options[0], options[1]]);
        let program = compiled(command, "tests/small_ends.cpp", &format!("ends-{c}"));
        for (how, expected) in [
            (
                "written",
                "pool: slot 0 was written to while it was dead, at byte 12. Something kept a pointer to the object that \
                 was removed there: keep handles."
                    .to_owned(),
            ),
            (
                "named",
                format!("pool \"bullets\" refuses the handle 0v2133709781: stale: its object was removed. {to_do}"),
            ),
            ("stale", format!("pool refuses the handle 0v1: stale: its object was removed. {to_do}")),
            ("never", format!("pool refuses the handle 0v77: never issued by this pool. {to_do}")),
            (
                "packed",
                format!("pool refuses the handle 9v1: out of range: the pool has no such slot. {to_do}"),
            ),
        ] {
            let output = Command::new(program.get_program()).arg(how).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(said, format!("millpond: {expected}\n"), "{c} {how}");
            assert!(!output.status.success() && output.stdout.is_empty(), "{c} {how}");
        }
    }
    if has("g++") {
        let command = with("g++", &["-std=c++17", "-pthread", "-O1", "-fsanitize=address"]);
        let program = compiled(command, "tests/small_ends.cpp", "ends-sanitized");
        let output = Command::new(program.get_program()).arg("use after removal").output().unwrap();
        assert!(String::from_utf8_lossy(&output.stderr).contains("use-after-poison"));
    }
}

/// With `MILLPOND_SMALL_STATIC`, and as two files that share the header.
#[test]
fn it_is_included_by_several_files_or_stays_in_one() {
    if !has("gcc") {
        return;
    }
    let (folder, header) = (made("small"), "#include \"millpond_small.h\"\n");
    let uses = "int main(void) { mps_roster pool; return mps_roster_init(&pool, 0, 3); }\n";
    fs::write(folder.join("static.c"), format!("#define MILLPOND_SMALL_STATIC\n{header}{uses}"))
        .unwrap();
    let only = format!("#define MILLPOND_SMALL_IMPLEMENTATION\n{header}{header}");
    fs::write(folder.join("implementation.c"), only).unwrap();
    fs::write(folder.join("uses.c"), format!("{header}{header}{uses}")).unwrap();
    for sources in [["static.c"].as_slice(), &["implementation.c", "uses.c"]] {
        let mut command = with("gcc", &["-std=c99", "-O1"]);
        command.args(sources).arg("-o").arg("uses").current_dir(&folder);
        run(&mut command);
        run(&mut Command::new(folder.join("uses")));
    }
}

#[test]
fn the_fuzzer_finds_no_difference_to_a_model() {
    fuzz("small_fuzz.c", &[&["address", "undefined"]], None);
}

/// The generator and the sum of `small_steps.c`.
struct Steps {
    seed: u64,
    sum: u64,
    lines: String,
}

impl Steps {
    fn below(&mut self, end: u64) -> usize {
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.seed >> 33) % end) as usize
    }

    fn add(&mut self, number: u64) {
        self.sum = (self.sum ^ number).wrapping_mul(0x0100_0000_01b3);
    }

    fn line(&mut self) {
        writeln!(self.lines, "{:016x}", self.sum).unwrap();
    }
}

const SLOTS: usize = 110;
const KNOWN: usize = 256;
const STEPS: u64 = 1_000_000;

fn roster_steps(steps: &mut Steps) {
    let mut pool = RosterPool::<u8>::new(SLOTS);
    let mut known = vec![0_u64; KNOWN];
    let mut known_at = 0;
    for step in 1..=STEPS {
        let (choice, with) = (steps.below(100), steps.below(KNOWN as u64));
        let handle = Handle::from_bits(known[with]);
        if choice < 45 {
            let bits = pool.allocate().map_or(0, Handle::to_bits);
            steps.add(bits);
            known[known_at % KNOWN] = bits;
            known_at += 1;
        } else if choice < 90 {
            steps.add(u64::from(handle.is_some_and(|handle| pool.free(handle))));
        } else {
            let live = handle.filter(|handle| pool.get(*handle).is_some());
            steps.add(live.map_or(u64::from(u32::MAX), |handle| handle.index() as u64));
            steps.add(pool.handle_at(with % SLOTS).map_or(0, Handle::to_bits));
        }
        steps.add(pool.partition() as u64);
        if step % 1000 == 0 {
            pool.roster().iter().for_each(|slot| steps.add(u64::from(*slot)));
            steps.line();
        }
    }
}

fn byte_map_steps(steps: &mut Steps) {
    let mut pool = BytemapPool::new(SLOTS);
    let mut known = vec![0_i32; KNOWN];
    let mut known_at = 0;
    for step in 1..=STEPS {
        let births = if step / 500 % 2 == 0 { 55 } else { 35 };
        let (choice, with) = (steps.below(100), steps.below(KNOWN as u64));
        let byte = steps.below(256);
        let any = ((with % (SLOTS + 3)) << 8 | byte) as i32;
        let mut made = None;
        if choice < births {
            made = pool.insert(step).ok();
        } else if choice < 85 {
            steps.add(u64::from(pool.remove(known[with]).is_some()));
        } else if choice < 90 {
            made = pool.insert_at(any, step).ok();
        } else if choice < 99 || byte != 0 {
            steps.add(pool.get(known[with]).copied().unwrap_or(0));
            steps.add(pool.get(any).copied().unwrap_or(0));
            let handle = pool.get_at(with).and_then(|object| pool.handle_of(object));
            steps.add(handle.unwrap_or(0) as u64);
        } else {
            pool.clear();
        }
        if let Some(handle) = made {
            known[known_at % KNOWN] = handle;
            known_at += 1;
            steps.add(handle as u64);
        }
        steps.add((pool.cursor() + 1) as u64);
        if step % 1000 == 0 {
            pool.bytes().iter().for_each(|byte| steps.add(u64::from(*byte)));
            steps.line();
        }
    }
}

fn stack_steps(steps: &mut Steps) {
    let pool = PoolAllocator::<u64>::new();
    pool.reserve(SLOTS).unwrap();
    let address = |object: &PoolBox<u64>| std::ptr::from_ref::<u64>(object).addr();
    let (first, stride) = {
        let (first, second) = (pool.alloc(0), pool.alloc(0));
        let stride = address(&second) - address(&first);
        drop(second); // so that the first is on top again
        (address(&first), stride)
    };
    let mut objects: Vec<Option<PoolBox<u64>>> = (0..SLOTS).map(|_| None).collect();
    for step in 1..=STEPS {
        let with = steps.below(SLOTS as u64);
        if objects[with].take().is_none() {
            let object = pool.alloc(step);
            steps.add(((address(&object) - first) / stride) as u64);
            objects[with] = Some(object);
        }
        steps.add(pool.len() as u64);
        if step % 1000 == 0 {
            steps.line();
        }
    }
}

/// Knows that it is pooled.
enum Object {
    InUse,
    Unused { next: Option<u32> },
}
millpond_classic::pooled!(Object, Unused);

fn list_steps(steps: &mut Steps) {
    let mut pool = ObjectPool::<Object, SLOTS>::new();
    for step in 1..=STEPS {
        let births = if step / 500 % 2 == 0 { 60 } else { 40 };
        let with = steps.below(SLOTS as u64);
        if steps.below(100) < births {
            let made = pool.create(Object::InUse).ok().flatten();
            steps.add(made.unwrap_or(SLOTS) as u64);
        } else {
            steps.add(u64::from(pool.release(with)));
        }
        steps.add(u64::from(pool.in_use(with)));
        steps.add(pool.len() as u64);
        if step % 1000 == 0 {
            steps.line();
        }
    }
}

#[test]
fn the_pools_in_rust_give_the_same_handles_in_the_same_order_over_a_million_steps() {
    if !has("gcc") {
        return;
    }
    let source = "tests/small_steps.c";
    let program = compiled(with("gcc", &["-std=c99", "-O2"]), source, "steps");
    type InRust = fn(&mut Steps);
    let designs: [(&str, InRust); 4] = [
        ("roster", roster_steps),
        ("byte_map", byte_map_steps),
        ("stack", stack_steps),
        ("list", list_steps),
    ];
    for (seed, (name, in_rust)) in designs.into_iter().enumerate() {
        let mut steps =
            Steps { seed: seed as u64, sum: 0xcbf2_9ce4_8422_2325, lines: String::new() };
        in_rust(&mut steps);
        let mut in_c = Command::new(program.get_program());
        let in_c = said(in_c.arg(name).arg(STEPS.to_string()));
        let same = in_c.lines().zip(steps.lines.lines()).take_while(|(c, rust)| c == rust).count();
        assert_eq!(same, STEPS as usize / 1000, "{name} differs after {same} thousand steps");
    }
}

/// The figures of the published texts: six slots, of which five are allocated, and slot 4 freed; `index << 8 | byte`, with
/// 128 seeds; one quadtree after another from the same nodes; 100 particles.
#[test]
fn the_examples_print_the_figures_of_the_texts() {
    if !has("gcc") {
        return;
    }
    let roster = "a new pool             roster | 5 4 3 2 1 0  partition 0\n\
                  five are allocated     roster 5 4 3 2 1 | 0  partition 5\n\
                  slot 4 is freed        roster 5 1 3 2 | 4 0  partition 4\n\
                  one more is allocated  roster 5 1 3 2 4 | 0  partition 5\n\
                  it is slot 4\n\
                  slot 5 is at 0.5\nslot 1 is at 0.5\nslot 3 is at 0.5\nslot 2 is at 0.5\nslot 4 is at 0.0\n\
                  the old handle of slot 4 is refused; freeing it again does nothing\n";
    let byte_map = "New: 1 257 513 769, then null\nDelete: slot 2 has byte 0x81, its handle is refused\n\
                    New: handle 514\nNew(514): model 500\nthe handle is good again after 128 uses\n";
    let quadtree = "600 frames, more than 1,000 nodes at once, 1 request for memory, 0 after the first \
                    frame, 0 nodes left\n";
    let particles = "120 created: 100 in use\nframe 1: 66 in use\nframe 2: 33 in use\nframe 3: 0 in use\n\
                     the slot freed last is used first: slot 98\n";
    for (name, expected) in [
        ("roster", roster),
        ("byte_map", byte_map),
        ("quadtree", quadtree),
        ("particles", particles),
    ] {
        let command = with("gcc", &["-std=c99", "-O1"]);
        let mut program = compiled(command, &format!("examples/small/{name}.c"), name);
        assert_eq!(said(&mut program), expected);
    }
}

/// The programs that the guide's page has for each language, as somebody copies them beside one file.
#[test]
fn the_page_is_followed_from_an_empty_folder() {
    if !has("gcc") || !has("g++") {
        return;
    }
    let page = fs::read_to_string(here().join("../../docs/guide/one-file.md")).unwrap();
    for (chapter, language, file, header) in [
        ("\n## C\n", "c", "main.c", "millpond_small.h"),
        ("\n## C++\n", "cpp", "main.cpp", "millpond_small.hpp"),
    ] {
        let page = page.split_once(chapter).unwrap().1;
        let block = |language: &str| {
            let from = page.split_once(&format!("```{language}\n")).unwrap().1;
            from.split_once("```").unwrap().0
        };
        let folder = made(&format!("one-file-{language}"));
        fs::write(folder.join(file), block(language)).unwrap();
        fs::copy(here().join("include").join(header), folder.join(header)).unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", block("sh")]).current_dir(&folder);
        assert_eq!(said(&mut shell), block("text"));
    }
}
