//! [`VecPool`], which grows as a `Vec` does, and what its methods return.

mod builder;
mod compact;
mod growth;

pub use crate::pools::doubling::Doubling;
pub use crate::pools::doubling::{Growing, ReserveError};
pub use crate::pools::iterators::{Handles, Values, ValuesMut};
pub use crate::values::{ValueRuns, ValueRunsMut};
pub use builder::VecPoolBuilder;

use crate::handle::{Handle, HandleLayout};
use crate::pools::doubling::growing_pool;
use crate::pools::iterators;
use crate::pools::pool::OneBlock;
use crate::pools::slot_pool::SlotPool;
use crate::pools::unused::{UnusedSlots, slots_of_capacity};
use crate::slots::Ledger;
use crate::slots::generation_settings::GenerationSettings;
use crate::slots::reuse::{Lifo, ReuseOrder};
use crate::values::Storage;

/// A pool that grows as a `Vec` does: when it is full, its values move to an array of twice the size. Handles stay valid;
/// addresses change.
///
/// Use it if you do not know how many values there will be, and refer to them only by handle. If you know the peak, use a
/// [`Pool`](crate::Pool) of that capacity: it has the same methods and the same speed, and never stops to grow. If only a
/// limit is known and values must stay where they are, build a `Pool` with
/// [`untouched`](crate::PoolBuilder::untouched) memory.
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
/// **Memory**: a new pool allocates nothing, the first insertion 1 to 4 slots: as many as have their values in 64 bytes. From the
/// second growth on, there are at least 4. They are in one block, with as many bytes per slot as in a [`Pool`](crate::Pool). The pool itself takes 216 bytes on 64 bits
/// (8 more with each of the features `recorder` and `debug-aids`): thousands of pools with one value of 48 bytes take 288 bytes
/// each. The pool grows by `realloc`, as `Vec` does; a block of up to 1 KiB moves. If the values have to be copied, the old and
/// the new block exist at the same time.
///
/// **Growth**: an insertion into a full pool doubles the slots: O(capacity), and O(1) on average. On Linux, the system moves
/// the pages of a large block, so the values are not copied; some 8 bytes per slot always are. If the pool may not grow or
/// memory runs out, the insertion returns the value in an error, and the pool is unchanged. To avoid growth during play,
/// call [`reserve`](Self::reserve) first: it also touches all pages, which an insertion leaves to the values that come.
///
/// **Shrinking**: [`shrink_to_fit`](Self::shrink_to_fit) frees the slots after the last live one. The pool keeps their
/// generations, so their old handles stay stale when it grows again. [`compact`](Self::compact) first moves objects into the
/// lowest slots, and says which handle became which.
///
/// **Time**: apart from growth, everything costs what it costs in a [`Pool`](crate::Pool).
///
/// **Safety**: as in a [`Pool`](crate::Pool), a handle is rejected once its object is removed, also after its slot was freed
/// and allocated again.
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
/// | to | |
/// | --- | --- |
/// | create | [`new`](Self::new), [`with_capacity`](Self::with_capacity), [`builder`](Self::builder), [`typed_builder`](Self::typed_builder) |
/// | grow and shrink | [`push`](Self::push), [`reserve`](Self::reserve), [`shrink_to_fit`](Self::shrink_to_fit), [`compact`](Self::compact), [`capacity_max`](Self::capacity_max) |
#[doc = include_str!("../slot_pool/methods.md")]
/// | list the live slots, in the order [`Roster`](crate::reuse::Roster) | [`live_slots`](Self::live_slots) |
/// | use many threads | [`par_iter`](Self::par_iter), [`par_iter_mut`](Self::par_iter_mut), [`par_values`](Self::par_values), [`par_values_mut`](Self::par_values_mut), [`par_runs`](Self::par_runs), [`par_runs_mut`](Self::par_runs_mut) |
///
/// `VecPool` is a name of the struct [`SlotPool`], to whose page the links lead. Without JavaScript, the rest of this page
/// shows only some of the methods.
pub type VecPool<T, R = Lifo, H = Handle<T>> =
    SlotPool<T, Doubling<<H as HandleLayout>::Word>, R, H, OneBlock<R, H>>;

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Without slots and limits, computed at compile time.
    #[expect(clippy::declare_interior_mutable_const, reason = "each use is a pool of its own")]
    const EMPTY: Self = Self::without_slots(&GenerationSettings::PLAIN, usize::MAX);

    const fn without_slots(settings: &GenerationSettings, slots_max: usize) -> Self {
        let start = settings.start(settings.generation_max::<H>());
        let storage = Storage::empty(start, Ledger::fresh(settings));
        Self::of_parts(storage, Doubling::up_to(slots_max))
    }

    fn of_unused(slots: UnusedSlots<R, H::Erased>, slots_max: usize) -> Self {
        Self::of_parts(Storage::of_unused(slots), Doubling::up_to(slots_max))
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
        match capacity {
            0 => Self::EMPTY,
            _ => {
                let slots = slots_of_capacity(capacity, Storage::<T, OneBlock<R, H>>::VALUE);
                Self::of_unused(slots, usize::MAX)
            }
        }
    }
}

growing_pool! {
    [T, R: ReuseOrder, H: HandleLayout] VecPool<T, R, H>, T, H,
    example: "VecPool",
    grow: |pool, slots| pool.storage.lend_to_grow(|own| pool.growth.grow(slots, own, true)),
}

/// The free slot reserved for a pool's next value; returned by [`VecPool::vacant_entry`].
pub type VacantEntry<'a, T, R = Lifo, H = Handle<T>> = iterators::VacantEntry<'a, VecPool<T, R, H>>;

/// An iterator over a pool's handles and values in index order; returned by [`VecPool::iter`].
pub type Iter<'a, T, R = Lifo, H = Handle<T>> = iterators::Iter<'a, T, R, H>;

/// An iterator over a pool's handles and mutable values in index order; returned by
/// [`VecPool::iter_mut`].
pub type IterMut<'a, T, R = Lifo, H = Handle<T>> = iterators::IterMut<'a, T, R, H>;

/// An iterator that moves all values out of a pool in index order; returned by [`VecPool::drain`].
pub type Drain<'a, T, R = Lifo, H = Handle<T>> = iterators::Drain<'a, VecPool<T, R, H>>;

/// An iterator that moves chosen values out of a pool in index order; returned by
/// [`VecPool::extract_if`].
pub type ExtractIf<'a, T, R, H, F> = iterators::ExtractIf<'a, VecPool<T, R, H>, F>;

/// An iterator over the values of a pool that it owns, in index order.
pub type IntoIter<T, R = Lifo, H = Handle<T>> = iterators::IntoIter<VecPool<T, R, H>>;

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;

    #[test]
    fn validation_asks_what_knows_the_handles() {
        let mut pool = VecPool::<u8>::with_capacity(3);
        pool.validate().unwrap();
        pool.storage.slots_mut().count_eviction();
        assert_eq!(pool.validate().unwrap_err().rule(), "the counters agree");
    }
}
