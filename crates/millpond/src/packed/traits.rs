use core::fmt;
use core::ops::{Index, IndexMut};

use super::{Iter, IterMut, PackedPool};
use crate::errors::{PoolName, refuse};
use crate::handle::HandleLayout;
use crate::memory::OutOfMemory;
use crate::storage::PackedValues;

/// # Panics
///
/// If the handle is refused; the message names the pool, the handle and the reason.
///
/// ```should_panic
/// # use millpond::PackedPool;
/// let mut pool = PackedPool::<u8>::builder().name("bullets").capacity(8).build();
/// let handle = pool.insert(1).unwrap();
/// pool.remove(handle);
/// pool[handle]; // pool "bullets" refuses handle 0v…: stale: its object was removed
/// ```
impl<T, H: HandleLayout> Index<H> for PackedPool<T, H> {
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
impl<T, H: HandleLayout> IndexMut<H> for PackedPool<T, H> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, handle: H) -> &mut T {
        match self.position_of(handle) {
            Some(position) => &mut self.values[position],
            None => refuse(self.name(), handle, self.check(handle)),
        }
    }
}

/// The copy has the same handles in the same order, and hands out the same ones next. Takes the
/// memory of a new pool.
impl<T: Clone, H: HandleLayout> Clone for PackedPool<T, H> {
    fn clone(&self) -> Self {
        match self.try_clone() {
            Ok(pool) => pool,
            Err(OutOfMemory) => panic!("no memory for a copy of {}", PoolName(self.name())),
        }
    }
}

impl<T: Clone, H: HandleLayout> PackedPool<T, H> {
    fn try_clone(&self) -> Result<Self, OutOfMemory> {
        // Room for the whole capacity, as in any pool.
        let mut values = PackedValues::try_new(self.capacity())?;
        values.extend(self.values.iter().cloned());
        #[cfg_attr(not(feature = "debug-aids"), allow(unused_mut, reason = "filled below"))]
        let mut copy = Self { roster: self.roster.clone(), values };
        #[cfg(feature = "debug-aids")]
        copy.fill_if_watched();
        Ok(copy)
    }
}

/// A map from handles to values, in their order.
impl<T: fmt::Debug, H: HandleLayout> fmt::Debug for PackedPool<T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<'a, T, H: HandleLayout> IntoIterator for &'a PackedPool<T, H> {
    type Item = (H, &'a T);
    type IntoIter = Iter<'a, T, H>;

    #[inline]
    fn into_iter(self) -> Iter<'a, T, H> {
        self.iter()
    }
}

impl<'a, T, H: HandleLayout> IntoIterator for &'a mut PackedPool<T, H> {
    type Item = (H, &'a mut T);
    type IntoIter = IterMut<'a, T, H>;

    #[inline]
    fn into_iter(self) -> IterMut<'a, T, H> {
        self.iter_mut()
    }
}
