//! The past of a packed pool.

use core::ops::Range;

use super::PackedPool;
use crate::handle::{HandleLayout, Word};
use crate::snapshot::snapshot_methods;
use crate::snapshot::state::{Shape, sealed};

impl<T, H: HandleLayout> sealed::State for PackedPool<T, H> {
    type Value = T;
    type Handle = H;

    fn shape(&self) -> Shape {
        Shape::new(self.capacity(), self.roster.circle())
    }

    fn used(&self) -> usize {
        self.roster.used(self.len())
    }

    fn word(&self, index: usize) -> H::Word {
        self.roster.word(index).unwrap_or(H::Word::RETIRED)
    }

    fn value(&self, index: usize) -> Option<&T> {
        self.roster.position_at(index).map(|position| &self.values[position])
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.roster.order(self.len())
    }
}

snapshot_methods!(PackedPool<T, H>, [T, H: HandleLayout], values T);

impl<T, H: HandleLayout> PackedPool<T, H> {
    fn take_over_by_copy(&mut self, other: &Self)
    where
        T: Copy,
    {
        self.roster.take_over(self.values.len(), &other.roster, other.values.len());
        self.values.clear();
        self.values.extend_from_slice(&other.values);
    }

    /// If a clone or a drop panics, the pool is empty.
    fn take_over_by_clone(&mut self, other: &Self)
    where
        T: Clone,
    {
        let live = self.values.len();
        let guard = EmptyUnlessDone { pool: self, live };
        guard.pool.values.clone_from(&other.values);
        guard.pool.roster.take_over(live, &other.roster, other.values.len());
        core::mem::forget(guard);
    }
}

/// Empties a pool whose values are no longer those of its roster.
struct EmptyUnlessDone<'a, T, H: HandleLayout> {
    pool: &'a mut PackedPool<T, H>,
    /// How many slots are live in the roster.
    live: usize,
}

impl<T, H: HandleLayout> Drop for EmptyUnlessDone<'_, T, H> {
    fn drop(&mut self) {
        self.pool.roster.release_all(self.live);
        self.pool.values.clear();
    }
}
