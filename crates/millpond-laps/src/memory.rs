//! Where the objects of a replay are: in blocks of the system's allocator, or in slots of pools. Of pools
//! there are two, between which that of a program will be.

use std::hint::black_box;
use std::mem::MaybeUninit;

use millpond::{Handle, HandleAllocator};

use crate::{BLOCK_BYTES_MAX, GRANULE};

/// A source of memory.
pub(crate) trait Memory {
    /// What the program stores to find an object.
    type Held;

    /// Takes memory for an object of a kind, and writes to it; `None` if there is none left, which there is.
    fn take(&mut self, kind: u32) -> Option<Self::Held>;

    /// Reads from it, as what ends an object does, and frees it.
    fn give_back(&mut self, held: Self::Held);
}

/// No memory at all.
pub(crate) struct Nowhere;

impl Memory for Nowhere {
    type Held = ();

    #[inline(always)]
    fn take(&mut self, _kind: u32) -> Option<()> {
        Some(())
    }

    #[inline(always)]
    fn give_back(&mut self, _held: ()) {}
}

/// The system's allocator.
pub(crate) struct System<'k> {
    /// By kind, the bytes of a block.
    pub(crate) bytes_of: &'k [u64],
}

impl Memory for System<'_> {
    type Held = Box<[MaybeUninit<u8>]>;

    #[inline(always)]
    fn take(&mut self, kind: u32) -> Option<Self::Held> {
        let mut block = Box::new_uninit_slice(self.bytes_of[kind as usize] as usize);
        if let Some(first) = block.first_mut() {
            first.write(1);
        }
        Some(block)
    }

    #[inline(always)]
    fn give_back(&mut self, held: Self::Held) {
        black_box(held.first().copied());
        drop(held);
    }
}

/// Makes the heap as large as a replay needs it. Returns the block that keeps it so: while it lives, the
/// system's allocator does not give the memory below it back to the system.
///
/// Without it the replay against the allocator would take its pages from the system anew in every lap,
/// which the program that is measured does once, with or without pools.
#[must_use]
pub fn roomy_heap(bytes: u64) -> Box<[MaybeUninit<u8>]> {
    let blocks = bytes.div_ceil(ROOM_BLOCK_BYTES as u64);
    let _room: Vec<Box<[MaybeUninit<u8>]>> =
        (0..blocks).map(|_| Box::new_uninit_slice(ROOM_BLOCK_BYTES)).collect();
    Box::new_uninit_slice(ROOM_BLOCK_BYTES)
}

/// Makes free blocks of the system's allocator what they were before the program began: one piece. A program takes most of
/// what it builds up from a heap that was never used; without this, a lap would find the blocks of the one before,
/// which glibc keeps apart by their sizes until a block as large as this one is freed.
pub(crate) fn settle_heap() {
    drop(black_box(Box::<[u8]>::new_uninit_slice(ROOM_BLOCK_BYTES)));
}

/// Less than what allocators map apart from the heap, and more than what glibc frees without merging free blocks.
const ROOM_BLOCK_BYTES: usize = 96 << 10;

/// The slots of a pool, and the bytes of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The slots.
    pub slots: usize,
    /// The bytes of a slot.
    pub bytes: u64,
}

impl Size {
    /// The words of a slot.
    fn stride(self) -> usize {
        (self.bytes.div_ceil(8) as usize).max(1)
    }

    /// The memory of all slots: touched, as a pool's is when it is made.
    fn words(self) -> Vec<u64> {
        vec![1; self.stride() * self.slots]
    }
}

/// How a program finds the pool of an object.
pub(crate) trait Find {
    /// What it knows of an object.
    fn key(&self, kind: u32) -> u32;

    /// The number of the pool.
    fn pool(&self, key: u32) -> u32;
}

/// Its code names the pool.
pub(crate) struct ByKind<'k>(pub(crate) &'k [u32]);

impl Find for ByKind<'_> {
    #[inline(always)]
    fn key(&self, kind: u32) -> u32 {
        self.0[kind as usize]
    }

    #[inline(always)]
    fn pool(&self, key: u32) -> u32 {
        key
    }
}

/// It calls an allocator with a size.
pub(crate) struct BySize<'k> {
    bytes_of: &'k [u64],
    /// By the size in granules.
    pool_of: Vec<u32>,
}

impl<'k> BySize<'k> {
    /// For kinds of these bytes, and the number of the pool of each; `u32::MAX` is none.
    pub(crate) fn new(bytes_of: &'k [u64], pools: &[u32]) -> Self {
        let mut pool_of = Vec::new();
        for (bytes, &pool) in bytes_of.iter().zip(pools).filter(|(_, pool)| **pool != u32::MAX) {
            let granules = bytes.div_ceil(GRANULE) as usize;
            pool_of.resize(pool_of.len().max(granules + 1), pool);
            pool_of[granules] = pool;
        }
        Self { bytes_of, pool_of }
    }
}

impl Find for BySize<'_> {
    #[inline(always)]
    fn key(&self, kind: u32) -> u32 {
        self.bytes_of[kind as usize] as u32
    }

    /// Called, as an allocator is.
    #[inline(never)]
    fn pool(&self, key: u32) -> u32 {
        self.pool_of[u64::from(key).div_ceil(GRANULE) as usize]
    }
}

/// Pools of millpond: objects are identified by handles, which are checked.
pub(crate) struct WithHandles<F> {
    find: F,
    pools: Vec<(HandleAllocator, Vec<u64>, usize)>,
}

impl<F: Find> WithHandles<F> {
    pub(crate) fn new(sizes: &[Size], find: F) -> Self {
        let pool = |size: &Size| (HandleAllocator::new(size.slots), size.words(), size.stride());
        Self { find, pools: sizes.iter().map(pool).collect() }
    }
}

impl<F: Find> Memory for WithHandles<F> {
    /// The key and the handle: as long as what the system's allocator gives.
    type Held = (u32, Handle<()>);

    #[inline(always)]
    fn take(&mut self, kind: u32) -> Option<Self::Held> {
        let key = self.find.key(kind);
        let (handles, words, stride) = &mut self.pools[self.find.pool(key) as usize];
        let handle = handles.acquire()?;
        words[handle.index() as usize * *stride] = 1;
        Some((key, handle))
    }

    #[inline(always)]
    fn give_back(&mut self, (key, handle): Self::Held) {
        let (handles, words, stride) = &mut self.pools[self.find.pool(key) as usize];
        black_box(words[handle.index() as usize * *stride]);
        handles.release(handle);
    }
}

/// A minimal pool: a free slot holds the number of the next one. Objects are identified by their position, and nothing
/// is checked.
pub(crate) struct Bare<F> {
    find: F,
    pools: Vec<FreeList>,
}

struct FreeList {
    words: Vec<u64>,
    stride: usize,
    /// The word at which the first free slot begins; past the end if none is free.
    first: usize,
}

impl<F: Find> Bare<F> {
    pub(crate) fn new(sizes: &[Size], find: F) -> Self {
        let pool = |size: &Size| {
            let (mut words, stride) = (size.words(), size.stride());
            for slot in 0..size.slots {
                words[slot * stride] = ((slot + 1) * stride) as u64;
            }
            FreeList { words, stride, first: 0 }
        };
        Self { find, pools: sizes.iter().map(pool).collect() }
    }
}

impl<F: Find> Memory for Bare<F> {
    type Held = (u32, usize);

    #[inline(always)]
    fn take(&mut self, kind: u32) -> Option<Self::Held> {
        let key = self.find.key(kind);
        let list = &mut self.pools[self.find.pool(key) as usize];
        let slot = list.first;
        let word = list.words.get_mut(slot)?;
        list.first = std::mem::replace(word, 1) as usize;
        Some((key, slot))
    }

    #[inline(always)]
    fn give_back(&mut self, (key, slot): Self::Held) {
        let list = &mut self.pools[self.find.pool(key) as usize];
        debug_assert!(slot.is_multiple_of(list.stride));
        black_box(std::mem::replace(&mut list.words[slot], list.first as u64));
        list.first = slot;
    }
}

/// An arena: takes one object after the other, and begins again when none is alive, or when it is full.
pub(crate) struct Arena<'k> {
    bytes_of: &'k [u64],
    words: Vec<u64>,
    next: usize,
    live: usize,
}

/// The largest arena of a replay, and the smallest.
const ARENA_BYTES: std::ops::RangeInclusive<u64> = 64 << 10..=64 << 20;

impl<'k> Arena<'k> {
    pub(crate) fn new(bytes_of: &'k [u64], bytes: u64) -> Self {
        let bytes = bytes.clamp(*ARENA_BYTES.start(), *ARENA_BYTES.end());
        let words = Size { slots: 1, bytes: bytes + BLOCK_BYTES_MAX }.words();
        Self { bytes_of, words, next: 0, live: 0 }
    }
}

impl Memory for Arena<'_> {
    type Held = usize;

    #[inline(always)]
    fn take(&mut self, kind: u32) -> Option<usize> {
        let stride = Size { slots: 1, bytes: self.bytes_of[kind as usize] }.stride();
        if self.next + stride > self.words.len() {
            self.next = 0;
        }
        let at = self.next;
        self.next += stride;
        *self.words.get_mut(at)? = 1;
        self.live += 1;
        Some(at)
    }

    #[inline(always)]
    fn give_back(&mut self, held: usize) {
        black_box(self.words[held]);
        self.live -= 1;
        if self.live == 0 {
            self.next = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes all slots and frees them in a shuffled order, a few times.
    fn has_room_for<M: Memory>(mut memory: M, kind: u32, slots: usize)
    where
        M::Held: Copy + Ord,
    {
        for _ in 0..3 {
            let mut held: Vec<M::Held> = (0..slots).map_while(|_| memory.take(kind)).collect();
            assert_eq!(held.len(), slots);
            assert!(memory.take(kind).is_none());
            held.rotate_left(slots / 2);
            held.iter().for_each(|&one| memory.give_back(one));
            held.sort_unstable();
            held.dedup();
            assert_eq!(held.len(), slots, "no slot is given twice");
        }
    }

    #[test]
    fn pools_have_room_for_as_many_as_were_asked_for() {
        let sizes = [Size { slots: 5, bytes: 24 }, Size { slots: 1, bytes: 0 }];
        let of_kind = [1, u32::MAX, 0];
        let by_size = || BySize::new(&[0, 5, 24], &of_kind);
        for (kind, slots) in [(2, 5), (0, 1)] {
            has_room_for(WithHandles::new(&sizes, ByKind(&of_kind)), kind, slots);
            has_room_for(WithHandles::new(&sizes, by_size()), kind, slots);
            has_room_for(Bare::new(&sizes, ByKind(&of_kind)), kind, slots);
            has_room_for(Bare::new(&sizes, by_size()), kind, slots);
        }
    }

    #[test]
    fn an_arena_takes_one_after_the_other_and_begins_again() {
        let mut arena = Arena::new(&[24, 8], 0);
        let words = arena.words.len();
        let taken: Vec<_> = [0, 1, 0].into_iter().filter_map(|kind| arena.take(kind)).collect();
        assert_eq!(taken, [0, 3, 4]);
        taken.into_iter().for_each(|held| arena.give_back(held));
        assert_eq!(arena.take(1), Some(0), "none was alive");
        assert!((0..words).all(|_| arena.take(0).is_some()));
    }

    #[test]
    fn the_system_gives_blocks_of_the_size_that_is_asked_for() {
        let mut system = System { bytes_of: &[0, 1, 56] };
        let lengths = [0, 1, 2].map(|kind| system.take(kind).map(|block| block.len()));
        assert_eq!(lengths, [Some(0), Some(1), Some(56)]);
    }
}
