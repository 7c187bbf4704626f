//! One handle's entry in a side table.

use core::fmt;

use super::SideTable;
use crate::handle::HandleLayout;
use crate::reports::errors::InsertAtErrorKind;

impl<H: HandleLayout, V> SideTable<H, V> {
    /// Returns the handle's entry, occupied or vacant. O(1), except for growth.
    ///
    /// ```
    /// use millpond::{Pool, SideTable};
    ///
    /// let mut ships = Pool::new(8);
    /// let cutter = ships.insert("cutter").unwrap();
    /// let mut hits = SideTable::new();
    /// *hits.entry(cutter).unwrap().or_insert(0) += 1;
    /// hits.entry(cutter).unwrap().and_modify(|hits| *hits += 1).or_insert(0);
    /// assert_eq!(hits[cutter], 2);
    /// ```
    ///
    /// # Errors
    ///
    /// Same as for [`insert`](Self::insert). Filling the entry cannot fail; a table that grows
    /// makes room for the slot here.
    pub fn entry(&mut self, handle: H) -> Result<Entry<'_, H, V>, InsertAtErrorKind> {
        let index = self.make_slot(handle)?;
        Ok(match self.find(handle) {
            Some(_) => Entry::Occupied(OccupiedEntry { table: self, handle, index }),
            None => Entry::Vacant(VacantEntry { table: self, handle, index }),
        })
    }
}

/// A handle's entry in a side table; returned by [`SideTable::entry`].
#[derive(Debug)]
pub enum Entry<'a, H: HandleLayout, V> {
    /// The handle has a value.
    Occupied(OccupiedEntry<'a, H, V>),
    /// The handle has no value.
    Vacant(VacantEntry<'a, H, V>),
}

/// The entry of a handle that has a value.
pub struct OccupiedEntry<'a, H: HandleLayout, V> {
    table: &'a mut SideTable<H, V>,
    handle: H,
    /// The handle's slot, which holds its value.
    index: usize,
}

/// The entry of a handle that has no value.
pub struct VacantEntry<'a, H: HandleLayout, V> {
    table: &'a mut SideTable<H, V>,
    handle: H,
    /// The handle's slot, which may hold the value of an earlier lifetime.
    index: usize,
}

impl<'a, H: HandleLayout, V> Entry<'a, H, V> {
    /// Returns the handle.
    #[must_use]
    pub fn handle(&self) -> H {
        match self {
            Entry::Occupied(entry) => entry.handle,
            Entry::Vacant(entry) => entry.handle,
        }
    }

    /// Returns a mutable reference to the handle's value, after inserting `value` if there was
    /// none.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// Returns a mutable reference to the handle's value, after inserting the result of `make` if
    /// there was none. If `make` panics, nothing is inserted.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        match self {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(make()),
        }
    }

    /// Returns a mutable reference to the handle's value, after inserting the default if there was
    /// none.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    /// Calls `modify` with the value, if there is one.
    #[must_use = "an unused entry inserts nothing; for an existing value, `get_mut` is shorter"]
    pub fn and_modify(mut self, modify: impl FnOnce(&mut V)) -> Self {
        if let Entry::Occupied(entry) = &mut self {
            modify(entry.get_mut());
        }
        self
    }
}

/// The value exists as long as the entry does: nothing else can access the table.
const THERE: &str = "an occupied entry has a value";

impl<'a, H: HandleLayout, V> OccupiedEntry<'a, H, V> {
    /// Returns the handle.
    #[must_use]
    pub fn handle(&self) -> H {
        self.handle
    }

    /// Returns a reference to the value.
    #[must_use]
    pub fn get(&self) -> &V {
        self.table.storage.get(self.index).expect(THERE)
    }

    /// Returns a mutable reference to the value.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut V {
        self.table.storage.get_mut(self.index).expect(THERE)
    }

    /// Returns a mutable reference to the value, for as long as the table is borrowed.
    #[must_use]
    pub fn into_mut(self) -> &'a mut V {
        self.table.storage.get_mut(self.index).expect(THERE)
    }

    /// Replaces the value with `value`, and returns the old one.
    pub fn insert(&mut self, value: V) -> V {
        core::mem::replace(self.get_mut(), value)
    }

    /// Moves the value out.
    pub fn remove(self) -> V {
        self.table.remove_slot(self.index).expect(THERE)
    }

    /// Moves the value out, with its handle.
    pub fn remove_entry(self) -> (H, V) {
        (self.handle, self.remove())
    }
}

impl<'a, H: HandleLayout, V> VacantEntry<'a, H, V> {
    /// Returns the handle.
    #[must_use]
    pub fn handle(&self) -> H {
        self.handle
    }

    /// Inserts `value` under the handle, and returns a mutable reference to it. A value of an
    /// earlier lifetime of the slot is dropped.
    pub fn insert(self, value: V) -> &'a mut V {
        let Self { table, handle, index } = self;
        drop(table.put(index, handle, value));
        table.storage.get_mut(index).expect(THERE)
    }
}

impl<H: HandleLayout, V: fmt::Debug> fmt::Debug for OccupiedEntry<'_, H, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OccupiedEntry")
            .field("handle", &self.handle)
            .field("value", self.get())
            .finish()
    }
}

impl<H: HandleLayout, V> fmt::Debug for VacantEntry<'_, H, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VacantEntry").field(&self.handle).finish()
    }
}
