//! What a block pool does for its debug aids: each block is watched as a pool is, under the name of the
//! whole.

use core::panic::Location;

use super::{Block, BlockPool};
use crate::debug::{DebugAids, LiveReport};
use crate::handle::HandleLayout;
use crate::memory::OutOfMemory;
use crate::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// The live objects, grouped by the source lines that they were inserted at. O(capacity), takes
    /// memory. `None` unless the builder asked to
    /// [remember origins](crate::debug::DebugAids::remember_origins); see [`debug`](crate::debug).
    ///
    /// ```
    /// use millpond::BlockPool;
    /// use millpond::debug::DebugAids;
    ///
    /// let aids = DebugAids::none().remember_origins();
    /// let mut pool = BlockPool::builder().slots_per_block(2).debug_aids(aids).build();
    /// for value in 0..5 {
    ///     pool.insert(value).unwrap();
    /// }
    /// assert_eq!(pool.live_report().unwrap().origins()[0].count(), 5);
    /// ```
    #[must_use]
    pub fn live_report(&self) -> Option<LiveReport> {
        self.live_report_with(core::iter::empty())
    }

    /// The same, with the objects of other pools that were inserted at these places.
    pub(crate) fn live_report_with(
        &self,
        others: impl Iterator<Item = Option<&'static Location<'static>>>,
    ) -> Option<LiveReport> {
        self.aids.report(self.name, others.chain(self.origins()))
    }

    fn origins(&self) -> impl Iterator<Item = Option<&'static Location<'static>>> {
        self.blocks.iter().filter_map(Block::pool).flat_map(|pool| pool.origins())
    }

    /// Has a block watched that has just been taken.
    pub(super) fn watch(&mut self, block: usize) -> Result<(), OutOfMemory> {
        // What is said of handles, and when the pool goes, the whole pool says.
        let aids = DebugAids { panics_on_refused_removal: false, on_drop: None, ..self.aids };
        let aids = aids.part_from(block << self.shift);
        match self.blocks[block].pool_mut() {
            Some(pool) if !pool.is_watched() => pool.watch(aids),
            _ => Ok(()),
        }
    }

    /// A removal was refused.
    #[track_caller]
    #[inline]
    pub(super) fn note_refused_removal(&self, handle: H) {
        self.aids.removal_refused(self.name(), handle, self.check(handle));
    }
}

/// Says which objects are still live, if the aids are to.
impl<T, R: ReuseOrder, H: HandleLayout> Drop for BlockPool<T, R, H> {
    fn drop(&mut self) {
        self.aids.report_drop(self.name, self.origins());
    }
}
