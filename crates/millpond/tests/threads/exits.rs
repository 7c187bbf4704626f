//! Threads that end, in order or not, with guards in their hands; pools that end while a value of theirs panics or keeps
//! them; and tasks of an update that panic, are forgotten, or are run twice.
#![allow(
    clippy::forget_non_drop,
    clippy::drop_non_drop,
    reason = "what has no destructor today may have one tomorrow"
)]

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};
use std::thread;

use millpond::lots::Lots;
use millpond::sync::{AcquiredOwned, SharedOwned};
use millpond::{Pool, SyncPool, SyncRecycler};

use crate::allocations::{Allocations, during};

type Counted = Arc<()>;

/// What a thread has when it ends.
#[derive(Default)]
struct Kept {
    shared: Vec<SharedOwned<Counted>>,
    acquired: Vec<AcquiredOwned<Counted>>,
    /// Used by the destructor.
    pool: Option<Arc<SyncPool<Counted>>>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            // The thread's own variables are on their way out: an insertion still finds a home.
            let handle = pool.insert(Arc::new(())).unwrap();
            assert!(pool.get(handle).is_some() && pool.remove(handle));
        }
    }
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

#[test]
fn guards_among_a_threads_own_variables_go_with_the_thread() {
    let alive = Arc::new(());
    let recycler = Arc::new(SyncRecycler::builder().capacity(2).build_with(|_| Arc::clone(&alive)));
    // A pool that ends before the thread, and one that the thread's last destructor uses.
    let ends = SyncPool::new(4);
    let stays = Arc::new(SyncPool::new(4));
    let kept = ends.insert(Arc::clone(&alive)).unwrap();
    assert_eq!(Arc::strong_count(&alive), 4);
    let ends = Mutex::new(Some(ends));
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            KEPT.with_borrow_mut(|mine| {
                let pool = ends.lock().unwrap().take().unwrap();
                mine.shared.push(pool.get_owned(kept).unwrap());
                mine.shared.push(mine.shared[0].clone());
                assert!(pool.remove(kept));
                mine.acquired.push(recycler.acquire_owned().unwrap());
                mine.pool = Some(Arc::clone(&stays));
                drop(pool);
                assert_eq!(Arc::strong_count(&mine.shared[0]), 4, "kept by the guards");
            });
        });
        thread.join().unwrap();
    });
    assert_eq!(Arc::strong_count(&alive), 3, "the value of the pool is gone");
    assert_eq!(recycler.available(), 2);
    assert_eq!((stays.len(), stays.stats().removed), (0, 1));
}

#[test]
fn a_thread_that_panics_gives_its_guards_back() {
    let pool = SyncPool::<Counted>::new(2);
    let recycler = SyncRecycler::<u32>::new(1);
    let handle = pool.insert(Arc::new(())).unwrap();
    let ended = thread::scope(|scope| {
        let panics = || {
            let _object = recycler.acquire().unwrap();
            let guard = pool.get(handle).unwrap();
            let _another = guard.clone();
            assert!(pool.remove(handle));
            panic!("on purpose");
        };
        scope.spawn(panics).join().is_err()
    });
    assert!(ended);
    assert_eq!((pool.len(), recycler.available()), (0, 1));
    assert!(pool.insert(Arc::new(())).is_ok() && pool.insert(Arc::new(())).is_ok());
    pool.validate().unwrap();
}

/// Panics when it is dropped, if it says so, without a message.
struct Unwinds(bool);

impl Drop for Unwinds {
    fn drop(&mut self) {
        if self.0 {
            resume_unwind(Box::new(()));
        }
    }
}

/// The value that panics is one with guards, whose last goes after the pool; or one without, which goes with the pool.
#[test]
fn the_memory_of_a_pool_goes_whichever_drop_panics_at_its_end() {
    for defers in [false, true] {
        for removed in [false, true] {
            for has_guard in [false, true] {
                let ((), allocations) = during(|| {
                    let builder = SyncPool::builder().capacity(100).homes(1);
                    let pool = if defers { builder.drop_in_settle() } else { builder }.build();
                    let handles: Vec<_> =
                        (0..100).map(|at| pool.insert(Unwinds(at == 70)).unwrap()).collect();
                    let first = if has_guard { 70 } else { 71 };
                    let guards: Vec<_> =
                        [10, first].map(|at: usize| pool.get_owned(handles[at]).unwrap()).into();
                    if removed && (has_guard || defers) {
                        assert!(pool.remove(handles[70]) && pool.remove(handles[10]));
                    }
                    let end = catch_unwind(AssertUnwindSafe(|| drop(pool)));
                    assert_eq!(end.is_err(), !has_guard);
                    let end = catch_unwind(AssertUnwindSafe(|| drop(guards)));
                    assert_eq!(end.is_err(), has_guard);
                });
                assert_eq!(
                    allocations.taken, allocations.freed,
                    "defers {defers}, removed {removed}, guarded {has_guard}"
                );
            }
        }
    }
}

/// A value that keeps the pool that it is in: when it goes, with its removal or with its last guard, the pool goes in the
/// middle of that, and its memory with whoever looks at it last.
#[test]
fn a_pool_may_go_inside_of_the_drop_of_its_own_value() {
    struct Keeps(Option<Arc<SyncPool<Keeps>>>, Counted);
    let alive = Arc::new(());
    for (has_guard, other_has_guard) in [(false, false), (true, false), (false, true), (true, true)]
    {
        let ((), allocations) = during(|| {
            let pool = Arc::new(SyncPool::builder().capacity(70).homes(1).build());
            let other = pool.insert(Keeps(None, Arc::clone(&alive))).unwrap();
            let other = pool.get_owned(other).unwrap();
            let keeps = pool.insert(Keeps(Some(Arc::clone(&pool)), Arc::clone(&alive))).unwrap();
            let keeps = has_guard.then(|| pool.get_owned(keeps).unwrap()).ok_or(keeps);
            let other = other_has_guard.then_some(other);
            match keeps {
                // The pool lives by its own value only, until the guard goes.
                Ok(guard) => {
                    assert!(pool.remove(SharedOwned::handle(&guard)));
                    drop(pool);
                    assert_eq!(guard.0.as_ref().map(|pool| pool.len()), Some(1));
                    assert!(Arc::ptr_eq(&guard.1, &alive));
                    drop(guard);
                }
                // Here it goes after the removal, as that borrows it.
                Err(handle) => {
                    assert!(pool.remove(handle));
                    drop(pool);
                }
            }
            let left = 1 + usize::from(other_has_guard);
            assert_eq!(Arc::strong_count(&alive), left);
            drop(other);
            assert_eq!(Arc::strong_count(&alive), 1);
        });
        assert_eq!(allocations.taken, allocations.freed);
    }
}

fn numbers(count: u32) -> Pool<u32> {
    let mut pool = Pool::new(400);
    (0..count).for_each(|value| _ = pool.insert(value).unwrap());
    pool
}

/// The room was made when the update began.
#[test]
fn births_in_a_lot_take_no_memory_and_count_down() {
    let mut pool = numbers(130);
    let mut lots = Lots::new(64, 5);
    let mut update = pool.set_aside(&mut lots);
    let mut tasks = update.tasks();
    assert_eq!(tasks.size_hint(), (0, Some(7)));
    for (number, len) in [64, 64, 2].into_iter().enumerate() {
        let mut task = tasks.next().unwrap();
        assert_eq!((task.number(), task.len(), task.is_empty()), (number, len, false));
        let ((), allocations) = during(|| {
            task.run(|value, lot| {
                let left = lot.left();
                assert_eq!(lot.insert(*value).is_ok(), left > 0);
                assert_eq!((lot.left(), lot.number()), (left.saturating_sub(1), number));
            });
        });
        assert_eq!(allocations, Allocations::default());
    }
    assert!(tasks.next().is_none());
    update.settle();
    assert_eq!(pool.len(), 130 + 5 + 5 + 2);
}

#[test]
fn lots_take_memory_once_and_for_no_more_births_than_there_can_be() {
    const BIRTHS_BYTES: usize = 100 * 8 * size_of::<[u64; 8]>();
    let mut pool = Pool::<[u64; 8]>::new(1000);
    let mut lots = Lots::new(10, 8);
    let ((), first) = during(|| pool.set_aside(&mut lots).settle());
    // The rest are the slots set aside, and the bits of the dead.
    assert!((BIRTHS_BYTES..2 * BIRTHS_BYTES).contains(&first.bytes_taken), "{first:?}");
    let ((), second) = during(|| pool.set_aside(&mut lots).settle());
    assert_eq!(second, Allocations::default());
}

/// What a task has asked for until it panics counts; and so does all of the others'.
#[test]
fn an_update_settles_what_a_task_has_asked_for_before_it_panicked() {
    let mut pool = numbers(200);
    let mut lots = Lots::new(64, 64);
    let mut update = pool.set_aside(&mut lots);
    thread::scope(|scope| {
        for mut task in update.tasks() {
            scope.spawn(move || {
                let is_second = task.number() == 1;
                let run = AssertUnwindSafe(|| {
                    task.run(|value, lot| {
                        assert!(!is_second || *value < 100, "on purpose");
                        lot.insert(1000 + *value).unwrap();
                        lot.die();
                    });
                });
                assert_eq!(catch_unwind(run).is_err(), is_second);
            });
        }
    });
    update.settle();
    let values: Vec<_> = pool.values().copied().collect();
    let stayed = values.iter().filter(|value| **value < 1000).copied();
    assert!(stayed.eq(100..128), "what the second task has not come to");
    assert_eq!(values.len(), 200, "one born for each that died");
    pool.validate().unwrap();
}

#[test]
fn tasks_may_be_forgotten_skipped_and_asked_for_again() {
    let mut pool = numbers(200);
    let mut lots = Lots::new(64, 1);
    let mut update = pool.set_aside(&mut lots);
    let mut tasks = update.tasks();
    std::mem::forget(tasks.next());
    let mut second = tasks.next().unwrap();
    second.run(|value, lot| {
        *value += 1;
        lot.die();
        lot.die();
    });
    drop(tasks);
    // The second time, each lot goes on where it was.
    let mut born = Vec::new();
    for _ in 0..2 {
        for mut task in update.tasks() {
            let mut ours = 0;
            task.run(|_, lot| ours += u32::from(lot.insert(7).is_ok()));
            born.push(ours);
        }
    }
    assert_eq!(born, [1, 1, 1, 1, 0, 0, 0, 0]);
    update.settle();
    assert_eq!((pool.len(), pool.values().filter(|value| **value == 7).count()), (140, 5));
    pool.validate().unwrap();
    // An update that is forgotten leaves the pool as it is.
    let before = pool.checksum();
    std::mem::forget(pool.set_aside(&mut lots));
    assert_eq!(pool.checksum(), before);
    pool.update(&mut lots, |_, lot| lot.die());
    assert!(pool.is_empty());
}

#[test]
fn values_without_size_and_pools_without_slots_go_through_lots() {
    let mut pool = Pool::<()>::new(100);
    (0..70).for_each(|_| pool.insert(()).map(drop).unwrap());
    pool.update(&mut Lots::new(33, 5), |(), lot| {
        _ = lot.insert(());
        lot.die();
    });
    // The third task has four values, and each leaves one.
    assert_eq!(pool.len(), 5 + 5 + 4);
    let mut none = Pool::<u8>::new(0);
    let mut lots = Lots::new(64, 8);
    assert_eq!(none.set_aside(&mut lots).tasks().count(), 0);
    none.set_aside(&mut lots).settle();
    // The same lots for pools of other capacities.
    for capacity in [1, 63, 64, 65, 200, 3] {
        let mut pool = Pool::new(capacity);
        while pool.insert(1).is_ok() {}
        pool.update(&mut lots, |_, lot| lot.die());
        assert!(pool.is_empty(), "{capacity}");
    }
}

/// A lot that is swapped with that of another pool, and used there: births and deaths go where the lot comes from, or
/// nowhere; no handle that it makes up is good for long, and none breaks a pool.
#[test]
fn lots_may_be_swapped_between_tasks_and_pools() {
    let mut small = Pool::<String>::new(40);
    let mut large = Pool::<String>::new(3000);
    for value in 0..30 {
        small.insert(format!("small {value}")).unwrap();
    }
    let handles: Vec<_> =
        (0..2900).map(|value| large.insert(format!("large {value}")).unwrap()).collect();
    // Dead slots on both sides, and live ones where the other has none.
    handles.iter().step_by(3).for_each(|handle| _ = large.remove(*handle).unwrap());
    let (mut few, mut many) = (Lots::new(64, 8), Lots::new(1024, 300));
    let mut of_small = small.set_aside(&mut few);
    let mut of_large = large.set_aside(&mut many);
    let mut inner = of_small.tasks();
    let mut born = 0;
    for mut task in of_large.tasks() {
        let Some(mut other) = inner.next() else { continue };
        let mut is_swapped = false;
        task.run(|value, lot| {
            if !is_swapped {
                is_swapped = true;
                other.run(|_, others| {
                    std::mem::swap(lot, others);
                    // It is asked for what is not there, too.
                    let (mine, theirs) = (lot.handle(), others.handle());
                    _ = (lot.kill(theirs), others.kill(mine), lot.contains(mine));
                    lot.die();
                    others.die();
                    std::mem::swap(lot, others);
                });
                other.run(|_, others| std::mem::swap(lot, others));
            }
            let made_up = lot.handle();
            _ = (lot.contains(made_up), lot.kill(made_up), lot.left());
            born += usize::from(lot.insert(value.clone()).is_ok());
            lot.die();
        });
    }
    drop(inner);
    of_large.settle();
    of_small.settle();
    assert!(born > 0);
    for pool in [&small, &large] {
        pool.validate().unwrap();
        assert!(
            pool.values().all(|value| value.starts_with("small") || value.starts_with("large"))
        );
        assert_eq!(pool.iter().count(), pool.len());
    }
}

#[test]
fn slots_on_their_last_lifetime_go_through_lots() {
    let mut pool = Pool::<u32>::builder().capacity(70).lifetimes(2).build();
    let mut lots = Lots::new(16, 16);
    let mut born = 0;
    loop {
        if pool.is_empty() {
            let refilled = (0..20).filter(|_| pool.insert(0).is_ok()).count();
            if refilled == 0 {
                break;
            }
        }
        pool.update(&mut lots, |_, lot| {
            born += u32::from(lot.insert(born).is_ok());
            lot.die();
        });
        pool.validate().unwrap();
    }
    assert!(born > 50, "{born}");
    assert_eq!((pool.stats().retired, pool.stats().inserted), (70, 140));
    assert_eq!(pool.insert(1).map_err(|full| full.into_inner()), Err(1));
}
