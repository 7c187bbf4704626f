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

/// Objects that are made when they are first needed, each once: never more than are lent at once.
#[test]
fn lazy_objects_are_made_when_none_that_was_made_is_free() {
    let made = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&made);
    let recycler =
        SyncRecycler::builder().capacity(70).on_release(|n| *n += 1).build_lazily(move |index| {
            told.lock().unwrap().push(index);
            1000 * index
        });
    assert_eq!((recycler.made(), recycler.available(), recycler.capacity()), (0, 70, 70));
    for _ in 0..5 {
        assert_eq!(Acquired::index(&recycler.acquire().unwrap()), 0);
    }
    let pair = [recycler.acquire().unwrap(), recycler.acquire_at_home(7).unwrap()];
    assert_eq!(pair.each_ref().map(|object| **object), [5, 1000]);
    assert_eq!((recycler.made(), recycler.available()), (2, 68));
    drop(pair);
    let mut guards = Vec::with_capacity(80);
    for _ in 0..3 {
        guards.extend(std::iter::from_fn(|| recycler.acquire()));
        assert_eq!((guards.len(), recycler.made(), recycler.available()), (70, 70, 0));
        assert!(guards.iter().all(|guard| **guard / 1000 == Acquired::index(guard)));
        guards.clear();
    }
    let ((), asked) = during(|| {
        guards.extend(std::iter::from_fn(|| recycler.acquire()));
        guards.clear();
    });
    assert_eq!((asked, recycler.refused()), (Allocations::default(), 4));
    assert_eq!(*made.lock().unwrap(), (0..70).collect::<Vec<_>>());
}

#[test]
fn many_threads_make_each_lazy_object_once() {
    for capacity in [1, 3, 65] {
        let made: Arc<Vec<_>> = Arc::new((0..capacity).map(|_| AtomicUsize::new(0)).collect());
        let told = Arc::clone(&made);
        let recycler = SyncRecycler::builder().capacity(capacity).build_lazily(move |index| {
            told[index].fetch_add(1, SeqCst);
            thread::yield_now();
            0_u64
        });
        let acquired = AtomicUsize::new(0);
        thread::scope(|scope| {
            for thread in 0..4 {
                let (recycler, acquired) = (&recycler, &acquired);
                scope.spawn(move || {
                    for _ in 0..2000 {
                        let object = match thread % 2 == 0 {
                            true => recycler.acquire(),
                            false => recycler.acquire_blocking(),
                        };
                        let Some(mut count) = object else { continue };
                        *count += 1;
                        acquired.fetch_add(1, SeqCst);
                    }
                });
            }
        });
        let times: Vec<_> = made.iter().map(|times| times.load(SeqCst)).collect();
        assert!(times.iter().all(|times| *times <= 1), "{times:?}");
        assert_eq!(times.iter().sum::<usize>(), recycler.made());
        assert!(recycler.made() <= 4);
        let guards: Vec<_> = std::iter::from_fn(|| recycler.acquire()).collect();
        assert_eq!(guards.len(), capacity);
        let counted: u64 = guards.iter().map(|count| **count).sum();
        assert_eq!(counted as usize, acquired.load(SeqCst));
    }
}

/// What a panic leaves is as before, and the first in line tries at once.
#[test]
fn a_maker_that_panics_leaves_its_object_to_the_next() {
    let fails = Arc::new(AtomicUsize::new(2));
    let left = Arc::clone(&fails);
    let alive = Arc::new(());
    let object = Arc::clone(&alive);
    let recycler = SyncRecycler::builder().capacity(2).build_lazily(move |index| {
        let fail = left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok();
        assert!(!fail, "on purpose");
        (index, Arc::clone(&object))
    });
    for _ in 0..2 {
        assert!(catch_unwind(AssertUnwindSafe(|| drop(recycler.acquire()))).is_err());
        assert_eq!((recycler.made(), recycler.available(), recycler.refused()), (0, 2, 0));
    }
    let first = recycler.acquire().unwrap();
    assert_eq!((first.0, Arc::strong_count(&alive)), (0, 3));
    fails.store(1, SeqCst);
    assert!(
        catch_unwind(AssertUnwindSafe(|| drop(recycler.acquire_blocking()))).is_err(),
        "it does not wait"
    );
    assert_eq!(recycler.acquire_timeout(Duration::ZERO).unwrap().0, 1);
    assert_eq!((recycler.made(), recycler.available(), recycler.retired()), (2, 1, 0));
    drop(first);
    drop(recycler);
    assert_eq!(Arc::strong_count(&alive), 1, "each object that was made is gone");
}

#[test]
fn who_waits_while_a_maker_panics_makes_the_object() {
    let (told, is_making) = mpsc::channel();
    let (go, may_fail) = mpsc::channel::<()>();
    let may_fail = Mutex::new(Some((told, may_fail)));
    let recycler = SyncRecycler::builder().capacity(1).build_lazily(move |_| {
        let first = may_fail.lock().unwrap().take();
        let Some((told, may_fail)) = first else { return 7 };
        told.send(()).unwrap();
        may_fail.recv().unwrap();
        panic!("on purpose")
    });
    thread::scope(|scope| {
        let fails =
            scope.spawn(|| catch_unwind(AssertUnwindSafe(|| drop(recycler.acquire()))).is_err());
        is_making.recv().unwrap();
        assert!(recycler.acquire().is_none(), "another thread is making the only one");
        let waits = scope.spawn(|| *recycler.acquire_timeout(LONG).unwrap());
        while recycler.waiting() < 1 {
            thread::yield_now();
        }
        go.send(()).unwrap();
        assert!(fails.join().unwrap());
        assert_eq!(waits.join().unwrap(), 7);
    });
    assert_eq!((recycler.made(), recycler.waiting()), (1, 0));
}

#[test]
fn a_leaked_guard_costs_its_object() {
    let recycler = SyncRecycler::from_fn(2, |index| index);
    std::mem::forget(recycler.acquire());
    assert_eq!(recycler.available(), 1);
    assert!(SyncRecycler::<u8>::new(0).acquire_blocking().is_none());
}
