//! Models for loom: two or three threads on one or two slots, in every order, with every value that a load may see.
//! `ci/loom` runs them, and runs them again with each order of [`order`](super::order) weakened: one must fail each
//! time.
//!
//! loom tracks reads and writes of values (`atomics::Cell`), and reports two accesses if neither happens before the
//! other. Handles go from thread to thread through relaxed atomics, so only the pool itself orders them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::vec::Vec;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed},
};
use loom::thread;

use super::close::find_for_writing;
use super::free::FreeSlots;
use super::{SyncPool, SyncRecycler, TakeError};
use crate::handle::Handle;

/// All schedules with up to three preemptions: beyond that, nothing new was ever found.
fn model(f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(f);
}

/// A cell outside the pool that one thread writes and a destructor reads.
struct Outside(UnsafeCell<u32>);
// SAFETY: loom reports concurrent accesses.
unsafe impl Send for Outside {}
// SAFETY: as above.
unsafe impl Sync for Outside {}

/// A value that counts its drops, and reads the cell outside while it drops.
struct Value {
    number: u32,
    drops: Arc<AtomicUsize>,
    outside: Option<Arc<Outside>>,
}

impl Drop for Value {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Relaxed);
        if let Some(outside) = &self.outside {
            // SAFETY: loom reports a concurrent write.
            assert_eq!(outside.0.with(|outside| unsafe { *outside }), 7);
        }
    }
}

struct World {
    pool: Arc<SyncPool<Value>>,
    drops: Arc<AtomicUsize>,
}

impl World {
    fn new(capacity: usize) -> Self {
        let pool = SyncPool::builder().capacity(capacity).homes(1).build();
        Self { pool: Arc::new(pool), drops: Arc::new(AtomicUsize::new(0)) }
    }

    fn value(&self, number: u32) -> Value {
        Value { number, drops: Arc::clone(&self.drops), outside: None }
    }

    fn insert(&self, number: u32) -> Handle<Value> {
        self.pool.insert(self.value(number)).unwrap()
    }

    /// Both at once, the first on another thread: what they came to.
    fn race<Theirs: 'static, Mine>(
        &self,
        theirs: impl FnOnce(&SyncPool<Value>) -> Theirs + 'static,
        mine: impl FnOnce(&SyncPool<Value>) -> Mine,
    ) -> (Theirs, Mine) {
        let pool = Arc::clone(&self.pool);
        let other = thread::spawn(move || theirs(&pool));
        let mine = mine(&self.pool);
        (other.join().unwrap(), mine)
    }

    /// Drops the pool with the values that are left. Then this many values must have been dropped, once
    /// each.
    fn end(self, values: usize) {
        drop(Arc::try_unwrap(self.pool).unwrap_or_else(|_| panic!("a thread still has the pool")));
        assert_eq!(self.drops.load(Relaxed), values);
    }
}

/// Passes a handle to another thread, and orders nothing.
struct Post(AtomicU64);

impl Post {
    fn new() -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(0)))
    }

    fn send(&self, handle: Handle<Value>) {
        self.0.store(handle.to_bits(), Relaxed);
    }

    fn look(&self) -> Option<Handle<Value>> {
        Handle::from_bits(self.0.load(Relaxed))
    }
}

#[test]
fn a_thread_that_gets_a_handle_finds_its_value() {
    model(|| {
        let (world, post) = (World::new(1), Post::new());
        let (to, value) = (Arc::clone(&post), world.value(5));
        let look = |pool: &SyncPool<Value>| {
            if let Some(handle) = post.look() {
                find(pool, handle, 5);
            }
        };
        world.race(move |pool| to.send(pool.insert(value).unwrap()), look);
        assert!(world.pool.get(post.look().unwrap()).is_some());
        world.end(1);
    });
}

#[test]
fn a_thread_that_removes_a_value_by_its_handle_gets_it_whole() {
    model(|| {
        let (world, post) = (World::new(1), Post::new());
        let (to, value) = (Arc::clone(&post), world.value(5));
        world.race(
            move |pool| to.send(pool.insert(value).unwrap()),
            |pool| post.look().is_some_and(|handle| pool.remove(handle)),
        );
        world.end(1);
    });
}

/// Looks a value up that says this, and may have gone.
fn find(pool: &SyncPool<Value>, handle: Handle<Value>, number: u32) {
    if let Some(guard) = pool.get(handle) {
        assert_eq!(guard.number, number);
    }
}

#[test]
fn a_get_against_a_remove() {
    model(|| {
        let world = World::new(1);
        let handle = world.insert(5);
        let remove = |pool: &SyncPool<Value>| {
            assert!(pool.remove(handle));
            assert!(pool.get(handle).is_none(), "refused from now on");
        };
        world.race(move |pool| find(pool, handle, 5), remove);
        assert_eq!(world.drops.load(Relaxed), 1);
        assert_eq!(world.pool.len(), 0);
        world.end(1);
    });
}

#[test]
fn two_guards_are_dropped_after_the_removal() {
    model(|| {
        let world = World::new(1);
        let handle = world.insert(5);
        let readers: Vec<_> = (0..2)
            .map(|_| {
                let pool = Arc::clone(&world.pool);
                thread::spawn(move || find(&pool, handle, 5))
            })
            .collect();
        assert!(world.pool.remove(handle));
        readers.into_iter().for_each(|reader| reader.join().unwrap());
        assert_eq!(world.drops.load(Relaxed), 1);
        world.end(1);
    });
}

#[test]
fn of_two_removals_one_removes() {
    model(|| {
        let world = World::new(1);
        let handle = world.insert(5);
        let (theirs, mine) =
            world.race(move |pool| pool.remove(handle), |pool| pool.remove(handle));
        assert!(mine != theirs);
        assert_eq!(world.drops.load(Relaxed), 1);
        world.end(1);
    });
}

#[test]
fn a_take_against_a_get() {
    model(|| {
        let world = World::new(1);
        let handle = world.insert(5);
        let take = |pool: &SyncPool<Value>| match pool.take(handle) {
            Ok(value) => assert_eq!(value.number, 5),
            Err(error) => {
                assert_eq!(error, TakeError::Busy);
                assert!(pool.contains(handle), "still live");
            }
        };
        world.race(move |pool| find(pool, handle, 5), take);
        world.end(1);
    });
}

#[test]
fn a_birth_against_a_death() {
    model(|| {
        let world = World::new(1);
        let old = world.insert(5);
        let bear = |pool: &SyncPool<Value>| match pool.insert(world.value(6)) {
            Ok(new) => {
                assert_eq!(new.generation(), old.generation() + 1);
                assert_eq!(pool.get(new).unwrap().number, 6);
            }
            Err(full) => drop(full.into_inner()),
        };
        world.race(move |pool| assert!(pool.remove(old)), bear);
        assert!(!world.pool.contains(old));
        world.end(2);
    });
}

#[test]
fn a_batch_of_removals_against_a_birth_and_a_get() {
    model(|| {
        let world = World::new(2);
        let handles = [world.insert(1), world.insert(2)];
        let get_and_bear = |pool: &SyncPool<Value>| {
            find(pool, handles[1], 2);
            match pool.insert(world.value(3)) {
                Ok(new) => assert_eq!(pool.get(new).unwrap().number, 3),
                Err(full) => drop(full.into_inner()),
            }
        };
        world.race(move |pool| assert_eq!(pool.remove_many(handles), 2), get_and_bear);
        assert_eq!(world.pool.remove_many(handles), 0);
        world.end(3);
    });
}

#[test]
fn of_a_batch_of_births_and_a_birth_one_is_refused_and_no_slot_is_lost() {
    model(|| {
        let world = World::new(2);
        let (values, another) = ([world.value(1), world.value(2)], world.value(3));
        let bear_both = move |pool: &SyncPool<Value>| {
            let mut handles = Vec::new();
            let born = pool.insert_many(values, &mut handles).is_ok();
            assert_eq!(handles.len(), if born { 2 } else { 0 });
            for (handle, number) in handles.into_iter().zip(1..) {
                assert_eq!(pool.get(handle).unwrap().number, number);
            }
            born
        };
        let (theirs, mine) = world.race(bear_both, |pool| pool.insert(another).ok());
        assert!(theirs != mine.is_some(), "there is room for one of them");
        assert_eq!(world.pool.len(), if theirs { 2 } else { 1 });
        world.end(3);
    });
}

#[test]
fn of_a_batch_and_a_removal_of_the_same_value_one_removes() {
    model(|| {
        let world = World::new(2);
        let handles = [world.insert(1), world.insert(2)];
        let (theirs, mine) =
            world.race(move |pool| pool.remove(handles[1]), |pool| pool.remove_many(handles));
        assert_eq!(mine + usize::from(theirs), 2);
        world.end(2);
    });
}

#[test]
fn two_births_get_two_slots_and_a_third_is_refused() {
    model(|| {
        let world = World::new(2);
        let kept = world.insert(1);
        let (value, another) = (world.value(2), world.value(3));
        let (theirs, mine) =
            world.race(move |pool| pool.insert(value).ok(), |pool| pool.insert(another).ok());
        assert!(mine.is_some() != theirs.is_some(), "one slot was free");
        assert_ne!(mine.or(theirs), Some(kept));
        world.end(3);
    });
}

#[test]
fn a_constructor_that_panics_gives_its_slot_back() {
    model(|| {
        let world = World::new(1);
        let make = |pool: &SyncPool<Value>| {
            let made = AssertUnwindSafe(|| pool.insert_with(|_| panic!("on purpose")).is_err());
            // `Ok`: there was no slot, so the function was not called.
            let _ = catch_unwind(made);
        };
        let ((), mine) = world.race(make, |pool| pool.insert(world.value(5)).ok());
        let values = usize::from(mine.is_some());
        assert_eq!(world.pool.len(), values);
        assert_eq!(world.pool.insert(world.value(6)).is_ok(), mine.is_none());
        world.end(2);
    });
}

/// The last guard of a value whose destructor reads what is written here, before the value goes from its pool in this
/// way.
fn a_destructor_sees_what_was_done_before(go: fn(Arc<SyncPool<Value>>, Handle<Value>)) {
    model(move || {
        let World { pool, drops } = World::new(1);
        let outside = Arc::new(Outside(UnsafeCell::new(0)));
        let read = Some(Arc::clone(&outside));
        let value = Value { number: 5, drops: Arc::clone(&drops), outside: read };
        let handle = pool.insert(value).unwrap();
        let guard = pool.get_owned(handle).unwrap();
        let other = thread::spawn(move || drop(guard));
        // SAFETY: loom reports a concurrent read.
        outside.0.with_mut(|outside| unsafe { *outside = 7 });
        go(pool, handle);
        other.join().unwrap();
        assert_eq!(drops.load(Relaxed), 1);
    });
}

#[test]
fn a_destructor_sees_what_was_done_before_the_removal() {
    a_destructor_sees_what_was_done_before(|pool, handle| assert!(pool.remove(handle)));
}

#[test]
fn a_destructor_sees_what_was_done_before_the_pool_was_dropped() {
    a_destructor_sees_what_was_done_before(|pool, _| drop(pool));
}

#[test]
fn the_last_guard_against_the_end_of_the_pool() {
    model(|| {
        let world = World::new(2);
        let (a, b) = (world.insert(1), world.insert(2));
        let guard = world.pool.get_owned(a).unwrap();
        let other = thread::spawn(move || assert_eq!(guard.number, 1));
        assert_eq!(world.pool.get(b).unwrap().number, 2);
        let World { pool, drops } = world;
        drop(pool);
        other.join().unwrap();
        assert_eq!(drops.load(Relaxed), 2);
    });
}

#[test]
fn the_last_guard_of_what_was_removed_against_the_end_of_the_pool() {
    model(|| {
        let world = World::new(1);
        let handle = world.insert(1);
        let guard = world.pool.get_owned(handle).unwrap();
        assert!(world.pool.remove(handle));
        let other = thread::spawn(move || assert_eq!(guard.number, 1));
        let World { pool, drops } = world;
        drop(pool);
        other.join().unwrap();
        assert_eq!(drops.load(Relaxed), 1);
    });
}

#[test]
fn two_last_guards_after_the_end_of_the_pool() {
    model(|| {
        let world = World::new(2);
        let (a, b) = (world.insert(1), world.insert(2));
        let guards = [a, b].map(|handle| world.pool.get_owned(handle).unwrap());
        let World { pool, drops } = world;
        drop(pool);
        let [a, b] = guards;
        let other = thread::spawn(move || assert_eq!(a.number, 1));
        assert_eq!(b.number, 2);
        drop(b);
        other.join().unwrap();
        assert_eq!(drops.load(Relaxed), 2);
    });
}

/// A pool whose drops are left to `settle`.
fn deferring() -> (SyncPool<Value>, Arc<AtomicUsize>, Handle<Value>) {
    let drops = Arc::new(AtomicUsize::new(0));
    let pool = SyncPool::builder().capacity(1).drop_in_settle().build();
    let value = Value { number: 1, drops: Arc::clone(&drops), outside: None };
    let handle = pool.insert(value).unwrap();
    (pool, drops, handle)
}

#[test]
fn a_settle_against_the_last_guard() {
    model(|| {
        let (pool, drops, handle) = deferring();
        let guard = pool.get_owned(handle).unwrap();
        assert!(pool.remove(handle));
        let other = thread::spawn(move || assert_eq!(guard.number, 1));
        pool.slots().settle();
        other.join().unwrap();
        pool.slots().settle();
        assert_eq!(drops.load(Relaxed), 1);
    });
}

#[test]
fn the_end_of_a_pool_that_defers_against_the_last_guard() {
    model(|| {
        for removed_before in [false, true] {
            let (pool, drops, handle) = deferring();
            let guard = pool.get_owned(handle).unwrap();
            if removed_before {
                assert!(pool.remove(handle));
            }
            let other = thread::spawn(move || assert_eq!(guard.number, 1));
            drop(pool);
            other.join().unwrap();
            assert_eq!(drops.load(Relaxed), 1);
        }
    });
}

#[test]
fn exclusive_access_after_a_guard() {
    model(|| {
        let world = World::new(1);
        let handle = world.insert(1);
        let guard = world.pool.get_owned(handle).unwrap();
        let other = thread::spawn(move || assert_eq!(guard.number, 1));
        let slots = world.pool.slots();
        if find_for_writing(&slots.words, 0, handle.generation()).is_ok() {
            // Loom counts it as a write.
            slots.pointer(0);
        }
        other.join().unwrap();
        assert!(find_for_writing(&slots.words, 0, handle.generation()).is_ok());
        world.end(1);
    });
}

/// One slot is free in each of two words; both threads look at the same word first.
#[test]
fn two_searches_over_two_words_find_a_slot_each() {
    model(|| {
        let free = Arc::new(FreeSlots::try_new(128, 2).unwrap());
        free.word(0).store(1 << 5, Relaxed);
        free.word(1).store(1, Relaxed);
        let theirs = Arc::clone(&free);
        let other = thread::spawn(move || theirs.claim(0, Acquire));
        let mut claimed = [free.claim(0, Acquire), other.join().unwrap()];
        claimed.sort_unstable();
        assert_eq!(claimed, [Some(5), Some(64)]);
        assert_eq!(free.claim(0, Acquire), None);
    });
}

#[test]
fn what_one_thread_releases_another_acquires() {
    model(|| {
        let recycler = Arc::new(
            SyncRecycler::builder().capacity(1).homes(1).on_release(|n| *n += 10).build_with(|_| 0),
        );
        let theirs = Arc::clone(&recycler);
        let other =
            thread::spawn(move || theirs.acquire().map(|mut object| *object += 1).is_some());
        let mine = recycler.acquire().map(|mut object| *object += 1).is_some();
        let acquired = u32::from(mine) + u32::from(other.join().unwrap());
        assert_eq!(*recycler.acquire().unwrap(), 11 * acquired);
        assert!(acquired >= 1);
    });
}

#[cfg(feature = "std")]
#[test]
fn a_release_wakes_a_waiting_thread() {
    model(|| {
        let recycler = Arc::new(SyncRecycler::builder().capacity(1).homes(1).build_with(|_| 0));
        let held = recycler.acquire().unwrap();
        let theirs = Arc::clone(&recycler);
        // If the wake-up is lost, loom reports that all threads are blocked.
        let other = thread::spawn(move || *theirs.acquire_blocking().unwrap() += 1);
        drop(held);
        other.join().unwrap();
        assert_eq!(*recycler.acquire().unwrap(), 1);
    });
}

#[cfg(feature = "std")]
#[test]
fn a_hook_that_panics_leaves_nobody_waiting() {
    model(|| {
        let builder = SyncRecycler::builder().capacity(1).homes(1);
        let recycler = builder.on_release(|_: &mut u8| panic!("on purpose")).build_with(|_| 0);
        let recycler = Arc::new(recycler);
        let held = recycler.acquire().unwrap();
        let theirs = Arc::clone(&recycler);
        let other = thread::spawn(move || theirs.acquire_blocking().is_none());
        let released = AssertUnwindSafe(|| drop(held));
        assert!(catch_unwind(released).is_err());
        assert!(other.join().unwrap());
        assert_eq!(recycler.retired(), 1);
    });
}

#[test]
fn an_object_that_one_thread_makes_another_acquires() {
    model(|| {
        let builder = SyncRecycler::builder().capacity(1).homes(1);
        let recycler = Arc::new(builder.build_lazily(|_| 5));
        let theirs = Arc::clone(&recycler);
        let other =
            thread::spawn(move || theirs.acquire().map(|mut object| *object += 1).is_some());
        let mine = recycler.acquire().map(|mut object| *object += 1).is_some();
        let acquired = u32::from(mine) + u32::from(other.join().unwrap());
        assert_eq!((*recycler.acquire().unwrap(), recycler.made()), (5 + acquired, 1));
        assert!(acquired >= 1);
    });
}

#[cfg(feature = "std")]
#[test]
fn a_maker_that_panics_leaves_its_object_to_a_waiting_thread() {
    model(|| {
        let fails = AtomicUsize::new(1);
        let builder = SyncRecycler::builder().capacity(1).homes(1);
        let recycler = Arc::new(builder.build_lazily(move |_| {
            assert!(fails.swap(0, Relaxed) == 0, "on purpose");
            1
        }));
        let theirs = Arc::clone(&recycler);
        // If the wake-up is lost, loom reports that all threads are blocked.
        let acquire = |recycler: &SyncRecycler<u8>| {
            catch_unwind(AssertUnwindSafe(|| *recycler.acquire_blocking().unwrap())).ok()
        };
        let other = thread::spawn(move || acquire(&theirs));
        let mut acquired = [acquire(&recycler), other.join().unwrap()];
        acquired.sort_unstable();
        assert_eq!((acquired, recycler.made()), ([None, Some(1)], 1));
    });
}

/// The orders that `ci/loom` weakens, one after the other.
#[test]
fn the_orders_that_can_be_weakened() {
    for order in super::order::WEAKENED {
        std::println!("weaken {order}");
    }
}
