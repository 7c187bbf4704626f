//! What kinds of slots there are: the types of their words and entries, and what these need.

use crate::base::OrderEntry;
use crate::handle::Word;
use crate::slots::reuse::{Queue, ReuseOrder};

/// What slots have beside their values: words, and entries of a reuse order. Of a pool it is its order, and the types of its
/// words and slot numbers. (Not the type of its handles: a place has a destructor, and what it names must outlive the pool.)
/// Of slots without an order it is the type of their words.
#[doc(hidden)]
pub trait SlotKind {
    type Word: Word;
    type Entry: OrderEntry;

    /// See [`Queue::SEARCHES_BITMAP`].
    const IS_SYNCED: bool;

    /// How many entries there are for so many slots.
    fn entry_count(slots: usize) -> usize;

    /// Gives the order another number of entries: see [`Queue::fit_entries`].
    fn fit_entries(entries: &mut [Self::Entry], from: usize, to: usize);
}

impl<R: ReuseOrder, W: Word, I: Word> SlotKind for (R, W, I) {
    type Word = W;
    type Entry = <R::Queue<I> as Queue<I>>::Entry;
    const IS_SYNCED: bool = R::Queue::<I>::SEARCHES_BITMAP;

    fn entry_count(slots: usize) -> usize {
        R::Queue::<I>::entry_count(slots)
    }

    fn fit_entries(entries: &mut [Self::Entry], from: usize, to: usize) {
        R::Queue::<I>::fit_entries(entries, from, to);
    }
}

impl<W: Word> SlotKind for W {
    type Word = W;
    type Entry = ();
    const IS_SYNCED: bool = false;

    fn entry_count(_: usize) -> usize {
        0
    }

    fn fit_entries(_: &mut [()], _: usize, _: usize) {}
}
