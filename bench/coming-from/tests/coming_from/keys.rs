//! Keys and handles.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};

use millpond::reuse::Lifo;
use millpond::{Handle, HandleLayout, VecPool};
use slotmap::{Key, KeyData, SlotMap};

slotmap::new_key_type! { pub(crate) struct OldKey; }
millpond::handle_type! { pub(crate) struct NewKey; }

/// A key and a handle of live values.
fn live() -> (OldKey, NewKey) {
    let mut old: SlotMap<OldKey, u32> = SlotMap::with_key();
    let mut new: VecPool<u32, Lifo, NewKey> = VecPool::default();
    (old.insert(1), new.push(1))
}

#[test]
fn null() {
    assert_eq!(OldKey::null(), OldKey::default());
    assert_eq!(NewKey::DANGLING, NewKey::default());
    let (key, handle) = live();
    assert!(key != OldKey::null() && handle != NewKey::DANGLING);
}

#[test]
fn is_null() {
    let (key, handle) = live();
    assert_eq!(key.is_null(), handle.is_dangling());
    assert_eq!(OldKey::null().is_null(), NewKey::DANGLING.is_dangling());
}

#[test]
fn data() {
    let (key, handle) = live();
    assert_eq!(OldKey::from(key.data()), key);
    assert_eq!(NewKey::from_erased(handle.erase()), handle);
}

#[test]
fn as_ffi() {
    let (key, handle) = live();
    assert_eq!(KeyData::from_ffi(key.data().as_ffi()), key.data());
    assert_eq!(NewKey::from_bits(handle.to_bits()), Some(handle));
}

#[test]
fn from_ffi() {
    let (key, handle) = live();
    assert_eq!(OldKey::from(KeyData::from_ffi(key.data().as_ffi())), key);
    assert_eq!(NewKey::from_bits(handle.to_bits()), Some(handle));
    assert_eq!(NewKey::from_bits_or_dangling(handle.to_bits()), handle);
    // Of a number that is no key's, slotmap makes one.
    assert!(!KeyData::from_ffi(7).eq(&KeyData::default()));
    assert!(NewKey::from_bits_or_dangling(7 << 32).is_dangling());
}

#[test]
fn default() {
    assert!(OldKey::from(KeyData::default()).is_null() && NewKey::default().is_dangling());
}

#[test]
fn hash() {
    let (key, handle) = live();
    let state = RandomState::new();
    assert_ne!(state.hash_one(key.data()), state.hash_one(KeyData::default()));
    assert_ne!(state.hash_one(handle), state.hash_one(NewKey::default()));
}

#[test]
fn ord() {
    let (key, handle) = live();
    assert_eq!(
        BTreeSet::from([key.data(), key.data()]).len(),
        BTreeSet::from([handle, handle]).len()
    );
}

#[test]
fn clone_copy_and_equality() {
    fn is_plain<K: Copy + Eq + Ord>(_: K) {}
    let (key, handle) = live();
    (is_plain(key), is_plain(key.data()), is_plain(handle), is_plain(handle.erase()));
}

/// Code that is generic over the key.
#[test]
fn of_any_key() {
    fn old_sum<K: Key>(map: &SlotMap<K, u32>, keys: &[K]) -> u32 {
        keys.iter().filter(|key| !key.is_null()).map(|key| map[*key]).sum()
    }
    fn new_sum<H: HandleLayout>(pool: &VecPool<u32, Lifo, H>, handles: &[H]) -> u32 {
        handles.iter().filter(|handle| !handle.is_dangling()).map(|handle| pool[*handle]).sum()
    }
    let (mut old, mut new) = (SlotMap::new(), VecPool::new());
    let keys = [old.insert(1), Key::null(), old.insert(2)];
    let handles = [new.push(1), Handle::DANGLING, new.push(2)];
    assert_eq!(old_sum(&old, &keys), new_sum(&new, &handles));
}
