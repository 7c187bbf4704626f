//! `SecondaryMap` beside `SideTable`.

use millpond::SideTable;
use slotmap::secondary::{Entry, OccupiedEntry, VacantEntry};

use crate::keys::{NewKey, OldKey};

type Old<V> = slotmap::SecondaryMap<OldKey, V>;
type OldOccupied<'a> = OccupiedEntry<'a, OldKey, u32>;
type OldVacant<'a> = VacantEntry<'a, OldKey, u32>;

#[path = "entry.rs"]
mod entry;
#[path = "every_secondary_map.rs"]
mod every_secondary_map;
#[path = "occupied_entry.rs"]
mod occupied_entry;
#[path = "vacant_entry.rs"]
mod vacant_entry;

#[test]
fn with_capacity() {
    let old = Old::<u32>::with_capacity(10);
    let mut new: SideTable<NewKey, u32> = SideTable::new();
    new.reserve(10);
    assert!(old.capacity() >= 10 && new.capacity() >= 10);
}

#[test]
fn set_capacity() {
    let (mut old, mut new) = (Old::<u32>::new(), SideTable::<NewKey, u32>::new());
    (old.set_capacity(10), new.reserve(10));
    assert!(old.capacity() >= 10 && new.capacity() >= 10);
}

#[test]
fn try_set_capacity() {
    let (mut old, mut new) = (Old::<u32>::new(), SideTable::<NewKey, u32>::new());
    assert!(old.try_set_capacity(10).is_ok() && new.try_reserve(10).is_ok());
    assert!(old.try_set_capacity(usize::MAX - 1).is_err() && new.try_reserve(usize::MAX).is_err());
}
