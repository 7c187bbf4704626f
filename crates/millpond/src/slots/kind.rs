//! What kinds of slots there are: the types of their words and entries.

use core::marker::PhantomData;

use crate::base::entry::Entry;
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
