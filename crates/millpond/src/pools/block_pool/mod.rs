//! [`BlockPool`], which grows without moving a value, and what its methods return.

mod builder;
mod faces;
mod growth;
mod iter;
mod overflow;
#[cfg(feature = "serde")]
mod saved;
mod snapshot;
mod traits;

pub use crate::pools::faces::Handles;
pub use crate::pools::growing::ReserveError;
pub use crate::values::{BlockRuns as ValueRuns, BlockRunsMut as ValueRunsMut};
pub use builder::BlockPoolBuilder;
pub use faces::{Drain, ExtractIf, IntoIter, Iter, IterMut, VacantEntry};
pub use iter::{Values, ValuesMut};

use core::ops::RangeInclusive;

use crate::handle::{Handle, HandleLayout, Refusal, Word};
use crate::pools::growing::{CannotGrow, no_room};
use crate::reports::errors::{Full, FullPool};
use crate::slots::lifetimes::Lifetimes;
use crate::slots::reuse::{Lifo, ReuseOrder};
use crate::slots::{BlockSizes, Core};
use crate::values::{BlockStorage, Storage};
use growth::Growing;

/// A pool of values that grows block by block, up to an optional limit. No value ever moves, and
/// every handle stays valid.
///
/// Use it when the number of values is not known in advance, or varies a lot between levels: the
/// pool allocates what it needs, up to the limit, and can free it again. If the peak is known, a
/// [`Pool`](crate::Pool) of that capacity has the same methods, is a little faster, and never waits
/// for memory.
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
/// **Memory**: a new pool has none. Then the blocks double, from 4 slots on, or have the
/// [sizes](BlockPoolBuilder::block_sizes) set on the builder. Each slot takes, as in a
/// [`Pool`](crate::Pool), the value, a generation word (4 bytes; 2 with
/// [`Handle32`](crate::Handle32) of 16 or more index bits), one bit, and the [reuse
/// order](crate::reuse)'s data; each block takes 8 to 16 bytes more. Blocks that
/// [`reserve`](Self::reserve) allocates are touched at once. The system provides the pages of a
/// block that an insertion allocates when they are first used: no insertion waits for all of them,
/// and unused pages take no memory.
///
/// **Growth**: an insertion that finds no free slot allocates a block. At the limit, or without
/// memory, it is refused, and the error returns the value. Values stay where they are. The
/// generations, the occupancy and the reuse order, some 8 bytes per slot, move to an array of twice
/// the size when theirs is full, as a `Vec`'s elements do. [`reserve`](Self::reserve) allocates
/// blocks in advance, outside of play.
///
/// **Shrinking**: [`shrink_to_fit`](Self::shrink_to_fit) frees the empty blocks at the end; so does
/// a removal, if the pool was [built so](BlockPoolBuilder::give_back_beyond). With
/// [`LowestFirst`](crate::reuse::LowestFirst), values go to the lowest slots, so that the last
/// blocks run empty. The generations of freed slots stay, so that their handles stay stale.
///
/// **Time**: insert (without growth), get and remove are O(1), as in a `Pool`; each access first
/// looks up the value's block. Iterating costs what it costs in a
/// [`Pool`](crate::Pool).
///
/// **Safety**: as for [`Pool`](crate::Pool): a handle is valid for one lifetime of one slot. After
/// that, the pool refuses it, whether its block is still there, was freed, or was allocated again.
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

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    const fn without_blocks(sizes: BlockSizes, lifetimes: &Lifetimes, growth: Growing) -> Self {
        Self { storage: Storage::growing(sizes), core: Core::fresh(lifetimes), growth }
    }

    /// Returns a builder for pools with the reuse order and handle layout of `Self`, for use where
    /// the type is named.
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

    /// Returns the number of slots in the current blocks: live, free and retired.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.storage.words().slots()
    }

    /// Returns the largest number of slots that the pool may have: every index is below it.
    #[inline]
    #[must_use]
    pub fn capacity_max(&self) -> usize {
        self.growth.capacity_max::<H>(self.sizes())
    }

    /// Returns the size of the first block and of the largest, in slots: between the two, blocks
    /// double.
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

    /// Returns the largest number of blocks that the pool may have.
    #[inline]
    #[must_use]
    pub fn max_blocks(&self) -> usize {
        self.growth.max_blocks_of::<H>(self.sizes())
    }

    crate::pools::shell::watch_methods!("BlockPool", "capacity_max");

    crate::pools::shell::words_methods!(example "BlockPool::new()");

    /// Returns whether the pool is at its limit and every slot is live or retired, so that an
    /// insertion would fail even if there is memory. O(1).
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.core.is_full(self.storage.words())
            && self.growth.usable_beyond::<T, R, H>(&self.storage) == 0
    }

    crate::pools::shell::insert_methods!(
        core core, example "BlockPool::new()", full "BlockPool::with_blocks(1, 1)",
        cost "O(1) in every [reuse order](crate::reuse) but `NextFit`; amortised in `Lifo` once `insert_at` is used. \
              If no slot is free, the pool grows: O(slots of the new block), plus the global allocator's cost, and \
              sometimes a copy of some 8 bytes per slot.",
        error "If no slot is free and the pool is at its limit, or [memory runs out](Full::is_out_of_memory)."
    );

    crate::pools::shell::insert_at_method!(
        example "BlockPool::new()",
        cost "O(1) amortised, in every reuse order; see [`reuse`](crate::slots::reuse). If the slot does not exist, \
              the pool grows up to it, unless that takes more than the next block, more than twice the present \
              slots, and more than 4,096 slots: no handle from a damaged file makes it allocate out of proportion. \
              To load saved objects in any order, first [`reserve`](Self::reserve) the slots up to the highest index.",
        error "A slot beyond [`capacity_max`](Self::capacity_max) is \
               [`OutOfRange`](crate::InsertAtErrorKind::OutOfRange), one far beyond the others \
               [`TooFar`](crate::InsertAtErrorKind::TooFar), one without memory for its block \
               [`OutOfMemory`](crate::InsertAtErrorKind::OutOfMemory). After an error, the pool has the same blocks as before. ",
        beyond |pool, handle, check, is_near| pool.grow_up_to(handle, check, is_near)
    );

    /// Moves `value` into a slot like [`insert`](Self::insert), but returns the handle without a
    /// `Result`. This is for pools that only memory limits.
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
    /// If memory runs out, as with a `Vec`, or if the pool has a limit and is full.
    #[inline(always)]
    #[track_caller]
    pub fn push(&mut self, value: T) -> H {
        match self.insert(value) {
            Ok(handle) => handle,
            Err(full) => no_room(full.pool),
        }
    }

    /// Like [`insert`](Self::insert), but a full pool does not count as a refusal.
    #[inline(always)]
    #[track_caller]
    fn insert_if_room(&mut self, value: T) -> Result<H, (T, CannotGrow)> {
        self.inspect_next();
        let Self { storage, core, growth } = self;
        let inserted =
            storage.put_next(value, core, |storage, core| growth.take_beyond(storage, core));
        if let Ok(handle) = inserted {
            self.note_origin(handle.index() as usize);
        }
        inserted
    }

    #[cold]
    fn refuse<V>(&mut self, value: V, cause: CannotGrow) -> Full<V> {
        let pool = self.core.refuse(self.storage.words());
        let out_of_memory = cause == CannotGrow::OutOfMemory;
        Full { value, pool: FullPool { out_of_memory, ..pool } }
    }

    /// The handle that comes next, after growth if necessary.
    #[inline]
    #[track_caller]
    fn next_handle(&mut self) -> Result<H, CannotGrow> {
        self.inspect_next();
        let Self { storage, core, growth } = self;
        loop {
            match core.peek(storage) {
                Some(handle) => return Ok(handle),
                None => growth.grow_for_insertion(storage, core)?,
            }
        }
    }

    /// The word of slot `index`, which exists, existed, or may exist.
    fn word_of(&self, index: usize) -> H::Word {
        let fresh = || self.core.circle().start().as_dead();
        self.storage.place().known_word(index).unwrap_or_else(fresh)
    }

    crate::pools::shell::lookup_methods!(example "BlockPool::new()");

    /// Returns `Ok` if `handle` names a live object, and otherwise why it is refused. O(1).
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
        let word = (index < self.capacity_max()).then(|| self.word_of(index));
        self.core.check_word(handle, word, self.storage.words())
    }

    /// Moves the handle's value out, or returns `None` if the handle is refused. O(1). Every copy
    /// of `handle` is stale afterwards.
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
    #[track_caller]
    pub fn remove(&mut self, handle: H) -> Option<T> {
        self.note_removal(handle);
        let removed = self.storage.remove(handle, &mut self.core);
        // Without the value, which would come back by way of the stack.
        if removed.is_some() {
            self.give_back_by_rule();
        }
        removed
    }

    /// Moves the value out of slot `index`, or returns `None` if the slot is not live. O(1).
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

    crate::pools::shell::walk_methods!(
        example "BlockPool::new()", iterators Iter<'_, T, R, H>, IterMut<'_, T, R, H>, Handles<'_, R, H>,
        index_of "O(blocks)."
    );

    crate::pools::shell::moving_out_methods!(example "BlockPool::new()", after |pool| pool.give_back_by_rule());
}

crate::snapshot::snapshot_methods!(BlockPool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout], values T);

#[cfg(feature = "validate")]
impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// Checks every invariant; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), crate::reports::validate::Violation> {
        let fresh = self.core.circle().start().as_dead();
        self.storage.validate_blocks(fresh)?;
        self.core.validate(self.capacity_max(), &self.storage)
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;

    impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
        /// Breaks a rule that validation checks.
        pub(crate) fn miscount(&mut self) {
            self.core.count_eviction();
        }
    }

    #[test]
    fn validation_asks_what_knows_the_handles() {
        let mut pool = BlockPool::<u8>::with_blocks(2, 2);
        pool.validate().unwrap();
        pool.miscount();
        assert_eq!(pool.validate().unwrap_err().rule(), "the counters agree");
    }
}
