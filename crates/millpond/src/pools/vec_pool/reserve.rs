//! Insertion without a `Result`, room in advance, and what collects values.

use super::VecPool;
use crate::base::memory::OutOfMemory;
use crate::handle::HandleLayout;
use crate::pools::doubling::{ReserveError, no_room};
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
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
        self.growth.limit::<H>()
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
    /// and not during it. Every page of the new slots is touched. The pool at least doubles, up to its limit. O(capacity).
    ///
    /// ```
    /// use millpond::VecPool;
    ///
    /// let mut pool = VecPool::<[f32; 4]>::new();
    /// pool.reserve(3000)?;
    /// for _ in 0..3000 {
    ///     pool.push([0.0; 4]); // takes no memory
    /// }
    /// assert_eq!(pool.capacity(), 3000);
    /// # Ok::<(), millpond::vec_pool::ReserveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the slots would exceed the pool's limit, or memory runs out. The pool is then as before.
    pub fn reserve(&mut self, additional: usize) -> Result<(), ReserveError> {
        let missing = additional.saturating_sub(self.storage.words().vacant());
        if missing == 0 {
            return Ok(());
        }
        let Self { storage, growth, .. } = self;
        let (slots, retired) = (storage.words().slots(), growth.retired_beyond());
        let reserved = match missing <= growth.room_beyond::<H>(slots) {
            true => {
                let slots = growth.slots_with_room_for::<H>(slots, missing, size_of::<T>());
                growth.grow(slots, storage, true).map_err(|OutOfMemory| true)
            }
            false => Err(false),
        };
        reserved.map_err(|out_of_memory| ReserveError {
            name: self.name(),
            additional,
            live: self.len(),
            retired: self.storage.words().retired() + retired,
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
impl<T, R: ReuseOrder, H: HandleLayout> Extend<T> for VecPool<T, R, H> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        let values = values.into_iter();
        // `push` reports values for which there is no room.
        let _ = self.reserve(values.size_hint().0);
        values.for_each(|value| _ = self.push(value));
    }
}

/// Creates an empty pool that has not allocated, with any reuse order and handle layout; see [`VecPool::new`].
impl<T, R: ReuseOrder, H: HandleLayout> Default for VecPool<T, R, H> {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Inserts all values into a [default](Self::default) pool, with their slots in iteration order.
impl<T, R: ReuseOrder, H: HandleLayout> FromIterator<T> for VecPool<T, R, H> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut pool = Self::default();
        pool.extend(values);
        pool
    }
}
