//! Pools that threads share, against each other: each work is done by all of them in turn, several rounds. On one thread
//! the best round counts. On several it is the median: in the best, the threads may have run one after the other.
//! `cargo run --release -p millpond-bench-threads [rounds] [part of a title] [file] [homes] [threads]`: the second
//! argument chooses comparisons, the third names a CSV file for all figures, the fourth is the number of homes of
//! millpond's pools in place of their default, and the fifth a list of numbers of threads in place of 1,2,4,64. Arguments
//! may be empty.
//!
//! What is printed was measured here: nothing is modelled for machines with more processors. For one of those, build a
//! program that needs nothing there: `RUSTFLAGS='-C strip=symbols' cargo build --release -p millpond-bench-threads`.
//! With a list of threads, pools behind a mutex run on 4 threads at most, because on 64 they take most of the time:
//! `millpond-bench-threads 5 own '' '' 1,2,4,8,16,32,64` takes less than three minutes.

mod contenders;

use std::fs::File;
use std::hint::black_box;
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::Instant;

use contenders::{HOMES, Keyed, Lends, Make, Queue, Value};
use millpond::lots::Lots;
use millpond::{Handle, Pool, SyncPool, SyncRecycler};
use serde::Serialize;
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
    if threads > P::THREADS_MAX {
        return f64::NAN;
    }
    let pool = P::new(CAPACITY);
    on_threads(threads, OPERATIONS, |_| {
        for number in 0..OPERATIONS {
            let key = pool.insert([number.into(); 2]);
            black_box(key.is_some_and(|key| pool.remove(key)));
        }
    })
}

fn replace<P: Keyed>(threads: usize) -> f64 {
    if threads > P::THREADS_MAX {
        return f64::NAN;
    }
    let pool = P::new(CAPACITY.max(2048 * threads));
    on_threads(threads, OPERATIONS, |_| {
        let mut keys: Vec<_> = (0..1000).map(|number| pool.insert([number; 2])).collect();
        let mut random = 1_u32;
        for number in 0..OPERATIONS {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = (random >> 8) as usize % keys.len();
            if let Some(key) = keys[at].take() {
                pool.remove(key);
            }
            keys[at] = pool.insert([number.into(); 2]);
        }
    })
}

fn get_own<P: Keyed>(threads: usize) -> f64 {
    let pool = P::new(CAPACITY);
    on_threads(threads, OPERATIONS, |_| {
        if let Some(key) = pool.insert([7; 2]) {
            black_box(
                (0..OPERATIONS).fold(0, |sum: u64, _| sum.wrapping_add(pool.read(black_box(&key)))),
            );
        }
    })
}

fn get_one_for_all<P: Keyed>(threads: usize) -> f64 {
    let pool = P::new(CAPACITY);
    let key = pool.insert([7; 2]);
    on_threads(threads, OPERATIONS, |_| {
        for _ in 0..OPERATIONS {
            black_box(key.as_ref().map(|key| pool.read(key)));
        }
    })
}

/// Each value is removed by another thread than the one that inserted it.
fn remote<P: Keyed>(threads: usize) -> f64 {
    if threads > P::THREADS_MAX {
        return f64::NAN;
    }
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

/// The same by [`SyncPool::remove_many`].
fn remote_in_batches(threads: usize) -> f64 {
    let pool = <SyncPool<Value> as Keyed>::new(CAPACITY);
    let boxes: Vec<Mutex<Vec<_>>> = (0..threads).map(|_| Mutex::new(Vec::new())).collect();
    on_threads(threads, OPERATIONS, |number| {
        for _ in 0..OPERATIONS / 64 {
            let keys: Vec<_> = (0..64).filter_map(|value| pool.insert([value; 2]).ok()).collect();
            let to = &boxes[(number + 1) % threads];
            let others = std::mem::replace(&mut *to.lock().expect("no panic"), keys);
            black_box(pool.remove_many(others));
        }
    })
}

/// Insertions and removals while 99 of 100 slots are taken, wherever there is room.
fn pairs_in_a_full_pool<P: Keyed>(threads: usize) -> f64 {
    if threads > P::THREADS_MAX {
        return f64::NAN;
    }
    let pool = P::new(CAPACITY);
    let taken: Vec<_> = (0..CAPACITY as u64).map_while(|value| pool.insert([value; 2])).collect();
    // Those that go are all over the pool.
    let (gone, taken): (Vec<_>, Vec<_>) =
        taken.into_iter().enumerate().partition(|(at, _)| at % 100 == 0);
    gone.into_iter().for_each(|(_, key)| _ = pool.remove(key));
    let took = on_threads(threads, OPERATIONS / 4, |_| {
        for number in 0..OPERATIONS / 4 {
            let key = pool.insert([number.into(); 2]);
            black_box(key.is_some_and(|key| pool.remove(key)));
        }
    });
    drop(taken);
    took
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

/// How long single operations of 64 threads take, in nanoseconds: half of them no longer than the first, 99.9 of 100 no
/// longer than the second, none longer than the third. So many operations of each thread that all are interrupted
/// many times.
fn tail<P: Keyed>() -> [f64; 3] {
    const EACH: usize = 20_000;
    let pool = P::new(CAPACITY);
    let barrier = Barrier::new(64);
    let all = Mutex::new(Vec::with_capacity(64 * EACH));
    thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                let mut took = Vec::with_capacity(EACH);
                barrier.wait();
                for number in 0..EACH as u64 {
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
    [all[all.len() / 2], all[all.len() * 999 / 1000], all[all.len() - 1]]
}

type Tail = (&'static str, fn() -> [f64; 3]);

fn compare_tails(title: &str, plan: &Plan, works: &[Tail]) {
    if !title.contains(&plan.only) {
        return;
    }
    println!("\n{title}: ns, medians of {} rounds, p99.9 also at least and at most", plan.rounds);
    println!("{:<24}{:>8}{:>10}{:>18}{:>14}", "", "p50", "p99.9", "", "max");
    let mut took = vec![Vec::new(); works.len()];
    for _ in 0..plan.rounds {
        works.iter().zip(&mut took).for_each(|((_, work), took)| took.push(work()));
    }
    for ((name, _), rounds) in works.iter().zip(took) {
        let sorted = [0, 1, 2].map(|part| {
            let mut part: Vec<f64> = rounds.iter().map(|round| round[part]).collect();
            part.sort_by(f64::total_cmp);
            part
        });
        let [half, most, all] = sorted.each_ref().map(|part| part[part.len() / 2]);
        let range = format!("{} to {}", sorted[1][0], sorted[1][plan.rounds - 1]);
        println!("{name:<24}{half:>8}{most:>10}{range:>18}{all:>14}");
    }
}

/// Lookups in a phase of reads, beside those in a `Pool`.
fn look_up_frozen(_threads: usize) -> f64 {
    let mut pool = SyncPool::new(CAPACITY);
    let handles: Vec<_> = (0..1000).filter_map(|value| pool.insert([value; 2]).ok()).collect();
    let frozen = pool.frozen();
    look_up(&handles, |handle| frozen.get(handle))
}

fn look_up_in_a_pool(_threads: usize) -> f64 {
    let mut pool = Pool::new(CAPACITY);
    let handles: Vec<_> = (0..1000).filter_map(|value| pool.insert([value; 2]).ok()).collect();
    look_up(&handles, |handle| pool.get(handle))
}

/// Lookups with exclusive access, beside those in a `Pool`.
fn look_up_mut(_threads: usize) -> f64 {
    let mut pool = SyncPool::new(CAPACITY);
    let handles: Vec<_> = (0..1000).filter_map(|value| pool.insert([value; 2]).ok()).collect();
    write(&handles, |handle| pool.get_mut(handle).map(|value| value[0] += 1).is_ok())
}

fn look_up_mut_in_a_pool(_threads: usize) -> f64 {
    let mut pool = Pool::new(CAPACITY);
    let handles: Vec<_> = (0..1000).filter_map(|value| pool.insert([value; 2]).ok()).collect();
    write(&handles, |handle| pool.get_mut(handle).map(|value| value[0] += 1).is_some())
}

fn write(handles: &[Handle<Value>], mut add: impl FnMut(Handle<Value>) -> bool) -> f64 {
    timed_over(handles, |handle| u64::from(add(handle)))
}

fn look_up<'a>(handles: &[Handle<Value>], get: impl Fn(Handle<Value>) -> Option<&'a Value>) -> f64 {
    timed_over(handles, |handle| get(handle).map_or(0, |value| value[0]))
}

/// The time of a call. Nested loops: with `cycle`, whose own steps are as long as a lookup, the shape that the compiler gave
/// the loop counted for more than what was looked up in.
fn timed_over(handles: &[Handle<Value>], mut call: impl FnMut(Handle<Value>) -> u64) -> f64 {
    let rounds = OPERATIONS as usize / handles.len();
    let start = Instant::now();
    let mut sum = 0_u64;
    for _ in 0..rounds {
        for handle in black_box(handles) {
            sum = sum.wrapping_add(call(*handle));
        }
    }
    black_box(sum);
    start.elapsed().as_secs_f64() * 1e9 / (rounds * handles.len()) as f64
}

/// What the updates work on: 10,000 values of which each dies, and leaves another, after 16 frames or so.
const UPDATED: u64 = 10_000;
const FRAMES: u32 = 64;

/// The next in a row of values with fuses of 8 to 23 frames.
fn after(number: u64) -> Value {
    let next =
        number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    [8 + (next >> 60), next]
}

fn updated() -> Pool<Value> {
    let mut pool = Pool::new(2 * UPDATED as usize);
    (0..UPDATED).for_each(|number| _ = pool.insert(after(number)));
    pool
}

/// The time of a value and a frame: births and deaths through lots, on one thread.
fn update_in_lots(_threads: usize) -> f64 {
    let (mut pool, mut lots) = (updated(), Lots::new(1024, 256));
    let start = Instant::now();
    for _ in 0..FRAMES {
        pool.update(&mut lots, |value, lot| {
            if value[0] == 0 {
                _ = lot.insert(after(value[1]));
                lot.die();
            } else {
                value[0] -= 1;
            }
        });
    }
    assert_eq!(pool.len(), UPDATED as usize, "each lot had room");
    start.elapsed().as_secs_f64() * 1e9 / (f64::from(FRAMES) * UPDATED as f64)
}

/// The same as one would write it without: births are put aside, deaths are a `retain`.
fn update_serially(_threads: usize) -> f64 {
    let (mut pool, mut born) = (updated(), Vec::new());
    let start = Instant::now();
    for _ in 0..FRAMES {
        pool.retain(|_, value| {
            let stays = value[0] != 0;
            if stays {
                value[0] -= 1;
            } else {
                born.push(after(value[1]));
            }
            stays
        });
        born.drain(..).for_each(|value| _ = pool.insert(value));
    }
    assert_eq!(pool.len(), UPDATED as usize);
    start.elapsed().as_secs_f64() * 1e9 / (f64::from(FRAMES) * UPDATED as f64)
}

type Work = (&'static str, fn(usize) -> f64);

/// What the command line asks for.
struct Plan {
    rounds: usize,
    /// A part of the titles of what is compared.
    only: String,
    /// Takes all figures of comparisons.
    record: Option<csv::Writer<File>>,
    /// Numbers of threads that the command line asks for.
    threads: Option<Vec<usize>>,
}

/// What the pools behind a mutex run on at most if numbers of threads are asked for.
const MUTEX_THREADS_MAX: usize = 4;

/// One figure in the record.
#[derive(Serialize)]
struct Figure<'a> {
    comparison: &'a str,
    contender: &'a str,
    threads: usize,
    /// Nothing if the contender panics.
    ns: Option<f64>,
}

fn compare(title: &str, plan: &mut Plan, threads: &[usize], works: &[Work]) {
    if !title.contains(&plan.only) {
        return;
    }
    println!("\n{title}: ns");
    print!("{:<24}", "threads");
    threads.iter().for_each(|threads| print!("{threads:>10}"));
    println!();
    let is_left_out = |name: &str, threads: usize| {
        plan.threads.is_some() && name.starts_with("Mutex") && threads > MUTEX_THREADS_MAX
    };
    let mut took = vec![vec![Vec::new(); threads.len()]; works.len()];
    for _ in 0..plan.rounds {
        for (column, threads) in threads.iter().enumerate() {
            for (row, (name, work)) in works.iter().enumerate() {
                let is_left_out = is_left_out(name, *threads);
                took[row][column].push(if is_left_out { f64::NAN } else { work(*threads) });
            }
        }
    }
    for ((name, _), row) in works.iter().zip(took) {
        print!("{name:<24}");
        for (mut rounds, threads) in row.into_iter().zip(threads) {
            rounds.sort_by(f64::total_cmp);
            let counts = if *threads == 1 { rounds[0] } else { rounds[rounds.len() / 2] };
            let ns = (!counts.is_nan()).then_some((counts * 1e2).round() / 1e2);
            match ns {
                None if is_left_out(name, *threads) => print!("{:>10}", "–"),
                None => print!("{:>10}", "panics"),
                Some(ns) => print!("{ns:>10.2}"),
            }
            let figure = Figure { comparison: title, contender: name, threads: *threads, ns };
            if let Some(Err(error)) = plan.record.as_mut().map(|record| record.serialize(figure)) {
                eprintln!("millpond-bench-threads: {error}; the record ends here");
                plan.record = None;
            }
        }
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
            (
                <concurrent_slotmap::SlotMap<concurrent_slotmap::SlotId, Value> as Keyed>::NAME,
                $work::<concurrent_slotmap::SlotMap<concurrent_slotmap::SlotId, Value>>,
            ),
            #[cfg(feature = "plurality")]
            (
                <Mutex<plurality::Pool<Value>> as Keyed>::NAME,
                $work::<Mutex<plurality::Pool<Value>>>,
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
    let rounds = std::env::args()
        .nth(1)
        .filter(|rounds| !rounds.is_empty())
        .map_or(Ok(7), |rounds| rounds.parse());
    let Ok(rounds @ 1..) = rounds else {
        eprintln!("millpond-bench-threads: expected a number of rounds from 1 up");
        std::process::exit(2);
    };
    let argument = |number| std::env::args().nth(number).filter(|argument| !argument.is_empty());
    let record = argument(3).map(|path| {
        csv::Writer::from_path(&path).unwrap_or_else(|error| {
            eprintln!("millpond-bench-threads: {path}: {error}; expected a file to write");
            std::process::exit(2);
        })
    });
    let only = std::env::args().nth(2).unwrap_or_default();
    if let Some(homes) = argument(4) {
        let homes = homes.parse().unwrap_or_else(|_| {
            eprintln!("millpond-bench-threads: {homes}: expected a number of homes");
            std::process::exit(2);
        });
        HOMES.set(homes).expect("set once");
    }
    let threads = argument(5).map(|list| {
        let numbers =
            list.split(',').map(|number| number.parse().ok().filter(|number| *number > 0));
        numbers.collect::<Option<Vec<usize>>>().unwrap_or_else(|| {
            eprintln!(
                "millpond-bench-threads: {list}: expected numbers of threads, such as 1,2,16"
            );
            std::process::exit(2);
        })
    });
    let mut plan = Plan { rounds, only, record, threads: threads.clone() };
    let plan = &mut plan;
    let threads = threads.unwrap_or_else(|| vec![1, 2, 4, 64]);
    compare("insert and remove", plan, &threads, keyed!(pairs));
    compare("replace one of 1,000 of one's own", plan, &threads, keyed!(replace));
    compare("get and drop, own object", plan, &threads, keyed!(get_own));
    compare("get and drop, one object for all", plan, &threads, keyed!(get_one_for_all));
    compare("insert, and remove on another thread", plan, &threads, keyed!(remote));
    compare(
        "the same in batches",
        plan,
        &threads,
        &[
            ("SyncPool, remove", remote::<SyncPool<Value>>),
            ("SyncPool, remove_many", remote_in_batches),
            ("sharded-slab", remote::<sharded_slab::Slab<Value>>),
        ],
    );
    compare("insert and remove, 99 % full", plan, &threads, keyed!(pairs_in_a_full_pool));
    compare("acquire and release", plan, &threads, lent!(lend));
    compare(
        "acquire and release while 10,000 are out",
        plan,
        &[1],
        lent!(lend_while_10_000_are_out),
    );
    compare(
        "look up, 1,000 handles in turn",
        plan,
        &[1],
        &[("SyncPool, frozen", look_up_frozen), ("Pool", look_up_in_a_pool)],
    );
    compare(
        "update with births and deaths, a value and frame",
        plan,
        &[1],
        &[("Pool, in lots", update_in_lots), ("Pool, retain and insert", update_serially)],
    );
    compare(
        "look up to write, 1,000 handles in turn",
        plan,
        &[1],
        &[("SyncPool, get_mut", look_up_mut), ("Pool", look_up_mut_in_a_pool)],
    );
    compare_tails(
        "insert and remove, single operations of 64 threads",
        plan,
        &[
            (<SyncPool<Value> as Keyed>::NAME, tail::<SyncPool<Value>>),
            (<sharded_slab::Slab<Value> as Keyed>::NAME, tail::<sharded_slab::Slab<Value>>),
            (<Mutex<Pool<Value>> as Keyed>::NAME, tail::<Mutex<Pool<Value>>>),
        ],
    );
}
