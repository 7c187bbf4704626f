//! A copy of the repository whose library has all mutants in it.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::{env, fs};

use serde::Deserialize;

use crate::schema::{Schema, Written};

/// The crate whose mutants are tried.
static CRATE: LazyLock<String> =
    LazyLock::new(|| env::var("CRATE").unwrap_or_else(|_| "millpond".to_owned()));

/// Its directory.
pub static PACKAGE: LazyLock<String> = LazyLock::new(|| format!("crates/{}", *CRATE));

pub struct Tree {
    root: PathBuf,
    build: PathBuf,
}

/// A program of tests.
pub struct Program {
    pub name: String,
    pub path: PathBuf,
}

impl Tree {
    /// A copy of the files of the repository in the current directory.
    pub fn copy(work: &Path) -> Self {
        let work = work.canonicalize().expect("the directory of the list");
        let tree = Self { root: work.join("tree"), build: work.join("build") };
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .output()
            .expect("git");
        let listed = String::from_utf8(listed.stdout).expect("file names in UTF-8");
        let files: BTreeSet<&Path> =
            listed.split_terminator('\0').map(Path::new).filter(|file| file.is_file()).collect();
        tree.remove_all_but(&files, Path::new(""));
        for file in files {
            // The library's own sources are written when they have their mutants.
            if !file.starts_with(Path::new(&*PACKAGE).join("src")) {
                tree.put(file, &fs::read(file).expect("a file of the repository"));
            }
        }
        tree
    }

    /// Where the tests of the package expect to run.
    pub fn package(&self) -> PathBuf {
        self.root.join(&*PACKAGE)
    }

    pub fn put(&self, file: &Path, bytes: &[u8]) {
        let path = self.root.join(file);
        // The time of a file that stays the same does too, so that it is not compiled again.
        if fs::read(&path).is_ok_and(|there| there == bytes) {
            return;
        }
        fs::create_dir_all(path.parent().expect("a directory of the tree"))
            .expect("room for a copy");
        fs::write(path, bytes).expect("room for a copy");
    }

    fn remove_all_but(&self, files: &BTreeSet<&Path>, directory: &Path) {
        let Ok(entries) = fs::read_dir(self.root.join(directory)) else { return };
        for entry in entries.map(|entry| entry.expect("an entry of the tree")) {
            let file = directory.join(entry.file_name());
            if entry.path().is_dir() {
                self.remove_all_but(files, &file);
            } else if !files.contains(&*file) {
                fs::remove_file(entry.path()).expect("a file of the tree");
            }
        }
    }

    /// Writes the schemata, compiles them, and takes out what does not compile, until all does. Gives the
    /// mutants that do not compile, and those that do not in a schema.
    pub fn fit(&self, schemata: &mut [Schema]) -> (BTreeSet<u32>, BTreeSet<u32>) {
        let (mut wrong, mut unfit) = (BTreeSet::new(), BTreeSet::new());
        loop {
            let written: HashMap<String, Written> =
                schemata.iter().map(|schema| (schema.file.clone(), self.write(schema))).collect();
            self.put(&Path::new(&*PACKAGE).join("src/__mutants.rs"), include_bytes!("switch.rs"));
            let errors = self.errors();
            if errors.is_empty() {
                return (wrong, unfit);
            }
            let before = wrong.len() + unfit.len();
            for error in &errors {
                let of_mutants = error.blamed(&written, true, Written::mutants_at);
                let around = error.blamed(&written, true, Written::mutants_around);
                let (numbers, set) = match (of_mutants.is_empty(), around.is_empty()) {
                    (false, _) => (of_mutants, &mut wrong),
                    (true, false) => (around, &mut unfit),
                    (true, true) => {
                        (error.blamed(&written, false, Written::mutants_around), &mut unfit)
                    }
                };
                set.extend(numbers);
            }
            assert!(
                wrong.len() + unfit.len() > before,
                "not an error of a mutant:\n{}",
                errors[0].rendered
            );
            eprintln!("{} errors; {} mutants taken out", errors.len(), wrong.len() + unfit.len());
            unfit.retain(|number| !wrong.contains(number));
            for number in wrong.union(&unfit) {
                let of_file = |schema: &&mut Schema| schema.place_of(*number).is_some();
                schemata.iter_mut().find(of_file).expect("a file of a mutant").drop_mutant(*number);
            }
        }
    }

    fn write(&self, schema: &Schema) -> Written {
        let is_root = schema.file == format!("{}/src/lib.rs", *PACKAGE);
        let written = schema.write(match is_root {
            true => {
                "#![feature(core_intrinsics, const_eval_select)]\n#![allow(internal_features)]\n"
            }
            false => "",
        });
        let after = if is_root { "\n#[doc(hidden)]\nmod __mutants;\n" } else { "" };
        self.put(Path::new(&schema.file), (written.text.clone() + after).as_bytes());
        written
    }

    fn errors(&self) -> Vec<Diagnostic> {
        let (_, messages) = self.cargo(&["check", "--lib", "--profile", "test", "--all-features"]);
        let diagnostics = messages.into_iter().filter_map(|message| message.message);
        diagnostics.filter(|it| it.level == "error" && !it.spans.is_empty()).collect()
    }

    /// The programs of these files of tests, compiled.
    pub fn programs(&self, files: &[String]) -> Vec<Program> {
        let mut arguments = vec!["test", "--no-run"];
        for file in files {
            match &**file {
                "lib" => arguments.push("--lib"),
                file => arguments.extend(["--test", file]),
            }
        }
        let (compiled, messages) = self.cargo(&arguments);
        assert!(compiled, "the tests do not compile");
        let of_tests = messages.into_iter().filter_map(|message| {
            let (target, path) = (message.target?, message.executable?);
            message.profile?.test.then_some(Program { name: target.name, path })
        });
        of_tests.collect()
    }

    /// Whether all went well, and what cargo says.
    fn cargo(&self, arguments: &[&str]) -> (bool, Vec<Message>) {
        let output = Command::new("cargo")
            .args(arguments)
            .args(["--package", &CRATE, "--message-format", "json", "--target-dir"])
            .arg(&self.build)
            .current_dir(&self.root)
            // The switch asks whether the compiler evaluates it, which a stable compiler does not tell yet.
            .env("RUSTC_BOOTSTRAP", CRATE.replace('-', "_"))
            .env("RUSTFLAGS", "--cap-lints=allow")
            // Each test runs for thousands of mutants, which pays for a longer build.
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
            .env_remove("CARGO_BUILD_BUILD_DIR")
            .stderr(Stdio::inherit())
            .output()
            .expect("cargo");
        let lines = String::from_utf8(output.stdout).expect("messages in UTF-8");
        let message = |line| serde_json::from_str(line).expect("a message of cargo");
        (output.status.success(), lines.lines().map(message).collect())
    }
}

#[derive(Deserialize)]
struct Message {
    message: Option<Diagnostic>,
    target: Option<Target>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    rendered: String,
    spans: Vec<DiagnosticSpan>,
}

#[derive(Deserialize)]
struct DiagnosticSpan {
    file_name: String,
    byte_start: usize,
    is_primary: bool,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: DiagnosticSpan,
}

impl Diagnostic {
    /// The mutants at or around the places that it points at, first or at all, and where macros there were
    /// called.
    fn blamed(
        &self,
        written: &HashMap<String, Written>,
        first: bool,
        mutants: fn(&Written, usize) -> Vec<u32>,
    ) -> Vec<u32> {
        let mut numbers = Vec::new();
        for span in self.spans.iter().filter(|span| span.is_primary || !first) {
            let mut span = Some(span);
            while let Some(it) = span {
                if let Some(file) = written.get(&it.file_name) {
                    numbers.extend(mutants(file, it.byte_start));
                }
                span = it.expansion.as_ref().map(|expansion| &expansion.span);
            }
        }
        numbers
    }
}
