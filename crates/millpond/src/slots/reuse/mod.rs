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
mod lifo;
#[cfg(feature = "alloc")]
mod list;
#[cfg(feature = "alloc")]
mod lowest_first;
#[cfg(feature = "alloc")]
mod next_fit;
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
pub(crate) use roster::InlineRoster;
#[cfg(feature = "alloc")]
pub(crate) use roster::roster;

#[cfg(all(feature = "alloc", target_has_atomic = "32"))]
use alloc::vec::Vec;
use core::fmt::Debug;
use core::ops::Range;

use crate::base::entry::Entry;
use crate::handle::{IndexWord, Word};
#[cfg(feature = "validate")]
use crate::reports::validate::Violation;
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

/// The vacant slots (dead and not retired) of one pool, in the order in which they are used.
///
/// The order itself is a few numbers; its data for each slot is in the array of entries that the
/// slots have for it: as many as it needs, or more if the pool grows. Every slot is vacant at
/// first. The order's methods are called for changes as follows, always while the slot's word is
/// dead: before it becomes live, and after it has died.
///
/// ```text
///            take, claim
///   vacant ──────────────▶ live ──── retire ───▶ retired
///      ▲                    │
///      └──── give_back ─────┘
/// ```
#[doc(hidden)]
pub trait Queue<I: IndexWord>: Sized + Clone + Debug {
    type Entry: Entry;

    /// The order of no slots; [`reset`](Self::reset) initialises it for some.
    const EMPTY: Self;

    /// The number of entries that the order of this many slots needs. `holds_links`: the slots have
    /// room for links.
    fn entry_count(slots: usize, holds_links: bool) -> usize;

    /// Resets the order to the slots that are vacant by their words, the lowest first.
    fn reset<S: Slots<Entry = Self::Entry>>(&mut self, slots: &mut S);

    /// The vacant slot that comes next. Without a change in between, the result is the same.
    fn next<S: Slots<Entry = Self::Entry>>(&mut self, slots: &S) -> Option<usize>;

    /// The slot that [`next`](Self::next) has just returned becomes live.
    fn take<S: Slots<Entry = Self::Entry>>(&mut self, index: usize, slots: &mut S);

    /// Both in one call, with the word of the slot.
    #[inline]
    fn take_next<S: Slots<Entry = Self::Entry>>(
        &mut self,
        slots: &mut S,
    ) -> Option<(usize, S::Word)> {
        let index = self.next(slots)?;
        let word = slots.words().get(index)?;
        self.take(index, slots);
        Some((index, word))
    }

    /// Whether the order has a fast path for when it [is plain](Self::is_plain).
    const MAY_BE_PLAIN: bool = false;

    /// Whether [`take_plain`](Self::take_plain) may be called from now on, until a slot is claimed
    /// or the order is rebuilt.
    fn is_plain(&self, _words: &SlotWords<impl Place<Entry = Self::Entry>>) -> bool {
        false
    }

    /// Like [`take_next`](Self::take_next), in an order that is plain. Calls the function if this
    /// slot may bring a new peak.
    fn take_plain<S: Slots<Entry = Self::Entry>>(
        &mut self,
        _slots: &S,
        _may_be_peak: impl FnOnce(),
    ) -> Option<(usize, S::Word)> {
        None
    }

    /// A vacant slot anywhere in the order becomes live.
    fn claim<S: Slots<Entry = Self::Entry>>(&mut self, index: usize, slots: &mut S);

    /// A live slot has become vacant.
    fn give_back<S: Slots<Entry = Self::Entry>>(&mut self, index: usize, slots: &mut S);

    /// A live slot has died and is never reused.
    fn retire<S: Slots<Entry = Self::Entry>>(&mut self, _index: usize, _slots: &mut S) {}

    /// There are more slots now, from `from` on, all dead: the vacant ones come after all others,
    /// or according to their indices. The order may read the slots that existed before.
    fn grow<S: Slots<Entry = Self::Entry>>(&mut self, from: usize, slots: &mut S);

    /// The slots from `to` on, all dead, are about to be removed.
    fn shrink<S: Slots<Entry = Self::Entry>>(&mut self, to: usize, slots: &mut S);

    /// Moves entries to a longer array, the rest of which is empty.
    fn move_entries(from: &[Self::Entry], to: &mut [Self::Entry]) {
        to[..from.len()].copy_from_slice(from);
    }

    /// Whether an unused slot comes before one that was freed. Otherwise, an unused slot comes only
    /// when no other is vacant.
    const GOES_ROUND: bool = false;

    /// Takes on the state of the order of a pool of the same capacity, which has these entries. Slots from
    /// `used` on were never used in either.
    fn copy_state_from<S: Slots<Entry = Self::Entry>>(
        &mut self,
        other: &Self,
        others: &[Self::Entry],
        used: usize,
        slots: &mut S,
    );

    /// What the order stores beside the words: the slots in their order, or what else determines
    /// it. Slots from `used` on were never used, and stay together in one range.
    fn order<'a, S: Slots<Entry = Self::Entry>>(
        &'a self,
        slots: &'a S,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a;

    /// The vacant slots in their order, as long as none is given back.
    fn upcoming<'a, S: Slots<Entry = Self::Entry>>(
        &'a self,
        slots: &'a S,
        used: usize,
    ) -> impl Iterator<Item = usize> + 'a {
        self.order(slots, used).flatten().filter(|slot| slots.words().is_vacant(*slot))
    }

    /// Appends the first `count` of the [upcoming](Self::upcoming) slots to the list.
    #[cfg(all(feature = "alloc", target_has_atomic = "32"))]
    fn list_upcoming<S: Slots<Entry = Self::Entry>>(
        &self,
        slots: &S,
        used: usize,
        count: usize,
        list: &mut Vec<I>,
    ) {
        list.extend(self.upcoming(slots, used).take(count).map(I::from_index));
    }

    /// Of the slots that [`list_upcoming`](Self::list_upcoming) has listed first, those in the
    /// ranges, which are not empty and ascend, become live. The others keep their places in the
    /// order. Returns `false` if the order is unchanged and each of the slots must be
    /// [claimed](Self::claim).
    #[cfg(all(feature = "alloc", target_has_atomic = "32"))]
    fn take_upcoming<S: Slots<Entry = Self::Entry>>(
        &mut self,
        _listed: &[I],
        _taken: impl DoubleEndedIterator<Item = Range<usize>> + Clone,
        _slots: &mut S,
    ) -> bool {
        false
    }

    /// Which slots [`order`](Self::order) lists.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    const ORDER_OF: crate::slots::saved::OrderOf = crate::slots::saved::OrderOf::Vacant;

    /// Restores the order that lists these slots, which are those that it must list.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    fn load<S: Slots<Entry = Self::Entry>>(&mut self, order: &[u32], slots: &mut S);

    /// Checks that the order has each slot that is vacant by its word once, and no other.
    #[cfg(feature = "validate")]
    fn validate<S: Slots<Entry = Self::Entry>>(&self, slots: &S) -> Result<(), Violation>;
}

/// What a reuse order sees of the slots.
#[doc(hidden)]
pub trait Slots {
    type Word: Word;
    type Entry: Entry;
    type Place: Place<Word = Self::Word, Entry = Self::Entry>;
    /// Whether a dead slot has room for a link.
    const HOLDS_LINKS: bool;
    fn words(&self) -> &SlotWords<Self::Place>;
    /// The order's entries.
    fn entries_mut(&mut self) -> &mut [Self::Entry];
    /// A slot is about to become live: see [`SlotWords::expect_birth`].
    fn expect_birth(&mut self);
    /// A lifetime is about to end: see [`SlotWords::note_peak`].
    fn note_peak(&mut self);
    /// Ends the lifetime of a live slot, which then has this word, and [`Link::NONE`].
    fn set_dead(&mut self, index: usize, word: Self::Word);
    /// Ends the last lifetime of a live slot.
    fn retire(&mut self, index: usize);
    /// See [`SlotWords::begin_marking`].
    fn begin_marking(&mut self);
    /// See [`SlotWords::mark`].
    fn mark(&mut self, index: usize) -> bool;
    /// See [`SlotWords::end_marking`].
    fn end_marking(&mut self);
    /// The link that was last set since the slot died, or [`Link::NONE`].
    fn link(&self, index: usize) -> Link;
    /// Does nothing if the slot is live.
    fn set_link(&mut self, index: usize, link: Link);
}

/// The slots of a pool without values.
impl<P: Place> Slots for SlotWords<P> {
    type Word = P::Word;
    type Entry = P::Entry;
    type Place = P;
    const HOLDS_LINKS: bool = false;

    #[inline]
    fn words(&self) -> &Self {
        self
    }

    #[inline]
    fn entries_mut(&mut self) -> &mut [P::Entry] {
        self.entries_mut()
    }

    #[inline]
    fn expect_birth(&mut self) {
        self.expect_birth();
    }

    fn note_peak(&mut self) {
        self.note_peak();
    }

    #[inline]
    fn set_dead(&mut self, index: usize, word: P::Word) {
        self.set_dead(index, word);
    }

    fn retire(&mut self, index: usize) {
        self.retire(index);
    }

    fn begin_marking(&mut self) {
        self.begin_marking();
    }

    fn mark(&mut self, index: usize) -> bool {
        self.mark(index)
    }

    fn end_marking(&mut self) {
        self.end_marking();
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
