//! The slots' words: which slots are live, and in which lifetime.
//!
//! One word per slot. While the slot is live, the word is the generation of its handle; while it is
//! dead, the word is the generation that the *next* handle will have, with the top bit set. So one
//! comparison of a handle's generation with the word tells "this very lifetime, and live", and a birth or
//! a death is one store.
//!
//! The same as bits, 64 slots to a word of a bitmap, is what iteration wants. The words' top bits are
//! gathered into it when somebody is about to change values by iterating, and nothing is kept in step
//! until then: that there were births and deaths since tells that the bitmap is old. Whoever only looks gathers on the way
//! while it is old. A reuse order that searches the bitmap itself has it kept in step.

use alloc::boxed::Box;
use core::marker::PhantomData;

use crate::circle::Circle;
use crate::handle::Word;
use crate::memory::{self, OutOfMemory};
use crate::occupancy::{Occupancy, Source, WORD_SLOTS};
use crate::reuse::{Link, ReuseOrder, Slots};
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// The words of one pool's slots, and how many are live.
#[derive(Debug)]
#[doc(hidden)]
pub struct SlotWords<W, R> {
    words: Box<[W]>,
    /// How many lifetimes have begun.
    births: u64,
    /// How many have ended, and the peak on top: while there are no more births than this, no new peak
    /// was reached, and a death has to look at nothing else.
    deaths_and_peak: u64,
    /// How many slots were live at once at most, looked at when one is about to die: the number only
    /// falls then.
    peak_before_death: u64,
    retired: usize,
    /// Bit `i % 64` of word `i / 64` is set while slot `i` is live, unless the bitmap is old. No bit at
    /// or beyond the last slot is ever set; and old or not, none in a word all of whose slots were never
    /// used, as far as [`take_over`](Self::take_over) is told.
    bitmap: Box<[u64]>,
    /// The bitmap is as the words were when there had been so many [changes](Self::changes).
    bitmap_at: u64,
    order: PhantomData<R>,
}

impl<W: Word, R: ReuseOrder> SlotWords<W, R> {
    /// All slots dead, with this word.
    pub(crate) fn try_new(slots: usize, dead: W) -> Result<Self, OutOfMemory> {
        debug_assert!(dead.is_dead());
        Ok(Self {
            words: memory::filled(slots, dead)?,
            births: 0,
            deaths_and_peak: 0,
            peak_before_death: 0,
            retired: 0,
            bitmap: memory::filled(slots.div_ceil(WORD_SLOTS), 0)?,
            bitmap_at: 0,
            order: PhantomData,
        })
    }

    /// No slots.
    pub(crate) fn none() -> Self {
        Self {
            words: Box::default(),
            births: 0,
            deaths_and_peak: 0,
            peak_before_death: 0,
            retired: 0,
            bitmap: Box::default(),
            bitmap_at: 0,
            order: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn slots(&self) -> usize {
        self.words.len()
    }

    /// All words: of a live slot its generation, of a dead one the next, with the top bit set.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[W] {
        &self.words
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<W> {
        self.words.get(index).copied()
    }

    /// The words of 64 slots, if all of them are live.
    #[inline]
    pub(crate) fn full_word(&self, word: usize) -> Option<&[W; WORD_SLOTS]> {
        let words = self.words.get(word * WORD_SLOTS..)?.first_chunk()?;
        // No short cut: vector instructions.
        (!words.iter().fold(false, |any, word| any | word.is_dead())).then_some(words)
    }

    /// How many slots are live.
    #[inline]
    pub(crate) fn live(&self) -> usize {
        (self.births - self.deaths()) as usize
    }

    /// How many lifetimes have begun.
    #[inline]
    pub(crate) fn births(&self) -> u64 {
        self.births
    }

    #[inline]
    fn deaths(&self) -> u64 {
        self.deaths_and_peak - self.peak_before_death
    }

    /// How many slots were live at once at most.
    pub(crate) fn peak(&self) -> usize {
        (self.births - self.deaths()).max(self.peak_before_death) as usize
    }

    /// How many slots will never be handed out again.
    #[inline]
    pub(crate) fn retired(&self) -> usize {
        self.retired
    }

    #[inline]
    pub(crate) fn is_live(&self, index: usize) -> bool {
        matches!(self.words.get(index), Some(word) if !word.is_dead())
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
        debug_assert!(self.is_live(index));
        // Out of range cannot be; any word will do there, so that no loop has to end for it.
        self.words.get(index).copied().unwrap_or(W::ZERO)
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

    /// Begins a lifetime of a dead slot.
    #[inline]
    pub(crate) fn set_live(&mut self, index: usize, generation: W) {
        debug_assert!(!self.is_live(index) && !generation.is_dead());
        self.words[index] = generation;
        self.births += 1;
        if R::SEARCHES_BITMAP {
            self.bitmap[index / WORD_SLOTS] |= 1 << (index % WORD_SLOTS);
        }
    }

    /// Ends the lifetime of a live slot, which then has this word. If it is that of a retired slot,
    /// [`retire`](Self::retire) is what to call.
    #[inline]
    pub(crate) fn set_dead(&mut self, index: usize, word: W) {
        debug_assert!(self.is_live(index) && word.is_dead());
        self.words[index] = word;
        if self.births > self.deaths_and_peak {
            self.note_peak();
        }
        self.deaths_and_peak += 1;
        if R::SEARCHES_BITMAP {
            self.bitmap[index / WORD_SLOTS] &= !(1 << (index % WORD_SLOTS));
        }
    }

    /// Ends the last lifetime of a live slot.
    pub(crate) fn retire(&mut self, index: usize) {
        self.set_dead(index, W::RETIRED);
        self.retired += 1;
    }

    /// Out of the way: few deaths come after a new peak.
    #[cold]
    #[inline(never)]
    fn note_peak(&mut self) {
        let deaths = self.deaths();
        self.peak_before_death = self.births - deaths;
        self.deaths_and_peak = deaths + self.peak_before_death;
    }

    /// Ends the lifetimes of all live slots.
    pub(crate) fn set_all_dead(&mut self, circle: &Circle<W>) {
        if self.births > self.deaths_and_peak {
            self.note_peak();
        }
        // Small enough to be compared in one go, large enough for vector instructions.
        for words in self.words.chunks_mut(32) {
            let at_border = words.iter().fold(false, |any, word| any | circle.is_border(*word));
            if at_border {
                for word in words.iter_mut().filter(|word| !word.is_dead()) {
                    *word = circle.word_after(*word);
                    self.retired += usize::from(*word == W::RETIRED);
                }
            } else {
                for word in words {
                    *word = if word.is_dead() { *word } else { word.successor().as_dead() };
                }
            }
        }
        self.deaths_and_peak = self.births + self.peak_before_death;
        self.bitmap.fill(0);
        self.bitmap_at = self.changes();
    }

    /// Gives all slots, which are dead, this word.
    pub(crate) fn reset(&mut self, word: W) {
        debug_assert!(self.live() == 0 && word.is_dead());
        self.words.fill(word);
    }

    /// Which slots are live.
    #[inline]
    pub(crate) fn occupancy(&self) -> Occupancy<'_> {
        let source =
            if self.is_bitmap_old() { W::source(&self.words) } else { Source::Bits(&self.bitmap) };
        Occupancy::new(source, self.slots(), self.live())
    }

    /// Brings the bitmap up to date: what follows reads one bit per slot instead of one word.
    #[inline]
    pub(crate) fn refresh(&mut self) {
        if self.is_bitmap_old() {
            self.gather();
        }
    }

    /// Which slots are live, from the bitmap, if nothing has changed since it was [brought up to
    /// date](Self::refresh): the compiler sees that no walk over it has to gather.
    #[inline]
    pub(crate) fn fresh(&self) -> Occupancy<'_> {
        debug_assert!(!self.is_bitmap_old());
        Occupancy::new(Source::Bits(&self.bitmap), self.slots(), self.live())
    }

    #[inline(never)]
    fn gather(&mut self) {
        let source = W::source(&self.words);
        for (word, bits) in self.bitmap.iter_mut().enumerate() {
            *bits = source.word(word);
        }
        self.bitmap_at = self.changes();
    }

    /// A number that rises with each birth and death.
    #[inline]
    fn changes(&self) -> u64 {
        self.births + self.deaths_and_peak
    }

    #[inline]
    fn is_bitmap_old(&self) -> bool {
        !R::SEARCHES_BITMAP && self.changes() != self.bitmap_at
    }

    /// The bits of the word's slots that are dead; none beyond the last slot. For orders that have the
    /// bitmap kept in step.
    #[inline]
    pub(crate) fn dead_bits(&self, word: usize) -> u64 {
        debug_assert!(R::SEARCHES_BITMAP);
        let Some(live) = self.bitmap.get(word) else { return 0 };
        let slots = self.slots() - word * WORD_SLOTS;
        let mask = if slots < WORD_SLOTS { (1 << slots) - 1 } else { !0 };
        !live & mask
    }

    /// The lowest dead slot at or after `from`. As [`dead_bits`](Self::dead_bits).
    #[inline]
    pub(crate) fn first_dead_from(&self, from: usize) -> Option<usize> {
        let mut word = from / WORD_SLOTS;
        let mut mask = !0 << (from % WORD_SLOTS);
        while word < self.bitmap.len() {
            let bits = self.dead_bits(word) & mask;
            if bits != 0 {
                return Some(word * WORD_SLOTS + bits.trailing_zeros() as usize);
            }
            word += 1;
            mask = !0;
        }
        None
    }

    /// Takes over all of another's state. Slots from `used` on were never used in either.
    pub(crate) fn take_over(&mut self, other: &Self, used: usize) {
        self.words[..used].copy_from_slice(&other.words[..used]);
        self.births = other.births;
        self.deaths_and_peak = other.deaths_and_peak;
        self.peak_before_death = other.peak_before_death;
        self.retired = other.retired;
        self.bitmap_at = other.bitmap_at;
        let used = used.div_ceil(WORD_SLOTS);
        if other.is_bitmap_old() {
            // Bits left behind would lie beyond what the next take-over calls used, and count as true then.
            self.bitmap[..used].fill(0);
        } else {
            self.bitmap[..used].copy_from_slice(&other.bitmap[..used]);
        }
    }

    /// Takes on these words, of which as many are live, and this history.
    #[cfg(feature = "serde")]
    pub(crate) fn load(&mut self, words: &[W], inserted: u64, peak: usize) {
        self.words.copy_from_slice(words);
        let live = words.iter().filter(|word| !word.is_dead()).count();
        self.births = inserted;
        self.peak_before_death = peak as u64;
        self.deaths_and_peak = inserted - live as u64 + self.peak_before_death;
        self.recount_retired();
        self.gather();
    }

    /// Counts the retired slots anew.
    pub(crate) fn recount_retired(&mut self) {
        self.retired = self.words.iter().filter(|word| **word == W::RETIRED).count();
    }

    /// Takes over the history of another, which has as many live slots.
    pub(crate) fn continue_from(&mut self, other: &Self) {
        debug_assert_eq!(self.live(), other.live());
        self.words.copy_from_slice(&other.words);
        self.bitmap_at = u64::MAX;
        self.births = other.births;
        self.deaths_and_peak = other.deaths_and_peak;
        self.peak_before_death = other.peak_before_death;
        self.retired = other.retired;
    }
}

/// Marks on slots, for an order that has to go through all of them once: they take the place of the
/// bitmap, which is old from then on.
impl<W: Word, R: ReuseOrder> SlotWords<W, R> {
    pub(crate) fn begin_marking(&mut self) {
        debug_assert!(!R::SEARCHES_BITMAP);
        self.bitmap_at = u64::MAX;
        self.bitmap.fill(0);
    }

    /// Marks a slot; `false` if it was marked before.
    pub(crate) fn mark(&mut self, index: usize) -> bool {
        let (bits, bit) = (&mut self.bitmap[index / WORD_SLOTS], 1 << (index % WORD_SLOTS));
        let is_new = *bits & bit == 0;
        *bits |= bit;
        is_new
    }
}

/// A pool without storage of its own.
impl<W: Word, R: ReuseOrder> Slots for SlotWords<W, R> {
    type Word = W;
    type Order = R;
    const HOLDS_LINKS: bool = false;

    #[inline]
    fn words(&self) -> &SlotWords<W, R> {
        self
    }

    #[inline]
    fn set_dead(&mut self, index: usize, word: W) {
        self.set_dead(index, word);
    }

    fn retire(&mut self, index: usize) {
        self.retire(index);
    }

    fn begin_marking(&mut self) {
        self.begin_marking();
    }

    fn mark(&mut self, index: usize) -> bool {
        self.mark(index)
    }

    fn link(&self, _index: usize) -> Link {
        Link::NONE
    }

    fn set_link(&mut self, _index: usize, _link: Link) {}
}

impl<W: Clone, R> Clone for SlotWords<W, R> {
    fn clone(&self) -> Self {
        Self { words: self.words.clone(), bitmap: self.bitmap.clone(), ..*self }
    }
}

#[cfg(feature = "validate")]
impl<W: Word, R: ReuseOrder> SlotWords<W, R> {
    pub(crate) fn validate(&self) -> Result<(), Violation> {
        let live = self.words.iter().filter(|word| !word.is_dead()).count();
        ensure(
            self.births.checked_sub(self.deaths()) == Some(live as u64),
            "as many slots are live as lifetimes have begun and not ended",
            format_args!("{live} live, {} begun, {} ended", self.births, self.deaths()),
        )?;
        let words = self.slots().div_ceil(WORD_SLOTS);
        ensure(
            self.bitmap.len() == words,
            "the bitmap has a bit for each slot",
            format_args!("{} words for {} slots", self.bitmap.len(), self.slots()),
        )?;
        let source = W::source(&self.words);
        let differs = Occupancy::new(source, self.slots(), live)
            .words()
            .zip(&self.bitmap)
            .position(|(gathered, kept)| gathered != *kept);
        ensure(
            differs.is_none() || self.is_bitmap_old(),
            "the bitmap has the bits of the live slots, or is known to be old",
            format_args!("word {differs:?} differs"),
        )?;
        let beyond = match (self.slots() % WORD_SLOTS, self.bitmap.last()) {
            (0, _) | (_, None) => 0,
            (slots, Some(bits)) => bits >> slots,
        };
        ensure(
            beyond == 0,
            "the bitmap has no bit beyond the last slot",
            format_args!("{beyond:x} beyond slot {}", self.slots()),
        )
    }

    /// For slots of which those from `used` on were never used: old or not, the bitmap has no bits in
    /// words of them alone, or [`take_over`](Self::take_over) would leave them there.
    pub(crate) fn validate_unused(&self, used: usize) -> Result<(), Violation> {
        let first = used.div_ceil(WORD_SLOTS).min(self.bitmap.len());
        let left = self.bitmap[first..].iter().position(|bits| *bits != 0);
        ensure(
            left.is_none(),
            "the bitmap, old or not, has no bits where no slot was ever used",
            format_args!("word {:?}, though only {used} were used", left.map(|at| first + at)),
        )
    }

    /// For words that are generations on a circle.
    pub(crate) fn validate_lifetimes(&self, circle: &Circle<W>) -> Result<(), Violation> {
        for (index, &word) in self.words.iter().enumerate() {
            if word == W::RETIRED {
                ensure(
                    !circle.wraps,
                    "no slot of a pool that wraps retires",
                    format_args!("{index}"),
                )?;
                continue;
            }
            ensure(
                circle.contains(word.as_live()),
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
    use crate::Handle32;
    use crate::reuse::{Lifo, LowestFirst};
    use crate::settings::Lifetimes;
    use alloc::vec::Vec;

    type Words<R> = SlotWords<u16, R>;

    /// Six lifetimes that go over the end of the circle: 254, 255, 1, 2, 3, 4.
    fn circle(wraps: bool) -> Circle<u16> {
        let mut circle =
            Circle::new::<Handle32<(), 24>>(&Lifetimes { wraps, ..Default::default() });
        (circle.start, circle.last) = (254, 4);
        circle
    }

    fn live<R: ReuseOrder>(words: &Words<R>) -> Vec<usize> {
        words.occupancy().iter().collect()
    }

    #[test]
    fn the_occupancy_is_that_of_the_words_whether_the_bitmap_is_old_or_not() {
        fn check<R: ReuseOrder>() {
            let mut words = Words::<R>::try_new(130, 1.as_dead()).unwrap();
            for index in (0..130).step_by(3) {
                words.set_live(index, 1);
            }
            let mut expected: Vec<_> = (0..130).step_by(3).collect();
            assert_eq!(live(&words), expected);
            words.refresh();
            assert_eq!(live(&words), expected);
            // One death and one birth: as many live slots as before.
            words.set_dead(129, 2.as_dead());
            words.set_live(1, 1);
            expected.retain(|index| *index != 129);
            expected.insert(1, 1);
            assert_eq!(live(&words), expected);
            words.refresh();
            assert_eq!(live(&words), expected);
            words.set_all_dead(&circle(false));
            assert_eq!(live(&words), []);
        }
        check::<Lifo>();
        check::<LowestFirst>();
    }

    #[test]
    fn the_peak_is_the_most_that_were_live_at_once() {
        let mut words = Words::<Lifo>::try_new(4, 1.as_dead()).unwrap();
        let mut counts = Vec::new();
        for step in [0, 1, 2, !2, !1, 1, 3, !3, !1, !0, 2] {
            if step >= 0 {
                words.set_live(step as usize, 1);
            } else {
                words.set_dead(!step as usize, 1.as_dead());
            }
            counts.push((words.live(), words.peak(), words.births()));
        }
        let live: Vec<_> = counts.iter().map(|(live, ..)| *live).collect();
        assert_eq!(live, [1, 2, 3, 2, 1, 2, 3, 2, 1, 0, 1]);
        assert!(counts[2..].iter().all(|(_, peak, _)| *peak == 3));
        assert_eq!(counts[10].2, 6);
        words.set_all_dead(&circle(false));
        assert_eq!((words.live(), words.peak(), words.births()), (0, 3, 6));
        for index in 0..4 {
            words.set_live(index, 1);
        }
        assert_eq!((words.live(), words.peak(), words.births()), (4, 4, 10));
        words.set_all_dead(&circle(false));
        assert_eq!((words.live(), words.peak(), words.births()), (0, 4, 10));
    }

    #[test]
    fn the_end_of_all_lifetimes_is_the_end_of_each() {
        for wraps in [false, true] {
            let circle = circle(wraps);
            // Every generation, in a long stretch without a border and in stretches with one.
            let generations: [u16; 6] = [254, 255, 1, 2, 3, 4];
            for pattern in 0..6 {
                let slots = 100;
                let generation =
                    |index: usize| generations[if index < 40 { 2 } else { (index + pattern) % 6 }];
                let mut together = Words::<Lifo>::try_new(slots, 2.as_dead()).unwrap();
                for index in (0..slots).filter(|index| index % 5 != pattern) {
                    together.set_live(index, generation(index));
                }
                let mut each = together.clone();
                for index in live(&together) {
                    match circle.word_after(generation(index)) {
                        u16::RETIRED => each.retire(index),
                        word => each.set_dead(index, word),
                    }
                }
                together.set_all_dead(&circle);
                assert_eq!(together.as_slice(), each.as_slice());
                assert_eq!(together.retired(), each.retired());
                assert_eq!(together.retired() > 0, !wraps);
                assert_eq!((together.live(), together.peak()), (each.live(), each.peak()));
            }
        }
    }

    #[test]
    #[cfg(feature = "validate")]
    fn validation_finds_bits_where_no_slot_was_used() {
        let rule = "the bitmap, old or not, has no bits where no slot was ever used";
        for is_old in [false, true] {
            let mut words = Words::<Lifo>::try_new(200, 254.as_dead()).unwrap();
            words.set_live(70, 254);
            words.refresh();
            if is_old {
                words.set_dead(70, 255.as_dead());
            }
            for used in [71, 128, 200] {
                words.validate_unused(used).unwrap();
            }
            assert_eq!(words.validate_unused(64).unwrap_err().rule(), rule);
            words.bitmap[2] = 1;
            assert_eq!(words.validate_unused(128).unwrap_err().rule(), rule);
            words.validate_unused(129).unwrap();
        }
    }

    #[test]
    #[cfg(feature = "validate")]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut Words<Lifo>)| {
            let circle = circle(false);
            let mut words = Words::try_new(3, 254.as_dead()).unwrap();
            words.set_live(0, 254);
            words.set_live(2, 255);
            words.refresh();
            let sound = |words: &Words<Lifo>| {
                words.validate().and_then(|()| words.validate_lifetimes(&circle))
            };
            sound(&words).unwrap();
            change(&mut words);
            sound(&words).unwrap_err().rule()
        };
        let counted = "as many slots are live as lifetimes have begun and not ended";
        assert_eq!(broken(|words| words.births += 1), counted);
        assert_eq!(broken(|words| words.deaths_and_peak += 5), counted);
        let bits = "the bitmap has the bits of the live slots, or is known to be old";
        assert_eq!(broken(|words| words.bitmap[0] |= 2), bits);
        assert_eq!(broken(|words| words.bitmap[0] |= 8), bits);
        // Of a bitmap that is old, what is beyond the last slot counts all the same.
        let old_and_beyond = |words: &mut Words<Lifo>| {
            words.set_dead(0, 255.as_dead());
            words.bitmap[0] |= 8;
        };
        assert_eq!(broken(old_and_beyond), "the bitmap has no bit beyond the last slot");
        let sized = "the bitmap has a bit for each slot";
        assert_eq!(broken(|words| words.bitmap = Box::new([5, 0])), sized);
        assert_eq!(broken(|words| words.retired += 1), "the retired slots are counted");
        let own = "a slot is in one of its lifetimes";
        assert_eq!(broken(|words| words.words[0] = 0), own);
        assert_eq!(broken(|words| words.words[0] = 5), own);
        assert_eq!(broken(|words| words.words[1] = 5 | u16::DEAD), own);
        let mut words = Words::<Lifo>::try_new(1, u16::RETIRED).unwrap();
        words.retired = 1;
        words.validate_lifetimes(&circle(false)).unwrap();
        let rule = words.validate_lifetimes(&circle(true)).unwrap_err().rule();
        assert_eq!(rule, "no slot of a pool that wraps retires");
    }
}
