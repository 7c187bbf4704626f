//! Has single operations of a pool counted, each by itself, at moments chosen to be bad ones:
//! `worst ORDER SLOTS` under callgrind, which `ci/gates/worst` runs.
//!
//! The pool is set up with callgrind looking away. Then every operation is counted by itself and written
//! out with its name, so that the worst single one can be told, not only the average.

use std::hint::black_box;
use std::process::ExitCode;

use millpond::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::{Handle, Pool};

/// As large as a transform with a colour: 32 bytes.
type Value = [u64; 4];

#[path = "../callgrind.rs"]
mod callgrind;

#[inline(never)]
fn insert<R: ReuseOrder>(pool: &mut Pool<Value, R>) -> Option<Handle<Value>> {
    callgrind::begin_count();
    let handle = black_box(pool.insert(black_box([7; 4])));
    callgrind::end_count(c"insert");
    handle.ok()
}

#[inline(never)]
fn get<R: ReuseOrder>(pool: &Pool<Value, R>, handle: Handle<Value>) {
    callgrind::begin_count();
    black_box(pool.get(black_box(handle)));
    callgrind::end_count(c"get");
}

#[inline(never)]
fn remove<R: ReuseOrder>(pool: &mut Pool<Value, R>, handle: Handle<Value>) {
    callgrind::begin_count();
    black_box(pool.remove(black_box(handle)));
    callgrind::end_count(c"remove");
}

#[inline(never)]
fn claim<R: ReuseOrder>(pool: &mut Pool<Value, R>, handle: Handle<Value>) {
    callgrind::begin_count();
    let _ = black_box(pool.insert_at(black_box(handle), black_box([7; 4])));
    callgrind::end_count(c"claim");
}

/// The slots at which something begins or ends: ends of the pool, and of words at each level of a bitmap.
fn borders(slots: usize) -> Vec<usize> {
    let mut borders = vec![0, 1, slots / 2, slots - 2, slots - 1];
    for level in [64, 64 * 64, 64 * 64 * 64, 64 * 64 * 64 * 64] {
        borders.extend([level - 1, level, level + 1, slots / level * level]);
    }
    borders.retain(|border| *border < slots);
    borders.sort_unstable();
    borders.dedup();
    borders
}

fn last_lifetime(index: usize) -> Handle<Value> {
    Handle::from_parts(index as u32, (1 << 31) - 1).expect("the layout's last generation")
}

fn worst<R: ReuseOrder>(slots: usize) {
    let mut pool: Pool<Value, R> = Pool::with_capacity(slots);
    let borders = borders(slots);
    callgrind::start();
    // The first of all, and all but full in between.
    let first = insert(&mut pool).expect("room");
    remove(&mut pool, first);
    let mut handles = Vec::with_capacity(slots);
    while let Ok(handle) = pool.insert([1; 4]) {
        handles.push(handle);
    }
    handles.sort_unstable_by_key(|handle| handle.index());
    assert!(insert(&mut pool).is_none());
    // One dead slot at a time in a full pool: the first set and the last cleared at every level.
    for &border in &borders {
        get(&pool, handles[border]);
        remove(&mut pool, handles[border]);
        get(&pool, handles[border]);
        remove(&mut pool, handles[border]);
        handles[border] = insert(&mut pool).expect("room");
        remove(&mut pool, handles[border]);
        let next = Handle::from_parts(border as u32, handles[border].generation() + 1);
        handles[border] = next.expect("a generation in range");
        claim(&mut pool, handles[border]);
        claim(&mut pool, handles[border]);
    }
    three_at_a_time(&mut pool, &mut handles, &borders);
    // All dead but one, then one after the other.
    let emptied: Vec<_> = handles.iter().filter(|h| h.index() as usize != slots / 2).collect();
    emptied.iter().for_each(|handle| _ = pool.remove(**handle));
    remove(&mut pool, handles[slots / 2]);
    for _ in 0..40 {
        insert(&mut pool);
    }
    // A slot that retires.
    pool.clear();
    for &border in &borders {
        claim(&mut pool, last_lifetime(border));
    }
    for &border in &borders {
        remove(&mut pool, last_lifetime(border));
    }
    for _ in 0..40 {
        insert(&mut pool);
    }
}

/// Slot 0 and any two of the others dead in a full pool: at every level of a bitmap, a word loses its
/// last bit while others have some, and has one again.
fn three_at_a_time<R: ReuseOrder>(
    pool: &mut Pool<Value, R>,
    handles: &mut [Handle<Value>],
    borders: &[usize],
) {
    for (at, &middle) in borders.iter().enumerate().skip(1) {
        for &last in &borders[at + 1..] {
            for slot in [last, middle, 0] {
                remove(pool, handles[slot]);
            }
            for _ in 0..3 {
                let handle = insert(pool).expect("room");
                handles[handle.index() as usize] = handle;
            }
            // Their claims in a `Lifo` are counted apart.
            if R::NAME == Lifo::NAME {
                continue;
            }
            for claimed in [[0, middle, last], [middle, last, 0], [last, 0, middle]] {
                for slot in [0, middle, last] {
                    remove(pool, handles[slot]);
                    let next = Handle::from_parts(slot as u32, handles[slot].generation() + 1);
                    handles[slot] = next.expect("a generation in range");
                }
                for slot in claimed {
                    claim(pool, handles[slot]);
                }
            }
        }
    }
}

/// What a claim leaves behind in the stack of `Lifo`, swept out by one of the removals that follow.
fn worst_after_claims(slots: usize) {
    let mut pool: Pool<Value, Lifo> = Pool::with_capacity(slots);
    while pool.insert([1; 4]).is_ok() {}
    for index in 0..slots {
        pool.remove_at(index);
    }
    // From the bottom of the stack up, as many as it has spare room for, and some more.
    let claimed: Vec<_> = (0..slots as u32 / 64 + 2)
        .filter_map(|index| pool.insert_at(Handle::from_parts(index, 2)?, [1; 4]).ok())
        .collect();
    callgrind::start();
    for handle in claimed {
        remove(&mut pool, handle);
    }
    insert(&mut pool);
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let slots = arguments.get(1).and_then(|slots| slots.parse().ok()).filter(|slots| *slots >= 100);
    let (Some(order), Some(slots)) = (arguments.first(), slots) else {
        eprintln!("worst: expected a reuse order and a number of slots from 100 on");
        return ExitCode::from(2);
    };
    match order.as_str() {
        "lifo" => worst::<Lifo>(slots),
        "fifo" => worst::<Fifo>(slots),
        "lifo_after_claims" => worst_after_claims(slots),
        "lowest_first" => worst::<LowestFirst>(slots),
        "roster" => worst::<Roster>(slots),
        other => {
            eprintln!(
                "worst: no order is called {other:?}: lifo, lifo_after_claims, fifo, lowest_first or roster"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
