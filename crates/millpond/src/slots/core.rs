//! What every pool with handles is made of beside its slots' words: the cycle of generations, a reuse
//! order, and a name.
//!
//! A pool owns a [`Core`] and its [`Slots`] ([`SlotWords`], or values with words of their own). The
//! core says which slot comes next and which word a slot gets; the pool writes the word.

use super::{Circle, KeptCircle, Place, SlotWords};
use crate::errors::{FullPool, GetDisjointMutError, InsertAtErrorKind};
use crate::handle::{HandleLayout, Issue, Refusal, Word};
use crate::lifetimes::Lifetimes;
use crate::reuse::{Queue, ReuseOrder, Slots};
use crate::stats::Stats;
use crate::tap::Tap;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure, ensure_counters};

/// The cycle of generations and a reuse order, with the counters for [`Stats`] that the words lack.
#[repr(C)]
pub(crate) struct Core<R: ReuseOrder, H: HandleLayout> {
    queue: R::Queue<H::Index>,
    /// A generation below this one is followed by its successor, and no recorder listens: one comparison for
    /// all that is out of the ordinary when a lifetime ends.
    quick_below: H::Word,
    /// Some slot may have gone on at generation 1 after the largest.
    over_max: bool,
    /// The order [is plain](Queue::is_plain), and no recorder listens.
    is_plain: bool,
    circle: KeptCircle,
    name: Option<&'static str>,
    refused: u64,
    evicted: u64,
    /// How far on the circle a lifetime was begun out of turn, at most.
    age_claimed_max: u32,
    /// One more than the highest slot that was claimed.
    claimed_until: u32,
    tap: Tap,
}

impl<R: ReuseOrder, H: HandleLayout> Core<R, H> {
    /// The core of slots that are all dead.
    pub(crate) fn new<S>(circle: Circle<H::Word>, name: Option<&'static str>, slots: &mut S) -> Self
    where
        S: Slots<Word = H::Word, Entry = EntryOf<R, H>>,
    {
        let mut core = Self::unsettled(KeptCircle::of(&circle), name);
        core.queue.reset(slots);
        core.settle(slots.words());
        core
    }

    /// The core of slots that were never used, if the order that is [empty](Queue::EMPTY) is that of such slots.
    /// Every bit of it is 0 unless the lifetimes say otherwise.
    pub(crate) const fn fresh(lifetimes: &Lifetimes) -> Self {
        Self::unsettled(KeptCircle::new(lifetimes, H::LIFETIMES_MAX), lifetimes.name)
    }

    /// There are no shortcuts yet: the first lifetime that ends finds them.
    const fn unsettled(circle: KeptCircle, name: Option<&'static str>) -> Self {
        Self {
            queue: R::Queue::EMPTY,
            quick_below: H::Word::ZERO,
            over_max: false,
            is_plain: false,
            circle,
            name,
            refused: 0,
            evicted: 0,
            age_claimed_max: 0,
            claimed_until: 0,
            tap: Tap::NONE,
        }
    }

    /// Goes on with slots that are all dead, of a core with these [lifetimes](Self::lifetimes).
    pub(crate) fn continued<S>(
        circle: Circle<H::Word>,
        age_claimed_max: u32,
        name: Option<&'static str>,
        slots: &mut S,
    ) -> Self
    where
        S: Slots<Word = H::Word, Entry = EntryOf<R, H>>,
    {
        let mut core = Self::new(circle, name, slots);
        core.age_claimed_max = age_claimed_max;
        core.claimed_until = slots.words().slots() as u32;
        core.over_max = core.is_over_max(slots.words());
        core.settle(slots.words());
        core
    }

    /// Finds out which shortcuts there are.
    fn settle(&mut self, words: &SlotWords<impl Place<Word = H::Word, Entry = EntryOf<R, H>>>) {
        self.is_plain = !self.tap.is_on() && self.queue.is_plain(words);
        self.settle_quick_below();
    }

    fn settle_quick_below(&mut self) {
        self.quick_below = match self.tap.is_on() {
            true => H::Word::ZERO,
            false => self.circle().quick_below(self.over_max),
        };
    }

    /// The circle, and how far on it a lifetime was begun out of turn.
    pub(crate) fn lifetimes(&self) -> (Circle<H::Word>, u32) {
        (self.circle(), self.age_claimed_max)
    }

    #[inline]
    pub(crate) fn name(&self) -> Option<&'static str> {
        self.name
    }

    #[inline]
    pub(crate) fn circle(&self) -> Circle<H::Word> {
        self.circle.circle::<H>()
    }

    pub(crate) fn queue(&self) -> &R::Queue<H::Index> {
        &self.queue
    }

    pub(crate) fn queue_mut(&mut self) -> &mut R::Queue<H::Index> {
        &mut self.queue
    }

    /// Slots from here on were never used: their words are those of a new pool, and they come in the order
    /// of their indices.
    ///
    /// For: without claims, an order that goes round hands out one such slot for each birth at most. The
    /// others do so only when no other slot is vacant, so none beyond the peak; but a retired slot may bring
    /// any slot forward.
    pub(crate) fn used(&self, words: &SlotWords<impl Place<Word = H::Word>>) -> usize {
        if words.retired() > 0 {
            return words.slots();
        }
        let handed_out = match <R::Queue<H::Index> as Queue<H::Index>>::GOES_ROUND {
            true => usize::try_from(words.births()).unwrap_or(usize::MAX),
            false => words.peak(),
        };
        handed_out.max(self.claimed_until as usize).min(words.slots())
    }

    /// The order is not that of a new pool for any of the slots.
    pub(crate) fn mark_all_used(&mut self, slots: usize) {
        self.claimed_until = slots as u32;
    }

    /// Takes on the state of another core of the same shape, but for its name. Slots from `used` on were
    /// never used in either.
    ///
    /// The slots have the words of the other's slots already; of these the entries are missing.
    pub(crate) fn copy_state_from<S>(
        &mut self,
        other: &Self,
        others: &[EntryOf<R, H>],
        used: usize,
        slots: &mut S,
    ) where
        S: Slots<Word = H::Word, Entry = EntryOf<R, H>>,
    {
        self.queue.copy_state_from(&other.queue, others, used, slots);
        self.refused = other.refused;
        self.evicted = other.evicted;
        self.age_claimed_max = other.age_claimed_max;
        self.claimed_until = other.claimed_until;
        self.over_max = other.over_max;
        self.settle(slots.words());
        self.tell_all(slots.words());
    }

    /// Tells whoever listens that the pool's state was replaced as a whole.
    fn tell_all(&mut self, words: &SlotWords<impl Place<Word = H::Word>>) {
        if self.tap.is_on() {
            let stats = self.stats(words);
            self.tap.restart(stats, words.occupancy().iter());
        }
    }

    /// Becomes what was saved, over slots that have the saved words already.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    pub(crate) fn load<S: Slots<Word = H::Word, Entry = EntryOf<R, H>>>(
        &mut self,
        saved: &crate::snapshot::format::Checked<H::Word>,
        slots: &mut S,
    ) {
        self.circle = KeptCircle::of(&saved.circle);
        self.refused = saved.refused;
        self.evicted = saved.evicted;
        self.age_claimed_max = saved.age_max();
        self.claimed_until = slots.words().slots() as u32;
        self.over_max = self.is_over_max(slots.words());
        self.queue.load(&saved.order, slots);
        self.settle(slots.words());
    }

    /// Whether an insertion would fail: no slot is vacant.
    #[inline]
    pub(crate) fn is_full(&self, words: &SlotWords<impl Place<Word = H::Word>>) -> bool {
        words.vacant() == 0
    }

    /// Whether the handle is good, and if not, why it is refused.
    pub(crate) fn check(
        &self,
        handle: H,
        words: &SlotWords<impl Place<Word = H::Word>>,
    ) -> Result<(), Refusal> {
        let index = handle.index() as usize;
        if words.is_live_in(index, handle.word()) {
            return Ok(());
        }
        let issued = words.births() + u64::from(self.age_claimed_max);
        Err(self.circle().refusal(words.get(index), handle.word(), issued))
    }

    /// Whether all handles are good, and no two the same.
    pub(crate) fn check_disjoint(
        &self,
        handles: &[H],
        words: &SlotWords<impl Place<Word = H::Word>>,
    ) -> Result<(), GetDisjointMutError> {
        for (position, &handle) in handles.iter().enumerate() {
            if let Err(refusal) = self.check(handle, words) {
                return Err(GetDisjointMutError::Refused { position, refusal });
            }
            if handles[..position].contains(&handle) {
                return Err(GetDisjointMutError::Overlapping { position });
            }
        }
        Ok(())
    }

    /// The handle that comes next, if no slot is claimed or given back before.
    #[inline]
    pub(crate) fn peek<S: Slots<Word = H::Word, Entry = EntryOf<R, H>>>(
        &mut self,
        slots: &S,
    ) -> Option<H> {
        let index = self.queue.next(slots)?;
        slots.words().of_vacant(index).map(|word| H::from_kept_parts(index, word))
    }

    /// Takes the slot that comes next out of the order: it is vacant, and the caller begins this lifetime
    /// of it.
    #[inline(always)]
    pub(crate) fn take_next<S: Slots<Word = H::Word, Entry = EntryOf<R, H>>>(
        &mut self,
        slots: &mut S,
    ) -> Option<(usize, H::Word)> {
        // One place for what all ways have in common.
        self.take_next_word(slots).map(|(index, word)| (index, word.as_live()))
    }

    /// The same with the word of the slot.
    #[inline(always)]
    fn take_next_word<S: Slots<Word = H::Word, Entry = EntryOf<R, H>>>(
        &mut self,
        slots: &mut S,
    ) -> Option<(usize, H::Word)> {
        if !<R::Queue<H::Index> as Queue<H::Index>>::MAY_BE_PLAIN {
            if self.tap.is_on() {
                return self.take_next_with_care(slots);
            }
            let taken = self.queue.take_next(slots)?;
            slots.expect_birth();
            return Some(taken);
        }
        if self.is_plain {
            let taken = self.queue.take_plain(slots);
            if taken.is_some() {
                return taken;
            }
        }
        self.take_next_with_care(slots)
    }

    /// Also if there may be none, or an order that is not plain, or somebody listens.
    #[cold]
    #[inline(never)]
    fn take_next_with_care<S: Slots<Word = H::Word, Entry = EntryOf<R, H>>>(
        &mut self,
        slots: &mut S,
    ) -> Option<(usize, H::Word)> {
        if slots.words().vacant() == 0 {
            return None;
        }
        self.settle(slots.words());
        let taken = self.queue.take_next(slots)?;
        slots.expect_birth();
        self.tap.birth(taken.0);
        Some(taken)
    }

    /// Takes the slot that [`peek`](Self::peek) has just named out of the order: it is vacant, and the
    /// caller begins that lifetime of it.
    #[inline]
    pub(crate) fn take_peeked<S: Slots<Word = H::Word, Entry = EntryOf<R, H>>>(
        &mut self,
        handle: H,
        slots: &mut S,
    ) {
        self.queue.take(handle.index() as usize, slots);
        slots.expect_birth();
        self.tap.birth(handle.index() as usize);
    }

    /// Takes the handle's slot out of the order, if it may have this lifetime: it is vacant, and the
    /// caller begins the lifetime.
    pub(crate) fn claim<S: Slots<Word = H::Word, Entry = EntryOf<R, H>>>(
        &mut self,
        handle: H,
        slots: &mut S,
    ) -> Result<usize, InsertAtErrorKind> {
        let index = handle.index() as usize;
        let word = slots.words().get(index).ok_or(InsertAtErrorKind::OutOfRange)?;
        self.circle().check_begin(word, handle.word())?;
        self.queue.claim(index, slots);
        slots.expect_birth();
        self.age_claimed_max = self.age_claimed_max.max(self.circle().age(handle.word()));
        self.claimed_until = self.claimed_until.max(index as u32 + 1);
        self.is_plain = false;
        self.note_generation(handle.word());
        self.tap.birth(index);
        Ok(index)
    }

    /// Ends this lifetime of a live slot, and puts the slot back into the order.
    #[inline]
    pub(crate) fn end<S: Slots<Word = H::Word, Entry = EntryOf<R, H>>>(
        &mut self,
        index: usize,
        generation: H::Word,
        slots: &mut S,
    ) {
        if generation >= self.quick_below {
            return self.end_with_care(index, generation, slots);
        }
        slots.set_dead(index, generation.successor().as_dead());
        self.queue.give_back(index, slots);
    }

    /// Also where the successor of this generation does not come next, or somebody listens.
    #[cold]
    #[inline(never)]
    fn end_with_care<S: Slots<Word = H::Word, Entry = EntryOf<R, H>>>(
        &mut self,
        index: usize,
        generation: H::Word,
        slots: &mut S,
    ) {
        if self.quick_below == H::Word::ZERO {
            self.settle_quick_below();
        }
        self.tap.death(index);
        match self.circle().after(generation) {
            Some(next) => {
                slots.set_dead(index, next.as_dead());
                self.queue.give_back(index, slots);
                self.note_generation(next);
            }
            None => {
                slots.retire(index);
                self.queue.retire(index, slots);
                self.tap.retired();
            }
        }
    }

    /// A slot is in this generation, or will be next.
    fn note_generation(&mut self, generation: H::Word) {
        if generation < self.circle().start() && !self.over_max {
            self.over_max = true;
            self.quick_below = self.quick_below.min(self.circle().quick_below(true));
        }
    }

    /// Whether some slot has gone on at generation 1 after the largest, or will next.
    fn is_over_max(&self, words: &SlotWords<impl Place<Word = H::Word>>) -> bool {
        let start = self.circle().start();
        let is_over = |word: H::Word| word != H::Word::RETIRED && word.as_live() < start;
        // In a pool without a name, none ever is.
        start.generation() > 1
            && (0..words.slots()).any(|index| words.get(index).is_some_and(is_over))
    }

    /// All vacant slots, the lowest first, whatever the order was: after many lifetimes have ended at
    /// once.
    pub(crate) fn reset_order<S: Slots<Word = H::Word, Entry = EntryOf<R, H>>>(
        &mut self,
        slots: &mut S,
    ) {
        self.reset_order_untold(slots);
        self.tell_all(slots.words());
    }

    /// The same where whoever listens has been told of each end.
    pub(crate) fn reset_order_untold<S: Slots<Word = H::Word, Entry = EntryOf<R, H>>>(
        &mut self,
        slots: &mut S,
    ) {
        self.over_max = self.is_over_max(slots.words());
        self.queue.reset(slots);
        self.settle(slots.words());
    }

    /// Somebody else listens from now on, or nobody.
    #[cfg(feature = "recorder")]
    pub(crate) fn listen(
        &mut self,
        track: Option<crate::recorder::Track>,
        words: &SlotWords<impl Place<Word = H::Word, Entry = EntryOf<R, H>>>,
    ) {
        self.tap.set(track);
        self.settle(words);
    }

    /// Whether a slot that dies in this generation retires.
    pub(crate) fn is_last(&self, handle: H) -> bool {
        self.circle().is_last(handle.word())
    }

    #[cold]
    pub(crate) fn count_refusal(&mut self) {
        self.refused += 1;
        self.tap.refused();
    }

    pub(crate) fn count_eviction(&mut self) {
        self.evicted += 1;
        self.tap.evicted();
    }

    /// What is said of a full pool, which has just refused a value.
    #[cold]
    pub(crate) fn refuse(&mut self, words: &SlotWords<impl Place<Word = H::Word>>) -> FullPool {
        self.count_refusal();
        let Stats { capacity, peak, retired, .. } = self.stats(words);
        FullPool { name: self.name, capacity, peak, retired, out_of_memory: false }
    }

    pub(crate) fn stats(&self, words: &SlotWords<impl Place<Word = H::Word>>) -> Stats {
        Stats {
            capacity: words.slots(),
            live: words.live(),
            peak: words.peak(),
            retired: words.retired(),
            inserted: words.births(),
            removed: words.births() - words.live() as u64,
            refused: self.refused,
            evicted: self.evicted,
        }
    }
}

/// What the reuse order of a pool keeps in the array that the slots have for it.
pub(crate) type EntryOf<R, H> = <<R as ReuseOrder>::Queue<<H as HandleLayout>::Index> as Queue<
    <H as HandleLayout>::Index,
>>::Entry;

#[cfg(feature = "validate")]
impl<R: ReuseOrder, H: HandleLayout> Core<R, H> {
    pub(crate) fn validate<S: Slots<Word = H::Word, Entry = EntryOf<R, H>>>(
        &self,
        slots: &S,
    ) -> Result<(), Violation> {
        let words = slots.words();
        words.validate()?;
        words.validate_lifetimes(&self.circle())?;
        ensure_counters(&self.stats(words))?;
        let fresh = self.circle().start().as_dead();
        let used = self.used(words);
        let beyond = (used..words.slots()).find(|&index| words.get(index) != Some(fresh));
        ensure(
            beyond.is_none(),
            "slots beyond those that were used are as in a new pool",
            format_args!("slot {beyond:?}, though only {used} were used"),
        )?;
        words.validate_unused(used)?;
        ensure(
            self.over_max || !self.is_over_max(words),
            "a slot that has gone on at generation 1 is known of",
            format_args!("a slot is in a generation before the first"),
        )?;
        self.queue.validate(slots)?;
        ensure(
            !self.is_plain || self.queue.is_plain(words),
            "an order that is taken for a plain one is one",
            format_args!("{:?}", self.queue),
        )
    }
}

impl<R: ReuseOrder, H: HandleLayout> Core<R, H> {
    /// The core of a copy of the slots, to which nobody listens.
    pub(crate) fn clone_for(
        &self,
        words: &SlotWords<impl Place<Word = H::Word, Entry = EntryOf<R, H>>>,
    ) -> Self {
        let mut clone = Self { queue: self.queue.clone(), tap: Tap::NONE, ..*self };
        clone.settle(words);
        clone
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::reuse::{InlineRoster, Lifo};
    use crate::{Handle, HandleAllocator};

    #[test]
    fn a_pool_knows_its_name() {
        let named = HandleAllocator::builder().capacity(0).name("sparks").build();
        assert_eq!((named.name(), HandleAllocator::new(0).name()), (Some("sparks"), None));
    }

    #[test]
    fn every_bit_is_0_at_first_unless_the_lifetimes_say_otherwise() {
        fn has_zero_bits(core: &Core<InlineRoster, Handle<()>>) -> bool {
            let Core { queue: _, quick_below, over_max, is_plain, circle, name, .. } = core;
            let Core { refused, evicted, age_claimed_max, claimed_until, tap, .. } = core;
            *quick_below == 0
                && !over_max
                && !is_plain
                && circle.has_zero_bits()
                && name.is_none()
                && (*refused, *evicted, *age_claimed_max, *claimed_until) == (0, 0, 0, 0)
                && !tap.is_on()
        }
        assert_eq!(size_of::<<InlineRoster as ReuseOrder>::Queue<u32>>(), 0);
        assert!(has_zero_bits(&Core::fresh(&Lifetimes::PLAIN)));
        let named = Lifetimes { name: Some("sparks"), ..Lifetimes::PLAIN };
        assert!(!has_zero_bits(&Core::fresh(&named)));
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut Core<Lifo, Handle<()>>)| {
            let mut slots = HandleAllocator::new(3);
            let handle = slots.acquire().unwrap();
            let _ = slots.acquire().unwrap();
            slots.release(handle);
            slots.validate().unwrap();
            change(slots.core_mut());
            slots.validate().unwrap_err().rule()
        };
        assert_eq!(broken(|core| core.evicted = 2), "the counters agree");
        const ONE: Lifetimes = Lifetimes { count: 1, ..Lifetimes::PLAIN };
        let own = "a slot is in one of its lifetimes";
        assert_eq!(broken(|core| core.circle = KeptCircle::new(&ONE, u32::MAX >> 1)), own);
    }
}
