//! Does one operation of a pool so many times: `gates OPERATION TIMES`.
//!
//! What comes before the operations is the same for any number of them up to `TIMES_MAX`, so the
//! difference between two runs under an instruction counter is that of the operations alone.
//! `gates` without arguments lists the operations.

use std::hint::black_box;
use std::process::ExitCode;

use millpond::reuse::{Fifo, Intrusive, LowestFirst, NextFit, ReuseOrder, Roster};
use millpond::side_table::join;
use millpond::{BlockPool, Handle, PackedPool, Pool, SideTable, StaticPool};

/// As large as a transform with a colour: 32 bytes.
type Value = [u64; 4];

const TIMES_MAX: usize = 20_000;

/// One operation, done so many times.
type Operation = fn(usize);

const OPERATIONS: &[(&str, Operation)] = &[
    ("insert", insert),
    ("get", get),
    ("get_mut", get_mut),
    ("remove", remove),
    ("remove_insert_lifo", remove_insert::<millpond::reuse::Lifo>),
    ("remove_insert_fifo", remove_insert::<Fifo>),
    ("remove_insert_lowest_first", remove_insert::<LowestFirst>),
    ("remove_insert_roster", remove_insert::<Roster>),
    ("remove_insert_next_fit", remove_insert::<NextFit>),
    ("remove_insert_intrusive", remove_insert::<Intrusive>),
    ("remove_insert_packed", remove_insert_packed),
    ("remove_insert_block_pool", remove_insert_block_pool),
    ("remove_insert_static", remove_insert_static),
    ("insert_or_evict_of_100", insert_or_evict),
    ("for_each_full", for_each_full),
    ("for_each_half", for_each_half),
    ("runs_mut_full", runs_mut_full),
    ("join_full", join_full),
    ("join_half", join_half),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        for (name, _) in OPERATIONS {
            println!("{name}");
        }
        return ExitCode::SUCCESS;
    }
    let operation = OPERATIONS.iter().find(|(name, _)| *name == arguments[0]);
    let times = arguments.get(1).and_then(|times| times.parse().ok());
    match (operation, times) {
        (Some((_, operation)), Some(times)) if times <= TIMES_MAX => {
            operation(times);
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("gates: expected one of the operations and a number up to {TIMES_MAX}");
            ExitCode::from(2)
        }
    }
}

fn filled<R: ReuseOrder>() -> (Pool<Value, R>, Vec<Handle<Value>>) {
    let mut pool: Pool<Value, R> = Pool::with_capacity(TIMES_MAX);
    let handles = (0..TIMES_MAX as u64).filter_map(|i| pool.insert([i; 4]).ok()).collect();
    (pool, handles)
}

/// The handles in an order that jumps about: 7919 is prime and no divisor of their number.
fn jumping(handles: &[Handle<Value>], times: usize) -> impl Iterator<Item = Handle<Value>> {
    (0..times).map(|i| handles[i * 7919 % handles.len()])
}

fn insert(times: usize) {
    let mut pool = Pool::<Value>::new(TIMES_MAX);
    for i in 0..times as u64 {
        black_box(pool.insert(black_box([i; 4])).ok());
    }
}

fn get(times: usize) {
    let (pool, handles) = filled::<millpond::reuse::Lifo>();
    for handle in jumping(&handles, times) {
        black_box(pool.get(handle));
    }
}

fn get_mut(times: usize) {
    let (mut pool, handles) = filled::<millpond::reuse::Lifo>();
    for handle in jumping(&handles, times) {
        black_box(pool.get_mut(handle));
    }
}

fn remove(times: usize) {
    let (mut pool, handles) = filled::<millpond::reuse::Lifo>();
    for handle in jumping(&handles, times) {
        black_box(pool.remove(handle));
    }
}

fn remove_insert<R: ReuseOrder>(times: usize) {
    let (mut pool, handles) = filled::<R>();
    for (i, handle) in (0..).zip(jumping(&handles, times)) {
        black_box(pool.remove(handle));
        black_box(pool.insert(black_box([i; 4])).ok());
    }
}

/// The same with a pool that is no [`Pool`], filled up.
macro_rules! remove_insert_of {
    ($name:ident: $new:expr) => {
        fn $name(times: usize) {
            let mut pool = $new;
            let mut handles: Vec<Handle<Value>> =
                (0..TIMES_MAX as u64).filter_map(|i| pool.insert([i; 4]).ok()).collect();
            for i in 0..times {
                let at = i * 7919 % handles.len();
                black_box(pool.remove(handles[at]));
                if let Ok(handle) = pool.insert(black_box([i as u64; 4])) {
                    handles[at] = handle;
                }
            }
        }
    };
}
remove_insert_of!(remove_insert_packed: PackedPool::new(TIMES_MAX));
remove_insert_of!(remove_insert_block_pool: BlockPool::with_blocks(1024, 32));
remove_insert_of!(remove_insert_static: Box::new(StaticPool::<Value, TIMES_MAX>::new()));

fn insert_or_evict(times: usize) {
    let mut pool = Pool::<Value>::new(100);
    for i in 0..(100 + times) as u64 {
        black_box(pool.insert_or_evict([i; 4], |_, value| value[0]));
    }
}

/// Counted per object of a pool of 1,000: one pass for each 100 of `times`.
fn pass(times: usize, mut walk: impl FnMut(&mut Pool<Value>), keep: fn(u64) -> bool) {
    let mut pool = Pool::<Value>::new(1000);
    for i in 0..1000 {
        pool.insert([i; 4]).ok();
    }
    pool.retain(|_, value| keep(value[0]));
    for _ in 0..times / 100 {
        walk(black_box(&mut pool));
    }
}

fn for_each_full(times: usize) {
    pass(times, |pool| pool.values_mut().for_each(|value| value[0] += value[1]), |_| true);
}

fn for_each_half(times: usize) {
    let keep = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0;
    pass(times, |pool| pool.values_mut().for_each(|value| value[0] += value[1]), keep);
}

fn runs_mut_full(times: usize) {
    let walk = |pool: &mut Pool<Value>| {
        for (_, run) in pool.runs_mut() {
            run.iter_mut().for_each(|value| value[0] += value[1]);
        }
    };
    pass(times, walk, |_| true);
}

/// The pool's values and those of two tables, which have all that `keep` says.
fn join_two(times: usize, keep: fn(u64) -> bool) {
    let mut pool = Pool::<Value>::new(1000);
    let mut tables = [SideTable::new(1000), SideTable::new(1000)];
    for i in 0..1000 {
        let Ok(handle) = pool.insert([i; 4]) else { continue };
        if keep(i) {
            for table in &mut tables {
                table.insert(handle, [i; 4]).ok();
            }
        }
    }
    let [a, b] = &tables;
    for _ in 0..times / 100 {
        join(black_box(&mut pool), (a, b)).for_each(|(_, value, (a, b))| value[0] += a[0] + b[0]);
    }
}

fn join_full(times: usize) {
    join_two(times, |_| true);
}

fn join_half(times: usize) {
    join_two(times, |i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0);
}
