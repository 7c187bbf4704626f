//! When a pool has been created, the system has no page left to give it. (Only Linux tells the page faults of a thread.)

#![cfg(target_os = "linux")]

mod common;

use std::alloc::Layout;
use std::hint::black_box;

use common::in_every_order;
use millpond::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::{HandleAllocator, Pool, SyncPool, VecPool};
use millpond_classic::PoolAllocator;
use millpond_memory::SizeClasses;

/// How many pages the system has given this thread without reading a disk.
fn minor_faults() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    // Fields are counted after the name, which is in parentheses: state is the 3rd, minflt the 10th.
    let after_name = &stat[stat.rfind(')').unwrap() + 2..];
    after_name.split(' ').nth(7).unwrap().parse().unwrap()
}

/// As a page is 4 KiB, the values have 12,500 pages; where the system gives huge pages of 2 MiB, 24.
/// An unoptimised build copies every slot when it makes the array, and so touches its pages anyway:
/// it is with `--release` that this shows the pool's own care.
fn first_fill<R: ReuseOrder>() {
    const SLOTS: usize = 200_000;
    const FAULTS_MAX: u64 = 12;
    let fill = |slots| {
        let mut pool = Pool::<[u64; 32], R>::with_capacity(slots);
        let before = minor_faults();
        while pool.insert([1; 32]).is_ok() {}
        let faults = minor_faults() - before;
        black_box(&pool);
        faults
    };
    // The code itself is read in by faults too, the first time.
    fill(100);
    let faults = fill(SLOTS);
    assert!(faults <= FAULTS_MAX, "{faults} page faults in the first fill");
}

#[test]
fn first_fill_of_a_big_pool_touches_no_new_page() {
    in_every_order!(first_fill());
}

fn faults_of<V>(work: impl FnOnce() -> V) -> (u64, V) {
    let before = minor_faults();
    let done = work();
    (minor_faults() - before, done)
}

/// Slots of 64 MiB, more than an allocator keeps for later: its pages come from the system, 16,384 of 4 KiB or 32 of
/// 2 MiB. Beside it the words and the order's entries have a thirty-second of that.
#[test]
fn slots_taken_ahead_are_touched_and_others_are_not() {
    const SLOTS: usize = 1 << 18;
    let new = VecPool::<[u64; 32]>::new;
    // The code itself is read in by faults too, the first time.
    new().clone().push([1; 32]);

    let mut ahead = new();
    let (all, ()) = faults_of(|| ahead.reserve(SLOTS).unwrap());
    let (later, ()) = faults_of(|| (0..SLOTS).for_each(|_| _ = ahead.push([1; 32])));
    assert!(later <= all / 4, "{later} page faults in what was reserved, {all} in the reservation");
    drop(ahead);

    let mut pool = VecPool::<[u64; 32]>::with_capacity(SLOTS / 2);
    let handle = pool.push([1; 32]);
    (1..SLOTS / 2).for_each(|_| _ = pool.push([2; 32]));
    let (growth, _) = faults_of(|| pool.push([3; 32]));
    assert_eq!(pool.capacity(), SLOTS);
    assert!(growth <= all / 4, "{growth} page faults in an insertion, {all} in all slots");
    pool.retain(|other, _| other == handle);
    let (copied, copy) = faults_of(|| pool.clone());
    assert!(copied <= all / 4, "{copied} page faults for a copy of one value");
    assert_eq!(copy[handle], [1; 32]);
}

/// The copies touch the pages of the values that they are made of, and the pool those of the others.
#[test]
fn copies_have_every_page() {
    const SLOTS: usize = 1 << 18;
    // The code itself is read in by faults too, the first time.
    drop(Pool::<[u64; 32]>::new(9).clone());
    let (all, new) = faults_of(|| Pool::<[u64; 32]>::new(SLOTS));
    drop(new);
    let copy_of = |live: usize, kept: fn(usize) -> bool| {
        let mut pool = Pool::new(SLOTS);
        (0..live).for_each(|_| _ = pool.insert([1_u64; 32]).unwrap());
        pool.retain(|handle, _| kept(handle.index() as usize));
        let mut copy = pool.clone();
        drop(pool);
        let (later, ()) = faults_of(|| while copy.insert([2; 32]).is_ok() {});
        assert_eq!(copy.len(), SLOTS);
        assert!(later <= all / 64 + 8, "{later} page faults in a copy of {live}, {all} for all");
    };
    copy_of(SLOTS, |_| true);
    copy_of(SLOTS / 2, |_| true);
    copy_of(SLOTS, |slot| slot / 4096 % 2 == 0);
    copy_of(0, |_| true);
}

/// A copy of nothing does not write all that it may hold.
#[test]
fn copies_of_large_values_have_every_page() {
    const SLOTS: usize = 1 << 10;
    type Value = Option<[u8; 1 << 16]>;
    let mut pool = Pool::<Value>::new(SLOTS);
    while pool.insert(None).is_ok() {}
    let (all, mut copy) = faults_of(|| pool.clone());
    let (later, ()) = faults_of(|| copy.values_mut().for_each(|value| *value = Some([1; 1 << 16])));
    assert!(
        later <= all / 64 + 8,
        "{later} page faults in the values of a copy, {all} in the copy"
    );
}

/// 32 MiB of slots of each of those that are not in a block.
#[test]
fn other_slots_are_touched_ahead_as_well() {
    const SLOTS: usize = 1 << 17;
    type Value = [u64; 32];
    fn fill<P>(new: impl Fn(usize) -> P, insert: impl Fn(&P)) {
        // The code itself is read in by faults too, the first time.
        insert(&new(64));
        let (all, pool) = faults_of(|| new(SLOTS));
        let (later, ()) = faults_of(|| (0..SLOTS).for_each(|_| insert(&pool)));
        assert!(later <= all / 4, "{later} page faults in the first fill, {all} before");
    }
    fill(SyncPool::<Value>::new, |pool| _ = pool.insert([1; 32]).unwrap());
    let allocator = |slots| {
        let pool = PoolAllocator::<Value>::new();
        pool.reserve(slots).unwrap();
        pool
    };
    fill(allocator, |pool| core::mem::forget(pool.alloc([1; 32])));
    let classes = |slots| SizeClasses::builder().class(size_of::<Value>(), slots).build();
    fill(classes, |memory| _ = memory.allocate_zeroed(Layout::new::<Value>()).unwrap());
}

/// As above, 64 MiB of values. What has the memory of a sixteenth of the slots has their words and entries as well.
fn untouched_slots_have_no_memory<R: ReuseOrder>(list_bytes: usize) {
    const SLOTS: usize = 1 << 18;
    const PAGE: u64 = 4096;
    let builder = || Pool::<[u64; 32], R>::typed_builder().capacity(SLOTS);
    let new = || builder().untouched().build();
    // The code itself is read in by faults too, the first time.
    let mut small = Pool::<[u64; 32], R>::typed_builder().capacity(9).untouched().build();
    small.insert([1; 32]).unwrap();
    drop((small.clone(), small.snapshot()));
    let (all, touched) = faults_of(|| builder().build());
    drop(touched);

    let list = (SLOTS * list_bytes) as u64 / PAGE;
    let (created, mut pool) = faults_of(new);
    assert!(created <= list + all / 64 + 8, "{created} page faults in creation, {all} for all");
    let part = SLOTS / 16;
    let (filled, ()) = faults_of(|| (0..part).for_each(|_| _ = pool.insert([1; 32])));
    let used = all / 16;
    assert!(filled <= used + all / 64 + 8, "{filled} page faults for a sixteenth of {all}");
    assert!(filled >= used / 2, "{filled} page faults for a sixteenth of {all}");

    let (seen, sum) = faults_of(|| pool.values().map(|value| value[31]).sum::<u64>());
    assert_eq!(sum, part as u64);
    assert!(seen <= all / 64 + 8, "{seen} page faults in a walk");
    let (copied, copy) = faults_of(|| pool.clone());
    assert!(copied <= list + used + all / 32 + 8, "{copied} page faults in a copy, {all} for all");
    assert_eq!(copy.len(), part);
    drop(copy);
    let (kept, snapshot) = faults_of(|| pool.snapshot());
    assert!(kept <= list + used + all / 32 + 8, "{kept} page faults in a snapshot, {all} for all");
    let mut other = new();
    other.insert([2; 32]).unwrap();
    let (restored, ()) = faults_of(|| other.restore(&snapshot).unwrap());
    assert!(restored <= used + all / 32 + 8, "{restored} page faults in a restore, {all} for all");
    assert_eq!(other.len(), part);
    let mut heir = new();
    heir.insert([2; 32]).unwrap();
    let (taken, ()) = faults_of(|| heir.migrate_from(other).unwrap());
    // Beside the values, a list of them on the way, and lists of the slots where the order has one.
    assert!(
        taken <= 3 * used + 3 * list + all / 16 + 8,
        "{taken} page faults to take over, {all} for all"
    );
    assert_eq!(heir.len(), part);
    drop(heir);
    drop(snapshot);
    let (dropped, ()) = faults_of(|| drop(pool));
    assert!(dropped <= all / 64 + 8, "{dropped} page faults as it goes");
}

/// The memory of 32 MiB of values that is touched when a pool of this order is built, and by one object after the other, each
/// of which dies before the next is born; in eighths of that of a touched one.
fn eighths<V: Copy, R: ReuseOrder>(value: V) -> [u64; 2] {
    let slots = (32 << 20) / size_of::<V>();
    let builder = |slots| Pool::<V, R>::typed_builder().capacity(slots);
    // The code itself is read in by faults too, the first time.
    for builder in [builder(9), builder(9).untouched()] {
        let mut small = builder.build();
        let handle = small.insert(value).unwrap();
        drop((small.remove(handle).is_some(), small.clone()));
    }
    let (all, touched) = faults_of(|| builder(slots).build());
    drop(touched);
    let (created, mut pool) = faults_of(|| builder(slots).untouched().build());
    let (churned, ()) = faults_of(|| {
        for _ in 0..slots {
            let handle = pool.insert(value).unwrap();
            assert!(pool.remove(handle).is_some());
        }
    });
    let (copied, copy) = faults_of(|| pool.clone());
    drop(copy);
    assert!(copied <= created + churned + 16, "{copied} page faults for a copy");
    [created, churned].map(|faults| (8 * faults + all / 2) / all)
}

#[test]
fn what_touches_an_untouched_capacity_all_the_same() {
    #[derive(Clone, Copy)]
    #[repr(align(128))]
    struct Wide([u64; 32]);
    let value = [1_u64; 32];
    assert_eq!(eighths::<_, Lifo>(value), [0, 0]);
    assert_eq!(eighths::<_, LowestFirst>(value), [0, 0]);
    assert_eq!(eighths::<_, Roster>(value), [0, 0]);
    assert_eq!(eighths::<_, Fifo>(value), [0, 8], "it goes round");
    // Its list is half of value, generation and list; and it reads the generations, which takes faults and no memory.
    assert_eq!(eighths::<_, Lifo>(Wide(value)), [8, 0], "the standard library writes zeros");
    black_box(Wide(value).0);
}

#[test]
fn a_slot_far_behind_and_a_clear_touch_little() {
    const SLOTS: usize = 1 << 18;
    let mut pool = Pool::<[u64; 32]>::builder().capacity(SLOTS).untouched().build();
    let mut small = Pool::<[u64; 32]>::new(9);
    let far = |index| millpond::Handle::from_parts(index, 1).unwrap();
    small.insert_at(far(7), [1; 32]).unwrap();
    small.clear();
    // The generations of those between are in 256 pages, their values in 16,384.
    let (claimed, _) = faults_of(|| pool.insert_at(far(SLOTS as u32 - 1), [1; 32]).unwrap());
    assert!(claimed <= 256 + 16, "{claimed} page faults");
    assert_eq!((pool.slots_used(), pool.len()), (SLOTS, 1));
    // The same of the stack, and words.
    let (cleared, ()) = faults_of(|| pool.clear());
    assert!(cleared <= 3 * 256 + 16, "{cleared} page faults");
    assert_eq!(pool.slots_used(), SLOTS);
}

/// As above; of a pool that was touched, too, and used up to the second of its pages.
fn reads_what_is_used<R: ReuseOrder>() {
    const SLOTS: usize = 1 << 18;
    const USED: usize = 32;
    let small = |slots| {
        let mut pool = Pool::<[u64; 32], R>::with_capacity(slots);
        (0..USED).for_each(|_| _ = pool.insert([1; 32]));
        pool
    };
    let file = |slots| postcard::to_allocvec(&small(slots)).unwrap();
    let read = |file: &[u8]| postcard::from_bytes::<Pool<[u64; 32], R>>(file).unwrap();
    // The code itself is read in by faults too, the first time.
    drop(read(&file(USED + 1)));
    let file = file(SLOTS);
    assert!(file.len() < 33 * 256 + 99, "{} bytes", file.len());
    let (faults, pool) = faults_of(|| read(&file));
    assert!(faults <= 40, "{faults} page faults to read {} bytes", file.len());
    assert_eq!((pool.capacity(), pool.len()), (SLOTS, USED));
    let mut heir = Pool::<[u64; 32], R>::typed_builder().capacity(2 * SLOTS).untouched().build();
    let (faults, ()) = faults_of(|| heir.migrate_from(pool).unwrap());
    assert!(faults <= 40, "{faults} page faults to take over {USED} slots");
    assert_eq!((heir.capacity(), heir.len()), (2 * SLOTS, USED));
}

#[test]
fn a_pool_that_was_read_has_memory_for_what_is_used() {
    reads_what_is_used::<Lifo>();
    reads_what_is_used::<LowestFirst>();
}

/// The words alone have 16,384 pages of 4 KiB; 64 slots of `LowestFirst` have a bit of its own in one of 70.
fn handles_that_were_read_have_memory_for_what_is_used<R: ReuseOrder>() {
    const SLOTS: usize = 1 << 24;
    const USED: usize = 32;
    let file = |slots| {
        let mut handles = HandleAllocator::<R>::with_capacity(slots);
        (0..USED).for_each(|_| _ = handles.acquire().unwrap());
        postcard::to_allocvec(&handles).unwrap()
    };
    let read = |file: &[u8]| postcard::from_bytes::<HandleAllocator<R>>(file).unwrap();
    // The code itself is read in by faults too, the first time.
    drop(read(&file(USED + 1)).clone());
    let file = file(SLOTS);
    assert!(file.len() < 99, "{} bytes", file.len());
    let (faults, handles) = faults_of(|| read(&file));
    assert!(faults <= 600, "{faults} page faults to read {} bytes", file.len());
    let (faults, mut copy) = faults_of(|| handles.clone());
    assert!(faults <= 600, "{faults} page faults to copy {USED} slots");
    assert_eq!((copy.capacity(), copy.len()), (SLOTS, USED));
    let (faults, ()) = faults_of(|| copy.migrate_from(handles).unwrap());
    assert!(faults <= 600, "{faults} page faults to take over {USED} slots");
    assert_eq!((copy.capacity(), copy.len()), (SLOTS, USED));
}

#[test]
fn an_allocator_that_was_read_has_memory_for_what_is_used() {
    handles_that_were_read_have_memory_for_what_is_used::<Lifo>();
    handles_that_were_read_have_memory_for_what_is_used::<LowestFirst>();
}

#[test]
fn an_untouched_capacity_has_memory_for_what_is_used() {
    untouched_slots_have_no_memory::<Lifo>(0);
    untouched_slots_have_no_memory::<LowestFirst>(0);
    untouched_slots_have_no_memory::<Fifo>(8);
    untouched_slots_have_no_memory::<Roster>(8);
}
