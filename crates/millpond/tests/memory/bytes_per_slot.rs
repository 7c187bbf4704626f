//! What a pool of each reuse order, handle layout and value takes, to the byte, as documented in
//! `millpond::reuse`; and that it is all taken at once when the pool is created.

use crate::allocations::during;
use crate::common::in_every_order;
use millpond::reuse::ReuseOrder;
use millpond::{
    Handle, Handle32, HandleAllocator, HandleLayout, PackedPool, PackedVecPool, Pool, Recycler,
    SyncPool,
};
use millpond_classic::{BytemapPool, PoolAllocator, RosterPool};

/// The bytes that creating a pool takes, in this many blocks. Nothing is given back or resized on the way: the
/// pool takes exactly what it keeps.
#[track_caller]
fn bytes_of<P>(blocks: usize, create: impl FnOnce() -> P) -> usize {
    let (pool, allocations) = during(create);
    assert_eq!((allocations.freed, allocations.resized), (0, 0));
    assert_eq!(allocations.taken, blocks);
    let (_, dropped) = during(|| drop(pool));
    assert_eq!(dropped.freed, allocations.taken, "dropping the pool gives everything back");
    allocations.bytes_taken
}

/// The bitmap of live slots: one bit per slot, rounded up to whole words of 8 bytes.
fn occupancy_bytes(slots: usize) -> usize {
    slots.div_ceil(64) * 8
}

/// The generation words: 4 bytes, or 2 for layouts with 16 generation bits or fewer.
fn generation_bytes<H: HandleLayout>(slots: usize) -> usize {
    slots * if H::LIFETIMES_MAX < 1 << 15 { 2 } else { 4 }
}

/// The bytes of a slot index: 4, or 2 for layouts with 16 index bits or fewer.
fn index_bytes<H: HandleLayout>() -> usize {
    if H::CAPACITY_MAX <= 1 << 16 { 2 } else { 4 }
}

/// `LowestFirst`: one bit for 64 below, on five levels, each rounded up to whole words.
fn lowest_first_bytes(slots: usize) -> usize {
    let mut bits = slots.div_ceil(64);
    let words = (0..5).map(|_| {
        bits = bits.div_ceil(64).max(1);
        bits
    });
    words.sum::<usize>() * 8
}

/// The bytes of arrays one behind the other, each of so many bytes and so aligned.
fn block_bytes(arrays: &[(usize, usize)]) -> usize {
    arrays.iter().fold(0, |end: usize, (bytes, align)| end.next_multiple_of(*align) + bytes)
}

/// What the slots take without their values: entries, words, bitmap.
fn arrays<R: ReuseOrder, H: HandleLayout>(slots: usize) -> [(usize, usize); 3] {
    let entry_align = match R::NAME {
        "Lifo" | "Roster" => index_bytes::<H>(),
        "LowestFirst" => 8,
        _ => 4,
    };
    [
        (order_bytes::<R, H>(slots), entry_align),
        // The entries end where these begin.
        (generation_bytes::<H>(slots), generation_bytes::<H>(1).max(entry_align)),
        (occupancy_bytes(slots), 8),
    ]
}

/// What the table in `millpond::reuse` says of an order.
fn order_bytes<R: ReuseOrder, H: HandleLayout>(slots: usize) -> usize {
    match R::NAME {
        "Lifo" => (slots + slots / 64 + 1) * index_bytes::<H>(),
        "Fifo" => slots * 8,
        "LowestFirst" => lowest_first_bytes(slots),
        "Roster" => slots * 2 * index_bytes::<H>(),
        other => panic!("the order {other} is new: say what it takes"),
    }
}

fn pool_of_value<R: ReuseOrder, H: HandleLayout, T>(slots: usize) {
    let [entries, words, bitmap] = arrays::<R, H>(slots);
    let values = (slots * size_of::<T>(), align_of::<T>());
    let expected = block_bytes(&[values, entries, words, bitmap]) + padding::<T>(slots);
    let blocks = usize::from(expected > 0);
    let actual = bytes_of(blocks, || Pool::<T, R, H>::with_capacity(slots));
    assert_eq!(actual, expected, "{} with values of {} bytes", R::NAME, size_of::<T>());
}

/// More than some values are aligned as far as their stride keeps it, up to a cache line, in memory that is aligned to 8.
fn padding<T>(slots: usize) -> usize {
    let align = [64, 32, 16].into_iter().find(|align| size_of::<T>() % align == 0);
    align
        .filter(|_| slots * size_of::<T>() > 4096)
        .map_or(0, |align| align - align_of::<T>().max(8))
}

fn pool<R: ReuseOrder, H: HandleLayout>(slots: usize) {
    pool_of_value::<R, H, ()>(slots);
    pool_of_value::<R, H, u32>(slots);
    pool_of_value::<R, H, [u8; 7]>(slots);
    pool_of_value::<R, H, [u8; 8]>(slots);
    pool_of_value::<R, H, u64>(slots);
    pool_of_value::<R, H, [u8; 64]>(slots);
}

fn pool_of_few_slots<R: ReuseOrder>() {
    for slots in [0, 1, 2, 63, 64, 65, 4096, 4097] {
        pool_of_value::<R, Handle<()>, u32>(slots);
        pool_of_value::<R, Handle32<(), 16>, u64>(slots);
    }
}

#[test]
fn pool_takes_the_value_a_generation_word_a_bit_and_what_its_order_documents() {
    in_every_order!(pool::<Handle<()>>(100_000));
    in_every_order!(pool_of_value::<Handle32<(), 20>, [u8; 7]>(100_000));
    in_every_order!(pool_of_value::<Handle32<(), 16>, u64>(65_536));
    in_every_order!(pool_of_few_slots());
}

fn handle_allocator<R: ReuseOrder, H: HandleLayout>(slots: usize) {
    let expected = block_bytes(&arrays::<R, H>(slots));
    let actual = bytes_of(1, || HandleAllocator::<R, H>::with_capacity(slots));
    assert_eq!(actual, expected, "{}", R::NAME);
}

#[test]
fn handle_allocator_takes_a_pool_without_values() {
    in_every_order!(handle_allocator::<Handle<()>>(100_000));
    in_every_order!(handle_allocator::<Handle32<(), 20>>(100_000));
    in_every_order!(handle_allocator::<Handle32<(), 16>>(65_536));
}

fn recycler_of_value<R: ReuseOrder, H: HandleLayout, T: Default>(slots: usize) {
    let expected = slots * size_of::<T>() + block_bytes(&arrays::<R, H>(slots));
    let builder = Recycler::<T>::builder().reuse(R::default()).handle::<H>();
    let actual = bytes_of(2, || builder.capacity(slots).build());
    assert_eq!(actual, expected, "{} with values of {} bytes", R::NAME, size_of::<T>());
}

fn recycler<R: ReuseOrder, H: HandleLayout>(slots: usize) {
    recycler_of_value::<R, H, u32>(slots);
    recycler_of_value::<R, H, u64>(slots);
    recycler_of_value::<R, H, [u128; 4]>(slots);
}

#[test]
fn recycler_takes_its_objects_and_a_pool_without_values() {
    in_every_order!(recycler::<Handle<()>>(100_000));
    in_every_order!(recycler::<Handle32<(), 20>>(100_000));
    in_every_order!(recycler::<Handle32<(), 16>>(65_536));
}

fn packed_pool_of_value<H: HandleLayout, T>(slots: usize, beside: usize) {
    let arrays = if size_of::<T>() == 0 { 2 } else { 3 };
    let bytes = slots * (size_of::<T>() + beside);
    assert_eq!(bytes_of(arrays, || PackedPool::<T, H>::with_capacity(slots)), bytes);
    // It takes nothing on the way to a capacity that is chosen.
    assert_eq!(bytes_of(arrays, || PackedVecPool::<T, H>::with_capacity(slots)), bytes);
    let mut reserved = PackedVecPool::<T, H>::default();
    assert_eq!(during(|| reserved.reserve(slots).unwrap()).1.bytes_taken, bytes);
}

#[test]
fn packed_pools_take_the_value_a_handle_a_generation_and_a_position() {
    packed_pool_of_value::<Handle<()>, ()>(100_000, 16);
    packed_pool_of_value::<Handle<()>, u32>(100_000, 16);
    packed_pool_of_value::<Handle<()>, [u8; 7]>(5, 16);
    packed_pool_of_value::<Handle32<(), 20>, u64>(100_000, 12);
    packed_pool_of_value::<Handle32<(), 16>, [u64; 8]>(65_536, 8);
}

#[test]
fn roster_pool_takes_the_object_and_12_bytes() {
    let bytes = bytes_of(3, || RosterPool::<[u64; 4]>::new(100_000));
    assert_eq!(bytes, 100_000 * (32 + 8 + 4));
}

#[test]
fn bytemap_pool_takes_the_object_and_a_byte() {
    let bytes = bytes_of(2, || BytemapPool::<[u64; 4]>::new(100_000));
    assert_eq!(bytes, 100_000 * 33);
}

/// Beside what the allocator keeps of its chunks, which is the same for each first chunk: slots of up to 128 bytes lie in
/// groups of 8 KiB, each with a header in one of its first eight lines; others have a header each.
#[test]
#[cfg(target_pointer_width = "64")]
fn pool_allocator_takes_a_header_for_8_kib_of_small_slots_and_one_for_each_large_one() {
    fn first_chunk<T>(slots: usize) -> usize {
        let pool = PoolAllocator::<T>::with_chunk_slots(slots);
        during(|| pool.reserve(1).unwrap()).1.bytes_taken
    }
    let link = if cfg!(feature = "debug-aids") { 8 } else { 0 };
    let (slot, large) = (8 + link, 8 + 17 * 8 + link);
    let kept = first_chunk::<[u64; 17]>(1) - large;
    let small = |slots| first_chunk::<u64>(slots) - kept;
    let in_group = (8192 - 8 * 64) / slot;
    assert_eq!(small(1), 8 * 64 + slot);
    assert_eq!(small(in_group), 8192);
    assert_eq!(small(in_group + 1), 8192 + 8 * 64 + slot);
    assert_eq!(small(3 * in_group), 3 * 8192);
    assert_eq!(first_chunk::<[u64; 17]>(100) - kept, 100 * large);
}

/// As documented: 8.25 to 10.1 bytes for a slot beside its value, 128 for a home, and up to 528 for the pool itself.
#[test]
fn a_shared_pool_takes_what_its_docs_say_and_small_ones_too() {
    for slots in [1, 64, 65, 100, 1000, 4096, 100_000] {
        for homes in [1, 4, 64] {
            let builder = SyncPool::<[u8; 32]>::builder().capacity(slots).homes(homes);
            let (pool, allocations) = during(|| builder.build());
            let beside = allocations.bytes_taken - 32 * slots - 128 * pool.homes();
            let within = |least: f64, most: f64| {
                let beside = beside as f64;
                (least..=most).contains(&beside)
            };
            let slots_f = slots as f64;
            assert!(within(8.25 * slots_f, 10.1 * slots_f + 528.0), "{slots}, {homes}: {beside}");
        }
    }
}
