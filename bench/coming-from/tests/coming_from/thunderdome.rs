//! thunderdome's `Arena` beside `VecPool`.

use millpond::{Handle, VecPool};
use thunderdome::{Arena, Index};

/// Both with three values.
fn three() -> (Arena<u32>, [Index; 3], VecPool<u32>, [Handle<u32>; 3]) {
    let (mut old, mut new) = (Arena::new(), VecPool::new());
    let indices = [10, 20, 30].map(|value| old.insert(value));
    let handles = [10, 20, 30].map(|value| new.push(value));
    (old, indices, new, handles)
}

/// What both have, in their order.
#[track_caller]
fn assert_same(old: &Arena<u32>, new: &VecPool<u32>) {
    assert!(old.iter().map(|(_, value)| value).eq(new.values()));
}

#[test]
fn dangling() {
    let (old, _, new, _) = three();
    assert_eq!(old.get(Index::DANGLING), new.get(Handle::DANGLING));
}

#[test]
fn to_bits() {
    let (_, indices, _, handles) = three();
    assert_eq!(Index::from_bits(indices[1].to_bits()), Some(indices[1]));
    assert_eq!(Handle::from_bits(handles[1].to_bits()), Some(handles[1]));
}

#[test]
fn from_bits() {
    // The index is above the generation here, and below it there. Neither has a generation 0.
    assert_eq!(Index::from_bits(7), None);
    assert_eq!(Handle::<u32>::from_bits(7 << 32), None);
}

#[test]
fn generation() {
    let (_, indices, _, handles) = three();
    assert_eq!(indices.map(Index::generation), handles.map(Handle::generation));
    assert_eq!(indices[0].generation(), handles[0].generation());
}

#[test]
fn slot() {
    let (_, indices, _, handles) = three();
    for (index, handle) in indices.into_iter().zip(handles) {
        assert_eq!(index.slot(), handle.index());
    }
}

#[test]
fn new() {
    let (mut old, mut new) = (Arena::new(), VecPool::new());
    let (index, handle) = (old.insert(1), new.push(1));
    assert_eq!(old[index], new[handle]);
}

#[test]
fn with_capacity() {
    let (old, new) = (Arena::<u32>::with_capacity(10), VecPool::<u32>::with_capacity(10));
    assert!(old.capacity() >= 10 && new.capacity() >= 10);
}

#[test]
fn len() {
    let (old, _, new, _) = three();
    assert_eq!(old.len(), new.len());
}

#[test]
fn capacity() {
    let (old, _, new, _) = three();
    assert!(old.capacity() >= 3 && new.capacity() >= 3);
}

#[test]
fn is_empty() {
    let (old, _, new, _) = three();
    assert_eq!(old.is_empty(), new.is_empty());
    assert_eq!(Arena::<u32>::new().is_empty(), VecPool::<u32>::new().is_empty());
}

#[test]
fn insert() {
    let (mut old, mut new) = (Arena::new(), VecPool::new());
    for value in 0..1000 {
        let (index, handle) = (old.insert(value), new.push(value));
        assert_eq!((old[index], index.slot()), (new[handle], handle.index()));
    }
}

#[test]
fn insert_at() {
    let (mut old, indices, mut new, handles) = three();
    (old.remove(indices[0]), new.remove(handles[0]));
    let index = Index::from_bits(9 << 32).unwrap();
    let handle = Handle::from_parts(0, 9).unwrap();
    assert_eq!(old.insert_at(index, 40), None);
    assert_eq!(new.insert_at(handle, 40).unwrap(), handle);
    assert_same(&old, &new);
    // thunderdome replaces a live value, and makes a stale index valid again.
    assert_eq!(old.insert_at(indices[0], 50), Some(40));
    assert!(old.contains(indices[0]));
    assert_eq!(new.insert_at(handles[0], 50).unwrap_err().into_inner(), 50);
    assert!(!new.contains(handles[0]));
}

#[test]
fn insert_at_slot() {
    let (mut old, indices, mut new, handles) = three();
    let (index, before) = old.insert_at_slot(1, 40);
    let removed = new.remove_at(1);
    let handle = new.push(40);
    assert_eq!((before, index.slot()), (removed, handle.index()));
    assert_eq!(old.get(indices[1]), new.get(handles[1]));
    assert_same(&old, &new);
}

#[test]
fn contains() {
    let (mut old, indices, mut new, handles) = three();
    (old.remove(indices[0]), new.remove(handles[0]));
    assert_eq!(
        indices.map(|index| old.contains(index)),
        handles.map(|handle| new.contains(handle))
    );
}

#[test]
fn contains_slot() {
    let (old, indices, new, handles) = three();
    assert_eq!((old.contains_slot(1), old.contains_slot(3)), (Some(indices[1]), None));
    assert_eq!((new.handle_at(1), new.handle_at(3)), (Some(handles[1]), None));
}

#[test]
fn get() {
    let (old, indices, new, handles) = three();
    assert_eq!(indices.map(|index| old.get(index)), handles.map(|handle| new.get(handle)));
}

#[test]
fn get_mut() {
    let (mut old, indices, mut new, handles) = three();
    *old.get_mut(indices[0]).unwrap() += 1;
    *new.get_mut(handles[0]).unwrap() += 1;
    assert_same(&old, &new);
}

#[test]
fn get2_mut() {
    let (mut old, [a, b, _], mut new, [c, d, _]) = three();
    (old.remove(a), new.remove(c));
    let (one, two) = old.get2_mut(a, b);
    assert_eq!([one, two], new.get_each_mut([c, d]).unwrap());
}

#[test]
fn remove() {
    let (mut old, indices, mut new, handles) = three();
    assert_eq!(old.remove(indices[0]), new.remove(handles[0]));
    assert_eq!(old.remove(indices[0]), new.remove(handles[0]));
    assert_same(&old, &new);
}

#[test]
fn invalidate() {
    let (mut old, indices, mut new, handles) = three();
    let index = old.invalidate(indices[0]).unwrap();
    let value = new.remove(handles[0]).unwrap();
    let handle = new.push(value);
    assert_eq!((old[index], index.slot()), (new[handle], handle.index()));
    assert_eq!(old.get(indices[0]), new.get(handles[0]));
}

#[test]
fn remove_by_slot() {
    let (mut old, indices, mut new, handles) = three();
    assert_eq!(old.remove_by_slot(1), Some((indices[1], 20)));
    assert_eq!((new.handle_at(1), new.remove_at(1)), (Some(handles[1]), Some(20)));
    assert_same(&old, &new);
}

#[test]
fn get_by_slot() {
    let (old, indices, new, handles) = three();
    assert_eq!(old.get_by_slot(1), Some((indices[1], &20)));
    assert_eq!(new.object_at(1), Some((handles[1], &20)));
}

#[test]
fn get_by_slot_mut() {
    let (mut old, _, mut new, _) = three();
    *old.get_by_slot_mut(1).unwrap().1 += 1;
    *new.object_at_mut(1).unwrap().1 += 1;
    assert_same(&old, &new);
}

#[test]
fn clear() {
    let (mut old, indices, mut new, handles) = three();
    (old.clear(), new.clear());
    assert_eq!(old.get(indices[0]), new.get(handles[0]));
}

#[test]
fn iter() {
    let (old, indices, new, handles) = three();
    assert!(old.iter().eq(indices.into_iter().zip(&[10, 20, 30])));
    assert!(new.iter().eq(handles.into_iter().zip(&[10, 20, 30])));
}

#[test]
fn iter_mut() {
    let (mut old, _, mut new, _) = three();
    old.iter_mut().for_each(|(_, value)| *value += 1);
    new.iter_mut().for_each(|(_, value)| *value += 1);
    assert_same(&old, &new);
}

#[test]
fn drain() {
    let (mut old, _, mut new, _) = three();
    assert!(old.drain().map(|(_, value)| value).eq(new.drain().map(|(_, value)| value)));
    assert!(old.is_empty() && new.is_empty());
}

#[test]
fn retain() {
    let (mut old, indices, mut new, handles) = three();
    old.retain(|index, _| index != indices[0]);
    new.retain(|handle, _| handle != handles[0]);
    assert_same(&old, &new);
}

#[test]
fn clone() {
    let (old, _, new, _) = three();
    assert_same(&old.clone(), &new.clone());
}

#[test]
fn default() {
    assert_same(&Arena::default(), &VecPool::default());
}

#[test]
fn into_iterator() {
    let (old, _, new, _) = three();
    assert!(old.into_iter().map(|(_, value)| value).eq(new.into_iter().map(|(_, value)| value)));
}

#[test]
fn index() {
    let (old, indices, new, handles) = three();
    assert_eq!(indices.map(|index| old[index]), handles.map(|handle| new[handle]));
}

#[test]
fn index_mut() {
    let (mut old, indices, mut new, handles) = three();
    (old[indices[0]] += 1, new[handles[0]] += 1);
    assert_same(&old, &new);
}
