//! What the pools that grow promise alike: they keep every handle, shrink without reviving anything, stop at their
//! limits, and lose nothing where there is no memory.

use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::allocations::{during, refusing};
use crate::common::{Random, in_every_order};
use millpond::reuse::{Fifo, Lifo, ReuseOrder, Roster};
use millpond::{
    BuildError, Handle, Handle32, HandleLayout, InsertAtErrorKind, PackedVecPool, Refusal, VecPool,
};

/// What is live: the handle by index, and what the value says.
type Live<H> = BTreeMap<u32, (H, u64)>;

/// Random operations, in phases that grow and phases that shrink, beside a list of what is live.
fn grows_and_shrinks<R: ReuseOrder, H: HandleLayout>(
    mut pool: VecPool<u64, R, H>,
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
            0..55 if step / 200 % 2 == 0 || random.below(4) == 0 => match pool.insert(step) {
                Ok(handle) => inserted = Some(handle),
                Err(full) => {
                    assert!(pool.is_full() && !full.is_out_of_memory());
                    assert_eq!(full.into_inner(), step);
                }
            },
            0..62 => {
                let at = random.below(live.len().max(1));
                if let Some((handle, value)) = live.values().nth(at).copied() {
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
                assert_eq!(pool.capacity(), highest);
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
                let expected = live.values().copied();
                assert!(drain.take(taken).eq(expected.take(taken)));
            }
            // A walk may sync the bitmap, and find that the live slots are the lowest.
            85..91 => {
                let expected = live.values().map(|(_, value)| *value);
                assert!(pool.values_mut().map(|value| *value).eq(expected));
            }
            91 => {
                pool = match random.below(2) {
                    0 => pool.clone(),
                    _ => {
                        let text = serde_json::to_string(&pool).unwrap();
                        let read: VecPool<u64, R, H> = serde_json::from_str(&text).unwrap();
                        assert_eq!(
                            (read.capacity(), read.checksum()),
                            (pool.capacity(), pool.checksum())
                        );
                        read
                    }
                };
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
                // What came since may come again.
                (dead, ever) = (Vec::new(), live.values().map(|(handle, _)| *handle).collect());
            }
            _ => {}
        }
        live.retain(|_, (handle, _)| {
            pool.contains(*handle) || {
                dead.push(*handle);
                false
            }
        });
        if let Some(handle) = inserted {
            assert!(ever.insert(handle), "{handle} was issued twice");
            live.insert(handle.index(), (handle, step));
        }
        for handle in dead.iter().rev().take(20) {
            assert_eq!(pool.check(*handle), Err(Refusal::Stale), "{handle}");
        }
        if step % 8 == 0 {
            pool.validate().unwrap();
            assert_eq!(pool.len(), live.len());
            assert!(pool.capacity() <= limit);
            for (index, (handle, value)) in &live {
                let found = pool.get(*handle).unwrap();
                assert_eq!((found, pool.index_of(found)), (value, Some(*index as usize)));
            }
            let expected = || live.values().copied();
            assert!(pool.iter().map(|(handle, value)| (handle, *value)).eq(expected()));
            let mut folded = Vec::new();
            pool.iter().for_each(|(handle, value)| folded.push((handle, *value)));
            assert!(folded.into_iter().eq(expected()));
            let runs: Vec<_> = pool.runs().map(|(first, run)| (first, run.len())).collect();
            let slots = runs.iter().flat_map(|(first, len)| *first..first + len);
            assert!(slots.eq(live.keys().map(|index| *index as usize)));
        }
    }
    assert!(pool.into_iter().eq(live.into_values()));
}

/// With pools that last, that retire early, and whose slots have one lifetime.
fn at_every_size<R: ReuseOrder, H: HandleLayout>() {
    for (seed, limit) in (1..).zip([0, 1, 3, 4, 5, 64, 100, 300]) {
        let builder = || {
            let builder = VecPool::<u64>::builder().reuse(R::default()).handle::<H>();
            builder.capacity_max(limit)
        };
        grows_and_shrinks(builder().build(), 400, seed);
        grows_and_shrinks(builder().lifetimes(6).build(), 300, seed + 100);
        let once = builder().name("a").salt(7).lifetimes(1);
        grows_and_shrinks(once.build(), 150, seed + 200);
        grows_and_shrinks(builder().capacity(limit / 2).build(), 150, seed + 300);
    }
}

#[test]
fn pools_grow_and_shrink_in_every_order_at_every_size() {
    in_every_order!(at_every_size::<Handle<u64>>());
    at_every_size::<Lifo, Handle32<u64, 16>>();
    at_every_size::<Roster, Handle32<u64, 16>>();
    at_every_size::<Fifo, Handle32<u64, 16>>();
}

/// Whatever part is refused, the values or the arrays beside them: nothing has changed, and the value comes back.
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
        let says = format!(
            "handle {far} is refused: the slot is too far beyond the others: reserve room first"
        );
        assert_eq!(error.to_string(), says);
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
    let named = |index| Handle::from_parts(index, 1).unwrap();
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
    let vec = VecPool::builder().capacity_max(6);
    room_that_cannot_be_made_is_refused!(vec.name("few").lifetimes(1).build());
    let packed = PackedVecPool::builder().capacity_max(6);
    room_that_cannot_be_made_is_refused!(packed.name("few").lifetimes(1).build());
}
