//! [`BlockPool`] and what its methods return.

mod builder;
#[cfg(feature = "debug-aids")]
mod debug;
mod faces;
mod growth;
mod iter;
mod overflow;
#[cfg(feature = "serde")]
mod saved;
mod snapshot;
mod traits;

pub use crate::faces::Handles;
pub use crate::storage::{BlockRuns as ValueRuns, BlockRunsMut as ValueRunsMut};
pub use builder::BlockPoolBuilder;
pub use faces::{Drain, ExtractIf, IntoIter, VacantEntry};
pub use growth::{Growth, GrowthStats, ReserveError};
pub use iter::{Iter, IterMut, Values, ValuesMut};

use core::ops::RangeInclusive;

#[cfg(doc)]
use crate::errors::InsertAtErrorKind;
use crate::errors::{Full, FullPool, GetDisjointMutError, InsertAtError};
use crate::handle::{Handle, HandleLayout, Refusal, Word, handle_at};
use crate::lifetimes::Lifetimes;
use crate::occupancy::Occupancy;
use crate::overflow::{EvictLeast, Policy};
use crate::reuse::{Lifo, ReuseOrder};
use crate::slots::{BlockSizes, Core};
use crate::stats::Stats;
use crate::storage::{BlockStorage, Storage};
use growth::{CannotGrow, Growing};

/// A pool of values that grows block by block: no value ever moves, every handle stays good, and there
/// may be a limit.
///
/// Pick it when the number of values cannot be told ahead, or differs a lot from one level to the next:
/// the pool takes what it needs, up to the limit, and gives it back when told to. Where the peak is
/// known, a [`Pool`](crate::Pool) of that capacity has the same methods, is a little faster, and never waits for
/// memory.
///
/// ```text
/// handle 9v3 ──▶ index 9, generation 3
///                     │
///   generations  [ 1 ][ †2 ] … [ 3 ] …          as in a `Pool`: one array each for the generations,
///   occupancy      1    0   …    1              the occupancy and the reuse order
///   blocks       │ 0..4 │ 4..8 │ 8..16 │ 16..32 │ …
///                    │      │       └▶ [ d ][ c ]…  values: each block is an array of its own,
///                    │      └▶ [   ][ b ]…          and stays where it is
///                    └▶ [ a ][   ]…
/// ```
///
/// **Memory**: none while the pool is empty. Then the blocks double, from 4 slots on, or have the
/// [sizes](BlockPoolBuilder::block_sizes) that the builder is told. Per slot, as for
/// [`Pool`](crate::Pool): the value, a generation word (4 bytes; 2 with [`Handle32`](crate::Handle32) of
/// 16 or more index bits), one bit, and what the [reuse order](crate::reuse) takes; per block 8 bytes. Blocks that
/// [`reserve`](Self::reserve) takes are touched at once. Of one that an insertion takes, the system gives each page when
/// the first value comes to it: no insertion waits for all of them, and those that are never come to take no memory.
///
/// **Growth**: an insertion that finds no slot takes a block, and calls the
/// [hook](BlockPoolBuilder::on_growth); at the limit, or without memory, it is refused, and the value
/// comes back. Values stay where they are. The generations, the occupancy and the reuse order, some 8 bytes per slot,
/// move to an array of twice the size when theirs is full, as those of a `Vec` do.
/// [`reserve`](Self::reserve) takes blocks ahead, outside of play.
///
/// **Shrinking**: [`shrink_to_fit`](Self::shrink_to_fit) gives back the last blocks, as far as they are empty; so does
/// a removal, if the pool was [built so](BlockPoolBuilder::give_back_beyond). With
/// [`LowestFirst`](crate::reuse::LowestFirst) values go to the lowest slots, so that the last blocks run empty. Of slots
/// that were given back the generations stay, so that their handles stay stale.
///
/// **Time**: insert (without growth), get and remove are O(1), as in a `Pool`; what reads a value reads first where
/// its block is. Iterating costs O(capacity / 64 + live).
///
/// **Safety**: as for [`Pool`](crate::Pool): a handle is good for one lifetime of one slot, and refused
/// for ever after, whether its block is there, was given back, or was taken again.
///
/// ```
/// use millpond::BlockPool;
///
/// let mut ships = BlockPool::new();
/// assert_eq!(ships.capacity(), 0);
/// let cutter = ships.push("cutter");
/// assert_eq!(ships.capacity(), 4);
///
/// let address = &raw const ships[cutter];
/// for _ in 0..200 {
///     ships.push("barge");
/// }
/// assert_eq!(ships.capacity(), 256);
/// assert_eq!(&raw const ships[cutter], address); // nothing moved
///
/// ships.retain(|handle, _| handle == cutter);
/// ships.shrink_to_fit();
/// assert_eq!((ships.capacity(), ships[cutter]), (4, "cutter"));
/// ```
pub struct BlockPool<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    /// The order in `core` has each slot that is vacant in `storage`, but while one of the methods below
    /// is on its way between the two, where no user code runs.
    storage: BlockStorage<T, R, H>,
    core: Core<R, H>,
    growth: Growing,
}

impl<T> BlockPool<T> {
    /// A pool without any slot yet, and without memory, whose blocks double: 4 slots, 4, 8, 16 and so on.
    ///
    /// ```
    /// use millpond::BlockPool;
    ///
    /// const NO_SHIPS: BlockPool<String> = BlockPool::new();
    /// let mut ships = NO_SHIPS;
    /// let cutter = ships.push("cutter".to_owned());
    /// assert_eq!((ships.len(), ships.capacity()), (1, 4));
    /// assert_eq!(ships[cutter], "cutter");
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::without_blocks(BlockSizes::DOUBLING, &Lifetimes::PLAIN, Growing::UNLIMITED)
    }

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

    /// A builder, to choose the sizes of blocks, the limit, the reuse order, the handle layout, a name, a
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
        BlockPoolBuilder::default()
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    const fn without_blocks(sizes: BlockSizes, lifetimes: &Lifetimes, growth: Growing) -> Self {
        Self { storage: Storage::growing(sizes), core: Core::fresh(lifetimes), growth }
    }

    /// A builder of a pool of any reuse order and handle layout, where the type is written down.
    ///
    /// ```
    /// use millpond::reuse::Fifo;
    /// use millpond::{BlockPool, Handle};
    ///
    /// struct Label;
    /// type Nodes = BlockPool<String, Fifo, Handle<Label>>;
    /// let mut nodes = Nodes::typed_builder().name("nodes").build();
    /// let root: Handle<Label> = nodes.push("root".to_owned());
    /// ```
    pub fn typed_builder() -> BlockPoolBuilder<T, R, H> {
        BlockPoolBuilder::default()
    }

    /// How many slots the pool has now, live, dead and retired: those of the blocks that are there.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.storage.words().slots()
    }

    /// How many slots the pool may have at most: every index is below this number.
    #[inline]
    #[must_use]
    pub fn capacity_max(&self) -> usize {
        self.sizes().start_of(self.max_blocks()).unwrap_or(H::CAPACITY_MAX)
    }

    /// How many slots the first block has, and how many the largest blocks may have: between the two, blocks double.
    ///
    /// ```
    /// use millpond::BlockPool;
    ///
    /// assert_eq!(BlockPool::<u8>::with_blocks(64, 16).block_sizes(), 64..=64);
    /// let pool = BlockPool::<u8>::builder().block_sizes(8..=1024).build();
    /// assert_eq!(pool.block_sizes(), 8..=1024);
    /// ```
    #[must_use]
    pub fn block_sizes(&self) -> RangeInclusive<usize> {
        self.sizes().first()..=self.sizes().last()
    }

    fn sizes(&self) -> BlockSizes {
        self.storage.place().sizes()
    }

    /// How many blocks there may be at most.
    #[inline]
    #[must_use]
    pub fn max_blocks(&self) -> usize {
        self.growth.max_blocks.min(self.sizes().blocks_within(H::CAPACITY_MAX))
    }

    /// How many slots are live.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// pool.push('a');
    /// assert_eq!(pool.len(), 1);
    /// ```
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.storage.words().live()
    }

    /// Whether no slot is live.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an insertion would fail even if there is memory: at the limit, and every slot is live or
    /// retired. O(1).
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.core.is_full(self.storage.words()) && self.usable_beyond() == 0
    }

    /// How many slots there may be that are not there, and have not retired.
    fn usable_beyond(&self) -> usize {
        self.capacity_max() - self.capacity() - self.storage.place().retired_beyond()
    }

    #[cfg(feature = "recorder")]
    crate::recorder::record_methods!(
        |pool, track| pool.core.listen(track, pool.storage.words()),
        crate::recorder::type_name::<T>()
    );

    /// The name that the builder was given.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.core.name()
    }

    /// Where the generations of the slots begin, and how many lifetimes each slot has. O(1).
    #[must_use]
    pub fn generations(&self) -> crate::Generations {
        crate::Generations::of(&self.core.circle())
    }

    /// How the pool stands, and what it has done. The capacity is [that of now](Self::capacity), and slots that have
    /// retired are counted while their block is there. O(1). See [`growth_stats`](Self::growth_stats) as well.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.core.stats(self.storage.words())
    }

    /// Which slots are live.
    #[inline]
    #[must_use]
    pub fn occupancy(&self) -> Occupancy<'_> {
        self.storage.occupancy()
    }

    /// Moves a value into a slot; if none is vacant, the pool grows. Without growth, the cost is that of the reuse
    /// order's *take*, O(1) for most; growth is O(slots of the new block), and what the allocator takes, and now and
    /// then some 8 bytes per slot that there was are copied.
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
    #[must_use = "a full pool gives the value back in the error, and ignoring it drops the value"]
    // Always inlined, for the reason that `Pool::insert` gives.
    #[inline(always)]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert(&mut self, value: T) -> Result<H, Full<T>> {
        self.insert_if_room(value).map_err(|(value, cause)| self.refuse(value, cause))
    }

    /// Moves a value into a slot, as [`insert`](Self::insert) does, where there is no limit but memory: what cannot
    /// fail needs no error to be looked at.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// let handle = pool.push("a");
    /// assert_eq!(pool[handle], "a");
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no memory, as of a `Vec`; or the pool was given a limit, and is full.
    #[inline(always)]
    #[track_caller]
    pub fn push(&mut self, value: T) -> H {
        match self.insert(value) {
            Ok(handle) => handle,
            Err(full) => no_room(full.pool),
        }
    }

    /// As [`insert`](Self::insert), but a full pool does not count as a refusal.
    #[inline(always)]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn insert_if_room(&mut self, value: T) -> Result<H, (T, CannotGrow)> {
        #[cfg(feature = "debug-aids")]
        self.inspect_next();
        let inserted = match self.storage.put_next(value, &mut self.core) {
            Ok(handle) => Ok(handle),
            Err(value) => self.grow_and_insert(value),
        };
        #[cfg(feature = "debug-aids")]
        if let Ok(handle) = inserted {
            self.note_origin(handle.index() as usize);
        }
        inserted
    }

    /// No slot is vacant.
    #[cold]
    #[inline(never)]
    fn grow_and_insert(&mut self, mut value: T) -> Result<H, (T, CannotGrow)> {
        loop {
            if let Err(cause) = self.grow_for_insertion() {
                return Err((value, cause));
            }
            // All slots of a block that was there before may have retired.
            match self.storage.put_next(value, &mut self.core) {
                Ok(handle) => return Ok(handle),
                Err(refused) => value = refused,
            }
        }
    }

    #[cold]
    fn refuse<V>(&mut self, value: V, cause: CannotGrow) -> Full<V> {
        let pool = self.core.refuse(self.storage.words());
        let out_of_memory = cause == CannotGrow::OutOfMemory;
        Full { value, pool: FullPool { out_of_memory, ..pool } }
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
        let handle = match self.next_handle() {
            Ok(handle) => handle,
            Err(cause) => return Err(self.refuse((), cause)),
        };
        let value = make(handle);
        self.insert_peeked(handle, value);
        Ok(handle)
    }

    /// The handle that comes next, after growth if need be.
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn next_handle(&mut self) -> Result<H, CannotGrow> {
        #[cfg(feature = "debug-aids")]
        self.inspect_next();
        loop {
            match self.core.peek(&self.storage) {
                Some(handle) => return Ok(handle),
                None => self.grow_for_insertion()?,
            }
        }
    }

    /// Inserts at the handle that was peeked at, the pool being unchanged since.
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn insert_peeked(&mut self, handle: H, value: T) {
        self.core.take_peeked(handle, &mut self.storage);
        self.storage.put(handle.index() as usize, handle.word(), value);
        #[cfg(feature = "debug-aids")]
        self.note_origin(handle.index() as usize);
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
        match self.next_handle() {
            Ok(handle) => Some(VacantEntry::new(self, handle)),
            Err(_) => {
                self.core.count_refusal();
                None
            }
        }
    }

    /// Inserts at exactly this handle, for loading what was saved: handles inside the saved values
    /// stay good. O(1) amortised, in every reuse order; see [`reuse`](crate::reuse). If the slot is not there, the pool
    /// grows up to it, but to at most twice its slots, or 4,096 in a smaller one, so that no handle from a damaged file
    /// takes memory out of proportion. To load what was saved in any order, [`reserve`](Self::reserve) as many slots as
    /// the highest index needs.
    ///
    /// Afterwards the slot goes on from that generation; see [`Pool::insert_at`](crate::Pool::insert_at).
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
    /// (both are [`OutOfRange`](InsertAtErrorKind::OutOfRange)), is [too far](InsertAtErrorKind::TooFar) beyond those
    /// that are there, is live or retired, has had this lifetime already (unless the pool wraps), or may never have it.
    /// The error gives the value back, and no block was taken.
    #[must_use = "a refused handle gives the value back in the error, and ignoring it drops the value"]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert_at(&mut self, handle: H, value: T) -> Result<H, InsertAtError<T>> {
        let index = handle.index() as usize;
        if index >= self.capacity() {
            if let Err(kind) = self.grow_up_to(handle) {
                return Err(InsertAtError { value, kind });
            }
        }
        #[cfg(feature = "debug-aids")]
        self.storage.inspect(index);
        match self.core.claim(handle, &mut self.storage) {
            Ok(index) => {
                self.storage.put(index, handle.word(), value);
                #[cfg(feature = "debug-aids")]
                self.note_origin(index);
                Ok(handle)
            }
            Err(kind) => Err(InsertAtError { value, kind }),
        }
    }

    /// The word of a slot that is there, or was, or may be.
    fn word_of(&self, index: usize) -> H::Word {
        let fresh = || self.core.circle().start().as_dead();
        self.storage.place().known_word(index).unwrap_or_else(fresh)
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
    #[must_use = "a full pool gives the value back in the error, and ignoring it drops the value"]
    #[allow(clippy::type_complexity, reason = "the fixed return type, in a result")]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn try_insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(H, &T) -> K,
    ) -> Result<(H, Option<(H, T)>), Full<T>> {
        EvictLeast(key).insert(self, value)
    }

    /// Whether the handle's object lives. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.storage.find(handle).is_some()
    }

    /// The value, unless the handle is refused. O(1).
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// let handle = pool.push("a");
    /// assert_eq!(pool.get(handle), Some(&"a"));
    /// pool.remove(handle);
    /// assert_eq!(pool.get(handle), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self, handle: H) -> Option<&T> {
        self.storage.find(handle)
    }

    /// The value, to change, unless the handle is refused. O(1).
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// let handle = pool.push(1);
    /// if let Some(value) = pool.get_mut(handle) {
    ///     *value += 1;
    /// }
    /// assert_eq!(pool[handle], 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        self.storage.find_mut(handle)
    }

    /// The value, without any check.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// let handle = pool.push("a");
    /// // SAFETY: the value was just inserted.
    /// assert_eq!(unsafe { pool.get_unchecked(handle) }, &"a");
    /// ```
    ///
    /// # Safety
    ///
    /// [`contains`](Self::contains) says `true` of the handle.
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked(&self, handle: H) -> &T {
        debug_assert!(self.contains(handle));
        // SAFETY: the pool contains the handle, so its slot is live.
        unsafe { self.storage.get_unchecked(handle.index() as usize) }
    }

    /// The value, to change, without any check.
    ///
    /// # Safety
    ///
    /// [`contains`](Self::contains) says `true` of the handle.
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked_mut(&mut self, handle: H) -> &mut T {
        debug_assert!(self.contains(handle));
        // SAFETY: the pool contains the handle, so its slot is live.
        unsafe { self.storage.get_unchecked_mut(handle.index() as usize) }
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
        let Self { storage, core, .. } = self;
        storage.find_disjoint_mut(handles, |handle, words| core.check(handle, words))
    }

    crate::together::get_each_mut_method!(H, T, example "BlockPool::new()", |pool, handles| pool.storage.find_each_mut(handles));

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
        if index < self.capacity() || index >= self.capacity_max() {
            return self.core.check(handle, self.storage.words());
        }
        Err(self.core.refusal(handle, Some(self.word_of(index)), self.storage.words()))
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
        if self.growth.spare_blocks.is_some() {
            return self.remove_by_rule(handle);
        }
        self.take_value(handle)
    }

    /// The same where blocks that become empty may be given back.
    #[inline(never)]
    fn remove_by_rule(&mut self, handle: H) -> Option<T> {
        let value = self.take_value(handle)?;
        self.give_back_by_rule();
        Some(value)
    }

    /// Moves the value out, unless the handle is refused. No block is given back.
    #[inline(always)]
    fn take_value(&mut self, handle: H) -> Option<T> {
        self.storage.remove(handle, &mut self.core)
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
        self.storage.get(index)
    }

    /// The value in a slot, to change, if the slot is live. O(1).
    #[inline]
    #[must_use]
    pub fn get_at_mut(&mut self, index: usize) -> Option<&mut T> {
        self.storage.get_mut(index)
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
        handle_at(index, self.storage.words())
    }

    crate::together::object_at_methods!(H, T, example "BlockPool::new()");

    /// The slot that a value lies in, from its address. O(blocks). `None` for a value that is not
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
        self.storage.index_of_value(value)
    }

    /// The handle of a value, from its address. O(blocks). `None` as in
    /// [`index_of`](Self::index_of).
    #[must_use]
    pub fn handle_of(&self, value: &T) -> Option<H> {
        self.handle_at(self.index_of(value)?)
    }

    /// The handles and values in index order, from both ends. In hot code prefer
    /// [`for_each`](Iterator::for_each) or [`runs`](Self::runs) over `for`.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// let a = pool.insert("a").unwrap();
    /// let b = pool.insert("b").unwrap();
    /// assert_eq!(pool.iter().collect::<Vec<_>>(), [(a, &"a"), (b, &"b")]);
    /// assert_eq!(pool.iter().next_back(), Some((b, &"b")));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T, R, H> {
        Iter::new(self.storage.words().kept(), self.storage.block_values())
    }

    /// The handles and values, to change, in index order, from both ends.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// let handle = pool.insert(1).unwrap();
    /// pool.iter_mut().for_each(|(_, value)| *value *= 10);
    /// assert_eq!(pool[handle], 10);
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T, R, H> {
        let (words, values) = self.storage.words_and_block_values_mut();
        IterMut::new(words, values)
    }

    /// The handles in index order, from both ends.
    #[inline]
    pub fn handles(&self) -> Handles<'_, R, H> {
        Handles::new(self.storage.words().kept(), self.occupancy())
    }

    /// The values in index order, from both ends.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// pool.insert(1).unwrap();
    /// pool.insert(2).unwrap();
    /// assert_eq!(pool.values().sum::<i32>(), 3);
    /// ```
    #[inline]
    pub fn values(&self) -> Values<'_, T> {
        Values::new(self.storage.block_values())
    }

    /// The values, to change, in index order, from both ends.
    #[inline]
    pub fn values_mut(&mut self) -> ValuesMut<'_, T> {
        ValuesMut::new(self.storage.words_and_block_values_mut().1)
    }

    /// The runs of live slots in index order: `(first index, slice)` for each maximal stretch of
    /// adjacent live slots in one block. As fast as a slice where live slots are adjacent, and the way to hand live
    /// values to code that takes slices; with holes all over, [`values_mut`](Self::values_mut) and
    /// `for_each` are faster.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// let handles: Vec<_> = (0..6).map(|i| pool.push(i)).collect();
    /// pool.remove(handles[2]);
    /// // Slot 4 is the first of the second block.
    /// assert_eq!(pool.runs().collect::<Vec<_>>(), [(0, &[0, 1][..]), (3, &[3]), (4, &[4, 5])]);
    /// ```
    #[inline]
    pub fn runs(&self) -> ValueRuns<'_, T> {
        self.storage.block_runs()
    }

    /// The runs of live slots, to change: `(first index, slice)`.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// let handle = pool.insert(1.0).unwrap();
    /// for (_, run) in pool.runs_mut() {
    ///     for value in run {
    ///         *value += 0.5;
    ///     }
    /// }
    /// assert_eq!(pool[handle], 1.5);
    /// ```
    #[inline]
    pub fn runs_mut(&mut self) -> ValueRunsMut<'_, T> {
        self.storage.block_runs_mut()
    }

    /// Moves all values out, in index order. What is not taken is removed when the iterator is
    /// dropped; if the iterator is leaked, what it has not handed out stays in the pool.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.drain().collect::<Vec<_>>(), [(handle, "a")]);
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    #[inline]
    pub fn drain(&mut self) -> Drain<'_, T, R, H> {
        Drain::new(self)
    }

    /// Moves out the values that the function chooses, one at a time, in index order. What the
    /// iterator has not come to stays in the pool.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// for i in 0..6 {
    ///     pool.insert(i).unwrap();
    /// }
    /// let even: Vec<_> = pool.extract_if(|_, value| *value % 2 == 0).map(|(_, v)| v).collect();
    /// assert_eq!(even, [0, 2, 4]);
    /// assert_eq!(pool.len(), 3);
    /// ```
    #[inline]
    pub fn extract_if<F: FnMut(H, &mut T) -> bool>(
        &mut self,
        choose: F,
    ) -> ExtractIf<'_, T, R, H, F> {
        ExtractIf::new(self, choose)
    }

    /// Calls `keep` once per live object, in index order, and removes the values for which it returns `false`. The
    /// values are dropped after at most 63 further calls. If `keep` panics, the object that it was called with and all
    /// later ones stay.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// for frames_left in [3, 1, 2] {
    ///     pool.insert(frames_left).unwrap();
    /// }
    /// pool.retain(|_, frames_left| {
    ///     *frames_left -= 1;
    ///     *frames_left > 0
    /// });
    /// assert_eq!(pool.values().copied().collect::<Vec<_>>(), [2, 1]);
    /// ```
    pub fn retain(&mut self, keep: impl FnMut(H, &mut T) -> bool) {
        self.storage.retain(&mut self.core, keep);
        self.give_back_by_rule();
    }

    /// Removes and drops all values. Slots are handed out from the lowest again; the handles stay
    /// stale for ever. The blocks stay, unless the pool gives them back
    /// [by rule](BlockPoolBuilder::give_back_beyond). O(capacity). If a value's drop panics, the values that were not dropped yet
    /// stay in the pool.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::new();
    /// let handle = pool.insert("a").unwrap();
    /// pool.clear();
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    pub fn clear(&mut self) {
        self.empty();
        self.give_back_by_rule();
    }

    /// As [`clear`](Self::clear), but the blocks stay.
    fn empty(&mut self) {
        /// Makes the order true again, also when a drop has panicked.
        struct ResetOrder<'a, T, R: ReuseOrder, H: HandleLayout>(&'a mut BlockPool<T, R, H>);
        impl<T, R: ReuseOrder, H: HandleLayout> Drop for ResetOrder<'_, T, R, H> {
            fn drop(&mut self) {
                self.0.core.reset_order(&mut self.0.storage);
            }
        }

        let guard = ResetOrder(self);
        let BlockPool { core, storage, .. } = &mut *guard.0;
        let circle = core.circle();
        if !core::mem::needs_drop::<T>() {
            storage.forget_all(&circle);
            return;
        }
        for index in 0..storage.words().slots() {
            let Some(generation) = storage.words().of_live(index) else { continue };
            drop(storage.take(index, circle.word_after(generation)));
        }
    }
}

/// There is no room for what was pushed.
#[cold]
#[inline(never)]
#[track_caller]
fn no_room(pool: FullPool) -> ! {
    panic!("{}", Full { value: (), pool })
}

#[cfg(feature = "validate")]
impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// Checks that all which must hold does; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), crate::validate::Violation> {
        let fresh = self.core.circle().start().as_dead();
        self.storage.validate()?;
        self.storage.validate_blocks(fresh)?;
        self.core.validate_within(self.capacity_max(), &self.storage)?;
        self.growth.validate(self.storage.place().block_count(), self.max_blocks())
    }
}
