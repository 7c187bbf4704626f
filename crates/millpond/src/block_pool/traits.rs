use alloc::vec::Vec;
use core::fmt;
use core::ops::{Index, IndexMut};

use super::{BlockPool, Iter, IterMut};
use crate::errors::refuse;
use crate::handle::HandleLayout;
use crate::reuse::ReuseOrder;

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
        match self.get_mut(handle) {
            Some(value) => value,
            None => unreachable!("the pool contains the handle"),
        }
    }
}

/// The copy is a twin: it has the same handles, hands out the same ones next, and so accepts the other's
/// handles. Takes the memory of a new pool with the same blocks. Its growth hook is the same; its
/// [`GrowthStats`](super::GrowthStats) go on from those of the original.
impl<T: Clone, R: ReuseOrder, H: HandleLayout> Clone for BlockPool<T, R, H> {
    fn clone(&self) -> Self {
        let blocks: Result<_, _> = self.blocks.iter().map(super::Block::try_clone).collect();
        let Ok(blocks) = blocks else {
            panic!("no memory for a copy of {}", crate::errors::PoolName(self.name()))
        };
        let mut copy = Self {
            blocks,
            table: super::Table::new(self.slots_per_block()),
            room: self.room.clone(),
            shift: self.shift,
            births: self.births,
            deaths: self.deaths,
            peak_before_removal: self.peak_before_removal,
            spare_blocks: self.spare_blocks,
            max_blocks: self.max_blocks,
            addresses: Vec::new(),
            circle: self.circle,
            name: self.name,
            on_growth: self.on_growth,
            ledger: self.ledger,
            refused: self.refused,
            evicted: self.evicted,
            #[cfg(feature = "debug-aids")]
            aids: self.aids,
            tap: self.tap.clone(),
        };
        copy.note_places();
        copy
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
