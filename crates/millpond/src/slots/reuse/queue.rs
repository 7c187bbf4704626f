//! What all reuse orders do.
//!
//! The invariant of an order is the contract of the unsafe trait [`Queue`]; the pools' insertions in `values` rely on it.

use core::fmt::Debug;
use core::ops::Range;

use crate::base::OrderEntry;
use crate::handle::Word;
use crate::reports::validate::Violation;
use crate::slots::{Place, SlotWords};

/// The vacant slots (dead and not retired) of one pool, in the order in which they are used.
///
/// The order itself is a few numbers; its data for each slot is in the array of entries that the
/// slots have for it: as many as it needs, or more if the pool grows. Every slot is vacant at
/// first. The order's methods are called for changes as follows, always while the slot's word is
/// dead: before it becomes live, and after it has died.
///
/// ```text
///           take, take_at
///   vacant ──────────────▶ live ──── retire ───▶ retired
///      ▲                    │
///      └──── give_back ─────┘
/// ```
///
/// # Safety
///
/// Each slot that `take_next` returns exists and is vacant **by its word**, with the generation that comes with it, whatever was
/// reported: pools move values into these slots without another test. And if every change was reported by the methods above:
///
/// - Each slot that `next` and `take_next` return exists and is vacant.
/// - Slots that were never used come in the order of their indices.
/// - The entries of slots that were never used are those of a new pool's, and `take`, `take_at` and `grow` change no entry
///   beyond the slot behind them: see `SlotWords::used`, from which on pools copy nothing.
#[doc(hidden)]
pub unsafe trait Queue<I: Word>: Sized + Clone + Debug {
    type Entry: OrderEntry;

    /// The order of no slots.
    const EMPTY: Self;

    /// The number of entries that the order of this many slots needs.
    fn entry_count(slots: usize) -> usize;

    /// Resets the order to the slots that are vacant by their words, the lowest first.
    fn reset<P: Place<Entry = Self::Entry>>(&mut self, slots: &mut SlotWords<P>) {
        *self = Self::EMPTY;
        self.grow(0, slots);
    }

    /// The vacant slot that comes next. Without a change in between, the result is the same.
    fn next<P: Place<Entry = Self::Entry>>(&mut self, slots: &SlotWords<P>) -> Option<usize>;

    /// The slot that [`next`](Self::next) has just returned becomes live.
    #[inline]
    fn take<P: Place<Entry = Self::Entry>>(&mut self, index: usize, slots: &mut SlotWords<P>) {
        self.take_at(index, slots);
    }

    /// Both in one call. The slot counts as used from now on, and its insertion as [expected](SlotWords::record_next_peak), unless
    /// all lifetimes [end slowly](SlotWords::end_all_slowly). Returns the generation of its next lifetime, too.
    ///
    /// # Panics
    ///
    /// May panic if the order is wrong; it never returns a slot that is not vacant.
    #[inline(always)]
    fn take_next<P: Place<Entry = Self::Entry>>(
        &mut self,
        slots: &mut SlotWords<P>,
    ) -> Option<(usize, P::Word)> {
        let index = self.next(slots)?;
        self.take(index, slots);
        Some((index, slots.begin(index)))
    }

    /// Whether only slots that were never used can bring a new peak, and an entry for each live slot has room: live slots
    /// and entries together are no more than were live at once. It stays so until a slot is claimed, or one is taken that
    /// was never used.
    fn is_within_peak(&self, _slots: &SlotWords<impl Place<Entry = Self::Entry>>) -> bool {
        true
    }

    /// [`give_back`](Self::give_back), without a test for room.
    ///
    /// # Safety
    ///
    /// The order is [within the peak](Self::is_within_peak), with this slot among the live ones.
    #[inline(always)]
    unsafe fn give_back_fast<P: Place<Entry = Self::Entry>>(
        &mut self,
        index: usize,
        slots: &mut SlotWords<P>,
    ) {
        self.give_back(index, slots);
    }

    /// A vacant slot anywhere in the order becomes live.
    fn take_at<P: Place<Entry = Self::Entry>>(&mut self, index: usize, slots: &mut SlotWords<P>);

    /// A live slot has become vacant.
    fn give_back<P: Place<Entry = Self::Entry>>(&mut self, index: usize, slots: &mut SlotWords<P>);

    /// A live slot has died and is never reused.
    fn retire<P: Place<Entry = Self::Entry>>(&mut self, _index: usize, _slots: &mut SlotWords<P>) {}

    /// A slot that counted as retired is about to become live, or is vacant now.
    fn unretire<P: Place<Entry = Self::Entry>>(
        &mut self,
        index: usize,
        slots: &mut SlotWords<P>,
        is_vacant: bool,
    ) {
        if is_vacant {
            self.give_back(index, slots);
        }
    }

    /// There are more slots now, from `from` on, all dead: the vacant ones come after all others,
    /// or according to their indices. The order may read the slots that existed before.
    fn grow<P: Place<Entry = Self::Entry>>(&mut self, from: usize, slots: &mut SlotWords<P>);

    /// The slots from `to` on, all dead, are about to be removed.
    fn shrink<P: Place<Entry = Self::Entry>>(&mut self, to: usize, slots: &mut SlotWords<P>);

    /// Gives the order another number of entries, for more slots or, if it has [shrunk](Self::shrink), for fewer: those that
    /// it had are the last `from` of the array, and those that it gets are the last `to`.
    fn fit_entries(entries: &mut [Self::Entry], from: usize, to: usize) {
        fit_first(entries, from, to);
    }

    /// Whether the order searches the bitmap of live slots, which is then always kept synced.
    const SEARCHES_BITMAP: bool = false;

    /// Whether a slot that was never used comes before one that was freed.
    const GOES_ROUND: bool = false;

    /// Takes on the entries of the order of a pool of the same capacity, of which this one is a clone. Slots from `used` on
    /// were never used in either.
    fn copy_entries_from<P: Place<Entry = Self::Entry>>(
        &self,
        others: &[Self::Entry],
        used: usize,
        slots: &mut SlotWords<P>,
    );

    /// What the order stores beside the words: the slots in their order, or what else determines
    /// it. Slots from `used` on were never used, and stay together in one range.
    fn order<'a, P: Place<Entry = Self::Entry>>(
        &'a self,
        slots: &'a SlotWords<P>,
        used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a;

    /// The vacant slots in their order, as long as none is given back.
    fn upcoming<'a, P: Place<Entry = Self::Entry>>(
        &'a self,
        slots: &'a SlotWords<P>,
        used: usize,
    ) -> impl Iterator<Item = usize> + 'a {
        let all = (Self::ORDER_OF == OrderOf::Nothing).then_some(0..slots.slots());
        self.order(slots, used).chain(all).flatten().filter(|slot| slots.is_vacant(*slot))
    }

    /// Appends the first `count` of the [upcoming](Self::upcoming) slots to the list.
    fn list_upcoming<P: Place<Entry = Self::Entry>>(
        &self,
        slots: &SlotWords<P>,
        used: usize,
        count: usize,
        list: &mut impl Extend<I>,
    ) {
        list.extend(self.upcoming(slots, used).take(count).map(I::from_index));
    }

    /// Of the slots that [`list_upcoming`](Self::list_upcoming) has listed first, those in the
    /// ranges, which are not empty and ascend, become live. The others keep their places in the
    /// order. Returns `false` if the order is unchanged and each of the slots must be
    /// [claimed](Self::take_at).
    fn remove_upcoming<P: Place<Entry = Self::Entry>>(
        &mut self,
        _listed: &[I],
        _taken: impl DoubleEndedIterator<Item = Range<usize>> + Clone,
        _slots: &mut SlotWords<P>,
    ) -> bool {
        false
    }

    /// Which slots [`order`](Self::order) lists.
    const ORDER_OF: OrderOf = OrderOf::Vacant;

    /// Restores the order that lists these slots, which are those that it must list.
    fn load<P: Place<Entry = Self::Entry>>(&mut self, order: &[u32], slots: &mut SlotWords<P>);

    /// Checks that the order has each slot that is vacant by its word once, and no other.
    fn validate<P: Place<Entry = Self::Entry>>(
        &self,
        slots: &SlotWords<P>,
    ) -> Result<(), Violation>;

    /// Checks that the entries of the slots from `used` on are those of a new pool, as far as
    /// [`copy_entries_from`](Self::copy_entries_from) leaves them alone.
    fn validate_unused<P: Place<Entry = Self::Entry>>(
        &self,
        _used: usize,
        _slots: &SlotWords<P>,
    ) -> Result<(), Violation> {
        Ok(())
    }
}

/// Which slots an order lists.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderOf {
    /// None: the words say it all.
    Nothing,
    /// Each vacant slot.
    Vacant,
    /// The live slots, then the vacant ones, then the retired ones.
    All,
    /// No slots, but words of 64 slots each: one for each home of a pool that threads share.
    Homes,
}

/// Of the last `from` entries, the first ones are the first of the last `to`.
pub(crate) fn fit_first<E: OrderEntry>(entries: &mut [E], from: usize, to: usize) {
    let (len, kept) = (entries.len(), from.min(to));
    entries.copy_within(len - from..len - from + kept, len - to);
    entries[len - to + kept..].fill(E::EMPTY);
}
