//! What slots need to know of a pool's reuse order and of its values.

use core::alloc::Layout;

/// What a reuse order needs of the slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs<E> {
    /// See `Queue::entry_count`.
    pub(crate) entry_count: fn(usize, bool) -> usize,
    pub(crate) fit_entries: FitEntries<E>,
    /// See `Queue::SEARCHES_BITMAP`.
    pub(crate) is_synced: bool,
}

impl Needs<()> {
    /// Those of slots without an order.
    pub(crate) const NONE: Self =
        Self { entry_count: |_, _| 0, fit_entries: |_, _, _| (), is_synced: false };
}

impl<E> Needs<E> {
    /// The entries for so many slots with this room.
    pub(crate) fn entries_for(&self, slots: usize, room: Room) -> usize {
        (self.entry_count)(slots, room.links)
    }
}

/// What a growing pool's order does when it gets another number of entries, from one to the other: those that it had are
/// the last ones of the array, and so shall those be that it gets.
pub(crate) type FitEntries<E> = fn(&mut [E], usize, usize);

/// What each slot has room for: all that slots know of the type of the values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// For a value of this layout.
    pub(crate) value: Layout,
    /// For a link of the reuse order in place of the value of a dead slot, if the order needs one.
    pub(crate) links: bool,
}
