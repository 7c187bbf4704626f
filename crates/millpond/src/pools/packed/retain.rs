//! `retain` of a large pool: values are removed at once, and their slots are updated in batches, so that
//! cache misses overlap.
//!
//! A removal writes to three distant places: the handle's place in the order, the slot of the
//! removed value, and the slot of the value that takes its place. A write that misses the cache
//! delays the writes behind it, including those to the values. So the roster is not updated until
//! [`BATCH`] values have been removed. Then all of these places are read, which lets the processor
//! fetch them at the same time, and after that the removals are carried out in their order, as if
//! one by one.
//!
//! No code can observe the difference. The pool is borrowed meanwhile, and a panic in `keep` or in
//! a drop carries out the pending removals. Values are moved and dropped without delay.

use super::{PackedGrowth, PackedSlotPool};
use crate::handle::{HandleLayout, IndexWord};

/// The maximum number of pending removals.
const BATCH: usize = 64;

/// Removes values of a pool; those already removed from the values may still be live in the roster.
pub(super) struct Removals<'a, T, G: PackedGrowth<H::Word>, H: HandleLayout> {
    pub(super) pool: &'a mut PackedSlotPool<T, G, H>,
    /// `None`: removals take effect at once.
    pending: Option<Pending<H::Index>>,
}

struct Pending<I> {
    /// The positions of the removed values, in the order of their removal.
    positions: [I; BATCH],
    count: usize,
}

impl<'a, T, G: PackedGrowth<H::Word>, H: HandleLayout> Removals<'a, T, G, H> {
    #[inline]
    pub(super) fn new(pool: &'a mut PackedSlotPool<T, G, H>) -> Self {
        let none = || Pending { positions: [IndexWord::ZERO; BATCH], count: 0 };
        let pending = pool.roster.is_faster_in_batches().then(none);
        Self { pool, pending }
    }

    /// Moves out the value at `position`, which must exist; the last value takes its place. Returns the
    /// removed value, and where in the order to find the handle of the value that is now at `position`.
    #[inline]
    pub(super) fn remove(&mut self, position: usize) -> (T, usize) {
        if self.pending.as_ref().is_some_and(|pending| pending.count == BATCH) {
            self.carry_out();
        }
        let Some(pending) = &mut self.pending else {
            return (self.pool.remove_at_position(position).1, position);
        };
        pending.positions[pending.count] = H::Index::from_index(position);
        pending.count += 1;
        let value = self.pool.values.swap_remove(position);
        // The last value's handle stays behind until the removals are carried out.
        (value, self.pool.values.len())
    }

    /// Carries out the removals that are pending.
    #[cold]
    #[inline(never)]
    fn carry_out(&mut self) {
        if let Some(Pending { positions, count }) = &mut self.pending {
            self.pool.roster.release_each(&positions[..core::mem::take(count)]);
        }
    }
}

impl<T, G: PackedGrowth<H::Word>, H: HandleLayout> Drop for Removals<'_, T, G, H> {
    #[inline]
    fn drop(&mut self) {
        if self.pending.is_some() {
            self.carry_out();
        }
    }
}
