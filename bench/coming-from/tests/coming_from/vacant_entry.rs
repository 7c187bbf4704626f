//! The entry of a key that has no value.

use millpond::side_table::{Entry as NewEntry, VacantEntry as NewVacant};

use super::every_secondary_map::{Both, both};
use super::{Entry, OldVacant};
use crate::keys::NewKey;

/// Those of the last keys.
fn last(both: &mut Both) -> (OldVacant<'_>, NewVacant<'_, NewKey, u32>) {
    let Some(Entry::Vacant(old)) = both.old.entry(both.keys[2]) else { panic!("a value") };
    let Ok(NewEntry::Vacant(new)) = both.new.entry(both.handles[2]) else { panic!("a value") };
    (old, new)
}

#[test]
fn key() {
    let mut both = both();
    let (key, handle) = (both.keys[2], both.handles[2]);
    let (old, new) = last(&mut both);
    assert_eq!((old.key(), new.handle()), (key, handle));
}

#[test]
fn insert() {
    let mut both = both();
    let (old, new) = last(&mut both);
    assert_eq!(old.insert(30), new.insert(30));
    both.assert_same();
}
