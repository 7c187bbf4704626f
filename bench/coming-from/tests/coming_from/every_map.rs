//! What all of slotmap's maps have.

use super::{New, Old, add, empty};
use crate::keys::{NewKey, OldKey};

/// Both with three values.
pub(super) fn three() -> (Old<u32>, [OldKey; 3], New<u32>, [NewKey; 3]) {
    let (mut old, mut new) = (Old::default(), empty());
    let keys = [10, 20, 30].map(|value| old.insert(value));
    let handles = [10, 20, 30].map(|value| add(&mut new, value));
    (old, keys, new, handles)
}

/// What both have, in their order.
#[track_caller]
fn assert_same(old: &Old<u32>, new: &New<u32>) {
    assert!(old.values().eq(new.values()), "{:?}, {:?}", old.values(), new.values());
}

#[test]
fn with_capacity_and_key() {
    let (old, new) = (Old::<u32>::with_capacity_and_key(10), New::<u32>::with_capacity(10));
    assert!(old.capacity() >= 10 && new.capacity() >= 10);
}

#[test]
fn len() {
    let (old, _, new, _) = three();
    assert_eq!(old.len(), new.len());
}

#[test]
fn is_empty() {
    assert_eq!(Old::<u32>::default().is_empty(), empty::<u32>().is_empty());
    let (old, _, new, _) = three();
    assert_eq!(old.is_empty(), new.is_empty());
}

#[test]
fn capacity() {
    let (old, _, new, _) = three();
    assert!(old.capacity() >= 3 && new.capacity() >= 3);
}

#[test]
fn contains_key() {
    let (mut old, keys, mut new, handles) = three();
    (old.remove(keys[1]), new.remove(handles[1]));
    assert_eq!(keys.map(|key| old.contains_key(key)), handles.map(|handle| new.contains(handle)));
}

#[test]
fn insert_with_key() {
    let (mut old, mut new) = (Old::default(), empty());
    let key = old.insert_with_key(|key| (key, 1));
    let handle = new.insert_with(|handle| (handle, 1)).unwrap();
    assert_eq!((old[key], new[handle]), ((key, 1), (handle, 1)));
}

#[test]
fn try_insert_with_key() {
    let (mut old, mut new) = (Old::default(), empty());
    let mut try_both = |make: fn() -> Result<u32, &'static str>| {
        let key = old.try_insert_with_key(|_| make());
        let handle = (|| {
            let entry = new.vacant_entry().expect("room");
            let _future: NewKey = entry.handle();
            let value = make()?;
            Ok(entry.insert(value))
        })();
        assert_eq!(key.map(|key| old[key]), handle.map(|handle| new[handle]));
        assert_eq!(old.len(), new.len());
    };
    try_both(|| Ok(1));
    try_both(|| Err("no"));
    try_both(|| Ok(2));
}

#[test]
fn remove() {
    let (mut old, keys, mut new, handles) = three();
    assert_eq!(old.remove(keys[0]), new.remove(handles[0]));
    assert_eq!(old.remove(keys[0]), new.remove(handles[0]));
    assert_same(&old, &new);
    // A new value in the same slot has a key of its own.
    let (key, handle) = (old.insert(40), add(&mut new, 40));
    assert_eq!((old.get(keys[0]), old.get(key)), (new.get(handles[0]), new.get(handle)));
    assert_same(&old, &new);
}

#[test]
fn retain() {
    let (mut old, keys, mut new, handles) = three();
    old.retain(|key, value| {
        *value += 1;
        key != keys[1]
    });
    new.retain(|handle, value| {
        *value += 1;
        handle != handles[1]
    });
    assert_same(&old, &new);
}

#[test]
fn clear() {
    let (mut old, keys, mut new, handles) = three();
    (old.clear(), new.clear());
    assert_eq!((old.len(), old.get(keys[0])), (new.len(), new.get(handles[0])));
}

#[test]
fn drain() {
    let (mut old, _, mut new, _) = three();
    let values: Vec<_> = old.drain().map(|(_, value)| value).collect();
    assert_eq!(values.len(), 3);
    let mut drained: Vec<_> = new.drain().map(|(_, value)| value).collect();
    drained.sort_unstable();
    assert!(values.iter().all(|value| drained.binary_search(value).is_ok()));
    assert!(old.is_empty() && new.is_empty());
}

#[test]
fn get() {
    let (mut old, keys, mut new, handles) = three();
    (old.remove(keys[1]), new.remove(handles[1]));
    assert_eq!(keys.map(|key| old.get(key)), handles.map(|handle| new.get(handle)));
}

#[test]
fn get_mut() {
    let (mut old, keys, mut new, handles) = three();
    *old.get_mut(keys[2]).unwrap() += 1;
    *new.get_mut(handles[2]).unwrap() += 1;
    assert_same(&old, &new);
}

#[test]
fn get_disjoint_mut() {
    let (mut old, [a, b, _], mut new, [c, d, _]) = three();
    let [one, two] = old.get_disjoint_mut([a, b]).unwrap();
    std::mem::swap(one, two);
    let [one, two] = new.get_disjoint_mut([c, d]).unwrap();
    std::mem::swap(one, two);
    assert_same(&old, &new);
    assert!(old.get_disjoint_mut([a, a]).is_none() && new.get_disjoint_mut([c, c]).is_err());
}

#[test]
fn get_disjoint_unchecked_mut() {
    let (mut old, [a, b, _], mut new, [c, d, _]) = three();
    // SAFETY: two keys of live values.
    let [one, two] = unsafe { old.get_disjoint_unchecked_mut([a, b]) };
    std::mem::swap(one, two);
    let [one, two] = new.get_disjoint_mut([c, d]).unwrap();
    std::mem::swap(one, two);
    assert_same(&old, &new);
}

#[test]
fn iter() {
    let (old, keys, new, handles) = three();
    assert!(old.iter().eq(keys.into_iter().zip(&[10, 20, 30])));
    assert!(new.iter().eq(handles.into_iter().zip(&[10, 20, 30])));
}

#[test]
fn iter_mut() {
    let (mut old, keys, mut new, handles) = three();
    old.iter_mut().filter(|(key, _)| *key == keys[1]).for_each(|(_, value)| *value += 1);
    new.iter_mut().filter(|(handle, _)| *handle == handles[1]).for_each(|(_, value)| *value += 1);
    assert_same(&old, &new);
}

#[test]
fn keys() {
    let (old, keys, new, handles) = three();
    assert!(old.keys().eq(keys) && new.handles().eq(handles));
}

#[test]
fn values() {
    let (old, _, new, _) = three();
    assert!(old.values().eq(new.values()));
}

#[test]
fn values_mut() {
    let (mut old, _, mut new, _) = three();
    old.values_mut().for_each(|value| *value *= 2);
    new.values_mut().for_each(|value| *value *= 2);
    assert_same(&old, &new);
}

#[test]
fn clone() {
    let (old, keys, new, handles) = three();
    let (old, new) = (old.clone(), new.clone());
    assert_eq!(keys.map(|key| old[key]), handles.map(|handle| new[handle]));
}

#[test]
fn default() {
    assert_eq!(Old::<u32>::default().len(), New::<u32>::default().len());
}

#[test]
fn index() {
    let (old, keys, new, handles) = three();
    assert_eq!(keys.map(|key| old[key]), handles.map(|handle| new[handle]));
}

#[test]
fn index_mut() {
    let (mut old, keys, mut new, handles) = three();
    (old[keys[0]] += 1, new[handles[0]] += 1);
    assert_same(&old, &new);
}

#[test]
fn into_iterator() {
    let (mut old, keys, mut new, handles) = three();
    for (key, value) in &mut old {
        *value += u32::from(key == keys[0]);
    }
    for (handle, value) in &mut new {
        *value += u32::from(handle == handles[0]);
    }
    assert!(
        (&old).into_iter().map(|(_, value)| value).eq((&new).into_iter().map(|(_, value)| value))
    );
    assert!(old.into_iter().map(|(_, value)| value).eq(new.into_iter().map(|(_, value)| value)));
}
