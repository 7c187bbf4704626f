//! What other pools for threads do, by the very steps that `SyncPool` and `SyncRecycler` come through: each of these tests
//! would fail if it asked of the peer what it asks of millpond.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

use millpond::{SyncPool, SyncRecycler, TakeError};
use sharded_slab::Config as _;

/// After how many lifetimes of its slot a key that was removed is good again, up to this many.
fn good_again_after<K: Copy + PartialEq>(
    lives: u32,
    insert: impl Fn() -> K,
    remove: impl Fn(K),
    is_good: impl Fn(K) -> bool,
) -> Option<u32> {
    let stale = insert();
    remove(stale);
    (1..=lives).find(|_| {
        let next = insert();
        let is_good = is_good(stale);
        remove(next);
        is_good
    })
}

#[test]
fn a_key_of_sharded_slab_comes_true_again() {
    const LIVES: u32 = 1 << 14;
    let slab = sharded_slab::Slab::new();
    let insert = || slab.insert(1).expect("room");
    let good =
        good_again_after(LIVES, insert, |key| _ = slab.remove(key), |key| slab.contains(key));
    assert_eq!(good, Some((1 << 13) - 1));

    let pool = SyncPool::new(1);
    let insert = || pool.insert(1).expect("room");
    let good =
        good_again_after(LIVES, insert, |key| _ = pool.remove(key), |key| pool.contains(key));
    assert_eq!(good, None);
}

/// A key has eight bits of the user's, two of state, and 22 of generation.
#[test]
fn a_key_of_concurrent_slotmap_comes_true_again() {
    const LIVES: u32 = 1 << 22;
    let mut map = concurrent_slotmap::SlotMap::<concurrent_slotmap::SlotId, u8>::new(1);
    // By `&mut`, a slot is free at once; shared, the next lifetimes are the same.
    let stale = map.insert_mut(1);
    map.remove_mut(stale);
    let good = (1..=LIVES).find(|_| {
        let next = map.insert_mut(1);
        let is_good = map.get(stale, &map.pin()).is_some();
        map.remove_mut(next);
        is_good
    });
    assert_eq!(good, Some(LIVES));

    let pool = SyncPool::new(1);
    let insert = || pool.insert(1_u8).expect("room");
    let good =
        good_again_after(LIVES, insert, |key| _ = pool.remove(key), |key| pool.contains(key));
    assert_eq!(good, None);
}

/// So few threads that the test is quick; a program has 4,096, or 128 on 32 bits, unless it sets them itself.
struct Few;

impl sharded_slab::Config for Few {
    const MAX_THREADS: usize = 64;
}

/// How many of more threads than sharded-slab has room for can insert while all of them are there.
fn threads_that_can_insert(insert: impl Fn(usize) -> bool + Sync) -> usize {
    const THREADS: usize = 2 * Few::MAX_THREADS;
    let all_there = std::sync::Barrier::new(THREADS);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let (insert, all_there) = (&insert, &all_there);
                scope.spawn(move || {
                    let inserted = catch_unwind(AssertUnwindSafe(|| insert(number)));
                    // It keeps its number until it ends.
                    all_there.wait();
                    inserted.unwrap_or(false)
                })
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|can| *can).count()
    })
}

#[test]
fn sharded_slab_has_room_for_so_many_threads() {
    assert_eq!(
        sharded_slab::DefaultConfig::MAX_THREADS,
        if cfg!(target_pointer_width = "64") { 4096 } else { 128 }
    );
    let slab = sharded_slab::Slab::new_with_config::<Few>();
    let can = threads_that_can_insert(|value| slab.insert(value).is_some());
    assert!(can <= Few::MAX_THREADS, "{can} threads");

    let pool = SyncPool::new(2 * Few::MAX_THREADS);
    let can = threads_that_can_insert(|value| pool.insert(value).is_ok());
    assert_eq!((can, pool.len()), (2 * Few::MAX_THREADS, 2 * Few::MAX_THREADS));
}

#[test]
fn a_take_of_sharded_slab_waits_for_its_own_guard() {
    let (done, waits) = mpsc::channel();
    // This thread spins for ever, and goes with the program.
    std::thread::spawn(move || {
        let slab = sharded_slab::Slab::new();
        let key = slab.insert(1).expect("room");
        let _guard = slab.get(key).expect("live");
        _ = slab.take(key);
        _ = done.send(());
    });
    assert_eq!(
        waits.recv_timeout(Duration::from_millis(300)),
        Err(mpsc::RecvTimeoutError::Timeout)
    );

    let pool = SyncPool::new(1);
    let handle = pool.insert(1).expect("room");
    let _guard = pool.get(handle).expect("live");
    assert_eq!(pool.take(handle), Err(TakeError::Busy));
}

#[test]
fn a_guard_of_concurrent_slotmap_uses_up_the_slots_of_others() {
    const SLOTS: u32 = 1 << 14;
    let map = concurrent_slotmap::SlotMap::new(SLOTS);
    let held = map.pin();
    let pairs = AssertUnwindSafe(|| {
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                for value in 0..=SLOTS {
                    let guard = map.pin();
                    let key = map.insert(value, &guard);
                    map.remove(key, &guard);
                }
            });
            assert!(other.join().is_ok());
        });
    });
    assert!(catch_unwind(pairs).is_err(), "no slot is left, though one value lives at a time");
    drop(held);

    let pool = SyncPool::new(SLOTS as usize);
    let kept = pool.insert(0).expect("room");
    let _held = pool.get(kept).expect("live");
    for value in 0..=SLOTS {
        let handle = pool.insert(value).expect("room");
        assert!(pool.remove(handle));
    }
}

#[test]
fn object_pool_makes_more_objects_than_it_has_room_for() {
    let pool = object_pool::Pool::new(1, || 0);
    let lent: Vec<_> = (0..3).map(|_| pool.pull(|| 0)).collect();
    assert_eq!(lent.len(), 3);

    let recycler = SyncRecycler::<i32>::new(1);
    let lent: Vec<_> = (0..3).map_while(|_| recycler.acquire()).collect();
    assert_eq!(lent.len(), 1);
}

/// Whether a type is `Sync`, or `Send`, as the compiler sees it.
macro_rules! implements {
    ($type:ty: $bound:ident) => {{
        struct Asked<T: ?Sized>(std::marker::PhantomData<T>);
        #[allow(dead_code, reason = "the answer of types that are not")]
        trait Otherwise {
            const ANSWER: bool = false;
        }
        impl<T: ?Sized> Otherwise for Asked<T> {}
        #[allow(dead_code, reason = "the answer of types that are")]
        impl<T: ?Sized + $bound> Asked<T> {
            const ANSWER: bool = true;
        }
        <Asked<$type>>::ANSWER
    }};
}

/// An allocator of objects that must stay on its thread.
struct Local(#[allow(dead_code, reason = "what makes it so")] std::rc::Rc<()>);

impl opool::PoolAllocator<u8> for Local {
    fn allocate(&self) -> u8 {
        0
    }
}

/// It says that it is not shared, since its stack is for one thread that pops: with more, an object is lent twice. (That
/// is shown by schedules, in the library's own tests: a race in this program could do anything.)
#[test]
fn nexus_pool_can_be_shared_though_it_must_not() {
    assert!(implements!(nexus_pool::sync::Pool<u8>: Sync));
    assert!(
        implements!(SyncRecycler<u8>: Sync),
        "whose objects are lent once, on any number of threads"
    );
}

#[test]
fn opool_and_lockfree_object_pool_go_where_they_must_not() {
    assert!(implements!(u8: Send) && !implements!(Local: Send) && !implements!(Cell<u8>: Sync));
    assert!(implements!(opool::Pool<Local, u8>: Send), "with a `Local`, which is not");
    assert!(implements!(lockfree_object_pool::LinearOwnedReusable<Cell<u8>>: Sync), "a `Cell`");

    assert!(!implements!(SyncPool<Cell<u8>>: Sync));
    assert!(!implements!(millpond::sync::AcquiredOwned<Cell<u8>>: Sync));
    assert!(!implements!(millpond::sync::Acquired<'static, Cell<u8>>: Sync));
}
