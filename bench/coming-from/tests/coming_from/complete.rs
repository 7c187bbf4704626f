//! No method of a peer lacks a test or a row of the page, and each test calls what its row says.

use std::collections::{BTreeMap, BTreeSet};

use millpond_coming_from::page::{self, Row};
use millpond_coming_from::peer::Methods;
use millpond_coming_from::program;

/// A type of a peer, by its file; the files of the tests about it; and the headings on the page whose tables have its
/// methods, the first that has a row for a method.
struct Subject {
    peer: &'static str,
    file: &'static str,
    name: &'static str,
    tests: &'static [&'static str],
    headings: &'static [&'static str],
}

const fn subject(
    [peer, file, name]: [&'static str; 3],
    tests: &'static [&'static str],
    headings: &'static [&'static str],
) -> Subject {
    Subject { peer, file, name, tests, headings }
}

const SLOT_MAP: &str = "`SlotMap` and `HopSlotMap`";
const DENSE: &str = "`DenseSlotMap`";
const SECONDARY: &str = "`SecondaryMap` and `SparseSecondaryMap`";
const ENTRIES: &str = "Entries of secondary maps";
const KEYS: &str = "Keys";

const SUBJECTS: [Subject; 19] = [
    subject(
        ["slotmap", "basic.rs", "SlotMap"],
        &["slot_map.rs", "growing.rs", "detached.rs", "every_map.rs"],
        &[SLOT_MAP],
    ),
    subject(
        ["slotmap", "hop.rs", "HopSlotMap"],
        &["hop_slot_map.rs", "growing.rs", "every_map.rs"],
        &[SLOT_MAP],
    ),
    subject(
        ["slotmap", "dense.rs", "DenseSlotMap"],
        &["dense_slot_map.rs", "detached.rs", "every_map.rs"],
        &[DENSE, SLOT_MAP],
    ),
    subject(
        ["slotmap", "secondary.rs", "SecondaryMap"],
        &["secondary_map.rs", "every_secondary_map.rs"],
        &[SECONDARY],
    ),
    subject(
        ["slotmap", "sparse_secondary.rs", "SparseSecondaryMap"],
        &["sparse_secondary_map.rs", "every_secondary_map.rs"],
        &[SECONDARY],
    ),
    subject(["slotmap", "secondary.rs", "Entry"], &["entry.rs"], &[ENTRIES]),
    subject(["slotmap", "secondary.rs", "OccupiedEntry"], &["occupied_entry.rs"], &[ENTRIES]),
    subject(["slotmap", "secondary.rs", "VacantEntry"], &["vacant_entry.rs"], &[ENTRIES]),
    subject(["slotmap", "sparse_secondary.rs", "Entry"], &["entry.rs"], &[ENTRIES]),
    subject(
        ["slotmap", "sparse_secondary.rs", "OccupiedEntry"],
        &["occupied_entry.rs"],
        &[ENTRIES],
    ),
    subject(["slotmap", "sparse_secondary.rs", "VacantEntry"], &["vacant_entry.rs"], &[ENTRIES]),
    subject(["slotmap", "lib.rs", "Key"], &["keys.rs"], &[KEYS]),
    subject(["slotmap", "lib.rs", "KeyData"], &["keys.rs"], &[KEYS]),
    subject(["slab", "lib.rs", "Slab"], &["slab.rs"], &["slab"]),
    subject(["slab", "lib.rs", "VacantEntry"], &["slab.rs"], &["slab"]),
    subject(
        ["generational-arena", "lib.rs", "Arena"],
        &["generational_arena.rs"],
        &["generational-arena"],
    ),
    subject(
        ["generational-arena", "lib.rs", "Index"],
        &["generational_arena.rs"],
        &["generational-arena"],
    ),
    subject(["thunderdome", "arena.rs", "Arena"], &["thunderdome.rs"], &["thunderdome"]),
    subject(["thunderdome", "arena.rs", "Index"], &["thunderdome.rs"], &["thunderdome"]),
];

/// A trait of a private module.
const PRIVATE: (&str, &str, &str) = ("slotmap", "util.rs", "UnwrapNever");

const PEERS: [&str; 4] = ["slotmap", "slab", "generational-arena", "thunderdome"];

/// The methods of all peers.
fn peers() -> BTreeMap<&'static str, Methods> {
    PEERS.into_iter().map(|peer| (peer, Methods::of(peer))).collect()
}

/// What each method of a subject is called in, by its name.
fn tests(subject: &Subject) -> BTreeMap<String, Vec<String>> {
    subject.tests.iter().flat_map(|file| program::functions(file)).collect()
}

#[test]
fn every_type_with_methods_is_a_subject() {
    let subjects: BTreeSet<_> =
        SUBJECTS.iter().map(|subject| (subject.peer, subject.file, subject.name)).collect();
    let peers = peers();
    let types = peers
        .iter()
        .flat_map(|(peer, methods)| methods.types().map(move |(file, name)| (*peer, file, name)));
    assert_eq!(types.filter(|of| *of != PRIVATE).collect::<BTreeSet<_>>(), subjects);
}

#[test]
fn every_method_has_a_test() {
    let peers = peers();
    for subject in &SUBJECTS {
        let tests = tests(subject);
        for method in peers[subject.peer].of_type(subject.file, subject.name) {
            let calls = tests.get(method);
            assert!(calls.is_some(), "{} {}: no test {method}", subject.peer, subject.name);
        }
    }
}

#[test]
fn every_method_has_a_row_and_its_test_calls_what_the_row_says() {
    let peers = peers();
    let mut faults = Vec::new();
    for subject in &SUBJECTS {
        let tests = tests(subject);
        let tables: Vec<_> = subject.headings.iter().map(|heading| page::rows(heading)).collect();
        for method in peers[subject.peer].of_type(subject.file, subject.name) {
            let mut fault = |what: String| {
                faults.push(format!("{} {}::{method}: {what}", subject.peer, subject.name));
            };
            // A row about types calls nothing.
            let is_about = |row: &&Row| {
                row.methods.contains(method) && (row.is_same || !row.becomes.is_empty())
            };
            let Some(row) = tables.iter().flatten().find(is_about) else {
                fault("has no row".to_owned());
                continue;
            };
            let calls = tests.get(method).map_or(&[][..], Vec::as_slice);
            let times = |name: &str| calls.iter().filter(|call| *call == name).count();
            for name in row.becomes.iter().filter(|name| times(name) == 0) {
                fault(format!("its test does not call {name}"));
            }
            // A trait has no name to call.
            let is_method = calls.contains(method);
            if row.is_same && is_method && times(method) < 2 {
                fault("its test does not call the same on both".to_owned());
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
