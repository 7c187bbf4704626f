//! The generation words: which lifetime each slot is in, and whether the slot is live.
//!
//! One word per slot. While the slot is live, the word is the generation of its handle; while it is
//! dead, the word is the generation that the *next* handle will have, with the top bit set. So one
//! comparison of a handle's generation with the word tells "this very lifetime, and live".
//!
//! Generations of a slot run in a circle from 1 to the layout's last. Each pool starts somewhere on
//! the circle: at 1, or, if it has a name or a salt, at a point that follows from them. A slot that
//! has been once round (or as far as the pool's limit) retires, or starts again if wrapping was
//! chosen.

use alloc::boxed::Box;

use crate::handle::{HandleLayout, Refusal, Word};
use crate::memory::{self, OutOfMemory};
use crate::settings::Lifetimes;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// The generation words of one pool.
#[derive(Clone, Debug)]
pub struct Generations<W> {
    words: Box<[W]>,
    /// The first generation of every slot.
    start: W,
    /// The last generation of every slot, the circle's predecessor of `start` unless limited.
    last: W,
    /// The largest generation of the layout, after which the circle goes on at 1.
    max: W,
    /// Whether a slot starts again after `last`; otherwise it retires.
    wraps: bool,
    retired: usize,
    /// How far on the circle a lifetime was begun out of turn, at most.
    age_claimed_max: u32,
}

impl<W: Word> Generations<W> {
    pub(crate) fn try_new<H: HandleLayout<Word = W>>(
        slots: usize,
        lifetimes: &Lifetimes,
    ) -> Result<Self, OutOfMemory> {
        let max = H::LIFETIMES_MAX;
        let start = lifetimes.start(max);
        let count = lifetimes.count.clamp(1, max);
        // One before the start on the circle, then `count` steps on.
        let last = (u64::from(start) - 1 + u64::from(count) - 1) % u64::from(max) + 1;
        let start = W::from_generation(start);
        Ok(Self {
            words: memory::filled(slots, start.as_dead())?,
            start,
            last: W::from_generation(last as u32),
            max: W::from_generation(max),
            wraps: lifetimes.wraps,
            retired: 0,
            age_claimed_max: 0,
        })
    }

    #[inline]
    pub(crate) fn slots(&self) -> usize {
        self.words.len()
    }

    /// How many slots will never be handed out again.
    #[inline]
    pub(crate) fn retired(&self) -> usize {
        self.retired
    }

    /// Whether the slot is live, and in this lifetime.
    #[inline]
    pub(crate) fn is_live_in(&self, index: usize, generation: W) -> bool {
        // Live words have no top bit, and a handle's generation has none.
        matches!(self.words.get(index), Some(word) if *word == generation)
    }

    /// The generation of a live slot.
    #[inline]
    pub(crate) fn of_live(&self, index: usize) -> Option<W> {
        self.words.get(index).copied().filter(|word| !word.is_dead())
    }

    /// The generation of a slot that is known to be live.
    #[inline]
    pub(crate) fn of_known_live(&self, index: usize) -> W {
        debug_assert!(self.of_live(index).is_some());
        // Out of range cannot be; any word will do there, so that no loop has to end for it.
        self.words.get(index).copied().unwrap_or(self.start)
    }

    /// The generation that a slot's next lifetime will have, if the slot is vacant: dead and not
    /// retired.
    #[inline]
    pub(crate) fn of_vacant(&self, index: usize) -> Option<W> {
        let word = *self.words.get(index)?;
        (word.is_dead() && word != W::RETIRED).then(|| word.as_live())
    }

    #[inline]
    pub(crate) fn is_vacant(&self, index: usize) -> bool {
        self.of_vacant(index).is_some()
    }

    /// Begins the next lifetime of a vacant slot.
    #[inline]
    pub(crate) fn begin(&mut self, index: usize) -> W {
        let word = &mut self.words[index];
        debug_assert!(word.is_dead() && *word != W::RETIRED);
        *word = word.as_live();
        *word
    }

    /// Ends the lifetime of a live slot. `false` if it was the last: the slot has retired.
    #[inline]
    pub(crate) fn end(&mut self, index: usize) -> bool {
        let word = &mut self.words[index];
        debug_assert!(!word.is_dead());
        if *word == self.last || *word == self.max {
            return self.end_at_border(index);
        }
        *word = word.dead_successor();
        true
    }

    /// Ends the lifetime of a live slot that is in its last, or in the one after which the circle goes
    /// on at 1.
    #[cold]
    fn end_at_border(&mut self, index: usize) -> bool {
        let word = &mut self.words[index];
        if *word != self.last {
            *word = W::from_generation(1).as_dead();
        } else if self.wraps {
            *word = self.start.as_dead();
        } else {
            *word = W::RETIRED;
            self.retired += 1;
            return false;
        }
        true
    }

    /// Whether the slot, if it is live, would retire at its end.
    pub(crate) fn is_in_last_lifetime(&self, index: usize) -> bool {
        !self.wraps && self.words[index] == self.last
    }

    /// Begins exactly this lifetime of a slot.
    pub(crate) fn begin_at(&mut self, index: usize, generation: W) -> Result<(), CannotBegin> {
        let limit = self.age(self.last);
        let word = *self.words.get(index).ok_or(CannotBegin::OutOfRange)?;
        if word == W::RETIRED {
            return Err(CannotBegin::Retired);
        }
        if !word.is_dead() {
            return Err(CannotBegin::Live);
        }
        if self.age(generation) > limit {
            return Err(CannotBegin::BeyondLast);
        }
        if !self.wraps && self.age(generation) < self.age(word.as_live()) {
            return Err(CannotBegin::Stale);
        }
        self.words[index] = generation;
        self.age_claimed_max = self.age_claimed_max.max(self.age(generation));
        Ok(())
    }

    /// Why a handle does not name a live object. `issued` is how many handles the pool has issued.
    #[cold]
    pub(crate) fn refusal(&self, index: usize, generation: W, issued: u64) -> Refusal {
        let Some(&word) = self.words.get(index) else {
            return Refusal::OutOfRange;
        };
        let age = self.age(generation);
        let had_before = if word == W::RETIRED {
            age <= self.age(self.last)
        } else {
            age < self.age(word.as_live()) || (word.is_dead() && self.wraps)
        };
        if had_before {
            Refusal::Stale
        } else if u64::from(age) >= issued + u64::from(self.age_claimed_max)
            && self.start.generation() != 1
        {
            Refusal::OtherPool
        } else {
            Refusal::NeverIssued
        }
    }

    /// How many lifetimes of a slot come before this one.
    fn age(&self, generation: W) -> u32 {
        let (generation, start) = (generation.generation(), self.start.generation());
        if generation >= start {
            generation - start
        } else {
            self.max.generation() - start + generation
        }
    }

    /// Hides a vacant slot from [`is_vacant`](Self::is_vacant), as a mark for an algorithm that walks
    /// over slots; [`unmark`](Self::unmark) undoes it.
    pub(crate) fn mark(&mut self, index: usize) {
        debug_assert!(self.is_vacant(index));
        self.words[index] = self.words[index].as_live();
    }

    pub(crate) fn unmark(&mut self, index: usize) {
        self.words[index] = self.words[index].as_dead();
    }
}

#[cfg(feature = "validate")]
impl<W: Word> Generations<W> {
    pub(crate) fn validate(&self) -> Result<(), Violation> {
        let lifetimes = 0..=self.age(self.last);
        for (index, &word) in self.words.iter().enumerate() {
            if word == W::RETIRED {
                ensure(
                    !self.wraps,
                    "no slot of a pool that wraps retires",
                    format_args!("{index}"),
                )?;
                continue;
            }
            let generation = word.generation();
            ensure(
                (1..=self.max.generation()).contains(&generation)
                    && lifetimes.contains(&self.age(word.as_live())),
                "a slot is in one of its lifetimes",
                format_args!("slot {index} has generation {generation}, {lifetimes:?} are its own"),
            )?;
        }
        let retired = self.words.iter().filter(|word| **word == W::RETIRED).count();
        ensure(
            retired == self.retired,
            "the retired slots are counted",
            format_args!("{retired} have retired, {} are counted", self.retired),
        )
    }
}

/// Why a lifetime cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CannotBegin {
    OutOfRange,
    Live,
    Retired,
    BeyondLast,
    Stale,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Handle;

    /// Slots of three lifetimes: the first retired, the second live, the third vacant.
    fn words() -> Generations<u32> {
        let lifetimes = Lifetimes { count: 3, ..Lifetimes::default() };
        let mut words = Generations::try_new::<Handle<()>>(3, &lifetimes).unwrap();
        for _ in 0..3 {
            words.begin(0);
            words.end(0);
        }
        words.begin(1);
        words
    }

    /// Generations that start in the middle of the circle.
    fn salted(count: u32) -> Generations<u32> {
        let lifetimes = Lifetimes { salt: Some(7), count, ..Lifetimes::default() };
        Generations::try_new::<Handle<()>>(2, &lifetimes).unwrap()
    }

    #[test]
    fn ages_count_from_the_start_once_round_the_circle() {
        let words = salted(u32::MAX);
        let (start, max) = (words.start.generation(), words.max.generation());
        assert!(start > 1 && start < max);
        let ages = [start, start + 1, max, 1, 2, start - 1].map(|generation| words.age(generation));
        let beyond = max - start;
        assert_eq!(ages, [0, 1, beyond, beyond + 1, beyond + 2, max - 1]);
        assert_eq!(words.last.generation(), start - 1);
    }

    #[test]
    fn a_refusal_has_its_reason() {
        let mut words = salted(3);
        let start = words.start.generation();
        words.begin(0);
        assert_eq!(words.refusal(2, start, 1), Refusal::OutOfRange);
        // Slot 0 is in its first lifetime, slot 1 has had none.
        assert_eq!(words.refusal(0, start + 1, 2), Refusal::NeverIssued);
        assert_eq!(words.refusal(1, start, 1), Refusal::NeverIssued);
        assert_eq!(words.refusal(0, start + 1, 1), Refusal::OtherPool);
        assert_eq!(words.refusal(0, start - 1, 1), Refusal::OtherPool);
        words.end(0);
        words.begin(0);
        assert_eq!(words.refusal(0, start, 2), Refusal::Stale);
        for _ in 0..2 {
            words.end(0);
            if words.is_vacant(0) {
                words.begin(0);
            }
        }
        assert_eq!(words.retired(), 1);
        assert_eq!(words.refusal(0, start + 2, 3), Refusal::Stale);
        assert_eq!(words.refusal(0, start + 3, 3), Refusal::OtherPool);
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut Generations<u32>)| {
            let mut words = words();
            words.validate().unwrap();
            change(&mut words);
            words.validate().unwrap_err().rule()
        };
        assert_eq!(broken(|words| words.retired += 1), "the retired slots are counted");
        assert_eq!(broken(|words| words.wraps = true), "no slot of a pool that wraps retires");
        let own = "a slot is in one of its lifetimes";
        assert_eq!(broken(|words| words.words[1] = 0), own);
        assert_eq!(broken(|words| words.words[1] = 4), own);
        assert_eq!(broken(|words| words.words[2] = 4 | u32::DEAD), own);
    }
}
