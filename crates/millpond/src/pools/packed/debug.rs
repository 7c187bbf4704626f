//! What a packed pool does for its debug aids.

use alloc::vec::{self, Vec};

use super::slots::RosterSlots;
use super::{PackedGrowth, PackedSlotPool};
use crate::base::memory::OutOfMemory;
use crate::handle::{HandleLayout, Word};
use crate::pools::watching::watching;
use crate::reports::debug::{DebugAids, Watch};

impl<T, G: PackedGrowth<H::Word>, H: HandleLayout> PackedSlotPool<T, G, H> {
    /// What watches over the slots, if any aid is enabled.
    pub(super) fn watched(&self) -> Option<&Watch> {
        self.roster.slots().watch.as_ref()
    }

    /// Watches the slots from now on, if any aid is enabled.
    pub(super) fn watch(&mut self, aids: DebugAids) -> Result<(), OutOfMemory> {
        self.roster.slots_mut().watch = Watch::try_new(self.name(), aids, self.capacity())?;
        self.fill_if_watched();
        Ok(())
    }

    /// Fills dead slots, if that aid is enabled.
    pub(super) fn fill_if_watched(&mut self) {
        if self.watched().is_some_and(|watch| watch.fills()) {
            self.values.fill_dead();
        }
    }

    /// Stops watching.
    pub(super) fn unwatch(&mut self) {
        self.values.leave_dead();
        self.roster.slots_mut().watch = None;
    }

    /// Inspects the place that the next value goes to.
    #[track_caller]
    #[inline]
    pub(super) fn inspect_next(&mut self) {
        if let Some(watch) = &self.roster.slots().watch {
            self.values.inspect_next(watch);
        }
    }
}

watching!([T, G: PackedGrowth<H::Word>, H: HandleLayout] PackedSlotPool<T, G, H>, H);

impl<W: Word, I: Word> RosterSlots<W, I> {
    /// These slots are about to take on the state of `other`.
    pub(super) fn note_restored(&self, other: &Self) {
        let Some(watch) = self.watch.as_ref() else { return };
        let differs = |index: &usize| self.word(*index) != other.word(*index);
        (0..other.len()).filter(differs).for_each(|index| watch.restored(index));
    }

    /// These slots are about to take on a saved state.
    pub(super) fn note_loaded(&self) {
        if let Some(watch) = &self.watch {
            (0..self.len()).for_each(|index| watch.restored(index));
        }
    }
}

/// The slots that `handles` name.
fn slots_of<H: HandleLayout>(handles: &[H]) -> impl Iterator<Item = usize> {
    handles.iter().map(|handle| handle.index() as usize)
}

/// Watches over values that an owning iterator has not yet returned. Kept apart from their handles,
/// for the reason that [`RosterSlots`](super::slots::RosterSlots) gives.
#[derive(Clone, Debug, Default)]
pub(super) struct Left {
    watch: Option<Watch>,
    slots: vec::IntoIter<usize>,
}

impl Left {
    /// Takes over the watch of `pool`.
    pub(super) fn of<T, G: PackedGrowth<H::Word>, H: HandleLayout>(
        pool: &mut PackedSlotPool<T, G, H>,
    ) -> Self {
        let Some(watch) = pool.roster.slots_mut().watch.take() else { return Self::default() };
        if !watch.reports_drops() {
            return Self::default();
        }
        let slots: Vec<_> = slots_of(pool.as_handle_slice()).collect();
        Self { watch: Some(watch), slots: slots.into_iter() }
    }

    /// The first value is returned.
    #[inline]
    pub(super) fn next(&mut self) {
        if self.watch.is_some() {
            self.slots.next();
        }
    }

    /// The last value is returned.
    #[inline]
    pub(super) fn next_back(&mut self) {
        if self.watch.is_some() {
            self.slots.next_back();
        }
    }
}

/// Reports the values that were not taken, if that aid is enabled.
impl Drop for Left {
    #[inline]
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            watch.report_drop(self.slots.as_slice().iter().copied());
        }
    }
}
