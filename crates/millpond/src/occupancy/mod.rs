//! The occupancy: a bitmap that says which slots are live, and finds runs of live slots.
//!
//! ```text
//! slot       0       8       16      24      …       64
//! word 0     1110110000000000000000000000…   word 1  1111111111…
//!            └┬┘ └┤ run of 2                         a full word: 64 live slots at once
//!             run of 3
//! ```
//!
//! One bit per slot. Words are walked 64 slots at a time: an empty word costs one test, a full word
//! one test and no look at its bits.

mod live;
mod runs;

pub use live::LiveSlots;
pub use runs::Runs;

use alloc::boxed::Box;

use crate::memory;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// Slots per word of the bitmap.
const WORD_SLOTS: usize = u64::BITS as usize;

/// Which slots of a pool are live. Read-only for users: the pool that owns it changes it.
///
/// ```
/// use millpond::Pool;
///
/// let mut pool = Pool::new(100);
/// let handles: Vec<_> = (0..10).map(|i| pool.insert(i).unwrap()).collect();
/// pool.remove(handles[3]);
///
/// let occupancy = pool.occupancy();
/// assert!(occupancy.is_live(2) && !occupancy.is_live(3));
/// assert_eq!(occupancy.runs().collect::<Vec<_>>(), [0..3, 4..10]);
/// ```
#[derive(Clone, Debug)]
pub struct Occupancy {
    /// Bit `i % 64` of word `i / 64` is set while slot `i` is live. No bit at or beyond `slots` is
    /// ever set.
    words: Box<[u64]>,
    slots: usize,
    /// How many times a bit was set, and how many times one was cleared: the difference is how many
    /// are set. Two counters that only rise, as each way then writes only one.
    births: u64,
    deaths: u64,
}

impl Occupancy {
    /// All slots dead.
    pub(crate) fn try_new(slots: usize) -> Result<Self, memory::OutOfMemory> {
        let words = memory::filled(slots.div_ceil(WORD_SLOTS), 0)?;
        Ok(Self { words, slots, births: 0, deaths: 0 })
    }

    /// How many slots there are, live and dead.
    #[inline]
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// How many slots are live.
    #[inline]
    #[must_use]
    pub fn live(&self) -> usize {
        (self.births - self.deaths) as usize
    }

    /// How many slots have become live since the beginning.
    #[inline]
    pub(crate) fn births(&self) -> u64 {
        self.births
    }

    /// Takes over the history of another, which has as many live slots.
    pub(crate) fn continue_from(&mut self, other: &Self) {
        debug_assert_eq!(self.live(), other.live());
        self.births = other.births;
        self.deaths = other.deaths;
    }

    /// Whether the slot is live; `false` for an index that is out of range.
    #[inline]
    #[must_use]
    pub fn is_live(&self, index: usize) -> bool {
        match self.words.get(index / WORD_SLOTS) {
            Some(word) => word >> (index % WORD_SLOTS) & 1 != 0,
            None => false,
        }
    }

    /// The bitmap itself: slot `i` is bit `i % 64` of word `i / 64`. Bits beyond the last slot are 0.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The live slots in index order, from both ends. O(slots / 64 + live) for a whole walk.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> LiveSlots<'_> {
        LiveSlots::new(self)
    }

    /// The runs of live slots in index order, from both ends. O(slots / 64 + runs) for a whole walk.
    #[inline]
    #[must_use]
    pub fn runs(&self) -> Runs<'_> {
        Runs::new(&self.words)
    }

    /// The lowest live slot at or after `from`.
    pub(crate) fn first_live_from(&self, from: usize) -> Option<usize> {
        let mut word = from / WORD_SLOTS;
        let mut bits = self.words.get(word)? & (!0 << (from % WORD_SLOTS));
        while bits == 0 {
            word += 1;
            bits = *self.words.get(word)?;
        }
        Some(word * WORD_SLOTS + bits.trailing_zeros() as usize)
    }

    /// The highest live slot below `until`.
    pub(crate) fn last_live_before(&self, until: usize) -> Option<usize> {
        let last = until.min(self.slots).checked_sub(1)?;
        let mut word = last / WORD_SLOTS;
        let mut bits = self.words[word] & (!0 >> (WORD_SLOTS - 1 - last % WORD_SLOTS));
        while bits == 0 {
            word = word.checked_sub(1)?;
            bits = self.words[word];
        }
        Some(word * WORD_SLOTS + WORD_SLOTS - 1 - bits.leading_zeros() as usize)
    }

    /// The lowest dead slot at or after `from`.
    #[inline]
    pub(crate) fn first_dead_from(&self, from: usize) -> Option<usize> {
        let mut word = from / WORD_SLOTS;
        let mut mask = !0 << (from % WORD_SLOTS);
        while word < self.words.len() {
            let bits = self.dead_bits(word) & mask;
            if bits != 0 {
                return Some(word * WORD_SLOTS + bits.trailing_zeros() as usize);
            }
            word += 1;
            mask = !0;
        }
        None
    }

    /// The bits of the word's slots that are dead; none beyond the last slot.
    #[inline]
    pub(crate) fn dead_bits(&self, word: usize) -> u64 {
        let slots = self.slots - word * WORD_SLOTS;
        let mask = if slots < WORD_SLOTS { (1 << slots) - 1 } else { !0 };
        !self.words[word] & mask
    }

    /// Marks the slot, which is in range and dead, live.
    #[inline]
    pub(crate) fn set_live(&mut self, index: usize) {
        debug_assert!(index < self.slots && !self.is_live(index));
        self.words[index / WORD_SLOTS] |= 1 << (index % WORD_SLOTS);
        self.births += 1;
    }

    /// Marks the slot, which is live, dead.
    #[inline]
    pub(crate) fn set_dead(&mut self, index: usize) {
        debug_assert!(self.is_live(index));
        self.words[index / WORD_SLOTS] &= !(1 << (index % WORD_SLOTS));
        self.deaths += 1;
    }

    /// Marks all slots dead.
    pub(crate) fn set_all_dead(&mut self) {
        self.words.fill(0);
        self.deaths = self.births;
    }
}

#[cfg(feature = "validate")]
impl Occupancy {
    pub(crate) fn validate(&self) -> Result<(), Violation> {
        let words = self.slots.div_ceil(WORD_SLOTS);
        ensure(
            self.words.len() == words,
            "the occupancy has a bit for each slot",
            format_args!("{} words for {} slots", self.words.len(), self.slots),
        )?;
        let beyond = (self.slots..words * WORD_SLOTS).find(|&index| self.is_live(index));
        ensure(
            beyond.is_none(),
            "the occupancy has no bit beyond the last slot",
            format_args!("slot {beyond:?} of {}", self.slots),
        )?;
        let bits: u64 = self.words.iter().map(|word| u64::from(word.count_ones())).sum();
        ensure(
            self.births.checked_sub(self.deaths) == Some(bits),
            "as many slots are live as lifetimes have begun and not ended",
            format_args!("{bits} live, {} begun, {} ended", self.births, self.deaths),
        )
    }
}

/// The same slots are live, however that came to be.
impl PartialEq for Occupancy {
    fn eq(&self, other: &Self) -> bool {
        self.slots == other.slots && self.words == other.words
    }
}
impl Eq for Occupancy {}

impl<'a> IntoIterator for &'a Occupancy {
    type Item = usize;
    type IntoIter = LiveSlots<'a>;

    #[inline]
    fn into_iter(self) -> LiveSlots<'a> {
        self.iter()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use alloc::vec::Vec;

    pub(crate) fn occupancy(live: &[bool]) -> Occupancy {
        let mut occupancy = Occupancy::try_new(live.len()).unwrap();
        for (index, _) in live.iter().enumerate().filter(|(_, live)| **live) {
            occupancy.set_live(index);
        }
        occupancy
    }

    /// Patterns that cross every kind of word border, on sizes around them.
    pub(crate) fn patterns() -> impl Iterator<Item = Vec<bool>> {
        let sizes = [0, 1, 2, 63, 64, 65, 127, 128, 129, 200, 256, 320];
        let kinds: [fn(usize) -> bool; 9] = [
            |_| true,
            |_| false,
            |i| i % 2 == 0,
            |i| i % 64 == 63 || i % 64 == 0,
            |i| i / 64 != 1,
            |i| i / 64 == 1,
            |i| i % 65 < 60,
            |i| (i * i + i / 7) % 5 < 2,
            |i| i > 3 && i % 97 != 0,
        ];
        sizes.into_iter().flat_map(move |n| kinds.map(|kind| (0..n).map(kind).collect()))
    }

    #[test]
    fn counts_and_finds_what_was_set() {
        for live in patterns() {
            let occupancy = occupancy(&live);
            assert_eq!(occupancy.live(), live.iter().filter(|live| **live).count());
            for at in 0..=live.len() + 1 {
                assert_eq!(occupancy.is_live(at), live.get(at).copied().unwrap_or(false));
                let first = (at..live.len()).find(|i| live[*i]);
                assert_eq!(occupancy.first_live_from(at), first);
                let dead = (at..live.len()).find(|i| !live[*i]);
                assert_eq!(occupancy.first_dead_from(at), dead);
                let last = (0..at.min(live.len())).rev().find(|i| live[*i]);
                assert_eq!(occupancy.last_live_before(at), last);
            }
            for word in 0..occupancy.words().len() {
                for bit in 0..WORD_SLOTS {
                    let dead = live.get(word * WORD_SLOTS + bit) == Some(&false);
                    assert_eq!(occupancy.dead_bits(word) >> bit & 1 == 1, dead);
                }
            }
        }
    }

    #[test]
    fn setting_dead_undoes_setting_live() {
        let mut occupancy = Occupancy::try_new(65).unwrap();
        occupancy.set_live(64);
        occupancy.set_live(3);
        assert_eq!((occupancy.live(), occupancy.births()), (2, 2));
        occupancy.set_dead(64);
        assert!(!occupancy.is_live(64) && occupancy.is_live(3));
        occupancy.set_all_dead();
        assert_eq!((occupancy.live(), occupancy.births(), occupancy.is_live(3)), (0, 2, false));
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut Occupancy)| {
            let mut occupancy = occupancy(&[true, false, true]);
            occupancy.validate().unwrap();
            change(&mut occupancy);
            occupancy.validate().unwrap_err().rule()
        };
        let counted = "as many slots are live as lifetimes have begun and not ended";
        assert_eq!(broken(|occupancy| occupancy.births += 1), counted);
        assert_eq!(broken(|occupancy| occupancy.deaths += 5), counted);
        assert_eq!(broken(|occupancy| occupancy.words[0] |= 2), counted);
        let beyond = "the occupancy has no bit beyond the last slot";
        assert_eq!(broken(|occupancy| occupancy.words[0] |= 8), beyond);
        let sized = "the occupancy has a bit for each slot";
        assert_eq!(broken(|occupancy| occupancy.slots = 65), sized);
    }
}
