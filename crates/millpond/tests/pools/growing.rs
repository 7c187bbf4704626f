//! What the pools that grow promise alike, `BlockPool` by blocks, `VecPool` and `PackedVecPool` as a `Vec`: they keep every handle,
//! shrink without reviving anything, stop at their limits, and lose nothing where there is no memory.

use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::allocations::{during, refusing};
use crate::common::{Random, in_every_order};
use millpond::reuse::{Intrusive, Lifo, ReuseOrder, Roster};
use millpond::{
    BlockPool, BuildError, Handle, Handle32, HandleLayout, InsertAtErrorKind, PackedVecPool,
    Refusal, VecPool,
};

/// What is live: the handle by index, what the value says, and where it was put.
type Live<H> = BTreeMap<u32, (H, u64, *const u64)>;

/// Random operations, in phases that grow and phases that shrink, beside a list of what is live. `$stays`: whether values
/// stay where they were put; `$check` is what else must hold, and `$shrunk` after a shrinking that freed so many.
macro_rules! grows_and_shrinks {
    ($name:ident: $type:ident, stays: $stays:literal, check: $check:expr, shrunk: $shrunk:expr) => {
        fn $name<R: ReuseOrder, H: HandleLayout>(
            mut pool: $type<u64, R, H>,
            steps: u64,
            seed: u64,
        ) {
            let mut random = Random(seed);
            let limit = pool.capacity_max();
            let (mut live, mut dead, mut ever) = (Live::new(), Vec::new(), HashSet::new());
            let mut past = (pool.snapshot(), live.clone());
            for step in 0..steps {
                let mut inserted = None;
                match random.below(100) {
                    0..55 if step / 200 % 2 == 0 || random.below(4) == 0 => match pool.insert(step)
                    {
                        Ok(handle) => inserted = Some(handle),
                        Err(full) => {
                            assert!(pool.is_full() && !full.is_out_of_memory());
                            assert_eq!(full.into_inner(), step);
                        }
                    },
                    0..62 => {
                        let at = random.below(live.len().max(1));
                        if let Some((handle, value, _)) = live.values().nth(at).copied() {
                            assert_eq!(pool.remove(handle), Some(value));
                        }
                    }
                    62..70 => {
                        let index = random.below(limit + 1) as u32;
                        let generation = pool.generations().first() + random.below(6) as u32;
                        let Some(handle) = H::from_parts(index, generation) else { continue };
                        let capacity = pool.capacity();
                        match pool.insert_at(handle, step) {
                            Ok(issued) => inserted = Some(issued),
                            Err(error) => {
                                assert_eq!(
                                    (pool.capacity(), error.kind() == InsertAtErrorKind::Occupied),
                                    (capacity, live.contains_key(&index))
                                );
                                let is_beyond = error.kind() == InsertAtErrorKind::OutOfRange;
                                assert_eq!(is_beyond, index as usize == limit);
                            }
                        }
                    }
                    70..76 => {
                        let freed = pool.capacity();
                        assert_eq!(pool.shrink_to_fit() > 0, pool.capacity() < freed);
                        let highest = live.keys().last().map_or(0, |index| *index as usize + 1);
                        $shrunk(&pool, highest);
                    }
                    76..79 => {
                        let additional = random.below(limit + 2);
                        match pool.reserve(additional) {
                            Ok(()) => {
                                let vacant = pool.capacity() - pool.len() - pool.stats().retired;
                                assert!(vacant >= additional);
                            }
                            Err(error) => {
                                let lasts = pool.generations().lifetimes_max() > 6;
                                assert!(
                                    !error.is_out_of_memory()
                                        && (!lasts || additional > limit - pool.len())
                                );
                            }
                        }
                    }
                    79..82 => {
                        let modulus = 2 + random.below(3) as u64;
                        pool.retain(|_, value| *value % modulus != 0);
                    }
                    82..84 => {
                        let modulus = 2 + random.below(3) as u64;
                        let gone = pool.extract_if(|_, value| *value % modulus == 0);
                        gone.for_each(|(handle, value)| assert_eq!(live[&handle.index()].1, value));
                    }
                    84 if step % 4 == 0 => {
                        let (taken, drain) = (random.below(pool.len() + 1), pool.drain());
                        let expected = live.values().map(|(handle, value, _)| (*handle, *value));
                        assert!(drain.take(taken).eq(expected.take(taken)));
                    }
                    // A walk may put the bitmap in step, and find that the live slots are the lowest.
                    85..91 => {
                        let expected = live.values().map(|(_, value, _)| *value);
                        assert!(pool.values_mut().map(|value| *value).eq(expected));
                    }
                    91 => {
                        pool = match random.below(2) {
                            0 => pool.clone(),
                            _ => {
                                let text = serde_json::to_string(&pool).unwrap();
                                let read: $type<u64, R, H> = serde_json::from_str(&text).unwrap();
                                assert_eq!(
                                    (read.capacity(), read.checksum()),
                                    (pool.capacity(), pool.checksum())
                                );
                                read
                            }
                        };
                        live.values_mut()
                            .for_each(|(handle, _, at)| *at = &raw const pool[*handle]);
                    }
                    92..94 => {
                        pool.save_into(&mut past.0).unwrap();
                        past.1 = live.clone();
                    }
                    94..96 => {
                        let (snapshot, was) = &past;
                        pool.restore(snapshot).unwrap();
                        assert_eq!(pool.capacity(), snapshot.as_pool().capacity());
                        assert!(snapshot.diff(&pool.snapshot()).next().is_none());
                        live = was.clone();
                        live.values_mut()
                            .for_each(|(handle, _, at)| *at = &raw const pool[*handle]);
                        // What came since may come again.
                        (dead, ever) =
                            (Vec::new(), live.values().map(|(handle, ..)| *handle).collect());
                    }
                    _ => {}
                }
                live.retain(|_, (handle, ..)| {
                    pool.contains(*handle) || {
                        dead.push(*handle);
                        false
                    }
                });
                if let Some(handle) = inserted {
                    assert!(ever.insert(handle), "{handle} was issued twice");
                    live.insert(handle.index(), (handle, step, &raw const pool[handle]));
                }
                for handle in dead.iter().rev().take(20) {
                    assert_eq!(pool.check(*handle), Err(Refusal::Stale), "{handle}");
                }
                if step % 8 == 0 {
                    pool.validate().unwrap();
                    assert_eq!(pool.len(), live.len());
                    assert!(pool.capacity() <= limit);
                    for (index, (handle, value, address)) in &live {
                        let found = pool.get(*handle).unwrap();
                        assert_eq!((found, pool.index_of(found)), (value, Some(*index as usize)));
                        assert!(!$stays || std::ptr::eq(found, *address), "the value moved");
                    }
                    let expected = || live.values().map(|(handle, value, _)| (*handle, *value));
                    assert!(pool.iter().map(|(handle, value)| (handle, *value)).eq(expected()));
                    let mut folded = Vec::new();
                    pool.iter().for_each(|(handle, value)| folded.push((handle, *value)));
                    assert!(folded.into_iter().eq(expected()));
                    let runs: Vec<_> = pool.runs().map(|(first, run)| (first, run.len())).collect();
                    let slots = runs.iter().flat_map(|(first, len)| *first..first + len);
                    assert!(slots.eq(live.keys().map(|index| *index as usize)));
                    $check(&pool, &runs);
                }
            }
            assert!(
                pool.into_iter().eq(live.into_values().map(|(handle, value, _)| (handle, value)))
            );
        }
    };
}

/// Where each block of a pool ends.
fn block_ends<T, R: ReuseOrder, H: HandleLayout>(pool: &BlockPool<T, R, H>) -> Vec<usize> {
    let (first, last) = pool.block_sizes().into_inner();
    let sizes = (0..).map(|block: usize| match block {
        0 => first,
        _ => first.checked_mul(1 << (block - 1).min(31)).unwrap_or(last).min(last),
    });
    let ends = sizes.scan(0, |end, size| {
        *end += size;
        Some(*end)
    });
    ends.take_while(|end| *end <= pool.capacity()).collect()
}

/// Runs end with their blocks, of which there are no parts.
fn check_blocks<R: ReuseOrder, H: HandleLayout>(
    pool: &BlockPool<u64, R, H>,
    runs: &[(usize, usize)],
) {
    let ends = block_ends(pool);
    for (first, len) in runs {
        assert!(*len > 0 && !ends.iter().any(|end| (first + 1..first + len).contains(end)));
    }
    assert_eq!(pool.capacity(), ends.last().copied().unwrap_or(0));
    assert!(ends.len() <= pool.max_blocks());
}

/// The last block has a value.
fn last_block_is_used<R: ReuseOrder, H: HandleLayout>(pool: &BlockPool<u64, R, H>, used: usize) {
    let mut ends = block_ends(pool).into_iter().rev();
    let (end, start) = (ends.next().unwrap_or(0), ends.next().unwrap_or(0));
    assert!(end == 0 || (start + 1..=end).contains(&used));
}

grows_and_shrinks! {
    blocks_grow_and_shrink: BlockPool, stays: true, check: check_blocks, shrunk: last_block_is_used
}

grows_and_shrinks! {
    a_vec_grows_and_shrinks: VecPool, stays: false, check: |_: &_, _: &_| (),
    shrunk: |pool: &VecPool<u64, R, H>, used| assert_eq!(pool.capacity(), used)
}

/// With pools that last, that give back at once, that retire early, and whose slots have one lifetime.
fn at_every_size<R: ReuseOrder, H: HandleLayout>() {
    let sizes =
        [(1, 1, 0), (1, 1, 1), (1, 1, 9), (2, 2, 70), (8, 8, 5), (64, 64, 3), (128, 128, 2)];
    for (seed, (first, last, most)) in
        (1..).zip(sizes.into_iter().chain([(1, 1 << 31, 8), (4, 32, 12)]))
    {
        let builder = || {
            let builder = BlockPool::<u64>::builder().reuse(R::default()).handle::<H>();
            builder.block_sizes(first..=last).max_blocks(most)
        };
        blocks_grow_and_shrink(builder().build(), 300, seed);
        blocks_grow_and_shrink(builder().give_back_beyond(1).build(), 200, seed + 100);
        let short = builder().give_back_beyond(0).lifetimes(6);
        blocks_grow_and_shrink(short.build(), 200, seed + 200);
        let once = builder().name("a").salt(7).lifetimes(1);
        blocks_grow_and_shrink(once.build(), 200, seed + 300);
    }
    for (seed, limit) in (1..).zip([0, 1, 3, 4, 5, 64, 100, 300]) {
        let builder = || {
            let builder = VecPool::<u64>::builder().reuse(R::default()).handle::<H>();
            builder.capacity_max(limit)
        };
        a_vec_grows_and_shrinks(builder().build(), 400, seed);
        a_vec_grows_and_shrinks(builder().lifetimes(6).build(), 300, seed + 100);
        let once = builder().name("a").salt(7).lifetimes(1);
        a_vec_grows_and_shrinks(once.build(), 150, seed + 200);
        a_vec_grows_and_shrinks(builder().capacity(limit / 2).build(), 150, seed + 300);
    }
}

#[test]
fn pools_grow_and_shrink_in_every_order_at_every_size() {
    in_every_order!(at_every_size::<Handle<u64>>());
    at_every_size::<Lifo, Handle32<u64, 16>>();
    at_every_size::<Roster, Handle32<u64, 16>>();
    at_every_size::<Intrusive, Handle32<u64, 16>>();
}

/// Whatever part is refused, the values or the books: nothing has changed, and the value comes back.
macro_rules! nothing_is_lost_without_memory {
    ($pool:expr) => {{
        let mut pool = $pool;
        let handles = [1; 4].map(|byte| pool.insert([byte; 1000]).unwrap());
        let before = pool.checksum();
        for from in [8, 16, 32, 64, 100, 1000, 4000] {
            refusing(from, || {
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
        let said = refusing(1000, || pool.insert([9; 1000]).unwrap_err().to_string());
        assert_eq!(
            said,
            "pool \"big\" is full, and there is no memory to grow: all 4 slots are live"
        );
        let fifth = pool.push([5; 1000]);
        assert_eq!(pool.capacity(), 8);
        // Slots that were given back, and cannot be taken again, keep their generations.
        pool.remove(fifth);
        assert!(pool.shrink_to_fit() > 0 && pool.capacity() == 4);
        for from in [16, 64, 1000] {
            assert!(refusing(from, || pool.insert([0; 1000]).is_err()));
            assert_eq!(pool.check(fifth), Err(Refusal::Stale));
            pool.validate().unwrap();
        }
        let again = pool.push([0; 1000]);
        assert_eq!((again.index(), again.generation()), (4, fifth.generation() + 1));
        pool
    }};
}

#[test]
fn without_memory_an_insertion_is_refused_and_nothing_is_lost() {
    let blocks = || BlockPool::builder().slots_per_block(4).name("big");
    nothing_is_lost_without_memory!(blocks().build());
    let small = BlockPool::<u64>::builder().slots_per_block(64).reserve(1);
    let refused = refusing(64, || small.try_build().map(drop));
    assert_eq!(refused.unwrap_err().to_string(), "no memory for a pool of 1 slots");

    macro_rules! nothing_is_freed_without_memory {
        ($pool:expr) => {
            let mut pool = $pool;
            pool.remove(pool.handle_at(3).unwrap());
            pool.remove(pool.handle_at(4).unwrap());
            // A pool that cannot move to less memory frees nothing.
            for from in [1, 20, 100, 1000] {
                let next = pool.vacant_entry().unwrap().handle();
                assert_eq!(refusing(from, || pool.shrink_to_fit()), 0);
                assert_eq!((pool.capacity(), pool.vacant_entry().unwrap().handle()), (8, next));
                pool.validate().unwrap();
            }
            assert_eq!(pool.shrink_to_fit(), 5);
        };
    }
    let vec = VecPool::builder().name("big").build();
    nothing_is_freed_without_memory!(nothing_is_lost_without_memory!(vec));
    let packed = PackedVecPool::builder().name("big").build();
    nothing_is_freed_without_memory!(nothing_is_lost_without_memory!(packed));
    let refused = refusing(64, || PackedVecPool::<u64>::builder().capacity(64).try_build().err());
    assert_eq!(refused, Some(BuildError::OutOfMemory { capacity: 64 }));
    let refused = refusing(64, || VecPool::<u64>::builder().capacity(64).try_build().unwrap_err());
    assert_eq!(refused, BuildError::OutOfMemory { capacity: 64 });
}

/// A handle's bits may come from anywhere: they take no memory out of proportion, and none that stays.
macro_rules! far_slots_are_refused {
    ($pool:expr) => {{
        let mut pool = $pool;
        macro_rules! claim {
            ($index:expr) => {
                pool.insert_at(Handle::from_parts($index, 1).unwrap(), 1)
                    .map_err(|e| e.kind())
                    .err()
            };
        }
        let far = Handle::from_bits(0xf000_0000_0000_0001).unwrap();
        let (error, asked) = during(|| pool.insert_at(far, 1).unwrap_err());
        assert_eq!((error.kind(), asked.bytes_taken), (InsertAtErrorKind::TooFar, 0));
        assert_eq!(error.to_string(), "the slot is too far beyond the others: reserve room first");
        assert_eq!(claim!(4096), Some(InsertAtErrorKind::TooFar));
        assert_eq!((claim!(4095), pool.capacity()), (None, 4096));
        assert_eq!(claim!(8191), None);
        assert_eq!(claim!(16_384), Some(InsertAtErrorKind::TooFar));
        // What is meant is reserved.
        pool.reserve(100_000).unwrap();
        assert_eq!(claim!(100_000), None);
        pool.validate().unwrap();
    }};
}

#[test]
fn a_named_slot_far_away_is_refused() {
    far_slots_are_refused!(VecPool::<u64>::new());
    far_slots_are_refused!(PackedVecPool::<u64>::new());
    for slots_per_block in [1, 4, 1024] {
        far_slots_are_refused!(
            BlockPool::<u64>::builder().slots_per_block(slots_per_block).build()
        );
    }
    // A block at a time is what any insertion takes.
    let named = |index| Handle::from_parts(index, 1).unwrap();
    let mut large = BlockPool::<u64>::with_blocks(1 << 14, 4);
    large.insert_at(named(9), 1).unwrap();
    large.insert_at(named(40_000), 1).unwrap_err();
    assert_eq!(large.capacity(), 1 << 14);
    assert_eq!(large.check(named(1 << 16)), Err(Refusal::OutOfRange));
    assert_eq!(large.check(named((1 << 16) - 1)), Err(Refusal::NeverIssued));
    let mut limited = VecPool::<u64>::builder().capacity_max(10).build();
    let error = limited.insert_at(named(10), 1).unwrap_err();
    assert_eq!(error.kind(), InsertAtErrorKind::OutOfRange);
    assert_eq!(limited.check(named(10)), Err(Refusal::OutOfRange));
    assert_eq!(limited.check(named(9)), Err(Refusal::NeverIssued));
    limited.insert_at(named(9), 1).unwrap();
    assert_eq!(limited.capacity(), 10);
}

/// Slots that have retired are no room, whether they are there or were given back.
macro_rules! room_that_cannot_be_made_is_refused {
    ($pool:expr) => {{
        let mut pool = $pool;
        let handles: Vec<_> = (0..5).map(|value| pool.push(value)).collect();
        [0, 2, 3, 4].iter().for_each(|index: &usize| _ = pool.remove(handles[*index]).unwrap());
        assert!(pool.shrink_to_fit() > 0 && pool.capacity() == 2);
        assert_eq!(
            pool.reserve(2).unwrap_err().to_string(),
            "pool \"few\" cannot make room for 2 more values: it may have 6 slots, and 1 are live, 4 retired"
        );
        pool.reserve(1).unwrap();
        assert_eq!((pool.push(1).index(), pool.is_full()), (5, true));
        let refused = pool.stats().refused;
        let payload = catch_unwind(AssertUnwindSafe(|| pool.push(2))).unwrap_err();
        let message = payload.downcast_ref::<String>().unwrap();
        assert_eq!(message, "pool \"few\" is full: of 6 slots, 2 are live and 4 retired, 5 were live at the peak");
        assert_eq!((pool.stats().refused, pool.len()), (refused + 1, 2));
    }};
}

#[test]
fn room_that_cannot_be_made_is_refused_with_all_slots_that_have_retired() {
    let blocks = BlockPool::builder().slots_per_block(2).max_blocks(3);
    room_that_cannot_be_made_is_refused!(blocks.name("few").lifetimes(1).build());
    let vec = VecPool::builder().capacity_max(6);
    room_that_cannot_be_made_is_refused!(vec.name("few").lifetimes(1).build());
    let packed = PackedVecPool::builder().capacity_max(6);
    room_that_cannot_be_made_is_refused!(packed.name("few").lifetimes(1).build());
}
