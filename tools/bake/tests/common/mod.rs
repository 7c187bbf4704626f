//! A copy of the demo to build and break.

#![allow(dead_code, reason = "each test program uses some of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use std::{fs, thread};

pub(crate) mod language_server;

/// Where this package is: the assets, the baker and the examples.
pub(crate) const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// A directory with a copy of the assets, the baker and the examples. Programs run in it.
pub(crate) struct Workbench {
    pub(crate) root: PathBuf,
}

/// What a run of Ninja did.
pub(crate) struct Ran {
    pub(crate) succeeded: bool,
    /// The outputs that it built, by its own account.
    pub(crate) built: BTreeSet<String>,
    pub(crate) text: String,
}

impl Ran {
    /// Checks that exactly these were built; `build.ninja` and the database are left out unless named.
    #[track_caller]
    pub(crate) fn built_exactly(&self, expected: &[&str]) {
        assert!(self.succeeded, "{}", self.text);
        let expected: BTreeSet<_> = expected.iter().map(|it| String::from(*it)).collect();
        assert_eq!(self.built, expected, "{}", self.text);
    }
}

impl Workbench {
    /// With a build directory `build`, not generated yet.
    pub(crate) fn new(name: &str) -> Self {
        let bench = Self::empty(name);
        for part in ["assets", "baker", "examples"] {
            copy(&Path::new(HERE).join(part), &bench.root.join(part));
        }
        bench
    }

    pub(crate) fn empty(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).expect("a directory");
        Self { root }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Writes a file, at a time that differs from that of all files before and after it.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        thread::sleep(Duration::from_millis(20));
        fs::write(path, text).expect("a file");
        thread::sleep(Duration::from_millis(20));
    }

    pub(crate) fn replace(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{path} lacks {old:?}");
        self.write(path, &text.replace(old, new));
    }

    pub(crate) fn append(&self, path: &str, text: &str) {
        self.write(path, &(self.read(path) + text));
    }

    /// Writes the same again, later.
    pub(crate) fn touch(&self, path: &str) {
        self.append(path, "");
    }

    pub(crate) fn remove(&self, path: &str) {
        thread::sleep(Duration::from_millis(20));
        let path = self.path(path);
        let removed =
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        thread::sleep(Duration::from_millis(20));
    }

    pub(crate) fn remove_quietly(&self, path: &str) {
        let _ = fs::remove_file(self.path(path));
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    pub(crate) fn run(&self, program: &str, args: &[&str]) -> Output {
        self.run_in(".", program, args)
    }

    pub(crate) fn run_in(&self, directory: &str, program: &str, args: &[&str]) -> Output {
        let directory = self.path(directory);
        let ran =
            Command::new(program).args(args).current_dir(directory).stdin(Stdio::null()).output();
        ran.unwrap_or_else(|error| panic!("{program}: {error}"))
    }

    /// Runs `bake-gen` with the usual arguments and these; a later value of an option counts.
    pub(crate) fn try_generate(&self, args: &[&str]) -> Output {
        let usual = [
            "--build",
            "build",
            "--assets",
            "assets",
            "--baker",
            "baker/bake.c",
            "--programs",
            "examples",
        ];
        self.run(env!("CARGO_BIN_EXE_bake-gen"), &[&usual[..], args].concat())
    }

    #[track_caller]
    pub(crate) fn generate(&self, args: &[&str]) {
        let ran = self.try_generate(args);
        assert!(ran.status.success(), "{}", text(&ran.stderr));
    }

    /// Runs Ninja in the directory `build`.
    pub(crate) fn ninja(&self, args: &[&str]) -> Ran {
        self.ninja_in("build", args)
    }

    pub(crate) fn ninja_in(&self, build: &str, args: &[&str]) -> Ran {
        let mut ninja = Command::new("ninja");
        ninja.args(["-C", build]).args(args).env("NINJA_STATUS", "@ ").current_dir(&self.root);
        let ran = ninja.output().expect("ninja runs");
        let text = text(&ran.stdout) + &text(&ran.stderr);
        let built = text.lines().filter_map(|line| line.strip_prefix("@ "));
        let built = built.filter_map(|line| Some(line.split_once(' ')?.1.to_owned())).collect();
        Ran { succeeded: ran.status.success(), built, text }
    }

    /// Generates and builds everything, which must succeed.
    #[track_caller]
    pub(crate) fn build(&self) {
        self.generate(&[]);
        let ran = self.ninja(&[]);
        assert!(ran.succeeded, "{}", ran.text);
    }

    /// All files below a directory, by their paths in it.
    pub(crate) fn files(&self, directory: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.path(directory), "", &mut files);
        files
    }
}

/// The page whose commands, files and settings the tests run.
pub(crate) fn page_of_the_docs() -> String {
    let page = Path::new(HERE).join("ninja-and-clangd.md");
    fs::read_to_string(page).expect("the page")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn collect(directory: &Path, name: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let entry = entry.expect("an entry");
        let name = format!("{name}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else {
            files.insert(name, fs::read(entry.path()).expect("a file"));
        }
    }
}

pub(crate) fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a directory");
        for entry in fs::read_dir(from).expect("a directory") {
            let name = entry.expect("an entry").file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::create_dir_all(to.parent().expect("a directory")).expect("a directory");
        fs::copy(from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }
}
