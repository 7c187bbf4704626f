//! Whoever follows the guide's page "C and C++" in an empty folder gets a pool running; and the examples run.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{has, here, library, made, run, strict};

/// The code blocks of the page, with their languages.
fn blocks() -> Vec<(String, String)> {
    let page = fs::read_to_string(here().join("../../docs/guide/c-and-cpp.md")).unwrap();
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let code: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((language.to_owned(), code.join("\n") + "\n"));
        }
    }
    blocks
}

fn block(language: &str, with: &str) -> String {
    let found = blocks().into_iter().find(|(of, code)| of == language && code.contains(with));
    found.unwrap_or_else(|| panic!("no block of {language} with {with}")).1
}

const SAID: &str = "x is 1.5\nthe handle is refused\n";

/// The command succeeds, and ends with what the page says that the program prints.
fn says(command: &mut Command) {
    let said = String::from_utf8(run(command).stdout).unwrap();
    assert!(said.ends_with(SAID), "{said}");
}

#[test]
fn the_page_leads_to_a_pool_that_runs() {
    if library().is_none() || !has("cmake") {
        return;
    }
    let folder = made("guide");
    let _ = fs::remove_dir_all(&folder);
    let sources = folder.join("sources");
    fs::create_dir_all(sources.join("crates")).unwrap();
    std::os::unix::fs::symlink(here(), sources.join("crates/millpond-c")).unwrap();
    // The archive, as the first block says, where the page has it: beside the project.
    let archive =
        block("sh", "make-archive").replace("crates/", &format!("{}/crates/", sources.display()));
    run(Command::new("sh").args(["-e", "-c", &archive]).current_dir(&folder));
    for (name, language, source) in [("sparks", "c", "main.c"), ("bullets", "cpp", "main.cpp")] {
        let project = folder.join(name);
        fs::create_dir_all(&project).unwrap();
        fs::write(project.join(source), block(language, "int main(")).unwrap();
        let lists = block("cmake", &format!("add_executable({name} {source})"));
        fs::write(project.join("CMakeLists.txt"), lists).unwrap();
        let commands = block("sh", &format!("cmake --build build\nbuild/{name}"));
        says(Command::new("sh").args(["-e", "-c", &commands]).current_dir(&project));
    }

    let project = |name: &str| {
        let project = folder.join(name);
        fs::create_dir_all(&project).unwrap();
        fs::write(project.join("main.c"), block("c", "int main(")).unwrap();
        project
    };
    let fetched = project("fetched");
    fs::write(fetched.join("CMakeLists.txt"), block("cmake", "FetchContent_Declare")).unwrap();
    let build = "cmake -B build && cmake --build build && build/fetched";
    says(Command::new("sh").args(["-e", "-c", build]).current_dir(&fetched));

    if has("pkg-config") {
        let asked = project("asked");
        let commands = block("sh", "pkg-config --cflags") + "./asked && ./by_hand";
        says(Command::new("sh").args(["-e", "-c", &commands]).current_dir(&asked));
    }

    if ["meson", "ninja"].iter().all(|program| has(program)) {
        let wrapped = project("wrapped");
        let subprojects = wrapped.join("subprojects");
        fs::create_dir_all(subprojects.join("packagefiles")).unwrap();
        let wrap = block("ini", "[provide]");
        let name = wrap.lines().find_map(|line| line.strip_prefix("source_filename = ")).unwrap();
        fs::copy(folder.join(name), subprojects.join("packagefiles").join(name)).unwrap();
        fs::write(subprojects.join("millpond.wrap"), &wrap).unwrap();
        fs::write(wrapped.join("meson.build"), block("meson", "executable")).unwrap();
        let build = "meson setup build && meson compile -C build && build/wrapped";
        says(Command::new("sh").args(["-e", "-c", build]).current_dir(&wrapped));
    }

    for (compiler, language, file, with) in [
        ("g++", "cpp", "main.cpp", "millpond::pool"),
        ("g++", "cpp", "main.cpp", "millpond::packed_pool"),
        ("g++", "cpp", "main.cpp", "millpond::vec_pool"),
        ("g++", "cpp", "main.cpp", "millpond::sync_pool"),
        ("gcc", "c", "main.c", "MP_PACKED("),
        ("gcc", "c", "main.c", "MP_NO_LIMIT"),
    ] {
        fs::write(folder.join(file), block(language, with)).unwrap();
        let program = folder.join("without-warnings");
        let mut compile = strict(compiler);
        compile.arg(if language == "c" { "-std=c99" } else { "-std=c++17" });
        compile.args(["-Wno-double-promotion", "-pthread"]).arg(folder.join(file));
        run(compile.arg(library().unwrap()).arg("-o").arg(&program));
        says(&mut Command::new(program));
    }
}

/// The files of a folder and of those in it, one after the other.
fn text_of(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: PathBuf| match path.is_dir() {
        true => text_of(&path),
        false => fs::read_to_string(path).unwrap(),
    };
    entries.map(text).collect()
}

/// A name is there if it stands as that of a function, a macro, a class or a field does.
#[test]
fn each_method_of_the_table_is_there_in_its_language() {
    let page = fs::read_to_string(here().join("../../docs/guide/c-and-cpp.md")).unwrap();
    let rows = page.lines().skip_while(|line| !line.starts_with("| in Rust | in C++ | in C |"));
    let rows: Vec<_> = rows.skip(2).take_while(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 22);
    let header = |name| fs::read_to_string(here().join("include").join(name)).unwrap();
    let mut rust = text_of(&here().join("../millpond/src/pools"));
    rust += &fs::read_to_string(here().join("../millpond/src/snapshot/methods.rs")).unwrap();
    let in_rust = [("pub fn ", "("), ("pub fn ", "<")];
    let in_cpp = [(" ", "("), (" *", "("), ("class ", " ")];
    let in_c = [(" ", "("), (" *", "("), (" ", ";")];
    let languages = [
        (rust, in_rust.as_slice()),
        (header("millpond.hpp"), &in_cpp),
        (header("millpond.h"), &in_c),
    ];
    for row in rows {
        let cells = row.trim_matches('|').split('|');
        for (cell, (text, around)) in cells.zip(&languages) {
            for code in cell.split('`').skip(1).step_by(2) {
                let name = code.rsplit("::").next().unwrap().split(['(', '<']).next().unwrap();
                let stands = |(before, behind)| text.contains(&format!("{before}{name}{behind}"));
                let is_there = around.iter().copied().any(stands);
                assert!(is_there, "{name} in {row}");
            }
        }
    }
}

fn example(compiler: &str, standard: &str, source: &Path) -> PathBuf {
    let program = made("examples").join(source.file_stem().unwrap());
    let mut command = strict(compiler);
    command.arg(standard).arg("-O2").arg(here().join("examples").join(source));
    run(command.arg(library().unwrap()).arg("-o").arg(&program));
    program
}

#[test]
fn the_examples_do_what_the_designs_say() {
    if library().is_none() {
        return;
    }
    let said = |program: PathBuf, arguments: &[&Path]| {
        String::from_utf8(run(Command::new(program).args(arguments)).stdout).unwrap()
    };
    let c = |name: &str| example("gcc", "-std=c99", Path::new(name));
    let swap_delete = "five are allocated     live: 0 1 2 3 4 .  next: slot 5\n\
                       slot 1 is freed        live: 0 . 2 3 4 .  next: slot 1\n\
                       one more is allocated  live: 0 1 2 3 4 .  next: slot 5\n\
                       the stale handle is refused, slot 4 has moved to 4.5\n";
    assert_eq!(said(c("c/swap_delete.c"), &[]), swap_delete);
    let script_handles = "insertions: handles 1 257 513 769\na full pool gives null\n\
                    removal and insertion: handle 514, the old one is refused\ninsertion at the handle: model 500\n\
                    refused in each of 254 later uses of its slot\n";
    assert_eq!(said(c("c/script_handles.c"), &[]), script_handles);
    let quadtree = "600 frames, more than 60,000 nodes, no growth after the first second\n";
    assert_eq!(said(c("c/quadtree.c"), &[]), quadtree);
    let particles = "more than 1,000 particles live, more than 3,000 were born, some were refused, \
                     at most 2000 at once: yes\n";
    let folder = made("pictures");
    let (fireworks, tree) = (folder.join("particles.ppm"), folder.join("quadtree.pgm"));
    assert_eq!(said(c("c/particles.c"), &[&fireworks]), particles);
    // Sparks of three colours on black.
    let picture = fs::read(fireworks).unwrap();
    let pixels = picture.strip_prefix(b"P6\n320 200\n255\n").unwrap();
    let lit = pixels.chunks_exact(3).filter(|pixel| **pixel != [0, 0, 0]).count();
    assert!(pixels.len() == 320 * 200 * 3 && (500..9000).contains(&lit), "{lit}");
    let growing = "2450 walkers, 1.62 high on average; the first one is gone\n";
    assert_eq!(said(c("c/growing.c"), &[]), growing);
    let growing = example("g++", "-std=c++17", Path::new("cpp/growing.cpp"));
    let scene = "999 nodes, 2 of them orphans, the longest name has 14 letters\n\
                 50 plays, slot 1 was taken from another\n";
    assert_eq!(said(growing, &[]), scene);
    let saved = example("g++", "-std=c++17", Path::new("cpp/saved_game.cpp"));
    let file = made("examples").join("rockets.state");
    let loaded = "all is well: 1 rocket, the second is at 5.0, the first is gone\n\
                  the bytes are not the state of a pool: 1 rocket\n";
    assert_eq!(said(saved.clone(), &[&file]), loaded);
    // The second game takes the place of the first.
    assert_eq!(said(saved, &[&file]), loaded);
    let cpp = example("g++", "-std=c++17", Path::new("cpp/quadtree.cpp"));
    assert_eq!(said(cpp, &[&tree]), quadtree);
    let picture = fs::read(tree).unwrap();
    let pixels = picture.strip_prefix(b"P5\n256 256\n255\n").unwrap();
    assert!(pixels.iter().filter(|light| **light == 255).count() > 400);
}
