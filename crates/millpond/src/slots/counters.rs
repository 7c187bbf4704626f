//! Counters of lifetimes that have begun and ended.

use crate::handle::{HandleLayout, Word};
use crate::reports::validate::{Violation, ensure};

/// What a pool counts of its slots' lifetimes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counters {
    /// How many lifetimes have begun, and how many have ended: counters that only rise, so that
    /// each operation writes only one.
    pub(crate) inserted: u64,
    pub(crate) removed: u64,
    /// The largest number of live slots at once, as far as the pool has recorded it: before each
    /// insertion that may bring a new peak, or before each removal that follows such insertions.
    pub(crate) peak: u32,
    pub(crate) retired: u32,
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

    /// Whether there were insertions beyond the recorded peak, which must then be recorded before a
    /// lifetime ends.
    #[inline]
    pub(crate) fn peak_is_stale(&self) -> bool {
        self.live() > self.peak as usize
    }
}

/// Checks words that are generations on a cycle, of which so many are counted as retired. Of these, so many are not out of
/// use for ever.
pub(crate) fn validate_lifetimes<H: HandleLayout>(
    cycle: &super::GenerationCycle<H>,
    word: impl Fn(usize) -> Option<H::Word>,
    counted: usize,
    detached: usize,
) -> Result<(), Violation> {
    let mut retired = 0;
    for (index, word) in (0..).map_while(word).enumerate() {
        if word == H::Word::RETIRED {
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
    ensure(
        retired == counted,
        "the retired slots are counted",
        format_args!("{retired} have retired, {counted} are counted"),
    )
}

/// How many of these words are those of retired slots.
pub(crate) fn retired_among<W: Word>(words: &[W]) -> usize {
    words.iter().filter(|word| **word == W::RETIRED).count()
}
