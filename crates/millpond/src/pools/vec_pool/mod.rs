//! [`VecPool`], which grows as a `Vec` does, and what its methods return.

mod builder;
mod faces;
mod growth;
mod overflow;
#[cfg(feature = "serde")]
mod saved;
mod snapshot;
mod traits;

pub use crate::pools::faces::{Handles, Values, ValuesMut};
pub use crate::pools::growing::ReserveError;
pub use crate::values::{ValueRuns, ValueRunsMut};
pub use builder::VecPoolBuilder;
pub use faces::{Drain, ExtractIf, IntoIter, Iter, IterMut, VacantEntry};

use crate::handle::{Handle, HandleLayout, Refusal};
use crate::pools::growing::{CannotGrow, no_room};
use crate::reports::errors::{Full, FullPool};
use crate::slots::Core;
use crate::slots::lifetimes::Lifetimes;
use crate::slots::reuse::{Lifo, ReuseOrder, Roster, roster};
use crate::values::{PoolStorage, Storage};
use growth::Growing;

/// A pool of values that grows as a `Vec` does: the values are in one array, and move to one of twice the size when it
/// is full. Handles stay valid; addresses change when the pool grows.
///
/// Use it when the number of values is not known in advance, and nothing but handles refers to them: borrows end before
/// the next insertion anyway. If values must keep their address while the pool grows, or an insertion must never wait
/// for a copy of all values, take a [`BlockPool`](crate::BlockPool). If the peak is known, a [`Pool`](crate::Pool) of
/// that capacity has the same methods and the same speed, and never waits for memory.
///
/// ```text
/// handle 2v3 ──▶ index 2, generation 3
///                     │
///   values       [ a ][   ][ c ][ d ]                    as in a `Pool`, one array
///                  │         │    │
///                  ▼         ▼    ▼   two more insertions
///   values       [ a ][ e ][ c ][ d ][ f ][   ][   ][   ]     at another address, with the same handles
/// ```
///
/// **Memory**: a new pool has none. Then it takes 4 slots, and doubles whenever it is full, in one block of memory as in
/// a [`Pool`](crate::Pool), with as many bytes per slot and fewer than 64 that align the values. To grow, it asks the
/// allocator to enlarge the block (`realloc`), as `Vec` does: only one that copies the values has both at the same time.
/// The system provides the pages of slots that an insertion or a clone allocates when they are first used;
/// [`reserve`](Self::reserve) touches them at once.
///
/// **Growth**: an insertion that finds no free slot doubles them: O(capacity), and O(1) on average. A large block's values
/// are not copied where the system can move their pages (Linux); the slots' words, some 8 bytes each, are always. At the
/// limit, or without memory, the insertion is refused, the error returns the value, and the pool is as before.
/// [`reserve`](Self::reserve) allocates in advance, outside of play.
///
/// **Shrinking**: [`shrink_to_fit`](Self::shrink_to_fit) frees the slots after the last live one. The generations of
/// freed slots stay, so that their handles stay stale.
///
/// **Time**: insert (without growth), get, remove and iteration cost what they cost in a [`Pool`](crate::Pool).
///
/// **Safety**: as for [`Pool`](crate::Pool): a handle is valid for one lifetime of one slot. After that, the pool
/// refuses it, whether its slot is still there, was freed, or was allocated again.
///
/// ```
/// use millpond::VecPool;
///
/// let mut ships = VecPool::new();
/// assert_eq!(ships.capacity(), 0);
/// let cutter = ships.push("cutter");
/// assert_eq!(ships.capacity(), 4);
///
/// for _ in 0..200 {
///     ships.push("barge");
/// }
/// assert_eq!(ships.capacity(), 256);
/// assert_eq!(ships[cutter], "cutter"); // moved six times, and found
///
/// ships.retain(|handle, _| handle == cutter);
/// ships.shrink_to_fit();
/// assert_eq!((ships.capacity(), ships[cutter]), (1, "cutter"));
/// ```
pub struct VecPool<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    /// The order in `core` has each slot that is vacant in `storage`, but while one of the methods below
    /// is on its way between the two, where no user code runs.
    storage: PoolStorage<T, R, H>,
    core: Core<R, H>,
    growing: Growing<H::Word>,
}

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Without slots and limits, computed at compile time.
    const EMPTY: Self = Self::without_slots(&Lifetimes::PLAIN, usize::MAX);

    const fn without_slots(lifetimes: &Lifetimes, slots_max: usize) -> Self {
        let growing = Growing::up_to(slots_max);
        Self { storage: Storage::empty(), core: Core::fresh(lifetimes), growing }
    }

    /// Creates a pool with the reuse order and handle layout of `Self`, which can have `capacity` values before it
    /// grows. Every page is touched.
    ///
    /// ```
    /// use millpond::reuse::LowestFirst;
    /// use millpond::VecPool;
    ///
    /// let mut pool: VecPool<u32, LowestFirst> = VecPool::with_capacity(10);
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

    crate::pools::shell::typed_builder_method!(VecPoolBuilder<T, R, H>, example "VecPool<u8, reuse::Fifo, Key>", ".build()");

    /// Returns the number of slots now: live, free and retired.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.storage.words().slots()
    }

    /// Returns the largest number of slots that the pool may have: every index is below it.
    #[inline]
    #[must_use]
    pub fn capacity_max(&self) -> usize {
        self.growing.slots_max::<H>()
    }

    crate::pools::shell::watch_methods!("VecPool", "capacity");

    crate::pools::shell::words_methods!(example "VecPool::new()");

    /// Returns whether the pool is at its limit and every slot is live or retired, so that an
    /// insertion would fail even if there is memory. O(1), or O(slots freed by
    /// [`shrink_to_fit`](Self::shrink_to_fit)).
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.core.is_full(self.storage.words())
            && self.growing.usable_beyond::<H>(self.capacity()) == 0
    }

    crate::pools::shell::insert_methods!(
        core core, example "VecPool::new()", full "VecPool::builder().capacity_max(1).build()",
        cost "O(1) in every [reuse order](crate::reuse) but `NextFit`; amortised in `Lifo` once `insert_at` is used. \
              If no slot is free, the pool grows: O(capacity), plus the global allocator's cost.",
        error "If no slot is free and the pool is at its limit, or [memory runs out](Full::is_out_of_memory)."
    );

    crate::pools::shell::insert_at_method!(
        example "VecPool::new()",
        cost "O(1) amortised, in every reuse order; see [`reuse`](crate::slots::reuse). If the slot does not exist, \
              the pool grows up to it, unless that takes more than twice the present slots, and more than 4,096 slots: \
              no handle from a damaged file makes it allocate out of proportion. \
              To load saved objects in any order, first [`reserve`](Self::reserve) the slots up to the highest index.",
        error "A slot beyond [`capacity_max`](Self::capacity_max) is \
               [`OutOfRange`](crate::InsertAtErrorKind::OutOfRange), one far beyond the others \
               [`TooFar`](crate::InsertAtErrorKind::TooFar), one without memory for it \
               [`OutOfMemory`](crate::InsertAtErrorKind::OutOfMemory). After an error, the pool is as before. ",
        beyond |pool, handle, check, is_near| pool.grow_up_to(handle, check, is_near)
    );

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

    /// Like [`insert`](Self::insert), but a full pool does not count as a refusal.
    #[inline(always)]
    #[track_caller]
    fn insert_if_room(&mut self, value: T) -> Result<H, (T, CannotGrow)> {
        self.inspect_next();
        let Self { storage, core, growing } = self;
        let inserted =
            storage.put_next(value, core, |storage, core| growing.take_beyond(storage, core));
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
        let Self { storage, core, growing } = self;
        if let Some(handle) = core.peek(storage) {
            return Ok(handle);
        }
        growing.make_room(storage, core)?;
        Ok(core.peek(storage).expect("there is room"))
    }

    crate::pools::shell::lookup_methods!(example "VecPool::new()");

    /// Returns `Ok` if `handle` names a live object, and otherwise why it is refused. O(1).
    ///
    /// ```
    /// use millpond::{Handle, Refusal, VecPool};
    ///
    /// let mut pool = VecPool::builder().capacity_max(16).build();
    /// let handle = pool.push("ship");
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

    crate::pools::shell::remove_methods!(example "VecPool::new()");

    crate::pools::shell::walk_methods!(
        example "VecPool::new()", iterators Iter<'_, T, R, H>, IterMut<'_, T, R, H>, Handles<'_, R, H>,
        index_of "O(1)."
    );

    crate::pools::shell::moving_out_methods!(example "VecPool::new()");

    pub(crate) fn storage(&self) -> &PoolStorage<T, R, H> {
        &self.storage
    }

    pub(crate) fn storage_mut(&mut self) -> &mut PoolStorage<T, R, H> {
        &mut self.storage
    }
}

crate::snapshot::snapshot_methods!(VecPool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout], values T);

#[cfg(feature = "validate")]
impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Checks every invariant; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), crate::reports::validate::Violation> {
        self.core.validate(self.capacity_max(), &self.storage)?;
        self.growing.validate::<H>(self.capacity())
    }
}

impl<T, H: HandleLayout> VecPool<T, Roster, H> {
    /// Returns the indices of the live slots, in the roster's order: those before the partition.
    ///
    /// ```
    /// use millpond::reuse::Roster;
    /// use millpond::VecPool;
    ///
    /// let mut pool: VecPool<char, Roster> = ['a', 'b', 'c'].into_iter().collect();
    /// pool.remove_at(0);
    /// assert_eq!(pool.live_slots(), [2, 1]); // the last live one took the place of the removed one
    /// ```
    #[must_use]
    pub fn live_slots(&self) -> &[H::Index] {
        &roster(self.storage.words())[..self.len()]
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;

    #[test]
    fn validation_asks_what_knows_the_handles() {
        let mut pool = VecPool::<u8>::with_capacity(3);
        pool.validate().unwrap();
        pool.core.count_eviction();
        assert_eq!(pool.validate().unwrap_err().rule(), "the counters agree");
    }
}
