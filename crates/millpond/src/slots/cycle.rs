//! The cycle of generations of a pool's slots, and the next generation on it.
//!
//! Generations run in a cycle from 1 to the layout's last. Each pool starts at some point of it: at 1, or, if the pool
//! has a name or a salt, at a point computed from them. A slot that has used all generations (or as many as the pool's
//! limit) retires, or restarts if the pool wraps.
//!
//! A pool keeps one word per slot: the generation of the slot's handle while it is live; while it is
//! dead, the generation that the *next* handle will have, marked dead; or the mark of a retired slot.

use core::marker::PhantomData;

use crate::handle::{Handle, HandleLayout, Refusal, Word};
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::generation_settings::GenerationSettings;

/// Where on the cycle a pool's slots begin and end, with handles of the layout `H`.
///
/// It is kept as its difference from the cycle of a pool without a name or a limit: for such a pool, **every bit is 0**.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct GenerationCycle<H> {
    /// One less than the first generation of every slot, in 31 bits. The top bit is set if a slot starts again after its
    /// last generation; otherwise it retires.
    start_minus_1_and_wraps: u32,
    /// How many generations of the layout are beyond the last one of every slot.
    beyond_last: u32,
    /// How many are beyond the largest one.
    beyond_max: u32,
    layout: PhantomData<H>,
}

/// The cycle of a pool of any layout: no other has generations beyond those of this one.
pub(crate) type AnyCycle = GenerationCycle<Handle<()>>;

/// Checks that a slot of this word may have a lifetime of this generation: [`GenerationCycle::check_begin`] or
/// [`GenerationCycle::check_revival`].
pub(crate) type CheckWord<H> = fn(
    &GenerationCycle<H>,
    <H as HandleLayout>::Word,
    <H as HandleLayout>::Word,
) -> Result<(), InsertAtErrorKind>;

impl<H: HandleLayout> GenerationCycle<H> {
    const WRAPS: u32 = 1 << 31;

    pub(crate) const fn new(settings: &GenerationSettings) -> Self {
        let max = settings.generation_max::<H>();
        Self::of(settings.start(max), settings.count_up_to(max), max, settings.wraps)
    }

    /// `count` lifetimes (1 to `max`) from the generation `start` on.
    pub(crate) const fn of(start: u32, count: u32, max: u32, wraps: bool) -> Self {
        // No sum of two generations is too large for a `u32`.
        let last = start - 1 + count;
        Self::from_to(start, if last > max { last - max } else { last }, max, wraps)
    }

    /// From the generation `start` to `last`; 1 follows `max`. `start` is 0 for slots without generations of their own.
    pub(crate) const fn from_to(start: u32, last: u32, max: u32, wraps: bool) -> Self {
        let wraps = if wraps { Self::WRAPS } else { 0 };
        Self {
            start_minus_1_and_wraps: start.wrapping_sub(1) & !Self::WRAPS | wraps,
            beyond_last: H::LIFETIMES_MAX - last,
            beyond_max: H::LIFETIMES_MAX - max,
            layout: PhantomData,
        }
    }

    /// The same cycle for another layout, which has all of its generations.
    pub(crate) fn with_layout<L: HandleLayout>(&self) -> GenerationCycle<L> {
        let [start, last, max] = [self.start(), self.last(), self.largest()].map(Word::generation);
        GenerationCycle::from_to(start, last, max, self.wraps())
    }

    /// The first generation of every slot.
    #[inline]
    pub(crate) fn start(&self) -> H::Word {
        let start = self.start_minus_1_and_wraps.wrapping_add(1) & !Self::WRAPS;
        H::Word::from_generation(start)
    }

    /// The last generation of every slot: one before [`start`](Self::start) on the cycle, unless limited.
    #[inline]
    pub(crate) fn last(&self) -> H::Word {
        H::Word::from_generation(H::LIFETIMES_MAX - self.beyond_last)
    }

    /// The largest generation, after which the cycle continues at 1: the layout's, or a smaller one.
    #[inline]
    pub(crate) fn largest(&self) -> H::Word {
        H::Word::from_generation(H::LIFETIMES_MAX - self.beyond_max)
    }

    /// Whether a slot starts again after [`last`](Self::last); otherwise it retires.
    #[inline]
    pub(crate) fn wraps(&self) -> bool {
        self.start_minus_1_and_wraps & Self::WRAPS != 0
    }

    /// How many lifetimes each slot has.
    pub(crate) fn count(&self) -> u32 {
        self.age(self.last()) + 1
    }

    /// The generation after this one, or `None` if it was the slot's last.
    #[inline]
    pub(crate) fn after(&self, generation: H::Word) -> Option<H::Word> {
        let word = self.word_after(generation);
        (word != H::Word::RETIRED).then(|| word.as_live())
    }

    /// What the word of a slot becomes when its lifetime of this generation ends: the next generation,
    /// marked dead, or the mark of a retired slot.
    #[inline]
    pub(crate) fn word_after(&self, generation: H::Word) -> H::Word {
        if self.needs_care(generation) {
            return self.word_after_with_care(generation);
        }
        generation.dead_successor()
    }

    /// Whether something other than the successor comes after this generation.
    #[inline]
    pub(crate) fn needs_care(&self, generation: H::Word) -> bool {
        // No short-circuit: one branch for both.
        (generation == self.last()) | (generation == self.largest())
    }

    /// A slot's generation below this one is followed by its successor. `over_max`: a slot may have
    /// continued at 1 after the largest generation; otherwise, all are still at or above the first.
    pub(crate) fn slow_from(&self, over_max: bool) -> H::Word {
        if over_max || self.last() >= self.start() { self.last() } else { self.largest() }
    }

    #[cold]
    #[inline]
    fn word_after_with_care(&self, generation: H::Word) -> H::Word {
        if generation != self.last() {
            H::Word::from_generation(1).as_dead()
        } else if self.wraps() {
            self.start().as_dead()
        } else {
            H::Word::RETIRED
        }
    }

    /// Whether a slot that dies in this generation retires.
    pub(crate) fn is_last(&self, generation: H::Word) -> bool {
        !self.wraps() && generation == self.last()
    }

    /// Checks that a slot of this word may begin exactly this generation.
    pub(crate) fn check_begin(
        &self,
        word: H::Word,
        generation: H::Word,
    ) -> Result<(), InsertAtErrorKind> {
        let (next, age) = self.ages(word, generation)?;
        match !self.wraps() && age < next {
            true => Err(InsertAtErrorKind::Stale),
            false => Ok(()),
        }
    }

    /// Checks that a slot of this word is as the end of exactly this generation's lifetime left it.
    pub(crate) fn check_revival(
        &self,
        word: H::Word,
        generation: H::Word,
    ) -> Result<(), InsertAtErrorKind> {
        let (next, age) = self.ages(word, generation)?;
        // The word of such a slot does not show whether it has had its last lifetime or none yet.
        if self.wraps() && next == 0 && generation == self.last() {
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
    fn ages(&self, word: H::Word, generation: H::Word) -> Result<(u32, u32), InsertAtErrorKind> {
        if word == H::Word::RETIRED {
            Err(InsertAtErrorKind::Retired)
        } else if !word.is_dead() {
            Err(InsertAtErrorKind::Occupied)
        } else if !self.contains(generation) {
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
        word: Option<H::Word>,
        generation: H::Word,
        issued: impl FnOnce() -> u64,
    ) -> Refusal {
        let Some(word) = word else {
            return Refusal::OutOfRange;
        };
        if generation == H::Word::ZERO || generation > self.largest() {
            return Refusal::NeverIssued;
        }
        let age = self.age(generation);
        let had_before = if word == H::Word::RETIRED {
            age < self.count()
        } else {
            age < self.age(word.as_live()) || (word.is_dead() && self.wraps())
        };
        if had_before {
            Refusal::Stale
        } else if self.start().generation() != 1 && u64::from(age) >= issued() {
            Refusal::OtherPool
        } else {
            Refusal::NeverIssued
        }
    }

    /// Whether a slot has a lifetime with this generation. None is marked dead.
    pub(crate) fn contains(&self, generation: H::Word) -> bool {
        (H::Word::from_generation(1)..=self.largest()).contains(&generation)
            && self.age(generation) < self.count()
    }

    /// How many lifetimes of a slot come before this one.
    pub(crate) fn age(&self, generation: H::Word) -> u32 {
        let (generation, start) = (generation.generation(), self.start().generation());
        if generation >= start {
            generation - start
        } else {
            self.largest().generation() - start + generation
        }
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::handle::Handle32;

    type Short = Handle32<(), 24>;

    impl<H: HandleLayout> GenerationCycle<H> {
        pub(crate) fn has_zero_bits(&self) -> bool {
            let Self { start_minus_1_and_wraps, beyond_last, beyond_max, layout: _ } = *self;
            (start_minus_1_and_wraps, beyond_last, beyond_max) == (0, 0, 0)
        }
    }

    fn cycle(count: u32, wraps: bool, salt: Option<u64>) -> GenerationCycle<Short> {
        GenerationCycle::new(&GenerationSettings {
            salt,
            count,
            wraps,
            ..GenerationSettings::PLAIN
        })
    }

    #[test]
    fn is_what_it_was_made_of() {
        for (start, last, max) in
            [(0, 255, 255), (1, 255, 255), (1, 1, 9), (255, 254, 255), (9, 8, 9)]
        {
            for wraps in [false, true] {
                let cycle = GenerationCycle::<Short>::from_to(start, last, max, wraps);
                let parts = [cycle.start(), cycle.last(), cycle.largest()].map(u32::from);
                assert_eq!((parts, cycle.wraps()), ([start, last, max], wraps));
                assert_eq!(cycle.has_zero_bits(), (parts, wraps) == ([1, 255, 255], false));
                let wide: AnyCycle = cycle.with_layout();
                let parts = [wide.start(), wide.last(), wide.largest()];
                assert_eq!((parts, wide.wraps()), ([start, last, max], wraps));
            }
        }
        let plain = &GenerationSettings::PLAIN;
        assert!(GenerationCycle::<Short>::new(plain).has_zero_bits());
        assert!(AnyCycle::new(plain).has_zero_bits());
    }

    /// Generations of eight-byte handles that end where those of the shorter layout do.
    #[test]
    fn ends_earlier_on_request() {
        for (count, wraps) in [(1, false), (2, true), (254, false), (u32::MAX, true)] {
            for salt in [None, Some(1), Some(2), Some(3)] {
                let settings = GenerationSettings {
                    salt,
                    count,
                    wraps,
                    generation_max: 255,
                    ..GenerationSettings::PLAIN
                };
                let short = GenerationCycle::<Short>::new(&settings);
                assert_eq!(AnyCycle::new(&settings), short.with_layout());
            }
        }
    }

    /// The generations of a slot from its first on, as far as they go or to 600.
    fn generations(cycle: &GenerationCycle<Short>) -> impl Iterator<Item = u16> {
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
            let settings = GenerationSettings {
                salt,
                wraps,
                generation_max: 100,
                ..GenerationSettings::PLAIN
            };
            let cycle = GenerationCycle::<Short>::new(&settings);
            for word in [cycle.start(), cycle.start().as_dead(), u16::RETIRED] {
                for generation in [0, 101, 255] {
                    let why = cycle.refusal(Some(word), generation, || 0);
                    assert_eq!(why, Refusal::NeverIssued, "{generation} of {word:#x}");
                }
            }
        }
    }
}
