//! Pools that threads share, against each other: each work is done by all of them in turn, several rounds, and the best
//! round counts. `cargo run --release -p millpond-bench-threads [rounds]`.
//!
//! What is printed was measured here: nothing is modelled for machines with more processors.

mod contenders;

use std::hint::black_box;
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::Instant;

use contenders::{Keyed, Lends, Make, Queue, Value};
use millpond::{Pool, SyncPool, SyncRecycler};
use slotmap::{DefaultKey, SlotMap};

const CAPACITY: usize = 1 << 14;
const OPERATIONS: u32 = 200_000;

/// Nanoseconds per operation of one thread, while as many do the same.
fn on_threads(threads: usize, operations: u32, work: impl Fn(usize) + Sync) -> f64 {
    let barrier = Barrier::new(threads);
    let slowest = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|number| {
                let (barrier, work) = (&barrier, &work);
                scope.spawn(move || {
                    barrier.wait();
                    let start = Instant::now();
                    work(number);
                    start.elapsed().as_secs_f64()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).fold(0.0, f64::max)
    });
    slowest * 1e9 / f64::from(operations)
}

fn pairs<P: Keyed>(threads: usize) -> f64 {
    let pool = P::new(CAPACITY);
    on_threads(threads, OPERATIONS, |_| {
        for number in 0..OPERATIONS {
            let key = pool.insert([number.into(); 2]);
            black_box(key.is_some_and(|key| pool.remove(key)));
        }
    })
}

fn replace<P: Keyed>(threads: usize) -> f64 {
    let pool = P::new(CAPACITY);
    on_threads(threads, OPERATIONS, |_| {
        let mut keys: Vec<_> = (0..1000).filter_map(|number| pool.insert([number; 2])).collect();
        let mut random = 1_u32;
        for number in 0..OPERATIONS {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = (random >> 8) as usize % keys.len();
            pool.remove(keys[at]);
            if let Some(key) = pool.insert([number.into(); 2]) {
                keys[at] = key;
            }
        }
    })
}

fn get_own<P: Keyed>(threads: usize) -> f64 {
    let pool = P::new(CAPACITY);
    on_threads(threads, OPERATIONS, |_| {
        if let Some(key) = pool.insert([7; 2]) {
            black_box(
                (0..OPERATIONS).fold(0, |sum: u64, _| sum.wrapping_add(pool.read(black_box(key)))),
            );
        }
    })
}

fn get_one_for_all<P: Keyed>(threads: usize) -> f64 {
    let pool = P::new(CAPACITY);
    let key = pool.insert([7; 2]);
    on_threads(threads, OPERATIONS, |_| {
        for _ in 0..OPERATIONS {
            black_box(key.map(|key| pool.read(key)));
        }
    })
}

/// Each value is removed by another thread than the one that inserted it.
fn remote<P: Keyed>(threads: usize) -> f64 {
    let pool = P::new(CAPACITY);
    let boxes: Vec<Mutex<Vec<P::Key>>> = (0..threads).map(|_| Mutex::new(Vec::new())).collect();
    on_threads(threads, OPERATIONS, |number| {
        for _ in 0..OPERATIONS / 64 {
            let keys: Vec<_> = (0..64).filter_map(|value| pool.insert([value; 2])).collect();
            let to = &boxes[(number + 1) % threads];
            let others = std::mem::replace(&mut *to.lock().expect("no panic"), keys);
            others.into_iter().for_each(|key| _ = black_box(pool.remove(key)));
        }
    })
}

fn lend<P: Lends>(threads: usize) -> f64 {
    let pool = P::new(256);
    on_threads(threads, OPERATIONS, |_| (0..OPERATIONS).for_each(|_| pool.use_one()))
}

fn lend_while_10_000_are_out<P: Lends>(threads: usize) -> f64 {
    let pool = P::new(10_064);
    on_threads(threads, OPERATIONS / 8, |number| {
        if number == 0 {
            pool.use_one_while_out(10_000, OPERATIONS / 8);
        }
    })
}

/// 99.9 of 100 operations of 64 threads take no longer than this, in nanoseconds.
fn tail<P: Keyed>(_threads: usize) -> f64 {
    let pool = P::new(CAPACITY);
    let all = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                let mut took = Vec::with_capacity(2000);
                for number in 0..2000 {
                    let start = Instant::now();
                    let key = pool.insert([number; 2]);
                    black_box(key.is_some_and(|key| pool.remove(key)));
                    took.push(start.elapsed().as_nanos() as f64);
                }
                all.lock().expect("no panic").extend(took);
            });
        }
    });
    let mut all = all.into_inner().expect("no panic");
    all.sort_by(f64::total_cmp);
    all[all.len() * 999 / 1000]
}

type Work = (&'static str, fn(usize) -> f64);

fn compare(title: &str, rounds: usize, threads: &[usize], works: &[Work]) {
    println!("\n{title}: ns");
    print!("{:<24}", "threads");
    threads.iter().for_each(|threads| print!("{threads:>10}"));
    println!();
    let mut best = vec![vec![f64::INFINITY; threads.len()]; works.len()];
    for _ in 0..rounds {
        for (column, threads) in threads.iter().enumerate() {
            for (row, (_, work)) in works.iter().enumerate() {
                best[row][column] = best[row][column].min(work(*threads));
            }
        }
    }
    for ((name, _), best) in works.iter().zip(best) {
        print!("{name:<24}");
        best.iter().for_each(|ns| print!("{ns:>10.1}"));
        println!();
    }
}

macro_rules! keyed {
    ($work:ident) => {
        &[
            (<SyncPool<Value> as Keyed>::NAME, $work::<SyncPool<Value>>),
            (<sharded_slab::Slab<Value> as Keyed>::NAME, $work::<sharded_slab::Slab<Value>>),
            (<Mutex<Pool<Value>> as Keyed>::NAME, $work::<Mutex<Pool<Value>>>),
            (
                <Mutex<SlotMap<DefaultKey, Value>> as Keyed>::NAME,
                $work::<Mutex<SlotMap<DefaultKey, Value>>>,
            ),
        ]
    };
}

macro_rules! lent {
    ($work:ident) => {
        &[
            (<SyncRecycler<Value> as Lends>::NAME, $work::<SyncRecycler<Value>>),
            (
                <lockfree_object_pool::LinearObjectPool<Value> as Lends>::NAME,
                $work::<lockfree_object_pool::LinearObjectPool<Value>>,
            ),
            (<opool::Pool<Make, Value> as Lends>::NAME, $work::<opool::Pool<Make, Value>>),
            (<object_pool::Pool<Value> as Lends>::NAME, $work::<object_pool::Pool<Value>>),
            (<Queue as Lends>::NAME, $work::<Queue>),
        ]
    };
}

fn main() {
    let rounds = std::env::args().nth(1).map_or(Ok(7), |rounds| rounds.parse());
    let Ok(rounds @ 1..) = rounds else {
        eprintln!("millpond-bench-threads: expected a number of rounds from 1 up");
        std::process::exit(2);
    };
    let threads = [1, 2, 4];
    compare("insert and remove", rounds, &threads, keyed!(pairs));
    compare("replace one of 1,000 of one's own", rounds, &threads, keyed!(replace));
    compare("get and drop, own object", rounds, &threads, keyed!(get_own));
    compare("get and drop, one object for all", rounds, &threads, keyed!(get_one_for_all));
    compare("insert, and remove on another thread", rounds, &threads, keyed!(remote));
    compare("acquire and release", rounds, &threads, lent!(lend));
    compare(
        "acquire and release while 10,000 are out",
        rounds,
        &[1],
        lent!(lend_while_10_000_are_out),
    );
    compare("insert and remove, p99.9 of 64 threads", rounds, &[64], keyed!(tail));
}
