//! What both of slotmap's secondary maps have.

use std::collections::BTreeSet;

use millpond::reuse::Lifo;
use millpond::{SideTable, VecPool};
use slotmap::SlotMap;

use super::Old;
use crate::keys::{NewKey, OldKey};

pub(super) type New<V> = SideTable<NewKey, V>;

/// Three objects on each side; the first two have the values 10 and 20.
pub(super) struct Both {
    map: SlotMap<OldKey, ()>,
    pool: VecPool<(), Lifo, NewKey>,
    pub(super) keys: [OldKey; 3],
    pub(super) handles: [NewKey; 3],
    pub(super) old: Old<u32>,
    pub(super) new: New<u32>,
}

pub(super) fn both() -> Both {
    let (mut map, mut pool) = (SlotMap::with_key(), VecPool::default());
    let keys = [(); 3].map(|()| map.insert(()));
    let handles = [(); 3].map(|()| pool.push(()));
    let (mut old, mut new) = (Old::new(), New::new());
    for (n, value) in [10, 20].into_iter().enumerate() {
        assert_eq!(old.insert(keys[n], value), new.insert(handles[n], value).unwrap());
    }
    Both { map, pool, keys, handles, old, new }
}

impl Both {
    /// The same values under the same keys.
    #[track_caller]
    pub(super) fn assert_same(&self) {
        let olds = self.keys.map(|key| self.old.get(key));
        assert_eq!(olds, self.handles.map(|handle| self.new.get(handle)));
        assert_eq!(self.old.len(), self.new.len());
    }

    /// Objects in the place of the first ones.
    fn replace_first(&mut self) -> (OldKey, NewKey) {
        assert_eq!(self.map.remove(self.keys[0]), self.pool.remove(self.handles[0]));
        (self.map.insert(()), self.pool.push(()))
    }
}

/// The values in some order, because a sparse map has none.
fn set<V: Ord>(values: impl IntoIterator<Item = V>) -> BTreeSet<V> {
    values.into_iter().collect()
}

#[test]
fn new() {
    let (old, new) = (Old::<u32>::new(), SideTable::<NewKey, u32>::new());
    assert_eq!(old.len(), new.len());
}

#[test]
fn len() {
    let Both { old, new, .. } = both();
    assert_eq!(old.len(), new.len());
}

#[test]
fn is_empty() {
    let Both { old, new, .. } = both();
    assert_eq!(old.is_empty(), new.is_empty());
    assert_eq!(Old::<u32>::new().is_empty(), New::<u32>::new().is_empty());
}

#[test]
fn capacity() {
    let Both { old, new, .. } = both();
    assert!(old.capacity() >= 2 && new.capacity() >= 2);
}

#[test]
fn contains_key() {
    let Both { keys, handles, old, new, .. } = both();
    assert_eq!(keys.map(|key| old.contains_key(key)), handles.map(|handle| new.contains(handle)));
}

#[test]
fn insert() {
    let mut both = both();
    let ([key, ..], [handle, ..]) = (both.keys, both.handles);
    assert_eq!(both.old.insert(key, 1), both.new.insert(handle, 1).unwrap());
    both.assert_same();
    // The value of a former object is dropped by slotmap, and returned here.
    let (later, newer) = both.replace_first();
    assert_eq!(both.old.insert(later, 2), None);
    assert_eq!(both.new.insert(newer, 2).unwrap(), Some(1));
    assert_eq!(both.old.get(later), both.new.get(newer));
    // A stale key is passed over by slotmap, and refused here.
    assert_eq!(both.old.insert(key, 3), None);
    assert_eq!(both.new.insert(handle, 3).unwrap_err().into_inner(), 3);
    both.assert_same();
}

#[test]
fn remove() {
    let mut both = both();
    assert_eq!(both.old.remove(both.keys[0]), both.new.remove(both.handles[0]));
    assert_eq!(both.old.remove(both.keys[0]), both.new.remove(both.handles[0]));
    both.assert_same();
}

#[test]
fn retain() {
    let mut both = both();
    let (key, handle) = (both.keys[0], both.handles[0]);
    both.old.retain(|each, _| each == key);
    both.new.retain(|each, _| each == handle);
    both.assert_same();
}

#[test]
fn clear() {
    let mut both = both();
    (both.old.clear(), both.new.clear());
    both.assert_same();
}

#[test]
fn drain() {
    let mut both = both();
    assert_eq!(
        set(both.old.drain().map(|(_, value)| value)),
        set(both.new.drain().map(|(_, value)| value))
    );
    both.assert_same();
}

#[test]
fn get() {
    let Both { keys, handles, old, new, .. } = both();
    assert_eq!(keys.map(|key| old.get(key)), handles.map(|handle| new.get(handle)));
}

#[test]
fn get_unchecked() {
    let Both { keys, handles, old, new, .. } = both();
    // SAFETY: the first key has a value.
    let value = unsafe { *old.get_unchecked(keys[0]) };
    // SAFETY: the first handle has a value.
    assert_eq!(value, unsafe { *new.get_unchecked(handles[0]) });
}

#[test]
fn get_mut() {
    let mut both = both();
    *both.old.get_mut(both.keys[1]).unwrap() += 1;
    *both.new.get_mut(both.handles[1]).unwrap() += 1;
    both.assert_same();
}

#[test]
fn get_unchecked_mut() {
    let mut both = both();
    // SAFETY: the first key has a value.
    unsafe { *both.old.get_unchecked_mut(both.keys[0]) += 1 };
    // SAFETY: the first handle has a value.
    unsafe { *both.new.get_unchecked_mut(both.handles[0]) += 1 };
    both.assert_same();
}

#[test]
fn get_disjoint_mut() {
    let mut both = both();
    let ([a, b, c], [d, e, f]) = (both.keys, both.handles);
    let [one, two] = both.old.get_disjoint_mut([a, b]).unwrap();
    std::mem::swap(one, two);
    let [one, two] = both.new.get_disjoint_mut([d, e]).unwrap();
    std::mem::swap(one, two);
    assert!(
        both.old.get_disjoint_mut([a, c]).is_none() && both.new.get_disjoint_mut([d, f]).is_err()
    );
    both.assert_same();
}

#[test]
fn get_disjoint_unchecked_mut() {
    let mut both = both();
    // SAFETY: the first two keys have values.
    let [one, two] = unsafe { both.old.get_disjoint_unchecked_mut([both.keys[0], both.keys[1]]) };
    std::mem::swap(one, two);
    // SAFETY: the first two handles have values.
    let [one, two] =
        unsafe { both.new.get_disjoint_unchecked_mut([both.handles[0], both.handles[1]]) };
    std::mem::swap(one, two);
    both.assert_same();
}

#[test]
fn iter() {
    let Both { keys, handles, old, new, .. } = both();
    assert_eq!(set(old.iter()), set([(keys[0], &10), (keys[1], &20)]));
    assert_eq!(set(new.iter()), set([(handles[0], &10), (handles[1], &20)]));
}

#[test]
fn iter_mut() {
    let mut both = both();
    let (key, handle) = (both.keys[0], both.handles[0]);
    both.old.iter_mut().filter(|(each, _)| *each == key).for_each(|(_, value)| *value += 1);
    both.new.iter_mut().filter(|(each, _)| *each == handle).for_each(|(_, value)| *value += 1);
    both.assert_same();
}

#[test]
fn keys() {
    let Both { keys, handles, old, new, .. } = both();
    assert_eq!(set(old.keys()), set([keys[0], keys[1]]));
    assert_eq!(set(new.handles()), set([handles[0], handles[1]]));
}

#[test]
fn values() {
    let Both { old, new, .. } = both();
    assert_eq!(set(old.values()), set(new.values()));
}

#[test]
fn values_mut() {
    let mut both = both();
    both.old.values_mut().for_each(|value| *value += 1);
    both.new.values_mut().for_each(|value| *value += 1);
    both.assert_same();
}

#[test]
fn entry() {
    let mut both = both();
    for (key, handle) in both.keys.into_iter().zip(both.handles) {
        *both.old.entry(key).unwrap().or_insert(0) += 1;
        *both.new.entry(handle).unwrap().or_insert(0) += 1;
    }
    both.assert_same();
    // A later object in the slot has a value, so that the earlier one's key has no entry.
    let (later, newer) = both.replace_first();
    *both.old.entry(later).unwrap().or_default() += 1;
    *both.new.entry(newer).unwrap().or_default() += 1;
    assert!(both.old.entry(both.keys[0]).is_none() && both.new.entry(both.handles[0]).is_err());
}

#[test]
fn clone() {
    let mut both = both();
    (both.old, both.new) = (both.old.clone(), both.new.clone());
    both.assert_same();
}

#[test]
fn default() {
    assert_eq!(Old::<u32>::default().len(), New::<u32>::default().len());
}

#[test]
fn index() {
    let Both { keys, handles, old, new, .. } = both();
    assert_eq!((old[keys[0]], old[keys[1]]), (new[handles[0]], new[handles[1]]));
}

#[test]
fn index_mut() {
    let mut both = both();
    (both.old[both.keys[0]] += 1, both.new[both.handles[0]] += 1);
    both.assert_same();
}

#[test]
fn partial_eq() {
    let Both { keys, handles, old, new, .. } = both();
    let (mut old_clone, mut new_clone) = (old.clone(), new.clone());
    assert!(old == old_clone && new == new_clone);
    (old_clone[keys[0]] += 1, new_clone[handles[0]] += 1);
    assert!(old != old_clone && new != new_clone);
}

#[test]
fn eq() {
    fn is_eq<T: Eq>(_: T) {}
    let Both { old, new, .. } = both();
    (is_eq(old), is_eq(new));
}

#[test]
fn from_iterator() {
    let mut both = both();
    both.old = both.old.drain().collect();
    both.new = both.new.drain().collect();
    assert_eq!(both.old.len(), 2);
    both.assert_same();
}

#[test]
fn extend() {
    let mut both = both();
    both.old.extend([(both.keys[2], 30)]);
    both.new.extend([(both.handles[2], 30)]);
    both.old.extend([(both.keys[0], &1)]);
    both.new.extend([(both.handles[0], &1)]);
    both.assert_same();
}

#[test]
fn into_iterator() {
    let mut both = both();
    for (_, value) in &mut both.old {
        *value += 1;
    }
    for (_, value) in &mut both.new {
        *value += 1;
    }
    both.assert_same();
    let Both { old, new, .. } = both;
    assert_eq!(
        set((&old).into_iter().map(|(_, value)| value)),
        set((&new).into_iter().map(|(_, value)| value))
    );
    assert_eq!(
        set(old.into_iter().map(|(_, value)| value)),
        set(new.into_iter().map(|(_, value)| value))
    );
}
