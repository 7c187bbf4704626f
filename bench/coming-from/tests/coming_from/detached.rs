//! Values that are taken out, and return under the same key.

use super::{New, Old, add, empty};
use crate::keys::NewKey;

#[test]
fn detach() {
    let (mut old, mut new): (Old<u32>, New<u32>) = (Old::default(), empty());
    let (key, handle): (_, NewKey) = (old.insert(1), add(&mut new, 1));
    assert_eq!(old.detach(key), new.detach(handle));
    assert_eq!(old.get(key), new.get(handle));
    assert_eq!(old.contains_key(key), new.contains(handle));
    assert_eq!(old.detach(key), new.detach(handle));
    // What is inserted meanwhile gets another key.
    let (other, another) = (old.insert(2), add(&mut new, 2));
    assert!(other != key && another != handle);
    // Without its value, the slot is free again.
    assert!(new.free_detached(handle) && !new.free_detached(handle));
    assert!(new.reattach(handle, 1).is_err());
}

#[test]
fn reattach() {
    let (mut old, mut new): (Old<u32>, New<u32>) = (Old::default(), empty());
    let (key, handle) = (old.insert(1), add(&mut new, 1));
    assert_eq!(old.detach(key), new.detach(handle));
    old.reattach(key, 3);
    assert_eq!(new.reattach(handle, 3), Ok(handle));
    assert_eq!(old.get(key), new.get(handle));
    // Of a value that was removed, the slot is not kept, but may not have been reused.
    let value = new.remove(handle).unwrap();
    assert!(new.reattach(handle, value).is_err());
    assert_eq!(new.revive(handle, value), Ok(handle));
}
