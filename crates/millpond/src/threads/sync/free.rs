//! The free slots: a bit for each, and homes, where searches start.
//!
//! ```text
//! line 0  [ word 0 ][ word 1 ]…      128 bytes: what one processor writes, no other has to fetch
//! line 1  [ word 4 ][ word 5 ]…
//!   home 0 ──▶ word 0      where the threads of this home found a free slot last
//!   home 1 ──▶ word 4
//! ```
//!
//! There is no list, so there is no ABA problem at its head, and freeing a slot of another thread costs one `fetch_or`.
//! A home is only a hint: any number of threads may share one, and a thread that ends leaves nothing behind.

use alloc::boxed::Box;
use core::sync::atomic::Ordering;

use super::atomics::{AtomicU32, AtomicU64};
use crate::base::memory::{self, OutOfMemory};

/// Slots per word of free bits.
pub(super) const WORD_SLOTS: usize = 64;

/// Words of free bits that lie in one line.
const LINE_WORDS: usize = 16;

/// The words that share a line, including the neighbouring line that the processor prefetches.
#[repr(align(128))]
#[derive(Debug)]
struct Line([AtomicU64; LINE_WORDS]);

/// Where threads start their search for a free slot.
#[repr(align(128))]
#[derive(Debug)]
struct Home {
    word: AtomicU32,
    /// The number of insertions from here that have found no free slot.
    refused: AtomicU64,
}

/// The free slots of a pool.
#[derive(Debug)]
pub(super) struct FreeSlots {
    lines: Box<[Line]>,
    /// The number of words in a line, as a power of two: few if there are many homes.
    line_words_log2: u32,
    words: usize,
    slots: usize,
    homes: Box<[Home]>,
    /// One less than the number of homes, rounded up to a power of two.
    homes_mask: usize,
}

/// Changes a word, and returns what it was; as an error, if `change` returns `None`.
#[inline]
pub(super) fn update(
    at: &AtomicU64,
    order: Ordering,
    change: impl Fn(u64) -> Option<u64>,
) -> Result<u64, u64> {
    let mut seen = at.load(Ordering::Relaxed);
    while let Some(new) = change(seen) {
        match at.compare_exchange_weak(seen, new, order, Ordering::Relaxed) {
            Ok(_) => return Ok(seen),
            Err(now) => seen = now,
        }
    }
    Err(seen)
}

impl FreeSlots {
    /// All slots are free.
    #[inline]
    pub(super) fn try_new(slots: usize, homes: usize) -> Result<Self, OutOfMemory> {
        let words = slots.div_ceil(WORD_SLOTS);
        let homes = homes.clamp(1, words.max(1));
        let line_words = (words / homes).clamp(1, LINE_WORDS);
        let line_words_log2 = line_words.ilog2();
        let lines = words.div_ceil(1 << line_words_log2);
        let free = Self {
            lines: memory::from_fn(lines, |_| Line([const { 0 }; LINE_WORDS].map(AtomicU64::new)))?,
            line_words_log2,
            words,
            slots,
            homes_mask: homes.next_power_of_two() - 1,
            homes: memory::from_fn(homes, |home| Home {
                word: AtomicU32::new((home * words / homes) as u32),
                refused: AtomicU64::new(0),
            })?,
        };
        for word in 0..words {
            free.word(word).store(free.valid(word), Ordering::Relaxed);
        }
        Ok(free)
    }

    #[inline]
    pub(super) fn words(&self) -> usize {
        self.words
    }

    #[inline]
    pub(super) fn homes(&self) -> usize {
        self.homes.len()
    }

    /// The bits of a word that belong to slots.
    #[inline]
    fn valid(&self, word: usize) -> u64 {
        match self.slots - word * WORD_SLOTS {
            slots if slots < WORD_SLOTS => (1 << slots) - 1,
            _ => !0,
        }
    }

    #[inline]
    pub(super) fn word(&self, word: usize) -> &AtomicU64 {
        let line = &self.lines[word >> self.line_words_log2];
        &line.0[word & ((1 << self.line_words_log2) - 1) & (LINE_WORDS - 1)]
    }

    /// The word with the bit of this slot.
    #[inline]
    pub(super) fn word_of(&self, slot: usize) -> &AtomicU64 {
        self.word(slot / WORD_SLOTS)
    }

    /// The home for this number; any number is valid.
    #[inline]
    fn home(&self, number: usize) -> &Home {
        // There are more than half as many homes as the mask has values, so one subtraction
        // suffices. A division would take longer than all of the rest.
        let number = number & self.homes_mask;
        &self.homes[if number < self.homes.len() { number } else { number - self.homes.len() }]
    }

    /// Clears the bit of a free slot and returns the slot, which the caller then owns. It is the
    /// lowest slot of the home's word, or of the next word that has one, which then becomes the
    /// home's. Returns `None` if each word was seen without a bit.
    #[inline]
    pub(super) fn claim(&self, home: usize, order: Ordering) -> Option<usize> {
        let home = self.home(home);
        let at = home.word.load(Ordering::Relaxed) as usize;
        if at < self.words {
            if let Some(slot) = self.claim_in(at, order) {
                return Some(slot);
            }
        }
        self.claim_elsewhere(home, at, order)
    }

    #[inline]
    fn claim_in(&self, word: usize, order: Ordering) -> Option<usize> {
        let without_lowest = |bits: u64| (bits != 0).then(|| bits & (bits - 1));
        let bits = update(self.word(word), order, without_lowest).ok()?;
        Some(word * WORD_SLOTS + bits.trailing_zeros() as usize)
    }

    #[cold]
    #[inline]
    fn claim_elsewhere(&self, home: &Home, seen: usize, order: Ordering) -> Option<usize> {
        for word in (seen + 1..self.words).chain(0..seen.min(self.words)) {
            if let Some(slot) = self.claim_in(word, order) {
                home.word.store(word as u32, Ordering::Relaxed);
                return Some(slot);
            }
        }
        None
    }

    /// The number of free slots; exact while no thread changes it.
    #[inline]
    pub(super) fn count(&self) -> usize {
        let bits = (0..self.words).map(|word| self.word(word).load(Ordering::Relaxed));
        bits.map(|bits| bits.count_ones() as usize).sum()
    }

    /// An insertion from this home has found no free slot.
    #[cold]
    #[inline]
    pub(super) fn count_refusal(&self, home: usize) {
        self.home(home).refused.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of insertions that have found no free slot.
    #[inline]
    pub(super) fn refused(&self) -> u64 {
        self.homes.iter().map(|home| home.refused.load(Ordering::Relaxed)).sum()
    }

    /// Sets the number of insertions that have found no free slot, from any home.
    #[inline]
    pub(super) fn set_refused(&self, refused: u64) {
        for (home, count) in
            self.homes.iter().zip(core::iter::once(refused).chain(core::iter::repeat(0)))
        {
            home.refused.store(count, Ordering::Relaxed);
        }
    }

    /// The word that each home searches first.
    #[inline]
    pub(super) fn home_words(&self) -> impl Iterator<Item = u32> {
        self.homes.iter().map(|home| home.word.load(Ordering::Relaxed))
    }

    /// Sets the word that each home searches first.
    #[inline]
    pub(super) fn set_home_words(&self, words: &[u32]) {
        for (home, word) in self.homes.iter().zip(words) {
            home.word.store(*word, Ordering::Relaxed);
        }
    }
}
