//! The free slots: a bit for each, and homes, where searches start.
//!
//! ```text
//! line 0  [ word 0 ][      ][ word 1 ]…      128 bytes: what one processor writes, no other has to fetch
//! line 1  [ word 8 ][      ][ word 9 ]…      with few words for each home, they stand apart
//!   home 0 ──▶ word 0      where the threads of this home found a free slot last
//!   home 1 ──▶ word 8
//! ```
//!
//! There is no list, so there is no ABA problem at its head, and freeing a slot of another thread costs one `fetch_or`.
//! A home is only a hint: any number of threads may share one, and a thread that ends leaves nothing behind.
//!
//! Each home has a *part* of the pool: whole lines of bits, and with them whole lines of slot words and of values. Its
//! threads use it in a circle, so that a word is visited again only when most of its slots are free. If little of the
//! part is free, the circle grows: to twice the part, then four times and so on, as long as more is free beyond it. It
//! shrinks again as soon as enough is free near the home ([`look`](FreeSlots::look)). So threads with homes of their
//! own do not meet while the pool has room for all.

use alloc::boxed::Box;
use core::ops::Range;
use core::sync::atomic::Ordering;

use super::atomics::{AtomicU32, AtomicU64};
use crate::base::lines::Lines;
use crate::base::memory::{self, OutOfMemory};

/// Slots per word of free bits.
pub(super) const WORD_SLOTS: usize = 64;

/// Words of free bits for which a line has room, including the neighbouring line that the processor prefetches.
const LINE_WORDS: usize = 16;

/// Where threads start their search for a free slot.
#[repr(align(128))]
#[derive(Debug)]
struct Home {
    /// The word in which a free slot was found last.
    word: AtomicU32,
    /// The first word of its part.
    first: u32,
    /// The number of words of its part.
    part: u32,
    /// The number of insertions from here that have found no free slot.
    refused: AtomicU64,
}

/// The free slots of a pool.
#[derive(Debug)]
pub(super) struct FreeSlots {
    /// The words, with gaps if there are many homes, so that each home has whole lines.
    bits: Lines<AtomicU64>,
    /// The distance of two words in `bits`, as a power of two.
    distance_log2: u32,
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
        let free = Self::try_none(slots, homes)?;
        for word in 0..free.words {
            free.word(word).store(free.valid(word), Ordering::Relaxed);
        }
        Ok(free)
    }

    /// No slot is free.
    #[inline]
    pub(super) fn try_none(slots: usize, homes: usize) -> Result<Self, OutOfMemory> {
        let words = slots.div_ceil(WORD_SLOTS);
        let homes = homes.clamp(1, words.max(1));
        let line_words = 1 << (words / homes).clamp(1, LINE_WORDS).ilog2();
        // A line even if there are no words: that of the home's word.
        let lines = words.div_ceil(line_words).max(1);
        let mut free = Self {
            bits: Lines::from_fn(lines * LINE_WORDS, |_| AtomicU64::new(0))?,
            distance_log2: (LINE_WORDS / line_words).ilog2(),
            words,
            slots,
            homes_mask: homes.next_power_of_two() - 1,
            homes: memory::from_fn(homes, |_| Home {
                word: AtomicU32::new(0),
                first: 0,
                part: 0,
                refused: AtomicU64::new(0),
            })?,
        };
        free.spread_homes();
        Ok(free)
    }

    /// Gives each home its part. Homes with neighbouring numbers are far apart: of any number of homes, the first few
    /// have the most room between them.
    #[inline]
    fn spread_homes(&mut self) {
        let homes = self.homes.len();
        let bits = self.homes_mask.count_ones();
        let lines = self.bits.len() / LINE_WORDS;
        let line_words = self.line_words();
        let part_start = |part: usize| {
            let line = part as u64 * lines as u64 / homes as u64;
            (line as usize * line_words).min(self.words)
        };
        let reversed = |number: usize| match bits {
            0 => 0,
            _ => number.reverse_bits() >> (usize::BITS - bits),
        };
        let numbers = (0..=self.homes_mask).map(reversed).filter(|number| *number < homes);
        for (part, number) in numbers.enumerate() {
            let (first, end) = (part_start(part), part_start(part + 1));
            self.homes[number].word = AtomicU32::new(first as u32);
            self.homes[number].first = first as u32;
            self.homes[number].part = (end - first) as u32;
        }
    }

    /// The number of words in a line.
    #[inline]
    fn line_words(&self) -> usize {
        LINE_WORDS >> self.distance_log2
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
        &self.bits[word << self.distance_log2]
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
    /// lowest slot of the home's word, or of [another one](Self::look), which then becomes the
    /// home's. Returns `None` if each word was seen without a bit.
    #[inline]
    pub(super) fn claim(&self, home: usize, order: Ordering) -> Option<usize> {
        let home = self.home(home);
        let at = home.word.load(Ordering::Relaxed) as usize;
        self.claim_in(at, order).or_else(|| self.claim_elsewhere(home, at, order))
    }

    /// Claims this slot, if it is free.
    pub(super) fn claim_at(&self, slot: usize, order: Ordering) -> bool {
        let bit = 1 << (slot % WORD_SLOTS);
        self.word_of(slot).fetch_and(!bit, order) & bit != 0
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
        let found = self.look(home, seen)?;
        // Another thread may have claimed what was free there; then any word will do.
        for word in (found..self.words).chain(0..found) {
            if let Some(slot) = self.claim_in(word, order) {
                home.word.store(word as u32, Ordering::Relaxed);
                return Some(slot);
            }
        }
        None
    }

    /// A word with a free slot, for a home that saw none in the word `seen`. Returns `None` if each
    /// of the other words was seen without one, each once.
    ///
    /// Words are counted from the first of the home's part. The search goes on from `seen` to the
    /// end of a window: the part, or twice as much, or four times and so on. There it begins again
    /// at the first word, unless [it pays to go on](Self::pays_to_leave). A window is therefore read
    /// once or twice for all free slots in it, not for each.
    #[inline]
    fn look(&self, home: &Home, seen: usize) -> Option<usize> {
        let (words, first) = (self.words, home.first as usize);
        let start = if seen < first { seen + words - first } else { seen - first };
        if start >= words {
            return None;
        }
        let mut end = (home.part as usize).clamp(1, words);
        while end <= start {
            end = (2 * end).min(words);
        }
        let mut next = start + 1;
        let mut before = None;
        loop {
            let found = self.words_from(first, next..end).find(|word| self.free_in(*word) != 0);
            if found.is_some() {
                return found;
            }
            let (free, lowest) =
                *before.get_or_insert_with(|| self.count_free(self.words_from(first, 0..start)));
            if end == words || lowest.is_some() && !self.pays_to_leave(free, end, first) {
                return lowest;
            }
            next = end;
            end = (2 * end).min(words);
        }
    }

    /// The words at these distances from a word; the first one follows the last.
    #[inline]
    fn words_from(&self, word: usize, at: Range<usize>) -> impl Iterator<Item = usize> {
        let to_last = self.words - word;
        let on = word + at.start.min(to_last)..word + at.end.min(to_last);
        on.chain(at.start.max(to_last) - to_last..at.end.max(to_last) - to_last)
    }

    /// The number of free slots in these words, and the first of them that has one.
    #[inline]
    fn count_free(&self, words: impl Iterator<Item = usize>) -> (usize, Option<usize>) {
        words.fold((0, None), |(sum, first), word| match self.free_in(word) {
            0 => (sum, first),
            some => (sum + some.count_ones() as usize, first.or(Some(word))),
        })
    }

    /// Whether a home leaves a window of so many words from `first` on with so many free slots: it
    /// has fewer than one for every second word, so that to search it costs more than to fetch lines
    /// from other threads; or fewer than 8 a word, and the next half line of bits (which other
    /// threads may have to fetch again) has four times as many.
    #[inline]
    fn pays_to_leave(&self, free: usize, window: usize, first: usize) -> bool {
        if 2 * free < window {
            return true;
        }
        let line = window..(window + self.line_words().div_ceil(2)).min(self.words);
        let line_words = line.len();
        free < 8 * window
            && self.count_free(self.words_from(first, line)).0 * window > 4 * free * line_words
    }

    #[inline]
    fn free_in(&self, word: usize) -> u64 {
        self.word(word).load(Ordering::Relaxed)
    }

    /// The number of free slots; exact while no thread changes it.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count_free(0..self.words).0
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

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use std::vec::Vec;

    use super::*;

    const RELAXED: Ordering = Ordering::Relaxed;

    fn part(home: &Home) -> Range<usize> {
        home.first as usize..(home.first + home.part) as usize
    }

    #[test]
    fn each_word_is_in_one_part_and_each_line_too() {
        for (slots, homes) in
            [(1, 1), (64, 5), (1000, 3), (1 << 14, 16), (1 << 14, 24), (6401, 64), (70_000, 33)]
        {
            let free = FreeSlots::try_new(slots, homes).unwrap();
            let mut parts: Vec<_> = free.homes.iter().map(part).collect();
            parts.sort_by_key(|part| part.start);
            assert_eq!((parts[0].start, parts[parts.len() - 1].end), (0, free.words()));
            assert!(parts.windows(2).all(|two| two[0].end == two[1].start), "{parts:?}");
            assert!(parts.iter().all(|part| !part.is_empty()), "{parts:?}");
            assert!(parts.iter().all(|part| part.start % free.line_words() == 0), "{parts:?}");
            assert!(free.homes.iter().all(|home| home.word.load(RELAXED) == home.first));
            assert_eq!(free.count(), slots);
        }
    }

    /// Slots that share a word share no line with others, neither with their words nor with their values.
    #[test]
    fn a_part_begins_a_line_of_bits() {
        let free = FreeSlots::try_new(1 << 14, 64).unwrap();
        for home in &free.homes {
            let first = core::ptr::from_ref(free.word(home.first as usize)).addr();
            assert_eq!((first % 128, size_of::<Home>()), (0, 128));
        }
    }

    /// Any successive homes, as many as a power of two.
    #[test]
    fn successive_homes_are_far_apart() {
        for homes in [8, 24, 64, 100] {
            let free = FreeSlots::try_new(1 << 16, homes).unwrap();
            for some in [2, 4, 8] {
                let mut first: Vec<_> =
                    (0..some).map(|number| free.home(number).first as usize).collect();
                first.sort_unstable();
                first.push(free.words());
                let room = first.windows(2).map(|two| two[1] - two[0]).min().unwrap();
                assert!(2 * room > free.words() / some, "{some} of {homes}: {first:?}");
            }
        }
        let free = FreeSlots::try_new(1 << 14, 64).unwrap();
        for start in [7, 61, 1000] {
            let quarters = (start..start + 4).map(|number| free.home(number).first / 64);
            let mut quarters: Vec<_> = quarters.collect();
            quarters.sort_unstable();
            assert_eq!(quarters, [0, 1, 2, 3]);
        }
    }

    /// 32 words, 4 homes.
    fn small() -> FreeSlots {
        FreeSlots::try_new(32 * 64, 4).unwrap()
    }

    fn claim_words(free: &FreeSlots, home: usize, words: usize) -> Vec<usize> {
        let claimed = (0..words * 64).map(|_| free.claim(home, RELAXED).unwrap() / 64);
        let mut words: Vec<_> = claimed.collect();
        words.dedup();
        words
    }

    fn give_back(free: &FreeSlots, words: impl IntoIterator<Item = usize>) {
        words.into_iter().for_each(|word| free.word(word).store(!0, RELAXED));
    }

    #[test]
    fn a_home_goes_round_in_its_part() {
        let free = small();
        assert_eq!(claim_words(&free, 1, 7), [16, 17, 18, 19, 20, 21, 22]);
        give_back(&free, [16, 17, 22]);
        assert_eq!(claim_words(&free, 1, 4), [22, 23, 16, 17]);
    }

    #[test]
    fn a_home_whose_part_is_full_works_beyond_it_and_comes_back() {
        let free = small();
        assert_eq!(claim_words(&free, 3, 8), [24, 25, 26, 27, 28, 29, 30, 31]);
        // Past the end is the beginning.
        assert_eq!(claim_words(&free, 3, 3), [0, 1, 2]);
        give_back(&free, [25, 27, 28]);
        // To the end of the window of 16 words; and there it is better to come back.
        assert_eq!(claim_words(&free, 3, 7), [3, 4, 5, 6, 7, 25, 27]);
        // After this one, nothing is free in twice its part: it takes four times as much.
        assert_eq!(claim_words(&free, 3, 17)[..3], [28, 8, 9]);
        assert_eq!(free.claim(3, RELAXED), None);
        assert_eq!((free.count(), free.home(3).word.load(RELAXED)), (0, 23));
        give_back(&free, [0]);
        assert_eq!(claim_words(&free, 3, 1), [0]);
    }

    #[test]
    fn a_home_with_little_room_leaves_if_there_is_much_more_beyond() {
        let free = small();
        claim_words(&free, 0, 8);
        // Of 64 slots of each word, one: less than an eighth.
        (0..8).for_each(|word| free.word(word).store(1, RELAXED));
        free.home(0).word.store(7, RELAXED);
        assert_eq!(free.claim(0, RELAXED), Some(7 * 64));
        assert_eq!(free.claim(0, RELAXED), Some(8 * 64), "the part of another home, all free");
        // The other home's part is as full.
        (8..16).for_each(|word| free.word(word).store(1, RELAXED));
        free.word(7).store(0, RELAXED);
        free.home(0).word.store(7, RELAXED);
        assert_eq!(free.claim(0, RELAXED), Some(0), "it stays where it fetches nothing");
    }

    #[test]
    fn a_search_finds_the_only_free_slot_from_everywhere() {
        for (words, homes) in [(1, 1), (5, 2), (9, 3), (32, 4), (33, 8)] {
            for word in 0..words {
                for seen in (0..words).filter(|seen| *seen != word) {
                    for home in 0..homes {
                        let free = FreeSlots::try_new(words * 64, homes).unwrap();
                        (0..words).for_each(|word| free.word(word).store(0, RELAXED));
                        free.word(word).store(1 << 9, RELAXED);
                        free.home(home).word.store(seen as u32, RELAXED);
                        assert_eq!(free.claim(home, RELAXED), Some(64 * word + 9));
                        assert_eq!(free.claim(home, RELAXED), None);
                    }
                }
            }
        }
    }
}
