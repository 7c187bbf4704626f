//! The slots of one pool: their words, and the ledger that says which is next. Here lifetimes begin and end.
//!
//! Whoever has the values has the [`Slots`], because the two must agree: it alone begins lifetimes, and it lends the slots to
//! all others, who can end them.
//!
//! # Invariant
//!
//! The words' [`slow_from`](SlotWords::set_slow_from) is 0 unless the order is [within the peak](Queue::is_within_peak).

use core::mem::offset_of;

use super::SlotWords;
use crate::base::cold;
use crate::base::guard::half_way;
use crate::base::shared::Number;
use crate::handle::{self, HandleLayout, Refusal, Word};
use crate::occupancy::WORD_SLOTS;
use crate::reports::errors::{FullPool, InsertAtErrorKind};
use crate::reports::stats::Stats;
use crate::slots::reuse::{Queue, ReuseOrder};
use crate::slots::{CheckWord, Ledger, Place};

/// The words of a pool's slots and the pool's [`Ledger`]; of a table, which chooses its slots by handles, `()` in its place.
///
/// It is lent without a known size ([`OwnSlots::sealed`]), so that nobody swaps the slots of two pools, whose places may have
/// been made for other values, or puts new ones in place of those that have values.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Slots<P: Place, L = (), Seal: ?Sized = [()]> {
    pub(super) words: SlotWords<P>,
    pub(super) ledger: L,
    seal: Seal,
}

/// The [`Slots`] of whoever owns them.
pub(crate) type OwnSlots<P, L = ()> = Slots<P, L, [(); 0]>;

impl<P: Place, L> OwnSlots<P, L> {
    /// For [`SlotOffsets`](crate::SlotOffsets).
    pub(crate) const WORDS_OFFSET: usize = offset_of!(Self, words);
    /// For [`SlotOffsets`](crate::SlotOffsets).
    pub(crate) const LEDGER_OFFSET: usize = offset_of!(Self, ledger);

    pub(crate) const fn new(words: SlotWords<P>, ledger: L) -> Self {
        Self { words, ledger, seal: [] }
    }

    #[inline(always)]
    pub(crate) fn sealed(&mut self) -> &mut Slots<P, L> {
        self
    }
}

impl<P: Place, L> Slots<P, L> {
    #[inline(always)]
    pub(crate) fn words(&self) -> &SlotWords<P> {
        &self.words
    }

    /// The words, to be changed by whoever has the values.
    ///
    /// # Safety
    ///
    /// When the words are no longer borrowed, a slot is live if and only if its value is there.
    #[inline(always)]
    pub(crate) unsafe fn words_mut(&mut self) -> &mut SlotWords<P> {
        &mut self.words
    }

    /// The words, to be broken.
    #[cfg(test)]
    pub(crate) fn broken(&mut self) -> &mut SlotWords<P> {
        &mut self.words
    }

    pub(crate) fn ledger(&self) -> &L {
        &self.ledger
    }

    /// The ledger, to be broken.
    #[cfg(test)]
    pub(crate) fn ledger_mut(&mut self) -> &mut L {
        &mut self.ledger
    }
}

/// What the words alone do.
impl<P: Place> SlotWords<P> {
    /// Whether the slot is live, and in this lifetime.
    #[inline]
    pub(crate) fn is_live_in(&self, index: usize, generation: P::Word) -> bool {
        // Live words have no top bit, and a handle's generation has none. That of a dangling handle may be 0.
        self.stored(index) == Some(generation) && !generation.is_unused()
    }

    /// Begins a lifetime of a dead slot without checking that the slot exists.
    ///
    /// # Safety
    ///
    /// The slot exists.
    #[inline(always)]
    pub(crate) unsafe fn set_live_unchecked(&mut self, index: usize, generation: P::Word) {
        debug_assert!(!self.is_live(index) && !generation.is_dead());
        // SAFETY: there is a word for each slot.
        unsafe { *self.place.parts_mut().words.get_unchecked_mut(index) = generation };
        if self.own_state().is_synced() {
            // SAFETY: there is such a slot.
            unsafe { *self.bits_of(index) |= 1 << (index % WORD_SLOTS) };
        }
        self.inserted += 1;
    }
}

/// What slots with a reuse order do.
impl<Q, L, P> Slots<P, Ledger<Q, L>>
where
    Q: Queue<L::Index>,
    L: HandleLayout,
    P: Place<Word = L::Word, Entry = Q::Entry>,
{
    /// Sets the generation below which a lifetime ends without care: its successor follows, nobody records it, and the peak
    /// is known and will not rise without a slot that was never used.
    pub(super) fn renew_slow_from(&mut self) {
        let Self { words, ledger, .. } = self;
        match !words.counters().peak_is_stale() && ledger.queue.is_within_peak(words) {
            true => words.set_slow_from(ledger.slow_from()),
            false => words.end_all_slowly(),
        }
    }

    /// The slots in the order in which they come, and what else determines it.
    pub(crate) fn order(&self) -> impl Iterator<Item = core::ops::Range<usize>> + '_ {
        self.ledger.queue.order(&self.words, self.words.used())
    }

    /// The order and its entries, to be broken.
    #[cfg(test)]
    pub(crate) fn order_mut(&mut self) -> (&mut Q, &mut [Q::Entry]) {
        (&mut self.ledger.queue, self.words.entries_mut())
    }

    /// Takes on the state of other slots of the same shape, whose words these have already, except for the name. Slots from
    /// `used` on were never used in either.
    pub(crate) fn copy_order_from(&mut self, other: &Self, used: usize) {
        let Self { words, ledger, .. } = self;
        ledger.queue = other.ledger.queue.clone();
        ledger.queue.copy_entries_from(other.words.entries(), used, words);
        half_way();
        ledger.copy_numbers_from(&other.ledger);
        self.renew_slow_from();
        self.report_all();
    }

    pub(super) fn report_all(&mut self) {
        let Self { words, ledger, .. } = self;
        ledger.report_all(words.slots(), words.counters(), words.occupancy().iter());
    }

    pub(crate) fn stats(&self) -> Stats {
        self.ledger.stats(self.words.slots(), self.words.counters())
    }

    /// `Ok` if the handle is valid, and otherwise why it is refused.
    pub(crate) fn check(&self, handle: L) -> Result<(), Refusal> {
        let word = self.words.get(handle.index() as usize);
        self.ledger.check_word(handle, word, self.words.counters())
    }

    /// The error of a full pool, which has just refused a value.
    #[cold]
    pub(crate) fn refuse(&mut self) -> FullPool {
        self.ledger.refuse(self.words.slots(), self.words.counters())
    }

    /// A value was refused without such an error.
    #[cold]
    pub(crate) fn count_refusal(&mut self) {
        self.ledger.count_refusal();
    }

    /// The lifetime that ended last made room for another.
    pub(crate) fn count_eviction(&mut self) {
        self.ledger.count_eviction();
    }

    /// Whether an insertion would fail: no slot is vacant.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.words.vacant() == 0
    }

    /// The handle that comes next, if no slot is claimed or given back before.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<L> {
        let index = self.ledger.queue.next(&self.words)?;
        self.words.of_vacant(index).map(|word| handle::kept::<L>(index, word))
    }

    /// Takes the slot that comes next out of the order: it is vacant by its word, and the caller begins this lifetime
    /// of it.
    #[inline(always)]
    pub(crate) fn take_next(&mut self) -> Option<(usize, L::Word)> {
        if self.ledger.is_recorded() {
            let index = self.next_recorded()?;
            return Some((index, self.words.of_vacant(index)?));
        }
        self.ledger.queue.take_next(&mut self.words)
    }

    /// The same, out of line, for whoever has time or a recorder. It returns what fits in two registers: with the word, the
    /// result would go through memory even where nobody records.
    #[cold]
    #[inline(never)]
    pub(crate) fn next_recorded(&mut self) -> Option<usize> {
        self.next_and_note()
    }

    /// The same, inlined.
    #[inline(always)]
    pub(crate) fn next_and_note(&mut self) -> Option<usize> {
        let (index, _) = self.ledger.queue.take_next(&mut self.words)?;
        self.ledger.note_begin(index);
        Some(index)
    }

    /// Takes the handle's slot out of the order, if it may have this lifetime by `check`: it is vacant, and
    /// the caller begins the lifetime.
    pub(crate) fn take_at(
        &mut self,
        handle: L,
        check: CheckWord<L>,
    ) -> Result<usize, InsertAtErrorKind> {
        let Self { words, ledger, .. } = self;
        let index = handle.index() as usize;
        ledger.check_take_at(handle, words.get(index), check)?;
        words.mark_used_until(index + 1);
        ledger.queue.take_at(index, words);
        words.record_next_peak();
        // Until the next lifetime ends: the slot is not live yet.
        words.end_all_slowly();
        ledger.note_begin_at(handle);
        Ok(index)
    }

    /// A live slot has just become one that has retired by its word; its pool knows that its lifetime will be
    /// [continued](Self::reattach) or [ended](Self::end_detached).
    #[cfg(feature = "alloc")]
    pub(crate) fn detach(&mut self, index: usize) {
        self.ledger.queue.retire(index, &mut self.words);
        self.renew_slow_from();
    }

    /// Continues the lifetime of such a slot: the caller makes the slot live.
    #[cfg(feature = "alloc")]
    pub(crate) fn reattach(&mut self, handle: L) {
        let (Self { words, ledger, .. }, index) = (self, handle.index() as usize);
        words.unretire(index, None);
        ledger.queue.unretire(index, words, false);
        ledger.note_generation(handle.word());
        words.end_all_slowly();
    }

    /// Ends the lifetime of such a slot.
    #[cfg(feature = "alloc")]
    pub(crate) fn end_detached(&mut self, handle: L) {
        let (Self { words, ledger, .. }, index) = (&mut *self, handle.index() as usize);
        // Else it has indeed retired.
        if let Some(next) = ledger.note_end(index, handle.word()) {
            words.unretire(index, Some(next.as_dead()));
            ledger.queue.unretire(index, words, true);
        }
        self.renew_slow_from();
    }

    /// Ends this lifetime of a slot, and puts the slot back into the order; `false` if the slot is not in it.
    #[inline(always)]
    pub(crate) fn end(&mut self, index: usize, generation: L::Word) -> bool {
        if !self.words.is_live_in(index, generation) {
            cold();
            return false;
        }
        self.end_live(index, generation);
        true
    }

    /// The same for a slot that is live in this generation.
    #[inline(always)]
    pub(crate) fn end_live(&mut self, index: usize, generation: L::Word) {
        debug_assert!(self.words.is_live_in(index, generation));
        if !self.end_fast(index, generation) {
            self.end_with_care(index, generation);
        }
    }

    /// The same below [`slow_from`](SlotWords::set_slow_from), in one comparison if the bitmap is not synced;
    /// `false` if the generation is not.
    #[inline(always)]
    fn end_fast(&mut self, index: usize, generation: L::Word) -> bool {
        let Self { words, ledger, .. } = self;
        assert!(index < words.slots());
        if generation.to_bits() >= words.fast_below.own() {
            if !P::HAS_BITMAP || generation.to_bits() >= words.slow_from {
                cold();
                return false;
            }
            // SAFETY: just tested; the bitmap is synced (invariant 4).
            unsafe { *words.bits_of(index) &= !(1 << (index % WORD_SLOTS)) };
        }
        words.place.parts_mut().words[index] = generation.dead_successor();
        words.removed += 1;
        // SAFETY: no generation is below 0, so the order is within the peak (invariant).
        unsafe { ledger.queue.give_back_fast(index, words) };
        true
    }

    /// The slow path: the successor of this generation may not come next, a recorder may be attached, or it is the first to
    /// end after slots were taken that may have brought a new peak, which is recorded here.
    #[cold]
    #[inline(never)]
    fn end_with_care(&mut self, index: usize, generation: L::Word) {
        self.words.record_peak();
        self.renew_slow_from();
        // If the peak was all, it is like any other end.
        if self.end_fast(index, generation) {
            return;
        }
        let Self { words, ledger, .. } = self;
        match ledger.note_end(index, generation) {
            Some(next) => {
                words.set_dead(index, next.as_dead());
                ledger.queue.give_back(index, words);
            }
            None => {
                words.retire(index);
                ledger.queue.retire(index, words);
            }
        }
        self.renew_slow_from();
    }

    /// Ends the lifetimes of live slots: of slot `first + i` if bit `i` is set.
    #[inline(never)]
    pub(crate) fn end_each(&mut self, first: usize, mut bits: u64) {
        while bits != 0 {
            let index = first + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            if let Some(generation) = self.words.of_live(index) {
                self.end_live(index, generation);
            }
        }
    }

    /// All vacant slots, the lowest first, whatever the order was: after many lifetimes have ended at
    /// once.
    pub(crate) fn reset_order(&mut self) {
        self.reset_order_untold();
        self.report_all();
    }

    /// Like [`reset_order`](Self::reset_order), if each end has already been reported to the recorder.
    pub(crate) fn reset_order_untold(&mut self) {
        self.recount();
        self.ledger.queue.reset(&mut self.words);
        self.renew_slow_from();
    }

    /// The words were written all at once, or slots exist again that existed before.
    #[inline(never)]
    pub(super) fn recount(&mut self) {
        self.ledger.recount(self.words.used_words());
    }

    pub(crate) fn set_name(&mut self, name: Option<&'static str>) {
        self.ledger.set_name(name);
    }

    /// Replaces the recorder's track.
    pub(crate) fn set_recorder(&mut self, track: Option<crate::reports::recorder::Track>) {
        self.ledger.replace_recorder(track);
        self.renew_slow_from();
    }

    /// The order of a copy, which has the same words, and whose ledger is a clone: all but the entries came with it. They are
    /// copied whole, because those of slots that were never used are not yet as in a new pool.
    pub(crate) fn clone_order_from(&mut self, other: &Self) {
        let Self { words, ledger, .. } = self;
        let slots = words.slots();
        ledger.queue.copy_entries_from(other.words.entries(), slots, words);
        self.renew_slow_from();
    }
}

/// The entries of a pool's reuse order, in the array that the slots have for it.
pub(crate) type EntryOf<R, H> = <<R as ReuseOrder>::Queue<<H as HandleLayout>::Index> as Queue<
    <H as HandleLayout>::Index,
>>::Entry;

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::handle::Handle;
    use crate::pools::allocator::HandleAllocator;
    use crate::slots::LedgerOf;
    use crate::slots::generation_settings::GenerationSettings;
    use crate::slots::reuse::{InlineRoster, Lifo};

    #[test]
    fn a_pool_knows_its_name() {
        let named = HandleAllocator::builder().capacity(0).name("sparks").build();
        assert_eq!((named.name(), HandleAllocator::new(0).name()), (Some("sparks"), None));
    }

    #[test]
    fn every_bit_is_0_at_first_unless_the_settings_say_otherwise() {
        assert_eq!(size_of::<<InlineRoster as ReuseOrder>::Queue<u32>>(), 0);
        assert!(
            LedgerOf::<InlineRoster, Handle<()>>::fresh(&GenerationSettings::PLAIN).has_zero_bits()
        );
    }

    #[test]
    fn validation_finds_a_peak_that_would_be_forgotten() {
        let mut slots = HandleAllocator::new(3);
        let handle = slots.acquire().unwrap();
        slots.validate().unwrap();
        slots.storage.slots_mut().broken().set_slow_from(5);
        let rule = "the peak is at least what is live, or noted before a lifetime ends";
        assert_eq!(slots.validate().unwrap_err().rule(), rule);
        slots.storage.slots_mut().broken().end_all_slowly();
        slots.release(handle);
        slots.validate().unwrap();
        assert_eq!(slots.stats().peak, 1);
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut LedgerOf<Lifo, Handle<()>>)| {
            let mut slots = HandleAllocator::new(3);
            let handle = slots.acquire().unwrap();
            let _ = slots.acquire().unwrap();
            slots.release(handle);
            slots.validate().unwrap();
            change(slots.storage.slots_mut().ledger_mut());
            slots.validate().unwrap_err().rule()
        };
        assert_eq!(broken(|ledger| ledger.set_evicted(2)), "the counters agree");
        const ONE: GenerationSettings =
            GenerationSettings { count: 1, ..GenerationSettings::PLAIN };
        let own = "a slot is in one of its lifetimes";
        assert_eq!(broken(|ledger| ledger.set_generations(&ONE)), own);
    }
}
