use super::growth::grow;
use super::{PackedRoster, PackedSlotPool};
use crate::base::memory::OutOfMemory;
use crate::handle::{Handle, HandleLayout};
use crate::pools::doubling::{Doubling, ReserveError, no_room};
use crate::slots::generation_settings::GenerationSettings;
use crate::values::packed::PackedValues;

/// A [`PackedPool`](crate::PackedPool) that grows as a `Vec` does: the values are always one slice without holes, which
/// moves to twice the room when it is full. Handles stay valid.
///
/// Use it where you would use a `PackedPool` but do not know how many values there will be. If you know the peak, a
/// `PackedPool` of that capacity has the same methods and the same speed, and never waits for memory.
///
/// **Memory**: a new pool has none. Then it takes 4 slots, and doubles whenever it is full. Each slot takes what it takes in
/// a `PackedPool`: `size_of::<T>()` + 16 bytes with the defaults. The values, the handles and the generations are three
/// arrays. To grow, the pool asks the allocator to enlarge each (`realloc`), as `Vec` does: only one that copies an array
/// has it twice at the same time. The system provides the pages of values that an insertion allocates when they are first
/// used; [`reserve`](Self::reserve) touches them at once.
///
/// **Growth**: an insertion that finds no free slot doubles them: O(capacity), and O(1) on average. A large array is not
/// copied where the system can move its pages (Linux); the new slots' handles and generations, 16 bytes each, are always
/// written. At the limit, or without memory, the insertion is refused, the error returns the value, and the pool is as
/// before. [`reserve`](Self::reserve) allocates in advance, outside of play.
///
/// **Shrinking**: [`shrink_to_fit`](Self::shrink_to_fit) frees the slots after the last live one. The generations of
/// freed slots stay, so that their handles stay stale.
///
/// **Time**: insert (without growth), get, remove and iteration cost what they cost in a `PackedPool`, and the slot freed
/// last is reused first.
///
/// **Safety**: as for [`PackedPool`](crate::PackedPool): a handle is valid for one lifetime of one slot. After that, the pool
/// refuses it, whether its slot is still there, was freed, or was allocated again.
///
/// ```
/// use millpond::PackedVecPool;
///
/// let mut sparks = PackedVecPool::new();
/// assert_eq!(sparks.capacity(), 0);
/// let red = sparks.push("red");
/// assert_eq!(sparks.capacity(), 4);
///
/// for _ in 0..200 {
///     sparks.push("grey");
/// }
/// assert_eq!((sparks.capacity(), sparks.as_slice().len()), (256, 201));
/// assert_eq!(sparks[red], "red"); // moved six times, and found
///
/// sparks.retain(|handle, _| handle == red);
/// sparks.shrink_to_fit();
/// assert_eq!((sparks.capacity(), sparks.as_slice()), (1, &["red"][..]));
/// ```
///
/// # Methods
///
/// They are those of [`PackedSlotPool`], as a `PackedPool` has them. Its own: [`push`](Self::push),
/// [`reserve`](Self::reserve), [`shrink_to_fit`](Self::shrink_to_fit), [`compact`](Self::compact),
/// [`capacity_max`](Self::capacity_max).
pub type PackedVecPool<T, H = Handle<T>> =
    PackedSlotPool<T, Doubling<<H as HandleLayout>::Word>, H>;

impl<T, H: HandleLayout> PackedVecPool<T, H> {
    /// Without slots and limits, computed at compile time.
    pub(super) const EMPTY: Self = Self::without_slots(&GenerationSettings::PLAIN, usize::MAX);

    pub(super) const fn without_slots(settings: &GenerationSettings, slots_max: usize) -> Self {
        Self {
            roster: PackedRoster::empty(settings),
            values: PackedValues::empty(),
            growth: Doubling::up_to(slots_max),
        }
    }

    /// Creates a pool with the handle layout of `Self`, which can have `capacity` values before it grows. Every page is
    /// touched.
    ///
    /// ```
    /// use millpond::{Handle32, PackedVecPool};
    ///
    /// let mut pool: PackedVecPool<u32, Handle32<u32>> = PackedVecPool::with_capacity(10);
    /// assert_eq!(pool.capacity(), 10);
    /// pool.extend(0..11);
    /// assert_eq!(pool.capacity(), 20);
    /// ```
    ///
    /// # Panics
    ///
    /// If the handle layout cannot name that many slots, or there is not enough memory for them.
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::typed_builder().capacity(capacity).build()
    }

    /// Returns the largest number of slots that the pool may have, its limit: every index is below it.
    ///
    /// ```
    /// # use millpond::PackedVecPool;
    /// let pool = PackedVecPool::<u8>::builder().capacity_max(100).build();
    /// assert_eq!((pool.capacity(), pool.capacity_max()), (0, 100));
    /// ```
    #[inline]
    #[must_use]
    pub fn capacity_max(&self) -> usize {
        self.slots_max()
    }

    /// Moves `value` into a slot like [`insert`](Self::insert), but returns the handle without a
    /// `Result`. This is for pools that only memory limits.
    ///
    /// ```
    /// # use millpond::PackedVecPool;
    /// let mut pool = PackedVecPool::new();
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
    /// and not during it. If there is not enough room, the pool at least doubles, up to its limit. Every page of the new
    /// slots is touched. O(capacity).
    ///
    /// ```
    /// use millpond::PackedVecPool;
    ///
    /// let mut pool = PackedVecPool::<[f32; 4]>::new();
    /// pool.reserve(3000)?;
    /// for _ in 0..3000 {
    ///     pool.push([0.0; 4]); // takes no memory
    /// }
    /// assert_eq!(pool.capacity(), 3000);
    /// # Ok::<(), millpond::packed::ReserveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the slots would exceed the pool's limit, or memory runs out. The pool is then as before.
    pub fn reserve(&mut self, additional: usize) -> Result<(), ReserveError> {
        let (slots, live, retired) = (self.capacity(), self.len(), self.stats().retired);
        let missing = additional.saturating_sub(slots - live - retired);
        if missing == 0 {
            return Ok(());
        }
        let error = |pool: &Self, out_of_memory| ReserveError {
            name: pool.name(),
            additional,
            live,
            retired: retired + pool.growth.retired_beyond(),
            capacity_max: pool.capacity_max(),
            out_of_memory,
        };
        if missing > self.usable_beyond() {
            return Err(error(self, false));
        }
        let needed = self.growth.slots_with_room_for::<H::Erased>(slots, missing, size_of::<T>());
        self.grow(needed, true).map_err(|OutOfMemory| error(self, true))
    }

    /// Frees the slots after the last live one, and returns how many. O(capacity), plus the cost of the global
    /// allocator: the other slots and the values move to smaller arrays. Where live slots are scattered, it frees little.
    /// Slots of [detached](Self::detach) values stay, as do those before them.
    ///
    /// 4 bytes for each freed slot that was ever used stay allocated (2 with [`Handle32`](crate::Handle32) of 16 or
    /// more index bits), so that handles stay stale for ever, even once the slot exists again. If there is no memory
    /// for the smaller arrays, nothing happens.
    ///
    /// ```
    /// use millpond::PackedVecPool;
    ///
    /// let mut pool = PackedVecPool::new();
    /// let handles: Vec<_> = (0..200).map(|i| pool.push(i)).collect();
    /// assert_eq!(pool.capacity(), 256);
    /// for handle in &handles[10..] {
    ///     pool.remove(*handle);
    /// }
    /// assert_eq!(pool.shrink_to_fit(), 246);
    /// assert_eq!(pool.capacity(), 10);
    ///
    /// let value = pool.detach(handles[9]).unwrap();
    /// pool.clear();
    /// assert_eq!(pool.shrink_to_fit(), 0); // slot 9 is kept
    /// pool.reattach(handles[9], value).unwrap();
    ///
    /// pool.reserve(200).unwrap();
    /// assert!(!pool.contains(handles[199]));
    /// ```
    pub fn shrink_to_fit(&mut self) -> usize {
        let (slots, kept) = (self.capacity(), self.roster.needed_until());
        self.try_shrink(kept).map_or(0, |()| slots - kept)
    }

    /// Moves to this many slots, at most as many as there are; the others are dead, and none is kept for a value that is out.
    fn try_shrink(&mut self, kept: usize) -> Result<(), OutOfMemory> {
        if kept == self.capacity() {
            return Ok(());
        }
        let unused = self.roster.unused_word();
        let former = self.growth.with_freed(self.roster.words_from(kept), unused)?;
        let room = PackedRoster::<H::Erased>::try_room(kept)?;
        self.values.try_shrink(kept)?;
        self.growth.keep(former);
        self.roster.shrink(kept, room);
        Ok(())
    }

    pub(super) fn grow(&mut self, slots: usize, touch: bool) -> Result<(), OutOfMemory> {
        let Self { roster, values, growth } = self;
        grow(growth, roster, values, slots, touch)
    }
}

/// Creates an empty pool that has not allocated, with any handle layout; see [`PackedVecPool::new`].
impl<T, H: HandleLayout> Default for PackedVecPool<T, H> {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Inserts all values with [`push`](Self::push).
///
/// ```
/// use millpond::PackedVecPool;
///
/// let mut pool = PackedVecPool::new();
/// pool.extend(["a", "b"]);
/// let pool: PackedVecPool<i32> = (0..9).collect();
/// assert_eq!(pool.values().sum::<i32>(), 36);
/// ```
///
/// # Panics
///
/// If [`push`](Self::push) does; the values inserted so far stay.
impl<T, H: HandleLayout> Extend<T> for PackedVecPool<T, H> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        let values = values.into_iter();
        // `push` reports values for which there is no room.
        let _ = self.reserve(values.size_hint().0);
        values.for_each(|value| _ = self.push(value));
    }
}

/// Inserts all values into an empty pool, with their slots in iteration order.
impl<T, H: HandleLayout> FromIterator<T> for PackedVecPool<T, H> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut pool = Self::default();
        pool.extend(values);
        pool
    }
}
