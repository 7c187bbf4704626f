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

use super::PackedRoster;
use crate::base::OrderEntry;
use crate::handle::{HandleLayout, Word};

/// The maximum number of pending removals.
const BATCH: usize = 64;

/// Removals from a roster, of values that are gone already; some may still be live in the roster.
pub(super) struct Removals<'a, L: HandleLayout> {
    roster: &'a mut PackedRoster<L>,
    /// `None`: removals take effect at once.
    pending: Option<Pending<L::Index>>,
}

struct Pending<I> {
    /// The positions of the removed values, in the order of their removal.
    positions: [I; BATCH],
    count: usize,
}

impl<'a, L: HandleLayout> Removals<'a, L> {
    #[inline]
    pub(super) fn new(roster: &'a mut PackedRoster<L>) -> Self {
        let none = || Pending { positions: [OrderEntry::EMPTY; BATCH], count: 0 };
        let pending = roster.is_faster_in_batches().then(none);
        Self { roster, pending }
    }

    /// See [`PackedRoster::handles`]. They are those of the values that have stayed where they were.
    #[inline]
    pub(super) fn handles(&self) -> &[L] {
        self.roster.handles()
    }

    /// The value at this position of `live` ones is about to be removed; the last one takes its place. Returns where in the
    /// order to find the handle of the value that is then at `position`.
    #[inline]
    pub(super) fn remove(&mut self, position: usize, live: usize) -> usize {
        if self.pending.as_ref().is_some_and(|pending| pending.count == BATCH) {
            self.carry_out();
        }
        let Some(pending) = &mut self.pending else {
            self.roster.release(self.roster.handles()[position], position, live);
            return position;
        };
        pending.positions[pending.count] = L::Index::from_index(position);
        pending.count += 1;
        // The last value's handle stays behind until the removals are carried out.
        live - 1
    }

    /// Carries out the removals that are pending.
    #[cold]
    #[inline(never)]
    fn carry_out(&mut self) {
        if let Some(Pending { positions, count }) = &mut self.pending {
            self.roster.release_each(&positions[..core::mem::take(count)]);
        }
    }
}

impl<L: HandleLayout> Drop for Removals<'_, L> {
    #[inline]
    fn drop(&mut self) {
        if self.pending.is_some() {
            self.carry_out();
        }
    }
}
