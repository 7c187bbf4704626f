//! [`Pool`], whose values stay at their address, and what its methods return.

#[allow(unsafe_code)]
mod builder;
mod faces;
#[cfg(feature = "serde")]
mod saved;
mod traits;
#[cfg(feature = "lots")]
mod upcoming;

pub use crate::pools::faces::{Handles, Values, ValuesMut};
pub use crate::values::{ValueRuns, ValueRunsMut};
pub use builder::{OfPool, PoolBuilder};
pub use faces::{Drain, ExtractIf, IntoIter, Iter, IterMut, VacantEntry};

use crate::base::memory::OutOfMemory;
use crate::base::or_panic;
use crate::handle::{Handle, HandleLayout, Word};
use crate::pools::settings::{BuildError, Settings};
use crate::pools::slot_pool::{Fixed, Growth, SlotPool};
use crate::slots::reuse::{Lifo, ReuseOrder, Roster, roster};
use crate::slots::{Block, Circle, Core};
use crate::snapshot::SnapshotOf;
use crate::values::{PoolStorage, Storage};

/// A pool of values that stay at their address from insertion to removal.
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
/// **Memory**: one block, allocated and touched when the pool is created, and none later; or
/// [memory of your own](PoolBuilder::build_in). Each slot takes the value, a generation word (4
/// bytes; 2 with [`Handle32`](crate::Handle32) of 16 or more index bits), one bit, and the [reuse
/// order](crate::reuse)'s data (by default 4.06 bytes). So a `Pool<[f32; 4]>` has 24.2 bytes per
/// slot. Fewer than 64 bytes more align the values in memory that is not your own.
///
/// **Time**: insert, get and remove are O(1). Iterating reads a bitmap of live slots one word at a
/// time, and a run of live slots is a plain loop: O(capacity / 64 + live) while the bitmap is up to
/// date. A mutable iteration first rebuilds the bitmap from the generation words, and a shared one
/// reads these words instead: O(capacity), 0.05 to 0.5 ns per slot, depending on the caches. Once a mutable iteration has
/// found few changes since the one before, each insertion and removal updates its bit.
///
/// **Safety**: a handle is valid for one lifetime of one slot. After that, the pool refuses it,
/// however the object was removed and whatever bits the handle was made from, unless you bring the
/// lifetime back with [`revive`](Self::revive) or [`restore`](Self::restore), or the pool
/// [wraps](PoolBuilder::wrap).
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
/// assert_eq!(ships.get(cutter), None); // stale, and refused for ever
///
/// let tug = ships.insert("tug").unwrap(); // takes the same slot
/// assert_eq!(tug.index(), cutter.index());
/// assert_eq!(ships.get(cutter), None);
/// assert_eq!(ships.values().copied().collect::<Vec<_>>(), ["tug", "barge"]);
/// ```
///
/// # Methods
///
/// They are those of [`SlotPool`], whose page has them for readers without JavaScript, too:
///
/// | to | |
/// | --- | --- |
/// | create | [`new`](Self::new), [`with_capacity`](Self::with_capacity), [`builder`](Self::builder), [`typed_builder`](Self::typed_builder) |
/// | insert | [`insert`](Self::insert), [`insert_with`](Self::insert_with), [`vacant_entry`](Self::vacant_entry), [`insert_at`](Self::insert_at), [`insert_or_evict`](Self::insert_or_evict), [`try_insert_or_evict`](Self::try_insert_or_evict), [`revive`](Self::revive) |
/// | look up | [`get`](Self::get), [`get_mut`](Self::get_mut), [`get_disjoint_mut`](Self::get_disjoint_mut), [`get_each_mut`](Self::get_each_mut), [`contains`](Self::contains), [`check`](Self::check), [`explain`](Self::explain), [`get_at`](Self::get_at), [`get_at_mut`](Self::get_at_mut), [`object_at`](Self::object_at), [`object_at_mut`](Self::object_at_mut), [`handle_at`](Self::handle_at), [`handle_of`](Self::handle_of), [`index_of`](Self::index_of) |
/// | remove | [`remove`](Self::remove), [`remove_at`](Self::remove_at), [`retain`](Self::retain), [`extract_if`](Self::extract_if), [`drain`](Self::drain), [`clear`](Self::clear) |
/// | iterate | [`iter`](Self::iter), [`iter_mut`](Self::iter_mut), [`values`](Self::values), [`values_mut`](Self::values_mut), [`handles`](Self::handles), [`runs`](Self::runs), [`runs_mut`](Self::runs_mut) |
/// | ask | [`len`](Self::len), [`is_empty`](Self::is_empty), [`is_full`](Self::is_full), [`capacity`](Self::capacity), [`stats`](Self::stats), [`occupancy`](Self::occupancy), [`name`](Self::name), [`generations`](Self::generations) |
/// | save | [`snapshot`](Self::snapshot), [`snapshot_cloned`](Self::snapshot_cloned), [`save_into`](Self::save_into), [`restore`](Self::restore), [`checksum`](Self::checksum), [`checksum_with`](Self::checksum_with) |
pub type Pool<T, R = Lifo, H = Handle<T>> = SlotPool<T, Fixed, R, H, OneBlock<R, H>>;

/// The place of a [`Pool`] and of a [`VecPool`](crate::VecPool).
#[doc(hidden)]
pub type OneBlock<R, H> = Block<(R, <H as HandleLayout>::Word, <H as HandleLayout>::Index)>;

/// A snapshot of a [`Pool`](crate::Pool).
pub type Snapshot<T, R = Lifo, H = Handle<T>> = SnapshotOf<Pool<T, R, H>>;

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
        or_panic(Self::from_settings(&Settings::of_capacity(capacity), false))
    }

    fn from_settings(settings: &Settings<R, H>, untouched: bool) -> Result<Self, BuildError> {
        let allocate = if untouched { Storage::try_untouched } else { Storage::try_new };
        Self::of_settings(settings, |slots, start| {
            allocate(Core::<R, H::Erased>::NEEDS, slots, start)
        })
    }

    /// A pool whose storage comes from `make_storage`, which receives the capacity and the first generation.
    fn of_settings(
        settings: &Settings<R, H>,
        make_storage: impl FnOnce(usize, u32) -> Result<PoolStorage<T, R, H>, OutOfMemory>,
    ) -> Result<Self, BuildError> {
        settings.allocate(|capacity| {
            let circle = Circle::new::<H>(&settings.lifetimes);
            let mut storage = make_storage(capacity, circle.start().generation())?;
            let core = Core::new(circle, settings.lifetimes.name, storage.slots_mut());
            let mut pool = Self::of_parts(storage, core, Fixed);
            pool.watch(settings.debug_aids)?;
            Ok(pool)
        })
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

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;

    impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
        /// Breaks a rule that validation checks.
        pub(crate) fn miscount(&mut self) {
            self.core.count_eviction();
        }
    }

    #[test]
    fn validation_asks_what_knows_the_handles() {
        let mut pool = Pool::<u8>::new(3);
        pool.validate().unwrap();
        pool.miscount();
        assert_eq!(pool.validate().unwrap_err().rule(), "the counters agree");
    }
}
