//! Defect 11: `insert_at` at the first, a middle and the last dead slot, a live slot, a retired one, an
//! old generation and a future one; then allocation goes on, with each slot once. (Claims among other steps: see `model`.)

use std::collections::HashSet;

use crate::Pools;
use crate::common::Counted;
use crate::subject::{Plan, Subject, Value, for_every_pool};

/// Fills the pool: each slot that is neither live nor retired comes exactly once.
fn rest_comes_once(pool: &mut dyn Subject<Counted>) {
    let mut slots: HashSet<usize> = pool.iter().map(|(handle, _)| handle.index()).collect();
    let expected = pool.capacity() - pool.retired();
    while let Ok(handle) = pool.insert(Counted::of(3)) {
        assert!(slots.insert(handle.index()), "slot {} came twice", handle.index());
        assert_eq!(pool.get(handle), Some(&Counted::of(3)));
    }
    assert_eq!(slots.len(), expected, "each slot came");
    pool.validate().unwrap();
}

fn first_middle_and_last_slot(kind: &Pools) {
    for index in [0, 1, 63, 64, 69] {
        let mut pool: Box<dyn Subject<Counted>> = kind.make(Plan::of(70));
        if index >= pool.capacity() {
            continue;
        }
        let future = kind.facts().handle(index, 3).unwrap();
        match pool.insert_at(future, Counted::of(1)) {
            None => return,
            Some(result) => assert_eq!(result, Ok(()), "a generation to come"),
        }
        assert_eq!(pool.get(future), Some(&Counted::of(1)));
        pool.validate().unwrap();
        rest_comes_once(&mut *pool);
        assert_eq!(pool.remove(future), Some(Counted::of(1)));
        pool.validate().unwrap();
        rest_comes_once(&mut *pool);
    }
}

/// A pool that is filled by claims alone, from the last slot to the first, knows that it is full.
fn all_slots(kind: &Pools) {
    let mut pool: Box<dyn Subject<Counted>> = kind.make(Plan::of(70));
    for index in (0..pool.capacity()).rev() {
        let handle = kind.facts().handle(index, 2).unwrap();
        match pool.insert_at(handle, Counted::of(index as u64)) {
            None => return,
            Some(result) => assert_eq!(result, Ok(())),
        }
        pool.validate().unwrap();
    }
    assert!(pool.is_full());
    assert_eq!(pool.insert(Counted::of(5)), Err(Counted::of(5)));
    pool.clear();
    rest_comes_once(&mut *pool);
}

for_every_pool! { first_middle_and_last_slot, all_slots }
