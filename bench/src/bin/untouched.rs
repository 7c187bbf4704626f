//! What a capacity costs before it is used, and how long an insertion waits for memory: an untouched `Pool`, a touched one,
//! and pools that grow.
//!
//! ```sh
//! cargo run --profile shipped -p millpond-bench --bin untouched
//! ```
//!
//! It prints lines of CSV, which `ci/benchmark` records.
//! Each is created and filled with a million values of 64 bytes five times, in turns; the longest of its insertions is that
//! of the run in which it was shortest. Memory is the program's resident set as Linux counts it, in MiB.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use millpond::{Pool, VecPool};
use slotmap::{DefaultKey, SlotMap};

const INSERTIONS: usize = 1_000_000;
const LIMIT: usize = 1 << 24;
const ROUNDS: usize = 5;

type Value = [u64; 8];

trait Contender {
    fn insert(&mut self, value: Value);
}

impl Contender for Pool<Value> {
    fn insert(&mut self, value: Value) {
        _ = black_box(Pool::insert(self, value));
    }
}

impl Contender for VecPool<Value> {
    fn insert(&mut self, value: Value) {
        black_box(self.push(value));
    }
}

impl Contender for SlotMap<DefaultKey, Value> {
    fn insert(&mut self, value: Value) {
        black_box(SlotMap::insert(self, value));
    }
}

/// The resident set in KiB; `None` where no file tells it.
fn resident() -> Option<usize> {
    let all = fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let line = all.lines().find_map(|line| line.strip_prefix("Rss:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What one fill took.
struct Run {
    longest: Duration,
    all: Duration,
    /// KiB more than before, when created and when filled.
    empty: Option<usize>,
    filled: Option<usize>,
}

fn run<C: Contender>(new: impl FnOnce() -> C) -> Run {
    let before = resident();
    let more = || Some(resident()?.saturating_sub(before?));
    let mut pool = new();
    let empty = more();
    let mut longest = Duration::ZERO;
    let start = Instant::now();
    let mut last = start;
    for number in 0..INSERTIONS {
        pool.insert([number as u64; 8]);
        let now = Instant::now();
        longest = longest.max(now - last);
        last = now;
    }
    let run = Run { longest, all: last - start, empty, filled: more() };
    drop(black_box(pool));
    run
}

/// A contender, and the least of what its fills took.
struct Row {
    name: &'static str,
    run: fn() -> Run,
    least: Option<Run>,
}

impl Row {
    fn of(name: &'static str, run: fn() -> Run) -> Self {
        Self { name, run, least: None }
    }

    fn measure(&mut self) {
        let mut run = (self.run)();
        if let Some(least) = &self.least {
            (run.longest, run.all) = (run.longest.min(least.longest), run.all.min(least.all));
        }
        self.least = Some(run);
    }
}

fn mib(kib: Option<usize>) -> String {
    kib.map_or_else(String::new, |kib| format!("{:.1}", kib as f64 / 1024.0))
}

fn main() {
    let mut rows = [
        Row::of("Pool of 16777216 untouched", || {
            run(|| Pool::<Value>::builder().capacity(LIMIT).untouched().build())
        }),
        Row::of("Pool of 1000000", || run(|| Pool::<Value>::with_capacity(INSERTIONS))),
        Row::of("VecPool", || run(VecPool::<Value>::new)),
        Row::of("slotmap", || run(SlotMap::<DefaultKey, Value>::new)),
    ];
    for _ in 0..ROUNDS {
        rows.iter_mut().for_each(Row::measure);
    }
    println!("pool,longest_ms,all_ms,empty_mib,filled_mib");
    for Row { name, least, .. } in rows {
        let Some(Run { longest, all, empty, filled }) = least else { continue };
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        println!("{name},{:.3},{:.1},{},{}", ms(longest), ms(all), mib(empty), mib(filled));
    }
}
