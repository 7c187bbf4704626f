//! `mutants WORK TESTS…`: tries the mutants that `cargo mutants --list --json` has put into
//! `WORK/list.json` against these files of tests (`lib` for the unit tests). If `WORK/outcomes.json` is
//! there, tries only those that it does not tell as found.
//!
//! cargo-mutants compiles the tests anew for each mutant. Here they are compiled once, against a copy of
//! the library that has all mutants in it, each behind a switch (`switch.rs`); a run of the tests with
//! the number of a mutant in its environment is a run of that mutant. Each test is asked only about the
//! mutants that it comes to.
//!
//! What became of each mutant is in `WORK/outcomes.json`.

mod list;
mod parallel;
mod places;
mod schema;
mod tree;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;
use std::{env, fs};

use list::Mutant;
use schema::Schema;
use tree::{PACKAGE, Tree};
use trial::{Fate, Tests};

/// What became of a mutant, and by what test.
type Outcomes = BTreeMap<String, (String, String)>;

fn main() {
    let mut arguments = env::args().skip(1);
    let work = arguments.next().expect("usage: mutants WORK TESTS…");
    let work = Path::new(&work);
    let files_of_tests: Vec<String> = arguments.collect();
    let start = Instant::now();
    let list = fs::read(work.join("list.json")).expect("WORK/list.json");
    let mut mutants: Vec<Mutant> =
        serde_json::from_slice(&list).expect("the list of cargo-mutants");
    mutants.retain(|mutant| !mutant.is_in_test());
    let outcomes_file = work.join("outcomes.json");
    let before: Option<Outcomes> = fs::read(&outcomes_file)
        .ok()
        .map(|json| serde_json::from_slice(&json).expect("the outcomes of an earlier run"));

    let tree = Tree::copy(work);
    let (mut schemata, numbered, unswitchable) = schemata(&mutants);
    let (wrong, unfit) = tree.fit(&mut schemata);
    eprintln!(
        "{} of {} mutants compile at once ({:.0?})",
        numbered.len() - wrong.len() - unfit.len(),
        mutants.len(),
        start.elapsed()
    );
    let programs = tree.programs(&files_of_tests);
    eprintln!("{} programs of tests ({:.0?})", programs.len(), start.elapsed());
    let jobs = env::var("JOBS").map_or(1, |jobs| jobs.parse().expect("JOBS is a number"));
    let tests = Tests::look(programs, tree.package(), work, jobs);
    eprintln!("{} tests ({:.0?})", tests.len(), start.elapsed());

    let outcomes = Mutex::new(Outcomes::new());
    let save = |outcomes: &Outcomes| {
        let json = serde_json::to_vec_pretty(outcomes).expect("text");
        fs::write(&outcomes_file, json).expect("room for the outcomes");
    };
    let settle = |mutant: &Mutant, fate: &str, by: String| {
        if !is_found(fate) && fate != "does not compile" {
            println!("{fate}: {}", mutant.name);
        }
        let mut outcomes = outcomes.lock().expect("no panic elsewhere");
        outcomes.insert(mutant.name.clone(), (fate.to_owned(), by));
        if outcomes.len().is_multiple_of(100) {
            save(&outcomes);
            eprintln!("{} of {} ({:.0?})", outcomes.len(), mutants.len(), start.elapsed());
        }
    };
    for mutant in unswitchable {
        settle(mutant, "at compile time", String::new());
    }
    let mut to_try = Vec::new();
    for (number, mutant) in (1..).zip(numbered) {
        if wrong.contains(&number) {
            settle(mutant, "does not compile", String::new());
        } else if unfit.contains(&number) {
            settle(mutant, "does not fit", String::new());
        } else {
            match before.as_ref().map(|before| before.get(&mutant.name)) {
                Some(Some((fate, by))) if is_found(fate) => settle(mutant, fate, by.clone()),
                // It is new, and has not met the tests of the run before.
                Some(None) => settle(mutant, "not tried", String::new()),
                Some(Some(_)) | None => to_try.push((number, mutant)),
            }
        }
    }
    parallel::for_each(&to_try, jobs, |(number, mutant)| {
        let schema = schemata.iter().find(|schema| schema.file == mutant.file);
        let place = schema.and_then(|schema| schema.place_of(*number)).expect("a place");
        match tests.try_mutant(*number, place, &mutant.file) {
            Fate::Found(by) => settle(mutant, "found", by),
            Fate::TimedOut(by) => settle(mutant, "hangs", by),
            Fate::Survived => settle(mutant, "survives", String::new()),
            Fate::Unreached => settle(mutant, "not reached", String::new()),
        }
    });
    let outcomes = outcomes.into_inner().expect("no panic elsewhere");
    save(&outcomes);
    table(&outcomes);
}

fn is_found(fate: &str) -> bool {
    matches!(fate, "found" | "hangs")
}

/// The schema of each file of the library, the mutants in them by number (from 1), and the others.
fn schemata(mutants: &[Mutant]) -> (Vec<Schema>, Vec<&Mutant>, Vec<&Mutant>) {
    let mut files = BTreeMap::new();
    sources(&Path::new(&*PACKAGE).join("src"), &mut files);
    let (mut schemata, mut numbered, mut unswitchable) = (Vec::new(), Vec::new(), Vec::new());
    for (file, text) in files {
        let of_file: Vec<&Mutant> = mutants.iter().filter(|mutant| mutant.file == file).collect();
        let (schema, mut inside, mut outside) =
            Schema::new(&file, text, &of_file, numbered.len() as u32 + 1);
        schemata.push(schema);
        numbered.append(&mut inside);
        unswitchable.append(&mut outside);
    }
    (schemata, numbered, unswitchable)
}

fn sources(directory: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(directory).expect("the library's sources") {
        let path = entry.expect("an entry of the sources").path();
        if path.is_dir() {
            sources(&path, files);
        } else {
            let text = fs::read_to_string(&path).expect("a source in UTF-8");
            files.insert(path.to_str().expect("a name in UTF-8").to_owned(), text);
        }
    }
}

/// How many of each fate, by room of the library: a directory of its sources, or a file.
fn table(outcomes: &Outcomes) {
    let room = |name: &str| {
        let inside = name.trim_start_matches(&*PACKAGE).trim_start_matches("/src/");
        inside.split(['/', '.']).next().unwrap_or_default().to_owned()
    };
    let fates: BTreeSet<&str> = outcomes.values().map(|(fate, _)| &**fate).collect();
    let mut rooms: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for (name, (fate, _)) in outcomes {
        for room in [room(name), "~ all".to_owned()] {
            *rooms.entry(room).or_default().entry(fate).or_default() += 1;
        }
    }
    println!(
        "\n| room | tried |{}",
        fates.iter().map(|fate| format!(" {fate} |")).collect::<String>()
    );
    println!("| --- | --- |{}", " --- |".repeat(fates.len()));
    for (room, counts) in &rooms {
        let tried: usize = counts.values().sum();
        let cells = fates.iter().map(|fate| format!(" {} |", counts.get(fate).unwrap_or(&0)));
        println!("| {room} | {tried} |{}", cells.collect::<String>());
    }
}
