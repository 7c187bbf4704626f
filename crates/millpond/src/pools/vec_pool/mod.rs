//! [`VecPool`], which grows as a `Vec` does, and what its methods return.

mod builder;
mod faces;
mod growth;
#[cfg(feature = "serde")]
mod saved;
mod traits;

pub use crate::pools::doubling::Doubling;
pub use crate::pools::faces::Handles;
pub use crate::pools::growing::ReserveError;
pub use crate::pools::pool::{Values, ValuesMut};
pub use crate::values::{ValueRuns, ValueRunsMut};
pub use builder::{OfVecPool, VecPoolBuilder};
pub use faces::{Drain, ExtractIf, IntoIter, Iter, IterMut, VacantEntry};

use crate::handle::{Handle, HandleLayout};
use crate::pools::pool::OneBlock;
use crate::pools::slot_pool::{Growing, SlotPool};
use crate::slots::Core;
use crate::slots::lifetimes::Lifetimes;
use crate::slots::reuse::{Lifo, ReuseOrder};
use crate::values::Storage;

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
///
/// # Methods
///
/// They are those of [`SlotPool`]; the page of [`Pool`](crate::Pool#methods) lists them by what they do. Its own: [`push`](Self::push), [`reserve`](Self::reserve), [`shrink_to_fit`](Self::shrink_to_fit), [`capacity_max`](Self::capacity_max).
pub type VecPool<T, R = Lifo, H = Handle<T>> =
    SlotPool<T, Growing<Doubling<<H as HandleLayout>::Word>>, R, H, OneBlock<T, R, H>>;

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Without slots and limits, computed at compile time.
    const EMPTY: Self = Self::without_slots(&Lifetimes::PLAIN, usize::MAX);

    const fn without_slots(lifetimes: &Lifetimes, slots_max: usize) -> Self {
        let growing = Growing(Doubling::up_to(slots_max));
        Self::of_parts(Storage::empty(), Core::fresh(lifetimes), growing)
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
