//! `BlockPool`: grows without moving a value, shrinks without reviving anything, and stops at its
//! limit.

use std::collections::HashSet;
use std::panic::catch_unwind;

use crate::allocations;
use crate::common::Random;
use millpond::reuse::LowestFirst;
use millpond::{BlockPool, BuildError, Handle, Handle32, InsertAtErrorKind};

/// Blocks that end within 64 slots: their slots do not come next while they are not there.
#[test]
fn with_lowest_first_slots_that_were_given_back_come_when_they_are_there_again() {
    let mut pool =
        BlockPool::<usize>::builder().reuse(LowestFirst).slots_per_block(32).max_blocks(8).build();
    let handles: Vec<_> = (0..128).map(|i| pool.insert(i).unwrap()).collect();
    for handle in &handles[96..] {
        pool.remove(*handle);
    }
    pool.shrink_to_fit();
    assert_eq!((pool.capacity(), pool.len()), (96, 96));
    pool.validate().unwrap();
    let next: Vec<_> = (0..3).map(|i| pool.insert(i).unwrap().index()).collect();
    assert_eq!((next, pool.capacity()), (vec![96, 97, 98], 128));
    pool.validate().unwrap();
}

/// As values die, those that come gather below, so that blocks can be given back at all.
#[test]
fn upper_blocks_run_empty_under_churn() {
    let builder = BlockPool::builder().reuse(LowestFirst).slots_per_block(64).max_blocks(100);
    let mut pool = builder.build();
    let mut random = Random(5);
    let mut handles: Vec<_> = (0..6400).map(|i| pool.insert(i).unwrap()).collect();
    // The number of values falls to a tenth, while three of four that die are replaced.
    while handles.len() > 640 {
        for _ in 0..4 {
            let handle = handles.swap_remove(random.below(handles.len()));
            pool.remove(handle).unwrap();
        }
        handles.extend((0..3).map(|i| pool.insert(i).unwrap()));
    }
    pool.shrink_to_fit();
    let blocks = pool.capacity() / 64;
    assert!(blocks < 50, "{blocks} blocks of 100");
}

#[test]
fn the_rule_gives_back_but_never_flutters() {
    let build = |spare| {
        BlockPool::builder().slots_per_block(16).max_blocks(16).give_back_beyond(spare).build()
    };
    for spare in 0..4 {
        let mut pool = build(spare);
        let handles: Vec<_> = (0..256).map(|i| pool.insert(i).unwrap()).collect();
        handles.iter().for_each(|handle| assert!(pool.remove(*handle).is_some()));
        assert_eq!(pool.capacity(), spare * 16);
        pool.validate().unwrap();
    }
    let mut pool = build(1);
    let mut handles: Vec<_> = (0..40).map(|i| pool.insert(i).unwrap()).collect();
    let capacity = pool.capacity();
    for _ in 0..1000 {
        // Up and down by one block's worth, over the border between two blocks.
        (0..16).for_each(|_| assert!(pool.remove(handles.pop().unwrap()).is_some()));
        assert_eq!(pool.capacity(), capacity);
        handles.extend((0..16).map(|i| pool.insert(i).unwrap()));
    }
}

#[test]
fn what_is_reserved_is_there_though_slots_have_retired() {
    for gives_back in [false, true] {
        let mut pool = BlockPool::builder().slots_per_block(4).max_blocks(8).lifetimes(1).build();
        let handles = [1, 2, 3].map(|value| pool.insert(value).unwrap());
        handles.into_iter().for_each(|handle| assert!(pool.remove(handle).is_some()));
        if gives_back {
            assert_eq!(pool.shrink_to_fit(), 1);
        }
        pool.reserve(5).unwrap();
        let grown = pool.capacity();
        (0..5).for_each(|value| _ = pool.insert(value).unwrap());
        assert_eq!(pool.capacity(), grown);
    }
}

/// Of the blocks up to a named slot, the first ones may be there before memory runs out.
#[test]
fn a_named_slot_that_memory_does_not_reach_leaves_the_pool_as_it_was() {
    let mut pool = BlockPool::<[u8; 1000]>::builder().block_sizes(8..=64).build();
    pool.insert([1; 1000]).unwrap();
    let far = Handle::from_parts(40, 1).unwrap();
    // The next blocks have 8 slots, 16 and 32: the last is too large.
    let refused = allocations::refusing(20_000, || pool.insert_at(far, [2; 1000]).unwrap_err());
    assert_eq!(refused.kind(), InsertAtErrorKind::OutOfMemory);
    assert_eq!((pool.len(), pool.capacity()), (1, 8));
    pool.validate().unwrap();
    assert_eq!(pool.insert_at(far, [2; 1000]).unwrap(), far);
    assert_eq!((pool.len(), pool.capacity()), (2, 64));
}

/// The value, a generation word, the order's entry and a bit for each slot; the rest is the table, a pointer for each
/// block and some more.
#[test]
fn a_pool_takes_the_documented_bytes_and_shrinks_without_taking_any() {
    let (slots, blocks) = (4096, 6);
    let all = slots * blocks;
    let entries = |bytes: usize| ((all + all / 64 + 1) * bytes).next_multiple_of(8);
    // The first block has one for each power of two.
    let table = 8 * (12 + blocks)..8 * (12 + blocks) + 1;
    let mut pool = BlockPool::<[u8; 24]>::with_blocks(slots, 100);
    let (_, asked) = allocations::during(|| pool.reserve(all).unwrap());
    let beside = asked.bytes_taken - (all * (24 + 4) + entries(4) + all / 8);
    assert!(table.contains(&beside), "{beside} bytes for the table");
    let (given, asked) = allocations::during(|| pool.shrink_to_fit());
    assert_eq!((given, asked.taken, asked.resized, asked.freed), (blocks, 0, 0, blocks));
    // The rest is there already.
    let (_, asked) = allocations::during(|| pool.reserve(all).unwrap());
    assert_eq!(asked.bytes_taken, all * 24);

    let narrow = BlockPool::<[u8; 24]>::builder().handle::<Handle32<[u8; 24], 16>>();
    let mut narrow = narrow.slots_per_block(slots).build();
    let (_, asked) = allocations::during(|| narrow.reserve(all).unwrap());
    let beside = asked.bytes_taken - (all * (24 + 2) + entries(2) + all / 8);
    assert!(table.contains(&beside), "{beside} bytes for the table");
}

/// What a copy takes of an allocator: each block, and the books with the table of blocks.
#[test]
fn a_copy_has_the_same_blocks() {
    let mut pool = BlockPool::<u64>::with_blocks(64, 10);
    let handles: Vec<_> = (0..500).map(|value| pool.push(value)).collect();
    let (copy, asked) = allocations::during(|| pool.clone());
    assert_eq!((asked.taken, asked.resized), (8 + 1, 0));
    assert!(handles.iter().all(|handle| copy[*handle] == pool[*handle]));
    copy.validate().unwrap();
}

/// So that programs may have thousands of pools, most of them empty or small.
#[test]
fn an_empty_pool_takes_nothing_and_a_small_one_little() {
    let (mut pool, asked) = allocations::during(BlockPool::<[u64; 4]>::default);
    assert_eq!(asked, allocations::Allocations::default());
    let (_, asked) = allocations::during(|| pool.push([0; 4]));
    // Four values, their words, entries and bits, and a table of three.
    assert_eq!((asked.taken, asked.bytes_taken), (2, 4 * 32 + (4 * 4 + 5 * 4 + 4 + 8) + 3 * 8));
    let (_, asked) = allocations::during(|| (1..64).for_each(|value| _ = pool.push([value; 4])));
    // Four more blocks of values, and larger books twice.
    assert_eq!((asked.taken, asked.resized), (4 + 2, 0));
    assert!(size_of_val(&pool) <= HEADER_MAX, "a header of {} bytes", size_of_val(&pool));
    let ((), asked) = allocations::during(|| drop(pool));
    assert_eq!((asked.taken, asked.freed), (0, 5 + 1), "all blocks, and the books");
}

/// On 64 bits, with the features of the tests: a recorder's 8 bytes and the 8 bytes of the debug aids, twice.
const HEADER_MAX: usize = 288;

/// The books of a pool move as those of a `Vec`: all of its growth copies less than twice what there is at last.
#[test]
fn growth_by_blocks_of_one_size_copies_the_books_now_and_then() {
    let mut pool = BlockPool::<u64>::with_blocks(64, 1000);
    let mut moves = 0;
    for value in 0..64_000 {
        let (_, asked) = allocations::during(|| pool.push(value));
        // Beside the values of a block: the books.
        moves += usize::from(asked.bytes_taken > 64 * 8 + pool.capacity() * 4);
    }
    assert!((8..=12).contains(&moves), "{moves} times");
}

#[test]
fn limits_that_cannot_be() {
    let builder = || BlockPool::<u64>::builder();
    for (slots, text) in [
        (0, "blocks of 0 slots, expected a power of two"),
        (
            1 << 40,
            "a capacity of 1099511627776 is more than the 4294967295 slots that its handles can name",
        ),
    ] {
        assert_eq!(builder().slots_per_block(slots).try_build().unwrap_err().to_string(), text);
    }
    let error = builder().slots_per_block(8).max_blocks(2).reserve(17).try_build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "17 reserved slots are more than the pool's limit of 16: reserve fewer, or raise \
         `max_blocks`, `capacity_max` or the handle layout's index bits"
    );
    assert_eq!(builder().slots_per_block(1 << 31).build().max_blocks(), 1);
    let small = || builder().handle::<Handle32<u64, 4>>();
    let error = small().slots_per_block(32).try_build().unwrap_err();
    assert_eq!(error, BuildError::CapacityTooLarge { capacity: 32, capacity_max: 16 });
    assert_eq!(small().slots_per_block(16).build().capacity_max(), 16);
    assert!(catch_unwind(|| BlockPool::<u64>::with_blocks(3, 1)).is_err());
}

/// Slots that have retired are no room.
#[test]
fn the_rule_does_not_take_retired_slots_for_room() {
    let builder = BlockPool::builder().slots_per_block(4).lifetimes(1).give_back_beyond(1);
    let mut pool = builder.max_blocks(1000).build();
    for value in 0..4 {
        let handle = pool.insert(value).unwrap();
        pool.remove(handle).unwrap();
    }
    // All of the first block has retired. The second one stays while it is needed.
    let mut taken = 0;
    for value in 0..100 {
        let before = pool.capacity();
        let handle = pool.insert(value).unwrap();
        taken += (pool.capacity() - before) / 4;
        pool.remove(handle).unwrap();
    }
    assert_eq!(taken, 100 / 4);
    pool.validate().unwrap();
}

/// Two pools whose future differs have sums that differ.
#[test]
fn the_sum_has_in_it_how_the_pool_grows() {
    let build = |first: usize, last: usize, spare: Option<usize>| {
        let builder = BlockPool::<u64>::builder().block_sizes(first..=last).capacity_max(64);
        let mut pool = match spare {
            Some(spare) => builder.give_back_beyond(spare).build(),
            None => builder.build(),
        };
        pool.insert(7).unwrap();
        pool
    };
    let mut sums = HashSet::new();
    for (first, last) in [(4, 4), (8, 8), (4, 8), (4, 16)] {
        for spare in [None, Some(0), Some(1)] {
            let pool = build(first, last, spare);
            assert_eq!(pool.clone().checksum(), pool.checksum());
            assert!(sums.insert(pool.checksum()), "{first} to {last}, {spare:?}");
        }
    }
    // How far it has grown, too.
    let mut pool = build(4, 4, None);
    let before = pool.checksum();
    pool.reserve(4).unwrap();
    assert_ne!(pool.checksum(), before);
    pool.shrink_to_fit();
    assert_eq!(pool.checksum(), before);
}

#[test]
fn blocks_double_between_their_sizes() {
    let mut pool = BlockPool::<u64>::builder().block_sizes(2..=8).max_blocks(6).build();
    let mut capacities = vec![];
    while pool.insert(0).is_ok() {
        capacities.push(pool.capacity());
    }
    capacities.dedup();
    assert_eq!(capacities, [2, 4, 8, 16, 24, 32]);
    let error = |first: usize, last: usize| {
        let builder = BlockPool::<u64>::builder().block_sizes(first..=last);
        builder.try_build().unwrap_err().to_string()
    };
    assert!(error(3, 8).starts_with("blocks of 3 slots"));
    assert!(error(4, 9).starts_with("blocks of 9 slots"));
    assert_eq!(error(8, 4), "a first block of 8 slots, but blocks have at most 4");
    let limited = BlockPool::<u64>::builder().max_blocks(usize::MAX).try_build();
    assert!(limited.unwrap_err().to_string().contains("more than the 4294967295 slots"));
}

/// "Without this or `slots_per_block`, the sizes are `4..`."
#[test]
fn sizes_without_an_end_double_as_far_as_handles_go() {
    let builder = || BlockPool::<u64>::builder();
    let (usual, endless) = (builder().build(), builder().block_sizes(4..).build());
    assert_eq!(usual.block_sizes(), endless.block_sizes());
    let limits = |pool: &BlockPool<u64>| (pool.max_blocks(), pool.capacity_max());
    assert_eq!(limits(&usual), limits(&endless));
}
