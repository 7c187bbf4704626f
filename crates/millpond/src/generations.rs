//! The generation words: which lifetime each slot is in, and whether the slot is live.
//!
//! One word per slot. While the slot is live, the word is the generation of its handle; while it is
//! dead, the word is the generation that the *next* handle will have, with the top bit set. So one
//! comparison of a handle's generation with the word tells "this very lifetime, and live".
//!
//! Which generation comes after which is the [`Circle`]'s to say.

use alloc::boxed::Box;

use crate::circle::Circle;
use crate::errors::InsertAtErrorKind;
use crate::handle::{HandleLayout, Refusal, Word};
use crate::memory::{self, OutOfMemory};
use crate::settings::Lifetimes;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// The generation words of one pool.
#[derive(Clone, Debug)]
pub struct Generations<W> {
    words: Box<[W]>,
    circle: Circle<W>,
    retired: usize,
    /// How far on the circle a lifetime was begun out of turn, at most.
    age_claimed_max: u32,
}

impl<W: Word> Generations<W> {
    pub(crate) fn try_new<H: HandleLayout<Word = W>>(
        slots: usize,
        lifetimes: &Lifetimes,
    ) -> Result<Self, OutOfMemory> {
        let circle = Circle::new::<H>(lifetimes);
        let words = memory::filled(slots, circle.start().as_dead())?;
        Ok(Self { words, circle, retired: 0, age_claimed_max: 0 })
    }

    /// These words, which leave none behind.
    pub(crate) fn take(&mut self) -> Self {
        let words = core::mem::take(&mut self.words);
        let retired = core::mem::take(&mut self.retired);
        Self { words, retired, circle: self.circle, age_claimed_max: self.age_claimed_max }
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
        self.words.get(index).copied().unwrap_or(self.circle.start())
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
        match self.circle.after(*word) {
            Some(next) => {
                *word = next.as_dead();
                true
            }
            None => {
                *word = W::RETIRED;
                self.retired += 1;
                false
            }
        }
    }

    /// Whether the slot, if it is live, would retire at its end.
    pub(crate) fn is_in_last_lifetime(&self, index: usize) -> bool {
        self.circle.is_last(self.words[index])
    }

    /// Begins exactly this lifetime of a slot.
    pub(crate) fn begin_at(
        &mut self,
        index: usize,
        generation: W,
    ) -> Result<(), InsertAtErrorKind> {
        let word = self.words.get_mut(index).ok_or(InsertAtErrorKind::OutOfRange)?;
        self.circle.check_begin(*word, generation)?;
        *word = generation;
        self.age_claimed_max = self.age_claimed_max.max(self.circle.age(generation));
        Ok(())
    }

    /// Why a handle does not name a live object. `issued` is how many handles the pool has issued.
    #[cold]
    pub(crate) fn refusal(&self, index: usize, generation: W, issued: u64) -> Refusal {
        let word = self.words.get(index).copied();
        self.circle.refusal(word, generation, issued + u64::from(self.age_claimed_max))
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
        for (index, &word) in self.words.iter().enumerate() {
            if word == W::RETIRED {
                ensure(
                    !self.circle.wraps,
                    "no slot of a pool that wraps retires",
                    format_args!("{index}"),
                )?;
                continue;
            }
            ensure(
                self.circle.contains(word.as_live()),
                "a slot is in one of its lifetimes",
                format_args!("slot {index} has generation {}", word.generation()),
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
        let (start, max) = (words.circle.start.generation(), words.circle.max.generation());
        assert!(start > 1 && start < max);
        let ages =
            [start, start + 1, max, 1, 2, start - 1].map(|generation| words.circle.age(generation));
        let beyond = max - start;
        assert_eq!(ages, [0, 1, beyond, beyond + 1, beyond + 2, max - 1]);
        assert_eq!(words.circle.last.generation(), start - 1);
    }

    #[test]
    fn a_refusal_has_its_reason() {
        let mut words = salted(3);
        let start = words.circle.start.generation();
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
        assert_eq!(
            broken(|words| words.circle.wraps = true),
            "no slot of a pool that wraps retires"
        );
        let own = "a slot is in one of its lifetimes";
        assert_eq!(broken(|words| words.words[1] = 0), own);
        assert_eq!(broken(|words| words.words[1] = 4), own);
        assert_eq!(broken(|words| words.words[2] = 4 | u32::DEAD), own);
    }
}
