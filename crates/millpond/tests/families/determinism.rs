//! The same operations give the same handles, the same order of iteration and the same checksums, on every
//! machine: 32 bits or 64, optimised or not, with any features. The sums of what every pool answered
//! are in `recorded_sums.txt`.

use std::panic::resume_unwind;
use std::thread;

use millpond::SyncPool;

use crate::subject::{KindToRun, every_kind, hash, plans, play};

/// Whether this pool is tried. Under the interpreter, which can play any platform but is slow, few are, and
/// others for each order of bytes.
fn is_tried(pool: usize) -> bool {
    !cfg!(miri) || pool % 64 == if cfg!(target_endian = "big") { 32 } else { 0 }
}

/// A line of two sums for each pool of a kind: over all that it answered and showed, and its own checksum at the end.
fn plays(kind: &KindToRun, name: &str, lines: &mut Vec<String>) {
    for plan in plans(kind.facts()) {
        let line = is_tried(lines.len()).then(|| {
            let mut pool = kind.make(plan);
            let seen = hash(play(&mut *pool, 11, 60));
            let sum = pool.sum().map_or("none".into(), |sum| format!("{sum:016x}"));
            format!("{name:<25} {seen:016x} {sum}")
        });
        lines.push(line.unwrap_or_default());
    }
}

macro_rules! play_all {
    ([$sums:ident] $($name:ident: $kind:ty;)+) => {{
        use crate::subject::*;
        use millpond::reuse::*;
        use millpond::{Handle, Handle32};
        $( plays(&Of::<$kind>::KIND, stringify!($name), &mut $sums); )+
    }};
}

/// Whether a `SyncPool` searches at its first home for this thread. Threads are given homes in turn, and other tests have
/// threads too.
fn is_at_the_first_home() -> bool {
    let pool = SyncPool::builder().capacity(128).homes(2).build();
    pool.insert(()).unwrap().index() == 0
}

#[test]
fn every_pool_does_what_was_recorded() {
    let on_the_right_thread = || is_at_the_first_home().then(all_do_what_was_recorded).is_some();
    while !thread::spawn(on_the_right_thread).join().unwrap_or_else(|panic| resume_unwind(panic)) {}
}

fn all_do_what_was_recorded() {
    let mut sums = Vec::new();
    every_kind! { play_all! [sums] }
    if std::env::var_os("MILLPOND_RECORD").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded_sums.txt");
        std::fs::write(file, sums.join("\n") + "\n").unwrap();
    }
    let recorded = include_str!("../recorded_sums.txt");
    for (at, (now, recorded)) in sums.iter().zip(recorded.lines()).enumerate() {
        assert!(now == recorded || !is_tried(at), "pool {at}: {now} instead of {recorded}");
    }
    assert_eq!(sums.len(), recorded.lines().count());
}
