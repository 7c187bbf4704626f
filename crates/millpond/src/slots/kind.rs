//! What kinds of slots there are: the types of their words and entries, and what these need.

use core::marker::PhantomData;

use crate::base::Entry;
use crate::handle::Word;

/// What slots have beside their values: words, and entries of a reuse order. Of a pool it is its order, and the types of its
/// words and slot numbers. (Not the type of its handles: a place has a destructor, and what it names must outlive the pool.)
#[doc(hidden)]
pub trait SlotKind {
    type Word: Word;
    type Entry: Entry;
}

/// Slots with these words and entries, and no order.
#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "no value of it exists")]
pub struct Bare<W, E>(PhantomData<(W, E)>);

impl<W: Word, E: Entry> SlotKind for Bare<W, E> {
    type Word = W;
    type Entry = E;
}

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
