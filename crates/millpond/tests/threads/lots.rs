//! Births and deaths in lots: the same handles, order and checksum on any number of threads, and the same as a plain loop.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;

use millpond::lots::{Lot, Lots};
use millpond::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::{Handle, Pool};

const CHUNK: usize = 50;
const BIRTHS: usize = 6;

/// An object with the handle of another, which it may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spark {
    seed: u64,
    other: Option<Handle<Spark>>,
}

impl millpond::snapshot::ToChecksum for Spark {
    fn add_to(&self, sum: &mut millpond::snapshot::Checksum) {
        sum.add(&self.seed);
        sum.add(&self.other.map_or(0, Handle::to_bits));
    }
}

impl Spark {
    /// With the handle of none.
    fn alone(seed: u64) -> Self {
        Self { seed, other: None }
    }
}

/// The handles that a pool issues until it is full.
fn fill<R: ReuseOrder>(pool: &mut Pool<Spark, R>) -> Vec<Handle<Spark>> {
    std::iter::from_fn(|| pool.insert(Spark::alone(0)).ok()).collect()
}

fn next(seed: u64) -> u64 {
    seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}

/// What every spark does in a frame, whatever thread runs it.
fn act(spark: &mut Spark, lot: &mut Lot<'_, Spark, Handle<Spark>>) {
    spark.seed = next(spark.seed);
    let choice = spark.seed >> 33;
    if choice % 4 == 0 {
        let child = Spark { seed: spark.seed ^ 0xabcd, other: Some(lot.handle()) };
        if let Ok(child) = lot.insert(child) {
            spark.other = Some(child);
        }
    }
    if choice % 7 == 0 {
        lot.die();
    }
    if choice % 11 == 0 {
        if let Some(other) = spark.other {
            // Part of the state: so it must not depend on the threads.
            spark.seed ^= u64::from(lot.kill(other));
        }
    }
}

fn full_of_sparks<R: ReuseOrder>() -> Pool<Spark, R> {
    let mut pool = Pool::with_capacity(1000);
    for seed in 0..700 {
        pool.insert(Spark::alone(seed)).unwrap();
    }
    for index in (0..700).step_by(3) {
        pool.remove_at(index);
    }
    pool
}

/// One frame on so many threads, which take the tasks in an order of their own.
fn frame_on<R: ReuseOrder>(
    pool: &mut Pool<Spark, R>,
    lots: &mut Lots<Spark>,
    threads: usize,
    seed: u64,
) {
    let mut update = pool.set_aside(lots);
    let mut tasks: Vec<_> = update.tasks().collect();
    let mut random = seed;
    for at in (1..tasks.len()).rev() {
        random = next(random);
        tasks.swap(at, (random >> 33) as usize % (at + 1));
    }
    let tasks = Mutex::new(tasks);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some(mut task) = tasks.lock().unwrap().pop() else { break };
                    task.run(act);
                    thread::yield_now();
                }
            });
        }
    });
    drop(tasks);
    update.settle();
}

fn same_on_any_number_of_threads<R: ReuseOrder>()
where
    Pool<Spark, R>: Send,
{
    let mut serial = full_of_sparks::<R>();
    let mut lots = Lots::new(CHUNK, BIRTHS);
    let mut sums = Vec::new();
    for _ in 0..12 {
        serial.update(&mut lots, act);
        serial.validate().unwrap();
        sums.push(serial.checksum());
    }
    let expected = serial.snapshot();
    for threads in [1, 2, 3, 7, 64] {
        let mut pool = full_of_sparks::<R>();
        let mut lots = Lots::new(CHUNK, BIRTHS);
        for (frame, sum) in sums.iter().enumerate() {
            frame_on(&mut pool, &mut lots, threads, frame as u64);
            assert_eq!(pool.checksum(), *sum, "{} on {threads} threads, frame {frame}", R::NAME);
        }
        assert_eq!(pool.snapshot().diff(&expected).count(), 0);
        assert_eq!(pool.stats(), serial.stats());
        // And it goes on the same way: the reuse order is part of it.
        assert_eq!(fill(&mut pool), fill(&mut serial.clone()));
        let mut stolen = full_of_sparks::<R>();
        let workers = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for sum in &sums {
            workers.install(|| stolen.par_update(CHUNK, BIRTHS, act));
            assert_eq!(stolen.checksum(), *sum, "{} by rayon on {threads}", R::NAME);
        }
    }
}

macro_rules! in_each_order {
    ($($name:ident: $order:ty;)+) => {$(
        #[test]
        fn $name() {
            same_on_any_number_of_threads::<$order>();
            as_claims_do_it::<$order>();
        }
    )+};
}
in_each_order! {
    lifo: Lifo;
    fifo: Fifo;
    lowest_first: LowestFirst;
    roster: Roster;
}

/// Another way to the same: lots are cut from the handles that a copy of the pool issues until it is full, births claim
/// their handles one by one unless it is their turn, and deaths are removals.
fn frame_by_claims<R: ReuseOrder>(pool: &mut Pool<Spark, R>, chunk: usize, each: usize) {
    let upcoming = fill(&mut pool.clone());
    let upcoming = &upcoming[..upcoming.len().min(pool.capacity().div_ceil(chunk) * each)];
    let lot_of = |index: usize| {
        let first = (index / chunk * each).min(upcoming.len());
        &upcoming[first..(first + each).min(upcoming.len())]
    };
    let good: Vec<_> = pool.handles().collect();
    let mut born = vec![0; pool.capacity().div_ceil(chunk)];
    let (mut births, mut deaths) = (Vec::new(), std::collections::BTreeSet::new());
    for (handle, spark) in pool.iter_mut() {
        let index = handle.index() as usize;
        // As in `act`.
        spark.seed = next(spark.seed);
        let choice = spark.seed >> 33;
        if choice % 4 == 0 {
            let child = Spark { seed: spark.seed ^ 0xabcd, other: Some(handle) };
            if let Some(at) = lot_of(index).get(born[index / chunk]) {
                born[index / chunk] += 1;
                births.push((*at, child));
                spark.other = Some(*at);
            }
        }
        if choice % 7 == 0 {
            deaths.insert(index);
        }
        if choice % 11 == 0 {
            if let Some(other) = spark.other {
                let was_good = good.contains(&other);
                spark.seed ^= u64::from(was_good);
                if was_good {
                    deaths.insert(other.index() as usize);
                }
            }
        }
    }
    for (at, child) in births {
        pool.insert_at(at, child).unwrap();
    }
    deaths.into_iter().for_each(|index| _ = pool.remove_at(index).unwrap());
}

fn as_claims_do_it<R: ReuseOrder>() {
    // Also where chunks do not end at a word of the bitmap, lots reach beyond all that was ever used, or are used up.
    for (chunk, each) in [(CHUNK, BIRTHS), (64, 9), (7, 1), (200, 40), (1000, 1000)] {
        let (mut pool, mut plain) = (full_of_sparks::<R>(), full_of_sparks::<R>());
        let mut lots = Lots::new(chunk, each);
        for frame in 0..30 {
            pool.update(&mut lots, act);
            frame_by_claims(&mut plain, chunk, each);
            pool.validate().unwrap();
            let at = format!("{}, {each} births in {chunk} slots, frame {frame}", R::NAME);
            assert_eq!(pool.checksum(), plain.checksum(), "{at}");
            assert_eq!(pool.stats(), plain.stats(), "{at}");
            if frame % 8 == 7 {
                // Births in turn, and a claim out of turn, between frames.
                for pool in [&mut pool, &mut plain] {
                    let spark = Spark::alone(frame);
                    let first = pool.insert(spark).unwrap();
                    pool.insert(spark).unwrap();
                    pool.remove(first);
                    let free = (0..1000).rev().find(|index| pool.get_at(*index).is_none()).unwrap();
                    let age = pool.remove_at(free).map_or(900 + frame as u32, |_| unreachable!());
                    let far = Handle::from_parts(free as u32, age).unwrap();
                    assert_eq!(pool.insert_at(far, spark), Ok(far));
                }
            }
        }
        // And both go on the same way.
        assert_eq!(fill(&mut pool), fill(&mut plain));
    }
}

#[test]
fn the_first_lots_get_what_is_left() {
    let mut pool = Pool::<u32>::new(12);
    (0..9).for_each(|value| _ = pool.insert(value).unwrap());
    let born = Mutex::new(Vec::new());
    let mut lots = Lots::new(4, 2);
    pool.update(&mut lots, |value, lot| {
        if let Ok(handle) = lot.insert(*value + 100) {
            born.lock().unwrap().push((*value, handle.index()));
        }
    });
    assert_eq!(*born.lock().unwrap(), [(0, 9), (1, 10), (4, 11)]);
    assert!(pool.is_full());
    pool.update(&mut lots, |_, lot| {
        let full = lot.insert(0).unwrap_err();
        assert_eq!((full.capacity(), full.into_inner()), (12, 0));
        lot.die();
    });
    assert!(pool.is_empty());
    pool.validate().unwrap();
}

/// Lots larger than the pool take no more memory than the pool has slots for; the first gets all of it.
#[test]
fn lots_of_any_size_are_cut_to_the_pool() {
    let all = usize::MAX;
    for (chunk, births, expected) in [(0, all, 1), (1, all, 1), (all, all, 10), (all, 0, 0)] {
        let mut pool = Pool::<u32>::new(100);
        (0..10).for_each(|value| _ = pool.insert(value).unwrap());
        let mut born = 0;
        pool.update(&mut Lots::new(chunk, births), |value, lot| {
            born += usize::from(lot.insert(*value).is_ok());
        });
        assert_eq!((born, pool.len()), (expected, 10 + expected));
    }
    Pool::<u32>::new(0).update(&mut Lots::new(64, 8), |_, _| unreachable!("there is no value"));
}

#[test]
fn a_death_says_whether_the_handle_was_good_not_who_was_first() {
    let mut pool = Pool::<u32>::new(100);
    let handles: Vec<_> = (0..100).map(|value| pool.insert(value).unwrap()).collect();
    pool.remove(handles[1]);
    let victim = handles[0];
    let mut update_lots = Lots::new(1, 0);
    pool.update(&mut update_lots, |_, lot| {
        assert!(lot.contains(victim) && lot.kill(victim), "good at the beginning, for all");
        assert!(!lot.kill(handles[1]));
    });
    assert_eq!((pool.len(), pool.contains(victim)), (98, false));
}

#[test]
fn nothing_happens_unless_it_settles() {
    let mut pool = full_of_sparks::<Lifo>();
    let before = pool.checksum();
    let mut lots = Lots::new(CHUNK, BIRTHS);
    let leave = |spark: &mut Spark, lot: &mut Lot<'_, Spark, Handle<Spark>>| {
        _ = lot.insert(*spark);
        lot.die();
    };
    for _ in 0..2 {
        // An update has no destructor: to leak it is the same.
        pool.set_aside(&mut lots).tasks().for_each(|mut task| task.run(leave));
        assert_eq!(pool.checksum(), before);
        pool.validate().unwrap();
    }
    let panics = AssertUnwindSafe(|| {
        pool.update(&mut lots, |spark, lot| {
            leave(spark, lot);
            assert!(spark.seed < 500, "on purpose");
        });
    });
    assert!(catch_unwind(panics).is_err());
    assert_eq!(pool.checksum(), before);
    // And the next update is not disturbed by what was left of these.
    let (mut one, mut other) = (pool.clone(), full_of_sparks::<Lifo>());
    one.update(&mut lots, act);
    other.update(&mut Lots::new(CHUNK, BIRTHS), act);
    assert_eq!(one.checksum(), other.checksum());
}

#[test]
fn values_move_once_and_drop_once() {
    let alive = std::sync::Arc::new(());
    let mut pool = Pool::new(100);
    (0..50).for_each(|_| _ = pool.insert(std::sync::Arc::clone(&alive)).unwrap());
    let mut lots = Lots::new(10, 10);
    for _ in 0..3 {
        pool.update(&mut lots, |value, lot| {
            _ = lot.insert(std::sync::Arc::clone(value));
            lot.die();
        });
        assert_eq!(std::sync::Arc::strong_count(&alive), pool.len() + 1);
    }
    drop((pool, lots));
    assert_eq!(std::sync::Arc::strong_count(&alive), 1);
}
