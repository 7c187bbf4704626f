//! [`SideTable`], for values found by another pool's handles, and [`join`], which iterates over both.
//!
//! # Growth
//!
//! | constructor | slots | memory |
//! | --- | --- | --- |
//! | [`new`](SideTable::new), [`Default`], `collect` | as the handles need them | none at first; then doubled like a `Vec`'s, in proportion to the values |
//! | [`with_limit`](SideTable::with_limit) | as the handles need them, up to a limit | the same, up to the limit |
//! | [`with_capacity`](SideTable::with_capacity) | a fixed number | all at once, none later |
//!
//! A table is one array, so a handle needs memory for all slots before its own. A pool's handles begin at slot 0 and leave
//! few gaps. But a damaged file can hold a handle of slot 4,294,967,294, which would need gigabytes. So a table created by
//! `new` allocates up to 16 MiB freely, and beyond that at most 64 slots per value. It rejects handles farther away with
//! [`InsertAtErrorKind::TooFar`]. If your pool is very large and few of its objects have a value, pass the pool's capacity
//! to [`with_limit`](SideTable::with_limit) or [`reserve`](SideTable::reserve).
//!
//! Pages instead of one array would accept any handle, but cost every lookup two more loads.
//!
//! Growth moves the values. It costs O(capacity), amortised over the insertions that led to it.

mod growth;

mod drain;
mod entry;
mod join;
mod snapshot;
mod traits;

pub use crate::pools::pool::{Values, ValuesMut};
pub use drain::{Drain, IntoIter};
pub use entry::{Entry, OccupiedEntry, VacantEntry};
pub use join::{Join, JoinPool, JoinTables, join};

use core::mem;

use crate::handle::{HandleLayout, Refusal, Word, handle_of_live};
use crate::occupancy::{LiveWalk, Occupancy};
use crate::pools::iterators;
use crate::reports::errors::{GetDisjointMutError, InsertAtError, InsertAtErrorKind};
use crate::reports::validate::{Violation, ensure};
use crate::slots::reuse::Lifo;
use crate::snapshot::methods::snapshots;
use crate::values::table::TableStorage;
use growth::TableGrowth;

/// An iterator over a side table's handles and values in index order; returned by [`SideTable::iter`].
pub type Iter<'a, H, V> = iterators::Iter<'a, V, (), H>;

/// An iterator over a side table's handles and mutable values in index order; returned by [`SideTable::iter_mut`].
pub type IterMut<'a, H, V> = iterators::IterMut<'a, V, (), H>;

/// A table of values keyed by another pool's handles.
///
/// Use it for data that only some objects have, or that the code that owns the pool should not know
/// about: the physics body of an entity, its sound, who selected it. Data that every object has
/// belongs in the object.
///
/// ```
/// use millpond::{Handle, Pool, SideTable};
///
/// let mut ships = Pool::new(100);
/// let cutter = ships.insert("cutter").unwrap();
/// let barge = ships.insert("barge").unwrap();
///
/// let mut cargo = SideTable::new();
/// cargo.insert(barge, "coal").unwrap();
/// assert_eq!(cargo.get(barge), Some(&"coal"));
/// assert_eq!(cargo.get(cutter), None);
///
/// ships.remove(barge);
/// let tug = ships.insert("tug").unwrap(); // in the barge's slot
/// assert_eq!(cargo.get(tug), None); // the tug does not get the coal
/// cargo.insert(tug, "rope").unwrap();
/// assert_eq!(cargo.get(barge), None);
/// assert!(cargo.insert(barge, "coal").is_err()); // stale: a later lifetime was seen
/// ```
///
/// The table does not know when the pool removes an object. A value stays until you remove it, or until a later object in
/// the same slot gets one. To drop the values of removed objects, call `table.retain(|handle, _| pool.contains(handle))`.
///
/// **Memory**: a slot takes the value, 4 bytes for a generation (2 with [`Handle32`](crate::Handle32) of 16 or more index
/// bits) and one bit. A table [`with_capacity`](Self::with_capacity) allocates and touches all of it at creation. A table
/// created by [`new`](Self::new) [grows](crate::side_table#growth) with its values.
///
/// **Time**: every access is O(1), and growth is amortised. Iteration is O(capacity / 64 + values). To iterate together
/// with the pool, use [`join`].
///
/// **Safety**: a handle finds the value that you inserted under it, or nothing. No handle can make the table unsound. But a
/// handle that the pool never issued, for example from a file, can make the table reject valid handles of its slot. So
/// call [`Pool::contains`](crate::Pool::contains) before you insert under handles from outside.
///
/// Tables also work with pools that [wrap](crate::PoolBuilder::wrap): a generation is later than another if it is at most
/// half a cycle ahead. If such a pool has fewer [lifetimes](crate::PoolBuilder::lifetimes) than the layout allows, the table
/// rejects the first handles of the next cycle as stale.
#[doc(alias = "SecondaryMap")]
#[doc(alias = "SparseSecondaryMap")]
pub struct SideTable<H: HandleLayout, V> {
    /// A slot's word is the generation of its value; or, marked dead, the generation of its last
    /// value; or 0, marked dead, if it never had a value.
    storage: TableStorage<V, H::Word>,
    growth: TableGrowth,
}

/// An iterator over the handles that have values in a side table, in index order; returned by
/// [`SideTable::handles`].
pub type Handles<'a, H> = crate::pools::iterators::Handles<'a, Lifo, H>;

impl<H: HandleLayout, V> SideTable<H, V> {
    /// Returns the number of values.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.storage.words().live()
    }

    /// Returns whether there are no values.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bitmap of slots that have a value.
    #[inline]
    #[must_use]
    pub fn occupancy(&self) -> Occupancy<'_> {
        self.storage.words().occupancy()
    }

    /// The slot of the handle's value.
    #[inline]
    fn find(&self, handle: H) -> Option<usize> {
        let index = handle.index() as usize;
        self.storage.words().is_live_in(index, handle.word()).then_some(index)
    }

    /// The slot that the handle's value goes to.
    #[inline]
    fn make_slot(&mut self, handle: H) -> Result<usize, InsertAtErrorKind> {
        let (index, generation) = (handle.index() as usize, handle.generation());
        if generation == 0 {
            return Err(InsertAtErrorKind::BeyondLifetimes);
        }
        let Some(word) = self.storage.words().get(index) else {
            return self.grow_to(index).map(|()| index);
        };
        if is_before::<H>(generation, word) {
            return Err(InsertAtErrorKind::Stale);
        }
        Ok(index)
    }

    /// Puts `value` into the slot that was made for `handle`, and returns the previous value.
    fn put(&mut self, index: usize, handle: H, value: V) -> Option<V> {
        let before = self.remove_slot(index);
        self.storage.put(index, handle.word(), value);
        before
    }

    /// Inserts `value` under `handle`. Returns the value that was in the slot, under this handle or
    /// under a stale one of an earlier lifetime. O(1), except for growth.
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let handle = pool.insert("ship").unwrap();
    /// let mut table = SideTable::new();
    /// assert_eq!(table.insert(handle, 1).unwrap(), None);
    /// assert_eq!(table.insert(handle, 2).unwrap(), Some(1));
    /// assert_eq!(table.get(handle), Some(&2));
    /// ```
    ///
    /// # Errors
    ///
    /// If the slot is beyond the table's capacity and the table does not
    /// [grow](crate::side_table#growth) that far, if memory runs out, if a later lifetime of the
    /// slot had a value, or if `handle` is the dangling one. The error returns `value`.
    #[must_use = "a refused handle returns the value in the error, and ignoring it drops the value"]
    pub fn insert(&mut self, handle: H, value: V) -> Result<Option<V>, InsertAtError<V>> {
        if let Some(before) = self.get_mut(handle) {
            return Ok(Some(mem::replace(before, value)));
        }
        match self.make_slot(handle) {
            Ok(index) => Ok(self.put(index, handle, value)),
            // A table does not know the lifetimes of the pool's slots.
            Err(kind) => Err(InsertAtError::new(value, kind, None, handle, handle.generation())),
        }
    }

    /// Returns a mutable reference to the handle's value, after inserting the result of `make` if
    /// there was none. O(1), except for growth. If `make` panics, nothing is inserted.
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let handle = pool.insert("ship").unwrap();
    /// let mut hits = SideTable::new();
    /// *hits.get_or_insert_with(handle, || 0).unwrap() += 1;
    /// *hits.get_or_insert_with(handle, || 0).unwrap() += 1;
    /// assert_eq!(hits.get(handle), Some(&2));
    /// ```
    ///
    /// # Errors
    ///
    /// If [`insert`](Self::insert) would fail. `make` is not called then.
    pub fn get_or_insert_with(
        &mut self,
        handle: H,
        make: impl FnOnce() -> V,
    ) -> Result<&mut V, InsertAtErrorKind> {
        Ok(self.entry(handle)?.or_insert_with(make))
    }

    /// Returns a reference to the handle's value, or `None` if it has none. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, handle: H) -> Option<&V> {
        self.storage.get(self.find(handle)?)
    }

    /// Returns a mutable reference to the handle's value, or `None` if it has none. O(1).
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let handle = pool.insert("ship").unwrap();
    /// let mut table = SideTable::new();
    /// table.insert(handle, 1).unwrap();
    /// *table.get_mut(handle).unwrap() += 1;
    /// assert_eq!(table.get(handle), Some(&2));
    /// ```
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: H) -> Option<&mut V> {
        self.storage.get_mut(self.find(handle)?)
    }

    /// Returns a reference to the handle's value, without checking `handle`.
    ///
    /// ```
    /// # use millpond::*;
    /// # let mut ships = Pool::new(8);
    /// # let handle = ships.insert(1).unwrap();
    /// let table = SideTable::from_iter([(handle, "a")]);
    /// // SAFETY: the value was just inserted.
    /// assert_eq!(unsafe { table.get_unchecked(handle) }, &"a");
    /// ```
    ///
    /// # Safety
    ///
    /// The table must [contain](Self::contains) `handle`.
    #[allow(unsafe_code, reason = "the caller vouches for the handle")]
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked(&self, handle: H) -> &V {
        debug_assert!(self.contains(handle));
        // SAFETY: `handle` is contained, so its slot is live.
        unsafe { self.storage.get_unchecked(handle.index() as usize) }
    }

    /// Returns a mutable reference to the handle's value, without checking `handle`.
    ///
    /// # Safety
    ///
    /// The table must [contain](Self::contains) `handle`.
    #[allow(unsafe_code, reason = "the caller vouches for the handle")]
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked_mut(&mut self, handle: H) -> &mut V {
        debug_assert!(self.contains(handle));
        // SAFETY: `handle` is contained, so its slot is live.
        unsafe { self.storage.get_unchecked_mut(handle.index() as usize) }
    }

    /// Returns mutable references to the values of several handles at once. O(N²) for N handles.
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let [a, b] = ["a", "b"].map(|ship| pool.insert(ship).unwrap());
    /// let mut table = SideTable::from_iter([(a, 1), (b, 2)]);
    /// let [x, y] = table.get_disjoint_mut([a, b]).unwrap();
    /// std::mem::swap(x, y);
    /// assert_eq!((table[a], table[b]), (2, 1));
    /// assert!(table.get_disjoint_mut([a, a]).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If a handle has no value, or two handles are equal.
    pub fn get_disjoint_mut<const N: usize>(
        &mut self,
        handles: [H; N],
    ) -> Result<[&mut V; N], GetDisjointMutError> {
        self.storage.find_disjoint_mut(handles, |handle, slots| {
            match slots.words().get(handle.index() as usize) {
                None => Err(Refusal::OutOfRange),
                Some(word) if word == handle.word() => Ok(()),
                Some(word)
                    if word.as_live() == handle.word()
                        || is_before::<H>(handle.generation(), word) =>
                {
                    Err(Refusal::Stale)
                }
                Some(_) => Err(Refusal::NeverIssued),
            }
        })
    }

    /// Returns mutable references to the values of several handles at once, without checking `handles`.
    /// O(N) for N handles.
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let [a, b] = ["a", "b"].map(|ship| pool.insert(ship).unwrap());
    /// let mut table = SideTable::from_iter([(a, 1), (b, 2)]);
    /// // SAFETY: both handles have a value, and they differ.
    /// let [x, y] = unsafe { table.get_disjoint_unchecked_mut([a, b]) };
    /// std::mem::swap(x, y);
    /// assert_eq!((table[a], table[b]), (2, 1));
    /// ```
    ///
    /// # Safety
    ///
    /// The table must [contain](Self::contains) each of the handles, and no two may be equal.
    #[allow(unsafe_code, reason = "the caller vouches for the handles")]
    #[inline]
    #[must_use]
    pub unsafe fn get_disjoint_unchecked_mut<const N: usize>(
        &mut self,
        handles: [H; N],
    ) -> [&mut V; N] {
        debug_assert!((0..N).all(|at| !handles[..at].contains(&handles[at])));
        debug_assert!(handles.iter().all(|handle| self.contains(*handle)));
        // SAFETY: the table has a value for each handle, so their slots are live; a slot is live in one lifetime, so
        // handles that differ are those of different slots.
        unsafe { self.storage.get_disjoint_unchecked_mut(handles.map(|h| h.index() as usize)) }
    }

    /// Like [`get_disjoint_mut`](Self::get_disjoint_mut), with `None` for each handle that has no value.
    ///
    /// ```
    /// # use millpond::{Handle, Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let a = pool.insert("a").unwrap();
    /// let mut table = SideTable::from_iter([(a, 1)]);
    /// let [x, none] = table.get_each_mut([a, Handle::DANGLING]).unwrap();
    /// assert_eq!((x, none), (Some(&mut 1), None));
    /// ```
    ///
    /// # Errors
    ///
    /// If two handles that have a value are equal.
    pub fn get_each_mut<const N: usize>(
        &mut self,
        handles: [H; N],
    ) -> Result<[Option<&mut V>; N], GetDisjointMutError> {
        self.storage.find_each_mut(handles)
    }

    /// Returns whether `handle` has a value. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.find(handle).is_some()
    }

    /// Moves the handle's value out, or returns `None` if it has none. O(1).
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let handle = pool.insert("ship").unwrap();
    /// let mut table = SideTable::new();
    /// table.insert(handle, "cargo").unwrap();
    /// assert_eq!(table.remove(handle), Some("cargo"));
    /// assert_eq!(table.remove(handle), None);
    /// ```
    pub fn remove(&mut self, handle: H) -> Option<V> {
        let index = self.find(handle)?;
        self.remove_slot(index)
    }

    fn remove_slot(&mut self, index: usize) -> Option<V> {
        let word = self.storage.words().get(index)?;
        self.storage.take(index, word.as_dead())
    }

    /// Calls `keep` once per value, in index order, and removes the values for which it returns
    /// `false`. If `keep` panics, the value of that call and all later ones stay.
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert("ship").unwrap();
    /// let mut table = SideTable::new();
    /// table.insert(handle, "cargo").unwrap();
    /// pool.clear();
    /// table.retain(|handle, _| pool.contains(handle)); // drops the values of removed objects
    /// assert!(table.is_empty());
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(H, &mut V) -> bool) {
        let mut live = LiveWalk::new(self.occupancy());
        while let Some(index) = live.next(self.occupancy().source()) {
            let handle = handle_of_live(index, self.storage.words().as_slice());
            let Some(value) = self.storage.get_mut(index) else { continue };
            if !keep(handle, value) {
                self.storage.drop_value(index, handle.word().as_dead());
            }
        }
    }

    /// Removes and drops all values. Stale handles stay stale. If a value's drop panics, the values
    /// not yet dropped stay.
    pub fn clear(&mut self) {
        self.retain(|_, _| false);
    }

    /// Iterates over handles and values in index order, from both ends.
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let handle = pool.insert("ship").unwrap();
    /// let mut table = SideTable::new();
    /// table.insert(handle, "cargo").unwrap();
    /// assert_eq!(table.iter().collect::<Vec<_>>(), [(handle, &"cargo")]);
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, H, V> {
        Iter::new(self.storage.words().as_slice(), self.storage.iter())
    }

    /// Iterates over the handles that have values, in index order, from both ends.
    #[inline]
    pub fn handles(&self) -> Handles<'_, H> {
        Handles::new(self.storage.words().as_slice(), self.storage.words().occupancy_to_walk())
    }

    /// Iterates over the values in index order, from both ends.
    #[inline]
    pub fn values(&self) -> Values<'_, V> {
        Values::new(self.storage.iter())
    }

    /// Iterates mutably over the values in index order, from both ends.
    #[inline]
    pub fn values_mut(&mut self) -> ValuesMut<'_, V> {
        ValuesMut::new(self.storage.words_and_iter_mut().1)
    }

    /// Iterates over handles and mutable references to values in index order, from both ends.
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, H, V> {
        let (words, values) = self.storage.words_and_iter_mut();
        IterMut::new(words, values)
    }
}

/// Whether `generation` is before that of a slot's word in the generation cycle: more than half a
/// round ahead of it.
fn is_before<H: HandleLayout>(generation: u32, word: H::Word) -> bool {
    let last = word.as_live().generation();
    let lifetimes_on =
        if generation >= last { generation - last } else { H::LIFETIMES_MAX - last + generation };
    last != 0 && lifetimes_on > H::LIFETIMES_MAX / 2
}

snapshots! {
    [H: HandleLayout, V] SideTable<H, V>, values V, "table", "Tables"
}

#[cfg(feature = "validate")]
impl<H: HandleLayout, V> SideTable<H, V> {
    /// Checks every invariant; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), Violation> {
        self.storage.words().validate()?;
        for (index, word) in self.storage.words().as_slice().iter().enumerate() {
            let generation = word.as_live().generation();
            ensure(
                generation <= H::LIFETIMES_MAX && (generation > 0 || word.is_dead()),
                "each word is one that the handle layout has",
                format_args!("{word:?} of slot {index}"),
            )?;
        }
        Ok(())
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::handle::Handle32;

    type Table = SideTable<Handle32<(), 24>, &'static str>;

    /// Makes a value live under a word that no handle has.
    fn set_word(table: &mut Table, word: u16) {
        table.storage.put(2, word, "value");
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut Table)| {
            let mut table = Table::with_capacity(3);
            for index in [0, 1] {
                let handle = Handle32::from_parts(index, 7).unwrap();
                table.insert(handle, "value").unwrap();
            }
            table.remove(Handle32::from_parts(1, 7).unwrap());
            table.validate().unwrap();
            change(&mut table);
            table.validate().unwrap_err().rule()
        };
        let layout = "each word is one that the handle layout has";
        assert_eq!(broken(|table| set_word(table, 256)), layout);
    }
}
