use super::growth::grow;
use super::{PackedRoster, PackedSlotPool};
use crate::base::memory::OutOfMemory;
use crate::handle::{Handle, HandleLayout};
use crate::pools::doubling::{Doubling, growing_pool};
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

growing_pool! {
    [T, H: HandleLayout] PackedVecPool<T, H>, T, H,
    example: "PackedVecPool", grow: |pool, slots| pool.grow(slots, true)
}
