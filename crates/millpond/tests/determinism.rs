//! The same operations give the same handles, the same order of iteration and the same checksums, on every
//! machine: 32 bits or 64, optimised or not, with any features. The sums of what every pool answered
//! are in `recorded_sums.txt`.

mod common;
#[path = "common/subjects.rs"]
mod subjects;

use std::cell::RefCell;
use std::fmt::Write;

use common::Random;
use subjects::{Subject, hash, with_every_pool};

thread_local! {
    static SUMS: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Two sums for a pool: over all that it answered and showed, and its own checksum at the end.
fn plays<S: Subject>(name: &str, mut pool: S) {
    let mut random = Random(11);
    let seen: Vec<_> = (0..60).map(|_| (pool.step(random.next()), pool.seen())).collect();
    let line = format!("{name:<12} {:016x} {:016x}", hash(seen), pool.sum());
    SUMS.with_borrow_mut(|sums| writeln!(sums, "{line}").unwrap());
}

#[test]
fn every_pool_does_what_was_recorded() {
    with_every_pool!(plays);
    let sums = SUMS.take();
    if std::env::var_os("MILLPOND_RECORD").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded_sums.txt");
        std::fs::write(file, &sums).unwrap();
    }
    let recorded = include_str!("recorded_sums.txt");
    for (at, (now, recorded)) in sums.lines().zip(recorded.lines()).enumerate() {
        assert_eq!(now, recorded, "pool {at}");
    }
    assert_eq!(sums.lines().count(), recorded.lines().count());
}
