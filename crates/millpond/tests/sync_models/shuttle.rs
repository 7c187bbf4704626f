//! Random schedules for shuttle: 64 threads at once, in orders that are rare on a real machine. `ci/shuttle` runs them.
//! Only one thread runs at a time here, so they find mistakes in the steps, not in the memory orders.

use std::sync::Arc;
use std::vec::Vec;

use shuttle::rand::{Rng, thread_rng};
use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::thread;

use super::free::FreeSlots;
use super::parking::{Gate, has_stopped, stop_before};
use super::{SyncPool, SyncRecycler, SyncRecyclerBuilder, TakeError};

const THREADS: usize = 64;
const SCHEDULES: usize = 1000;

/// Random schedules, and schedules that let a thread run until it blocks, with a few forced switches (PCT).
fn in_many_orders(f: impl Fn() + Send + Sync + Copy + 'static) {
    shuttle::check_random(f, SCHEDULES);
    shuttle::check_pct(f, SCHEDULES, 3);
}

struct Value(Arc<AtomicUsize>);

impl Drop for Value {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

#[test]
fn handles_never_lie_and_the_capacity_is_exact() {
    in_many_orders(|| {
        const CAPACITY: usize = 40;
        let pool = Arc::new(SyncPool::builder().capacity(CAPACITY).homes(4).build());
        let alive = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let (pool, alive) = (Arc::clone(&pool), Arc::clone(&alive));
                thread::spawn(move || {
                    let mut removed = Vec::new();
                    for _ in 0..3 {
                        alive.fetch_add(1, SeqCst);
                        let Ok(handle) = pool.home(number).insert(Value(Arc::clone(&alive))) else {
                            continue;
                        };
                        let guard = pool.get(handle).expect("it is this thread's own");
                        if thread_rng().gen_bool(0.5) {
                            assert!(matches!(pool.take(handle), Err(TakeError::Busy)));
                            drop(guard);
                            assert!(pool.take(handle).is_ok());
                        } else {
                            assert!(pool.remove(handle));
                            assert!(pool.get(handle).is_none());
                            drop(guard);
                        }
                        removed.push(handle);
                    }
                    assert!(removed.iter().all(|handle| !pool.contains(*handle)));
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!((pool.len(), alive.load(SeqCst)), (0, 0));
        for _ in 0..CAPACITY {
            alive.fetch_add(1, SeqCst);
            assert!(pool.insert(Value(Arc::clone(&alive))).is_ok(), "no slot was lost");
        }
    });
}

#[test]
fn others_finish_while_one_thread_is_stopped_anywhere() {
    in_many_orders(|| {
        let pool = Arc::new(SyncPool::builder().capacity(4).build());
        // One thread stops for ever while it holds a guard, as if it were parked there: it leaks the guard.
        let stuck = pool.insert(0_usize).unwrap();
        core::mem::forget(pool.get(stuck));
        pool.remove(stuck);
        let threads: Vec<_> = (1..THREADS)
            .map(|number| {
                let pool = Arc::clone(&pool);
                thread::spawn(move || {
                    // Three slots are left. A thread that finds none continues, too.
                    if let Ok(handle) = pool.insert(number) {
                        assert_eq!(*pool.get(handle).unwrap(), number);
                        assert!(pool.remove(handle));
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(pool.len(), 0);
        assert_eq!((0..4).filter(|number| pool.insert(*number).is_ok()).count(), 3);
    });
}

/// The few free slots lie in several words, so threads look for the same ones, from different homes.
#[test]
fn searches_over_several_words_find_each_free_slot() {
    const FREE: [usize; 6] = [3, 70, 71, 130, 255, 256];
    in_many_orders(|| {
        let pool = Arc::new(SyncPool::builder().capacity(260).homes(2).build());
        while pool.insert(0_usize).is_ok() {}
        let free = FREE.map(|slot| pool.handle_at(slot).expect("it is live"));
        assert_eq!(pool.remove_many(free), FREE.len());
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let pool = Arc::clone(&pool);
                thread::spawn(move || pool.home(number).insert(number).ok())
            })
            .collect();
        let inserted: Vec<_> =
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect();
        let mut slots: Vec<_> = inserted.iter().map(|handle| handle.index() as usize).collect();
        slots.sort_unstable();
        assert_eq!(slots, FREE);
    });
}

#[test]
fn an_object_is_lent_to_one_thread_at_a_time_and_each_waiting_thread_gets_one() {
    lent_to_one_thread_at_a_time(|builder| builder.build_with(|_| AtomicUsize::new(0)));
}

#[test]
fn a_lazy_object_is_too_and_each_is_made_once() {
    lent_to_one_thread_at_a_time(|builder| {
        let made: [_; 3] = std::array::from_fn(|_| AtomicUsize::new(0));
        builder.build_lazily(move |index| {
            thread::yield_now();
            assert_eq!(made[index].fetch_add(1, SeqCst), 0);
            AtomicUsize::new(0)
        })
    });
}

fn lent_to_one_thread_at_a_time(
    build: fn(SyncRecyclerBuilder<AtomicUsize>) -> SyncRecycler<AtomicUsize>,
) {
    in_many_orders(move || {
        let recycler = Arc::new(build(SyncRecycler::builder().capacity(3)));
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let recycler = Arc::clone(&recycler);
                thread::spawn(move || {
                    let object = if number % 2 == 0 {
                        recycler.acquire_blocking()
                    } else {
                        recycler.acquire()
                    };
                    if let Some(object) = object {
                        assert_eq!(object.fetch_add(1, SeqCst), 0);
                        thread::yield_now();
                        assert_eq!(object.fetch_sub(1, SeqCst), 1);
                    } else {
                        assert!(number % 2 == 1, "a waiting thread gets one");
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(recycler.available(), 3);
    });
}

/// Each thread's work: every operation that may run concurrently.
fn work(pool: &SyncPool<usize>, recycler: &SyncRecycler<usize>, number: usize) {
    if let Ok(handle) = pool.home(number).insert(number) {
        let guard = pool.get(handle).expect("it is this thread's own");
        assert!(pool.remove(handle) && *guard == number);
    }
    if let Ok(handle) = pool.insert(number) {
        match pool.take(handle) {
            Ok(value) => assert_eq!(value, number),
            // Another thread reads it.
            Err(error) => assert!(error == TakeError::Busy && pool.remove(handle)),
        }
    }
    let handles: Vec<_> = (0..2).filter_map(|_| pool.insert(number).ok()).collect();
    let count = handles.len();
    assert_eq!(pool.remove_many(handles), count);
    for (handle, value) in pool.iter() {
        assert!(*value < THREADS && handle.index() < 6);
    }
    if let Some(mut object) = recycler.acquire() {
        *object += 1;
    }
}

#[test]
fn others_finish_wherever_a_thread_stops() {
    const OTHERS: usize = 3;
    let mut stops = 0;
    loop {
        let times = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counted = Arc::clone(&times);
        // The same number of schedules for each of its accesses.
        shuttle::check_random(
            move || {
                let pool = Arc::new(SyncPool::builder().capacity(6).homes(1).build());
                let recycler = Arc::new(SyncRecycler::from_fn(2, |_| 0_usize));
                let gate = Arc::new(Gate::default());
                let stopped = {
                    let (pool, recycler, gate) =
                        (Arc::clone(&pool), Arc::clone(&recycler), Arc::clone(&gate));
                    thread::spawn(move || {
                        stop_before(stops, &gate);
                        work(&pool, &recycler, 0);
                    })
                };
                let others: Vec<_> = (1..=OTHERS)
                    .map(|number| {
                        let (pool, recycler) = (Arc::clone(&pool), Arc::clone(&recycler));
                        thread::spawn(move || work(&pool, &recycler, number))
                    })
                    .collect();
                // If one of them waits for the stopped thread, shuttle reports a deadlock, or too many steps.
                others.into_iter().for_each(|other| other.join().unwrap());
                gate.open();
                stopped.join().unwrap();
                counted.fetch_add(usize::from(has_stopped()), SeqCst);
                assert_eq!((pool.len(), recycler.available()), (0, 2));
                assert!((0..6).all(|value| pool.insert(value).is_ok()), "no slot was lost");
            },
            30,
        );
        if times.load(SeqCst) == 0 {
            break;
        }
        stops += 1;
    }
    assert!(stops > 30, "it has more accesses than {stops}");
}

/// Lends objects by number.
trait Lends: Send + Sync + 'static {
    fn acquire(&self) -> Option<usize>;
    fn release(&self, object: usize);
}

/// Free objects as a stack whose head is a number without a count, as in a pool that was made for one acquiring
/// thread.
struct Stack {
    head: AtomicUsize,
    next: Vec<AtomicUsize>,
}

impl Lends for Stack {
    fn acquire(&self) -> Option<usize> {
        let mut head = self.head.load(SeqCst);
        while let Some(next) = self.next.get(head) {
            // By now, another thread may have taken the first and the second, and returned the first.
            let next = next.load(SeqCst);
            match self.head.compare_exchange(head, next, SeqCst, SeqCst) {
                Ok(_) => return Some(head),
                Err(now) => head = now,
            }
        }
        None
    }

    fn release(&self, object: usize) {
        let mut head = self.head.load(SeqCst);
        loop {
            self.next[object].store(head, SeqCst);
            match self.head.compare_exchange(head, object, SeqCst, SeqCst) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }
}

/// The free bits that `SyncPool` and `SyncRecycler` have.
impl Lends for FreeSlots {
    fn acquire(&self) -> Option<usize> {
        self.claim(0, SeqCst)
    }

    fn release(&self, object: usize) {
        self.word_of(object).fetch_or(1 << object, SeqCst);
    }
}

/// Three threads, each of which holds two objects at once, and returns the first one first.
fn lend_to_three<L: Lends>(objects: L) {
    let objects = Arc::new(objects);
    let is_out = Arc::new([const { std::sync::atomic::AtomicBool::new(false) }; 4]);
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let (objects, is_out) = (Arc::clone(&objects), Arc::clone(&is_out));
            thread::spawn(move || {
                for _ in 0..2 {
                    let mine: Vec<_> = (0..2).filter_map(|_| objects.acquire()).collect();
                    for object in &mine {
                        assert!(!is_out[*object].swap(true, SeqCst), "lent twice");
                    }
                    for object in mine {
                        is_out[object].store(false, SeqCst);
                        objects.release(object);
                    }
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// The schedules find the fault of a stack, so they would find the same fault in the bits.
#[test]
fn a_stack_lends_an_object_twice_and_bits_do_not() {
    in_many_orders(|| lend_to_three(FreeSlots::try_new(4, 1).unwrap()));
    let stack = || {
        let next = (1..=4).map(AtomicUsize::new).collect();
        lend_to_three(Stack { head: AtomicUsize::new(0), next });
    };
    let found = std::panic::catch_unwind(|| shuttle::check_random(stack, 100_000)).unwrap_err();
    let said = found.downcast_ref::<std::string::String>().map(std::string::String::as_str);
    let said = said.or_else(|| found.downcast_ref::<&str>().copied()).unwrap_or_default();
    assert!(said.contains("lent twice"), "{said}");
}
