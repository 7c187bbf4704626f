//! The cycle of generations of a pool's slots, and the next generation on it.
//!
//! Generations run in a cycle from 1 to the layout's last. Each pool starts at some point of it: at 1, or, if the pool
//! has a name or a salt, at a point computed from them. A slot that has used all generations (or as many as the pool's
//! limit) retires, or restarts if the pool wraps.
//!
//! A pool keeps one word per slot: the generation of the slot's handle while it is live; while it is
//! dead, the generation that the *next* handle will have, marked dead; or the mark of a retired slot.

use crate::handle::{HandleLayout, Refusal, Word};
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::lifetimes::Lifetimes;

/// Where on the cycle a pool's slots begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct GenerationCycle<W> {
    /// The first generation of every slot.
    pub(crate) start: W,
    /// The last generation of every slot: one before `start` on the cycle, unless limited.
    pub(crate) last: W,
    /// The largest generation, after which the cycle continues at 1: the layout's, or a smaller
    /// one.
    pub(crate) max: W,
    /// Whether a slot starts again after `last`; otherwise it retires.
    pub(crate) wraps: bool,
}

/// Checks that a slot of this word may have a lifetime of this generation: [`GenerationCycle::check_begin`] or
/// [`GenerationCycle::check_revival`].
pub(crate) type CheckWord<W> = fn(&GenerationCycle<W>, W, W) -> Result<(), InsertAtErrorKind>;

impl<W: Word> GenerationCycle<W> {
    pub(crate) fn new<H: HandleLayout<Word = W>>(lifetimes: &Lifetimes) -> Self {
        let max = lifetimes.generation_max::<H>();
        Self::of(lifetimes.start(max), lifetimes.count_up_to(max), max, lifetimes.wraps)
    }

    /// `count` lifetimes (1 to `max`) from the generation `start` on.
    #[inline]
    pub(crate) fn of(start: u32, count: u32, max: u32, wraps: bool) -> Self {
        // No sum of two generations is too large for a `u32`.
        let last = start - 1 + count;
        let last = if last > max { last - max } else { last };
        Self {
            start: W::from_generation(start),
            last: W::from_generation(last),
            max: W::from_generation(max),
            wraps,
        }
    }

    /// The first generation of every slot.
    #[inline]
    pub(crate) fn start(&self) -> W {
        self.start
    }

    /// The generation after this one, or `None` if it was the slot's last.
    #[inline]
    pub(crate) fn after(&self, generation: W) -> Option<W> {
        let word = self.word_after(generation);
        (word != W::RETIRED).then(|| word.as_live())
    }

    /// What the word of a slot becomes when its lifetime of this generation ends: the next generation,
    /// marked dead, or the mark of a retired slot.
    #[inline]
    pub(crate) fn word_after(&self, generation: W) -> W {
        if self.is_border(generation) {
            return self.word_after_border(generation);
        }
        generation.successor().as_dead()
    }

    /// Whether something other than the successor comes after this generation.
    #[inline]
    pub(crate) fn is_border(&self, generation: W) -> bool {
        // No short-circuit: one branch for both.
        (generation == self.last) | (generation == self.max)
    }

    /// A slot's generation below this one is followed by its successor. `over_max`: a slot may have
    /// continued at 1 after the largest generation; otherwise, all are still at or above the first.
    pub(crate) fn fast_below(&self, over_max: bool) -> W {
        if over_max || self.last >= self.start { self.last } else { self.max }
    }

    #[cold]
    #[inline]
    fn word_after_border(&self, generation: W) -> W {
        if generation != self.last {
            W::from_generation(1).as_dead()
        } else if self.wraps {
            self.start.as_dead()
        } else {
            W::RETIRED
        }
    }

    /// Whether a slot that dies in this generation retires.
    pub(crate) fn is_last(&self, generation: W) -> bool {
        !self.wraps && generation == self.last
    }

    /// Checks that a slot of this word may begin exactly this generation.
    pub(crate) fn check_begin(&self, word: W, generation: W) -> Result<(), InsertAtErrorKind> {
        let (next, age) = self.ages(word, generation)?;
        match !self.wraps && age < next {
            true => Err(InsertAtErrorKind::Stale),
            false => Ok(()),
        }
    }

    /// Checks that a slot of this word is as the end of exactly this generation's lifetime left it.
    pub(crate) fn check_revival(&self, word: W, generation: W) -> Result<(), InsertAtErrorKind> {
        let (next, age) = self.ages(word, generation)?;
        // The word of such a slot does not show whether it has had its last lifetime or none yet.
        if self.wraps && next == 0 && generation == self.last {
            return Err(InsertAtErrorKind::Wrapped);
        }
        match next.checked_sub(age) {
            Some(1) => Ok(()),
            Some(0) | None => Err(InsertAtErrorKind::NeverLived),
            Some(_) => Err(InsertAtErrorKind::Stale),
        }
    }

    /// How many lifetimes of a slot of this word come before its next one, and before that of this
    /// generation; an error if it can begin none, or never this one.
    fn ages(&self, word: W, generation: W) -> Result<(u32, u32), InsertAtErrorKind> {
        if word == W::RETIRED {
            Err(InsertAtErrorKind::Retired)
        } else if !word.is_dead() {
            Err(InsertAtErrorKind::Occupied)
        } else if generation == W::ZERO
            || generation > self.max
            || self.age(generation) > self.age(self.last)
        {
            Err(InsertAtErrorKind::BeyondLifetimes)
        } else {
            Ok((self.age(word.as_live()), self.age(generation)))
        }
    }

    /// Why a handle of this generation does not name a live object in a slot of this word (`None`: no
    /// such slot). `issued` tells how many handles the pool has issued, and how far a claim has gone
    /// ahead of them; it is not asked about stale handles.
    #[cold]
    pub(crate) fn refusal(
        &self,
        word: Option<W>,
        generation: W,
        issued: impl FnOnce() -> u64,
    ) -> Refusal {
        let Some(word) = word else {
            return Refusal::OutOfRange;
        };
        if generation == W::ZERO || generation > self.max {
            return Refusal::NeverIssued;
        }
        let age = self.age(generation);
        let had_before = if word == W::RETIRED {
            age <= self.age(self.last)
        } else {
            age < self.age(word.as_live()) || (word.is_dead() && self.wraps)
        };
        if had_before {
            Refusal::Stale
        } else if self.start.generation() != 1 && u64::from(age) >= issued() {
            Refusal::OtherPool
        } else {
            Refusal::NeverIssued
        }
    }

    /// Whether a slot has a lifetime with this generation.
    pub(crate) fn contains(&self, generation: W) -> bool {
        (1..=self.max.generation()).contains(&generation.generation())
            && self.age(generation) <= self.age(self.last)
    }

    /// How many lifetimes of a slot come before this one.
    pub(crate) fn age(&self, generation: W) -> u32 {
        let (generation, start) = (generation.generation(), self.start.generation());
        if generation >= start {
            generation - start
        } else {
            self.max.generation() - start + generation
        }
    }
}

/// A cycle as its difference from that of a pool without a name or a limit: for such a pool,
/// **every bit is 0**. It can be made in a constant, whatever the type of the words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedCycle {
    /// One less than the first generation of every slot. With the top bit set, that is in the lower half, and the largest
    /// generation in the upper half.
    start_minus_1: u32,
    /// How many lifetimes fewer than there are generations each slot has. The top bit is set if a slot starts again
    /// after its last lifetime; otherwise it retires.
    fewer_and_wraps: u32,
}

impl PackedCycle {
    const WRAPS: u32 = 1 << 31;
    const IS_NARROW: u32 = 1 << 31;
    /// The largest generation that fits beside a first one.
    const NARROW_MAX: u32 = (1 << 15) - 1;

    /// For handles of the layout `H`.
    pub(crate) const fn new<H: HandleLayout>(lifetimes: &Lifetimes) -> Self {
        let max = lifetimes.generation_max::<H>();
        let fewer = max - lifetimes.count_up_to(max);
        Self::of_parts::<H>(lifetimes.start(max), max, fewer, lifetimes.wraps)
    }

    pub(crate) fn of<H: HandleLayout>(cycle: &GenerationCycle<H::Word>) -> Self {
        let max = cycle.max.generation();
        let fewer = max - 1 - cycle.age(cycle.last);
        Self::of_parts::<H>(cycle.start.generation(), max, fewer, cycle.wraps)
    }

    /// A generation has 31 bits, and so has a number of them.
    const fn of_parts<H: HandleLayout>(start: u32, max: u32, fewer: u32, wraps: bool) -> Self {
        let wraps = if wraps { Self::WRAPS } else { 0 };
        let narrow = if max == H::LIFETIMES_MAX { 0 } else { Self::IS_NARROW | max << 16 };
        Self { start_minus_1: (start - 1) | narrow, fewer_and_wraps: fewer | wraps }
    }

    #[cfg(test)]
    pub(crate) fn has_zero_bits(&self) -> bool {
        let Self { start_minus_1, fewer_and_wraps } = self;
        (*start_minus_1, *fewer_and_wraps) == (0, 0)
    }

    #[inline]
    pub(crate) fn cycle<H: HandleLayout>(&self) -> GenerationCycle<H::Word> {
        let (fewer, wraps) =
            (self.fewer_and_wraps & !Self::WRAPS, self.fewer_and_wraps & Self::WRAPS);
        let (start_minus_1, max) = match self.start_minus_1 & Self::IS_NARROW {
            0 => (self.start_minus_1, H::LIFETIMES_MAX),
            _ => (self.start_minus_1 & 0xffff, self.start_minus_1 >> 16 & Self::NARROW_MAX),
        };
        GenerationCycle::of(start_minus_1 + 1, max - fewer, max, wraps != 0)
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::handle::{Handle, Handle32};

    type Short = Handle32<(), 24>;

    fn cycle(count: u32, wraps: bool, salt: Option<u64>) -> GenerationCycle<u16> {
        GenerationCycle::new::<Short>(&Lifetimes { salt, count, wraps, ..Lifetimes::PLAIN })
    }

    #[test]
    fn is_kept_and_found_again() {
        for (count, wraps) in [(1, false), (2, true), (254, false), (255, true)] {
            for salt in [None, Some(1), Some(2), Some(3)] {
                let cycle = cycle(count, wraps, salt);
                assert_eq!(PackedCycle::of::<Short>(&cycle).cycle::<Short>(), cycle);
                let lifetimes = Lifetimes { salt, count, wraps, ..Lifetimes::PLAIN };
                assert_eq!(PackedCycle::new::<Short>(&lifetimes).cycle::<Short>(), cycle);
            }
        }
        assert!(PackedCycle::new::<Short>(&Lifetimes::PLAIN).has_zero_bits());
    }

    /// Generations of eight-byte handles that end where those of the shorter layout do.
    #[test]
    fn ends_earlier_on_request() {
        for (count, wraps) in [(1, false), (2, true), (254, false), (u32::MAX, true)] {
            for salt in [None, Some(1), Some(2), Some(3)] {
                let lifetimes =
                    Lifetimes { salt, count, wraps, generation_max: 255, ..Lifetimes::PLAIN };
                let cycle = GenerationCycle::new::<Handle<()>>(&lifetimes);
                let parts = |start, last, max| (u32::from(start), u32::from(last), u32::from(max));
                let short = GenerationCycle::new::<Short>(&lifetimes);
                let expected = parts(short.start, short.last, short.max);
                assert_eq!((cycle.start, cycle.last, cycle.max), expected);
                assert_eq!(PackedCycle::of::<Handle<()>>(&cycle).cycle::<Handle<()>>(), cycle);
                let kept = PackedCycle::new::<Handle<()>>(&lifetimes);
                assert_eq!(kept.cycle::<Handle<()>>(), cycle);
            }
        }
    }

    /// The generations of a slot from its first on, as far as they go or to 600.
    fn generations(cycle: &GenerationCycle<u16>) -> impl Iterator<Item = u16> {
        core::iter::successors(Some(cycle.start()), |at| cycle.after(*at)).take(600)
    }

    #[test]
    fn goes_once_round_and_retires_or_starts_again() {
        for salt in [None, Some(1), Some(2), Some(3)] {
            for count in [1, 2, 100, 254, 255, 1000] {
                let lifetimes = count.min(255) as usize;
                let once = cycle(count, false, salt);
                assert_eq!(generations(&once).count(), lifetimes);
                assert!(generations(&once).all(|at| (1..=255).contains(&at)));
                let last = generations(&once).last();
                assert!(generations(&once).all(|at| once.is_last(at) == (Some(at) == last)));
                let again = cycle(count, true, salt);
                assert!(generations(&again).take(lifetimes).eq(generations(&once)));
                assert_eq!(generations(&again).nth(lifetimes), Some(once.start()));
            }
        }
    }

    #[test]
    fn begins_a_generation_that_the_slot_has_not_had() {
        let cycle = cycle(10, false, Some(1));
        let all: [u16; 10] = core::array::from_fn(|age| cycle.start() + age as u16);
        let dead = all[4].as_dead();
        let answers = all.map(|generation| cycle.check_begin(dead, generation));
        assert_eq!(answers[..4], [Err(InsertAtErrorKind::Stale); 4]);
        assert_eq!(answers[4..], [Ok(()); 6]);
        let begin = |word, generation| cycle.check_begin(word, generation);
        assert_eq!(begin(dead, all[9] + 1), Err(InsertAtErrorKind::BeyondLifetimes));
        assert_eq!(begin(all[4], all[5]), Err(InsertAtErrorKind::Occupied));
        assert_eq!(begin(u16::RETIRED, all[5]), Err(InsertAtErrorKind::Retired));
    }

    #[test]
    fn a_generation_that_no_slot_has_was_never_issued() {
        for (wraps, salt) in [(false, None), (true, None), (false, Some(1)), (true, Some(1))] {
            let lifetimes = Lifetimes { salt, wraps, generation_max: 100, ..Lifetimes::PLAIN };
            let cycle = GenerationCycle::<u16>::new::<Short>(&lifetimes);
            for word in [cycle.start(), cycle.start().as_dead(), u16::RETIRED] {
                for generation in [0, 101, 255] {
                    let why = cycle.refusal(Some(word), generation, || 0);
                    assert_eq!(why, Refusal::NeverIssued, "{generation} of {word:#x}");
                }
            }
        }
    }
}
