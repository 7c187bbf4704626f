//! Runs of the tests with a mutant switched on.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::parallel;
use crate::tree::Program;

/// A mutant may take this many bytes of addresses, and no more than the kernel has.
const KIBIBYTES_MAX: u64 = 16 << 20;
/// A test that takes longer than this alone is left out: what only it would find is told to survive.
const SLOWEST: Duration = Duration::from_secs(4);
/// A test that takes longer than this alone comes after the others.
const QUICK: Duration = Duration::from_millis(100);
/// A test hangs if nothing is heard of it for so many times what the slowest beside it takes, and a bit
/// more.
const SLOWER_BY: u32 = 8;
const AT_LEAST: Duration = Duration::from_secs(3);

/// One test, and the places of mutants that it comes to.
struct Test {
    program: usize,
    name: String,
    takes: Duration,
    reached: Vec<u32>,
}

/// All tests that pass without a mutant.
pub struct Tests {
    programs: Vec<Program>,
    package: PathBuf,
    tests: Vec<Test>,
    /// By place, the tests that come there.
    by_place: HashMap<u32, Vec<usize>>,
    /// By file, the test that last found a mutant of it.
    found_last: Mutex<HashMap<String, usize>>,
}

/// What became of a mutant.
pub enum Fate {
    /// By this test, or the program that ended.
    Found(String),
    /// In this program.
    TimedOut(String),
    Survived,
    /// No test comes to it.
    Unreached,
}

/// How a run of some tests of one program ended.
enum End {
    Passed,
    Failed(String),
    TimedOut,
}

impl Tests {
    /// Runs each test alone, to see where it comes and how long it takes.
    pub fn look(programs: Vec<Program>, package: PathBuf, work: &Path, jobs: usize) -> Self {
        let work = work.canonicalize().expect("the directory of the list");
        let mut tests = Self {
            programs,
            package,
            tests: Vec::new(),
            by_place: HashMap::new(),
            found_last: Mutex::default(),
        };
        let programs = 0..tests.programs.len();
        let names = programs.flat_map(|program| {
            let names = tests.names(program);
            names.into_iter().map(move |name| (program, name))
        });
        let names: Vec<(usize, String)> = names.collect();
        let looked_at = Mutex::new(Vec::new());
        parallel::for_each(&names, jobs, |(program, name)| {
            let reached_file = work.join(format!("reached-{:?}", thread::current().id()));
            let test = tests.look_at(*program, name, &reached_file);
            looked_at.lock().expect("no panic elsewhere").extend(test);
            let _ = fs::remove_file(&reached_file);
        });
        tests.tests = looked_at.into_inner().expect("no panic elsewhere");
        for (n, test) in tests.tests.iter().enumerate() {
            for place in &test.reached {
                tests.by_place.entry(*place).or_default().push(n);
            }
        }
        tests
    }

    /// Runs a test, unless it fails or takes too long.
    fn look_at(&self, program: usize, name: &str, reached_file: &Path) -> Option<Test> {
        let start = Instant::now();
        let environment = ("MILLPOND_REACHED", reached_file.as_os_str());
        let End::Passed = self.run(program, &[name], environment, SLOWEST) else {
            let program = &self.programs[program].name;
            println!("left out, as it fails or takes too long without a mutant: {program}: {name}");
            return None;
        };
        let takes = start.elapsed();
        let bytes = fs::read(reached_file).unwrap_or_default();
        let places = bytes.chunks_exact(4);
        let places = places.map(|it| u32::from_le_bytes(it.try_into().expect("4 bytes")));
        Some(Test { program, name: name.to_owned(), takes, reached: places.collect() })
    }

    pub fn len(&self) -> usize {
        self.tests.len()
    }

    fn names(&self, program: usize) -> Vec<String> {
        let path = &self.programs[program].path;
        let list = Command::new(path)
            .args(["--list", "--format", "terse"])
            .output()
            .expect("a test program");
        let ignored = Command::new(path)
            .args(["--list", "--format", "terse", "--ignored"])
            .output()
            .expect("the same");
        let names = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("names in UTF-8");
            text.lines()
                .filter_map(|line| line.strip_suffix(": test"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let ignored = names(ignored.stdout);
        names(list.stdout).into_iter().filter(|name| !ignored.contains(name)).collect()
    }

    /// Tries a mutant against the tests that come to its place until one fails: first that which found
    /// another of the same file, if it does, then the quick ones, then the others.
    pub fn try_mutant(&self, number: u32, place: u32, file: &str) -> Fate {
        let Some(reaching) = self.by_place.get(&place) else { return Fate::Unreached };
        let last = self.found_last.lock().expect("no panic elsewhere").get(file).copied();
        let last = last.filter(|last| reaching.contains(last)).map(|last| &self.tests[last]);
        let first = last.map(|last| (last.program, vec![last]));
        let mut groups: HashMap<(bool, usize), Vec<&Test>> = HashMap::new();
        for test in reaching.iter().map(|n| &self.tests[*n]) {
            groups.entry((test.takes > QUICK, test.program)).or_default().push(test);
        }
        let takes = |tests: &[&Test]| tests.iter().map(|test| test.takes).sum::<Duration>();
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(key, tests)| (key.0, takes(tests), key.1));
        let groups = groups.into_iter().map(|((_, program), tests)| (program, tests));
        for (program, tests) in first.into_iter().chain(groups) {
            let names: Vec<&str> = tests.iter().map(|test| &*test.name).collect();
            let slowest = tests.iter().map(|test| test.takes).max().unwrap_or_default();
            let active = number.to_string();
            let environment = ("MILLPOND_MUTANT", active.as_ref());
            match self.run(program, &names, environment, slowest * SLOWER_BY + AT_LEAST) {
                End::Passed => {}
                End::Failed(name) => {
                    let is_it = |test: &Test| test.program == program && test.name == name;
                    let found_by = reaching.iter().find(|test| is_it(&self.tests[**test]));
                    let mut found_last = self.found_last.lock().expect("no panic elsewhere");
                    found_last.extend(found_by.map(|test| (file.to_owned(), *test)));
                    return Fate::Found(format!("{}: {name}", self.programs[program].name));
                }
                End::TimedOut => return Fate::TimedOut(self.programs[program].name.clone()),
            }
        }
        Fate::Survived
    }

    /// Runs some tests of one program, until one fails or takes longer than the limit.
    fn run(
        &self,
        program: usize,
        tests: &[&str],
        environment: (&str, &OsStr),
        limit: Duration,
    ) -> End {
        let limited = format!("ulimit -c 0; ulimit -v {KIBIBYTES_MAX}; exec \"$0\" \"$@\"");
        let mut child = Command::new("sh")
            .args(["-c", &limited])
            .arg(&self.programs[program].path)
            .args(["--exact", "--test-threads=1"])
            .args(tests)
            .current_dir(&self.package)
            .env(environment.0, environment.1)
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let lines = lines_of(&mut child);
        let end = loop {
            match lines.recv_timeout(limit) {
                Ok(line) => {
                    if let Some(line) = line.strip_suffix(" ... FAILED") {
                        break Some(End::Failed(line.trim_start_matches("test ").to_owned()));
                    }
                }
                Err(RecvTimeoutError::Timeout) => break Some(End::TimedOut),
                Err(RecvTimeoutError::Disconnected) => break None,
            }
        };
        if end.is_some() {
            child.kill().expect("a child that nobody waited for");
        }
        let status = child.wait().expect("a child");
        match end {
            Some(end) => end,
            None if status.success() => End::Passed,
            None => End::Failed(format!("ends with {status}")),
        }
    }
}

/// What a program says, until it ends or nobody listens any more.
fn lines_of(child: &mut Child) -> Receiver<String> {
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let (said, heard) = mpsc::channel();
    thread::spawn(move || {
        output.lines().map_while(Result::ok).try_for_each(|line| said.send(line))
    });
    heard
}
