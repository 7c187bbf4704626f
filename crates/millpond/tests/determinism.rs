//! The same operations give the same handles, the same order of iteration and the same checksums, on every
//! machine: 32 bits or 64, optimised or not, with any features. The sums of what every pool answered
//! are in `recorded_sums.txt`.

mod common;
#[path = "common/subjects.rs"]
mod subjects;

use std::cell::RefCell;

use common::Random;
use subjects::{Subject, hash, with_block_pools, with_every_pool};

thread_local! {
    static SUMS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Whether this pool is tried. Under the interpreter, which can play any platform but is slow, few are.
fn is_tried(pool: usize) -> bool {
    !cfg!(miri) || pool % 48 == 0
}

/// Two sums for a pool: over all that it answered and showed, and its own checksum at the end.
fn plays<S: Subject>(name: &str, mut pool: S) {
    if !is_tried(SUMS.with_borrow(Vec::len)) {
        return SUMS.with_borrow_mut(|sums| sums.push(String::new()));
    }
    let mut random = Random(11);
    let seen: Vec<_> = (0..60).map(|_| (pool.step(random.next()), pool.seen())).collect();
    let line = format!("{name:<12} {:016x} {:016x}", hash(seen), pool.sum());
    SUMS.with_borrow_mut(|sums| sums.push(line));
}

#[test]
fn every_pool_does_what_was_recorded() {
    with_every_pool!(plays);
    with_block_pools!(plays);
    let sums = SUMS.take();
    if std::env::var_os("MILLPOND_RECORD").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded_sums.txt");
        std::fs::write(file, sums.join("\n") + "\n").unwrap();
    }
    let recorded = include_str!("recorded_sums.txt");
    for (at, (now, recorded)) in sums.iter().zip(recorded.lines()).enumerate() {
        assert!(now == recorded || !is_tried(at), "pool {at}: {now} instead of {recorded}");
    }
    assert_eq!(sums.len(), recorded.lines().count());
}
