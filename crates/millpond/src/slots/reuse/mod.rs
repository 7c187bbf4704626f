//! Reuse orders: which dead slot the next insertion uses.
//!
//! | order | next slot | bytes per slot | insert, remove | `insert_at` | use it for |
//! | --- | --- | --- | --- | --- | --- |
//! | [`Lifo`] | freed last | 4.0625 (2.03 with ≤ 16 index bits) | O(1), amortised after an `insert_at` | O(1) amortised | speed: the slot is still in the cache |
//! | [`Fifo`] | freed first | 8 | O(1) | O(1) | debugging: a slot rests as long as possible before reuse |
//! | [`LowestFirst`] | lowest index | 0.002 | O(1) | O(1) | address order, lockstep: the next slots depend on the live slots only |
//! | [`Roster`] | freed last | 8 (4 with ≤ 16 index bits) | O(1) | O(1) | a dense list of live slots |
//! | [`NextFit`] | next after the last one used | 0 | O(slots / 64) worst case | O(1) | least memory with small values |
//! | [`Intrusive`] | freed last | 0 (8 for values under 8 bytes) | O(1) | O(1) | least memory with large values |
//!
//! `insert_at`, `revive` and a recycler's `acquire_at` *claim* a slot: the caller names it, not the
//! order. In the docs of the orders, *take* is what an insertion costs, and *give back* what a
//! removal costs. Programs that claim constantly, such as the client of a lockstep game, should use
//! an order other than [`Lifo`]. A `Lifo` keeps the entries of claimed slots and occasionally sweeps
//! them out, O(slots) in one call.
//!
//! In a new pool, all of them start with slots 0, 1, 2, … The table's bytes are the order's own, in addition to the
//! values, the generation words (4 or 2 bytes per slot) and the occupancy bit of every pool. The trait is sealed.

#[cfg(feature = "alloc")]
mod fifo;
#[cfg(feature = "alloc")]
mod intrusive;
#[cfg(feature = "alloc")]
#[allow(unsafe_code)]
mod lifo;
#[cfg(feature = "alloc")]
#[allow(unsafe_code)]
mod list;
#[cfg(feature = "alloc")]
#[allow(unsafe_code)]
mod lowest_first;
#[cfg(feature = "alloc")]
#[allow(unsafe_code)]
mod next_fit;
#[allow(unsafe_code)]
mod queue;
#[allow(unsafe_code)]
mod roster;

#[cfg(feature = "alloc")]
pub use fifo::Fifo;
#[cfg(feature = "alloc")]
pub use intrusive::Intrusive;
#[cfg(feature = "alloc")]
pub use lifo::Lifo;
#[cfg(feature = "alloc")]
pub(crate) use lifo::LifoQueue;
#[cfg(feature = "alloc")]
pub use lowest_first::LowestFirst;
#[cfg(feature = "alloc")]
pub use next_fit::NextFit;
#[cfg(feature = "alloc")]
pub use roster::Roster;

#[cfg(feature = "alloc")]
pub(crate) use next_fit::next_vacant_after;
pub use queue::Queue;
#[cfg(test)]
pub(crate) use queue::fit_first;
pub(crate) use roster::InlineRoster;
#[cfg(feature = "alloc")]
pub(crate) use roster::roster;

use core::fmt::Debug;

use crate::base::entry::Entry;
use crate::handle::{IndexWord, Word};
use crate::slots::{Place, SlotWords};

/// A reuse order by name, as a type parameter: `Pool<T, Fifo>`. Sealed.
///
/// No other crate can implement it, so no order can name a slot that is live:
///
/// ```compile_fail
/// #[derive(Clone, Copy, Debug, Default)]
/// struct Mine;
/// impl millpond::reuse::sealed::Sealed for Mine {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reuse order",
    label = "not a reuse order",
    note = "the reuse orders are `Lifo`, `Fifo`, `LowestFirst`, `NextFit`, `Roster` and `Intrusive` of `millpond::reuse`"
)]
pub trait ReuseOrder: sealed::Sealed + Debug + Copy + Default + Send + Sync + 'static {
    /// The order's name in messages and reports, as in the code.
    const NAME: &'static str;
    /// Whether the order searches the bitmap of live slots, which is then always kept in step.
    #[doc(hidden)]
    const SEARCHES_BITMAP: bool = false;
    /// What a pool with this order stores.
    #[doc(hidden)]
    type Queue<I: IndexWord>: Queue<I>;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// Lets [`Slots`] change words, and nobody else: in a pool, the values of its slots must agree with them.
#[doc(hidden)]
#[derive(Debug)]
pub struct Permit(());

/// What a reuse order sees of the slots.
#[doc(hidden)]
pub trait Slots {
    type Word: Word;
    type Entry: Entry;
    type Place: Place<Word = Self::Word, Entry = Self::Entry>;
    /// Whether a dead slot has room for a link.
    const HOLDS_LINKS: bool;
    fn words(&self) -> &SlotWords<Self::Place>;
    fn words_mut(&mut self, _: Permit) -> &mut SlotWords<Self::Place>;
    /// The link that was last set since the slot died, or [`Link::NONE`].
    fn link(&self, index: usize) -> Link;
    /// Does nothing if the slot is live.
    fn set_link(&mut self, index: usize, link: Link);

    /// The order's entries.
    #[inline]
    fn entries_mut(&mut self) -> &mut [Self::Entry] {
        self.words_mut(Permit(())).entries_mut()
    }

    /// See [`Place::entries_end_mut`].
    #[inline(always)]
    fn entries_end_mut(&mut self) -> *mut Self::Entry {
        self.words_mut(Permit(())).place_mut().entries_end_mut()
    }

    /// A slot is about to become live: see [`SlotWords::expect_birth`].
    #[inline]
    fn expect_birth(&mut self) -> bool {
        self.words_mut(Permit(())).expect_birth()
    }

    /// A lifetime is about to end: see [`SlotWords::note_peak`].
    fn note_peak(&mut self) {
        self.words_mut(Permit(())).note_peak();
    }

    /// See [`SlotWords::set_border`].
    fn set_border(&mut self, border: Self::Word) {
        self.words_mut(Permit(())).set_border(border);
    }

    /// See [`SlotWords::close_border`].
    #[inline(always)]
    fn close_border(&mut self) {
        self.words_mut(Permit(())).close_border();
    }

    /// See [`SlotWords::end_quick`]. A slot whose lifetime has ended has [`Link::NONE`], and its value stays where it is
    /// and is not dropped: the caller has moved it out, or is about to.
    fn end_quick(&mut self, index: usize, generation: Self::Word) -> bool;

    /// Ends the lifetime of a live slot, which then has this word, as in [`end_quick`](Self::end_quick).
    #[inline]
    fn set_dead(&mut self, index: usize, word: Self::Word) {
        self.words_mut(Permit(())).set_dead(index, word);
        self.set_link(index, Link::NONE);
    }

    /// Ends the last lifetime of a live slot, as in [`end_quick`](Self::end_quick).
    fn retire(&mut self, index: usize) {
        self.words_mut(Permit(())).retire(index);
        self.set_link(index, Link::NONE);
    }

    /// See [`SlotWords::unretire`].
    #[cfg(feature = "alloc")]
    fn unretire(&mut self, index: usize, vacant: Option<Self::Word>) {
        self.words_mut(Permit(())).unretire(index, vacant);
    }

    /// See [`SlotWords::begin_marking`].
    fn begin_marking(&mut self) {
        self.words_mut(Permit(())).begin_marking();
    }

    /// See [`SlotWords::mark`].
    fn mark(&mut self, index: usize) -> bool {
        self.words_mut(Permit(())).mark(index)
    }

    /// See [`SlotWords::end_marking`].
    fn end_marking(&mut self) {
        self.words_mut(Permit(())).end_marking();
    }
}

/// Slots without values, for tests of the orders.
#[cfg(test)]
impl<P: Place> Slots for SlotWords<P> {
    type Word = P::Word;
    type Entry = P::Entry;
    type Place = P;
    const HOLDS_LINKS: bool = false;

    fn words(&self) -> &Self {
        self
    }

    fn words_mut(&mut self, _: Permit) -> &mut Self {
        self
    }

    fn end_quick(&mut self, index: usize, generation: P::Word) -> bool {
        self.end_quick(index, generation)
    }

    fn link(&self, _index: usize) -> Link {
        Link::NONE
    }

    fn set_link(&mut self, _index: usize, _link: Link) {}
}

/// The neighbours of a vacant slot in a list.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Link {
    pub(crate) next: u32,
    pub(crate) previous: u32,
}

impl Link {
    /// "No slot": no layout names an index of `u32::MAX`.
    pub(crate) const NO_SLOT: u32 = u32::MAX;
    pub(crate) const NONE: Self = Self { next: Self::NO_SLOT, previous: Self::NO_SLOT };
}

impl Entry for Link {
    const EMPTY: Self = Self::NONE;
}
