//! Files whose counts are at their limits, alone and together.

use millpond::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::{PackedPool, PackedVecPool, Pool, Recycler, StaticPool, SyncPool, VecPool};
use millpond_overflow::{Overflow, PolicyPool, Spill};

use crate::edited::{MOST, with_number as set};
use crate::kinds::{Kind, Parts as _};
use crate::{Counted, Random};

/// A pool of three parts, each of which says that so many were inserted.
fn hostile<R: ReuseOrder>(inserted: [u64; 3]) -> PolicyPool<u64, R> {
    let builder = Pool::<u64, R>::typed_builder().capacity(3);
    let mut old = PolicyPool::<u64, R>::new(Overflow::Spill, builder, 3);
    let handles: Vec<_> = (0..3).map(|n| old.insert_by(n, |_, _| 0).unwrap().0).collect();
    old.remove(handles[1]);
    let mut inserted = inserted.into_iter();
    let text = set(&serde_json::to_string(&old).unwrap(), "inserted", |_| inserted.next().unwrap());
    let read: PolicyPool<u64, R> =
        serde_json::from_str(&text).expect("each count is within the limit");
    read.validate().unwrap();
    read
}

fn parts_that_are_too_many_together<R: ReuseOrder>() {
    let mut pool = Pool::<Counted, R>::typed_builder().capacity(6).build();
    pool.migrate_with(hostile::<R>([MOST; 3]), |_, value| Counted::new(value)).unwrap();
    pool.validate().unwrap();
    let stats = pool.stats();
    assert_eq!((stats.live, stats.inserted, stats.removed), (2, MOST, MOST - 2), "{}", R::NAME);
    let live: Vec<_> = pool.iter().map(|(handle, _)| handle).collect();
    for number in 10..14 {
        let handle = pool.insert(Counted::new(number)).unwrap();
        assert!(!live.contains(&handle), "a live handle was issued again");
    }
    assert!(pool.is_full());
    pool.validate().unwrap();
    drop(pool);
    assert_eq!(Counted::alive(), 0);
}

#[test]
fn counts_of_several_parts_do_not_go_round() {
    parts_that_are_too_many_together::<Lifo>();
    parts_that_are_too_many_together::<Fifo>();
    parts_that_are_too_many_together::<LowestFirst>();
    parts_that_are_too_many_together::<Roster>();
}

/// A slot that has retired is not issued, and each handle is one.
#[test]
fn a_retired_slot_is_not_issued() {
    let builder = Pool::<u64, Fifo>::typed_builder().capacity(3).lifetimes(1);
    let mut old = PolicyPool::<u64, Fifo>::new(Overflow::Spill, builder, 3);
    let handles: Vec<_> = (0..3).map(|n| old.insert_by(n, |_, _| 0).unwrap().0).collect();
    old.remove(handles[0]);
    let text = set(&serde_json::to_string(&old).unwrap(), "inserted", |_| MOST);
    let old: PolicyPool<u64, Fifo> = serde_json::from_str(&text).unwrap();
    let mut pool = Pool::<u64, Fifo>::typed_builder().capacity(6).build();
    pool.migrate_from(old).unwrap();
    let more = std::iter::from_fn(|| pool.insert(7).ok()).count();
    assert_eq!(more + 2, 5, "the slot that has retired stays so");
    pool.validate().unwrap();
}

/// Twice over: a pool that took over three such parts, and has two more.
#[test]
fn counts_are_within_the_limit_after_each_migration() {
    let mut between = hostile::<Lifo>([0, MOST, 5].map(|n: u64| n.max(3)));
    between.migrate_from(hostile::<Lifo>([MOST; 3])).unwrap();
    between.validate().unwrap();
    let mut pool = Pool::<u64>::new(6);
    pool.migrate_from(between).unwrap();
    pool.validate().unwrap();
    assert_eq!(pool.stats().inserted, MOST);
    let text = serde_json::to_string(&pool).unwrap();
    assert_eq!(serde_json::from_str::<Pool<u64>>(&text).unwrap().stats(), pool.stats());
}

#[test]
fn a_shared_pool_takes_over_counts_at_their_limits() {
    let mut shared = SyncPool::<u64>::new(6);
    shared.migrate_from(hostile::<Lifo>([MOST; 3])).unwrap();
    shared.validate().unwrap();
    assert_eq!((shared.stats().inserted, shared.stats().live), (MOST, 2));
    shared.insert(1).unwrap();
    let snapshot = shared.snapshot();
    let text = serde_json::to_string(&snapshot).unwrap();
    let read: SyncPool<u64> = serde_json::from_str(&text).unwrap();
    assert_eq!((read.stats().inserted, read.stats().live), (MOST, 3));
    read.validate().unwrap();
    let mut pool = Pool::<u64>::new(6);
    pool.migrate_from(snapshot).unwrap();
    pool.validate().unwrap();
    assert_eq!(pool.stats().inserted, MOST);
}

/// Of other pools: two packed parts in one, in a pool that grows, in one without a heap, and between threads.
#[test]
fn other_parts_that_are_too_many_together() {
    type Parts =
        Spill<Spill<PackedPool<u64>, PackedPool<u64>>, Spill<PackedPool<u64>, VecPool<u64>>>;
    let builder = || VecPool::<u64>::builder().capacity_max(4).build();
    let mut parts = Parts::new(
        Spill::new(PackedPool::new(2), PackedPool::new(2)),
        Spill::new(PackedPool::new(2), builder()),
    );
    (0..8).for_each(|n| _ = parts.insert(n).unwrap());
    let all = |text: &str| set(&set(text, "inserted", |_| MOST), "refused", |_| MOST);
    let text = all(&serde_json::to_string(&parts).unwrap());
    let mut read: Parts = serde_json::from_str(&text).unwrap();
    read.validate().unwrap();
    let stats = read.stats();
    assert_eq!((stats.live, stats.inserted, stats.removed), (8, 4 * MOST, 4 * MOST - 8));
    (0..3).for_each(|n| _ = read.insert(n));
    read.validate().unwrap();
    let own = serde_json::to_string(&read).unwrap();
    let again: Parts = serde_json::from_str(&own).unwrap();
    assert!(again.iter().eq(read.iter()));
    again.validate().unwrap();
}

/// Both parts of an old pool go on in those of a new one.
#[test]
fn each_of_two_parts_takes_over_counts_at_their_limits() {
    let both = || Spill::new(Pool::<u64>::new(3), PackedPool::<u64>::new(9));
    let mut old = both();
    (0..7).for_each(|n| _ = old.insert(n).unwrap());
    let text = set(&serde_json::to_string(&old).unwrap(), "inserted", |_| MOST);
    let old: Spill<Pool<u64>, PackedPool<u64>> = serde_json::from_str(&text).unwrap();
    let mut new = both();
    new.migrate_from(old).unwrap();
    new.validate().unwrap();
    assert_eq!((new.stats().inserted, new.stats().live), (2 * MOST, 7));
    while new.insert(1).is_ok() {}
    let read: Spill<Pool<u64>, PackedPool<u64>> =
        serde_json::from_str(&serde_json::to_string(&new).unwrap()).unwrap();
    read.validate().unwrap();
}

/// Eight parts of the most are more than a `u64` has room for.
#[test]
fn sums_of_many_parts_stop_at_the_largest_number() {
    type Two = Spill<Pool<u64>, Pool<u64>>;
    type Four = Spill<Two, Two>;
    type Eight = Spill<Four, Four>;
    let two = || Spill::new(Pool::new(1), Pool::new(1));
    let four = || Spill::new(two(), two());
    let pool: Eight = Spill::new(four(), four());
    let mut pool = Spill::<Eight, Two>::new(pool, two());
    (0..10).for_each(|n| _ = pool.insert(n).unwrap());
    let text = serde_json::to_string(&pool).unwrap();
    let text = set(&set(&text, "inserted", |_| MOST), "refused", |_| MOST);
    let read: Spill<Eight, Two> = serde_json::from_str(&text).unwrap();
    read.validate().unwrap();
    let stats = read.stats();
    assert_eq!((stats.inserted, stats.removed, stats.refused), (u64::MAX, u64::MAX - 10, u64::MAX));
}

/// A pool that could be read can be written and read again, whatever is done with it in between.
fn at_the_limit<K: Kind>() {
    let mut random = Random(7);
    let mut pool = K::build(9, u32::MAX, &mut random);
    let keys: Vec<_> = (0..4).map(|n| pool.insert(n).unwrap()).collect();
    assert!(pool.remove(keys[1]));
    let text = pool.write();
    for (limit, is_read) in [(MOST - 1, true), (MOST, true), (MOST + 1, false), (u64::MAX, false)] {
        for name in ["inserted", "refused"] {
            let read = K::read(&set(&text, name, |was| was.max(limit)));
            assert_eq!(read.is_ok(), is_read, "{} {name} {limit}", K::NAME);
        }
    }
    let full = set(&set(&text, "inserted", |_| MOST), "refused", |_| MOST);
    let mut removed = MOST - 3;
    for evicted in [0, 1, MOST - 9] {
        let mut read = K::read(&set(&full, "evicted", |_| evicted)).unwrap();
        for round in 0..4 {
            // More is counted: insertions, removals, refusals, evictions.
            while pool_has_room(&mut read) {}
            read.insert(5);
            read.live().into_iter().take(round).for_each(|key| assert!(read.remove(key)));
            read.change_each();
            read.check();
            let counted = read.stats();
            read = K::read(&read.write()).unwrap_or_else(|why| panic!("{}: {why}", K::NAME));
            read.check();
            removed = removed.min(counted.removed);
            assert!(read.stats().inserted >= MOST && read.stats().removed >= MOST - 90);
            let past = read.save();
            read.insert(6);
            read.restore(&past);
            read.check();
        }
    }
    let more = set(&full, "evicted", |_| MOST - 2);
    assert!(K::read(&more).is_err(), "{}: more were evicted than removed", K::NAME);
}

fn pool_has_room<K: Kind>(pool: &mut K) -> bool {
    pool.live().len() < 60 && pool.stats().live < pool.stats().capacity && pool.insert(4).is_some()
}

#[test]
fn what_was_read_is_read_again_at_the_limit_of_each_count() {
    at_the_limit::<Pool<Counted>>();
    at_the_limit::<Pool<Counted, Fifo>>();
    at_the_limit::<Pool<Counted, LowestFirst>>();
    at_the_limit::<Pool<Counted, Roster>>();
    at_the_limit::<VecPool<Counted>>();
    at_the_limit::<StaticPool<Counted, 70>>();
    at_the_limit::<PackedPool<Counted>>();
    at_the_limit::<PackedVecPool<Counted>>();
    at_the_limit::<Recycler<Counted>>();
    at_the_limit::<SyncPool<Counted>>();
    assert_eq!(Counted::alive(), 0);
}

/// Where insertions and removals together are more than 2^63: the bitmap of live slots is never taken for up to date.
#[test]
fn iteration_is_right_when_the_sum_of_counts_passes_2_63() {
    let mut pool = Pool::<u64>::new(200);
    let handles: Vec<_> = (0..150).map(|n| pool.insert(n).unwrap()).collect();
    handles.iter().step_by(3).for_each(|handle| _ = pool.remove(*handle));
    let text = set(&serde_json::to_string(&pool).unwrap(), "inserted", |_| MOST);
    let mut pool: Pool<u64> = serde_json::from_str(&text).unwrap();
    for round in 0..200 {
        let handle = pool.insert(round).unwrap();
        let shared: Vec<_> = pool.iter().map(|(handle, _)| handle).collect();
        let mut seen = Vec::new();
        pool.values_mut().for_each(|value| seen.push(*value));
        assert_eq!((shared.len(), seen.len()), (pool.len(), pool.len()), "round {round}");
        assert!(shared.contains(&handle));
        pool.validate().unwrap();
        if round % 2 == 0 {
            pool.remove(handle);
        }
    }
}
