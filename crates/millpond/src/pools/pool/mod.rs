//! [`Pool`], whose values stay at their address, and what its methods return.

#[allow(unsafe_code)]
mod builder;
mod traits;
#[cfg(feature = "lots")]
mod upcoming;

pub use crate::pools::iterators::{Handles, Values, ValuesMut};
#[doc(hidden)]
pub use crate::pools::unused::OneBlock;
pub use crate::values::{ValueRuns, ValueRunsMut};
pub use builder::{OfPool, PoolBuilder};

use crate::handle::{Handle, HandleLayout};
use crate::pools::iterators;
use crate::pools::settings::{BuildError, Settings};
use crate::pools::slot_pool::{Fixed, Growth, SlotPool, Slotted};
use crate::pools::unused::{UnusedSlots, slots_of_capacity};
use crate::slots::Block;
use crate::slots::reuse::{Lifo, ReuseOrder, Roster, roster};
use crate::snapshot::SnapshotOf;
use crate::values::Storage;

/// A pool with a fixed number of slots. A value stays at its address from insertion to removal.
///
/// ```text
/// handle 2v3 ──▶ index 2, generation 3
///                     │
///   values       [ a ][   ][ c ][ d ][   ]…    one array, nothing ever moves
///   generations  [ 1 ][ †2][ 3 ][ 1 ][ †9]…    3 = 3: the handle is good († dead)
///   occupancy      1    0    1    1    0       runs: 0..1, 2..4
///   free stack   [ 4 ][ 1 ]                    the next value goes to slot 1
/// ```
///
/// **Memory**: one block, allocated and touched when you create the pool. You can also pass [memory of your
/// own](PoolBuilder::build_in). A slot takes the value, 4 bytes for its generation, 4.06 bytes for the [reuse
/// order](crate::reuse), and one bit: a `Pool<[f32; 4]>` needs 24.2 bytes per slot. (2 bytes hold a generation of
/// [`Handle32`](crate::Handle32) with 16 or more index bits. Aligning the values takes up to 63 bytes per pool.)
///
/// **Time**: insert, get and remove are O(1). Iteration reads a bitmap of live slots, 64 slots at a time, and runs a plain
/// loop over adjacent live slots: O(capacity / 64 + live).
///
/// The bitmap is not updated while many objects come and go. The next mutable iteration rebuilds it, and a shared one
/// reads the generations instead. Both are O(capacity): 0.05 to 0.5 ns per slot, depending on the caches. Once an
/// iteration, shared or mutable, finds only few changes since the one before, it rebuilds the bitmap if necessary, and
/// insertions and removals keep it up to date.
///
/// **Safety**: a handle is valid from the insertion of its object until the removal. After that the pool rejects it,
/// whatever reuses the slot. It becomes valid again only if you ask for it: with [`revive`](Self::revive), with
/// [`reattach`](Self::reattach), with [`restore`](Self::restore), or by building the pool [to wrap](PoolBuilder::wrap).
///
/// ```
/// use millpond::Pool;
///
/// let mut ships = Pool::new(100);
/// let cutter = ships.insert("cutter").unwrap();
/// let barge = ships.insert("barge").unwrap();
///
/// assert_eq!(ships[cutter], "cutter");
/// assert_eq!(ships.remove(cutter), Some("cutter"));
/// assert_eq!(ships.get(cutter), None); // stale: rejected
///
/// let tug = ships.insert("tug").unwrap(); // reuses the slot
/// assert_eq!(tug.index(), cutter.index());
/// assert_eq!(ships.get(cutter), None);
/// assert_eq!(ships.values().copied().collect::<Vec<_>>(), ["tug", "barge"]);
/// ```
///
/// # Methods
///
/// | to | |
/// | --- | --- |
/// | create | [`new`](Self::new), [`with_capacity`](Self::with_capacity), [`builder`](Self::builder), [`typed_builder`](Self::typed_builder) |
#[doc = include_str!("../slot_pool/methods.md")]
/// | keep handles alone, in a pool of `()`: a [`HandleAllocator`](crate::HandleAllocator) | [`acquire`](Self::acquire), [`acquire_at`](Self::acquire_at), [`next_handle`](Self::next_handle), [`release`](Self::release), [`slot_runs`](Self::slot_runs) |
/// | know how many slots were ever used | [`slots_used`](Self::slots_used) |
/// | list the live slots, in the order [`Roster`](crate::reuse::Roster) | [`live_slots`](Self::live_slots) |
/// | use many threads | [`set_aside`](Self::set_aside), [`update`](Self::update), [`par_iter`](Self::par_iter), [`par_iter_mut`](Self::par_iter_mut), [`par_values`](Self::par_values), [`par_values_mut`](Self::par_values_mut), [`par_runs`](Self::par_runs), [`par_runs_mut`](Self::par_runs_mut), [`par_update`](Self::par_update), [`par_update_in`](Self::par_update_in) |
///
/// `Pool` is a name of the struct [`SlotPool`], to whose page the links lead. Without JavaScript, the rest of this page
/// shows only some of the methods.
pub type Pool<T, R = Lifo, H = Handle<T>> = SlotPool<T, Fixed, R, H, OneBlock<R, H>>;

/// A snapshot of a [`Pool`](crate::Pool).
pub type Snapshot<T, R = Lifo, H = Handle<T>> = SnapshotOf<Pool<T, R, H>>;

impl<T, R: ReuseOrder, L: HandleLayout> Growth<T, R, L, OneBlock<R, L>> for Fixed {
    const KIND: &'static str = "Pool";

    #[cfg(feature = "serde")]
    fn unused(
        state: &crate::slots::saved::Checked<L::Word>,
    ) -> Result<(Slotted<T, R, L, OneBlock<R, L>>, Self), crate::snapshot::format::Refused> {
        let slots =
            crate::pools::unused::slots_to_load(state, Storage::<T, OneBlock<R, L>>::VALUE)?;
        Ok((Storage::of_unused(slots), Self))
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// Creates a pool with the reuse order and handle layout of `Self`, for use where the type is
    /// named.
    ///
    /// ```
    /// use millpond::reuse::LowestFirst;
    /// use millpond::Pool;
    ///
    /// let pool: Pool<u32, LowestFirst> = Pool::with_capacity(512);
    /// assert_eq!(pool.capacity(), 512);
    /// ```
    ///
    /// # Panics
    ///
    /// If the handle layout cannot name that many slots, or there is not enough memory for them.
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::of_unused(slots_of_capacity(capacity, Storage::<T, OneBlock<R, H>>::VALUE))
    }

    /// Returns how many slots were ever used: those from this index on were not. In a pool whose memory is
    /// [untouched](PoolBuilder::untouched), this is the figure of the memory that it takes: so many times the value and
    /// [8.2 bytes](crate::Pool), up to a page for each of its arrays.
    ///
    /// It is at least the [`peak`](crate::Stats::peak), and no more in an order that takes a freed slot before a new one
    /// (`Lifo`, `LowestFirst`, `Roster`), unless [`insert_at`](Self::insert_at) has taken slots far behind.
    /// `Fifo` uses all slots in turn. What was used stays so, also after [`clear`](Self::clear), until the pool
    /// takes on another state ([`restore`](Self::restore), [`migrate_from`](Self::migrate_from)), which gives back no page.
    ///
    /// ```
    /// use millpond::Pool;
    ///
    /// let mut pool = Pool::builder().capacity(1 << 20).untouched().build();
    /// let [first, _second] = ['a', 'b'].map(|value| pool.insert(value).unwrap());
    /// pool.remove(first);
    /// pool.insert('c').unwrap(); // takes the slot of the first
    /// assert_eq!((pool.slots_used(), pool.capacity()), (2, 1 << 20));
    /// ```
    #[inline]
    #[must_use]
    pub fn slots_used(&self) -> usize {
        self.storage.words().used()
    }

    pub(in crate::pools) fn from_settings(
        settings: &Settings,
        untouched: bool,
    ) -> Result<Self, BuildError> {
        let allocate = if untouched { Block::try_untouched } else { Block::try_new };
        let slots =
            settings.slots::<R, H::Erased>(Storage::<T, OneBlock<R, H>>::VALUE, allocate)?;
        Ok(Self::of_unused(slots))
    }

    pub(in crate::pools) fn of_unused(slots: UnusedSlots<R, H::Erased>) -> Self {
        Self::of_parts(Storage::of_unused(slots), Fixed)
    }
}

/// Of a `Pool` or a `VecPool`.
impl<T, H: HandleLayout, G: Growth<T, Roster, H::Erased, OneBlock<Roster, H>>>
    SlotPool<T, G, Roster, H, OneBlock<Roster, H>>
{
    /// Returns the indices of the live slots, in the roster's order: those before the partition.
    ///
    /// ```
    /// use millpond::reuse::Roster;
    /// use millpond::Pool;
    ///
    /// let mut pool: Pool<char, Roster> = Pool::with_capacity(8);
    /// let a = pool.insert('a').unwrap();
    /// pool.insert('b').unwrap();
    /// pool.insert('c').unwrap();
    /// pool.remove(a);
    /// assert_eq!(pool.live_slots(), [2, 1]); // the last live one took the place of the removed one
    /// ```
    #[must_use]
    pub fn live_slots(&self) -> &[H::Index] {
        &roster(self.storage.words())[..self.len()]
    }
}

/// The free slot reserved for a pool's next value; returned by [`Pool::vacant_entry`].
pub type VacantEntry<'a, T, R = Lifo, H = Handle<T>> = iterators::VacantEntry<'a, Pool<T, R, H>>;

/// An iterator over a pool's handles and values in index order; returned by [`Pool::iter`].
pub type Iter<'a, T, R = Lifo, H = Handle<T>> = iterators::Iter<'a, T, R, H>;

/// An iterator over a pool's handles and mutable values in index order; returned by
/// [`Pool::iter_mut`].
pub type IterMut<'a, T, R = Lifo, H = Handle<T>> = iterators::IterMut<'a, T, R, H>;

/// An iterator that moves all values out of a pool in index order; returned by [`Pool::drain`].
pub type Drain<'a, T, R = Lifo, H = Handle<T>> = iterators::Drain<'a, Pool<T, R, H>>;

/// An iterator that moves chosen values out of a pool in index order; returned by
/// [`Pool::extract_if`].
pub type ExtractIf<'a, T, R, H, F> = iterators::ExtractIf<'a, Pool<T, R, H>, F>;

/// An iterator over the values of a pool that it owns, in index order.
pub type IntoIter<T, R = Lifo, H = Handle<T>> = iterators::IntoIter<Pool<T, R, H>>;

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;

    #[test]
    fn validation_asks_what_knows_the_handles() {
        let mut pool = Pool::<u8>::new(3);
        pool.validate().unwrap();
        pool.storage.slots_mut().count_eviction();
        assert_eq!(pool.validate().unwrap_err().rule(), "the counters agree");
    }
}
