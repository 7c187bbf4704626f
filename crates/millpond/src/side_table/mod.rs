//! [`SideTable`] and what its methods return.

mod iter;
mod join;
mod snapshot;

pub use iter::{Iter, IterMut};
pub use join::{Join, JoinPool, JoinTables, join};

use core::fmt;

use crate::errors::{InsertAtError, InsertAtErrorKind};
use crate::handle::{HandleLayout, Word, handle_of_live};
use crate::memory::OutOfMemory;
use crate::occupancy::{LiveWalk, Occupancy};
use crate::settings::BuildError;
use crate::storage::TableStorage;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// Data of another system about a pool's objects, found by their handles.
///
/// Pick it for what only some objects have, or what the code that owns the pool should not know of: the
/// physics body of an entity, its sound, who selected it. What every object has belongs into the
/// object.
///
/// ```
/// use millpond::{Handle, Pool, SideTable};
///
/// let mut ships = Pool::new(100);
/// let cutter = ships.insert("cutter").unwrap();
/// let barge = ships.insert("barge").unwrap();
///
/// let mut cargo = SideTable::new(ships.capacity());
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
/// The table knows its pool's handles, not the pool: a value stays until it is removed, or until a
/// later object in the same slot gets one. To sweep out those of objects that are gone:
/// `table.retain(|handle, _| pool.contains(handle))`.
///
/// **Memory**: taken and touched when the table is created, none after, whatever handle it is given.
/// Per slot the value, a generation word (4 bytes; 2 with [`Handle32`](crate::Handle32) of 16 or more
/// index bits) and one bit.
///
/// **Time**: every access is O(1). Iterating costs O(capacity / 64 + values); together with the pool:
/// [`join`].
///
/// **Safety**: a handle finds the value that was inserted under this very handle, or nothing. Which of
/// two handles of a slot is the later one follows from their generations: that one which is at most half
/// a round ahead of the other. So tables serve pools that [wrap](crate::PoolBuilder::wrap), too, unless
/// these were also given fewer [lifetimes](crate::PoolBuilder::lifetimes) than the layout has: a table
/// takes the first handles of such a pool's next round for stale ones. No handle
/// does harm to memory; but a handle that the pool never issued, from a file say, can make the table
/// refuse the real ones of its slot: ask [`Pool::contains`](crate::Pool::contains) before inserting under
/// handles from outside.
pub struct SideTable<H: HandleLayout, V> {
    /// A slot's word is the generation of its value; marked dead, the generation of the value that was
    /// there last; 0, marked dead, if there was none ever.
    storage: TableStorage<V, H::Word>,
    /// Slots from here on never had a value.
    used: usize,
}

impl<H: HandleLayout, V> SideTable<H, V> {
    /// A table for the handles of a pool of so many slots. All of its memory is taken and touched here.
    ///
    /// ```
    /// use millpond::{Handle, SideTable};
    ///
    /// struct Ship;
    /// let table: SideTable<Handle<Ship>, f32> = SideTable::new(512);
    /// assert_eq!((table.capacity(), table.len()), (512, 0));
    /// ```
    ///
    /// # Panics
    ///
    /// If the handle layout cannot name so many slots, or there is no memory for them.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Self::try_new(capacity).unwrap_or_else(|error| panic!("{error}"))
    }

    /// As [`new`](Self::new), with an error instead of a panic.
    ///
    /// # Errors
    ///
    /// If the handle layout cannot name so many slots, or there is no memory for them.
    pub fn try_new(capacity: usize) -> Result<Self, BuildError> {
        if capacity > H::CAPACITY_MAX {
            let capacity_max = H::CAPACITY_MAX;
            return Err(BuildError::CapacityTooLarge { capacity, capacity_max });
        }
        let out_of_memory = |_: OutOfMemory| BuildError::OutOfMemory { capacity };
        let storage = TableStorage::try_table(capacity, false, H::Word::ZERO.as_dead())
            .map_err(out_of_memory)?;
        Ok(Self { storage, used: 0 })
    }

    /// How many slots the table has.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.storage.words().slots()
    }

    /// How many values there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.storage.words().live()
    }

    /// Whether there are no values.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which slots have a value.
    #[inline]
    #[must_use]
    pub fn occupancy(&self) -> Occupancy<'_> {
        self.storage.occupancy()
    }

    /// The slot of the handle's value.
    #[inline]
    fn find(&self, handle: H) -> Option<usize> {
        let index = handle.index() as usize;
        self.storage.words().is_live_in(index, handle.word()).then_some(index)
    }

    /// The slot that the handle's value goes to.
    fn slot_for(&self, handle: H) -> Result<usize, InsertAtErrorKind> {
        let index = handle.index() as usize;
        let last = self.storage.words().get(index).ok_or(InsertAtErrorKind::OutOfRange)?;
        let (last, generation) = (last.as_live().generation(), handle.generation());
        let lifetimes_on = if generation >= last {
            generation - last
        } else {
            H::LIFETIMES_MAX - last + generation
        };
        if last != 0 && lifetimes_on > H::LIFETIMES_MAX / 2 {
            return Err(InsertAtErrorKind::Stale);
        }
        Ok(index)
    }

    /// Puts a value under a handle. Returned is the value that was in its slot: under this handle, or
    /// under one of an earlier lifetime, which is stale. O(1).
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let handle = pool.insert("ship").unwrap();
    /// let mut table = SideTable::new(8);
    /// assert_eq!(table.insert(handle, 1).unwrap(), None);
    /// assert_eq!(table.insert(handle, 2).unwrap(), Some(1));
    /// assert_eq!(table.get(handle), Some(&2));
    /// ```
    ///
    /// # Errors
    ///
    /// If the slot is beyond the table's capacity, or a later lifetime of the slot had a value. The
    /// error gives the value back.
    pub fn insert(&mut self, handle: H, value: V) -> Result<Option<V>, InsertAtError<V>> {
        match self.slot_for(handle) {
            Ok(index) => {
                let before = self.remove_slot(index);
                self.storage.put(index, handle.word(), value);
                self.used = self.used.max(index + 1);
                Ok(before)
            }
            Err(kind) => Err(InsertAtError { value, kind }),
        }
    }

    /// The handle's value; if there is none, one that the function makes. O(1). If the function panics,
    /// nothing has happened.
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let handle = pool.insert("ship").unwrap();
    /// let mut hits = SideTable::new(8);
    /// *hits.get_or_insert_with(handle, || 0).unwrap() += 1;
    /// *hits.get_or_insert_with(handle, || 0).unwrap() += 1;
    /// assert_eq!(hits.get(handle), Some(&2));
    /// ```
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn get_or_insert_with(
        &mut self,
        handle: H,
        make: impl FnOnce() -> V,
    ) -> Result<&mut V, InsertAtErrorKind> {
        let index = self.slot_for(handle)?;
        if self.find(handle).is_none() {
            let value = make();
            drop(self.insert(handle, value));
        }
        self.storage.get_mut(index).ok_or(InsertAtErrorKind::Stale)
    }

    /// The handle's value. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, handle: H) -> Option<&V> {
        self.storage.get(self.find(handle)?)
    }

    /// The handle's value, to change. O(1).
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let handle = pool.insert("ship").unwrap();
    /// let mut table = SideTable::new(8);
    /// table.insert(handle, 1).unwrap();
    /// *table.get_mut(handle).unwrap() += 1;
    /// assert_eq!(table.get(handle), Some(&2));
    /// ```
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: H) -> Option<&mut V> {
        self.storage.get_mut(self.find(handle)?)
    }

    /// Whether the handle has a value. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.find(handle).is_some()
    }

    /// Moves the handle's value out. O(1).
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let handle = pool.insert("ship").unwrap();
    /// let mut table = SideTable::new(8);
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

    /// Removes the values of which the function says `false`, in index order. If it panics, the values
    /// that it has not come to stay, and so does the one that it was looking at.
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert("ship").unwrap();
    /// let mut table = SideTable::new(8);
    /// table.insert(handle, "cargo").unwrap();
    /// pool.clear();
    /// table.retain(|handle, _| pool.contains(handle)); // what is about objects that are gone
    /// assert!(table.is_empty());
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(H, &mut V) -> bool) {
        let mut live = LiveWalk::new(self.occupancy());
        while let Some(index) = live.next(self.occupancy()) {
            let handle = handle_of_live(index, self.storage.words().as_slice());
            let Some(value) = self.storage.get_mut(index) else { continue };
            if !keep(handle, value) {
                drop(self.remove_slot(index));
            }
        }
    }

    /// Removes and drops all values. What was stale stays stale. If a value's drop panics, the values
    /// that were not dropped yet stay.
    pub fn clear(&mut self) {
        self.retain(|_, _| false);
    }

    /// The handles and values in index order, from both ends.
    ///
    /// ```
    /// # use millpond::{Pool, SideTable};
    /// # let mut pool = Pool::new(8);
    /// # let handle = pool.insert("ship").unwrap();
    /// let mut table = SideTable::new(8);
    /// table.insert(handle, "cargo").unwrap();
    /// assert_eq!(table.iter().collect::<Vec<_>>(), [(handle, &"cargo")]);
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, H, V> {
        Iter::new(self.storage.words().kept(), self.storage.iter())
    }

    /// The handles and values, to change, in index order, from both ends.
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, H, V> {
        let (words, values) = self.storage.words_and_iter_mut();
        IterMut::new(words, values)
    }
}

#[cfg(feature = "validate")]
impl<H: HandleLayout, V> SideTable<H, V> {
    /// Checks that all which must hold does; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), Violation> {
        self.storage.validate()?;
        self.storage.words().validate_unused(self.used)?;
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

/// The copy has the same values, and takes the memory of a new table.
impl<H: HandleLayout, V: Clone> Clone for SideTable<H, V> {
    fn clone(&self) -> Self {
        match self.storage.try_clone() {
            Ok(storage) => Self { storage, used: self.used },
            Err(OutOfMemory) => panic!("no memory for a copy of the side table"),
        }
    }
}

/// A map from handles to values.
impl<H: HandleLayout, V: fmt::Debug> fmt::Debug for SideTable<H, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<'a, H: HandleLayout, V> IntoIterator for &'a SideTable<H, V> {
    type Item = (H, &'a V);
    type IntoIter = Iter<'a, H, V>;

    fn into_iter(self) -> Iter<'a, H, V> {
        self.iter()
    }
}

impl<'a, H: HandleLayout, V> IntoIterator for &'a mut SideTable<H, V> {
    type Item = (H, &'a mut V);
    type IntoIter = IterMut<'a, H, V>;

    fn into_iter(self) -> IterMut<'a, H, V> {
        self.iter_mut()
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
            let mut table = Table::new(3);
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
        assert_eq!(broken(|table| set_word(table, 0)), layout);
    }
}
