//! Whether a pool gets more slots, and how.

use super::PoolPlace;
use crate::base::OutOfMemory;
use crate::handle::HandleLayout;
use crate::pools::growing::CannotGrow;
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::reuse::ReuseOrder;
use crate::slots::{CheckWord, Core};
use crate::snapshot::Checksum;
use crate::values::Storage;

/// Whether a pool gets more slots, and how; by default, it does not. Sealed.
///
/// Each method says what a pool with this `storage` and `core` does where there are no slots, or no more.
#[doc(hidden)]
pub trait Growth<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>>: Clone {
    /// Whether a new pool touches every page of its memory.
    const TOUCHES: bool = true;

    /// The largest number of slots.
    #[inline]
    fn slots_max(&self, storage: &Storage<P>) -> usize {
        storage.words().slots()
    }

    /// The number of slots that there may be but are not now, and that have not retired.
    #[inline]
    fn usable_beyond(&self, _storage: &Storage<P>) -> usize {
        0
    }

    /// Makes room for an insertion, maybe in slots all of which have retired. On an error, nothing changes.
    #[inline]
    fn make_room(
        &mut self,
        _storage: &mut Storage<P>,
        _core: &mut Core<R, H>,
    ) -> Result<(), CannotGrow> {
        Err(CannotGrow::AtLimit)
    }

    /// Makes room for an insertion, and takes the slot that then comes next out of the order.
    #[inline(always)]
    fn take_beyond(
        &mut self,
        _storage: &mut Storage<P>,
        _core: &mut Core<R, H>,
    ) -> Result<usize, CannotGrow> {
        Err(CannotGrow::AtLimit)
    }

    /// Makes sure that the handle's slot exists and can begin the handle's lifetime by `check`; `is_near`: unless it is far
    /// beyond the others. On an error, nothing changes.
    fn grow_up_to(
        &mut self,
        _handle: H,
        _check: CheckWord<H::Word>,
        _is_near: bool,
        _storage: &mut Storage<P>,
        _core: &mut Core<R, H>,
    ) -> Result<(), InsertAtErrorKind> {
        Err(InsertAtErrorKind::OutOfRange)
    }

    /// The word of a slot that exists, existed or may exist.
    #[inline]
    fn word_of(&self, index: usize, storage: &Storage<P>, _core: &Core<R, H>) -> Option<H::Word> {
        storage.words().get(index)
    }

    /// Values were removed: the pool may give slots back.
    #[inline(always)]
    fn after_removal(&mut self, _storage: &mut Storage<P>, _core: &mut Core<R, H>) {}

    /// The number of slots that exist or existed, as far as the pool knows.
    fn known(&self, storage: &Storage<P>) -> usize {
        storage.words().slots()
    }

    /// Gives a pool as many slots as another has, whose state it is about to take on; the order is then out of date.
    fn become_like(
        &mut self,
        _storage: &mut Storage<P>,
        _core: &Core<R, H>,
        _other: &Self,
        _other_storage: &Storage<P>,
    ) -> Result<(), OutOfMemory> {
        Ok(())
    }

    /// The sizes of the first block and of the largest, which pools that take on each other's state have in common.
    fn block_sizes(&self, _storage: &Storage<P>) -> (usize, usize) {
        (0, 0)
    }

    /// Adds what the future depends on.
    fn add_to(&self, _storage: &Storage<P>, _sum: &mut Checksum) {}

    /// Checks what the pool knows of slots that are not there.
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    #[cfg(feature = "validate")]
    fn validate(
        &self,
        _storage: &Storage<P>,
        _core: &Core<R, H>,
    ) -> Result<(), crate::reports::validate::Violation> {
        Ok(())
    }
}

/// A pool that never gets more slots.
#[derive(Clone, Copy, Debug)]
pub struct Fixed;

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>> Growth<T, R, H, P> for Fixed {}

/// A pool that gets more slots, by these rules. A type of its own, so that the compiler and the pages of the documentation
/// tell from a pool's type alone what only growing pools have.
#[derive(Clone, Copy, Debug)]
pub struct Growing<S>(pub(in crate::pools) S);

/// What pools that get more slots do beside. Sealed.
#[doc(hidden)]
pub trait Grows<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>>:
    Growth<T, R, H, P>
{
    /// Retired slots among those that existed.
    fn retired_beyond(&self, storage: &Storage<P>) -> usize;

    /// Makes room for `missing` more values than there is, which the limit allows.
    fn reserve(
        &mut self,
        missing: usize,
        storage: &mut Storage<P>,
        core: &mut Core<R, H>,
    ) -> Result<(), OutOfMemory>;
}

#[cfg(any(feature = "blocks", feature = "vec"))]
mod growing_pools {
    use super::{Growing, Grows, Growth, PoolPlace};
    use crate::base::OutOfMemory;
    use crate::handle::HandleLayout;
    use crate::pools::growing::{ReserveError, no_room};
    use crate::pools::slot_pool::SlotPool;
    use crate::slots::reuse::ReuseOrder;

    impl<T, S, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>> SlotPool<T, Growing<S>, R, H, P>
    where
        Growing<S>: Grows<T, R, H, P>,
    {
        /// Returns the largest number of slots that the pool may have, its limit: every index is below it.
        ///
        /// ```
        /// # use millpond::VecPool;
        /// let pool = VecPool::<u8>::builder().capacity_max(100).build();
        /// assert_eq!((pool.capacity(), pool.capacity_max()), (0, 100));
        /// ```
        #[inline]
        #[must_use]
        pub fn capacity_max(&self) -> usize {
            self.growth.slots_max(&self.storage)
        }

        /// Moves `value` into a slot like [`insert`](Self::insert), but returns the handle without a
        /// `Result`. This is for pools that only memory limits.
        ///
        /// ```
        /// # use millpond::VecPool;
        /// let mut pool = VecPool::new();
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

        /// Makes sure that `additional` more values can be inserted without growth, so that growth happens before play
        /// and not during it. Every page of the new slots is touched. O(capacity). A `VecPool` at least doubles, up to
        /// its limit; a `BlockPool` allocates blocks.
        ///
        /// ```
        /// use millpond::{BlockPool, VecPool};
        ///
        /// let mut pool = VecPool::<[f32; 4]>::new();
        /// pool.reserve(3000)?;
        /// for _ in 0..3000 {
        ///     pool.push([0.0; 4]); // takes no memory
        /// }
        /// assert_eq!(pool.capacity(), 3000);
        ///
        /// let mut pool = BlockPool::<[f32; 4]>::with_blocks(1024, 64);
        /// pool.reserve(3000)?;
        /// assert_eq!(pool.capacity(), 3 * 1024);
        /// # Ok::<(), millpond::vec_pool::ReserveError>(())
        /// ```
        ///
        /// # Errors
        ///
        /// If the slots would exceed the pool's limit, or memory runs out. The pool is then as before, but for the blocks
        /// that a `BlockPool` has already allocated.
        pub fn reserve(&mut self, additional: usize) -> Result<(), ReserveError> {
            let missing = additional.saturating_sub(self.storage.words().vacant());
            if missing == 0 {
                return Ok(());
            }
            let Self { storage, core, growth, .. } = self;
            let reserved = match missing <= growth.usable_beyond(storage) {
                true => growth.reserve(missing, storage, core).map_err(|OutOfMemory| true),
                false => Err(false),
            };
            reserved.map_err(|out_of_memory| ReserveError {
                name: self.name(),
                additional,
                live: self.len(),
                retired: self.storage.words().retired() + self.growth.retired_beyond(&self.storage),
                capacity_max: self.capacity_max(),
                out_of_memory,
            })
        }
    }

    /// Inserts all values with [`push`](Self::push).
    ///
    /// ```
    /// use millpond::VecPool;
    ///
    /// let mut pool = VecPool::new();
    /// pool.extend(["a", "b"]);
    /// let pool: VecPool<i32> = (0..9).collect();
    /// assert_eq!(pool.values().sum::<i32>(), 36);
    /// ```
    ///
    /// # Panics
    ///
    /// If [`push`](Self::push) does; the values inserted so far stay.
    impl<T, S, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>> Extend<T>
        for SlotPool<T, Growing<S>, R, H, P>
    where
        Growing<S>: Grows<T, R, H, P>,
    {
        fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
            let values = values.into_iter();
            // `push` reports values for which there is no room.
            let _ = self.reserve(values.size_hint().0);
            values.for_each(|value| _ = self.push(value));
        }
    }

    /// Inserts all values into a [default](Self::default) pool, with their slots in iteration
    /// order.
    impl<T, S, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>> FromIterator<T>
        for SlotPool<T, Growing<S>, R, H, P>
    where
        Growing<S>: Grows<T, R, H, P>,
        Self: Default,
    {
        fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
            let mut pool = Self::default();
            pool.extend(values);
            pool
        }
    }
}
