//! `SyncRecycler` on many threads: no object is lent twice, who waits is served in order, and a hook may panic.
#![cfg(feature = "sync")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use crate::allocations::{Allocations, during};
use millpond::SyncRecycler;
use millpond::sync::Acquired;

/// Long enough that no test waits for it to pass.
const LONG: Duration = Duration::from_secs(600);

/// Of another pool, two threads had one object 4.7 million times: its stack was made for one popper.
#[test]
fn an_object_is_never_lent_to_two_threads() {
    let recycler = SyncRecycler::builder().capacity(5).homes(2).build_with(|_| 0_u64);
    let acquired = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20_000 {
                    // Not atomic: if two threads had it, one of their additions could be lost.
                    let Some(mut count) = recycler.acquire() else { continue };
                    *count += 1;
                    acquired.fetch_add(1, SeqCst);
                }
            });
        }
    });
    let guards: Vec<_> = std::iter::from_fn(|| recycler.acquire()).collect();
    let counted: u64 = guards.iter().map(|count| **count).sum();
    assert_eq!(guards.len(), 5);
    assert_eq!(counted as usize, acquired.load(SeqCst));
}

#[test]
fn the_capacity_is_exact_and_nothing_is_made_or_allocated_later() {
    let made = AtomicUsize::new(0);
    let recycler = SyncRecycler::from_fn(70, |index| {
        made.fetch_add(1, SeqCst);
        index
    });
    let mut guards = Vec::with_capacity(80);
    let ((), allocations) = during(|| {
        for _ in 0..3 {
            guards.extend(std::iter::from_fn(|| recycler.acquire()));
            assert_eq!((guards.len(), recycler.available()), (70, 0));
            assert!(guards.iter().all(|guard| **guard == Acquired::index(guard)));
            guards.clear();
            assert_eq!(recycler.available(), 70);
        }
        assert!(recycler.acquire_timeout(Duration::ZERO).is_some());
    });
    assert_eq!(allocations, Allocations::default());
    assert_eq!((made.load(SeqCst), recycler.refused()), (70, 3));
}

#[test]
fn the_hook_resets_before_anybody_else_has_the_object() {
    let recycler = Arc::new(
        SyncRecycler::builder()
            .capacity(1)
            .on_release(Vec::clear)
            .build_with(|_| Vec::with_capacity(8)),
    );
    recycler.acquire().unwrap().push(1);
    let mut owned = recycler.acquire_owned().unwrap();
    assert!(owned.is_empty() && owned.capacity() == 8);
    owned.push(2);
    let weak = Arc::downgrade(&recycler);
    drop(recycler);
    thread::spawn(move || drop(owned)).join().unwrap();
    assert!(weak.upgrade().is_none(), "the last guard has freed it");
}

#[test]
fn a_hook_that_panics_retires_its_slot() {
    let builder = SyncRecycler::builder().capacity(2).name("buffers");
    let recycler =
        builder.on_release(|n: &mut i32| assert!(*n >= 0, "on purpose")).build_with(|_| 0);
    let mut first = recycler.acquire().unwrap();
    let index = Acquired::index(&first);
    *first = -1;
    assert!(catch_unwind(AssertUnwindSafe(|| drop(first))).is_err());
    assert_eq!((recycler.retired(), recycler.available()), (1, 1));
    for _ in 0..3 {
        let only = recycler.acquire().unwrap();
        assert_ne!(Acquired::index(&only), index, "half reset");
        assert!(recycler.acquire().is_none());
    }
    // Whoever waits for what never comes back is told.
    let mut last = recycler.acquire().unwrap();
    *last = -1;
    thread::scope(|scope| {
        let waits = scope.spawn(|| recycler.acquire_blocking().is_none());
        assert!(catch_unwind(AssertUnwindSafe(|| drop(last))).is_err());
        assert!(waits.join().unwrap());
    });
    assert!(recycler.acquire_blocking().is_none());
}

#[test]
fn who_came_first_is_served_first() {
    const WAITING: usize = 12;
    let recycler = SyncRecycler::from_fn(1, |_| Vec::new());
    let held = recycler.acquire().unwrap();
    let done = Mutex::new(Vec::new());
    let refused = recycler.refused();
    thread::scope(|scope| {
        for number in 0..WAITING {
            let (told, is_coming) = mpsc::channel();
            let (recycler, done) = (&recycler, &done);
            scope.spawn(move || {
                told.send(()).unwrap();
                let mut object = recycler.acquire_timeout(LONG).unwrap();
                object.push(number);
                done.lock().unwrap().push(number);
            });
            is_coming.recv().unwrap();
            // It stands in line once as many do as have come; the next may come then.
            while recycler.waiting() <= number {
                thread::yield_now();
            }
        }
        assert!(recycler.acquire().is_none(), "nobody overtakes the line");
        drop(held);
    });
    assert_eq!(recycler.refused(), refused + 1);
    let in_order: Vec<_> = (0..WAITING).collect();
    assert_eq!(*done.lock().unwrap(), in_order);
    assert_eq!(*recycler.acquire().unwrap(), in_order);
}

#[test]
fn who_gives_up_leaves_the_line_to_the_others() {
    let recycler = SyncRecycler::from_fn(1, |_| 0);
    let held = recycler.acquire().unwrap();
    thread::scope(|scope| {
        let gives_up =
            scope.spawn(|| recycler.acquire_timeout(Duration::from_millis(20)).is_none());
        // On a busy machine it may have given up before this thread looks.
        while recycler.waiting() < 1 && !gives_up.is_finished() {
            thread::yield_now();
        }
        let waits = scope.spawn(|| *recycler.acquire_timeout(LONG).unwrap() += 1);
        assert!(gives_up.join().unwrap());
        drop(held);
        waits.join().unwrap();
    });
    assert_eq!((recycler.waiting(), *recycler.acquire().unwrap()), (0, 1));
}

#[test]
fn an_object_is_lent_at_once_if_there_is_one_and_else_when_it_comes_back() {
    let recycler = Arc::new(SyncRecycler::from_fn(1, |_| 0));
    *recycler.acquire_blocking().unwrap() += 1;
    *recycler.acquire_timeout(Duration::ZERO).unwrap() += 1;
    // None of those who come in time to see it lent has it, however many they are.
    let held = recycler.acquire_owned().unwrap();
    for _ in 0..100 {
        assert!(recycler.acquire_timeout(Duration::ZERO).is_none());
        assert!(recycler.acquire_owned().is_none());
    }
    assert_eq!((recycler.refused(), recycler.waiting()), (200, 0));
    thread::scope(|scope| {
        let first = scope.spawn(|| *recycler.acquire_blocking().unwrap() += 1);
        let second = scope.spawn(|| *recycler.acquire_timeout(LONG).unwrap() += 1);
        while recycler.waiting() < 2 {
            thread::yield_now();
        }
        drop(held);
        first.join().unwrap();
        second.join().unwrap();
    });
    assert_eq!((*recycler.acquire().unwrap(), recycler.waiting()), (4, 0));
}

#[test]
fn a_leaked_guard_costs_its_object() {
    let recycler = SyncRecycler::from_fn(2, |index| index);
    std::mem::forget(recycler.acquire());
    assert_eq!(recycler.available(), 1);
    assert!(SyncRecycler::<u8>::new(0).acquire_blocking().is_none());
}
