//! `VecPool`: grows as a `Vec` does, keeps every handle, shrinks without reviving anything, and stops at its limit.

use std::collections::{BTreeMap, HashSet};

use crate::allocations;
use crate::common::{Counted, Ledger, Random, in_every_order, panics};
use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, ReuseOrder};
use millpond::snapshot::{SnapshotError, SnapshotOf};
use millpond::vec_pool::ReserveError;
use millpond::{
    BuildError, Handle, Handle32, HandleLayout, InsertAtErrorKind, Pool, Refusal, VecPool,
    VecPoolBuilder,
};

type Saved<R, H> = SnapshotOf<VecPool<Counted, R, H>>;

/// What a pool must hold.
#[derive(Clone)]
struct Model<H> {
    live: BTreeMap<u32, (H, u64)>,
    dead: Vec<H>,
    ever: HashSet<H>,
}

impl<H: HandleLayout> Model<H> {
    fn new() -> Self {
        Self { live: BTreeMap::new(), dead: Vec::new(), ever: HashSet::new() }
    }

    fn insert(&mut self, handle: H, value: u64) {
        assert!(self.ever.insert(handle), "{handle} was issued twice");
        assert!(self.live.insert(handle.index(), (handle, value)).is_none(), "the slot was live");
    }

    fn remove(&mut self, handle: H) -> Option<u64> {
        let (_, value) = *self.live.get(&handle.index()).filter(|(live, _)| *live == handle)?;
        self.live.remove(&handle.index());
        self.dead.push(handle);
        Some(value)
    }

    fn any_live(&self, random: &mut Random) -> Option<H> {
        self.live.values().nth(random.below(self.live.len().max(1))).map(|(handle, _)| *handle)
    }

    fn any_dead(&self, random: &mut Random) -> Option<H> {
        self.dead.get(random.below(self.dead.len().max(1))).copied()
    }
}

fn check<R: ReuseOrder, H: HandleLayout>(pool: &VecPool<Counted, R, H>, model: &Model<H>) {
    pool.validate().unwrap();
    assert!(
        pool.iter().map(|(handle, value)| (handle, value.id())).eq(model.live.values().copied())
    );
    assert!(pool.capacity() <= pool.capacity_max());
    for handle in &model.dead {
        assert!(!pool.contains(*handle), "{handle} is dead");
        let refusal = pool.check(*handle).unwrap_err();
        assert!(matches!(refusal, Refusal::Stale | Refusal::OtherPool), "{handle}: {refusal}");
    }
}

/// Insertions and removals in phases, beside everything that makes the pool larger or smaller.
fn random_operations<R: ReuseOrder, H: HandleLayout>(
    builder: VecPoolBuilder<Counted, R, H>,
    limit: usize,
    steps: u64,
    seed: u64,
) {
    let ledger = Ledger::default();
    let mut random = Random(seed);
    let mut pool = builder.capacity_max(limit).build();
    let mut model = Model::new();
    let mut past: Option<(Saved<R, H>, Model<H>)> = None;
    for step in 0..steps {
        let is_growing = step / 200 % 2 == 0;
        match random.below(100) {
            0..50 if is_growing || random.below(4) == 0 => match pool.insert(ledger.value(step)) {
                Ok(handle) => model.insert(handle, step),
                Err(full) => {
                    assert!(pool.is_full() && !full.is_out_of_memory());
                    assert_eq!(full.into_inner().id(), step);
                    // Unless slots that have retired were freed.
                    let lasts = pool.generations().lifetimes_max() > 6;
                    assert!(!lasts || pool.capacity() == limit);
                }
            },
            0..50 => {
                if let Some(handle) = model.any_live(&mut random) {
                    assert_eq!(pool.remove(handle).map(|v| v.id()), model.remove(handle));
                }
            }
            50..55 => {
                if let Some(dead) = model.any_dead(&mut random) {
                    assert!(pool.remove(dead).is_none() && pool.get_mut(dead).is_none());
                    assert!(pool.insert_at(dead, ledger.value(step)).is_err());
                }
            }
            55..62 => {
                let index = random.below(limit + 1) as u32;
                let generation = pool.generations().first() + random.below(6) as u32;
                let Some(handle) = H::from_parts(index, generation) else { continue };
                let capacity = pool.capacity();
                match pool.insert_at(handle, ledger.value(step)) {
                    Ok(issued) => {
                        assert_eq!(issued, handle);
                        model.insert(handle, step);
                    }
                    Err(error) => {
                        assert_eq!(pool.capacity(), capacity);
                        let is_live = model.live.contains_key(&index);
                        match error.kind() {
                            InsertAtErrorKind::OutOfRange => assert_eq!(index as usize, limit),
                            InsertAtErrorKind::Occupied => assert!(is_live),
                            _ => assert!(!is_live),
                        }
                    }
                }
            }
            62..66 => {
                // The latest lifetime of a slot that has not been used since.
                let Some(handle) = model.any_dead(&mut random) else { continue };
                if pool.revive(handle, ledger.value(step)).is_ok() {
                    model.ever.remove(&handle);
                    model.dead.retain(|dead| *dead != handle);
                    model.insert(handle, step);
                }
            }
            66..72 => {
                let highest = model.live.keys().next_back().map_or(0, |index| *index as usize + 1);
                let capacity = pool.capacity();
                assert_eq!(pool.shrink_to_fit(), capacity - highest);
                assert_eq!(pool.capacity(), highest);
            }
            72..75 => {
                let additional = random.below(limit + 2);
                match pool.reserve(additional) {
                    Ok(()) => {
                        let vacant = pool.capacity() - pool.len() - pool.stats().retired;
                        assert!(vacant >= additional);
                    }
                    Err(error) => assert!(!error.is_out_of_memory()),
                }
            }
            75..78 => {
                if let Some(entry) = pool.vacant_entry() {
                    let promised = entry.handle();
                    if random.below(3) == 0 {
                        drop(entry);
                        assert!(!pool.contains(promised));
                    } else {
                        assert_eq!(entry.insert(ledger.value(step)), promised);
                        model.insert(promised, step);
                    }
                }
            }
            78..80 => {
                let modulus = 2 + random.below(3) as u64;
                pool.retain(|handle, value| {
                    let keep = value.id() % modulus != 0;
                    if !keep {
                        assert_eq!(model.remove(handle), Some(value.id()));
                    }
                    keep
                });
            }
            // A walk may put the bitmap in step, and find that the live slots are the lowest.
            80..86 => {
                let ids = pool.values_mut().map(|value| value.id());
                assert!(ids.eq(model.live.values().map(|(_, id)| *id)));
            }
            86 if step % 4 == 0 => {
                pool.clear();
                model.live.clone().into_values().for_each(|(handle, _)| _ = model.remove(handle));
            }
            87..89 => pool = pool.clone(),
            89..92 => match &mut past {
                Some((saved, was)) => {
                    saved.clone_from(&pool.snapshot_cloned());
                    pool.save_into(saved).unwrap();
                    *was = model.clone();
                }
                None => past = Some((pool.snapshot_cloned(), model.clone())),
            },
            92..95 => {
                if let Some((saved, was)) = &past {
                    pool.restore(saved).unwrap();
                    assert_eq!(pool.capacity(), saved.as_pool().capacity());
                    assert_eq!(pool.checksum(), saved.checksum());
                    assert!(saved.diff(&pool.snapshot_cloned()).next().is_none());
                    model = was.clone();
                }
            }
            95..97 => {
                let text = serde_json::to_string(&pool).unwrap();
                let read: VecPool<Counted, R, H> = serde_json::from_str(&text).unwrap();
                assert_eq!((read.capacity(), read.checksum()), (pool.capacity(), pool.checksum()));
                assert_eq!(serde_json::to_string(&read).unwrap(), text);
                pool = read;
            }
            _ => {}
        }
        if step % 8 == 0 {
            check(&pool, &model);
        }
        let of_the_past = past.as_ref().map_or(0, |(saved, _)| saved.as_pool().len());
        assert_eq!(ledger.alive(), pool.len() + of_the_past);
    }
    check(&pool, &model);
}

fn agrees_with_the_model<R: ReuseOrder, H: HandleLayout>() {
    for (limit, seed) in [0, 1, 3, 4, 5, 64, 100, 300].into_iter().zip(1..) {
        let builder = || VecPool::<Counted>::builder().reuse(R::default()).handle::<H>();
        random_operations(builder(), limit, 400, seed);
        random_operations(builder().lifetimes(6), limit, 300, seed + 100);
        random_operations(builder().name("a").salt(7).lifetimes(1), limit, 150, seed + 200);
        random_operations(builder().capacity(limit / 2), limit, 150, seed + 300);
    }
}

#[test]
fn agrees_with_the_model_in_every_order_with_wide_handles() {
    in_every_order!(agrees_with_the_model::<Handle<Counted>>());
}

/// Two pools with the same history issue the same handles, however the one came back to it.
fn goes_on_alike<R: ReuseOrder>() {
    for seed in 1..20 {
        let mut random = Random(seed);
        let mut pool: VecPool<u64, R> = VecPool::default();
        let mut live: Vec<Handle<u64>> = Vec::new();
        let mut work = |pool: &mut VecPool<u64, R>, random: &mut Random, steps: usize| {
            for _ in 0..steps {
                match random.below(8) {
                    0..4 => live.push(pool.push(random.next())),
                    4..7 if !live.is_empty() => {
                        let handle = live.swap_remove(random.below(live.len()));
                        pool.remove(handle);
                    }
                    7 if random.below(10) == 0 => _ = pool.shrink_to_fit(),
                    _ => {}
                }
            }
            live.clone()
        };
        let handles = work(&mut pool, &mut random, 10 + seed as usize * 9);
        let (saved, mut twin) = (pool.snapshot(), pool.clone());
        work(&mut pool, &mut random, 120);
        pool.restore(&saved).unwrap();
        assert_eq!(pool.checksum(), twin.checksum());
        for step in 0..80 {
            if step % 3 == 0 && step / 3 < handles.len() {
                assert_eq!(pool.remove(handles[step / 3]), twin.remove(handles[step / 3]));
            }
            assert_eq!(pool.push(step as u64), twin.push(step as u64));
        }
        assert!(pool.iter().eq(twin.iter()));
        assert_eq!(pool.checksum(), twin.checksum());
    }
}

#[test]
fn a_restored_pool_goes_on_as_its_twin_in_every_order() {
    in_every_order!(goes_on_alike());
}

#[test]
fn it_doubles_from_4_slots_up_to_its_limit() {
    let capacities = |mut pool: VecPool<u64>| {
        let mut capacities = vec![pool.capacity()];
        while pool.len() < 100 && pool.insert(0).is_ok() {
            if capacities.last() != Some(&pool.capacity()) {
                capacities.push(pool.capacity());
            }
        }
        capacities
    };
    assert_eq!(capacities(VecPool::new()), [0, 4, 8, 16, 32, 64, 128]);
    assert_eq!(capacities(VecPool::with_capacity(10)), [10, 20, 40, 80, 160]);
    assert_eq!(capacities(VecPool::with_capacity(1)), [1, 4, 8, 16, 32, 64, 128]);
    assert_eq!(capacities(VecPool::builder().capacity_max(21).build()), [0, 4, 8, 16, 21]);
    assert_eq!(capacities(VecPool::builder().capacity_max(1).build()), [0, 1]);
    assert_eq!(capacities(VecPool::builder().capacity_max(0).build()), [0]);
    assert_eq!(capacities(VecPool::builder().capacity(3).capacity_max(3).build()), [3]);
}

#[test]
fn the_handle_layout_is_a_limit() {
    let mut pool =
        VecPool::<u64>::builder().handle::<Handle32<u64, 6>>().capacity_max(1000).build();
    assert_eq!((pool.capacity_max(), pool.reserve(65).is_err()), (64, true));
    let handles: Vec<_> = std::iter::from_fn(|| pool.insert(1).ok()).collect();
    assert_eq!((handles.len(), pool.capacity(), pool.is_full()), (64, 64, true));
    assert_eq!(VecPool::<u64>::new().capacity_max(), u32::MAX as usize);
    let beyond = VecPool::<u64>::builder().capacity_max(usize::MAX - 3).build();
    assert_eq!(beyond.capacity_max(), (usize::MAX - 3).min(u32::MAX as usize));
    let too_many = VecPool::<u64>::builder().handle::<Handle32<u64, 6>>().capacity(65).try_build();
    let expected = BuildError::CapacityTooLarge { capacity: 65, capacity_max: 64 };
    assert_eq!(too_many.unwrap_err(), expected);
    let too_many = VecPool::<u64>::builder().capacity(5).capacity_max(4).try_build();
    let expected = BuildError::ReservedTooMuch { reserved: 5, capacity_max: 4 };
    assert_eq!(too_many.unwrap_err(), expected);
}

#[test]
fn an_empty_pool_takes_nothing_and_each_growth_one_block() {
    let (mut pool, asked) = allocations::during(VecPool::<[u64; 4]>::new);
    assert_eq!(asked, allocations::Allocations::default());
    let (_, asked) = allocations::during(|| pool.push([1; 4]));
    assert_eq!((asked.taken, asked.freed, asked.resized), (1, 0, 0));
    let ((), asked) = allocations::during(|| (0..3).for_each(|_| _ = pool.push([1; 4])));
    assert_eq!(asked, allocations::Allocations::default());
    let (_, asked) = allocations::during(|| pool.push([1; 4]));
    assert_eq!((asked.taken, asked.freed, asked.resized), (0, 0, 1));
    pool.clear();
    let (freed, asked) = allocations::during(|| pool.shrink_to_fit());
    // The generations stay.
    assert_eq!((freed, asked.freed, pool.capacity()), (8, 2, 0));
    assert_eq!(asked.taken, 2);
}

/// Whatever part is refused: nothing has changed, and the value comes back.
#[test]
fn without_memory_an_insertion_is_refused_and_nothing_is_lost() {
    let mut pool = VecPool::<[u8; 1000]>::builder().name("big").build();
    let handles: Vec<_> = (1..5).map(|id| pool.push([id; 1000])).collect();
    for from in [1, 8, 64, 1000, 8000] {
        let before = pool.checksum();
        allocations::refusing(from, || {
            let full = pool.insert([9; 1000]).unwrap_err();
            assert!(full.is_out_of_memory() && !pool.is_full());
            assert_eq!(full.into_inner()[0], 9);
            assert!(pool.vacant_entry().is_none());
            assert!(pool.insert_with(|_| unreachable!("there is no slot")).is_err());
            assert!(pool.reserve(1).unwrap_err().is_out_of_memory());
            let beyond = Handle::from_parts(7, handles[0].generation()).unwrap();
            let error = pool.insert_at(beyond, [9; 1000]).unwrap_err();
            assert_eq!(error.kind(), InsertAtErrorKind::OutOfMemory);
        });
        pool.validate().unwrap();
        assert_eq!((pool.len(), pool.capacity(), pool[handles[0]][0]), (4, 4, 1));
        assert_eq!(pool.checksum(), before);
    }
    let said = allocations::refusing(1000, || pool.insert([9; 1000]).unwrap_err().to_string());
    assert_eq!(
        said,
        "pool \"big\" is full, and there is no memory to grow: capacity 4, all live, 4 at the peak"
    );
    let fifth = pool.push([5; 1000]);
    pool.remove(handles[3]);
    pool.remove(fifth);
    // Of a pool that cannot move to a smaller block, nothing goes.
    for from in [1, 100, 1000] {
        let next = pool.vacant_entry().unwrap().handle();
        assert_eq!(allocations::refusing(from, || pool.shrink_to_fit()), 0);
        assert_eq!((pool.capacity(), pool.vacant_entry().unwrap().handle()), (8, next));
        pool.validate().unwrap();
    }
    assert_eq!(pool.shrink_to_fit(), 5);
    for from in [1, 100, 1000] {
        assert!(allocations::refusing(from, || pool.insert([0; 1000]).is_err()));
        assert_eq!(pool.check(fifth), Err(Refusal::Stale));
        pool.validate().unwrap();
    }
    let build = || VecPool::<u64>::builder().capacity(64).try_build();
    let refused = allocations::refusing(64, || build().unwrap_err());
    assert_eq!(refused, BuildError::OutOfMemory { capacity: 64 });
}

#[test]
fn slots_that_come_back_go_on_where_they_were() {
    let mut pool = VecPool::<u64>::builder().lifetimes(3).build();
    let handles: Vec<_> = (0..8).map(|value| pool.push(value)).collect();
    // Slot 7 retires, slots 5 and 6 are in other lifetimes than in a new pool.
    pool.remove(handles[7]);
    for _ in 0..2 {
        let again = pool.push(0);
        assert_eq!(again.index(), 7);
        pool.remove(again);
    }
    handles[5..7].iter().for_each(|handle| _ = pool.remove(*handle));
    assert_eq!((pool.shrink_to_fit(), pool.capacity(), pool.stats().retired), (3, 5, 0));
    pool.validate().unwrap();
    assert_eq!(pool.check(handles[6]), Err(Refusal::Stale));
    // It has 10 slots then, of which one has retired.
    let issued: Vec<_> = (0..4).map(|value| pool.push(value)).collect();
    let parts = |handle: &Handle<u64>| (handle.index(), handle.generation());
    assert_eq!(issued.iter().map(parts).collect::<Vec<_>>(), [(5, 2), (6, 2), (8, 1), (9, 1)]);
    assert_eq!((pool.capacity(), pool.stats().retired), (10, 1));
    // Shrunk and grown step by step, it is never shorter of generations.
    let mut pool = VecPool::<u64>::new();
    let first: Vec<_> = (0..100).map(|value| pool.push(value)).collect();
    pool.retain(|handle, _| handle.index() < 50);
    pool.shrink_to_fit();
    pool.retain(|handle, _| handle.index() < 3);
    pool.shrink_to_fit();
    assert_eq!(pool.capacity(), 3);
    for _ in 0..97 {
        pool.push(7);
        assert!(first[3..].iter().all(|handle| !pool.contains(*handle)));
    }
    assert!(pool.handles().filter(|h| h.index() >= 3).all(|handle| handle.generation() == 2));
}

#[test]
fn a_removed_object_comes_back_though_its_slot_was_freed() {
    let mut pool = VecPool::new();
    let handles: Vec<_> = (0..6000).map(|value| pool.push(value)).collect();
    pool.remove(handles[5999]);
    pool.retain(|_, value| *value < 2);
    pool.shrink_to_fit();
    // The first of the slots that were freed, and the last.
    assert_eq!(pool.capacity(), 2);
    pool.revive(handles[2], 76).unwrap();
    pool.revive(handles[5999], 77).unwrap();
    assert_eq!((pool[handles[2]], pool[handles[5999]], pool.len()), (76, 77, 4));
    pool.validate().unwrap();
    let error = pool.revive(Handle::from_parts(9000, 1).unwrap(), 1).unwrap_err();
    assert_eq!(error.kind(), InsertAtErrorKind::NeverLived);
}

/// Only the last of ten slots has not retired, and nine were freed.
fn one_good_slot_far_away() -> VecPool<u64> {
    let mut pool = VecPool::builder().lifetimes(1).capacity(10).build();
    let first = pool.push(0);
    let handles: Vec<_> = (1..9).map(|value| pool.push(value)).collect();
    handles.iter().for_each(|handle| _ = pool.remove(*handle));
    pool.shrink_to_fit();
    assert_eq!((pool.capacity(), pool.contains(first)), (1, true));
    pool
}

#[test]
fn growth_reaches_a_slot_that_has_not_retired() {
    let mut pool = one_good_slot_far_away();
    assert_eq!((pool.push(1).index(), pool.capacity()), (9, 10));
    pool.validate().unwrap();
    let mut pool = one_good_slot_far_away();
    pool.reserve(1).unwrap();
    assert_eq!(pool.capacity(), 10);
    let next = pool.push(1);
    assert_eq!((next.index(), pool.capacity()), (9, 10));
}

#[test]
fn slots_that_were_freed_are_in_the_sum_and_in_a_saved_pool() {
    let mut pool = VecPool::<u64>::new();
    let gone = pool.push(1);
    pool.remove(gone);
    pool.shrink_to_fit();
    assert_eq!(pool.capacity(), 0);
    assert_ne!(pool.checksum(), VecPool::<u64>::new().checksum());
    let saved = serde_json::to_string(&pool).unwrap();
    let mut loaded: VecPool<u64> = serde_json::from_str(&saved).unwrap();
    assert_eq!(loaded.checksum(), pool.checksum());
    assert_eq!((loaded.push(2).generation(), loaded.get(gone)), (2, None));
}

#[test]
fn a_named_slot_far_away_is_refused() {
    let mut pool = VecPool::<u64>::new();
    let at = |index| Handle::from_parts(index, 1).unwrap();
    assert_eq!(pool.insert_at(at(4096), 1).unwrap_err().kind(), InsertAtErrorKind::TooFar);
    assert_eq!(pool.insert_at(at(u32::MAX - 1), 1).unwrap_err().kind(), InsertAtErrorKind::TooFar);
    assert_eq!(pool.capacity(), 0);
    pool.insert_at(at(4095), 1).unwrap();
    assert_eq!(pool.capacity(), 4096);
    pool.insert_at(at(8191), 1).unwrap();
    assert_eq!(pool.insert_at(at(16384), 1).unwrap_err().kind(), InsertAtErrorKind::TooFar);
    pool.reserve(20_000).unwrap();
    pool.insert_at(at(16384), 1).unwrap();
    pool.validate().unwrap();
    let mut limited = VecPool::<u64>::builder().capacity_max(10).build();
    assert_eq!(limited.insert_at(at(10), 1).unwrap_err().kind(), InsertAtErrorKind::OutOfRange);
    limited.insert_at(at(9), 1).unwrap();
    assert_eq!(limited.capacity(), 10);
}

/// While it grows, no user code runs; before and after it may panic.
#[test]
fn user_code_that_panics_leaves_a_grown_pool_that_works() {
    let ledger = Ledger::default();
    let mut pool = VecPool::new();
    (0..4).for_each(|id| _ = pool.push(ledger.value(id)));
    assert!(panics(|| _ = pool.insert_with(|_| crate::common::quiet_panic())));
    pool.validate().unwrap();
    assert_eq!((pool.len(), pool.capacity(), ledger.alive()), (4, 8, 4));
    // Back to fewer slots, where the drop of a value that goes panics; and to more, where a clone does.
    let small = pool.snapshot_cloned();
    (4..20).for_each(|id| _ = pool.push(ledger.value(id)));
    let large = pool.snapshot_cloned();
    for id in [0, 3, 4, 8, 12, 19] {
        let mut pool = pool.clone();
        ledger.panic_in_drop_of(id);
        let has_panicked = panics(|| pool.restore(&small).unwrap());
        ledger.panic_in_drop_of(None);
        pool.validate().unwrap();
        assert_eq!(pool.len(), if has_panicked { 0 } else { 4 }, "{id}");
        ledger.panic_in_clone_of(id);
        let has_panicked = panics(|| pool.restore(&large).unwrap());
        ledger.panic_in_clone_of(None);
        pool.validate().unwrap();
        assert!(has_panicked && pool.is_empty());
        pool.restore(&large).unwrap();
        assert!(pool.iter().eq(large.as_pool().iter()));
    }
    drop((small, large, pool));
    assert_eq!(ledger.alive(), 0);
}

#[test]
fn a_restore_takes_on_the_slots_and_between_equal_ones_no_memory() {
    let mut pool = VecPool::<u64>::new();
    let empty = pool.snapshot();
    let handles: Vec<_> = (0..12).map(|value| pool.push(value)).collect();
    let large = pool.snapshot();
    pool.remove(handles[5]);
    let ((), asked) = allocations::during(|| pool.restore(&large).unwrap());
    assert_eq!(asked, allocations::Allocations::default());
    pool.extend(0..100);
    pool.restore(&large).unwrap();
    assert_eq!((pool.capacity(), pool.len(), pool[handles[5]]), (16, 12, 5));
    pool.restore(&empty).unwrap();
    assert_eq!((pool.capacity(), pool.len(), pool.contains(handles[5])), (0, 0, false));
    pool.validate().unwrap();
    let limited = VecPool::<u64>::builder().capacity_max(100).build();
    let error = pool.restore(&limited.snapshot()).unwrap_err();
    assert_eq!(error, SnapshotError::OtherCapacity { pool: u32::MAX as usize, snapshot: 100 });
    // What comes next depends on how many slots there are, and so does the sum.
    let (mut a, mut b) = (VecPool::<u64, Fifo>::default(), VecPool::<u64, Fifo>::default());
    assert_eq!(a.checksum(), b.checksum());
    b.reserve(9).unwrap();
    let sums = [&mut a, &mut b].map(|pool| {
        (0..4).for_each(|value| _ = pool.push(value));
        pool.checksum()
    });
    assert_ne!(sums[0], sums[1]);
}

/// A zero-sized value takes no memory, and an over-aligned one lies where it must.
#[test]
fn values_of_any_layout_move() {
    #[derive(Clone, Copy, PartialEq, Debug, Default)]
    #[repr(align(128))]
    struct Wide(u8);
    fn grows<T: Copy + PartialEq + std::fmt::Debug, R: ReuseOrder>(value: impl Fn(u8) -> T) {
        let mut pool = VecPool::<T, R>::default();
        let handles: Vec<_> = (0..200).map(|at| pool.push(value(at))).collect();
        for (at, handle) in (0..200).zip(&handles) {
            assert_eq!(pool[*handle], value(at));
            assert!((&raw const pool[*handle]).is_aligned());
        }
        pool.retain(|handle, _| handle.index() % 7 == 0);
        pool.shrink_to_fit();
        pool.validate().unwrap();
        assert!(handles.iter().step_by(7).all(|handle| pool.contains(*handle)));
        assert_eq!((pool.len(), pool.capacity()), (29, 197));
    }
    fn of_each<R: ReuseOrder>() {
        grows::<(), R>(|_| ());
        grows::<[u8; 3], R>(|at| [at; 3]);
        grows::<Wide, R>(Wide);
        grows::<[u64; 100], R>(|at| [u64::from(at); 100]);
    }
    // The other orders have nothing to do with the values.
    of_each::<Lifo>();
    of_each::<Intrusive>();
}

/// A bitmap that is in step, and live slots that are known to be the lowest, are so after the pool has grown.
#[test]
fn what_is_known_of_the_slots_is_known_after_growth() {
    for live in [0, 1, 3, 4, 63, 64, 65, 127, 128] {
        for walks in 0..3 {
            for hole in [false, true] {
                let mut pool = VecPool::<u64>::with_capacity(128);
                let handles: Vec<_> = (0..live).map(|value| pool.push(value)).collect();
                if hole && live > 1 {
                    pool.remove(handles[0]);
                }
                for _ in 0..walks {
                    pool.values_mut().for_each(|value| *value += 1);
                }
                let expected: Vec<_> =
                    pool.iter().map(|(handle, value)| (handle, *value)).collect();
                pool.reserve(300).unwrap();
                pool.validate().unwrap();
                let both = |pool: &mut VecPool<u64>| {
                    let shared: Vec<_> =
                        pool.iter().map(|(handle, value)| (handle, *value)).collect();
                    let mutable: Vec<_> = pool.iter_mut().map(|(h, value)| (h, *value)).collect();
                    assert_eq!(shared, mutable);
                    shared
                };
                assert_eq!(both(&mut pool), expected);
                let last = pool.push(7);
                assert_eq!(both(&mut pool).len(), expected.len() + 1);
                pool.remove(last);
                pool.shrink_to_fit();
                pool.validate().unwrap();
                assert_eq!(both(&mut pool), expected);
            }
        }
    }
}

/// With [`LowestFirst`], values go to the lowest slots, so that the upper ones run empty.
#[test]
fn upper_slots_run_empty_where_the_lowest_come_first() {
    let mut pool = VecPool::<u64, LowestFirst>::default();
    let mut random = Random(3);
    let mut live: Vec<_> = (0..1000).map(|value| pool.push(value)).collect();
    for _ in 0..900 {
        pool.remove(live.swap_remove(random.below(live.len())));
    }
    for _ in 0..2000 {
        pool.remove(live.swap_remove(random.below(live.len())));
        live.push(pool.push(1));
    }
    pool.shrink_to_fit();
    assert!(pool.capacity() < 200, "{}", pool.capacity());
    pool.validate().unwrap();
}

#[test]
fn room_that_cannot_be_made_is_refused() {
    let mut pool = VecPool::<u64>::builder().name("few").capacity_max(10).lifetimes(1).build();
    let gone = pool.push(1);
    pool.remove(gone);
    pool.push(2);
    let error: ReserveError = pool.reserve(9).unwrap_err();
    assert_eq!(
        error.to_string(),
        "pool \"few\" cannot make room for 9 more values: it may have 10 slots, and 1 are live, 1 retired"
    );
    pool.reserve(8).unwrap();
    (0..8).for_each(|value| _ = pool.push(value));
    assert!(pool.is_full());
    assert!(panics_with_message(|| _ = pool.push(9)).contains("is full"));
    // Slots that have retired and were freed are no room either.
    pool.retain(|handle, _| handle.index() < 3);
    pool.shrink_to_fit();
    assert!(pool.is_full() && pool.insert(1).is_err());
    assert_eq!(pool.capacity(), 3);
    assert!(pool.reserve(1).is_err());
}

fn panics_with_message(work: impl FnOnce()) -> String {
    let hook = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_err();
    hook.downcast_ref::<String>().cloned().unwrap_or_default()
}

/// What was read has the limit, the slots that were freed, and the order.
#[test]
fn a_saved_pool_is_read_and_a_damaged_one_refused() {
    let mut pool = VecPool::<u64, Lifo>::builder().capacity_max(50).name("saved").build();
    let handles: Vec<_> = (0..20).map(|value| pool.push(value)).collect();
    pool.retain(|_, value| *value % 3 == 0 && *value < 12);
    pool.shrink_to_fit();
    pool.push(40);
    let text = serde_json::to_string(&pool).unwrap();
    let mut read: VecPool<u64> = serde_json::from_str(&text).unwrap();
    let bytes = postcard::to_allocvec(&pool).unwrap();
    let from_bytes: VecPool<u64> = postcard::from_bytes(&bytes).unwrap();
    for read in [&read, &from_bytes] {
        read.validate().unwrap();
        assert!(read.iter().eq(pool.iter()));
        assert_eq!((read.capacity(), read.capacity_max()), (10, 50));
        assert_eq!((read.checksum(), read.stats()), (pool.checksum(), pool.stats()));
        assert!(handles[10..].iter().all(|handle| read.check(*handle) == Err(Refusal::Stale)));
    }
    (0..40).for_each(|value| assert_eq!(read.insert(value).ok(), pool.insert(value).ok()));

    let refused = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        serde_json::from_str::<VecPool<u64>>(&changed).unwrap_err().to_string()
    };
    let limit = "a limit of 4294967296 slots is more than the handle layout can name";
    assert_eq!(refused("\"capacity_max\":50", "\"capacity_max\":4294967296"), limit);
    let known = "20 slots are more than the handle layout can name";
    assert_eq!(refused("\"capacity_max\":50", "\"capacity_max\":19"), known);
    let there = refused("\"slots_there\":10", "\"slots_there\":21");
    assert_eq!(there.split(" at line").next(), Some("21 slots exist, but 20 have a generation"));
    // A live slot among those that were freed, or an order of too many.
    refused("\"slots_there\":10", "\"slots_there\":9");
    refused("\"slots_there\":10", "\"slots_there\":12");
    let other = refused("\"pool\":\"VecPool\"", "\"pool\":\"Pool\"");
    assert!(other.starts_with("a saved pool of another kind"), "{other}");
    assert!(serde_json::from_str::<Pool<u64>>(&text).is_err());
    let of_a_pool = serde_json::to_string(&Pool::<u64>::new(3)).unwrap();
    assert!(serde_json::from_str::<VecPool<u64>>(&of_a_pool).is_err());
}

/// A program may hold its pools in a `static`: an empty one needs no code to run before.
#[test]
fn an_empty_pool_is_a_constant() {
    static SHIPS: std::sync::Mutex<VecPool<u64>> = std::sync::Mutex::new(VecPool::new());
    let handle = SHIPS.lock().unwrap().push(1);
    assert_eq!(SHIPS.lock().unwrap().get(handle), Some(&1));
}
