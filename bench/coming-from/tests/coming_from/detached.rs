//! Values that are taken out, and return under the same key.

use super::{New, Old, add, empty};
use crate::keys::NewKey;

#[test]
fn detach() {
    let (mut old, mut new): (Old<u32>, New<Option<u32>>) = (Old::default(), empty());
    let (key, handle): (_, NewKey) = (old.insert(1), add(&mut new, Some(1)));
    assert_eq!(old.detach(key), new.get_mut(handle).and_then(|value| value.take()));
    assert_eq!(old.get(key), new[handle].as_ref());
    // What is inserted meanwhile gets another key.
    let (other, another) = (old.insert(2), add(&mut new, Some(2)));
    assert!(other != key && another != handle);
    // slotmap's key is none of a live value, and the handle is.
    assert!(!old.contains_key(key) && new.contains(handle));
}

#[test]
fn reattach() {
    let (mut old, mut new): (Old<u32>, New<Option<u32>>) = (Old::default(), empty());
    let (key, handle) = (old.insert(1), add(&mut new, Some(1)));
    assert_eq!(old.detach(key), new[handle].take());
    old.reattach(key, 3);
    assert_eq!(new[handle].replace(3), None);
    assert_eq!(old.get(key), new[handle].as_ref());
    // Without a place of its own, a value returns if nothing took its slot.
    let value = new.remove(handle).unwrap();
    assert_eq!(new.revive(handle, value).unwrap(), handle);
    let value = new.remove(handle).unwrap();
    add(&mut new, None);
    assert!(new.revive(handle, value).is_err());
}
