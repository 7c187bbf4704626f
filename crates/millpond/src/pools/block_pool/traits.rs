use core::fmt;
use core::ops::{Index, IndexMut};

use super::growth::Growing;
use super::{BlockPool, Iter, IterMut};
use crate::handle::HandleLayout;
use crate::reports::errors::{PoolName, refuse};
use crate::slots::BlockSizes;
use crate::slots::lifetimes::Lifetimes;
use crate::slots::reuse::ReuseOrder;

/// # Panics
///
/// If the handle is refused; the message names the pool, the handle and the reason.
///
/// ```should_panic
/// # use millpond::BlockPool;
/// let mut pool = BlockPool::<u8>::builder().name("bullets").slots_per_block(8).build();
/// let handle = pool.insert(1).unwrap();
/// pool.remove(handle);
/// pool[handle]; // pool "bullets" refuses handle 0v…: stale: its object was removed
/// ```
impl<T, R: ReuseOrder, H: HandleLayout> Index<H> for BlockPool<T, R, H> {
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
impl<T, R: ReuseOrder, H: HandleLayout> IndexMut<H> for BlockPool<T, R, H> {
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
/// handles. Takes the memory of a new pool with the same blocks. Its growth hook is the same; its
/// [`GrowthStats`](super::GrowthStats) go on from those of the original.
impl<T: Clone, R: ReuseOrder, H: HandleLayout> Clone for BlockPool<T, R, H> {
    fn clone(&self) -> Self {
        let Ok(storage) = self.storage.try_clone_blocks::<R, H>(&self.core.circle()) else {
            panic!("no memory for a copy of {}", PoolName(self.name()))
        };
        let core = self.core.clone_for(storage.words());
        #[cfg_attr(not(feature = "debug-aids"), allow(unused_mut, reason = "watched below"))]
        let mut copy = Self { storage, core, growth: self.growth };
        #[cfg(feature = "debug-aids")]
        copy.watch_like(self);
        copy
    }
}

/// A pool without any slot yet, and without memory, of any reuse order and handle layout, whose blocks double; see
/// [`BlockPool::new`].
impl<T, R: ReuseOrder, H: HandleLayout> Default for BlockPool<T, R, H> {
    fn default() -> Self {
        Self::without_blocks(BlockSizes::DOUBLING, &Lifetimes::PLAIN, Growing::UNLIMITED)
    }
}

/// Inserts all values, by [`push`](BlockPool::push).
///
/// ```
/// use millpond::BlockPool;
///
/// let mut pool = BlockPool::new();
/// pool.extend(["a", "b"]);
/// let pool: BlockPool<i32> = (0..9).collect();
/// assert_eq!(pool.values().sum::<i32>(), 36);
/// ```
impl<T, R: ReuseOrder, H: HandleLayout> Extend<T> for BlockPool<T, R, H> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        let values = values.into_iter();
        // What there is no room for, `push` will say.
        let _ = self.reserve(values.size_hint().0);
        values.for_each(|value| _ = self.push(value));
    }
}

/// A [default](BlockPool::default) pool of these values, with their slots in the order in which they come.
impl<T, R: ReuseOrder, H: HandleLayout> FromIterator<T> for BlockPool<T, R, H> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut pool = Self::default();
        pool.extend(values);
        pool
    }
}

/// A map from handles to values.
impl<T: fmt::Debug, R: ReuseOrder, H: HandleLayout> fmt::Debug for BlockPool<T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<'a, T, R: ReuseOrder, H: HandleLayout> IntoIterator for &'a BlockPool<T, R, H> {
    type Item = (H, &'a T);
    type IntoIter = Iter<'a, T, R, H>;

    #[inline]
    fn into_iter(self) -> Iter<'a, T, R, H> {
        self.iter()
    }
}

impl<'a, T, R: ReuseOrder, H: HandleLayout> IntoIterator for &'a mut BlockPool<T, R, H> {
    type Item = (H, &'a mut T);
    type IntoIter = IterMut<'a, T, R, H>;

    #[inline]
    fn into_iter(self) -> IterMut<'a, T, R, H> {
        self.iter_mut()
    }
}
