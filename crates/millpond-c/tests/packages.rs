//! How people get the library: each way, from an empty folder, without a network.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{has, here, library, made, run};

/// A folder that is empty.
fn empty(name: &str) -> PathBuf {
    let folder = made("packages").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn run_both(folder: &Path) {
    for program in ["in_c", "in_cpp"] {
        assert_eq!(run(&mut Command::new(folder.join(program))).stdout, b"7\n");
    }
}

fn consumer(name: &str) -> PathBuf {
    here().join("tests/consumers").join(name)
}

fn build(source: &Path, folder: &Path, settings: &[String]) {
    run(Command::new("cmake").arg("-S").arg(source).arg("-B").arg(folder).args(settings));
    run(Command::new("cmake").arg("--build").arg(folder));
}

#[test]
fn an_installed_package_is_used_with_cmake_pkg_config_and_by_hand() {
    if library().is_none() || !has("cmake") {
        return;
    }
    let folder = empty("install");
    let prefix = folder.join("prefix");
    build(here(), &folder.join("build"), &[]);
    run(Command::new("cmake")
        .arg("--install")
        .arg(folder.join("build"))
        .arg("--prefix")
        .arg(&prefix));
    for file in ["include/millpond.h", "include/millpond.hpp", "lib/libmillpond.a"] {
        assert!(prefix.join(file).is_file(), "{file}");
    }
    // It works wherever it is moved to.
    let moved = folder.join("moved");
    fs::rename(&prefix, &moved).unwrap();
    let settings = [format!("-DCMAKE_PREFIX_PATH={}", moved.display())];
    build(&consumer("cmake"), &folder.join("consumer"), &settings);
    run_both(&folder.join("consumer"));

    let shared = folder.join("shared");
    run(Command::new("gcc")
        .arg(consumer("main.c"))
        .arg(format!("-I{}", moved.join("include").display()))
        .arg(format!("-L{}", moved.join("lib").display()))
        .arg(format!("-Wl,-rpath,{}", moved.join("lib").display()))
        .arg("-lmillpond")
        .arg("-o")
        .arg(&shared));
    assert_eq!(run(&mut Command::new(&shared)).stdout, b"7\n");
    // It asks for no version of the C library, so that an older one will do.
    let needs =
        run(Command::new("readelf").arg("-dV").arg(moved.join("lib/libmillpond.so"))).stdout;
    let needs = String::from_utf8(needs).unwrap();
    assert!(needs.contains("[libmillpond.so.0.1]") && !needs.contains("NEEDED"), "{needs}");
    assert!(!needs.contains("GLIBC"), "{needs}");

    let by_hand = folder.join("by_hand");
    run(Command::new("gcc")
        .arg(consumer("main.c"))
        .arg(format!("-I{}", moved.join("include").display()))
        .arg(moved.join("lib/libmillpond.a"))
        .arg("-o")
        .arg(&by_hand));
    assert_eq!(run(&mut Command::new(by_hand)).stdout, b"7\n");

    if has("pkg-config") {
        let mut ask = Command::new("pkg-config");
        ask.env("PKG_CONFIG_PATH", moved.join("lib/pkgconfig"))
            .args(["--cflags", "--libs", "millpond"]);
        let flags = String::from_utf8(run(&mut ask).stdout).unwrap();
        let program = folder.join("by_pkg_config");
        run(Command::new("gcc")
            .arg(consumer("main.c"))
            .args(flags.split_whitespace())
            .arg("-o")
            .arg(&program));
        assert_eq!(run(&mut Command::new(program)).stdout, b"7\n");
    }
}

/// The guide's way by the address of a repository: one folder of it is the library.
#[test]
fn a_folder_of_the_repository_is_used_by_cmake() {
    if library().is_none() || !has("cmake") {
        return;
    }
    // `SOURCE_SUBDIR` is of CMake 3.18.
    let said = run(Command::new("cmake").arg("--version")).stdout;
    let said = String::from_utf8(said).unwrap();
    let mut version = said.split_whitespace().nth(2).unwrap().split('.');
    let mut number = || version.next().unwrap().parse::<u32>().unwrap();
    if (number(), number()) < (3, 18) {
        eprintln!("not run: this CMake is older than 3.18: {said}");
        return;
    }
    let page = fs::read_to_string(here().join("../../docs/guide/c-and-cpp.md")).unwrap();
    let consumer = consumer("subfolder");
    let declared = "SOURCE_SUBDIR crates/millpond-c)";
    assert!(page.contains(declared));
    assert!(fs::read_to_string(consumer.join("CMakeLists.txt")).unwrap().contains(declared));
    let folder = empty("subfolder");
    let repository = here().join("../..").canonicalize().unwrap();
    build(&consumer, &folder, &[format!("-DREPOSITORY={}", repository.display())]);
    run_both(&folder);
}

/// Its README names only files that are in it, and all headers; its first program does what it says.
fn says_what_is_there(folder: &Path, archive: &Path, name: &str) {
    run(Command::new("tar").arg("xf").arg(archive).arg("-C").arg(folder));
    let unpacked = folder.join(name);
    let readme = fs::read_to_string(unpacked.join("README.md")).unwrap();
    assert!(!readme.contains("](") && !readme.contains("../"), "a link out of the archive");
    // What is in the other archive, `ci/release` tries.
    let here: Vec<&str> = readme.lines().filter(|line| !line.starts_with("| on Windows")).collect();
    let here = here.join("\n");
    let named: Vec<&str> = here.split('`').skip(1).step_by(2).collect();
    let is_path = |name: &&&str| {
        ["include/", "lib/", "examples", "debuggers", "LICENSE"]
            .iter()
            .any(|at| name.starts_with(at))
    };
    for path in named.iter().filter(is_path) {
        assert!(unpacked.join(path).exists(), "{path} is not in the archive");
    }
    for header in fs::read_dir(unpacked.join("include")).unwrap() {
        let header = format!("include/{}", header.unwrap().file_name().to_str().unwrap());
        assert!(named.contains(&header.as_str()), "{header} is not in the README");
    }
    let (_, program) = readme.split_once("```c\n").unwrap();
    let source = folder.join("readme.c");
    fs::write(&source, program.split("```").next().unwrap()).unwrap();
    let built = folder.join("readme");
    let mut compile = Command::new("gcc");
    compile.arg(source).arg(format!("-I{}", unpacked.join("include").display()));
    run(compile.arg(unpacked.join("lib/libmillpond.a")).arg("-o").arg(&built));
    assert_eq!(run(&mut Command::new(built)).stdout, b"x is 1.0\nthe handle is rejected\n");
}

#[test]
fn the_release_archive_is_fetched_by_cmake_and_wrapped_by_meson_without_rust() {
    if library().is_none() || !has("cmake") {
        return;
    }
    let folder = empty("archive");
    let said = run(Command::new(here().join("make-archive")).arg(&folder)).stdout;
    let archive = PathBuf::from(String::from_utf8(said).unwrap().trim());
    let file = archive.file_name().unwrap().to_str().unwrap().to_owned();
    let name = file.strip_suffix(".tar.gz").unwrap();
    let sum = run(Command::new("sha256sum").arg(&archive)).stdout;
    let hash = String::from_utf8(sum).unwrap().split_whitespace().next().unwrap().to_owned();
    says_what_is_there(&folder, &archive, name);
    // Whoever asks for cargo finds one that fails.
    let path = folder.join("path");
    fs::create_dir(&path).unwrap();
    std::os::unix::fs::symlink("/bin/false", path.join("cargo")).unwrap();
    let path = format!("{}:/usr/bin:/bin", path.display());

    let fetched = folder.join("fetched");
    let mut configure = Command::new("cmake");
    configure.env("PATH", &path).arg("-S").arg(consumer("fetch")).arg("-B").arg(&fetched);
    configure.arg(format!("-DARCHIVE={}", archive.display())).arg(format!("-DARCHIVE_HASH={hash}"));
    run(&mut configure);
    run(Command::new("cmake").env("PATH", &path).arg("--build").arg(&fetched));
    run_both(&fetched);

    if !["meson", "ninja"].iter().all(|program| has(program)) {
        return;
    }
    let project = folder.join("meson");
    let cache = project.join("subprojects/packagefiles");
    fs::create_dir_all(&cache).unwrap();
    for source in ["main.c", "main.cpp", "meson/meson.build"] {
        let to = project.join(Path::new(source).file_name().unwrap());
        fs::copy(consumer(source), to).unwrap();
    }
    fs::copy(&archive, cache.join(&file)).unwrap();
    let wrap = format!(
        "[wrap-file]\ndirectory = {name}\nsource_filename = {file}\nsource_hash = {hash}\n\n[provide]\n\
         millpond = millpond_dep\n"
    );
    fs::write(project.join("subprojects/millpond.wrap"), wrap).unwrap();
    let mut meson = Command::new("meson");
    run(meson.env("PATH", &path).current_dir(&project).args(["setup", "build"]));
    run(Command::new("meson")
        .env("PATH", &path)
        .current_dir(&project)
        .args(["compile", "-C", "build"]));
    run_both(&project.join("build"));
}
