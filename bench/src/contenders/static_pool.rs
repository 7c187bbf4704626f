//! `millpond::StaticPool`: its number of slots is part of its type, so it takes part where a work's is one of
//! those that it was built for here. It lies on the heap as it would in a `static`: all zero, and its pages
//! untouched before the first insertions.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};

use crate::contender::{Contender, Kind};
use crate::object::Value;

/// See the module. All have one name, and one row: at most one of them can do a given work.
pub(crate) struct StaticPool<const N: usize>;

impl<const N: usize> Contender for StaticPool<N> {
    const NAME: &'static str = "StaticPool";
    const KIND: Kind = Kind::Millpond;
    type Key<T: Value> = millpond::Handle<T>;
    type Store<T: Value> = Box<millpond::StaticPool<T, N>>;

    fn new<T: Value>(capacity: usize) -> Option<Self::Store<T>> {
        (capacity == N).then(all_zero)
    }

    #[inline(always)]
    fn insert<T: Value>(store: &mut Self::Store<T>, value: T) -> Self::Key<T> {
        store.insert(value).expect("room")
    }

    #[inline(always)]
    fn remove<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> T {
        store.remove(key).expect("live")
    }

    #[inline(always)]
    fn get<T: Value>(store: &Self::Store<T>, key: Self::Key<T>) -> &T {
        store.get(key).expect("live")
    }

    #[inline(always)]
    fn get_mut<T: Value>(store: &mut Self::Store<T>, key: Self::Key<T>) -> &mut T {
        store.get_mut(key).expect("live")
    }

    fn clear<T: Value>(store: &mut Self::Store<T>) -> bool {
        store.clear();
        true
    }

    #[inline(always)]
    fn walk_for<T: Value>(
        store: &mut Self::Store<T>,
        _keys: &[Self::Key<T>],
        mut visit: impl FnMut(&mut T),
    ) -> bool {
        for value in store.values_mut() {
            visit(value);
        }
        true
    }

    #[inline(always)]
    fn walk_for_each<T: Value>(store: &mut Self::Store<T>, visit: impl FnMut(&mut T)) -> bool {
        store.values_mut().for_each(visit);
        true
    }

    #[inline(always)]
    fn walk_runs<T: Value>(store: &mut Self::Store<T>, mut visit: impl FnMut(&mut T)) -> bool {
        for (_, run) in store.runs_mut() {
            for value in run {
                visit(value);
            }
        }
        true
    }

    #[inline(always)]
    fn retain<T: Value>(store: &mut Self::Store<T>, mut keep: impl FnMut(&mut T) -> bool) -> bool {
        store.retain(|_, value| keep(value));
        true
    }
}

/// A new pool that has never been on the stack, which may be too small for it.
fn all_zero<T: Value, const N: usize>() -> Box<millpond::StaticPool<T, N>> {
    let layout = Layout::new::<millpond::StaticPool<T, N>>();
    // SAFETY: a pool has some bytes of its own, so the size is not zero.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        handle_alloc_error(layout);
    }
    // SAFETY: the memory is the box's alone and of its layout; a new pool without a name, a salt or a limit is
    // all zero bits, as its documentation says.
    unsafe { Box::from_raw(memory.cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_of_zeros_is_a_new_pool() {
        let (mut zeros, mut new) = (all_zero::<u32, 3>(), millpond::StaticPool::<u32, 3>::new());
        assert_eq!(zeros.stats(), new.stats());
        for number in 0..3 {
            assert_eq!(zeros.insert(number).unwrap(), new.insert(number).unwrap());
        }
        assert!(zeros.insert(3).is_err());
        assert_eq!(zeros.name(), new.name());
    }
}
