//! The slots' words: which slots are live, and in which lifetime.
//!
//! One word per slot. While the slot is live, the word is the generation of its handle; while it is dead, the word is
//! the generation that the *next* handle will have, with the top bit set. So one comparison of a handle's generation
//! with the word tests for both the same lifetime and a live slot, and an insertion or removal is one store.
//!
//! Iteration uses a bitmap, 64 slots to a word. It is *in step* if each insertion and removal writes its bit.
//! Otherwise, mutable iteration first gathers the top bits of the words into it; the counts of insertions and removals
//! show whether it is out of date. Writing a bit costs about half a nanosecond per insertion or removal, gathering
//! costs a twentieth per slot and iteration. So a bitmap is in step from the first iteration on that finds few insertions
//! and removals since the one before. Shared iteration over an old bitmap gathers the bits on the way.
//!
//! In most small pools, the live slots are the lowest ones. The first mutable iteration after an insertion or removal
//! checks this and stores the result in the [`BitmapAge`]. Until the next insertion or removal, iteration is over a slice
//! and reads no bits.
//!
//! # Invariant
//!
//! 1. A bitmap that is not known to be old has a bit set exactly for each live slot. Every method that changes a word
//!    writes the bit or changes the counts, by which the bitmap is old.
//! 2. If a [prefix](BitmapAge::prefix) is known, the slots below it are live, and no others.
//! 3. `births - deaths` is the number of live slots.
//! 4. `quick_below` is the border, or 0 while the bitmap is in step: so a lifetime that ends below it has no bit to clear.
//!
//! The iterators of `values` rely on 1 and 2: they read, without a test, the values of slots that are live by the
//! bitmap or the prefix.

use core::mem::offset_of;
use core::ops::Range;

use crate::base::aside;
#[cfg(feature = "alloc")]
use crate::base::memory::OutOfMemory;
use crate::handle::{HandleLayout, Issue, Word};
use crate::occupancy::{Occupancy, Source, TopBit, WORD_SLOTS};
use crate::reports::validate::{Violation, ensure};
#[cfg(feature = "alloc")]
use crate::slots::Block;
use crate::slots::{BitmapAge, Census, Circle, Counts, Inline, Place, SlotKind, retired_among};
#[cfg(feature = "blocks")]
use crate::slots::{BlockSizes, Blocks};

/// An iteration that finds at most one birth or death for this many slots since the previous one
/// puts the bitmap in step.
const IN_STEP_SLOTS_PER_CHANGE: u64 = 4;

/// The words of one pool's slots, and how many are live.
///
/// What insertions and removals touch lies together: the end of a [`Block`], the numbers behind it, and the beginning of
/// the reuse order, which follows in a pool.
#[derive(Debug)]
#[doc(hidden)]
#[repr(C)]
pub struct SlotWords<P: Place> {
    /// As in [`Counts`], and so are `births` and `deaths`.
    peak: u32,
    retired: u32,
    /// Bit `i % 64` of word `i / 64` of its bitmap is set while slot `i` is live, unless the bitmap is
    /// [old](BitmapAge). No bit at or beyond the last slot is ever set; and old or not, none in a word all of whose
    /// slots were never used, as far as [`copy_state_from`](Self::copy_state_from) knows.
    place: P,
    births: u64,
    deaths: u64,
    /// Not of the type of the words, which would fix the type of the values.
    quick_below: u32,
    /// The [`Core`](super::Core) sets it: a lifetime of a generation below it ends by [`end_quick`](Self::end_quick).
    border: u32,
}

#[cfg(feature = "alloc")]
impl<T, K: SlotKind> SlotWords<Block<T, K>> {
    /// No slots, and no memory.
    pub(crate) const fn empty() -> Self {
        Self::unused(Block::empty())
    }

    /// Slots that are all dead, with this word, every page touched. `in_step`: the bitmap is in
    /// step from the beginning.
    pub(crate) fn try_new(
        slots: usize,
        entries: usize,
        in_step: bool,
        dead: K::Word,
    ) -> Result<Self, OutOfMemory> {
        debug_assert!(dead.is_dead());
        Ok(Self::of_dead(Block::try_new(slots, entries, dead)?, in_step))
    }

    /// Like [`try_new`](Self::try_new), for a block of slots that are all dead.
    pub(crate) fn of_dead(place: Block<T, K>, in_step: bool) -> Self {
        let mut words = Self::unused(place);
        if in_step {
            words.put_in_step();
        }
        words
    }

    /// Another block with the same words, entries and counts.
    #[cfg(test)]
    pub(crate) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let (slots, entries) = (self.slots(), self.entries().len());
        let mut clone = Self::try_new(slots, entries, self.is_in_step(), K::Word::RETIRED)?;
        clone.continue_from(self);
        Ok(clone)
    }
}

#[cfg(feature = "blocks")]
impl<T, K: SlotKind> SlotWords<Blocks<T, K>> {
    /// No slots, and no memory.
    pub(crate) const fn growing(sizes: BlockSizes) -> Self {
        Self::unused(Blocks::new(sizes))
    }

    /// Allocates the next block. `room`: how many slots to make room for if there is none for that
    /// block; `in_step`: the bitmap is in step from now on; `ahead`: touch every page. Returns the new slots, which are dead.
    pub(crate) fn try_add_block(
        &mut self,
        in_step: bool,
        ahead: bool,
    ) -> Result<Range<usize>, OutOfMemory> {
        let was_in_step = self.is_in_step();
        let new = self.place.try_add_block(ahead)?;
        if in_step && !was_in_step {
            self.put_in_step();
        }
        let words = &self.place.parts().words[new.clone()];
        self.retired += retired_among(words) as u32;
        Ok(new)
    }

    /// Frees the last block, all of whose slots are dead.
    pub(crate) fn remove_block(&mut self) {
        let Some(block) = self.place.last_block() else { return };
        let words = &self.place.parts().words[block];
        self.retired -= retired_among(words) as u32;
        self.place.remove_block();
    }

    /// How many of these slots have retired.
    pub(crate) fn retired_in(&self, slots: Range<usize>) -> usize {
        match self.retired {
            0 => 0,
            _ => retired_among(&self.as_slice()[slots]),
        }
    }
}

#[cfg(feature = "alloc")]
impl<P: Place> SlotWords<P> {
    /// For [`CoreOffsets`](crate::CoreOffsets).
    pub(crate) const PLACE_OFFSET: usize = offset_of!(Self, place);
    /// Of the births, the deaths, the peak and the number of retired slots.
    pub(crate) const COUNT_OFFSETS: [usize; 4] = [
        offset_of!(Self, births),
        offset_of!(Self, deaths),
        offset_of!(Self, peak),
        offset_of!(Self, retired),
    ];
    pub(crate) const BORDER_OFFSET: usize = offset_of!(Self, border);

    /// All words: for a live slot its generation; for a dead one the next, with the top bit set.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[P::Word] {
        self.place.parts().words
    }

    /// The words of 64 slots, if all of them are live.
    #[inline]
    pub(crate) fn full_word(&self, word: usize) -> Option<&[P::Word; WORD_SLOTS]> {
        full_word(self.as_slice(), word)
    }
}

/// The words of a place as a source of occupancy.
#[inline]
pub(crate) fn source<P: Place>(words: &[P::Word]) -> Source<'_> {
    match P::TOP_BIT {
        TopBit::Dead => P::Word::source(words),
        TopBit::Live => P::Word::source(words).with_live_tops(),
    }
}

/// The words of a pool's slots, as they are stored.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct KeptWords<'a, W> {
    words: &'a [W],
    /// See [`Place::key`].
    key: W,
}

impl<'a, W: Word> KeptWords<'a, W> {
    #[inline]
    pub(crate) fn new(words: &'a [W], key: W) -> Self {
        Self { words, key }
    }

    /// The handle of a slot that is known to be live; for loops, because it has no early exit.
    #[inline]
    pub(crate) fn handle_of_live<H: HandleLayout<Word = W>>(&self, index: usize) -> H {
        H::from_live_parts(index, self.of_live(index))
    }

    /// The word of a slot that is known to be live, likewise.
    #[inline]
    pub(crate) fn of_live(&self, index: usize) -> W {
        // This is never out of range; any word would do there, so that loops have no early exit for
        // it.
        self.words.get(index).copied().unwrap_or(self.key).difference(self.key)
    }

    /// The handle of a slot, if it is live.
    #[cfg(test)]
    pub(crate) fn handle_at<H: HandleLayout<Word = W>>(&self, index: usize) -> Option<H> {
        let word = self.words.get(index)?.difference(self.key);
        (!word.is_dead()).then(|| H::from_kept_parts(index, word))
    }
}

/// The words of 64 slots, if all of them are live.
#[inline]
pub(crate) fn full_word<W: Word>(words: &[W], word: usize) -> Option<&[W; WORD_SLOTS]> {
    let words = words.get(word * WORD_SLOTS..)?.first_chunk()?;
    // No short-circuit, so that it is vectorised.
    (!words.iter().fold(false, |any, word| any | word.is_dead())).then_some(words)
}

impl<T, K: SlotKind, const N: usize> SlotWords<Inline<T, K, N>> {
    /// The slots of a place, none of which was ever used. No bit is set that is not set in the place.
    pub(crate) const fn fresh(place: Inline<T, K, N>) -> Self {
        Self::unused(place)
    }
}

impl<P: Place> Census for SlotWords<P> {
    type Word = P::Word;

    fn slots(&self) -> usize {
        self.slots()
    }

    #[inline(always)]
    fn counts(&self) -> Counts {
        let Self { births, deaths, peak, retired, .. } = *self;
        Counts { births, deaths, peak, retired }
    }

    #[inline]
    fn word(&self, index: usize) -> Option<P::Word> {
        self.get(index)
    }
}

impl<P: Place> SlotWords<P> {
    const fn unused(place: P) -> Self {
        let Counts { births, deaths, peak, retired } = Counts::NONE;
        Self { peak, retired, place, births, deaths, quick_below: 0, border: 0 }
    }

    fn set_counts(&mut self, counts: Counts) {
        Counts {
            births: self.births,
            deaths: self.deaths,
            peak: self.peak,
            retired: self.retired,
        } = counts;
    }

    /// Takes on the words, entries and counts of another, of as many slots and entries.
    pub(crate) fn continue_from(&mut self, other: &Self) {
        self.copy_state_from(other, other.slots());
        self.entries_mut().copy_from_slice(other.entries());
    }

    #[inline]
    pub(crate) fn slots(&self) -> usize {
        self.place.parts().words.len()
    }

    #[inline]
    pub(crate) fn place(&self) -> &P {
        &self.place
    }

    #[inline]
    pub(crate) fn place_mut(&mut self) -> &mut P {
        &mut self.place
    }

    /// The reuse order's entries.
    #[inline]
    pub(crate) fn entries(&self) -> &[P::Entry] {
        self.place.parts().entries
    }

    #[inline]
    pub(crate) fn entries_mut(&mut self) -> &mut [P::Entry] {
        self.place.parts_mut().entries
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<P::Word> {
        Some(self.place.parts().words.get(index)?.difference(self.place.key()))
    }

    /// The word of a slot that exists.
    ///
    /// # Safety
    ///
    /// The slot exists.
    #[inline(always)]
    pub(crate) unsafe fn get_unchecked(&self, index: usize) -> P::Word {
        // SAFETY: there is a word for each slot.
        let word = unsafe { self.place.parts().words.get_unchecked(index) };
        word.difference(self.place.key())
    }

    /// The words, to be read while the values are lent out.
    #[inline]
    pub(crate) fn kept(&self) -> KeptWords<'_, P::Word> {
        KeptWords { words: self.place.parts().words, key: self.place.key() }
    }

    fn all(&self) -> impl Iterator<Item = P::Word> {
        let key = self.place.key();
        self.place.parts().words.iter().map(move |word| word.difference(key))
    }

    /// The number of live slots.
    #[inline]
    pub(crate) fn live(&self) -> usize {
        self.counts().live()
    }

    /// How many slots are dead and not retired.
    #[inline]
    pub(crate) fn vacant(&self) -> usize {
        self.slots() - self.live() - self.retired()
    }

    /// How many slots were live at once at most.
    pub(crate) fn peak(&self) -> usize {
        self.counts().peak()
    }

    /// A slot is about to become live: must be called before each birth that may bring a new peak. Returns whether it
    /// does.
    #[inline]
    pub(crate) fn expect_birth(&mut self) -> bool {
        let live = self.live() as u32;
        let is_peak = live >= self.peak;
        if is_peak {
            self.peak = live + 1;
        }
        is_peak
    }

    /// A lifetime is about to end: must be called before each death that comes after births that were not
    /// [expected](Self::expect_birth).
    pub(crate) fn note_peak(&mut self) {
        self.peak = self.peak() as u32;
    }

    /// How many slots will never be reused.
    #[inline]
    pub(crate) fn retired(&self) -> usize {
        self.counts().retired()
    }

    #[inline]
    pub(crate) fn is_live(&self, index: usize) -> bool {
        matches!(self.get(index), Some(word) if !word.is_dead())
    }

    /// Whether the slot is live, and in this lifetime.
    #[inline]
    pub(crate) fn is_live_in(&self, index: usize, generation: P::Word) -> bool {
        // Live words have no top bit, and a handle's generation has none.
        self.get(index) == Some(generation)
    }

    /// Whether the slot, which exists, is live in this lifetime.
    ///
    /// # Safety
    ///
    /// The slot exists.
    #[inline]
    pub(crate) unsafe fn is_there_live_in(&self, index: usize, generation: P::Word) -> bool {
        // SAFETY: as the caller promises.
        unsafe { self.get_unchecked(index) == generation }
    }

    /// The generation of a live slot.
    #[inline]
    pub(crate) fn of_live(&self, index: usize) -> Option<P::Word> {
        self.get(index).filter(|word| !word.is_dead())
    }

    /// The generation that a slot's next lifetime will have, if the slot is vacant: dead and not
    /// retired.
    #[inline]
    pub(crate) fn of_vacant(&self, index: usize) -> Option<P::Word> {
        self.get(index).filter(|word| word.is_vacant()).map(Word::as_live)
    }

    #[inline]
    pub(crate) fn is_vacant(&self, index: usize) -> bool {
        self.of_vacant(index).is_some()
    }

    /// Begins a lifetime of a dead slot.
    #[cfg(test)]
    pub(crate) fn set_live(&mut self, index: usize, generation: P::Word) {
        assert!(index < self.slots());
        // SAFETY: just tested.
        unsafe { self.set_live_unchecked(index, generation) };
    }

    /// Begins a lifetime of a dead slot without checking that the slot exists.
    ///
    /// # Safety
    ///
    /// The slot exists.
    #[inline(always)]
    pub(crate) unsafe fn set_live_unchecked(&mut self, index: usize, generation: P::Word) {
        debug_assert!(!self.is_live(index) && !generation.is_dead());
        // SAFETY: there is such a slot.
        unsafe { self.set_word(index, generation) };
        if self.is_in_step() {
            // SAFETY: there is such a slot.
            unsafe { *self.bits_of(index) |= 1 << (index % WORD_SLOTS) };
        }
        self.births += 1;
    }

    /// Gives a slot a word.
    ///
    /// # Safety
    ///
    /// The slot exists.
    #[inline(always)]
    unsafe fn set_word(&mut self, index: usize, word: P::Word) {
        let key = self.place.key();
        let words = self.place.parts_mut().words;
        // SAFETY: there is one word for each slot.
        unsafe { *words.get_unchecked_mut(index) = word.difference(key) };
    }

    /// The word of the bitmap with the slot's bit, which is about to change.
    ///
    /// # Safety
    ///
    /// The slot exists, and the bitmap is in step.
    #[inline(always)]
    unsafe fn bits_of(&mut self, index: usize) -> &mut u64 {
        if let Some(age) = self.place.bitmap_age_mut() {
            age.forget_prefix();
        }
        let bits = self.place.parts_mut().bits;
        // SAFETY: there is a word of the bitmap for each 64 slots (`Place`).
        unsafe { bits.get_unchecked_mut(index / WORD_SLOTS) }
    }

    /// Ends the lifetime of a live slot, which then has this word. For the word of a retired slot,
    /// call [`retire`](Self::retire).
    #[inline]
    pub(crate) fn set_dead(&mut self, index: usize, word: P::Word) {
        debug_assert!(self.is_live(index) && word.is_dead());
        assert!(index < self.slots());
        // SAFETY: just tested.
        unsafe { self.set_word(index, word) };
        if self.is_in_step() {
            // SAFETY: just tested.
            unsafe { *self.bits_of(index) &= !(1 << (index % WORD_SLOTS)) };
        }
        self.deaths += 1;
    }

    /// Ends this lifetime of a live slot if its generation is below the [border](Self::set_border), in one comparison if
    /// the bitmap is not in step.
    #[inline(always)]
    pub(crate) fn end_quick(&mut self, index: usize, generation: P::Word) -> bool {
        debug_assert!(self.is_live_in(index, generation));
        assert!(index < self.slots());
        if generation.to_bits() >= self.quick_below {
            if !P::HAS_BITMAP || generation.to_bits() >= self.border {
                aside();
                return false;
            }
            // SAFETY: just tested; the bitmap is in step (invariant 4).
            unsafe { *self.bits_of(index) &= !(1 << (index % WORD_SLOTS)) };
        }
        // SAFETY: just tested.
        unsafe { self.set_word(index, generation.dead_successor()) };
        self.deaths += 1;
        true
    }

    /// Below this generation, its successor follows, and there is nothing else to do when a lifetime ends.
    #[inline(always)]
    pub(crate) fn set_border(&mut self, border: P::Word) {
        self.border = border.to_bits();
        self.settle_quick_below();
    }

    fn settle_quick_below(&mut self) {
        self.quick_below = if self.is_in_step() { 0 } else { self.border };
    }

    /// No generation is below the border from now on.
    #[inline(always)]
    pub(crate) fn close_border(&mut self) {
        self.border = 0;
        self.quick_below = 0;
    }

    #[inline(always)]
    pub(crate) fn border(&self) -> u32 {
        self.border
    }

    /// From now on, each birth and death writes its bit.
    pub(crate) fn put_in_step(&mut self) {
        let is_old = self.is_bitmap_old();
        if let Some(age) = self.place.bitmap_age_mut() {
            *age = BitmapAge::IN_STEP;
        }
        self.settle_quick_below();
        if is_old {
            self.gather();
        }
    }

    /// Ends the last lifetime of a live slot.
    pub(crate) fn retire(&mut self, index: usize) {
        self.set_dead(index, P::Word::RETIRED);
        self.retired += 1;
    }

    /// A slot that counted as retired is used again: it is about to become live, or has this word.
    #[cfg(feature = "alloc")]
    pub(crate) fn unretire(&mut self, index: usize, vacant: Option<P::Word>) {
        debug_assert!(self.get(index) == Some(P::Word::RETIRED));
        if let Some(word) = vacant {
            let key = self.place.key();
            self.place.parts_mut().words[index] = word.difference(key);
        }
        self.retired -= 1;
    }

    /// Ends the lifetimes of all live slots.
    pub(crate) fn set_all_dead(&mut self, circle: &Circle<P::Word>) {
        let key = self.place.key();
        let mut counts = self.counts();
        let parts = self.place.parts_mut();
        // Small enough for one comparison, large enough for vector instructions.
        for words in parts.words.chunks_mut(32) {
            let at_border =
                words.iter().fold(false, |any, word| any | circle.is_border(word.difference(key)));
            for word in words {
                let was = word.difference(key);
                let is = match (was.is_dead(), at_border) {
                    (true, _) => was,
                    (false, false) => was.successor().as_dead(),
                    (false, true) => circle.word_after(was),
                };
                counts.retire(usize::from(was != is && is == P::Word::RETIRED));
                *word = is.difference(key);
            }
        }
        counts.all_dead();
        parts.bits.fill(0);
        self.set_counts(counts);
        self.set_gathered_at(self.changes());
    }

    /// Gives all slots, which are dead, this word.
    pub(crate) fn reset(&mut self, word: P::Word) {
        debug_assert!(self.live() == 0 && word.is_dead());
        let key = self.place.key();
        self.place.parts_mut().words.fill(word.difference(key));
    }

    /// Which slots are live.
    #[inline]
    pub(crate) fn occupancy(&self) -> Occupancy<'_> {
        let parts = self.place.parts();
        let source =
            if self.is_bitmap_old() { source::<P>(parts.words) } else { Source::Bits(parts.bits) };
        Occupancy::new(source, parts.words.len(), self.live()).with_prefix(self.prefix())
    }

    /// The number of live slots, if they are known to be the lowest.
    #[inline(always)]
    pub(crate) fn prefix(&self) -> Option<usize> {
        self.place.bitmap_age().prefix()
    }

    /// Forgets what is known of the prefix, until the next [`refresh`](Self::refresh).
    pub(crate) fn forget_prefix(&mut self) {
        if self.is_in_step() {
            self.set_gathered_at(self.changes());
        }
    }

    /// Brings the bitmap up to date, so that an iteration reads one bit per slot instead of one
    /// word, or none.
    #[inline(always)]
    pub(crate) fn refresh(&mut self) {
        if P::HAS_BITMAP && self.place.bitmap_age().is_unknown() {
            self.look();
        }
    }

    /// Whether each birth and death writes its bit.
    #[inline]
    pub(crate) fn is_in_step(&self) -> bool {
        P::HAS_BITMAP && self.place.bitmap_age().is_in_step()
    }

    #[inline(never)]
    fn look(&mut self) {
        if !self.is_in_step() && !self.catch_up() {
            return;
        }
        let (bits, live) = (self.place.parts().bits, self.live());
        let (full, ones) = (live / WORD_SLOTS, (1 << (live % WORD_SLOTS)) - 1);
        // As many bits are set as slots are live: if these are the lowest, there is no other.
        let are_lowest = bits.get(full).is_none_or(|&bits| bits == ones)
            && bits[..full].iter().all(|&bits| bits == !0);
        if let Some(age) = self.place.bitmap_age_mut() {
            *age = BitmapAge::of_checked(are_lowest, live);
        }
    }

    /// Brings a bitmap that is not in step up to date, and decides whether it is in step from now
    /// on.
    #[inline(never)]
    fn catch_up(&mut self) -> bool {
        let behind = self.changes().abs_diff(self.place.bitmap_age().changes());
        let few = self.slots() as u64 / IN_STEP_SLOTS_PER_CHANGE;
        if behind <= few {
            self.put_in_step();
        } else {
            self.gather();
        }
        behind <= few
    }

    #[inline(never)]
    fn gather(&mut self) {
        let parts = self.place.parts_mut();
        let source = source::<P>(parts.words);
        for (word, bits) in parts.bits.iter_mut().enumerate() {
            *bits = source.word(word);
        }
        self.set_gathered_at(self.changes());
    }

    /// The bitmap is as the words were when there had been this many [changes](Self::changes); or in step, if it is.
    #[inline]
    fn set_gathered_at(&mut self, changes: u64) {
        if let Some(age) = self.place.bitmap_age_mut() {
            *age = match age.is_in_step() {
                true => BitmapAge::IN_STEP,
                false => BitmapAge::gathered_at(changes),
            };
        }
    }

    /// A number that rises with each birth and death.
    #[inline]
    fn changes(&self) -> u64 {
        self.births + self.deaths
    }

    #[inline]
    fn is_bitmap_old(&self) -> bool {
        !P::HAS_BITMAP || !self.is_in_step() && self.changes() != self.place.bitmap_age().changes()
    }

    /// The bits of the word's slots that are dead; none beyond the last slot. For pools that have the
    /// bitmap in step.
    #[inline]
    pub(crate) fn dead_bits(&self, word: usize) -> u64 {
        debug_assert!(self.is_in_step());
        let parts = self.place.parts();
        parts.bits.get(word).map_or(0, |live| dead_bits(*live, parts.words.len(), word))
    }

    /// The lowest dead slot at or after `from`. As [`dead_bits`](Self::dead_bits).
    #[inline]
    pub(crate) fn first_dead_from(&self, from: usize) -> Option<usize> {
        debug_assert!(self.is_in_step());
        let parts = self.place.parts();
        let (first, mut mask) = (from / WORD_SLOTS, !0 << (from % WORD_SLOTS));
        for (word, live) in (first..).zip(parts.bits.get(first..)?) {
            let dead = dead_bits(*live, parts.words.len(), word) & mask;
            if dead != 0 {
                return Some(word * WORD_SLOTS + dead.trailing_zeros() as usize);
            }
            mask = !0;
        }
        None
    }

    /// Takes on all of another's state but for the entries. Slots from `used` on were never used in either.
    pub(crate) fn copy_state_from(&mut self, other: &Self, used: usize) {
        self.set_counts(other.counts());
        let (parts, others) = (self.place.parts_mut(), other.place.parts());
        parts.words[..used].copy_from_slice(&others.words[..used]);
        if !P::HAS_BITMAP {
            return;
        }
        let bits = &mut parts.bits[..used.div_ceil(WORD_SLOTS)];
        if !other.is_bitmap_old() {
            bits.copy_from_slice(&others.bits[..bits.len()]);
            self.set_gathered_at(self.changes());
        } else {
            // Bits left behind would lie beyond the next copy's used slots, and count as live then.
            bits.fill(0);
            self.set_gathered_at(other.place.bitmap_age().changes());
            if self.is_in_step() {
                self.gather();
            }
        }
    }

    /// Takes on these words, of which as many are live, and this history.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    pub(crate) fn load(&mut self, words: &[P::Word], inserted: u64, peak: usize) {
        let key = self.place.key();
        for (word, loaded) in self.place.parts_mut().words.iter_mut().zip(words) {
            *word = loaded.difference(key);
        }
        let live = words.iter().filter(|word| !word.is_dead()).count();
        self.set_counts(Counts::loaded(inserted, live, peak, self.count_retired()));
        self.gather();
    }

    /// Counts the retired slots anew.
    pub(crate) fn recount_retired(&mut self) {
        self.retired = self.count_retired() as u32;
    }

    /// There are more slots now, the first of them with these words. The others have not retired.
    #[cfg(any(feature = "vec", feature = "tables"))]
    pub(crate) fn note_new(&mut self, known: &[P::Word]) {
        self.retired += retired_among(known) as u32;
    }

    fn count_retired(&self) -> usize {
        self.all().filter(|word| *word == P::Word::RETIRED).count()
    }
}

/// Marks on slots, for an order that must visit all of them once: they replace the bitmap until the
/// marking ends.
impl<P: Place> SlotWords<P> {
    pub(crate) fn begin_marking(&mut self) {
        self.set_gathered_at(u64::MAX);
        self.place.parts_mut().bits.fill(0);
    }

    /// Marks a slot; `false` if it was marked before.
    pub(crate) fn mark(&mut self, index: usize) -> bool {
        let bits = self.place.parts_mut().bits;
        let (bits, bit) = (&mut bits[index / WORD_SLOTS], 1 << (index % WORD_SLOTS));
        let is_new = *bits & bit == 0;
        *bits |= bit;
        is_new
    }

    /// Ends the marking: the bitmap is valid again.
    pub(crate) fn end_marking(&mut self) {
        self.gather();
    }
}

#[cfg(feature = "validate")]
impl<P: Place> SlotWords<P> {
    pub(crate) fn validate(&self) -> Result<(), Violation> {
        let live = self.all().filter(|word| !word.is_dead()).count();
        ensure(
            self.births.checked_sub(self.deaths) == Some(live as u64),
            "as many slots are live as lifetimes have begun and not ended",
            format_args!("{live} live, {} begun, {} ended", self.births, self.deaths),
        )?;
        let parts = self.place.parts();
        let source = source::<P>(parts.words);
        let differs = Occupancy::new(source, self.slots(), live)
            .words()
            .zip(parts.bits)
            .position(|(gathered, kept)| gathered != *kept);
        ensure(
            differs.is_none() || self.is_bitmap_old(),
            "the bitmap has the bits of the live slots, or is known to be old",
            format_args!("word {differs:?} differs"),
        )?;
        ensure(
            self.quick_below == if self.is_in_step() { 0 } else { self.border },
            "no lifetime ends without its bit if the bitmap is in step",
            format_args!("below {:?}, border {:?}", self.quick_below, self.border),
        )?;
        let age = self.place.bitmap_age();
        let are_lowest = self.all().take(live).all(|word| !word.is_dead());
        ensure(
            age.is_unknown() || age == BitmapAge::of_checked(are_lowest, live),
            "the live slots are the lowest ones if they are said to be",
            format_args!("{live} live, {age:?}"),
        )?;
        let beyond = match (self.slots() % WORD_SLOTS, parts.bits.last()) {
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
    /// words of them alone, or [`copy_state_from`](Self::copy_state_from) would leave them there.
    pub(crate) fn validate_unused(&self, used: usize) -> Result<(), Violation> {
        let bits = self.place.parts().bits;
        let first = used.div_ceil(WORD_SLOTS).min(bits.len());
        let left = bits[first..].iter().position(|bits| *bits != 0);
        ensure(
            left.is_none(),
            "the bitmap, old or not, has no bits where no slot was ever used",
            format_args!("word {:?}, though only {used} were used", left.map(|at| first + at)),
        )
    }
}

/// The bits of the dead ones of this many slots in a word of the bitmap.
#[inline(always)]
fn dead_bits(live: u64, slots: usize, word: usize) -> u64 {
    let left = slots - word * WORD_SLOTS;
    !live & if left < WORD_SLOTS { (1 << left) - 1 } else { !0 }
}

/// The handle of a slot, if it is live.
#[inline]
pub(crate) fn handle_at<H: HandleLayout>(
    index: usize,
    words: &SlotWords<impl Place<Word = H::Word>>,
) -> Option<H> {
    words.of_live(index).map(|word| H::from_kept_parts(index, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Handle32;
    use crate::pools::settings::Lifetimes;
    use crate::slots::Bare;
    use alloc::vec::Vec;

    type Words = SlotWords<Block<(), Bare<u16, ()>>>;

    fn words(slots: usize, in_step: bool, dead: u16) -> Words {
        let mut words = Words::try_new(slots, 0, false, dead).unwrap();
        if in_step {
            words.put_in_step();
        }
        words
    }

    /// Six lifetimes that go over the end of the circle: 254, 255, 1, 2, 3, 4.
    fn circle(wraps: bool) -> Circle<u16> {
        let mut circle =
            Circle::new::<Handle32<(), 24>>(&Lifetimes { wraps, ..Default::default() });
        (circle.start, circle.last) = (254, 4);
        circle
    }

    fn live(words: &Words) -> Vec<usize> {
        words.occupancy().iter().collect()
    }

    #[test]
    fn every_number_of_slots_in_a_pool_is_0_at_first() {
        let words = SlotWords::<Inline<(), Bare<u32, u32>, 70>>::fresh(Inline::new(1));
        let SlotWords { peak, retired, place, births, deaths, quick_below, border } = words;
        assert_eq!((births, deaths, peak, retired, quick_below, border), (0, 0, 0, 0, 0, 0));
        let parts = place.parts();
        assert!(parts.words.iter().chain(parts.entries).all(|word| *word == 0));
    }

    #[test]
    fn words_that_are_kept_as_differences_are_the_same_words() {
        for start in [1, 254] {
            let mut inline =
                SlotWords::<Inline<(), Bare<u16, u32>, 130>>::fresh(Inline::new(start));
            let start = start as u16;
            let mut block = words(130, false, start.as_dead());
            for index in (0..130).step_by(3) {
                inline.set_live(index, start);
                block.set_live(index, start);
            }
            inline.set_dead(0, 2.as_dead());
            block.set_dead(0, 2.as_dead());
            inline.retire(3);
            block.retire(3);
            assert!(inline.all().eq(block.all()));
            assert_eq!(inline.occupancy(), block.occupancy());
            let handle = |index| inline.kept().handle_at::<Handle32<(), 24>>(index);
            assert!((0..132).all(|index| handle(index).is_some() == block.is_live(index)));
            inline.set_all_dead(&circle(false));
            block.set_all_dead(&circle(false));
            assert!(inline.all().eq(block.all()));
            assert_eq!(inline.occupancy(), block.occupancy());
        }
    }

    #[test]
    fn the_occupancy_is_that_of_the_words_whether_the_bitmap_is_old_or_not() {
        for in_step in [false, true] {
            let mut words = words(130, in_step, 1.as_dead());
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
    }

    #[test]
    fn walks_that_find_few_changes_put_a_bitmap_in_step() {
        let mut words = words(1000, false, 1.as_dead());
        let walk_after = |words: &mut Words, births: usize| {
            for index in 0..births {
                words.set_live(index, 1);
                words.set_dead(index, 1.as_dead());
            }
            words.refresh();
            words.is_in_step()
        };
        assert!(!walk_after(&mut words, 126)); // 252 births and deaths
        assert!(!walk_after(&mut words, 1000));
        assert!(walk_after(&mut words, 125));
        // It stays so.
        assert!(walk_after(&mut words, 1000));
    }

    #[test]
    fn what_a_walk_finds_out_is_kept_while_the_bitmap_is_in_step() {
        let mut words = words(1000, false, 1.as_dead());
        (0..300).for_each(|index| words.set_live(index, 1));
        words.refresh();
        assert_eq!((words.is_in_step(), words.prefix()), (false, None));
        words.refresh();
        assert_eq!((words.is_in_step(), words.prefix()), (true, Some(300)));
        words.set_live(301, 1);
        assert_eq!(words.prefix(), None);
        words.refresh();
        assert_eq!(words.prefix(), None);
        words.set_live(300, 1);
        words.refresh();
        assert_eq!(words.prefix(), Some(302));
    }

    #[test]
    fn the_peak_is_the_most_that_were_live_at_once() {
        let mut words = words(4, false, 1.as_dead());
        let mut counts = Vec::new();
        for step in [0, 1, 2, !2, !1, 1, 3, !3, !1, !0, 2] {
            if step >= 0 {
                words.expect_birth();
                words.set_live(step as usize, 1);
            } else {
                words.set_dead(!step as usize, 1.as_dead());
            }
            counts.push((words.live(), words.peak(), words.births));
        }
        let live: Vec<_> = counts.iter().map(|(live, ..)| *live).collect();
        assert_eq!(live, [1, 2, 3, 2, 1, 2, 3, 2, 1, 0, 1]);
        assert!(counts[2..].iter().all(|(_, peak, _)| *peak == 3));
        assert_eq!(counts[10].2, 6);
        words.set_all_dead(&circle(false));
        assert_eq!((words.live(), words.peak(), words.births), (0, 3, 6));
        for index in 0..4 {
            words.expect_birth();
            words.set_live(index, 1);
        }
        assert_eq!((words.live(), words.peak(), words.births), (4, 4, 10));
        words.set_all_dead(&circle(false));
        assert_eq!((words.live(), words.peak(), words.births), (0, 4, 10));
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
                let mut together = words(slots, false, 2.as_dead());
                for index in (0..slots).filter(|index| index % 5 != pattern) {
                    together.set_live(index, generation(index));
                }
                let mut each = together.try_clone().unwrap();
                each.note_peak();
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
    fn validation_finds_bits_where_no_slot_was_used() {
        let rule = "the bitmap, old or not, has no bits where no slot was ever used";
        for is_old in [false, true] {
            let mut words = words(200, false, 254.as_dead());
            words.set_live(70, 254);
            words.refresh();
            *words.place.bitmap_age_mut().unwrap() = BitmapAge::gathered_at(words.changes());
            if is_old {
                words.set_dead(70, 255.as_dead());
            }
            for used in [71, 128, 200] {
                words.validate_unused(used).unwrap();
            }
            assert_eq!(words.validate_unused(64).unwrap_err().rule(), rule);
            words.place.parts_mut().bits[2] = 1;
            assert_eq!(words.validate_unused(128).unwrap_err().rule(), rule);
            words.validate_unused(129).unwrap();
        }
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut Words)| {
            let circle = circle(false);
            let mut words = words(3, false, 254.as_dead());
            words.expect_birth();
            words.set_live(0, 254);
            words.expect_birth();
            words.set_live(2, 255);
            words.refresh();
            let sound = |words: &Words| {
                words.validate().and_then(|()| words.validate_lifetimes(&circle, 0))
            };
            sound(&words).unwrap();
            change(&mut words);
            sound(&words).unwrap_err().rule()
        };
        let counted = "as many slots are live as lifetimes have begun and not ended";
        assert_eq!(broken(|words| words.births += 1), counted);
        assert_eq!(broken(|words| words.deaths += 5), counted);
        let bits = "the bitmap has the bits of the live slots, or is known to be old";
        assert_eq!(broken(|words| words.place.parts_mut().bits[0] |= 2), bits);
        assert_eq!(broken(|words| words.place.parts_mut().bits[0] |= 8), bits);
        // Of a bitmap that is old, what is beyond the last slot counts all the same.
        let old_and_beyond = |words: &mut Words| {
            words.set_dead(0, 255.as_dead());
            words.place.parts_mut().bits[0] |= 8;
        };
        assert_eq!(broken(old_and_beyond), "the bitmap has no bit beyond the last slot");
        let lowest = "the live slots are the lowest ones if they are said to be";
        fn say(words: &mut Words, are_lowest: bool, live: usize) {
            words.put_in_step();
            *words.place.bitmap_age_mut().unwrap() = BitmapAge::of_checked(are_lowest, live);
        }
        assert_eq!(broken(|words| say(words, true, 2)), lowest);
        let untrue = |words: &mut Words| {
            words.put_in_step();
            words.set_dead(2, 255.as_dead());
            say(words, false, 1);
        };
        assert_eq!(broken(untrue), lowest);
        assert_eq!(broken(|words| words.retired += 1), "the retired slots are counted");
        let own = "a slot is in one of its lifetimes";
        assert_eq!(broken(|words| words.place.parts_mut().words[0] = 0), own);
        assert_eq!(broken(|words| words.place.parts_mut().words[0] = 5), own);
        assert_eq!(broken(|words| words.place.parts_mut().words[1] = 5 | u16::DEAD), own);
        let mut words = words(1, false, u16::RETIRED);
        words.retired = 1;
        words.validate_lifetimes(&circle(false), 0).unwrap();
        let rule = words.validate_lifetimes(&circle(true), 0).unwrap_err().rule();
        assert_eq!(rule, "no slot of a pool that wraps retires");
    }

    #[test]
    fn a_growing_pool_keeps_its_bitmap_in_step_once_a_walk_has_put_it_there() {
        let grow = |words: &mut SlotWords<Blocks<(), Bare<u16, ()>>>| {
            let room = words.slots() + 64;
            words.place.try_make_room(room, 0, |_, _, _| (), 1.as_dead()).unwrap();
            words.try_add_block(false, false).unwrap();
            (words.slots(), words.is_in_step())
        };
        for is_walked in [false, true] {
            let mut words = SlotWords::growing(BlockSizes::new(64, 64).unwrap());
            assert_eq!(grow(&mut words), (64, false));
            if is_walked {
                words.refresh();
                assert!(words.is_in_step());
            }
            assert_eq!(grow(&mut words), (128, is_walked));
            words.set_live(127, 1);
            assert!(words.occupancy().iter().eq([127]));
        }
    }
}
