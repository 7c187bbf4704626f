//! After its creation a pool neither takes memory nor gives any back, whatever is asked of it.

mod common;

use std::fmt::{self, Write};
use std::hint::black_box;

use common::in_every_order;
use millpond::classic::{BytemapPool, RosterPool};
use millpond::reuse::{ReuseOrder, Roster};
use millpond::{Handle, Handle32, HandleAllocator, HandleLayout, Pool, PoolBuilder, Recycler};
use millpond_testkit::allocations::{Allocations, Counting, during};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs the work, which must not touch the allocator.
#[track_caller]
fn without_allocation<V>(what: &str, work: impl FnOnce() -> V) -> V {
    let (value, allocations) = during(work);
    assert_eq!(allocations, Allocations::default(), "{what}");
    value
}

/// Where printed text goes: nowhere, without memory.
struct Nowhere;

impl Write for Nowhere {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

const SLOTS: usize = 500;

/// Room for the handles of a full pool, taken before the counting starts.
struct Kept<H>(Vec<H>);

impl<H: Copy> Kept<H> {
    fn new() -> Self {
        Self(Vec::with_capacity(SLOTS))
    }

    fn fill(&mut self, next: impl FnMut() -> Option<H>) {
        self.0.clear();
        self.0.extend(std::iter::from_fn(next).take(SLOTS));
    }
}

fn fill<T: Copy + Default, R: ReuseOrder, H: HandleLayout>(
    pool: &mut Pool<T, R, H>,
    kept: &mut Kept<H>,
) {
    kept.fill(|| pool.insert(T::default()).ok());
}

fn pool_of<T, R, H>(builder: PoolBuilder<T, R, H>)
where
    T: Copy + Default + Ord + fmt::Debug,
    R: ReuseOrder,
    H: HandleLayout,
{
    let mut pool = builder.capacity(SLOTS).build();
    let mut kept = Kept::new();
    without_allocation("fill, refuse, look", || {
        fill(&mut pool, &mut kept);
        assert_eq!(kept.0.len(), SLOTS);
        let full = pool.insert(T::default()).unwrap_err();
        write!(Nowhere, "{full} {full:?}").unwrap();
        assert!(pool.insert_with(|_| T::default()).is_err() && pool.vacant_entry().is_none());
        look_at_all(&mut pool, &kept);
    });
    without_allocation("remove and insert", || {
        for _ in 0..3 {
            for &handle in kept.0.iter().step_by(3) {
                black_box(pool.remove(handle));
                assert!(pool.remove(handle).is_none() && pool.check(handle).is_err());
            }
            look_at_all(&mut pool, &kept);
            while let Some(entry) = pool.vacant_entry() {
                black_box(entry.handle());
                entry.insert(T::default());
            }
            kept.0.clear();
            kept.0.extend(pool.handles());
        }
        pool.remove(kept.0[7]);
        kept.0[7] = pool.insert_with(|_| T::default()).unwrap();
    });
    without_allocation("evict", || {
        let (new, evicted) = pool.insert_or_evict(T::default(), |_, value| *value);
        assert!(evicted.is_some() && pool.contains(new));
    });
    without_allocation("the ways to empty it", || {
        pool.retain(|handle, _| handle.index() % 2 == 0);
        black_box(pool.extract_if(|handle, _| handle.index() % 3 == 0).count());
        black_box(pool.drain().next_back());
        assert!(pool.is_empty());
        fill(&mut pool, &mut kept);
        pool.clear();
        assert!(pool.is_empty() && pool.values().next().is_none());
    });
    insert_at_and_retire(&mut pool, &mut kept);
    let mut values = 0;
    fill(&mut pool, &mut kept);
    let (taken, allocations) = during(|| {
        let mut into_iter = pool.into_iter();
        while values < 10 && into_iter.next().is_some() {
            values += 1;
        }
        into_iter
    });
    assert_eq!((allocations, taken.len()), (Allocations::default(), SLOTS - 10));
}

/// Everything that only looks.
fn look_at_all<T: fmt::Debug + Copy, R: ReuseOrder, H: HandleLayout>(
    pool: &mut Pool<T, R, H>,
    kept: &Kept<H>,
) {
    for &handle in &kept.0 {
        let index = handle.index() as usize;
        black_box((pool.get(handle).copied(), pool.get_mut(handle).is_some()));
        black_box((pool.contains(handle), pool.check(handle).is_ok()));
        black_box((pool.get_at(index).copied(), pool.handle_at(index)));
        if let Some(value) = pool.get(handle) {
            black_box(pool.index_of(value));
            black_box(pool[handle]);
        }
    }
    let (first, last) = (kept.0[1], kept.0[SLOTS - 1]);
    black_box(pool.get_disjoint_mut([first, last]).is_ok());
    black_box((pool.stats(), pool.len(), pool.capacity(), pool.is_full(), pool.name()));
    assert_eq!(pool.iter().count(), pool.len());
    assert_eq!(pool.iter_mut().rev().count(), pool.len());
    assert_eq!(pool.handles().clone().rev().count(), pool.len());
    assert_eq!(pool.values().fold(0, |count, _| count + 1), pool.len());
    assert_eq!(pool.values_mut().count(), pool.len());
    assert_eq!(pool.runs().map(|(_, run)| run.len()).sum::<usize>(), pool.len());
    assert_eq!(pool.runs_mut().map(|(_, run)| run.len()).sum::<usize>(), pool.len());
    assert_eq!(pool.occupancy().iter().count(), pool.len());
    write!(Nowhere, "{pool:?} {:?} {:?}", pool.iter(), pool.stats()).unwrap();
}

/// Claims in bulk (`Lifo` leaves ghosts in its stack, and sweeps them out), to the last lifetime.
fn insert_at_and_retire<T: Default, R: ReuseOrder, H: HandleLayout>(
    pool: &mut Pool<T, R, H>,
    kept: &mut Kept<H>,
) {
    without_allocation("insert at handles", || {
        for generation in 50..60 {
            for index in (0..SLOTS as u32).rev() {
                let handle = H::from_parts(index, generation).unwrap();
                assert!(pool.insert_at(handle, T::default()).is_ok());
                assert!(pool.insert_at(handle, T::default()).is_err());
                assert!(pool.remove(handle).is_some());
                let error = pool.insert_at(handle, T::default()).unwrap_err();
                write!(Nowhere, "{error} {error:?}").unwrap();
            }
        }
    });
    without_allocation("retire", || {
        for index in 0..SLOTS as u32 / 2 {
            let last = H::from_parts(2 * index, H::LIFETIMES_MAX).unwrap();
            assert!(pool.insert_at(last, T::default()).is_ok());
            assert!(pool.remove(last).is_some());
        }
        assert_eq!(pool.stats().retired, SLOTS / 2);
        kept.fill(|| pool.insert(T::default()).ok());
        assert_eq!(kept.0.len(), SLOTS - SLOTS / 2);
        let full = pool.insert(T::default()).unwrap_err();
        write!(Nowhere, "{full}").unwrap();
        pool.clear();
    });
    // What retired is gone for good, so go on with a new pool of the same kind.
    let builder = Pool::<T>::builder().reuse(R::default()).handle::<H>();
    *pool = builder.capacity(SLOTS).build();
}

fn pool<R: ReuseOrder>() {
    let order = R::default();
    pool_of(Pool::<u64>::builder().reuse(order));
    pool_of(Pool::<[u64; 4]>::builder().reuse(order).handle::<Handle32<u64, 16>>());
    pool_of(Pool::<u32>::builder().reuse(order).handle::<Handle32<u32>>());
    pool_of(Pool::<()>::builder().reuse(order).handle::<Handle<()>>());
}

#[test]
fn pool_asks_for_nothing_after_its_creation() {
    in_every_order!(pool());
}

fn recycler<R: ReuseOrder>() {
    let builder = Recycler::<u64>::builder().reuse(R::default()).on_release(|object| *object = 0);
    let mut recycler = builder.capacity(SLOTS).build();
    let mut kept = Kept::new();
    without_allocation("recycler", || {
        for round in 0..3 {
            kept.fill(|| recycler.acquire().map(|(handle, _)| handle));
            assert!(recycler.acquire().is_none() && recycler.is_full());
            for &handle in kept.0.iter().skip(round).step_by(2) {
                assert!(recycler.get(handle).is_some() && recycler.get_mut(handle).is_some());
                assert!(recycler.release(handle) && !recycler.release(handle));
                assert!(recycler.check(handle).is_err() && !recycler.contains(handle));
            }
            assert_eq!(recycler.runs().map(|(_, run)| run.len()).sum::<usize>(), recycler.len());
            assert_eq!(recycler.runs_mut().map(|(_, r)| r.len()).sum::<usize>(), recycler.len());
            assert_eq!(recycler.handles().count(), recycler.len());
            recycler.as_mut_slice().fill(7);
            black_box((recycler.as_slice(), recycler.stats(), recycler.is_live(3)));
            write!(Nowhere, "{recycler:?}").unwrap();
            recycler.clear();
        }
        for index in (0..SLOTS as u32).rev() {
            let handle = Handle::from_parts(index, 1000).unwrap();
            assert!(recycler.acquire_at(handle).is_ok() && recycler.acquire_at(handle).is_err());
        }
    });
}

#[test]
fn recycler_asks_for_nothing_after_its_creation() {
    in_every_order!(recycler());
}

fn handle_allocator<R: ReuseOrder, H: HandleLayout>() {
    let mut slots = HandleAllocator::<R, H>::with_capacity(SLOTS);
    let mut kept = Kept::new();
    without_allocation("handle allocator", || {
        for round in 0..3 {
            kept.fill(|| slots.acquire());
            assert!(slots.acquire().is_none() && slots.next_handle().is_none());
            for &handle in kept.0.iter().skip(round).step_by(2) {
                assert!(slots.release(handle) && !slots.release(handle));
                assert!(slots.check(handle).is_err() && !slots.contains(handle));
            }
            black_box((slots.next_handle(), slots.stats(), slots.handle_at(7), slots.is_full()));
            assert_eq!(slots.handles().rev().count(), slots.len());
            assert_eq!(slots.runs().map(|run| run.len()).sum::<usize>(), slots.len());
            write!(Nowhere, "{slots:?} {:?}", slots.handles()).unwrap();
            slots.clear();
        }
        for round in 0..5 {
            for index in (0..SLOTS as u32).rev() {
                let handle = H::from_parts(index, 1000 + round).unwrap();
                assert!(slots.acquire_at(handle).is_ok() && slots.acquire_at(handle).is_err());
                assert!(slots.release(handle));
            }
        }
        let last = H::from_parts(3, H::LIFETIMES_MAX).unwrap();
        assert!(slots.acquire_at(last).is_ok() && slots.release(last));
        assert_eq!(slots.stats().retired, 1);
    });
}

#[test]
fn handle_allocator_asks_for_nothing_after_its_creation() {
    in_every_order!(handle_allocator::<Handle<()>>());
    in_every_order!(handle_allocator::<Handle32<(), 16>>());
}

#[test]
fn list_of_live_slots_costs_no_memory() {
    let mut pool: Pool<u8, Roster> = Pool::with_capacity(SLOTS);
    without_allocation("live slots", || {
        pool.insert(1).unwrap();
        assert_eq!(pool.live_slots(), [0]);
    });
}

#[test]
fn roster_pool_asks_for_nothing_after_its_creation() {
    let mut pool = RosterPool::<u64>::new(SLOTS);
    let mut kept = Kept::new();
    without_allocation("roster pool", || {
        for round in 0..3 {
            kept.fill(|| pool.allocate());
            assert!(pool.allocate().is_none() && pool.next_slot().is_none());
            pool.as_mut_slice().fill(round);
            for &handle in kept.0.iter() {
                assert!(pool.get(handle).is_some() && pool.get_mut(handle).is_some());
                assert!(pool.free(handle) && !pool.free(handle));
            }
            black_box((pool.roster(), pool.partition(), pool.capacity(), pool.stats()));
            write!(Nowhere, "{pool:?}").unwrap();
        }
    });
}

/// All but `flush` and `initialise`, which say so.
#[test]
fn bytemap_pool_asks_for_nothing_after_its_creation() {
    for mut pool in [BytemapPool::<u64>::new(SLOTS), BytemapPool::retiring(SLOTS)] {
        let mut kept = Kept::new();
        without_allocation("byte-map pool", || {
            for _ in 0..140 {
                kept.fill(|| pool.insert(1).ok());
                assert_eq!(pool.insert(2), Err(2));
                for &handle in kept.0.iter() {
                    assert!(pool.get(handle).is_some() && pool.get_mut(handle).is_some());
                    assert_eq!(pool.handle_of(pool.get(handle).unwrap()), Some(handle));
                    assert_eq!(pool.remove(handle), Some(1));
                    let _ = black_box(pool.insert_at(handle, 3));
                    black_box(pool.remove_at((handle >> 8) as usize));
                }
                black_box((pool.bytes(), pool.cursor(), pool.seeds_restarted()));
                write!(Nowhere, "{pool:?}").unwrap();
                assert_eq!(pool.iter().count(), 0);
            }
            pool.clear();
        });
    }
}
