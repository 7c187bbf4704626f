//! What every pool with handles is made of beside its slots' words: the circle of generations, a reuse
//! order, and a name.
//!
//! A pool owns a [`HandleCore`] and its [`Slots`] ([`SlotWords`], or values with words of their own). The
//! core says which slot comes next and which word a slot gets; the pool writes the word.

use crate::circle::Circle;
use crate::errors::{FullPool, GetDisjointMutError, InsertAtErrorKind};
use crate::handle::{HandleLayout, Refusal, Word};
use crate::memory::OutOfMemory;
use crate::reuse::{Queue, ReuseOrder, Slots};
use crate::settings::Lifetimes;
use crate::slot_words::SlotWords;
use crate::stats::Stats;
use crate::tap::Tap;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure, ensure_counters};

/// The circle of generations and a reuse order, with the counters for [`Stats`] that the words lack.
pub(crate) struct HandleCore<R: ReuseOrder, H: HandleLayout> {
    circle: Circle<H::Word>,
    queue: R::Queue<H::Index>,
    name: Option<&'static str>,
    refused: u64,
    evicted: u64,
    /// How far on the circle a lifetime was begun out of turn, at most.
    age_claimed_max: u32,
    /// One more than the highest slot that was claimed.
    claimed_until: usize,
    tap: Tap,
}

/// The words of a pool with this order and layout.
type Words<R, H> = SlotWords<<H as HandleLayout>::Word, R>;

impl<R: ReuseOrder, H: HandleLayout> HandleCore<R, H> {
    /// The slots, made by the function with the word that each has at first, and their core.
    pub(crate) fn try_new<S: Slots>(
        lifetimes: &Lifetimes,
        make_slots: impl FnOnce(H::Word) -> Result<S, OutOfMemory>,
    ) -> Result<(Self, S), OutOfMemory> {
        Self::try_of(Circle::new::<H>(lifetimes), lifetimes.name, make_slots)
    }

    /// The same, of a circle that is known.
    pub(crate) fn try_of<S: Slots>(
        circle: Circle<H::Word>,
        name: Option<&'static str>,
        make_slots: impl FnOnce(H::Word) -> Result<S, OutOfMemory>,
    ) -> Result<(Self, S), OutOfMemory> {
        let mut slots = make_slots(circle.start().as_dead())?;
        let core = Self {
            circle,
            queue: R::Queue::try_new(&mut slots)?,
            name,
            refused: 0,
            evicted: 0,
            age_claimed_max: 0,
            claimed_until: 0,
            tap: Tap::NONE,
        };
        Ok((core, slots))
    }

    /// Goes on with slots that are all dead, of a core with these [lifetimes](Self::lifetimes).
    pub(crate) fn try_continue<S: Slots<Word = H::Word>>(
        circle: Circle<H::Word>,
        age_claimed_max: u32,
        name: Option<&'static str>,
        slots: &mut S,
    ) -> Result<Self, OutOfMemory> {
        let mut queue = R::Queue::try_new(slots)?;
        queue.reset(slots);
        let claimed_until = slots.words().slots();
        Ok(Self {
            circle,
            queue,
            name,
            refused: 0,
            evicted: 0,
            age_claimed_max,
            claimed_until,
            tap: Tap::NONE,
        })
    }

    /// The circle, and how far on it a lifetime was begun out of turn.
    pub(crate) fn lifetimes(&self) -> (Circle<H::Word>, u32) {
        (self.circle, self.age_claimed_max)
    }

    #[inline]
    pub(crate) fn name(&self) -> Option<&'static str> {
        self.name
    }

    pub(crate) fn circle(&self) -> &Circle<H::Word> {
        &self.circle
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
    pub(crate) fn used(&self, words: &Words<R, H>) -> usize {
        if words.retired() > 0 {
            return words.slots();
        }
        let handed_out = match <R::Queue<H::Index> as Queue<H::Index>>::GOES_ROUND {
            true => usize::try_from(words.births()).unwrap_or(usize::MAX),
            false => words.peak(),
        };
        handed_out.max(self.claimed_until).min(words.slots())
    }

    /// The order is not that of a new pool for any of the slots.
    pub(crate) fn mark_all_used(&mut self, slots: usize) {
        self.claimed_until = slots;
    }

    /// Takes over the state of another core of the same shape, but for its name. Slots from `used` on were
    /// never used in either.
    ///
    /// The words are those of this core's slots, which have taken over the other's already.
    pub(crate) fn take_over(&mut self, other: &Self, used: usize, words: &Words<R, H>) {
        self.queue.take_over(&other.queue, used);
        self.refused = other.refused;
        self.evicted = other.evicted;
        self.age_claimed_max = other.age_claimed_max;
        self.claimed_until = other.claimed_until;
        self.tell_all(words);
    }

    /// Tells whoever listens that the pool's state was replaced as a whole.
    fn tell_all(&mut self, words: &Words<R, H>) {
        if self.tap.is_on() {
            let stats = self.stats(words);
            self.tap.restart(stats, words.occupancy().iter());
        }
    }

    /// Becomes what was saved, over slots that have the saved words already.
    #[cfg(feature = "serde")]
    pub(crate) fn load<S: Slots<Word = H::Word>>(
        &mut self,
        saved: &crate::snapshot::format::Checked<H::Word>,
        slots: &mut S,
    ) {
        self.circle = saved.circle;
        self.refused = saved.refused;
        self.evicted = saved.evicted;
        self.age_claimed_max = saved.age_max();
        self.claimed_until = slots.words().slots();
        self.queue.load(&saved.order, slots);
    }

    /// Whether an insertion would fail: no slot is vacant.
    #[inline]
    pub(crate) fn is_full(&self, words: &Words<R, H>) -> bool {
        words.live() + words.retired() == words.slots()
    }

    /// Whether the handle is good, and if not, why it is refused.
    pub(crate) fn check(&self, handle: H, words: &Words<R, H>) -> Result<(), Refusal> {
        let index = handle.index() as usize;
        if words.is_live_in(index, handle.word()) {
            return Ok(());
        }
        let issued = words.births() + u64::from(self.age_claimed_max);
        Err(self.circle.refusal(words.get(index), handle.word(), issued))
    }

    /// Whether all handles are good, and no two the same.
    pub(crate) fn check_disjoint(
        &self,
        handles: &[H],
        words: &Words<R, H>,
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
    pub(crate) fn peek<S: Slots<Word = H::Word>>(&mut self, slots: &S) -> Option<H> {
        let index = self.queue.next(slots)?;
        slots.words().of_vacant(index).map(|word| H::from_kept_parts(index, word))
    }

    /// Takes the slot that comes next out of the order: it is vacant, and the caller begins this lifetime
    /// of it.
    #[inline]
    pub(crate) fn take_next<S: Slots<Word = H::Word>>(
        &mut self,
        slots: &mut S,
    ) -> Option<(usize, H::Word)> {
        if self.tap.is_on() {
            return self.take_next_and_tell(slots);
        }
        self.queue.take_next(slots)
    }

    #[cold]
    #[inline(never)]
    fn take_next_and_tell<S: Slots<Word = H::Word>>(
        &mut self,
        slots: &mut S,
    ) -> Option<(usize, H::Word)> {
        let (index, generation) = self.queue.take_next(slots)?;
        self.tap.birth(index);
        Some((index, generation))
    }

    /// Takes the slot that [`peek`](Self::peek) has just named out of the order: it is vacant, and the
    /// caller begins that lifetime of it.
    #[inline]
    pub(crate) fn take_peeked<S: Slots<Word = H::Word>>(&mut self, handle: H, slots: &mut S) {
        self.queue.take(handle.index() as usize, slots);
        self.tap.birth(handle.index() as usize);
    }

    /// Takes the handle's slot out of the order, if it may have this lifetime: it is vacant, and the
    /// caller begins the lifetime.
    pub(crate) fn claim<S: Slots<Word = H::Word>>(
        &mut self,
        handle: H,
        slots: &mut S,
    ) -> Result<usize, InsertAtErrorKind> {
        let index = handle.index() as usize;
        let word = slots.words().get(index).ok_or(InsertAtErrorKind::OutOfRange)?;
        self.circle.check_begin(word, handle.word())?;
        self.queue.claim(index, slots);
        self.age_claimed_max = self.age_claimed_max.max(self.circle.age(handle.word()));
        self.claimed_until = self.claimed_until.max(index + 1);
        self.tap.birth(index);
        Ok(index)
    }

    /// Ends this lifetime of a live slot, and puts the slot back into the order.
    #[inline]
    pub(crate) fn end<S: Slots<Word = H::Word>>(
        &mut self,
        index: usize,
        generation: H::Word,
        slots: &mut S,
    ) {
        if self.circle.is_border(generation) | self.tap.is_on() {
            return self.end_and_tell(index, generation, slots);
        }
        slots.set_dead(index, generation.successor().as_dead());
        self.queue.give_back(index, slots);
    }

    /// Also where the successor of this generation does not come next.
    #[cold]
    #[inline(never)]
    fn end_and_tell<S: Slots<Word = H::Word>>(
        &mut self,
        index: usize,
        generation: H::Word,
        slots: &mut S,
    ) {
        self.tap.death(index);
        match self.circle.after(generation) {
            Some(next) => {
                slots.set_dead(index, next.as_dead());
                self.queue.give_back(index, slots);
            }
            None => {
                slots.retire(index);
                self.queue.retire(index);
                self.tap.retired();
            }
        }
    }

    /// All vacant slots, the lowest first, whatever the order was: after many lifetimes have ended at
    /// once.
    pub(crate) fn reset_order<S: Slots<Word = H::Word, Order = R>>(&mut self, slots: &mut S) {
        self.queue.reset(slots);
        self.tell_all(slots.words());
    }

    #[cfg(feature = "recorder")]
    pub(crate) fn tap_mut(&mut self) -> &mut Tap {
        &mut self.tap
    }

    /// Whether a slot that dies in this generation retires.
    pub(crate) fn is_last(&self, handle: H) -> bool {
        self.circle.is_last(handle.word())
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
    pub(crate) fn refuse(&mut self, words: &Words<R, H>) -> FullPool {
        self.count_refusal();
        let Stats { capacity, peak, retired, .. } = self.stats(words);
        FullPool { name: self.name, capacity, peak, retired, out_of_memory: false }
    }

    pub(crate) fn stats(&self, words: &Words<R, H>) -> Stats {
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

/// The handle of a live slot.
#[inline]
pub(crate) fn handle_at<R: ReuseOrder, H: HandleLayout>(
    index: usize,
    words: &Words<R, H>,
) -> Option<H> {
    words.of_live(index).map(|word| H::from_kept_parts(index, word))
}

/// The handle of a slot that is known to be live: for loops, which it does not interrupt.
#[inline]
pub(crate) fn handle_of_live<R: ReuseOrder, H: HandleLayout>(
    index: usize,
    words: &Words<R, H>,
) -> H {
    H::from_live_parts(index, words.of_known_live(index))
}

#[cfg(feature = "validate")]
impl<R: ReuseOrder, H: HandleLayout> HandleCore<R, H> {
    pub(crate) fn validate<S: Slots<Word = H::Word, Order = R>>(
        &self,
        slots: &S,
    ) -> Result<(), Violation> {
        let words = slots.words();
        words.validate()?;
        words.validate_lifetimes(&self.circle)?;
        ensure_counters(&self.stats(words))?;
        let fresh = self.circle.start().as_dead();
        let used = self.used(words);
        let beyond = (used..words.slots()).find(|&index| words.get(index) != Some(fresh));
        ensure(
            beyond.is_none(),
            "slots beyond those that were used are as in a new pool",
            format_args!("slot {beyond:?}, though only {used} were used"),
        )?;
        words.validate_unused(used)?;
        self.queue.validate(slots)
    }
}

impl<R: ReuseOrder, H: HandleLayout> Clone for HandleCore<R, H> {
    fn clone(&self) -> Self {
        Self { queue: self.queue.clone(), tap: self.tap.clone(), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reuse::Lifo;
    use crate::{Handle, HandleAllocator};

    #[test]
    fn a_pool_knows_its_name() {
        let named = HandleAllocator::builder().capacity(0).name("sparks").build();
        assert_eq!((named.name(), HandleAllocator::new(0).name()), (Some("sparks"), None));
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut HandleCore<Lifo, Handle<()>>)| {
            let mut slots = HandleAllocator::new(3);
            let handle = slots.acquire().unwrap();
            let _ = slots.acquire().unwrap();
            slots.release(handle);
            slots.validate().unwrap();
            change(slots.core_mut());
            slots.validate().unwrap_err().rule()
        };
        assert_eq!(broken(|core| core.evicted = 2), "the counters agree");
        let own = "a slot is in one of its lifetimes";
        assert_eq!(broken(|core| core.circle.last = 1), own);
    }
}
