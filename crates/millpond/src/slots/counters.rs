//! Counters of lifetimes that have begun and ended, and the common trait of all slots.

use crate::handle::{HandleLayout, Word};
use crate::reports::validate::{Violation, ensure};

/// What a pool counts of its slots' lifetimes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counters {
    /// How many lifetimes have begun, and how many have ended: counters that only rise, so that
    /// each operation writes only one.
    pub(super) inserted: u64,
    pub(super) removed: u64,
    /// The largest number of live slots at once, as far as the pool has recorded it: before each
    /// insertion that may bring a new peak, or before each removal that follows such insertions.
    pub(super) peak: u32,
    pub(super) retired: u32,
}

impl Counters {
    /// The counts of slots that were never used.
    pub(crate) const NONE: Self = Self { inserted: 0, removed: 0, peak: 0, retired: 0 };

    /// The counts of slots with this history. Never panics.
    pub(crate) fn loaded(inserted: u64, live: usize, peak: usize, retired: usize) -> Self {
        let inserted = inserted.max(live as u64);
        Self {
            inserted,
            removed: inserted - live as u64,
            peak: peak as u32,
            retired: retired as u32,
        }
    }

    /// The number of live slots.
    #[inline]
    pub(crate) fn live(&self) -> usize {
        (self.inserted - self.removed) as usize
    }

    /// How many lifetimes have begun.
    #[inline]
    pub(crate) fn inserted(&self) -> u64 {
        self.inserted
    }

    /// The largest number of live slots at once.
    #[inline]
    pub(crate) fn peak(&self) -> usize {
        self.live().max(self.peak as usize)
    }

    /// How many slots will never be reused.
    #[inline]
    pub(crate) fn retired(&self) -> usize {
        self.retired as usize
    }

    /// One of this many live slots is about to die, in a pool that does not expect insertions.
    #[inline(always)]
    pub(crate) fn expect_removal(&mut self, live: usize) {
        debug_assert_eq!(live, self.live());
        // No layout names more slots than a `u32`.
        if live as u32 > self.peak {
            self.raise_peak(live);
        }
    }

    #[cold]
    #[inline]
    fn raise_peak(&mut self, live: usize) {
        self.peak = live as u32;
    }

    /// Lifetimes are about to end, after insertions that the pool did not expect.
    #[inline(never)]
    pub(crate) fn record_peak(&mut self) {
        self.peak = self.peak() as u32;
    }

    /// Whether there were insertions beyond the recorded peak, which must then be recorded before a
    /// lifetime ends.
    #[inline]
    pub(crate) fn peak_is_stale(&self) -> bool {
        self.live() > self.peak as usize
    }

    /// A slot becomes live.
    #[inline(always)]
    pub(crate) fn count_insertion(&mut self) {
        self.inserted += 1;
    }

    /// A live slot dies.
    #[inline(always)]
    pub(crate) fn count_removal(&mut self) {
        self.removed += 1;
    }

    /// All live slots die.
    #[inline]
    pub(crate) fn all_dead(&mut self) {
        self.record_peak();
        self.removed = self.inserted;
    }

    /// This many retired slots are no more.
    pub(crate) fn forget_retired(&mut self, slots: usize) {
        self.retired -= slots as u32;
    }

    /// All slots are as if never used, whatever they were.
    pub(crate) fn renew(&mut self) {
        *self = Self { removed: self.inserted, peak: 0, retired: 0, ..*self };
    }

    /// So many dead slots will never be reused.
    pub(crate) fn set_retired(&mut self, slots: usize) {
        self.retired = slots as u32;
    }

    /// This many dead slots will never be reused.
    #[inline]
    pub(crate) fn retire(&mut self, slots: usize) {
        self.retired += slots as u32;
    }

    /// A slot that counted as retired is used again.
    pub(crate) fn unretire(&mut self) {
        self.retired -= 1;
    }
}

/// The slots of a pool, however it keeps their words.
pub(crate) trait CountedSlots {
    type Word: Word;

    /// How many slots there are.
    fn slots(&self) -> usize;

    /// Slots from here on were never used: they are as in a new pool.
    fn used(&self) -> usize;

    fn counters(&self) -> Counters;

    /// The word of a slot: for a live one its generation; for a dead one the next, with the top bit
    /// set, or [`RETIRED`](Word::RETIRED).
    fn word(&self, index: usize) -> Option<Self::Word>;

    /// Checks words that are generations on a cycle. Of the retired slots, so many are not out of use for ever.
    fn validate_lifetimes(
        &self,
        cycle: &super::GenerationCycle<impl HandleLayout<Word = Self::Word>>,
        detached: usize,
    ) -> Result<(), Violation> {
        let mut retired = 0;
        for (index, word) in (0..self.slots()).filter_map(|index| Some((index, self.word(index)?)))
        {
            if word == Self::Word::RETIRED {
                retired += 1;
                ensure(
                    !cycle.wraps() || retired <= detached,
                    "no slot of a pool that wraps retires",
                    format_args!("{index}"),
                )?;
                continue;
            }
            ensure(
                cycle.contains(word.as_live()),
                "a slot is in one of its lifetimes",
                format_args!("slot {index} has generation {}", word.generation()),
            )?;
        }
        let counted = self.counters().retired();
        ensure(
            retired == counted,
            "the retired slots are counted",
            format_args!("{retired} have retired, {counted} are counted"),
        )
    }
}

/// How many of these words are those of retired slots.
pub(crate) fn retired_among<W: Word>(words: &[W]) -> usize {
    words.iter().filter(|word| **word == W::RETIRED).count()
}
