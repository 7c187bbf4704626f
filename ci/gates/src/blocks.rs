//! Walks over a whole [`BlockPool`], of one block and of blocks that double, as over a [`Pool`](millpond::Pool).

use std::hint::black_box;

use millpond::{BlockPool, Handle};

use super::{SMALL, Value};

/// 64 slots in one block.
pub(crate) const ONE: bool = false;
/// 64 slots in five blocks.
pub(crate) const DOUBLING: bool = true;

fn empty(doubling: bool) -> BlockPool<Value> {
    if doubling { BlockPool::new() } else { BlockPool::with_blocks(SMALL as usize, 1) }
}

/// A pool in which objects of some slots of 64 are live, scattered or the lowest.
fn pool(doubling: bool, live: u64, lowest: bool) -> BlockPool<Value> {
    let mut pool = empty(doubling);
    let handles: Vec<Handle<Value>> = (0..SMALL).map(|i| pool.push([i; 4])).collect();
    for (i, handle) in (0..).zip(handles) {
        let order = if lowest { i } else { (i * 37 + 11) % SMALL };
        if order >= live {
            pool.remove(handle);
        }
    }
    pool
}

fn walks<const DOUBLES: bool, const LIVE: u64, const LOWEST: bool>(
    times: usize,
    walk: impl Fn(&mut BlockPool<Value>),
) {
    let mut pool = pool(DOUBLES, LIVE, LOWEST);
    for _ in 0..times {
        walk(black_box(&mut pool));
    }
}

pub(crate) fn by_for<const DOUBLES: bool, const LIVE: u64, const LOWEST: bool>(times: usize) {
    walks::<DOUBLES, LIVE, LOWEST>(times, |pool| {
        for value in pool.values_mut() {
            value[0] += value[1];
        }
    });
}

pub(crate) fn by_for_each<const DOUBLES: bool, const LIVE: u64, const LOWEST: bool>(times: usize) {
    let add = |value: &mut Value| value[0] += value[1];
    walks::<DOUBLES, LIVE, LOWEST>(times, |pool| pool.values_mut().for_each(add));
}

pub(crate) fn by_runs<const DOUBLES: bool, const LIVE: u64, const LOWEST: bool>(times: usize) {
    walks::<DOUBLES, LIVE, LOWEST>(times, |pool| {
        for (_, run) in pool.runs_mut() {
            run.iter_mut().for_each(|value| value[0] += value[1]);
        }
    });
}
