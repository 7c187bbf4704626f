//! generational-arena's `Arena` beside `VecPool`.

use generational_arena::{Arena, Index};
use millpond::{Handle, Pool, VecPool};

/// A value that knows its handle.
#[derive(Debug, PartialEq)]
struct Link(Handle<Link>);

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
fn from_raw_parts() {
    assert_eq!(Index::from_raw_parts(7, 3).into_raw_parts(), (7, 3));
    let handle: Handle<u32> = Handle::from_parts(7, 3).unwrap();
    assert_eq!((handle.index(), handle.generation()), (7, 3));
}

#[test]
fn into_raw_parts() {
    let (_, indices, _, handles) = three();
    let (index, generation) = indices[1].into_raw_parts();
    // The first generation is 0 there, and 1 here.
    assert_eq!((index, generation), (1, 0));
    assert_eq!((handles[1].index(), handles[1].generation()), (1, 1));
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
    assert_eq!(old.capacity(), new.capacity());
}

#[test]
fn clear() {
    let (mut old, indices, mut new, handles) = three();
    (old.clear(), new.clear());
    assert_eq!(old.get(indices[0]), new.get(handles[0]));
}

#[test]
fn try_insert() {
    let (mut old, mut new) = (Arena::with_capacity(1), Pool::new(1));
    let (index, handle) = (old.try_insert(1).unwrap(), new.insert(1).unwrap());
    assert_eq!(old[index], new[handle]);
    assert_eq!(old.try_insert(2).unwrap_err(), new.insert(2).unwrap_err().into_inner());
}

#[test]
fn try_insert_with() {
    let (mut old, mut new) = (Arena::with_capacity(1), Pool::new(1));
    let index = old.try_insert_with(|index| index).ok().unwrap();
    let handle = new.insert_with(Link).unwrap();
    assert_eq!((old[index], &new[handle]), (index, &Link(handle)));
    assert!(old.try_insert_with(|index| index).is_err() && new.insert_with(Link).is_err());
}

#[test]
fn insert() {
    let (mut old, mut new) = (Arena::new(), VecPool::new());
    for value in 0..1000 {
        let (index, handle) = (old.insert(value), new.push(value));
        assert_eq!(old[index], new[handle]);
    }
}

#[test]
fn insert_with() {
    let (mut old, mut new) = (Arena::new(), VecPool::new());
    let index = old.insert_with(|index| index);
    let handle = new.insert_with(Link).expect("memory");
    assert_eq!((old[index], &new[handle]), (index, &Link(handle)));
}

#[test]
fn remove() {
    let (mut old, indices, mut new, handles) = three();
    assert_eq!(old.remove(indices[0]), new.remove(handles[0]));
    assert_eq!(old.remove(indices[0]), new.remove(handles[0]));
    assert_same(&old, &new);
    (old.insert(40), new.push(40));
    assert_eq!(old.get(indices[0]), new.get(handles[0]));
    assert_same(&old, &new);
}

#[test]
fn retain() {
    let (mut old, indices, mut new, handles) = three();
    old.retain(|index, _| index != indices[0]);
    new.retain(|handle, _| handle != handles[0]);
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
fn len() {
    let (old, _, new, _) = three();
    assert_eq!(old.len(), new.len());
}

#[test]
fn is_empty() {
    let (old, _, new, _) = three();
    assert_eq!(old.is_empty(), new.is_empty());
    assert_eq!(Arena::<u32>::new().is_empty(), VecPool::<u32>::new().is_empty());
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
fn get_unknown_gen() {
    let (old, indices, new, handles) = three();
    assert_eq!(old.get_unknown_gen(1), Some((&20, indices[1])));
    assert_eq!(new.object_at(1), Some((handles[1], &20)));
}

#[test]
fn get_unknown_gen_mut() {
    let (mut old, _, mut new, _) = three();
    *old.get_unknown_gen_mut(1).unwrap().0 += 1;
    *new.object_at_mut(1).unwrap().1 += 1;
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
    assert!(old.into_iter().eq(new.into_iter().map(|(_, value)| value)));
}

#[test]
fn extend() {
    let (mut old, _, mut new, _) = three();
    (old.extend([40, 50]), new.extend([40, 50]));
    assert_same(&old, &new);
}

#[test]
fn from_iterator() {
    assert_same(&[10, 20].into_iter().collect(), &[10, 20].into_iter().collect());
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
