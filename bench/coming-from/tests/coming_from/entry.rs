//! An entry of a secondary map, occupied or vacant.

use super::every_secondary_map::both;

#[test]
fn or_insert() {
    let mut both = both();
    for (key, handle) in both.keys.into_iter().zip(both.handles) {
        let old = both.old.entry(key).unwrap().or_insert(30);
        assert_eq!(old, both.new.entry(handle).unwrap().or_insert(30));
    }
    both.assert_same();
}

#[test]
fn or_insert_with() {
    let mut both = both();
    for (key, handle) in both.keys.into_iter().zip(both.handles) {
        let old = both.old.entry(key).unwrap().or_insert_with(|| 30);
        assert_eq!(old, both.new.entry(handle).unwrap().or_insert_with(|| 30));
    }
    both.assert_same();
}

#[test]
fn or_default() {
    let mut both = both();
    for (key, handle) in both.keys.into_iter().zip(both.handles) {
        let old = both.old.entry(key).unwrap().or_default();
        assert_eq!(old, both.new.entry(handle).unwrap().or_default());
    }
    both.assert_same();
}

#[test]
fn key() {
    let mut both = both();
    for (key, handle) in both.keys.into_iter().zip(both.handles) {
        assert_eq!(both.old.entry(key).unwrap().key(), key);
        assert_eq!(both.new.entry(handle).unwrap().handle(), handle);
    }
}

#[test]
fn and_modify() {
    let mut both = both();
    for (key, handle) in both.keys.into_iter().zip(both.handles) {
        let old = both.old.entry(key).unwrap().and_modify(|value| *value += 1).or_insert(30);
        let new = both.new.entry(handle).unwrap().and_modify(|value| *value += 1).or_insert(30);
        assert_eq!(old, new);
    }
    both.assert_same();
}
