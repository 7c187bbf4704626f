//! What slots need to know of a pool's reuse order.

/// What a reuse order needs of the slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs<E> {
    /// See `Queue::entry_count`.
    pub(crate) entry_count: fn(usize) -> usize,
    pub(crate) fit_entries: FitEntries<E>,
    /// See `Queue::SEARCHES_BITMAP`.
    pub(crate) is_synced: bool,
}

impl Needs<()> {
    /// Those of slots without an order.
    pub(crate) const NONE: Self =
        Self { entry_count: |_| 0, fit_entries: |_, _, _| (), is_synced: false };
}

/// What a growing pool's order does when it gets another number of entries, from one to the other: those that it had are
/// the last ones of the array, and so shall those be that it gets.
pub(crate) type FitEntries<E> = fn(&mut [E], usize, usize);
