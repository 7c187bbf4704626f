use core::fmt;
use core::ops::{Index, IndexMut};

use super::{Iter, IterMut, StaticPool};
use crate::errors::refuse;
use crate::handle::{HandleLayout, Word};

/// # Panics
///
/// If the handle is refused; the message names the pool, the handle and the reason.
///
/// ```should_panic
/// # use millpond::StaticPool;
/// let mut pool: StaticPool<u8, 8> = StaticPool::named("bullets");
/// let handle = pool.insert(1).unwrap();
/// pool.remove(handle);
/// pool[handle]; // pool "bullets" refuses handle 0v…: stale: its object was removed
/// ```
impl<T, const N: usize, H: HandleLayout> Index<H> for StaticPool<T, N, H> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, handle: H) -> &T {
        match self.get(handle) {
            Some(value) => value,
            None => refuse(self.name(), handle, self.check(handle)),
        }
    }
}

/// # Panics
///
/// If the handle is refused; the message names the pool, the handle and the reason.
impl<T, const N: usize, H: HandleLayout> IndexMut<H> for StaticPool<T, N, H> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, handle: H) -> &mut T {
        if let Err(refusal) = self.check(handle) {
            refuse(self.name(), handle, Err(refusal));
        }
        match self.storage.get_mut(handle.index() as usize) {
            Some(value) => value,
            None => unreachable!("the slot of a good handle is live"),
        }
    }
}

/// The copy has the same handles, and hands out the same ones next.
impl<T: Clone, const N: usize, H: HandleLayout> Clone for StaticPool<T, N, H> {
    fn clone(&self) -> Self {
        let start = self.core.circle().start().generation();
        let mut storage = super::StaticStorage::<T, N, H>::fresh(start);
        storage.clone_into_fresh(&self.storage);
        let core = self.core.clone_for(storage.words());
        Self { storage, core }
    }
}

impl<T, const N: usize, H: HandleLayout> Default for StaticPool<T, N, H> {
    fn default() -> Self {
        Self::with_handle()
    }
}

/// A map from handles to values.
impl<T: fmt::Debug, const N: usize, H: HandleLayout> fmt::Debug for StaticPool<T, N, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<'a, T, const N: usize, H: HandleLayout> IntoIterator for &'a StaticPool<T, N, H> {
    type Item = (H, &'a T);
    type IntoIter = Iter<'a, T, N, H>;

    #[inline]
    fn into_iter(self) -> Iter<'a, T, N, H> {
        self.iter()
    }
}

impl<'a, T, const N: usize, H: HandleLayout> IntoIterator for &'a mut StaticPool<T, N, H> {
    type Item = (H, &'a mut T);
    type IntoIter = IterMut<'a, T, N, H>;

    #[inline]
    fn into_iter(self) -> IterMut<'a, T, N, H> {
        self.iter_mut()
    }
}
