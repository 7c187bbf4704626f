//! `Vec<Option<T>>` with a stack of free indices beside it: what people write by hand.

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// See the module.
pub(crate) struct VecOption;

/// The places, and those of them that are empty.
#[derive(Clone)]
pub(crate) struct Places<T> {
    places: Vec<Option<T>>,
    free: Vec<u32>,
}

impl Contender for VecOption {
    const NAME: &'static str = "Vec of Option";
    const KIND: Kind = Kind::Index;
    type Key<T: Value> = u32;
    type Store<T: Value> = Places<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(Places { places: Vec::with_capacity(capacity), free: Vec::with_capacity(capacity) })
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        if let Some(index) = store.free.pop() {
            store.places[index as usize] = Some(value);
            return index;
        }
        store.places.push(Some(value));
        store.places.len() as u32 - 1
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> T {
        let value = store.places[key as usize].take().expect("live");
        store.free.push(key);
        value
    }

    #[inline(always)]
    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        store.places[key as usize].as_ref().expect("live")
    }

    #[inline(always)]
    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        store.places[key as usize].as_mut().expect("live")
    }

    fn duplicate<T: Value>(store: &Self::Store<T>) -> Option<Self::Store<T>> {
        Some(store.clone())
    }

    fn clear<T: Value>(store: &mut Self::Store<T>) -> bool {
        store.places.clear();
        store.free.clear();
        true
    }

    #[inline(always)]
    fn walk_for<T: Value>(
        store: &mut Self::Store<T>,
        _keys: &[Self::Key<T>],
        mut visit: impl FnMut(&mut T),
    ) -> bool {
        for value in store.places.iter_mut().flatten() {
            visit(value);
        }
        true
    }

    #[inline(always)]
    fn walk_for_each<T: Value>(store: &mut Self::Store<T>, visit: impl FnMut(&mut T)) -> bool {
        store.places.iter_mut().flatten().for_each(visit);
        true
    }

    #[inline(always)]
    fn retain<T: Value>(store: &mut Self::Store<T>, mut keep: impl FnMut(&mut T) -> bool) -> bool {
        for (index, place) in store.places.iter_mut().enumerate() {
            if place.as_mut().is_some_and(|value| !keep(value)) {
                *place = None;
                store.free.push(index as u32);
            }
        }
        true
    }
}
