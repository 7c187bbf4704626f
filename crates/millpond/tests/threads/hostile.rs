//! Safe code that does its worst to `SyncPool` and `SyncRecycler`: destructors, hooks, clones and callbacks that come
//! back to the pool, that panic, or that hold guards of the pool's own values; guards that are forgotten.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, Weak};
use std::thread;

use millpond::sync::SharedOwned;
use millpond::{Handle, SyncPool, SyncRecycler, TakeError};
use millpond_testkit::SplitMix64;

fn panics(f: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

/// A value that knows whether it was dropped already, and may keep others of its pool.
struct Node {
    number: usize,
    /// Only while it lives.
    seal: String,
    keeps: Mutex<Vec<SharedOwned<Node>>>,
    drops: Arc<Vec<AtomicUsize>>,
}

impl Node {
    fn new(number: usize, drops: &Arc<Vec<AtomicUsize>>) -> Self {
        let drops = Arc::clone(drops);
        Self { number, seal: format!("node {number}"), keeps: Mutex::default(), drops }
    }

    fn is_whole(&self) -> bool {
        self.seal == format!("node {}", self.number)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        assert!(self.is_whole());
        assert!(self.keeps.get_mut().unwrap().iter().all(|kept| kept.is_whole()));
        assert_eq!(self.drops[self.number].fetch_add(1, SeqCst), 0, "dropped twice");
    }
}

fn counters(values: usize) -> Arc<Vec<AtomicUsize>> {
    Arc::new((0..values).map(|_| AtomicUsize::new(0)).collect())
}

/// A graph without cycles of values that keep each other, some removed, some kept from outside too, over several words of
/// free bits and in both directions; then the pool ends in one of several ways, and the outer guards go.
#[test]
fn values_that_keep_each_other_are_dropped_once_however_the_pool_ends() {
    const NODES: usize = 150;
    let mut random = SplitMix64(1);
    let mut below = |n: usize| random.below(n);
    for round in 0..200 {
        let drops = counters(NODES);
        let (defers, end) = (round % 2 == 0, round / 2 % 4);
        let builder = SyncPool::builder().capacity(NODES).homes(3);
        let mut pool = if defers { builder.drop_in_settle() } else { builder }.build();
        let handles: Vec<Handle<Node>> = (0..NODES)
            .map(|number| pool.home(number).insert(Node::new(number, &drops)).unwrap())
            .collect();
        // Homes put neighbours in numbers into other words, so edges go both ways in slots.
        for number in 1..NODES {
            for _ in 0..below(3) {
                let kept = pool.get_owned(handles[below(number)]).unwrap();
                pool.get(handles[number]).unwrap().keeps.lock().unwrap().push(kept);
            }
        }
        let outer: Vec<_> =
            (0..10).map(|_| pool.get_owned(handles[below(NODES)]).unwrap()).collect();
        (0..60).for_each(|_| _ = pool.remove(handles[below(NODES)]));
        match end {
            0 => {}
            1 => pool.clear(),
            2 => drop(pool.drain().take(NODES / 3)),
            _ => pool.retain(|_, node| node.number % 2 == 0),
        }
        if round % 3 == 0 {
            pool.settle();
        }
        pool.validate().unwrap();
        drop(pool);
        assert!(outer.iter().all(|node| node.is_whole()));
        drop(outer);
        let dropped = drops.iter().filter(|drops| drops.load(SeqCst) == 1).count();
        assert_eq!(dropped, NODES, "round {round}");
    }
}

#[test]
fn a_destructor_may_use_its_own_pool() {
    struct Returns(Weak<SyncPool<Returns>>, Arc<Mutex<Vec<Handle<Returns>>>>, u32);
    impl Drop for Returns {
        fn drop(&mut self) {
            let Some(pool) = self.0.upgrade() else { return };
            for handle in self.1.lock().unwrap().iter() {
                assert!(!pool.contains(*handle) && pool.get(*handle).is_none());
                assert!(
                    !pool.remove(*handle) && matches!(pool.take(*handle), Err(TakeError::Stale))
                );
            }
            assert_eq!(pool.iter().count(), 0);
            // The slot of the value that goes is not free yet.
            if self.2 > 0 {
                let next = Returns(self.0.clone(), Arc::clone(&self.1), 0);
                let refused = pool.insert(next).unwrap_err();
                std::mem::forget(refused);
            }
        }
    }
    let pool = Arc::new(SyncPool::new(1));
    let handles = Arc::new(Mutex::new(Vec::new()));
    for with_guard in [false, true] {
        let value = Returns(Arc::downgrade(&pool), Arc::clone(&handles), 1);
        let handle = pool.insert(value).unwrap();
        handles.lock().unwrap().push(handle);
        let guard = with_guard.then(|| pool.get_owned(handle).unwrap());
        assert!(pool.remove(handle));
        drop(guard);
        pool.validate().unwrap();
        assert!(pool.is_empty());
    }
    let last = Returns(Weak::new(), Arc::clone(&handles), 0);
    assert_eq!(pool.insert(last).unwrap().generation(), 3);
}

#[test]
fn a_destructor_may_save_the_guards_that_its_value_had() {
    type Saved = Arc<Mutex<Vec<SharedOwned<Saves>>>>;
    struct Saves(u32, Mutex<Option<SharedOwned<Saves>>>, Saved);
    impl Drop for Saves {
        fn drop(&mut self) {
            let guard = self.1.get_mut().unwrap().take();
            self.2.lock().unwrap().extend(guard.iter().cloned());
        }
    }
    for end in 0..3 {
        let saved = Saved::default();
        let mut pool = SyncPool::new(100);
        let mut before = None;
        for number in 0..100 {
            let kept = before.map(|handle| pool.get_owned(handle).unwrap());
            let value = Saves(number, Mutex::new(kept), Arc::clone(&saved));
            before = Some(pool.insert(value).unwrap());
        }
        match end {
            0 => pool.clear(),
            1 => pool.drain().for_each(drop),
            _ => {}
        }
        drop(pool);
        // 99 had a guard of 98 and has gone, so 98 is what was saved; dropped outside the lock, it saves 97, and so on.
        for number in (0..99).rev() {
            let mut guards = std::mem::take(&mut *saved.lock().unwrap());
            assert_eq!(guards.iter().map(|guard| guard.0).collect::<Vec<_>>(), [number]);
            drop(guards.pop());
        }
        assert!(saved.lock().unwrap().is_empty());
    }
}

/// What a callback with `&mut` access may do: drop guards, and make more of those that it has.
#[test]
fn guards_come_and_go_inside_of_callbacks() {
    let mut pool = SyncPool::new(130);
    let handles: Vec<_> = (0..130_u32).map(|value| pool.home(0).insert(value).unwrap()).collect();
    let guards: RefCell<Vec<_>> = RefCell::new(
        handles.iter().skip(1).step_by(2).map(|handle| pool.get_owned(*handle).unwrap()).collect(),
    );
    // Some of them are the last to look at a value that is removed.
    handles.iter().skip(1).step_by(4).for_each(|handle| assert!(pool.remove(*handle)));
    let calls = Cell::new(0);
    let disturb = || {
        calls.set(calls.get() + 1);
        let twin = guards.borrow().first().cloned();
        let last = if calls.get() % 4 == 0 { guards.borrow_mut().pop() } else { None };
        assert!(twin.iter().chain(&last).all(|guard| **guard < 130));
    };
    let mut shown = Vec::new();
    pool.retain(|_, value| {
        disturb();
        shown.push(*value);
        *value += 1000;
        *value % 3 != 0
    });
    assert!(shown.is_sorted() && shown.iter().all(|value| *value < 130));
    pool.validate().unwrap();
    for (_, run) in pool.runs_mut() {
        disturb();
        assert!(run.iter().all(|value| *value >= 1000 || value % 2 == 1));
        run.fill(7000);
    }
    assert!(guards.borrow().iter().all(|guard| **guard < 130), "nobody wrote to a guarded value");
    _ = pool.checksum_with(|_, _| disturb());
    pool.drain().for_each(|_| disturb());
    guards.borrow_mut().clear();
    pool.validate().unwrap();
    assert_eq!(pool.len(), 0);
    assert_eq!((0..131).filter(|value| pool.insert(*value).is_ok()).count(), 130);
}

/// Were a value that has a guard ever lent for writing, a guard would see it change.
#[test]
fn nobody_writes_what_an_owned_guard_reads_on_another_thread() {
    const VALUES: usize = 96;
    let mut pool = SyncPool::new(VALUES);
    let handles: Vec<_> = (0..VALUES).map(|at| pool.insert([at, !at]).unwrap()).collect();
    let (to, from) = std::sync::mpsc::channel::<(SharedOwned<[usize; 2]>, [usize; 2])>();
    let from = Mutex::new(from);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = from.lock().unwrap().recv();
                    let Ok((guard, expected)) = next else { break };
                    let twin = guard.clone();
                    for _ in 0..20 {
                        assert_eq!(*guard, expected);
                        thread::yield_now();
                    }
                    drop(guard);
                    assert_eq!(*twin, expected);
                }
            });
        }
        for step in 0..2000 {
            let handle = handles[step * 7 % VALUES];
            if let Some(guard) = pool.get_owned(handle) {
                let expected = *guard;
                to.send((guard, expected)).unwrap();
            }
            let write = |value: &mut [usize; 2]| {
                value[0] = value[0].wrapping_add(VALUES);
                value[1] = !value[0];
            };
            match step % 3 {
                0 => pool.values_mut().for_each(write),
                1 => pool.retain(|_, value| {
                    write(value);
                    true
                }),
                _ => _ = pool.get_mut(handle).map(write),
            }
        }
        drop(to);
    });
    assert_eq!(pool.guarded(), 0);
    assert!(pool.iter().all(|(_, value)| value[1] == !value[0]));
}

#[test]
fn forgotten_guards_keep_their_values_from_every_exclusive_method() {
    let drops = counters(4);
    let mut pool = SyncPool::new(4);
    let handles: Vec<_> =
        (0..4).map(|number| pool.insert(Node::new(number, &drops)).unwrap()).collect();
    std::mem::forget(pool.get(handles[0]));
    std::mem::forget(pool.get_owned(handles[1]));
    for handle in &handles[..2] {
        assert!(matches!(pool.get_mut(*handle), Err(TakeError::Busy)));
        assert!(matches!(pool.take(*handle), Err(TakeError::Busy)));
    }
    assert_eq!(pool.iter_mut().map(|(handle, _)| handle).collect::<Vec<_>>(), handles[2..]);
    pool.retain(|_, node| node.number == 3);
    assert_eq!((pool.drain().count(), pool.len(), pool.settle()), (1, 0, 0));
    pool.validate().unwrap();
    drop(pool);
    let dropped: Vec<_> = drops.iter().map(|drops| drops.load(SeqCst)).collect();
    assert_eq!(dropped, [0, 0, 1, 1]);
}

#[test]
fn forgotten_iterators_leave_a_whole_pool() {
    let drops = counters(6);
    let mut pool = SyncPool::new(6);
    (0..6).for_each(|number| _ = pool.insert(Node::new(number, &drops)).unwrap());
    let mut drain = pool.drain();
    drop(drain.next());
    std::mem::forget(drain);
    // The other iterators have no destructor: to leave them is to leak them.
    assert_eq!(pool.runs_mut().next().map(|(_, run)| run.len()), Some(5));
    assert_eq!(pool.len(), 5);
    pool.validate().unwrap();
    drop(pool);
    assert!(drops.iter().all(|drops| drops.load(SeqCst) == 1));
}

/// Clones and drops as it is told.
struct Told(u32, Arc<AtomicBool>, Arc<AtomicBool>);

impl Clone for Told {
    fn clone(&self) -> Self {
        assert!(!self.1.load(SeqCst) || self.0 < 3, "clone: on purpose");
        Told(self.0, Arc::clone(&self.1), Arc::clone(&self.2))
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        if self.2.load(SeqCst) && self.0 == 2 && !thread::panicking() {
            panic!("drop: on purpose");
        }
    }
}

#[test]
fn a_restore_that_panics_leaves_an_empty_pool_with_true_counters() {
    for (clone_panics, drop_panics) in [(true, false), (false, true)] {
        for defers in [false, true] {
            let (clones, drops) = (Arc::default(), Arc::default());
            let builder = SyncPool::builder().capacity(6).homes(1).lifetimes(1);
            let mut pool = if defers { builder.drop_in_settle() } else { builder }.build();
            let told = |number| Told(number, Arc::clone(&clones), Arc::clone(&drops));
            let handles: Vec<_> = (0..4).map(|at| pool.insert(told(at)).unwrap()).collect();
            let past = pool.snapshot();
            // One retires, and is found out by an insertion.
            pool.remove(handles[0]);
            pool.settle();
            while pool.insert(told(9)).is_ok() {}
            assert_eq!(pool.stats().retired, 1);
            let inserted = pool.stats().inserted;
            clones.store(clone_panics, SeqCst);
            drops.store(drop_panics, SeqCst);
            assert!(panics(|| pool.restore(&past).unwrap()));
            clones.store(false, SeqCst);
            drops.store(false, SeqCst);
            pool.settle();
            pool.validate().unwrap();
            assert_eq!((pool.len(), pool.iter().count(), pool.stats().live), (0, 0, 0));
            assert_eq!(
                pool.stats().inserted,
                inserted,
                "or fewer than the peak, as no file may say"
            );
            pool.restore(&past).unwrap();
            pool.validate().unwrap();
            assert_eq!((pool.len(), pool.stats()), (4, past.stats()));
        }
    }
}

#[test]
fn a_snapshot_whose_clone_panics_is_refused() {
    let (clones, drops) = (Arc::default(), Arc::default());
    let mut pool = SyncPool::new(6);
    let told = |number| Told(number, Arc::clone(&clones), Arc::clone(&drops));
    let handles: Vec<_> = (0..5).map(|number| pool.insert(told(number)).unwrap()).collect();
    let mut past = pool.snapshot();
    clones.store(true, SeqCst);
    assert!(panics(|| drop(pool.snapshot())));
    assert!(panics(|| pool.save_into(&mut past).unwrap()));
    clones.store(false, SeqCst);
    assert!(pool.restore(&past).is_err(), "half of it is of another moment");
    assert!(handles.iter().all(|handle| past.get(*handle).is_none()));
    assert_eq!(pool.len(), 5);
    pool.save_into(&mut past).unwrap();
    pool.restore(&past).unwrap();
}

#[test]
fn a_snapshot_takes_removed_values_that_are_still_looked_at_for_gone() {
    let mut pool = SyncPool::new(3);
    let handles: Vec<_> = (0..3).map(|value| pool.insert(value).unwrap()).collect();
    let guards: Vec<_> = handles.iter().map(|handle| pool.get_owned(*handle).unwrap()).collect();
    pool.remove(handles[1]);
    let past = pool.snapshot();
    assert_eq!((past.get(handles[0]), past.get(handles[1])), (Some(&0), None));
    assert!(pool.restore(&past).is_err());
    pool.clear();
    assert!(pool.restore(&past).is_err(), "removed, but somebody looks at them");
    assert!(guards.iter().map(|guard| **guard).eq(0..3));
    drop(guards);
    pool.restore(&past).unwrap();
    assert!(pool.contains(handles[0]) && !pool.contains(handles[1]));
    assert_eq!(pool.insert(5).unwrap().generation(), 2);
    pool.validate().unwrap();
}

#[test]
fn a_settle_that_panics_goes_on_when_it_is_called_again() {
    let (clones, drops) = (Arc::default(), Arc::new(AtomicBool::new(true)));
    let mut pool = SyncPool::builder().capacity(5).drop_in_settle().build();
    for number in 0..5 {
        let handle = pool.insert(Told(number, Arc::clone(&clones), Arc::clone(&drops))).unwrap();
        assert!(pool.remove(handle));
    }
    assert!(panics(|| _ = pool.settle()));
    pool.validate().unwrap();
    assert_eq!((pool.settle(), pool.len(), Arc::strong_count(&drops)), (2, 0, 1));
}

#[test]
fn a_constructor_may_use_the_pool_but_not_its_own_handle() {
    let pool = SyncPool::new(2);
    let made = pool.insert_with(|me| {
        assert!(!pool.contains(me) && pool.get(me).is_none() && !pool.remove(me));
        assert!(matches!(pool.take(me), Err(TakeError::Stale)));
        let other = pool.insert_with(|other| {
            assert_ne!(me, other);
            assert!(pool.insert(0).is_err(), "both slots are taken");
            1
        });
        assert!(pool.remove(other.unwrap()));
        2
    });
    assert_eq!(*pool.get(made.unwrap()).unwrap(), 2);
    pool.validate().unwrap();
}

#[test]
fn a_hook_may_use_its_own_recycler() {
    type Own = Arc<Mutex<Weak<SyncRecycler<u32>>>>;
    let own = Own::default();
    let from_hook = Arc::clone(&own);
    let recycler = Arc::new(
        SyncRecycler::builder()
            .capacity(2)
            .on_release(move |number: &mut u32| {
                let recycler = from_hook.lock().unwrap().upgrade();
                if *number == 7 {
                    *number = 0;
                    let recycler = recycler.unwrap();
                    // Its own object is not free yet: there is one other.
                    let mut other = recycler.acquire().unwrap();
                    assert!(recycler.acquire().is_none());
                    *other = 1;
                }
            })
            .build_with(|_| 0),
    );
    *own.lock().unwrap() = Arc::downgrade(&recycler);
    *recycler.acquire_owned().unwrap() = 7;
    assert_eq!((recycler.available(), recycler.retired()), (2, 0));
    let (first, second) = (recycler.acquire().unwrap(), recycler.acquire().unwrap());
    assert_eq!((*first, *second), (0, 1));
}

#[test]
fn a_maker_may_use_its_own_recycler() {
    type Own = Arc<Mutex<Weak<SyncRecycler<u32>>>>;
    let own = Own::default();
    let from_maker = Arc::clone(&own);
    let recycler = Arc::new(SyncRecycler::builder().capacity(3).build_lazily(move |index| {
        // Two are made within each other, and the third finds none.
        let recycler = from_maker.lock().unwrap().upgrade().unwrap();
        match recycler.acquire() {
            Some(other) => *other + 1,
            None => 10 * index as u32,
        }
    }));
    *own.lock().unwrap() = Arc::downgrade(&recycler);
    assert_eq!(*recycler.acquire().unwrap(), 22);
    assert_eq!((recycler.made(), recycler.available(), recycler.refused()), (3, 3, 1));
}

#[test]
fn the_drop_of_a_lazy_object_may_panic() {
    struct Panics(Arc<()>);
    impl Drop for Panics {
        fn drop(&mut self) {
            if Arc::strong_count(&self.0) == 5 {
                panic!("on purpose");
            }
        }
    }
    let alive = Arc::new(());
    let object = Arc::clone(&alive);
    let lazy = SyncRecycler::builder().capacity(9);
    let lazy = lazy.build_lazily(move |_| Panics(Arc::clone(&object)));
    let guards: Vec<_> = std::iter::from_fn(|| lazy.acquire()).take(3).collect();
    drop(guards);
    assert_eq!((lazy.made(), Arc::strong_count(&alive)), (3, 5));
    assert!(panics(|| drop(lazy)));
    assert_eq!(Arc::strong_count(&alive), 1, "the others are dropped all the same");
}

#[test]
fn the_last_guard_of_a_recycler_may_panic_in_its_hook() {
    let alive = Arc::new(());
    let recycler = Arc::new(
        SyncRecycler::builder()
            .capacity(3)
            .on_release(|_: &mut Arc<()>| panic!("on purpose"))
            .build_with(|_| Arc::clone(&alive)),
    );
    let guard = recycler.acquire_owned().unwrap();
    drop(recycler);
    assert_eq!(Arc::strong_count(&alive), 4);
    assert!(panics(|| drop(guard)));
    assert_eq!(Arc::strong_count(&alive), 1, "the recycler goes with its last guard all the same");
}

#[test]
fn guards_that_change_places_give_back_their_own_objects() {
    let (one, other) = (SyncRecycler::from_fn(2, |_| 'a'), SyncRecycler::from_fn(2, |_| 'b'));
    let (mut first, mut second) = (one.acquire().unwrap(), other.acquire().unwrap());
    std::mem::swap(&mut first, &mut second);
    assert_eq!((*first, *second), ('b', 'a'));
    drop(first);
    assert_eq!((one.available(), other.available()), (1, 2));
    drop(second);
    assert_eq!((one.available(), other.available()), (2, 2));
}

/// The iterator of a batch uses the pool between two removals, and panics; so does a destructor.
#[test]
fn a_batch_that_is_disturbed_loses_no_slot() {
    let pool = SyncPool::builder().capacity(130).homes(1).build();
    let fill =
        |pool: &SyncPool<u32>| -> Vec<_> { std::iter::from_fn(|| pool.insert(1).ok()).collect() };
    let handles = fill(&pool);
    let mut born = Vec::new();
    let disturbed = handles.iter().enumerate().map(|(number, handle)| {
        // What is removed is not free yet, until the batch comes to another word.
        let inserted = pool.insert(2).map(|handle| born.push(handle));
        assert_eq!(inserted.is_ok(), number > 64);
        assert!(number == 0 || !pool.contains(handles[number - 1]));
        assert!(number < 100, "on purpose");
        *handle
    });
    assert!(panics(|| _ = pool.remove_many(disturbed)));
    assert_eq!((pool.len(), born.len()), (30 + 36, 36));
    pool.validate().unwrap();
    // A batch inside of a batch.
    let (first, rest) = handles[100..].split_first().unwrap();
    let nested = std::iter::once(*first).inspect(|_| {
        assert_eq!(pool.remove_many(rest.iter().copied()), rest.len());
    });
    assert_eq!(pool.remove_many(nested), 1);
    pool.validate().unwrap();
    assert_eq!(fill(&pool).len(), 130 - 36);

    let told = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(true)));
    let pool = SyncPool::new(5);
    let value = |number| Told(number, Arc::clone(&told.0), Arc::clone(&told.1));
    let handles: Vec<_> = (0..5).map(|number| pool.insert(value(number)).unwrap()).collect();
    assert!(panics(|| _ = pool.remove_many(handles.iter().copied())));
    assert_eq!(pool.len(), 2, "what comes after it stays");
    pool.validate().unwrap();
    assert_eq!(pool.remove_many(handles), 2);
    assert!((0..5).all(|number| pool.insert(value(number)).is_ok()));
    // The pool's own drop would panic as well.
    told.1.store(false, SeqCst);
}

#[test]
fn recyclers_of_odd_objects() {
    #[derive(Default)]
    #[repr(align(256))]
    struct Wide(u8);
    let wide = SyncRecycler::<Wide>::new(3);
    let mut guards: Vec<_> = std::iter::from_fn(|| wide.acquire()).collect();
    for (number, guard) in guards.iter_mut().enumerate() {
        guard.0 = number as u8;
        assert_eq!((&raw const **guard).addr() % 256, 0);
    }
    assert!(guards.iter().map(|guard| guard.0).eq(0..3));
    drop(guards);
    let units = Arc::new(SyncRecycler::<()>::new(65));
    let guards: Vec<_> = std::iter::from_fn(|| units.acquire_owned()).collect();
    assert_eq!((guards.len(), units.available()), (65, 0));
    drop(units);
    drop(guards);
    // A constructor that panics, and one that would not be asked.
    let alive = Arc::new(());
    let made = |index| {
        assert!(index < 3, "on purpose");
        Arc::clone(&alive)
    };
    assert!(panics(|| drop(SyncRecycler::from_fn(5, made))));
    assert_eq!(Arc::strong_count(&alive), 1, "those that were made are gone");
    let too_many = SyncRecycler::<u8>::builder().capacity(usize::MAX);
    assert!(too_many.try_build_with(|_| unreachable!("it is refused before")).is_err());
    assert!(SyncRecycler::<u8>::builder().try_build_with(|_| 0).is_err(), "no capacity");
    assert!(SyncPool::<u8>::builder().capacity(usize::MAX).try_build().is_err());
}

/// A removed value whose drop a restore has to do, and which panics: the pool is as empty as after any other panic.
#[test]
fn a_restore_that_panics_while_it_settles_leaves_an_empty_pool() {
    #[derive(Clone)]
    struct Angry(bool);
    impl Drop for Angry {
        fn drop(&mut self) {
            if self.0 {
                std::panic::resume_unwind(Box::new("on purpose"));
            }
        }
    }
    let mut pool = millpond::sync::SyncPool::builder().capacity(4).drop_in_settle().build();
    let past = pool.snapshot();
    let insert = |angry| pool.insert(Angry(angry)).unwrap_or_else(|full| panic!("{full}"));
    let (stays, goes) = (insert(false), insert(true));
    assert!(pool.remove(goes));
    let restored = std::panic::AssertUnwindSafe(|| _ = pool.restore(&past));
    assert!(std::panic::catch_unwind(restored).is_err());
    assert!(pool.is_empty() && !pool.contains(stays));
    pool.validate().unwrap();
    pool.restore(&past).unwrap();
}
