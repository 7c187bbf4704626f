//! Not contenders: what the machine allows. Places in an array that check nothing, with a stack of free
//! places. They show what the harness itself costs (random numbers, the array of keys, copying the object)
//! and what the bare cache misses cost: the line of the object, or that and one more.

use std::hint::black_box;

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// Touches the object's own cache lines.
pub(crate) struct OneLine;

/// Touches the object's own cache lines, and one in an array of one word per place beside it.
pub(crate) struct TwoLines;

/// Copies all objects to another array, without a change.
pub(crate) struct Memcpy;

/// Places, a word for each, and the free ones.
pub(crate) struct Places<T> {
    values: Vec<T>,
    words: Vec<u32>,
    free: Vec<u32>,
}

impl<T: Value> Places<T> {
    fn new(capacity: usize, words: usize) -> Self {
        Self {
            values: vec![T::default(); capacity],
            words: vec![1; words],
            free: (0..capacity as u32).rev().collect(),
        }
    }

    #[inline(always)]
    fn insert(&mut self, value: T) -> u32 {
        let index = self.free.pop().expect("room");
        self.values[index as usize] = value;
        index
    }

    #[inline(always)]
    fn remove(&mut self, index: u32) -> T {
        self.free.push(index);
        self.values[index as usize]
    }

    fn clear(&mut self) {
        self.free.clear();
        self.free.extend((0..self.values.len() as u32).rev());
    }
}

impl Contender for OneLine {
    const NAME: &'static str = "limit: object's line, no checks";
    const KIND: Kind = Kind::Limit;
    type Key<T: Value> = u32;
    type Store<T: Value> = Places<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(Places::new(capacity, 0))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        store.insert(value)
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> T {
        store.remove(key)
    }

    #[inline(always)]
    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        &store.values[key as usize]
    }

    #[inline(always)]
    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        &mut store.values[key as usize]
    }

    fn clear<T: Value>(store: &mut Self::Store<T>) -> bool {
        store.clear();
        true
    }
}

impl Contender for TwoLines {
    const NAME: &'static str = "limit: two lines, no checks";
    const KIND: Kind = Kind::Limit;
    type Key<T: Value> = u32;
    type Store<T: Value> = Places<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(Places::new(capacity, capacity))
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        let index = store.insert(value);
        store.words[index as usize] += 1;
        index
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> T {
        store.words[key as usize] += 1;
        store.remove(key)
    }

    #[inline(always)]
    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        black_box(store.words[key as usize]);
        &store.values[key as usize]
    }

    #[inline(always)]
    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        black_box(store.words[key as usize]);
        &mut store.values[key as usize]
    }

    fn clear<T: Value>(store: &mut Self::Store<T>) -> bool {
        store.clear();
        true
    }
}

/// Objects, and room for a copy of them.
pub(crate) struct Copied<T> {
    from: Vec<T>,
    to: Vec<T>,
}

impl Contender for Memcpy {
    const NAME: &'static str = "limit: memcpy";
    const KIND: Kind = Kind::Limit;
    const KEYS_LAST: bool = false;
    const REMOVES: bool = false;
    const UPDATES: bool = false;
    type Key<T: Value> = u32;
    type Store<T: Value> = Copied<T>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        Some(Copied { from: Vec::with_capacity(capacity), to: Vec::with_capacity(capacity) })
    }

    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        store.from.push(value);
        store.to.push(value);
        store.from.len() as u32 - 1
    }

    fn remove<T: Value>(_store: &mut Self::Store<T>, _key: Self::Key<T>) -> T {
        unreachable!("only walks ask for the copy")
    }

    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        &store.from[key as usize]
    }

    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        &mut store.from[key as usize]
    }

    #[inline(always)]
    fn walk_for<T: Value>(
        store: &mut Self::Store<T>,
        _keys: &[Self::Key<T>],
        _visit: impl FnMut(&mut T),
    ) -> bool {
        store.to.copy_from_slice(&store.from);
        black_box(&store.to);
        true
    }
}
