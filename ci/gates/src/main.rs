//! Has callgrind count operations of a pool, which `ci/gates/check` runs: `gates OPERATION…`.
//!
//! Each is done 10,000 times and 20,000 times. What comes before the operations is the same for any number of them up to
//! `TIMES_MAX`, so the difference is that of the operations alone. `gates` without arguments lists the operations.

mod callgrind;
mod clones;
mod fields;
mod peers;
mod small;
mod walks;

use std::ffi::CString;
use std::hint::black_box;
use std::process::ExitCode;

use millpond::reuse::{Fifo, LowestFirst, ReuseOrder, Roster};
use millpond::side_table::join;
use millpond::{Handle, PackedPool, Pool, Recycler, SideTable, StaticPool, SyncPool, SyncRecycler};
use millpond_classic::RosterPool;

/// As large as a transform with a colour: 32 bytes.
type Value = [u64; 4];

const TIMES_MAX: usize = 20_000;

/// One operation, done so many times.
type Operation = fn(usize);

const OPERATIONS: &[(&str, Operation)] = &[
    ("insert", insert),
    ("insert_fields", fields::pool),
    ("get", get),
    ("get_by_bits", get_by_bits),
    ("get_mut", get_mut),
    ("remove", remove),
    ("remove_insert_lifo", remove_insert::<millpond::reuse::Lifo>),
    ("remove_insert_fifo", remove_insert::<Fifo>),
    ("remove_insert_lowest_first", remove_insert::<LowestFirst>),
    ("remove_insert_roster", remove_insert::<Roster>),
    ("remove_insert_packed", remove_insert_packed),
    ("remove_insert_static", remove_insert_static),
    ("release_acquire_recycler", release_acquire),
    ("free_allocate_roster_pool", free_allocate),
    ("remove_insert_sync", remove_insert_sync),
    ("get_sync", get_sync),
    ("release_acquire_sync_recycler", release_acquire_sync),
    ("insert_or_evict_of_100", insert_or_evict),
    ("clone_full", clones::pool::full),
    ("clone_half", clones::pool::half),
    ("clone_100", clones::pool::of_100),
    ("clone_over_full", clones::pool::over_full),
    ("clone_over_half", clones::pool::over_half),
    ("for_each_full", for_each_full),
    ("for_each_half", for_each_half),
    ("runs_mut_full", runs_mut_full),
    ("join_full", join_full),
    ("join_half", join_half),
    ("walk_for_0_of_64", walk_for::<0>),
    ("walk_for_1_of_64", walk_for::<1>),
    ("walk_for_5_of_64", walk_for::<5>),
    ("walk_for_48_of_64", walk_for::<48>),
    ("walk_for_lowest_5_of_64", walk_lowest::<5>),
    ("walk_for_each_lowest_5_of_64", walk_each_lowest::<5>),
    ("walk_runs_lowest_5_of_64", walk_runs_lowest::<5>),
    ("walk_for_each_0_of_64", walk_for_each::<0>),
    ("walk_for_each_1_of_64", walk_for_each::<1>),
    ("walk_for_each_5_of_64", walk_for_each::<5>),
    ("walk_for_each_48_of_64", walk_for_each::<48>),
    ("walk_runs_0_of_64", walk_runs::<0>),
    ("walk_runs_1_of_64", walk_runs::<1>),
    ("walk_runs_5_of_64", walk_runs::<5>),
    ("walk_runs_48_of_64", walk_runs::<48>),
    ("walk_read_0_of_64", walk_read::<0>),
    ("walk_read_1_of_64", walk_read::<1>),
    ("walk_read_5_of_64", walk_read::<5>),
    ("walk_read_48_of_64", walk_read::<48>),
    ("walk_read_lowest_5_of_64", walk_read_lowest::<5>),
    ("steps_for_full", walks::steps_for::<{ walks::ALL }>),
    ("steps_for_half", walks::steps_for::<{ walks::HALF }>),
    ("steps_for_handles_half", walks::steps_for_handles_half),
    ("frames_steps_for", walks::frames_steps_for),
    ("frames_steps_for_each", walks::frames_steps_for_each),
    ("frames_read_for", walks::frames_read_for),
    ("read_for_full", walks::read_for::<{ walks::ALL }>),
    ("read_for_half", walks::read_for::<{ walks::HALF }>),
    ("read_for_vec_pool_half", walks::read_for_vec_pool),
    ("read_for_static_full", walks::read_for_static::<{ walks::ALL }>),
    ("read_for_static_half", walks::read_for_static::<{ walks::HALF }>),
    ("read_for_full_birth", walks::read_for_birth::<{ walks::ALL }>),
    ("read_for_half_birth", walks::read_for_birth::<{ walks::HALF }>),
    ("read_for_full_turn", walks::read_for_turn::<{ walks::ALL }>),
    ("read_for_half_turn", walks::read_for_turn::<{ walks::HALF }>),
    ("frame_walk", frame_walk),
    ("frame_birth", frame_birth),
    ("frame_death", frame_death),
    ("frame_read", frame_read),
    ("frame_read_birth", frame_read_birth),
    ("frame_read_death", frame_read_death),
    ("loop_insert", peers::loop_insert),
    ("loop_get", peers::loop_get),
    ("loop_remove_insert", peers::loop_remove_insert),
    ("vec_pool_insert", peers::vec_pool::insert),
    ("vec_pool_insert_fields", fields::vec_pool),
    ("vec_pool_clone_full", clones::vec_pool::full),
    ("vec_pool_clone_half", clones::vec_pool::half),
    ("vec_pool_clone_100", clones::vec_pool::of_100),
    ("vec_pool_clone_over_full", clones::vec_pool::over_full),
    ("vec_pool_clone_over_half", clones::vec_pool::over_half),
    ("vec_pool_of_1", small::vec_pool::<1>),
    ("vec_pool_of_2", small::vec_pool::<2>),
    ("vec_pool_of_3", small::vec_pool::<3>),
    ("vec_pool_of_4", small::vec_pool::<4>),
    ("vec_pool_get", peers::vec_pool::get),
    ("vec_pool_remove", peers::vec_pool::remove),
    ("vec_pool_remove_insert", peers::vec_pool::remove_insert),
    ("slotmap_insert", peers::slotmap::insert),
    ("slotmap_insert_fields", fields::slotmap),
    ("slotmap_clone_full", clones::slotmap::full),
    ("slotmap_clone_half", clones::slotmap::half),
    ("slotmap_clone_100", clones::slotmap::of_100),
    ("slotmap_clone_over_full", clones::slotmap::over_full),
    ("slotmap_clone_over_half", clones::slotmap::over_half),
    ("slotmap_of_1", small::slotmap::<1>),
    ("slotmap_of_2", small::slotmap::<2>),
    ("slotmap_of_3", small::slotmap::<3>),
    ("slotmap_of_4", small::slotmap::<4>),
    ("slotmap_get", peers::slotmap::get),
    ("slotmap_remove", peers::slotmap::remove),
    ("slotmap_remove_insert", peers::slotmap::remove_insert),
    ("thunderdome_insert", peers::thunderdome::insert),
    ("thunderdome_get", peers::thunderdome::get),
    ("thunderdome_remove", peers::thunderdome::remove),
    ("thunderdome_remove_insert", peers::thunderdome::remove_insert),
    ("gen_map_insert", peers::gen_map::insert),
    ("gen_map_get", peers::gen_map::get),
    ("gen_map_remove", peers::gen_map::remove),
    ("gen_map_remove_insert", peers::gen_map::remove_insert),
    ("slotmap_steps_for_full", walks::slotmap_steps_for::<{ walks::ALL }>),
    ("slotmap_steps_for_half", walks::slotmap_steps_for::<{ walks::HALF }>),
    ("slotmap_frames_steps_for", walks::slotmap_frames_steps_for),
    ("slotmap_frames_read_for", walks::slotmap_frames_read_for),
    ("slotmap_read_for_full", walks::slotmap_read_for::<{ walks::ALL }>),
    ("slotmap_read_for_half", walks::slotmap_read_for::<{ walks::HALF }>),
    ("slotmap_read_for_full_birth", walks::slotmap_read_for_birth::<{ walks::ALL }>),
    ("slotmap_read_for_half_birth", walks::slotmap_read_for_birth::<{ walks::HALF }>),
    ("slotmap_read_for_full_turn", walks::slotmap_read_for_turn::<{ walks::ALL }>),
    ("slotmap_read_for_half_turn", walks::slotmap_read_for_turn::<{ walks::HALF }>),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        for (name, _) in OPERATIONS {
            println!("{name}");
        }
        return ExitCode::SUCCESS;
    }
    for argument in &arguments {
        let Some((name, operation)) = OPERATIONS.iter().find(|(name, _)| name == argument) else {
            eprintln!("gates: no operation {argument}");
            return ExitCode::from(2);
        };
        // The memory that is free before is then what each leaves behind.
        operation(1);
        operation(1);
        for times in [TIMES_MAX / 2, TIMES_MAX] {
            let what = CString::new(format!("{name} {times}")).unwrap_or_default();
            callgrind::begin_count();
            operation(times);
            callgrind::end_count(&what);
        }
    }
    ExitCode::SUCCESS
}

fn filled<R: ReuseOrder>() -> (Pool<Value, R>, Vec<Handle<Value>>) {
    let mut pool: Pool<Value, R> = Pool::with_capacity(TIMES_MAX);
    let handles = (0..TIMES_MAX as u64).filter_map(|i| pool.insert([i; 4]).ok()).collect();
    (pool, handles)
}

/// The handles in an order that jumps about: 7919 is prime and no divisor of their number.
fn jumping(handles: &[Handle<Value>], times: usize) -> impl Iterator<Item = Handle<Value>> {
    (0..times).map(|i| handles[i * 7919 % handles.len()])
}

fn insert(times: usize) {
    let mut pool = Pool::<Value>::new(TIMES_MAX);
    for i in 0..times as u64 {
        black_box(pool.insert(black_box([i; 4])).ok());
    }
}

fn get(times: usize) {
    let (pool, handles) = filled::<millpond::reuse::Lifo>();
    for handle in jumping(&handles, times) {
        black_box(pool.get(handle));
    }
}

/// With handles that a program keeps as numbers.
fn get_by_bits(times: usize) {
    let (pool, handles) = filled::<millpond::reuse::Lifo>();
    for handle in jumping(&handles, times) {
        let bits = black_box(handle.to_bits());
        black_box(pool.get(Handle::from_bits_or_dangling(bits)));
    }
}

fn get_mut(times: usize) {
    let (mut pool, handles) = filled::<millpond::reuse::Lifo>();
    for handle in jumping(&handles, times) {
        black_box(pool.get_mut(handle));
    }
}

fn remove(times: usize) {
    let (mut pool, handles) = filled::<millpond::reuse::Lifo>();
    for handle in jumping(&handles, times) {
        black_box(pool.remove(handle));
    }
}

fn remove_insert<R: ReuseOrder>(times: usize) {
    let (mut pool, handles) = filled::<R>();
    for (i, handle) in (0..).zip(jumping(&handles, times)) {
        black_box(pool.remove(handle));
        black_box(pool.insert(black_box([i; 4])).ok());
    }
}

/// The same with a pool that is no [`Pool`], filled up.
macro_rules! remove_insert_of {
    ($name:ident: $new:expr) => {
        fn $name(times: usize) {
            let mut pool = $new;
            let mut handles: Vec<Handle<Value>> =
                (0..TIMES_MAX as u64).filter_map(|i| pool.insert([i; 4]).ok()).collect();
            for i in 0..times {
                let at = i * 7919 % handles.len();
                black_box(pool.remove(handles[at]));
                if let Ok(handle) = pool.insert(black_box([i as u64; 4])) {
                    handles[at] = handle;
                }
            }
        }
    };
}
remove_insert_of!(remove_insert_packed: PackedPool::new(TIMES_MAX));
remove_insert_of!(remove_insert_static: Box::new(StaticPool::<Value, TIMES_MAX>::new()));

/// A pool that threads share, half full, whose parts have room for an eighth of it.
fn filled_sync() -> (SyncPool<Value>, Vec<Handle<Value>>) {
    let pool = SyncPool::builder().capacity(2 * TIMES_MAX).homes(8).build();
    let home = pool.home(0);
    let handles = (0..TIMES_MAX as u64).filter_map(|i| home.insert([i; 4]).ok()).collect();
    (pool, handles)
}

fn remove_insert_sync(times: usize) {
    let (pool, mut handles) = filled_sync();
    let home = pool.home(0);
    for i in 0..times {
        let at = i * 7919 % handles.len();
        black_box(pool.remove(handles[at]));
        if let Ok(handle) = home.insert(black_box([i as u64; 4])) {
            handles[at] = handle;
        }
    }
}

fn get_sync(times: usize) {
    let (pool, handles) = filled_sync();
    for handle in jumping(&handles, times) {
        black_box(pool.get(handle).map(|value| value[0]));
    }
}

fn release_acquire_sync(times: usize) {
    let recycler = SyncRecycler::<Value>::builder().capacity(256).homes(8).build_with(|_| [0; 4]);
    for _ in 0..times {
        black_box(recycler.acquire_at_home(0));
    }
}

/// Without the feature `debug-aids`, there is no scramble to test for.
fn release_acquire(times: usize) {
    let mut pool = Recycler::<Value>::new(TIMES_MAX);
    let mut handles: Vec<_> = (0..TIMES_MAX).filter_map(|_| Some(pool.acquire()?.0)).collect();
    for i in 0..times {
        let at = i * 7919 % handles.len();
        black_box(pool.release(handles[at]));
        if let Some((handle, value)) = pool.acquire() {
            *value = black_box([i as u64; 4]);
            handles[at] = handle;
        }
    }
}

/// As above.
fn free_allocate(times: usize) {
    let mut pool = RosterPool::<Value>::new(TIMES_MAX);
    let mut handles: Vec<_> = (0..TIMES_MAX).filter_map(|_| pool.allocate()).collect();
    for i in 0..times {
        let at = i * 7919 % handles.len();
        black_box(pool.free(handles[at]));
        if let Some(handle) = pool.allocate() {
            handles[at] = handle;
        }
    }
}

fn insert_or_evict(times: usize) {
    let mut pool = Pool::<Value>::new(100);
    for i in 0..(100 + times) as u64 {
        black_box(pool.insert_or_evict([i; 4], |_, value| value[0]));
    }
}

/// Counted per object of a pool of 1,000: one pass for each 100 of `times`.
fn pass(times: usize, mut walk: impl FnMut(&mut Pool<Value>), keep: fn(u64) -> bool) {
    let mut pool = Pool::<Value>::new(1000);
    for i in 0..1000 {
        pool.insert([i; 4]).ok();
    }
    pool.retain(|_, value| keep(value[0]));
    for _ in 0..times / 100 {
        walk(black_box(&mut pool));
    }
}

fn for_each_full(times: usize) {
    pass(times, |pool| pool.values_mut().for_each(|value| value[0] += value[1]), |_| true);
}

fn for_each_half(times: usize) {
    let keep = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0;
    pass(times, |pool| pool.values_mut().for_each(|value| value[0] += value[1]), keep);
}

fn runs_mut_full(times: usize) {
    let walk = |pool: &mut Pool<Value>| {
        for (_, run) in pool.runs_mut() {
            run.iter_mut().for_each(|value| value[0] += value[1]);
        }
    };
    pass(times, walk, |_| true);
}

/// The pool's values and those of two tables, which have all that `keep` says.
fn join_two(times: usize, keep: fn(u64) -> bool) {
    let mut pool = Pool::<Value>::new(1000);
    let mut tables = [SideTable::with_capacity(1000), SideTable::with_capacity(1000)];
    for i in 0..1000 {
        let Ok(handle) = pool.insert([i; 4]) else { continue };
        if keep(i) {
            for table in &mut tables {
                table.insert(handle, [i; 4]).ok();
            }
        }
    }
    let [a, b] = &tables;
    for _ in 0..times / 100 {
        join(black_box(&mut pool), black_box((a, b)))
            .for_each(|(_, value, (a, b))| value[0] += a[0] + b[0]);
    }
}

fn join_full(times: usize) {
    join_two(times, |_| true);
}

fn join_half(times: usize) {
    join_two(times, |i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0);
}

/// The slots of a pool that is walked whole.
const SMALL: u64 = 64;

/// A pool of 64 slots that was full once, and the handles of its `live` objects, which are scattered over the slots.
fn scattered(live: u64) -> (Pool<Value>, Vec<Handle<Value>>) {
    let mut pool = Pool::<Value>::new(SMALL as usize);
    let handles: Vec<_> = (0..SMALL).filter_map(|i| pool.insert([i; 4]).ok()).collect();
    // 37 is odd: this takes every number below 64 once.
    pool.retain(|_, value| (value[0] * 37 + 11) % SMALL < live);
    let handles = handles.into_iter().filter(|&handle| pool.contains(handle)).collect();
    (pool, handles)
}

/// Counted per walk over a whole pool that does not change between the walks.
fn walks(times: usize, live: u64, walk: impl Fn(&mut Pool<Value>)) {
    let (mut pool, _) = scattered(live);
    for _ in 0..times {
        walk(black_box(&mut pool));
    }
}

#[inline(always)]
fn walk_by_for(pool: &mut Pool<Value>) {
    for value in pool.values_mut() {
        value[0] += value[1];
    }
}

fn walk_for<const LIVE: u64>(times: usize) {
    walks(times, LIVE, walk_by_for);
}

fn walk_for_each<const LIVE: u64>(times: usize) {
    walks(times, LIVE, |pool| pool.values_mut().for_each(|value| value[0] += value[1]));
}

fn walk_runs<const LIVE: u64>(times: usize) {
    walks(times, LIVE, |pool| {
        for (_, run) in pool.runs_mut() {
            run.iter_mut().for_each(|value| value[0] += value[1]);
        }
    });
}

/// A pool of 64 slots whose live objects are the lowest ones, as those of most small pools in a game.
fn walks_of_lowest(times: usize, live: u64, walk: impl Fn(&mut Pool<Value>)) {
    let mut pool = Pool::<Value>::new(SMALL as usize);
    for i in 0..live {
        pool.insert([i; 4]).ok();
    }
    for _ in 0..times {
        walk(black_box(&mut pool));
    }
}

fn walk_lowest<const LIVE: u64>(times: usize) {
    walks_of_lowest(times, LIVE, walk_by_for);
}

fn walk_each_lowest<const LIVE: u64>(times: usize) {
    walks_of_lowest(times, LIVE, |pool| pool.values_mut().for_each(|value| value[0] += value[1]));
}

fn walk_runs_lowest<const LIVE: u64>(times: usize) {
    walks_of_lowest(times, LIVE, |pool| {
        for (_, run) in pool.runs_mut() {
            run.iter_mut().for_each(|value| value[0] += value[1]);
        }
    });
}

#[inline(always)]
fn walk_by_read(pool: &mut Pool<Value>) {
    let mut sum = 0;
    for value in pool.values() {
        sum ^= value[0];
    }
    black_box(sum);
}

/// No walk of these goes over the pool mutably.
fn walk_read<const LIVE: u64>(times: usize) {
    walks(times, LIVE, walk_by_read);
}

fn walk_read_lowest<const LIVE: u64>(times: usize) {
    walks_of_lowest(times, LIVE, walk_by_read);
}

/// The pools of a game: one for each class of objects.
const CLASSES: usize = 48;
/// The births, or deaths, of each pool. `TIMES_MAX` of them take several games, all made beforehand.
const EVENTS: usize = 8;
/// Live objects of each pool before its births, and after its deaths.
const FEW: u64 = 5;

/// An event in one of 48 pools of 64 slots, at random, and then the walk by `for` over this pool: a pool that
/// brings its bitmap up to date in the walk does it here, and a pool that keeps it synced does it in the event. So
/// the cost of an event, the upkeep of the bitmap included, is the difference to `frame_walk`, which is the same
/// loop with a walk and no event. A pool has 5 to 13 live objects, in `frame_walk` always 9.
///
/// Only the loop is counted: what thousands of small allocations cost depends on what other operations left free.
fn frame(
    times: usize,
    live: u64,
    walk: impl Fn(&mut Pool<Value>),
    event: impl Fn(&mut Pool<Value>, &mut Vec<Handle<Value>>, u64),
) {
    let games = TIMES_MAX.div_ceil(CLASSES * EVENTS);
    let mut pools = callgrind::uncounted(|| {
        let mut pools: Vec<_> = (0..games * CLASSES).map(|_| scattered(live)).collect();
        // The frames before: from the second walk on, a pool whose objects hardly change keeps its bitmap synced.
        for (pool, _) in &mut pools {
            walk(pool);
            walk(pool);
        }
        pools
    });
    for i in 0..times {
        // 7 and 48 have no common divisor: in turns, each pool once.
        let (game, class) = (i / (CLASSES * EVENTS), i * 7 % CLASSES);
        let (pool, handles) = &mut pools[game * CLASSES + class];
        event(black_box(pool), handles, i as u64);
        walk(black_box(pool));
    }
    callgrind::uncounted(|| drop(pools));
}

fn birth(pool: &mut Pool<Value>, _: &mut Vec<Handle<Value>>, i: u64) {
    black_box(pool.insert(black_box([i; 4])).ok());
}

fn death(pool: &mut Pool<Value>, handles: &mut Vec<Handle<Value>>, _: u64) {
    let handle = handles.pop();
    black_box(handle.and_then(|handle| pool.remove(handle)));
}

fn frame_walk(times: usize) {
    frame(times, FEW + EVENTS as u64 / 2, walk_by_for, |_, _, _| {});
}

fn frame_birth(times: usize) {
    frame(times, FEW, walk_by_for, birth);
}

fn frame_death(times: usize) {
    frame(times, FEW + EVENTS as u64, walk_by_for, death);
}

/// The same in a game that only reads its objects, in every frame.
fn frame_read(times: usize) {
    frame(times, FEW + EVENTS as u64 / 2, walk_by_read, |_, _, _| {});
}

fn frame_read_birth(times: usize) {
    frame(times, FEW, walk_by_read, birth);
}

fn frame_read_death(times: usize) {
    frame(times, FEW + EVENTS as u64, walk_by_read, death);
}
