//! [`BlockPool`] and what its methods return.

mod block;
mod builder;
#[cfg(feature = "debug-aids")]
mod debug;
mod drain;
mod entry;
mod growth;
mod iter;
mod overflow;
mod room;
#[cfg(feature = "serde")]
mod saved;
mod snapshot;
mod table;
mod traits;
#[cfg(feature = "validate")]
mod validate;

pub use builder::BlockPoolBuilder;
pub use drain::{Drain, ExtractIf, IntoIter};
pub use entry::VacantEntry;
pub use growth::{Growth, GrowthStats, ReserveError};
pub use iter::{Handles, Iter, IterMut, ValueRuns, ValueRunsMut, Values, ValuesMut};

use alloc::vec::Vec;

use crate::bit_tree;
use crate::errors::{Full, FullPool, GetDisjointMutError, InsertAtError, InsertAtErrorKind};
use crate::handle::{Handle, HandleLayout, Issue, Refusal, Word};
use crate::overflow::{EvictLeast, Policy};
use crate::pool::Pool;
use crate::reuse::{Lifo, ReuseOrder};
use crate::slots::Circle;
use crate::stats::Stats;
use crate::tap::Tap;
use block::Block;
use growth::{CannotGrow, Ledger};
use room::Room;
use table::Table;

/// A pool of values that grows block by block: no value ever moves, every handle stays good, and there
/// is a limit.
///
/// Pick it when the number of values cannot be told ahead, or differs a lot from one level to the next:
/// the pool takes what it needs, up to the limit, and gives it back when told to. Where the peak is
/// known, a [`Pool`] of that capacity is simpler, faster (most of all where values are removed and
/// inserted all the time), and never waits for memory.
///
/// ```text
/// handle 1026v3 ──▶ block 1 (1026 >> 10), slot 2 (1026 & 1023), generation 3
///                     │
///   block 0   [ a ][ b ][   ]… 1024 slots      each block is an array of its own;
///   block 1   [ c ][   ][ d ]… 1024 slots      the next value goes to the lowest block with room
///   block 2   given back: only its slots' words are kept, so that its handles stay stale
/// ```
///
/// **Memory**: a block at a time, touched when it is taken. Per slot of a block that is there, as for
/// [`Pool`]: the value, a generation word (4 bytes; 2 with [`Handle32`](crate::Handle32) of
/// 16 or more index bits), one bit, and what the [reuse order](crate::reuse) takes. Per block some 300
/// bytes beside its slots, which are taken for as many blocks at once as were there before. Of a block
/// that was given back, the generation word and the bit of each slot stay.
///
/// **Growth**: an insertion that finds no slot takes a block, and tells the
/// [hook](BlockPoolBuilder::on_growth); at the limit, or without memory, it is refused, and the value
/// comes back. [`reserve`](Self::reserve) takes blocks ahead, outside of play.
///
/// **Shrinking**: values go to the lowest block that has room, so that the higher ones run empty as
/// values die. [`shrink_to_fit`](Self::shrink_to_fit) gives empty blocks back; so does a removal, if the
/// pool was [built so](BlockPoolBuilder::give_back_beyond).
///
/// **Reuse order**: which slot *of that block* is next. With
/// [`LowestFirst`](crate::reuse::LowestFirst) it is the lowest slot of the whole pool.
///
/// **Time**: insert (without growth), get and remove are O(1), with one step more than in a
/// [`Pool`], from the table of blocks to the block. Iterating costs O(blocks + capacity /
/// 64 + live).
///
/// **Safety**: as for [`Pool`]: a handle is good for one lifetime of one slot, and refused
/// for ever after, whether its block is there, was given back, or was taken again.
///
/// ```
/// use millpond::BlockPool;
///
/// let mut ships = BlockPool::with_blocks(64, 16); // at most 1024 ships, 64 at a time
/// assert_eq!(ships.capacity(), 0);
/// let cutter = ships.insert("cutter").unwrap();
/// assert_eq!(ships.capacity(), 64);
///
/// let address = &raw const ships[cutter];
/// for _ in 0..200 {
///     ships.insert("barge").unwrap();
/// }
/// assert_eq!(ships.capacity(), 256);
/// assert_eq!(&raw const ships[cutter], address); // nothing moved
///
/// ships.retain(|handle, _| handle == cutter);
/// ships.shrink_to_fit();
/// assert_eq!((ships.capacity(), ships[cutter]), (64, "cutter"));
/// ```
pub struct BlockPool<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    blocks: Vec<Block<T, R, H>>,
    /// Where the slots of the blocks are; see its module before a block is taken, given back or replaced.
    table: Table<H::Word>,
    /// The blocks that are there and have room.
    room: Room,
    /// How many bits of an index are the slot's in its block.
    shift: u32,
    /// How many lifetimes have begun and ended; counters that only rise, as each way then writes only
    /// one.
    births: u64,
    deaths: u64,
    /// How many slots were live at once at most, looked at when one is about to die: the number only
    /// falls then.
    peak_before_removal: usize,
    spare_blocks: Option<usize>,
    max_blocks: usize,
    /// Where each block that is there has its slots, by address.
    addresses: Vec<(usize, usize)>,
    circle: Circle<H::Word>,
    name: Option<&'static str>,
    on_growth: Option<fn(Growth)>,
    ledger: Ledger,
    refused: u64,
    evicted: u64,
    #[cfg(feature = "debug-aids")]
    aids: crate::debug::DebugAids,
    tap: Tap,
}

impl<T> BlockPool<T> {
    /// A pool without any slot yet, that grows by `slots_per_block` slots up to `max_blocks` times.
    ///
    /// ```
    /// use millpond::BlockPool;
    ///
    /// let mut pool = BlockPool::with_blocks(2, 2);
    /// assert!((0..4).all(|i| pool.insert(i).is_ok()));
    /// let full = pool.insert(4).unwrap_err();
    /// assert_eq!(full.to_string(), "the pool is full: capacity 4, all live, 4 at the peak");
    /// ```
    ///
    /// # Panics
    ///
    /// If `slots_per_block` is not a power of two, or handles of eight bytes cannot name so many slots;
    /// the builder's [`try_build`](BlockPoolBuilder::try_build) returns an error instead.
    #[must_use]
    #[track_caller]
    pub fn with_blocks(slots_per_block: usize, max_blocks: usize) -> Self {
        let builder = Self::builder().slots_per_block(slots_per_block).max_blocks(max_blocks);
        match builder.try_build() {
            Ok(pool) => pool,
            Err(error) => panic!("{error}"),
        }
    }

    /// A builder, to choose the size of blocks, the limit, the reuse order, the handle layout, a name, a
    /// growth hook and more.
    ///
    /// ```
    /// use millpond::reuse::LowestFirst;
    /// use millpond::{BlockPool, Handle32};
    ///
    /// struct Tree;
    /// let mut trees = BlockPool::<Tree>::builder()
    ///     .slots_per_block(4096)
    ///     .max_blocks(100)
    ///     .reuse(LowestFirst)
    ///     .handle::<Handle32<Tree>>()
    ///     .name("trees")
    ///     .build();
    /// let tree: Handle32<Tree> = trees.insert(Tree).unwrap();
    /// ```
    pub fn builder() -> BlockPoolBuilder<T> {
        BlockPoolBuilder::new()
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    fn from_builder(builder: BlockPoolBuilder<T, R, H>, shift: u32, max_blocks: usize) -> Self {
        Self {
            blocks: Vec::new(),
            table: Table::new(1 << shift),
            room: Room::new(),
            shift,
            births: 0,
            deaths: 0,
            peak_before_removal: 0,
            spare_blocks: builder.growth.spare_blocks,
            max_blocks,
            addresses: Vec::new(),
            circle: Circle::new::<H>(&builder.settings.lifetimes),
            name: builder.settings.lifetimes.name,
            on_growth: builder.growth.on_growth,
            ledger: Ledger::default(),
            refused: 0,
            evicted: 0,
            #[cfg(feature = "debug-aids")]
            aids: builder.settings.debug_aids,
            tap: Tap::NONE,
        }
    }

    /// How many slots the pool has now, live, dead and retired: those of the blocks that are there.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.ledger.stats.blocks << self.shift
    }

    /// How many slots the pool may have at most: every index is below this number.
    #[inline]
    #[must_use]
    pub fn capacity_max(&self) -> usize {
        self.max_blocks << self.shift
    }

    /// How many slots a block has.
    #[inline]
    #[must_use]
    pub fn slots_per_block(&self) -> usize {
        1 << self.shift
    }

    /// How many blocks there may be at most.
    #[inline]
    #[must_use]
    pub fn max_blocks(&self) -> usize {
        self.max_blocks
    }

    /// How many slots are live.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(4, 2);
    /// pool.insert('a').unwrap();
    /// assert_eq!(pool.len(), 1);
    /// ```
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        (self.births - self.deaths) as usize
    }

    /// Whether no slot is live.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an insertion would fail even if there is memory: at the limit, and every slot is live or
    /// retired. O(1), but O(blocks) while blocks are given back.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let at_limit =
            || self.blocks.len() == self.max_blocks && !self.blocks.iter().any(Block::is_takeable);
        self.room.lowest() == bit_tree::NONE && at_limit()
    }

    #[cfg(feature = "recorder")]
    crate::recorder::record_methods!(
        |pool, track| pool.tap.set(track),
        crate::recorder::type_name::<T>()
    );

    /// The name that the builder was given.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.name
    }

    /// Where the generations of the slots begin, and how many lifetimes each slot has. O(1).
    #[must_use]
    pub fn generations(&self) -> crate::Generations {
        crate::Generations::of(&self.circle)
    }

    /// How the pool stands, and what it has done. The capacity is [that of now](Self::capacity).
    /// O(blocks). See [`growth_stats`](Self::growth_stats) as well.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats {
            capacity: self.capacity(),
            live: self.len(),
            peak: self.peak(),
            retired: self.blocks.iter().filter_map(Block::pool).map(|p| p.stats().retired).sum(),
            inserted: self.births,
            removed: self.deaths,
            refused: self.refused,
            evicted: self.evicted,
        }
    }

    fn peak(&self) -> usize {
        self.peak_before_removal.max(self.len())
    }

    /// The block of a slot.
    #[inline]
    fn block_of(&self, index: usize) -> usize {
        index >> self.shift
    }

    /// Which slot of its block a slot is.
    #[inline]
    fn slot_of(&self, index: usize) -> usize {
        self.table.slot_of(index)
    }

    /// The handle as the block's own pool knows it.
    #[inline]
    fn inner(&self, handle: H) -> H {
        H::from_kept_parts(self.slot_of(handle.index() as usize), handle.word())
    }

    /// The handle as the program knows it, of one of a block's own pool.
    #[inline]
    fn outer(&self, block: usize, inner: H) -> H {
        H::from_kept_parts(block << self.shift | inner.index() as usize, inner.word())
    }

    /// What is there of the block that the slot is in.
    #[inline]
    fn pool_of(&self, index: usize) -> Option<&Pool<T, R, H>> {
        self.blocks.get(self.block_of(index))?.pool()
    }

    #[inline]
    fn pool_of_mut(&mut self, index: usize) -> Option<&mut Pool<T, R, H>> {
        let block = self.block_of(index);
        self.blocks.get_mut(block)?.pool_mut()
    }

    /// Moves a value into a slot of the lowest block that has room; if none has, the pool grows. O(1)
    /// without growth (for [`reuse::NextFit`](crate::reuse::NextFit), O(slots per block / 64)); growth
    /// is O(slots per block), and what the allocator takes.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(1, 1);
    /// let handle = pool.insert("a").unwrap();
    /// let full = pool.insert("b").unwrap_err();
    /// assert_eq!((full.capacity(), full.peak()), (1, 1));
    /// assert_eq!(full.into_inner(), "b");
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool is at its limit and no slot is vacant, or [there is no
    /// memory](Full::is_out_of_memory) to grow: the error gives the value back.
    // Always inlined, for the reason that `Pool::insert` gives.
    #[inline(always)]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert(&mut self, value: T) -> Result<H, Full<T>> {
        self.insert_if_room(value).map_err(|(value, cause)| self.refuse(value, cause))
    }

    /// As [`insert`](Self::insert), but a full pool does not count as a refusal.
    #[inline(always)]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn insert_if_room(&mut self, value: T) -> Result<H, (T, CannotGrow)> {
        let mut block = self.room.lowest();
        if block == bit_tree::NONE {
            match self.grow() {
                Ok(grown) => block = grown,
                Err(cause) => return Err((value, cause)),
            }
        }
        let Some(pool) = self.blocks.get_mut(block).and_then(Block::pool_mut) else {
            unreachable!("a block with room is there");
        };
        let Ok((slot, generation)) = pool.insert_in(value) else {
            unreachable!("the block has room");
        };
        if pool.is_full() {
            self.room.remove_lowest();
        }
        self.births += 1;
        let index = block << self.shift | slot;
        self.tap.birth(index);
        Ok(H::from_kept_parts(index, generation))
    }

    #[cold]
    fn count_refusal(&mut self) {
        self.refused += 1;
        self.tap.refused();
    }

    #[cold]
    fn refuse<V>(&mut self, value: V, cause: CannotGrow) -> Full<V> {
        self.count_refusal();
        let Stats { capacity, peak, retired, .. } = self.stats();
        let out_of_memory = cause == CannotGrow::OutOfMemory;
        let name = self.name();
        Full { value, pool: FullPool { name, capacity, peak, retired, out_of_memory } }
    }

    /// A block that has room, after growth if need be.
    #[inline]
    fn block_with_room(&mut self) -> Result<usize, CannotGrow> {
        match self.room.lowest() {
            bit_tree::NONE => self.grow(),
            block => Ok(block),
        }
    }

    /// Inserts what the function makes; it is told the handle that the value will have. If it panics,
    /// nothing has happened, but that the pool may have grown.
    ///
    /// ```
    /// use millpond::{BlockPool, Handle};
    ///
    /// struct Node {
    ///     me: Handle<Node>,
    /// }
    /// let mut nodes = BlockPool::with_blocks(8, 8);
    /// let handle = nodes.insert_with(|me| Node { me }).unwrap();
    /// assert_eq!(nodes[handle].me, handle);
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`insert`](Self::insert): the function is not called.
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert_with(&mut self, make: impl FnOnce(H) -> T) -> Result<H, Full<()>> {
        match self.vacant() {
            Ok(entry) => {
                let value = make(entry.handle());
                Ok(entry.insert(value))
            }
            Err(cause) => Err(self.refuse((), cause)),
        }
    }

    /// The slot that the next value goes to, to be filled or left alone: for values that must know
    /// their handle, when making them may fail. `None` where [`insert`](Self::insert) would fail. The
    /// pool may grow for it.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(1, 1);
    /// let entry = pool.vacant_entry().unwrap();
    /// let promised = entry.handle();
    /// assert_eq!(entry.insert("value"), promised);
    /// assert!(pool.vacant_entry().is_none());
    /// ```
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn vacant_entry(&mut self) -> Option<VacantEntry<'_, T, R, H>> {
        match self.block_with_room() {
            Ok(block) => Some(self.entry_of(block)),
            Err(_) => {
                self.count_refusal();
                None
            }
        }
    }

    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn vacant(&mut self) -> Result<VacantEntry<'_, T, R, H>, CannotGrow> {
        let block = self.block_with_room()?;
        Ok(self.entry_of(block))
    }

    /// The entry of a block that has room.
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn entry_of(&mut self, block: usize) -> VacantEntry<'_, T, R, H> {
        let Some(pool) = self.blocks[block].pool_mut() else {
            unreachable!("a block with room is there");
        };
        match pool.vacant_entry().map(|entry| entry.handle()) {
            Some(inner) => {
                let handle = self.outer(block, inner);
                VacantEntry { pool: self, handle }
            }
            None => unreachable!("the block has room"),
        }
    }

    /// Inserts at exactly this handle, for loading what was saved: handles inside the saved values
    /// stay good. O(1) amortised, in every reuse order; see [`reuse`](crate::reuse). If the slot's block
    /// is not there, it is taken, as an insertion would.
    ///
    /// Afterwards the slot goes on from that generation; see [`Pool::insert_at`].
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// let handles: Vec<_> = (0..20).map(|i| pool.insert(i).unwrap()).collect();
    /// let saved: Vec<_> = pool.iter().map(|(handle, value)| (handle, *value)).collect();
    ///
    /// let mut loaded = BlockPool::with_blocks(8, 8);
    /// for (handle, value) in saved.into_iter().rev() {
    ///     loaded.insert_at(handle, value).unwrap();
    /// }
    /// assert_eq!(loaded[handles[13]], 13);
    /// ```
    ///
    /// # Errors
    ///
    /// If the slot is beyond [`capacity_max`](Self::capacity_max) or there is no memory for its block
    /// (both are [`OutOfRange`](InsertAtErrorKind::OutOfRange)), is live or retired, has had this
    /// lifetime already (unless the pool wraps), or may never have it. The error gives the value back,
    /// and no block was taken.
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert_at(&mut self, handle: H, value: T) -> Result<H, InsertAtError<T>> {
        let index = handle.index() as usize;
        let block = self.block_of(index);
        let out_of_range = InsertAtErrorKind::OutOfRange;
        if block >= self.max_blocks {
            return Err(InsertAtError { value, kind: out_of_range });
        }
        if self.pool_of(index).is_none() {
            // Asked before the block is taken, so that no handle from a file takes memory for nothing.
            if let Err(kind) = self.check_begin(handle) {
                return Err(InsertAtError { value, kind });
            }
            if self.take_block(block, false).is_err() {
                return Err(InsertAtError { value, kind: out_of_range });
            }
        }
        let inner = self.inner(handle);
        let Some(pool) = self.blocks[block].pool_mut() else {
            unreachable!("the block is there");
        };
        pool.insert_at(inner, value)?;
        if pool.is_full() {
            self.room.remove(block);
        }
        self.births += 1;
        self.tap.birth(index);
        Ok(handle)
    }

    /// Whether a slot of a block that is not there may begin the handle's lifetime.
    fn check_begin(&self, handle: H) -> Result<(), InsertAtErrorKind> {
        let index = handle.index() as usize;
        let fresh = self.circle.start().as_dead();
        let word = match self.blocks.get(self.block_of(index)) {
            Some(Block::GivenBack(words)) => words.word(self.slot_of(index)).unwrap_or(fresh),
            _ => fresh,
        };
        self.circle.check_begin(word, handle.word())
    }

    /// Inserts; if the pool is at its limit and no slot is vacant, the live object with the smallest key
    /// has to go, and is returned with the handle that it had. Of equal keys, the lowest index. (An
    /// object in the last lifetime of its slot is passed over, because the slot retires after it.)
    ///
    /// The key is asked for once per live object, at the speed of iteration; nothing has happened yet if
    /// it panics.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut voices = BlockPool::with_blocks(2, 1);
    /// let loud = voices.insert(("explosion", 90)).unwrap();
    /// let quiet = voices.insert(("crickets", 10)).unwrap();
    ///
    /// let (new, evicted) = voices.insert_or_evict(("thunder", 70), |_, voice| voice.1);
    /// assert_eq!(evicted, Some((quiet, ("crickets", 10))));
    /// assert!(voices.contains(new) && voices.contains(loud));
    /// ```
    ///
    /// # Panics
    ///
    /// If no slot can ever take the value: the limit is 0, or the pool is full and every live slot
    /// is in the last lifetime before it retires. [`try_insert_or_evict`](Self::try_insert_or_evict)
    /// returns an error instead.
    #[track_caller]
    pub fn insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(H, &T) -> K,
    ) -> (H, Option<(H, T)>) {
        let name = self.name();
        match self.try_insert_or_evict(value, key) {
            Ok(inserted) => inserted,
            Err(full) => {
                let pool = crate::errors::PoolName(name);
                panic!("{pool} has no slot that can be used again: {full}")
            }
        }
    }

    /// As [`insert_or_evict`](Self::insert_or_evict), for pools whose slots may all retire.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::<u8>::with_blocks(1, 0);
    /// let full = pool.try_insert_or_evict(2, |_, value| *value).unwrap_err();
    /// assert_eq!(full.into_inner(), 2);
    /// ```
    ///
    /// # Errors
    ///
    /// If no slot can ever take the value; the error gives it back.
    #[allow(clippy::type_complexity, reason = "the fixed return type, in a result")]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn try_insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(H, &T) -> K,
    ) -> Result<(H, Option<(H, T)>), Full<T>> {
        EvictLeast(key).insert(self, value)
    }

    /// Whether the slot of a good handle retires with the handle's lifetime.
    fn is_last(&self, handle: H) -> bool {
        let pool = self.pool_of(handle.index() as usize);
        pool.is_some_and(|pool| pool.is_last(self.inner(handle)))
    }

    /// Several values at once, to change. O(N²) for N handles.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(1, 8);
    /// let a = pool.insert(1).unwrap();
    /// let b = pool.insert(2).unwrap();
    /// let [x, y] = pool.get_disjoint_mut([b, a]).unwrap();
    /// std::mem::swap(x, y);
    /// assert_eq!((pool[a], pool[b]), (2, 1));
    /// assert!(pool.get_disjoint_mut([a, a]).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If a handle is refused, or two name the same object.
    pub fn get_disjoint_mut<const N: usize>(
        &mut self,
        handles: [H; N],
    ) -> Result<[&mut T; N], GetDisjointMutError> {
        for (position, &handle) in handles.iter().enumerate() {
            if let Err(refusal) = self.check(handle) {
                return Err(GetDisjointMutError::Refused { position, refusal });
            }
            if handles[..position].contains(&handle) {
                return Err(GetDisjointMutError::Overlapping { position });
            }
        }
        // By ascending index, so that the blocks, and the slots of each, are passed once.
        let mut by_index: [usize; N] = core::array::from_fn(|position| position);
        by_index.sort_unstable_by_key(|position| handles[*position].index());
        let mut values = [const { None }; N];
        let mut blocks = self.blocks.iter_mut();
        let mut passed = 0;
        let mut cursor = None;
        for position in by_index {
            let index = handles[position].index() as usize;
            let (block, slot) = (index >> self.shift, index & ((1 << self.shift) - 1));
            if block >= passed {
                let pool = blocks.nth(block - passed).and_then(Block::pool_mut);
                cursor = pool.map(Pool::cursor_mut);
                passed = block + 1;
            }
            values[position] = cursor.as_mut().and_then(|cursor| cursor.seek(slot));
        }
        Ok(values.map(|value| match value {
            Some(value) => value,
            None => unreachable!("good handles that differ name live slots that differ"),
        }))
    }

    /// Whether the handle's object lives, and if not, why the handle is refused. O(1).
    ///
    /// ```
    /// use millpond::{BlockPool, Handle, Refusal};
    ///
    /// let mut pool = BlockPool::with_blocks(8, 2);
    /// let handle = pool.insert("ship").unwrap();
    /// assert_eq!(pool.check(handle), Ok(()));
    /// pool.remove(handle);
    /// pool.shrink_to_fit();
    /// assert_eq!(pool.check(handle), Err(Refusal::Stale));
    /// assert_eq!(pool.check(Handle::from_parts(8, 1).unwrap()), Err(Refusal::NeverIssued));
    /// assert_eq!(pool.check(Handle::from_parts(16, 1).unwrap()), Err(Refusal::OutOfRange));
    /// ```
    ///
    /// # Errors
    ///
    /// If the handle is refused.
    pub fn check(&self, handle: H) -> Result<(), Refusal> {
        let index = handle.index() as usize;
        if self.block_of(index) >= self.max_blocks {
            return Err(Refusal::OutOfRange);
        }
        match self.blocks.get(self.block_of(index)) {
            Some(Block::Taken(pool)) => pool.check(self.inner(handle)),
            Some(Block::GivenBack(words)) => Err(words.refusal(self.slot_of(index), handle.word())),
            Some(Block::Unused) | None => {
                let fresh = self.circle.start().as_dead();
                Err(self.circle.refusal(Some(fresh), handle.word(), self.births))
            }
        }
    }

    /// Moves the value out, unless the handle is refused. O(1). The handle is stale from now on.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.remove(handle), Some("a"));
    /// assert_eq!(pool.remove(handle), None);
    /// ```
    // Always inlined, for the reason that `Pool::insert` gives.
    #[inline(always)]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn remove(&mut self, handle: H) -> Option<T> {
        #[cfg(feature = "debug-aids")]
        if !self.contains(handle) {
            self.note_refused_removal(handle);
        }
        if self.spare_blocks.is_some() {
            return self.remove_by_rule(handle);
        }
        self.take_value(handle)
    }

    /// The same where a block that becomes empty may be given back.
    #[inline(never)]
    fn remove_by_rule(&mut self, handle: H) -> Option<T> {
        let value = self.take_value(handle)?;
        let block = self.block_of(handle.index() as usize);
        if self.blocks[block].live() == 0 {
            self.give_back_by_rule(block);
        }
        Some(value)
    }

    /// Moves the value out, unless the handle is refused. No block is given back.
    #[inline(always)]
    fn take_value(&mut self, handle: H) -> Option<T> {
        if self.tap.is_on() {
            self.tell_removal(handle);
        }
        let index = handle.index() as usize;
        let (block, slot) = (self.block_of(index), self.slot_of(index));
        let Self { blocks, room, births, deaths, peak_before_removal, .. } = self;
        let slot = blocks.get_mut(block)?.pool_mut()?.live_in(slot, handle.word())?;
        let live = (*births - *deaths) as usize;
        if live > *peak_before_removal {
            *peak_before_removal = live;
        }
        *deaths += 1;
        if slot.makes_first_room() {
            room.insert(block);
        }
        // Read last, the value goes straight to where the caller wants it.
        Some(slot.remove())
    }

    /// The handle's object is about to be removed, if it lives.
    #[cold]
    #[inline(never)]
    fn tell_removal(&mut self, handle: H) {
        if self.contains(handle) {
            tell_death(&mut self.tap, &self.circle, handle);
        }
    }

    /// Tells whoever listens that the pool's state was replaced as a whole.
    fn tell_all(&mut self) {
        if self.tap.is_on() {
            let mut tap = core::mem::replace(&mut self.tap, Tap::NONE);
            tap.restart(self.stats(), self.handles().map(|handle| handle.index() as usize));
            self.tap = tap;
        }
    }

    /// So many slots were live just now.
    fn note_peak(&mut self, live: usize) {
        if live > self.peak_before_removal {
            self.peak_before_removal = live;
        }
    }

    /// The value in a slot, if the slot is live. O(1).
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// pool.insert("a").unwrap();
    /// assert_eq!(pool.get_at(0), Some(&"a"));
    /// assert_eq!((pool.get_at(7), pool.get_at(1_000_000)), (None, None));
    /// ```
    #[inline]
    #[must_use]
    pub fn get_at(&self, index: usize) -> Option<&T> {
        self.pool_of(index)?.get_at(self.slot_of(index))
    }

    /// The value in a slot, to change, if the slot is live. O(1).
    #[inline]
    #[must_use]
    pub fn get_at_mut(&mut self, index: usize) -> Option<&mut T> {
        let slot = self.slot_of(index);
        self.pool_of_mut(index)?.get_at_mut(slot)
    }

    /// Moves the value in a slot out, if the slot is live. O(1).
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.remove_at(0), Some("a"));
    /// assert_eq!(pool.remove_at(0), None);
    /// assert!(!pool.contains(handle));
    /// ```
    #[inline]
    pub fn remove_at(&mut self, index: usize) -> Option<T> {
        self.remove(self.handle_at(index)?)
    }

    /// The handle of the object in a slot, if the slot is live. O(1).
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.handle_at(0), Some(handle));
    /// assert_eq!(pool.handle_at(1), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<H> {
        let inner = self.pool_of(index)?.handle_at(self.slot_of(index))?;
        Some(self.outer(self.block_of(index), inner))
    }

    /// The slot that a value lies in, from its address. O(log blocks). `None` for a value that is not
    /// in the pool, and for every value of a type without a size, as those have no address of their
    /// own.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(2, 8);
    /// let handles = [5, 6, 7].map(|value| pool.insert(value).unwrap());
    /// assert_eq!(pool.index_of(&pool[handles[2]]), Some(2));
    /// assert_eq!(pool.index_of(&7), None);
    /// ```
    #[must_use]
    pub fn index_of(&self, value: &T) -> Option<usize> {
        let address = core::ptr::from_ref(value).addr();
        let after = self.addresses.partition_point(|(first, _)| *first <= address);
        let (_, block) = *self.addresses.get(after.checked_sub(1)?)?;
        let slot = self.blocks[block].pool()?.index_of(value)?;
        Some(block << self.shift | slot)
    }

    /// The handle of a value, from its address. O(log blocks). `None` as in
    /// [`index_of`](Self::index_of).
    #[must_use]
    pub fn handle_of(&self, value: &T) -> Option<H> {
        self.handle_at(self.index_of(value)?)
    }

    /// Removes the values of which the function says `false`, in index order. If it panics, the
    /// values that it has not come to stay, and so does the one that it was looking at.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(2, 8);
    /// for frames_left in [3, 1, 2] {
    ///     pool.insert(frames_left).unwrap();
    /// }
    /// pool.retain(|_, frames_left| {
    ///     *frames_left -= 1;
    ///     *frames_left > 0
    /// });
    /// assert_eq!(pool.values().copied().collect::<Vec<_>>(), [2, 1]);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(H, &mut T) -> bool) {
        let (shift, circle) = (self.shift, self.circle);
        for block in 0..self.blocks.len() {
            self.empty_in_part(block, |pool, tap| {
                pool.retain(|inner, value| {
                    let index = block << shift | inner.index() as usize;
                    let handle = H::from_live_parts(index, inner.word());
                    let stays = keep(handle, value);
                    if tap.is_on() && !stays {
                        tell_death(tap, &circle, handle);
                    }
                    stays
                });
            });
        }
    }

    /// Removes and drops all values. The slots of each block are handed out from the lowest again; the
    /// handles stay stale for ever. The blocks stay, unless the pool gives them back
    /// [by rule](BlockPoolBuilder::give_back_beyond). O(capacity). If a value's drop panics, the values
    /// that were not dropped yet stay in the pool.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// let handle = pool.insert("a").unwrap();
    /// pool.clear();
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// assert_eq!(pool.capacity(), 8);
    /// ```
    pub fn clear(&mut self) {
        /// Tells what is left, also if a drop panics.
        struct TellAll<'a, T, R: ReuseOrder, H: HandleLayout>(&'a mut BlockPool<T, R, H>);
        impl<T, R: ReuseOrder, H: HandleLayout> Drop for TellAll<'_, T, R, H> {
            fn drop(&mut self) {
                self.0.tell_all();
            }
        }
        let all = TellAll(self);
        // From the last, so that what is given back by rule are the last ones.
        for block in (0..all.0.blocks.len()).rev() {
            all.0.empty_in_part(block, |pool, _| pool.clear());
        }
    }

    /// Lets the function remove values of a block, and puts down how many, also if it panics.
    fn empty_in_part(&mut self, block: usize, remove: impl FnOnce(&mut Pool<T, R, H>, &mut Tap)) {
        struct Settle<'a, T, R: ReuseOrder, H: HandleLayout> {
            pool: &'a mut BlockPool<T, R, H>,
            block: usize,
            live_before: usize,
        }
        impl<T, R: ReuseOrder, H: HandleLayout> Drop for Settle<'_, T, R, H> {
            fn drop(&mut self) {
                let Self { pool, block, live_before } = self;
                let live = pool.blocks[*block].live();
                if live == *live_before {
                    return;
                }
                pool.note_peak(pool.len());
                pool.deaths += (*live_before - live) as u64;
                if pool.blocks[*block].has_room() {
                    pool.room.insert(*block);
                }
                if live == 0 {
                    pool.give_back_by_rule(*block);
                }
            }
        }
        let live_before = self.blocks[block].live();
        let settle = Settle { pool: self, block, live_before };
        let BlockPool { blocks, tap, .. } = &mut *settle.pool;
        if let Some(pool) = blocks[block].pool_mut() {
            remove(pool, tap);
        }
    }
}

/// Tells whoever listens that the handle's lifetime has ended.
#[cold]
#[inline(never)]
fn tell_death<H: HandleLayout>(tap: &mut Tap, circle: &Circle<H::Word>, handle: H) {
    tap.death(handle.index() as usize);
    if circle.is_last(handle.word()) {
        tap.retired();
    }
}
