//! `Slab` beside `VecPool`.

use millpond::{Handle, VecPool};
use slab::Slab;

/// A value that knows its handle.
struct Link(Handle<Link>);

/// Both with three values.
fn three() -> (Slab<u32>, [usize; 3], VecPool<u32>, [Handle<u32>; 3]) {
    let (mut old, mut new) = (Slab::new(), VecPool::new());
    let keys = [10, 20, 30].map(|value| old.insert(value));
    let handles = [10, 20, 30].map(|value| new.push(value));
    (old, keys, new, handles)
}

/// What both have, in their order.
#[track_caller]
fn assert_same(old: &Slab<u32>, new: &VecPool<u32>) {
    assert!(old.iter().map(|(_, value)| value).eq(new.values()));
}

#[test]
fn new() {
    let (mut old, mut new) = (Slab::new(), VecPool::new());
    let (key, handle) = (old.insert(1), new.push(1));
    assert_eq!(old[key], new[handle]);
}

#[test]
fn with_capacity() {
    let (old, new) = (Slab::<u32>::with_capacity(10), VecPool::<u32>::with_capacity(10));
    assert!(old.capacity() >= 10 && new.capacity() >= 10);
}

#[test]
fn capacity() {
    let (old, _, new, _) = three();
    assert!(old.capacity() >= 3 && new.capacity() >= 3);
}

#[test]
fn reserve() {
    let (mut old, _, mut new, _) = three();
    old.reserve(100);
    new.reserve(100).expect("memory");
    assert!(old.capacity() >= 103 && new.capacity() >= 103);
}

#[test]
fn reserve_exact() {
    let (mut old, _, mut new, _) = three();
    old.reserve_exact(100);
    new.reserve(100).expect("memory");
    assert!(old.capacity() >= 103 && new.capacity() >= 103);
}

#[test]
fn shrink_to_fit() {
    let (mut old, keys, mut new, handles) = three();
    (old.remove(keys[2]), new.remove(handles[2]));
    old.shrink_to_fit();
    new.shrink_to_fit();
    assert_same(&old, &new);
    assert_eq!((old.get(keys[0]), new.capacity()), (new.get(handles[0]), 2));
}

#[test]
fn compact() {
    let (mut old, keys, mut new, handles) = three();
    (old.remove(keys[0]), new.remove(handles[0]));
    // Both move the last value to the first place, and say so.
    let mut moved = Vec::new();
    old.compact(|value, from, to| {
        moved.push((*value, from, to));
        true
    });
    let mut renamed = Vec::new();
    new.compact(|from, to, value| renamed.push((*value, from, to)));
    assert_eq!((moved.len(), renamed.len()), (1, 1));
    let (value, from, to) = renamed[0];
    assert_eq!((value, from.index() as usize, to.index() as usize), moved[0]);
    assert_eq!((from, new.get(from)), (handles[2], None));
    assert_eq!((old.get(0), old.len()), (new.get(to), new.len()));
    assert_eq!(new.capacity(), 2);
}

#[test]
fn clear() {
    let (mut old, keys, mut new, handles) = three();
    (old.clear(), new.clear());
    assert_eq!(old.get(keys[0]), new.get(handles[0]));
}

#[test]
fn len() {
    let (old, _, new, _) = three();
    assert_eq!(old.len(), new.len());
}

#[test]
fn is_empty() {
    let (old, _, new, _) = three();
    assert_eq!(old.is_empty(), new.is_empty());
    assert_eq!(Slab::<u32>::new().is_empty(), VecPool::<u32>::new().is_empty());
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
fn get() {
    let (mut old, keys, mut new, handles) = three();
    assert_eq!(keys.map(|key| old.get(key)), handles.map(|handle| new.get(handle)));
    // A key of slab finds whatever is in its place.
    (old.remove(keys[0]), new.remove(handles[0]));
    (old.insert(40), new.push(40));
    assert_eq!((old.get(keys[0]), new.get(handles[0])), (Some(&40), None));
}

#[test]
fn get_mut() {
    let (mut old, keys, mut new, handles) = three();
    *old.get_mut(keys[0]).unwrap() += 1;
    *new.get_mut(handles[0]).unwrap() += 1;
    assert_same(&old, &new);
}

#[test]
fn get2_mut() {
    let (mut old, [a, b, _], mut new, [c, d, _]) = three();
    let (one, two) = old.get2_mut(a, b).unwrap();
    std::mem::swap(one, two);
    let [one, two] = new.get_disjoint_mut([c, d]).unwrap();
    std::mem::swap(one, two);
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
    assert!(old.get_disjoint_mut([a, a]).is_err() && new.get_disjoint_mut([c, c]).is_err());
}

#[test]
fn get_unchecked() {
    let (old, keys, new, handles) = three();
    // SAFETY: the key has a value.
    let value = unsafe { *old.get_unchecked(keys[0]) };
    // SAFETY: the handle is live.
    assert_eq!(value, unsafe { *new.get_unchecked(handles[0]) });
}

#[test]
fn get_unchecked_mut() {
    let (mut old, keys, mut new, handles) = three();
    // SAFETY: the key has a value.
    unsafe { *old.get_unchecked_mut(keys[0]) += 1 };
    // SAFETY: the handle is live.
    unsafe { *new.get_unchecked_mut(handles[0]) += 1 };
    assert_same(&old, &new);
}

#[test]
fn get2_unchecked_mut() {
    let (mut old, [a, b, _], mut new, [c, d, _]) = three();
    // SAFETY: two keys that have values.
    let (one, two) = unsafe { old.get2_unchecked_mut(a, b) };
    std::mem::swap(one, two);
    let [one, two] = new.get_disjoint_mut([c, d]).unwrap();
    std::mem::swap(one, two);
    assert_same(&old, &new);
}

#[test]
fn key_of() {
    let (old, keys, new, handles) = three();
    assert_eq!(old.key_of(&old[keys[1]]), keys[1]);
    assert_eq!(new.handle_of(&new[handles[1]]), Some(handles[1]));
}

#[test]
fn insert() {
    let (mut old, mut new) = (Slab::new(), VecPool::new());
    for value in 0..1000 {
        let (key, handle) = (old.insert(value), new.push(value));
        assert_eq!((old[key], key), (new[handle], handle.index() as usize));
    }
}

#[test]
fn vacant_key() {
    let (mut old, keys, mut new, handles) = three();
    (old.remove(keys[1]), new.remove(handles[1]));
    let handle = new.vacant_entry().expect("memory").handle();
    assert_eq!(old.vacant_key(), handle.index() as usize);
    assert_eq!(new.push(40), handle);
}

#[test]
fn vacant_entry() {
    let (mut old, mut new) = (Slab::new(), VecPool::<Link>::new());
    let entry = old.vacant_entry();
    let key = entry.key();
    entry.insert(key);
    let entry = new.vacant_entry().expect("memory");
    let handle = entry.handle();
    entry.insert(Link(handle));
    assert_eq!((old[key], new[handle].0), (key, handle));
}

/// Of a vacant entry.
#[test]
fn key() {
    let (mut old, mut new) = (Slab::<u32>::new(), VecPool::<u32>::new());
    let entry = new.vacant_entry().expect("memory");
    assert_eq!(old.vacant_entry().key(), entry.handle().index() as usize);
}

#[test]
fn try_remove() {
    let (mut old, keys, mut new, handles) = three();
    assert_eq!(old.try_remove(keys[0]), new.remove(handles[0]));
    assert_eq!(old.try_remove(keys[0]), new.remove(handles[0]));
    assert_same(&old, &new);
}

#[test]
fn remove() {
    let (mut old, keys, mut new, handles) = three();
    assert_eq!(old.remove(keys[0]), new.remove(handles[0]).expect("it is live"));
    assert_same(&old, &new);
}

#[test]
fn contains() {
    let (mut old, keys, mut new, handles) = three();
    (old.remove(keys[0]), new.remove(handles[0]));
    assert_eq!(keys.map(|key| old.contains(key)), handles.map(|handle| new.contains(handle)));
}

#[test]
fn retain() {
    let (mut old, keys, mut new, handles) = three();
    old.retain(|key, _| key != keys[0]);
    new.retain(|handle, _| handle != handles[0]);
    assert_same(&old, &new);
}

#[test]
fn drain() {
    let (mut old, _, mut new, _) = three();
    assert!(old.drain().eq(new.drain().map(|(_, value)| value)));
    assert!(old.is_empty() && new.is_empty());
}

#[test]
fn clone() {
    let (old, _, new, _) = three();
    assert_same(&old.clone(), &new.clone());
}

#[test]
fn default() {
    assert_same(&Slab::default(), &VecPool::default());
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
    let (old, _, new, _) = three();
    assert!(old.into_iter().map(|(_, value)| value).eq(new.into_iter().map(|(_, value)| value)));
}

#[test]
fn from_iterator() {
    let old: Slab<_> = [(0, 10), (5, 20)].into_iter().collect();
    let mut new = VecPool::new();
    for (index, value) in [(0, 10), (5, 20)] {
        new.insert_at(Handle::from_parts(index, 1).unwrap(), value).unwrap();
    }
    assert_same(&old, &new);
    assert_eq!(old.get(5), new.get_at(5));
}
