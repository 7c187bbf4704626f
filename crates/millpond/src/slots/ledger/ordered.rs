//! What a ledger with a reuse order does.
//!
//! The storage of a pool's slots lends the [`SlotWords`] to the pool's ledger. The ledger chooses the next slot, and computes and
//! writes the word of a slot that dies; the storage writes that of a slot that becomes live, with its value.
//!
//! # Invariant
//!
//! The words' [`slow_from`](SlotWords::set_slow_from) is 0 unless the order is [within the peak](Queue::is_within_peak).

#[cfg(feature = "alloc")]
use core::mem::offset_of;

use super::Ledger;
use crate::handle::{HandleLayout, IndexWord, Issue, Word};
use crate::reports::errors::InsertAtErrorKind;
use crate::reports::validate::{Violation, ensure};
use crate::slots::generation_settings::GenerationSettings;
use crate::slots::reuse::{Queue, ReuseOrder};
use crate::slots::{CheckWord, CountedSlots, Needs, Place, SlotKind, SlotWords, SlotsMut};

impl<Q: Queue<H::Index>, H: HandleLayout> Ledger<Q, H> {
    /// For [`SlotOffsets`](crate::SlotOffsets).
    #[cfg(feature = "alloc")]
    pub(crate) const QUEUE_OFFSET: usize = offset_of!(Self, queue);

    pub(crate) const NEEDS: Needs<Q::Entry> = Needs {
        entry_count: Q::entry_count,
        fit_entries: Q::fit_entries,
        is_synced: Q::SEARCHES_BITMAP,
    };

    /// Of slots that were never used, if the [empty](Queue::EMPTY) order is that of such slots; else
    /// [`reset_order_untold`](Self::reset_order_untold) must be called. No lifetime ends fast before one has ended.
    pub(crate) const fn fresh(settings: &GenerationSettings) -> Self {
        Self::new(Q::EMPTY, settings)
    }

    /// Sets the generation below which a lifetime ends without care: its successor follows, nobody records it, and the peak
    /// is known and will not rise without a slot that was never used.
    fn renew_slow_from<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &self,
        slots: &mut SlotWords<P>,
    ) {
        match !slots.counters().peak_is_stale() && self.queue.is_within_peak(slots) {
            true => slots.set_slow_from(self.slow_from()),
            false => slots.end_all_slowly(),
        }
    }

    pub(crate) fn queue(&self) -> &Q {
        &self.queue
    }

    #[cfg(test)]
    pub(crate) fn queue_mut(&mut self) -> &mut Q {
        &mut self.queue
    }

    /// Takes on the state of another ledger of the same shape, except for its name. Slots from `used`
    /// on were never used in either.
    ///
    /// The slots already have the words of the other's slots, but not their entries.
    pub(crate) fn copy_state_from<P>(
        &mut self,
        other: &Self,
        others: &[Q::Entry],
        used: usize,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) where
        P: Place<Word = H::Word, Entry = Q::Entry>,
    {
        self.queue.copy_state_from(&other.queue, others, used, slots);
        self.copy_numbers_from(other);
        self.renew_slow_from(slots);
        self.report_all(slots, slots.occupancy().iter());
    }

    /// Loads the saved state, for slots that already have the saved words.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    pub(crate) fn load<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        saved: &crate::slots::saved::Checked<H::Word>,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) {
        slots.set_start(saved.cycle.start());
        self.load_numbers(saved, slots);
        self.queue.load(&saved.order, slots);
        self.renew_slow_from(slots);
        self.report_all(slots, slots.occupancy().iter());
    }

    /// Whether an insertion would fail: no slot is vacant.
    #[inline]
    pub(crate) fn is_full(&self, words: &SlotWords<impl Place<Word = H::Word>>) -> bool {
        words.vacant() == 0
    }

    /// The handle that comes next, if no slot is claimed or given back before.
    #[inline]
    pub(crate) fn peek<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        slots: &SlotWords<P>,
    ) -> Option<H> {
        let index = self.queue.next(slots)?;
        slots.of_vacant(index).map(|word| H::from_kept_parts(index, word))
    }

    /// Takes the slot that comes next out of the order: it is vacant, and the caller begins this lifetime
    /// of it.
    #[inline(always)]
    pub(crate) fn take_next<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) -> Option<(usize, H::Word)> {
        let (index, word) = if self.is_recorded() {
            let index = self.take_next_called(SlotsMut(slots))?;
            (index, slots.get(index)?)
        } else {
            self.queue.take_next(slots)?
        };
        Some((index, word.as_live()))
    }

    /// The same, out of line, for whoever has time or a recorder. It returns what fits in two registers: with the word, the
    /// result would go through memory even where nobody records.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_next_called<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) -> Option<usize> {
        let (index, _) = self.queue.take_next(slots)?;
        self.note_begin(index);
        Some(index)
    }

    /// Takes the slot that [`peek`](Self::peek) has just named out of the order: it is vacant, and the
    /// caller begins that lifetime of it.
    #[inline]
    pub(crate) fn take_peeked<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        handle: H,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) {
        self.queue.take(handle.index() as usize, slots);
        slots.record_next_peak();
        slots.mark_used(handle.index() as usize);
        self.note_begin(handle.index() as usize);
    }

    /// Takes the handle's slot out of the order, if it may have this lifetime by `check`: it is vacant, and
    /// the caller begins the lifetime.
    pub(crate) fn take_at<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        handle: H,
        SlotsMut(slots): SlotsMut<'_, P>,
        check: CheckWord<H>,
    ) -> Result<usize, InsertAtErrorKind> {
        let index = self.check_take_at(handle, slots, check)?;
        slots.mark_used(index);
        self.queue.take_at(index, slots);
        slots.record_next_peak();
        // Until the next lifetime ends: the slot is not live yet.
        slots.end_all_slowly();
        self.note_begin_at(handle);
        Ok(index)
    }

    /// A live slot has just become one that has retired by its word; its pool knows that its lifetime will be
    /// [continued](Self::reattach) or [ended](Self::end_detached).
    #[cfg(feature = "alloc")]
    pub(crate) fn detach<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        index: usize,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) {
        self.queue.retire(index, slots);
        self.renew_slow_from(slots);
    }

    /// Continues the lifetime of such a slot: the caller makes the slot live.
    #[cfg(feature = "alloc")]
    pub(crate) fn reattach<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        handle: H,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) {
        let index = handle.index() as usize;
        slots.unretire(index, None);
        self.queue.unretire(index, slots, false);
        self.note_generation(handle.word());
        slots.end_all_slowly();
    }

    /// Ends the lifetime of such a slot.
    #[cfg(feature = "alloc")]
    pub(crate) fn end_detached<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        handle: H,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) {
        let index = handle.index() as usize;
        // Else it has indeed retired.
        if let Some(next) = self.note_end(index, handle.word()) {
            slots.unretire(index, Some(next.as_dead()));
            self.queue.unretire(index, slots, true);
        }
        self.renew_slow_from(slots);
    }

    /// Takes upcoming slots out of the order, of which the caller begins the next lifetimes: see
    /// [`Queue::take_upcoming`]. [`note_upcoming`](Self::note_upcoming) must be called afterwards.
    #[cfg(feature = "lots")]
    pub(crate) fn take_upcoming<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        listed: &[H::Index],
        taken: impl DoubleEndedIterator<Item = core::ops::Range<usize>> + Clone,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) -> bool {
        slots.end_all_slowly();
        self.queue.take_upcoming(listed, taken, slots)
    }

    /// Slots below this one, taken out of turn, have become live.
    #[cfg(feature = "lots")]
    pub(crate) fn note_upcoming<P>(&mut self, until: usize, SlotsMut(slots): SlotsMut<'_, P>)
    where
        P: Place<Word = H::Word, Entry = Q::Entry>,
    {
        slots.mark_used_until(until);
        self.renew_slow_from(slots);
    }

    /// Ends this lifetime of a live slot, and puts the slot back into the order.
    #[inline]
    pub(crate) fn end<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        index: usize,
        generation: H::Word,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) {
        if !self.end_fast(index, generation, slots) {
            self.end_with_care(index, generation, slots);
        }
    }

    /// The same below `slow_from`; `false` if the generation is not.
    #[inline(always)]
    fn end_fast<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        index: usize,
        generation: H::Word,
        slots: &mut SlotWords<P>,
    ) -> bool {
        let is_below = slots.end_fast(index, generation);
        if is_below {
            // SAFETY: no generation is below 0, so the order is within the peak (invariant).
            unsafe { self.queue.give_back_fast(index, slots) };
        }
        is_below
    }

    /// Ends the lifetimes of live slots: of slot `first + i` if bit `i` is set.
    #[inline(never)]
    pub(crate) fn end_each<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        first: usize,
        mut bits: u64,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) {
        while bits != 0 {
            let index = first + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            if let Some(generation) = slots.of_live(index) {
                self.end(index, generation, SlotsMut(slots));
            }
        }
    }

    /// The slow path: the successor of this generation may not come next, a recorder may be attached, or it is the first to
    /// end after slots were taken that may have brought a new peak, which is recorded here.
    #[cold]
    #[inline(never)]
    fn end_with_care<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        index: usize,
        generation: H::Word,
        slots: &mut SlotWords<P>,
    ) {
        slots.record_peak();
        self.renew_slow_from(slots);
        // If the peak was all, it is like any other end.
        if self.end_fast(index, generation, slots) {
            return;
        }
        match self.note_end(index, generation) {
            Some(next) => {
                slots.set_dead(index, next.as_dead());
                self.queue.give_back(index, slots);
            }
            None => {
                slots.retire(index);
                self.queue.retire(index, slots);
            }
        }
        self.renew_slow_from(slots);
    }

    /// All vacant slots, the lowest first, whatever the order was: after many lifetimes have ended at
    /// once.
    pub(crate) fn reset_order<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) {
        self.reset_order_untold(SlotsMut(slots));
        self.report_all(slots, slots.occupancy().iter());
    }

    /// Like [`reset_order`](Self::reset_order), if each end has already been reported to the recorder.
    pub(crate) fn reset_order_untold<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) {
        self.recount(slots);
        self.queue.reset(slots);
        self.renew_slow_from(slots);
    }

    /// There are more slots now, from this one on: dead ones.
    #[cfg(feature = "vec")]
    pub(crate) fn grow<P>(&mut self, from: usize, SlotsMut(slots): SlotsMut<'_, P>)
    where
        P: Place<Word = H::Word, Entry = Q::Entry>,
    {
        // Where a freed slot comes behind those that were never used, the new ones follow it.
        if Q::GOES_ROUND && slots.used() > 0 {
            slots.mark_used_until(from);
        }
        self.queue.grow(from, slots);
        // New slots that never existed leave `slow_from` as it is: the generations, the peak and the order within it.
        if from < slots.ever_used() {
            self.note_slots_again(slots);
            self.renew_slow_from(slots);
        }
        self.report_size(slots);
    }

    /// The slots from `to` on, all dead, are about to be removed; [`note_shrunk`](Self::note_shrunk) must be called then.
    #[cfg(feature = "vec")]
    pub(crate) fn shrink<P>(&mut self, to: usize, SlotsMut(slots): SlotsMut<'_, P>)
    where
        P: Place<Word = H::Word, Entry = Q::Entry>,
    {
        slots.end_all_slowly();
        self.queue.shrink(to, slots);
    }

    /// There are fewer slots now.
    #[cfg(feature = "vec")]
    pub(crate) fn note_shrunk<P>(&mut self, SlotsMut(slots): SlotsMut<'_, P>)
    where
        P: Place<Word = H::Word, Entry = Q::Entry>,
    {
        self.renew_slow_from(slots);
        self.report_size(slots);
    }

    /// Replaces the recorder's track.
    pub(crate) fn set_recorder<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &mut self,
        track: Option<crate::reports::recorder::Track>,
        SlotsMut(slots): SlotsMut<'_, P>,
    ) {
        self.replace_recorder(track);
        self.renew_slow_from(slots);
    }
}

/// The entries of a pool's reuse order, in the array that the slots have for it.
pub(crate) type EntryOf<R, H> = <<R as ReuseOrder>::Queue<<H as HandleLayout>::Index> as Queue<
    <H as HandleLayout>::Index,
>>::Entry;

impl<R: ReuseOrder, W: Word, I: IndexWord> SlotKind for (R, W, I) {
    type Word = W;
    type Entry = <R::Queue<I> as Queue<I>>::Entry;
}

#[cfg(feature = "validate")]
impl<Q: Queue<H::Index>, H: HandleLayout> Ledger<Q, H> {
    /// Checks a pool that may have had up to `capacity` slots. The objects of these, with these generations, are out of it.
    pub(crate) fn validate<P: Place<Word = H::Word, Entry = Q::Entry>>(
        &self,
        capacity: usize,
        slots: &SlotWords<P>,
        detached: &[(u32, u32)],
    ) -> Result<(), Violation> {
        let words = slots;
        words.validate()?;
        self.validate_numbers(capacity, words, detached)?;
        self.queue.validate(slots)?;
        self.queue.validate_unused(words.used(), slots)?;
        let is_careful = words.slow_from() == 0;
        ensure(
            is_careful || !words.counters().peak_is_stale(),
            "the peak is at least what is live, or noted before a lifetime ends",
            format_args!("{:?}", words.counters()),
        )?;
        ensure(
            is_careful || words.slow_from() == self.slow_from().to_bits(),
            "a lifetime ends on the fast path only if its successor comes next and nobody records it",
            format_args!("below {}", words.slow_from()),
        )?;
        ensure(
            is_careful || self.queue.is_within_peak(words),
            "a lifetime ends on the fast path only if the order is within the peak",
            format_args!("{:?}", self.queue),
        )
    }
}

impl<Q: Queue<H::Index>, H: HandleLayout> Ledger<Q, H> {
    /// The ledger of a copy of the slots, which has all but the entries, without a recorder.
    pub(crate) fn clone_for<P>(&self, others: &[Q::Entry], SlotsMut(slots): SlotsMut<'_, P>) -> Self
    where
        P: Place<Word = H::Word, Entry = Q::Entry>,
    {
        let mut clone = Self { queue: Q::EMPTY, ..self.clone() };
        if !slots.holds_links() {
            // What comes with the slots stays.
            clone.queue.reset(slots);
        }
        clone.queue.copy_state_from(&self.queue, others, slots.used(), slots);
        clone.renew_slow_from(slots);
        clone
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::handle::Handle;
    use crate::pools::allocator::HandleAllocator;
    use crate::slots::LedgerOf;
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
        slots.storage_mut().slots_mut().all().set_slow_from(5);
        let rule = "the peak is at least what is live, or noted before a lifetime ends";
        assert_eq!(slots.validate().unwrap_err().rule(), rule);
        slots.storage_mut().slots_mut().all().end_all_slowly();
        slots.release(handle);
        slots.validate().unwrap();
        assert_eq!(slots.stats().peak, 1);
    }

    /// In an order that goes round, a freed slot lies between those that were never used and new ones.
    #[test]
    #[cfg(feature = "vec")]
    fn new_slots_behind_a_freed_one_leave_none_below_them_unused() {
        use crate::VecPool;

        let mut pool = VecPool::builder().reuse(crate::reuse::Fifo).build();
        pool.reserve(4).unwrap();
        fn used(pool: &impl crate::snapshot::state::sealed::State) -> usize {
            pool.used()
        }
        pool.reserve(8).unwrap();
        assert_eq!(used(&pool), 0, "each slot of a pool that was never used");
        let first = pool.push(1);
        assert_eq!(used(&pool), 1);
        pool.remove(first);
        pool.reserve(12).unwrap();
        assert_eq!((used(&pool), pool.capacity()), (8, 16));
        let mut pool = VecPool::builder().reuse(crate::reuse::Roster).build();
        let first = pool.push(1);
        pool.remove(first);
        pool.reserve(12).unwrap();
        assert_eq!(used(&pool), 1, "an order that uses freed slots first");
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut LedgerOf<Lifo, Handle<()>>)| {
            let mut slots = HandleAllocator::new(3);
            let handle = slots.acquire().unwrap();
            let _ = slots.acquire().unwrap();
            slots.release(handle);
            slots.validate().unwrap();
            change(slots.ledger_mut());
            slots.validate().unwrap_err().rule()
        };
        assert_eq!(broken(|ledger| ledger.set_evicted(2)), "the counters agree");
        const ONE: GenerationSettings =
            GenerationSettings { count: 1, ..GenerationSettings::PLAIN };
        let own = "a slot is in one of its lifetimes";
        assert_eq!(broken(|ledger| ledger.set_generations(&ONE)), own);
    }

    #[test]
    #[cfg(all(feature = "lots", target_has_atomic = "32"))]
    fn lifetimes_end_slowly_while_upcoming_slots_are_taken() {
        let mut ledger = LedgerOf::<Lifo, Handle<()>>::fresh(&GenerationSettings::PLAIN);
        let mut words = SlotWords::<crate::slots::Block<crate::slots::Bare<u32, u32>>>::try_new(
            8,
            <<Lifo as ReuseOrder>::Queue<u32> as Queue<u32>>::entry_count(8, false),
            false,
            ledger.cycle().start().generation(),
        )
        .unwrap();
        ledger.reset_order_untold(SlotsMut(&mut words));
        assert_eq!(words.slow_from(), ledger.slow_from());
        assert!(ledger.take_upcoming(
            &[0, 1, 2, 3],
            [0..1, 1..3].into_iter(),
            SlotsMut(&mut words)
        ));
        assert_eq!(words.slow_from(), 0, "the slots are not live yet");
        for index in 0..3 {
            words.record_next_peak();
            words.set_live(index, 1);
        }
        ledger.note_upcoming(3, SlotsMut(&mut words));
        assert_eq!(words.slow_from(), ledger.slow_from());
        assert_eq!(ledger.queue.next(&words), Some(3));
    }
}
