//! The entry of a key that has a value.

use millpond::side_table::{Entry as NewEntry, OccupiedEntry as NewOccupied};

use super::every_secondary_map::{Both, both};
use super::{Entry, OldOccupied};
use crate::keys::NewKey;

/// Those of the first keys.
fn first(both: &mut Both) -> (OldOccupied<'_>, NewOccupied<'_, NewKey, u32>) {
    let Some(Entry::Occupied(old)) = both.old.entry(both.keys[0]) else { panic!("no value") };
    let Ok(NewEntry::Occupied(new)) = both.new.entry(both.handles[0]) else { panic!("no value") };
    (old, new)
}

#[test]
fn key() {
    let mut both = both();
    let (key, handle) = (both.keys[0], both.handles[0]);
    let (old, new) = first(&mut both);
    assert_eq!((old.key(), new.handle()), (key, handle));
}

#[test]
fn remove_entry() {
    let mut both = both();
    let (key, handle) = (both.keys[0], both.handles[0]);
    let (old, new) = first(&mut both);
    assert_eq!((old.remove_entry(), new.remove_entry()), ((key, 10), (handle, 10)));
    both.assert_same();
}

#[test]
fn get() {
    let mut both = both();
    let (old, new) = first(&mut both);
    assert_eq!(old.get(), new.get());
}

#[test]
fn get_mut() {
    let mut both = both();
    let (mut old, mut new) = first(&mut both);
    (*old.get_mut() += 1, *new.get_mut() += 1);
    both.assert_same();
}

#[test]
fn into_mut() {
    let mut both = both();
    let (old, new) = first(&mut both);
    (*old.into_mut() += 1, *new.into_mut() += 1);
    both.assert_same();
}

#[test]
fn insert() {
    let mut both = both();
    let (mut old, mut new) = first(&mut both);
    assert_eq!(old.insert(1), new.insert(1));
    both.assert_same();
}

#[test]
fn remove() {
    let mut both = both();
    let (old, new) = first(&mut both);
    assert_eq!(old.remove(), new.remove());
    both.assert_same();
}
