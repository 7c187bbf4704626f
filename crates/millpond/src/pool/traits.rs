use core::fmt;
use core::ops::{Index, IndexMut};

use super::{Iter, IterMut, Pool};
use crate::errors::{PoolName, refuse};
use crate::handle::HandleLayout;
use crate::reuse::ReuseOrder;

/// # Panics
///
/// If the handle is refused; the message names the pool, the handle and the reason.
///
/// ```should_panic
/// # use millpond::Pool;
/// let mut pool = Pool::<u8>::builder().name("bullets").capacity(8).build();
/// let handle = pool.insert(1).unwrap();
/// pool.remove(handle);
/// pool[handle]; // pool "bullets" refuses handle 0v…: stale: its object was removed
/// ```
impl<T, R: ReuseOrder, H: HandleLayout> Index<H> for Pool<T, R, H> {
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
impl<T, R: ReuseOrder, H: HandleLayout> IndexMut<H> for Pool<T, R, H> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, handle: H) -> &mut T {
        if !self.contains(handle) {
            refuse(self.name(), handle, self.check(handle));
        }
        // SAFETY: the pool contains the handle.
        unsafe { self.get_unchecked_mut(handle) }
    }
}

/// The copy is a twin: it has the same handles, hands out the same ones next, and so accepts the other's
/// handles. Takes the memory of a new pool.
impl<T: Clone, R: ReuseOrder, H: HandleLayout> Clone for Pool<T, R, H> {
    fn clone(&self) -> Self {
        let storage = match self.storage.try_clone() {
            Ok(storage) => storage,
            Err(_) => panic!("no memory for a copy of {}", PoolName(self.name())),
        };
        #[cfg(feature = "debug-aids")]
        let storage = super::debug::watched_like(storage, &self.storage);
        Self { core: self.core.clone_for(storage.words()), storage }
    }
}

/// A map from handles to values.
impl<T: fmt::Debug, R: ReuseOrder, H: HandleLayout> fmt::Debug for Pool<T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<'a, T, R: ReuseOrder, H: HandleLayout> IntoIterator for &'a Pool<T, R, H> {
    type Item = (H, &'a T);
    type IntoIter = Iter<'a, T, R, H>;

    #[inline]
    fn into_iter(self) -> Iter<'a, T, R, H> {
        self.iter()
    }
}

impl<'a, T, R: ReuseOrder, H: HandleLayout> IntoIterator for &'a mut Pool<T, R, H> {
    type Item = (H, &'a mut T);
    type IntoIter = IterMut<'a, T, R, H>;

    #[inline]
    fn into_iter(self) -> IterMut<'a, T, R, H> {
        self.iter_mut()
    }
}
