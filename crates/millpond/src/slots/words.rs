//! The slots' words: which slots are live, and in which lifetime.
//!
//! One word per slot. While the slot is live, the word is the generation of its handle; while it is dead, the word is
//! the generation that the *next* handle will have, with the top bit set. So one comparison of a handle's generation
//! with the word tests for both the same lifetime and a live slot, and an insertion or removal is one store.
//!
//! A slot that was never used has the word 0, which stands for the first generation, dead. So the words of a new pool, and
//! its bitmap, are memory that nobody has written to.
//!
//! Iteration uses a bitmap, 64 slots to a word. It is *synced* if each insertion and removal writes its bit.
//! Otherwise, mutable iteration first gathers the top bits of the words into it; the counters of insertions and removals
//! show whether it is out of date. Writing a bit costs about half a nanosecond per insertion or removal, gathering
//! costs a twentieth per slot and iteration. So a bitmap is synced from the first iteration on that finds few insertions
//! and removals since the one before, be they shared or mutable. Shared iteration after many of them gathers the bits on the
//! way, and notes when it was; if the next one finds few, it writes the bitmap, while it [claims](BitmapCell::claim) it.
//! Threads that walk at the same time gather on the way. From then on, no walk over slots that do not change writes anything.
//!
//! In most small pools, the live slots are the lowest ones. The first iteration after an insertion or removal
//! checks this, if the bitmap is synced or becomes so, and stores the result in the [`BitmapState`]. Until the next
//! insertion or removal, iteration over such a pool is over a slice and reads no bits. In a pool without a bitmap, the slots
//! that were used are all live if they are as many: so they are until the first removal, and when each slot is used again.
//!
//! # Invariant
//!
//! 1. A bitmap that is not known to be old has a bit set exactly for each live slot. Every method that changes a word
//!    writes the bit or changes the counters, by which the bitmap is old.
//! 2. If a [prefix](SlotWords::prefix) is known, the slots below it are live, and no others.
//! 3. `inserted - removed` is the number of live slots.
//! 4. `fast_below` is `slow_from`, or 0 while the bitmap is synced: so a lifetime that ends below it has no bit to clear. A
//!    shared walk that syncs the bitmap sets both, with nothing between the two that could panic.
//! 5. Slots from `used` on are as in a new pool: no value was ever in them, their words are 0, the bitmap, old or not, has
//!    no bits in words of them alone, and the reuse order has them in the order of their indices, with the entries of a new
//!    pool. Whatever takes a slot, gives it a word, or moves others around it in the order, raises `used` beyond it at once;
//!    only taking over another pool's state lowers it. Copies of states leave the slots from there on alone.
//!
//! The iterators of `values` rely on 1 and 2: they read, without a test, the values of slots that are live by the
//! bitmap or the prefix.

#[cfg(feature = "alloc")]
mod block;
#[cfg(feature = "vec")]
mod growing;
pub(super) mod lifetimes;
#[cfg(all(feature = "serde", feature = "alloc"))]
mod load;
#[cfg(feature = "lots")]
mod upcoming;
#[cfg(any(test, feature = "validate"))]
mod validate;

use core::mem::offset_of;

use super::bitmap::{BitWord, BitmapCell, BitmapState};
use crate::base::shared::Number;
use crate::handle::{self, HandleLayout, Word};
use crate::occupancy::{Occupancy, WORD_SLOTS};
use crate::slots::{Counters, GenerationCycle, Place, retired_among};

/// An iteration that finds at most one insertion or removal for this many used slots since the previous one
/// syncs the bitmap.
const SYNCED_SLOTS_PER_CHANGE: u64 = 4;

/// The words of one pool's slots, and how many are live.
///
/// What insertions and removals touch lies together: the end of a [`Block`], the numbers behind it, and the beginning of
/// the reuse order, which follows in a pool.
#[derive(Debug)]
#[doc(hidden)]
#[repr(C)]
pub struct SlotWords<P: Place> {
    /// Slots from here on were never used (invariant 5). It may be more than there are slots, in a pool that had more.
    used: u32,
    /// The first generation of every slot, less [that of a new place](Place::FIRST); 0 of slots whose first generation is not
    /// known, which are in a block.
    start_beyond_first: u32,
    /// As in [`Counters`], and so are `inserted` and `removed`.
    peak: u32,
    retired: u32,
    /// Bit `i % 64` of word `i / 64` of its bitmap is set while slot `i` is live, unless the bitmap is
    /// [old](BitmapState::is_old). No bit at or beyond the last slot is ever set.
    place: P,
    inserted: u64,
    removed: u64,
    /// Not of the type of the words, which would fix the type of the values.
    fast_below: P::Number,
    /// The [`Ledger`](super::Ledger) sets it: a lifetime of a generation below it ends [fast](super::Slots::end).
    slow_from: u32,
}

impl<P: Place> SlotWords<P> {
    /// For [`SlotOffsets`](crate::SlotOffsets).
    pub(crate) const PLACE_OFFSET: usize = offset_of!(Self, place);
    /// Of the insertions, the removals, the peak and the number of retired slots.
    pub(crate) const COUNTER_OFFSETS: [usize; 4] = [
        offset_of!(Self, inserted),
        offset_of!(Self, removed),
        offset_of!(Self, peak),
        offset_of!(Self, retired),
    ];
    pub(crate) const SLOW_FROM_OFFSET: usize = offset_of!(Self, slow_from);
    pub(crate) const USED_OFFSET: usize = offset_of!(Self, used);
    pub(crate) const START_OFFSET: usize = offset_of!(Self, start_beyond_first);
}

/// The words of 64 slots, if all of them are live.
#[inline]
pub(crate) fn full_word<W: Word>(words: &[W], word: usize) -> Option<&[W; WORD_SLOTS]> {
    let words = words.get(word * WORD_SLOTS..)?.first_chunk()?;
    // No short-circuit, so that it is vectorised.
    (!words.iter().fold(false, |any, word| any | word.is_dead())).then_some(words)
}

impl<P: Place> SlotWords<P> {
    /// The slots of a place, which were never used and have this first generation.
    pub(crate) const fn unused(place: P, start: u32) -> Self {
        let Counters { inserted, removed, peak, retired } = Counters::NONE;
        Self {
            used: 0,
            start_beyond_first: start.wrapping_sub(P::FIRST),
            peak,
            retired,
            place,
            inserted,
            removed,
            fast_below: P::Number::ZERO,
            slow_from: 0,
        }
    }

    /// The first generation of every slot; 0 if it is not known.
    #[inline]
    pub(crate) fn start(&self) -> u32 {
        self.start_beyond_first.wrapping_add(P::FIRST)
    }

    /// Changes the first generation of slots whose words are stored if they were used.
    pub(crate) fn set_start(&mut self, start: u32) {
        self.start_beyond_first = start.wrapping_sub(P::FIRST);
    }

    /// Slots from here on were never used (invariant 5).
    #[inline]
    pub(crate) fn used(&self) -> usize {
        (self.used as usize).min(self.slots())
    }

    /// Like [`used`](Self::used), with slots that there were.
    #[inline]
    pub(crate) fn ever_used(&self) -> usize {
        self.used as usize
    }

    /// This slot, which was never used, nor any behind it, was taken, and may bring a new peak. Returns the generation of its
    /// first lifetime.
    #[inline(always)]
    pub(crate) fn begin_next(&mut self, index: usize) -> P::Word {
        debug_assert!(index >= self.ever_used() && self.stored(index).is_some_and(Word::is_unused));
        self.used = index as u32 + 1;
        self.end_all_slowly();
        P::Word::from_generation(self.start())
    }

    /// This slot was taken because it comes next by the order, and is about to become live. Returns the generation of that
    /// lifetime.
    ///
    /// Whatever the order says, no slot is taken that is not vacant: that it is, is tested here, for all orders, by the
    /// comparison that finds out whether the slot was ever used.
    ///
    /// # Panics
    ///
    /// If there is no such slot, or it is not vacant. Then the order is wrong.
    #[inline(always)]
    pub(crate) fn begin(&mut self, index: usize) -> P::Word {
        let stored = self.place.parts().words[index];
        self.record_next_peak();
        match stored.is_vacant() {
            true => stored.as_live(),
            false => self.begin_unused(index, stored),
        }
    }

    #[cold]
    #[inline(never)]
    fn begin_unused(&mut self, index: usize, stored: P::Word) -> P::Word {
        assert!(
            stored.is_unused(),
            "slot {index} comes next, but is not vacant: the reuse order is wrong"
        );
        self.mark_used_until(index + 1);
        P::Word::from_generation(self.start())
    }

    /// The slots below this one are not as in a new pool.
    #[inline(always)]
    pub(crate) fn mark_used_until(&mut self, slots: usize) {
        self.used = self.used.max(slots as u32);
    }

    /// These slots, dead ones that may never have been used, count as used from now on: their words are stored.
    pub(crate) fn write_words(&mut self, slots: core::ops::Range<usize>) {
        self.mark_used_until(slots.end);
        let unused = self.unused_word();
        for word in &mut self.place.parts_mut().words[slots] {
            if word.is_unused() {
                *word = unused;
            }
        }
    }

    /// How many words of the bitmap, if there is one, have slots that were used.
    #[inline]
    fn used_bit_words(&self) -> usize {
        if P::HAS_BITMAP { self.used().div_ceil(WORD_SLOTS) } else { 0 }
    }

    /// Clears the bits of the slots that were used: there are no others.
    fn clear_bits(&mut self) {
        let bit_words = self.used_bit_words();
        self.place.parts_mut().bits[..bit_words].fill(0);
    }

    /// What a stored word stands for.
    #[inline(always)]
    fn meaning(&self, word: P::Word) -> P::Word {
        if word.is_unused() { self.unused_word() } else { word }
    }

    /// The word for which that of a slot stands that was never used.
    #[inline]
    pub(crate) fn unused_word(&self) -> P::Word {
        P::Word::from_generation(self.start()).as_dead()
    }

    fn set_counters(&mut self, counters: Counters) {
        (self.inserted, self.removed) = (counters.inserted, counters.removed);
        (self.peak, self.retired) = (counters.peak, counters.retired);
    }

    #[inline]
    pub(crate) fn slots(&self) -> usize {
        self.place.parts().words.len()
    }

    /// All words: for a live slot its generation; for a dead one the next, with the top bit set; 0 for one that was never
    /// used.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[P::Word] {
        self.place.parts().words
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

    #[inline(always)]
    pub(crate) fn counters(&self) -> Counters {
        let Self { inserted, removed, peak, retired, .. } = *self;
        Counters { inserted, removed, peak, retired }
    }

    /// What the words of the slots stand for that were used.
    pub(crate) fn used_words(&self) -> impl Iterator<Item = P::Word> {
        (0..self.used()).filter_map(|index| self.get(index))
    }

    /// What the word of a slot stands for: the generation of a live slot; of a dead one the next, with the top bit set.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<P::Word> {
        Some(self.meaning(self.stored(index)?))
    }

    /// The word of a slot as it is stored: 0 if the slot was never used.
    #[inline(always)]
    pub(crate) fn stored(&self, index: usize) -> Option<P::Word> {
        self.place.parts().words.get(index).copied()
    }

    /// The stored word of a slot that exists.
    ///
    /// # Safety
    ///
    /// The slot exists.
    #[inline(always)]
    pub(crate) unsafe fn stored_unchecked(&self, index: usize) -> P::Word {
        // SAFETY: there is a word for each slot.
        unsafe { *self.place.parts().words.get_unchecked(index) }
    }

    /// The number of live slots.
    #[inline]
    pub(crate) fn live(&self) -> usize {
        self.counters().live()
    }

    /// How many slots are dead and not retired.
    #[inline]
    pub(crate) fn vacant(&self) -> usize {
        self.slots() - self.live() - self.retired()
    }

    /// How many slots were live at once at most.
    pub(crate) fn peak(&self) -> usize {
        self.counters().peak()
    }

    /// A slot is about to become live, which is *expected* from now on: the peak includes it. Must be called before each
    /// insertion that may bring a new peak, unless all lifetimes [end slowly](Self::end_all_slowly) after it: then the
    /// next end records the peak. Returns whether there is a new one.
    #[inline]
    pub(crate) fn record_next_peak(&mut self) -> bool {
        let live = self.live() as u32;
        let is_peak = live >= self.peak;
        if is_peak {
            self.peak = live + 1;
        }
        is_peak
    }

    /// A lifetime is about to end: must be called before each removal that comes after insertions that were not
    /// [expected](Self::record_next_peak).
    pub(crate) fn record_peak(&mut self) {
        self.peak = self.peak() as u32;
    }

    /// How many slots will never be reused.
    #[inline]
    pub(crate) fn retired(&self) -> usize {
        self.counters().retired()
    }

    #[inline]
    pub(crate) fn is_live(&self, index: usize) -> bool {
        matches!(self.stored(index), Some(word) if !word.is_dead())
    }

    /// The generation of a live slot.
    #[inline]
    pub(crate) fn of_live(&self, index: usize) -> Option<P::Word> {
        self.stored(index).filter(|word| !word.is_dead())
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
        self.mark_used_until(index + 1);
        // SAFETY: just tested.
        unsafe { self.set_live_unchecked(index, generation) };
    }

    /// The word of the bitmap with the slot's bit, which is about to change.
    ///
    /// # Safety
    ///
    /// The slot exists, and the bitmap is synced.
    #[inline(always)]
    unsafe fn bits_of(&mut self, index: usize) -> &mut u64 {
        if let Some(state) = self.place.bitmap_mut() {
            state.forget_prefix();
        }
        let bits = self.place.parts_mut().bits;
        // SAFETY: there is a word of the bitmap for each 64 slots (`Place`).
        unsafe { bits.get_unchecked_mut(index / WORD_SLOTS) }
    }

    /// Ends the lifetime of a live slot, which then has this word; its value stays where it is and is not dropped: the
    /// caller has moved it out, or is about to. For the word of a retired slot,
    /// call [`retire`](Self::retire).
    #[inline]
    pub(crate) fn set_dead(&mut self, index: usize, word: P::Word) {
        debug_assert!(self.is_live(index) && word.is_dead());
        self.place.parts_mut().words[index] = word;
        if self.own_state().is_synced() {
            // SAFETY: there is such a slot, as its word was written.
            unsafe { *self.bits_of(index) &= !(1 << (index % WORD_SLOTS)) };
        }
        self.removed += 1;
    }

    /// Below this generation, its successor follows, and there is nothing else to do when a lifetime ends.
    #[inline(always)]
    pub(crate) fn set_slow_from(&mut self, generation: P::Word) {
        self.slow_from = generation.to_bits();
        self.settle_fast_below();
    }

    fn settle_fast_below(&mut self) {
        let is_synced = self.own_state().is_synced();
        self.fast_below.set(if is_synced { 0 } else { self.slow_from });
    }

    /// Each lifetime ends slowly from now on.
    #[inline(always)]
    pub(crate) fn end_all_slowly(&mut self) {
        self.slow_from = 0;
        self.fast_below.set(0);
    }

    #[inline(always)]
    pub(crate) fn slow_from(&self) -> u32 {
        self.slow_from
    }

    /// From now on, each insertion and removal writes its bit.
    pub(crate) fn start_syncing(&mut self) {
        let is_old = self.own_state().is_old(self.changes());
        if let Some(state) = self.place.bitmap_mut() {
            state.set(BitmapState::SYNCED);
        }
        self.settle_fast_below();
        if is_old {
            self.rebuild();
        }
    }

    /// Ends the last lifetime of a live slot.
    pub(crate) fn retire(&mut self, index: usize) {
        self.set_dead(index, P::Word::RETIRED);
        self.retired += 1;
    }

    /// A slot that counted as retired is used again: it is about to become live, or has this word.
    pub(crate) fn unretire(&mut self, index: usize, vacant: Option<P::Word>) {
        debug_assert!(self.get(index) == Some(P::Word::RETIRED));
        if let Some(word) = vacant {
            self.place.parts_mut().words[index] = word;
        }
        self.retired -= 1;
    }

    /// Ends the lifetimes of all live slots.
    pub(crate) fn set_all_dead(
        &mut self,
        cycle: &GenerationCycle<impl HandleLayout<Word = P::Word>>,
    ) {
        self.record_peak();
        let (used, mut retired) = (self.used(), 0);
        // Small enough for one comparison, large enough for vector instructions.
        for words in self.place.parts_mut().words[..used].chunks_mut(32) {
            let with_care = words.iter().fold(false, |any, word| any | cycle.needs_care(*word));
            for word in words {
                let is = match (word.is_dead(), with_care) {
                    (true, _) => *word,
                    (false, false) => word.dead_successor(),
                    (false, true) => cycle.word_after(*word),
                };
                retired += u32::from(*word != is && is == P::Word::RETIRED);
                *word = is;
            }
        }
        self.clear_bits();
        (self.removed, self.retired) = (self.inserted, self.retired + retired);
        self.set_gathered();
    }

    /// Makes all slots, which are dead, as if never used.
    pub(crate) fn forget(&mut self) {
        debug_assert!(self.live() == 0);
        let used = self.used();
        self.place.parts_mut().words[..used].fill(P::Word::ZERO);
        self.clear_bits();
        self.used = 0;
        self.set_gathered();
    }

    /// The bits of the live ones among 64 slots.
    #[inline(never)]
    pub(crate) fn live_bits(&self, word: usize) -> u64 {
        self.occupancy().word(word)
    }

    /// Which slots are live, as far as that is known: if the bitmap is old, each word of it is gathered when it is asked for.
    #[inline]
    pub(crate) fn occupancy(&self) -> Occupancy<'_> {
        let state = self.state();
        // One call for each, so that whoever asks for a single word takes a jump, and does not choose a bitmap first.
        if !P::HAS_BITMAP || state.is_old(self.changes()) {
            // SAFETY: this says nothing of the bitmap.
            unsafe { self.occupancy_by(state, true) }
        } else {
            // SAFETY: read for this borrow, and not old.
            unsafe { self.occupancy_by(state, false) }
        }
    }

    /// Which slots are live, for a walk over all of them. If walks like it come again, they find the bitmap up to date.
    #[inline(always)]
    pub(crate) fn occupancy_to_walk(&self) -> Occupancy<'_> {
        let mut state = self.state();
        let mut is_old = !P::HAS_BITMAP;
        if P::HAS_BITMAP && state.is_unknown() {
            state = self.settle(state);
            is_old = !state.is_synced();
        }
        // SAFETY: read for this borrow, or found out about it. A known one is that of a synced bitmap, as is one that was found
        // out; what is left is old.
        unsafe { self.occupancy_by(state, is_old) }
    }

    /// # Safety
    ///
    /// The state is that of the bitmap at some time since the slots were borrowed, or says as much as is right of it. Unless it is
    /// old, the bitmap is right by that state.
    #[inline(always)]
    unsafe fn occupancy_by(&self, state: BitmapState, is_old: bool) -> Occupancy<'_> {
        let parts = self.place.parts();
        // Of an old one nothing, at the same address: compilers then choose a number, and not a path.
        let bits = if is_old { &parts.bits[..0] } else { parts.bits };
        // SAFETY: these are none, or those of a bitmap that is right, as the caller promises.
        let bits = unsafe { BitWord::right(bits) };
        let source = P::Word::source(parts.words).with_bits(bits);
        Occupancy::new(source, parts.words.len(), self.live()).with_prefix(self.prefix_by(state))
    }

    #[inline(always)]
    fn prefix_by(&self, state: BitmapState) -> Option<usize> {
        if P::HAS_BITMAP {
            return state.prefix();
        }
        // No slot from `used` on is live (invariant 5).
        let live = self.live();
        (live == self.used()).then_some(live)
    }

    /// What a shared walk finds out that met this state. Returns what is known then.
    #[cold]
    #[inline(never)]
    fn settle(&self, state: BitmapState) -> BitmapState {
        let (Some(cell), changes) = (self.place.bitmap(), self.changes()) else { return state };
        let parts = self.place.parts();
        if state.is_old(changes) {
            if !self.are_few(state.behind(changes)) {
                cell.note_walk(state, changes);
                return state;
            }
            let Some(mut claim) = cell.claim(state) else { return state };
            // SAFETY: the words of used slots, in the place of the state.
            let bits = unsafe { claim.bits(&parts.bits[..self.used_bit_words()]) };
            gather(parts.words, bits);
            let checked = self.check_lowest(bits);
            self.fast_below.set_shared(0);
            claim.end_synced(checked);
            return checked;
        }
        // SAFETY: the bitmap is right by a state of this borrow.
        let checked = self.check_lowest(unsafe { BitWord::right(parts.bits) });
        if !state.is_synced() {
            self.fast_below.set_shared(0);
        }
        cell.set_synced(checked);
        checked
    }

    /// Whether a bitmap that is so many insertions and removals behind is better synced.
    #[inline]
    fn are_few(&self, changes: u64) -> bool {
        changes <= self.used() as u64 / SYNCED_SLOTS_PER_CHANGE
    }

    /// The number of live slots, if they are known to be the lowest.
    #[inline(always)]
    pub(crate) fn prefix(&mut self) -> Option<usize> {
        let state = self.own_state();
        self.prefix_by(state)
    }

    /// What is known of the bitmap.
    #[inline(always)]
    fn state(&self) -> BitmapState {
        self.place.bitmap().map_or(BitmapState::OLD, BitmapCell::get)
    }

    /// The same, for whoever may change it: no walk does meanwhile.
    #[inline(always)]
    fn own_state(&mut self) -> BitmapState {
        self.place.bitmap_mut().map_or(BitmapState::OLD, BitmapCell::own)
    }

    /// Forgets what is known of the prefix, until the next [`refresh`](Self::refresh).
    pub(crate) fn forget_prefix(&mut self) {
        if self.is_synced() {
            self.set_gathered();
        }
    }

    /// Brings the bitmap up to date, so that an iteration reads one bit per slot instead of one
    /// word, or none.
    #[inline(always)]
    pub(crate) fn refresh(&mut self) {
        if P::HAS_BITMAP && self.own_state().is_unknown() {
            self.check_prefix();
        }
    }

    /// Whether each insertion and removal writes its bit.
    #[inline]
    pub(crate) fn is_synced(&self) -> bool {
        P::HAS_BITMAP && self.state().is_synced()
    }

    #[inline(never)]
    fn check_prefix(&mut self) {
        let (state, changes) = (self.own_state(), self.changes());
        if !state.is_synced() {
            if !self.are_few(state.behind(changes)) {
                return self.rebuild();
            }
            self.start_syncing();
        }
        // SAFETY: the bitmap is synced.
        let state = self.check_lowest(unsafe { BitWord::right(self.place.parts().bits) });
        if let Some(cell) = self.place.bitmap_mut() {
            cell.set(state);
        }
    }

    /// Whether the live slots are the lowest, by these bits, which are those of the slots.
    #[inline]
    fn check_lowest(&self, bits: &[u64]) -> BitmapState {
        let live = self.live();
        let (full, ones) = (live / WORD_SLOTS, (1 << (live % WORD_SLOTS)) - 1);
        // As many bits are set as slots are live: if these are the lowest, there is no other.
        let are_lowest = bits.get(full).is_none_or(|&bits| bits == ones)
            && bits[..full].iter().all(|&bits| bits == !0);
        BitmapState::of_checked(are_lowest, live)
    }

    #[inline(never)]
    fn rebuild(&mut self) {
        let bit_words = self.used_bit_words();
        let parts = self.place.parts_mut();
        gather(parts.words, &mut parts.bits[..bit_words]);
        self.set_gathered();
    }

    /// The bitmap is as the words are; or synced, if it is.
    #[inline]
    fn set_gathered(&mut self) {
        self.set_unless_synced(BitmapState::gathered_at(self.changes()));
    }

    #[inline]
    fn set_unless_synced(&mut self, state: BitmapState) {
        if let Some(cell) = self.place.bitmap_mut() {
            let is_synced = cell.own().is_synced();
            cell.set(if is_synced { BitmapState::SYNCED } else { state });
        }
    }

    /// A number that rises with each insertion and removal. From 2^62 on, which only the counts of a file make possible, a
    /// bitmap that is not synced counts as old at all times ([`BitmapState`]).
    #[inline]
    fn changes(&self) -> u64 {
        self.inserted.wrapping_add(self.removed)
    }

    /// The bits of the word's slots that are dead; none beyond the last slot. For pools that have the
    /// bitmap synced.
    #[inline]
    pub(crate) fn dead_bits(&self, word: usize) -> u64 {
        assert!(self.is_synced(), "the order searches a bitmap that is synced from the beginning");
        let parts = self.place.parts();
        // SAFETY: the bitmap is synced.
        let bits = unsafe { BitWord::right(parts.bits) };
        let Some(live) = bits.get(word) else { return 0 };
        let left = parts.words.len() - word * WORD_SLOTS;
        !live & if left < WORD_SLOTS { (1 << left) - 1 } else { !0 }
    }

    /// Takes on all of another's state but for the entries. Slots from `used` on were never used in either.
    pub(crate) fn copy_state_from(&mut self, other: &Self, used: usize) {
        debug_assert!(used >= self.used() && used >= other.used());
        self.place.parts_mut().words[..used].copy_from_slice(&other.as_slice()[..used]);
        self.set_counters(other.counters());
        // One reading decides, and not another that a walk over the other may make different.
        let others_state = other.state();
        if !others_state.is_old(other.changes()) {
            let bits = &mut self.place.parts_mut().bits[..used.div_ceil(WORD_SLOTS)];
            // SAFETY: the bitmap is right by the state just read.
            let others_bits = unsafe { BitWord::right(other.place.parts().bits) };
            bits.copy_from_slice(&others_bits[..bits.len()]);
            self.used = other.used;
            self.set_gathered();
        } else {
            // Bits left behind would lie beyond the used slots (invariant 5).
            self.clear_bits();
            self.used = other.used;
            let is_claimed = others_state.is_claimed();
            self.set_unless_synced(if is_claimed { BitmapState::OLD } else { others_state });
            if self.is_synced() {
                self.rebuild();
            }
        }
    }

    /// Takes on these words, of which as many are live, and this history, instead of those of slots that were never used but
    /// for the live ones.
    pub(crate) fn load(&mut self, words: &[P::Word], inserted: u64, peak: usize) {
        let live = words.iter().filter(|word| !word.is_dead()).count();
        let counters = Counters::loaded(inserted, live, peak, retired_among(words));
        // The peak is what a file says, and may be that of more slots.
        self.mark_used_until(words.len().max(peak));
        self.place.parts_mut().words[..words.len()].copy_from_slice(words);
        self.set_counters(counters);
        self.rebuild();
    }

    /// Counts the retired slots anew.
    pub(crate) fn recount_retired(&mut self) {
        self.retired = retired_among(&self.place.parts().words[..self.used()]) as u32;
    }
}

/// Marks on slots, for an order that must visit all of them once: they replace the bitmap until the
/// marking ends.
impl<P: Place> SlotWords<P> {
    pub(crate) fn begin_marking(&mut self) {
        self.set_unless_synced(BitmapState::OLD);
        self.clear_bits();
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
        self.rebuild();
    }
}

/// Gathers the bits of the slots with these words.
#[inline]
fn gather<W: Word>(words: &[W], bits: &mut [u64]) {
    let source = W::source(words);
    for (word, bits) in bits.iter_mut().enumerate() {
        *bits = source.word(word);
    }
}

/// The handle of a slot, if it is live.
#[inline]
pub(crate) fn handle_at<H: HandleLayout>(
    index: usize,
    words: &SlotWords<impl Place<Word = H::Word>>,
) -> Option<H> {
    words.of_live(index).map(|word| handle::kept::<H>(index, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Handle32;
    use crate::slots::reuse::Roster;
    use crate::slots::validate_lifetimes;
    use crate::slots::{Block, Inline};
    use alloc::vec::Vec;

    type Words = SlotWords<Block<u16>>;

    fn words(slots: usize, is_synced: bool, start: u32) -> Words {
        let mut words = Words::try_new(slots, start).unwrap();
        if is_synced {
            words.start_syncing();
        }
        words
    }

    /// Six lifetimes that go over the end of the cycle: 254, 255, 1, 2, 3, 4.
    fn cycle(wraps: bool) -> GenerationCycle<Handle32<(), 24>> {
        GenerationCycle::from_to(254, 4, 255, wraps)
    }

    fn set_state(words: &mut Words, state: impl FnOnce(&Words) -> BitmapState) {
        let state = state(words);
        words.place.bitmap_mut().unwrap().set(state);
    }

    fn live(words: &Words) -> Vec<usize> {
        words.occupancy().iter().collect()
    }

    #[test]
    fn every_number_of_slots_in_a_pool_is_0_at_first() {
        let words = SlotWords::unused(Inline::<(), (Roster, u32, u32), 70>::new(), 1);
        let SlotWords { used, start_beyond_first, peak, retired, .. } = words;
        assert_eq!((used, start_beyond_first, peak, retired), (0, 0, 0, 0));
        let SlotWords { place, inserted, removed, fast_below, slow_from, .. } = words;
        assert_eq!((inserted, removed, fast_below.get(), slow_from), (0, 0, 0, 0));
        let parts = place.parts();
        assert!(parts.words.iter().chain(parts.entries).all(|word| *word == 0));
    }

    #[test]
    fn the_word_of_a_slot_that_was_never_used_stands_for_the_first_generation() {
        for start in [1, 254] {
            let mut words = words(3, false, start);
            let first = start as u16;
            assert_eq!(words.get(2), Some(first.as_dead()));
            assert!(words.is_vacant(2) && !words.is_live(2));
            assert!(!words.is_live_in(2, 0), "as a dangling handle asks");
            assert_eq!(words.stored(2), Some(0));
            words.write_words(1..3);
            assert_eq!((words.stored(2), words.used()), (Some(first.as_dead()), 3));
            words.set_live(2, first);
            words.write_words(1..3);
            assert!(words.is_live_in(2, first));
        }
    }

    #[test]
    fn what_was_used_stays_so() {
        let mut words = words(10, false, 1);
        let mut used_after = |index| {
            words.mark_used_until(index + 1_usize);
            words.used()
        };
        assert_eq!([0, 0, 6, 1].map(&mut used_after), [1, 1, 7, 7]);
        words.mark_used_until(3);
        assert_eq!(words.used(), 7);
        words.mark_used_until(12);
        assert_eq!((words.used(), words.ever_used()), (10, 12));
    }

    #[test]
    fn the_occupancy_is_that_of_the_words_whether_the_bitmap_is_old_or_not() {
        for is_synced in [false, true] {
            let mut words = words(130, is_synced, 1);
            for index in (0..130).step_by(3) {
                words.set_live(index, 1);
            }
            let mut expected: Vec<_> = (0..130).step_by(3).collect();
            assert_eq!(live(&words), expected);
            words.refresh();
            assert_eq!(live(&words), expected);
            // One removal and one insertion: as many live slots as before.
            words.set_dead(129, 2.as_dead());
            words.set_live(1, 1);
            expected.retain(|index| *index != 129);
            expected.insert(1, 1);
            assert_eq!(live(&words), expected);
            words.refresh();
            assert_eq!(live(&words), expected);
            words.set_all_dead(&cycle(false));
            assert!(live(&words).is_empty());
        }
    }

    #[test]
    fn walks_that_find_few_changes_sync_a_bitmap() {
        let mut words = words(1000, false, 1);
        let walk_after = |words: &mut Words, inserted: usize| {
            for index in 0..inserted {
                words.set_live(index, 1);
                words.set_dead(index, 1.as_dead());
            }
            words.refresh();
            words.is_synced()
        };
        assert!(!walk_after(&mut words, 126)); // 252 insertions and removals
        assert!(!walk_after(&mut words, 1000));
        assert!(walk_after(&mut words, 125));
        // It stays so.
        assert!(walk_after(&mut words, 1000));
    }

    #[test]
    fn what_a_walk_finds_out_is_kept_while_the_bitmap_is_synced() {
        let mut words = words(1000, false, 1);
        (0..300).for_each(|index| words.set_live(index, 1));
        words.refresh();
        assert_eq!((words.is_synced(), words.prefix()), (false, None));
        words.refresh();
        assert_eq!((words.is_synced(), words.prefix()), (true, Some(300)));
        words.set_live(301, 1);
        assert_eq!(words.prefix(), None);
        words.refresh();
        assert_eq!(words.prefix(), None);
        words.set_live(300, 1);
        words.refresh();
        assert_eq!(words.prefix(), Some(302));
    }

    /// What a shared walk goes by, and what it finds.
    fn walk(words: &Words) -> (bool, Option<usize>, Vec<usize>) {
        let occupancy = words.occupancy_to_walk();
        let by_bits = !occupancy.source().bits().is_empty();
        (by_bits, occupancy.prefix(), occupancy.iter().collect())
    }

    #[test]
    fn shared_walks_that_find_few_changes_sync_a_bitmap() {
        let mut words = words(1000, false, 1);
        let walk_after = |words: &mut Words, changes: usize| {
            for _ in 0..changes / 2 {
                words.set_live(999, 1);
                words.set_dead(999, 1.as_dead());
            }
            let (by_bits, prefix, found) = walk(words);
            words.validate().unwrap();
            assert_eq!(found, live(words));
            assert_eq!((by_bits, prefix.is_some()), (words.is_synced(), false));
            by_bits
        };
        (0..1000).step_by(2).for_each(|index| words.set_live(index, 1));
        assert!(!walk_after(&mut words, 0), "500 insertions since there was no slot");
        assert!(!walk_after(&mut words, 252));
        assert!(!walk_after(&mut words, 1000));
        assert!(walk_after(&mut words, 250));
        // It stays so.
        assert!(walk_after(&mut words, 1000));
        assert!(walk_after(&mut words, 0));
    }

    #[test]
    fn each_kind_of_walk_counts_the_changes_since_the_other() {
        for is_shared_first in [false, true] {
            let mut words = words(1000, false, 1);
            (0..1000).step_by(2).for_each(|index| words.set_live(index, 1));
            let mut walk_by = |is_shared: bool| {
                match is_shared {
                    true => _ = walk(&words),
                    false => words.refresh(),
                }
                words.validate().unwrap();
                words.is_synced()
            };
            assert_eq!([walk_by(is_shared_first), walk_by(!is_shared_first)], [false, true]);
            assert_eq!(live(&words).len(), 500);
        }
    }

    #[test]
    fn what_a_shared_walk_finds_out_is_kept_until_something_changes() {
        let mut words = words(1000, false, 1);
        (0..300).for_each(|index| words.set_live(index, 1));
        assert_eq!((walk(&words).0, walk(&words).1), (false, Some(300)));
        assert_eq!(words.prefix(), Some(300));
        words.set_live(301, 1);
        assert_eq!(words.prefix(), None);
        assert_eq!((walk(&words).1, walk(&words).2.len()), (None, 301));
        assert!(!words.state().is_unknown(), "there are holes");
        words.set_dead(301, 2.as_dead());
        assert_eq!(walk(&words), (true, Some(300), (0..300).collect()));
        // A bitmap that a mutable walk has gathered, and did not sync.
        let mut words = self::words(100, false, 1);
        (0..99).for_each(|index| words.set_live(index, 1));
        words.refresh();
        assert!(!words.is_synced());
        assert_eq!(walk(&words), (true, Some(99), (0..99).collect()));
        assert!(words.is_synced());
        words.validate().unwrap();
    }

    /// The rest of the walks go over what they can see.
    #[test]
    fn no_walk_writes_the_bits_of_a_bitmap_that_another_gathers() {
        let mut words = words(100, false, 1);
        (0..70).step_by(2).for_each(|index| words.set_live(index, 1));
        walk(&words);
        let (state, cell) = (words.state(), words.place.bitmap().unwrap());
        let claim = cell.claim(state).unwrap();
        assert!(cell.claim(state).is_none() && cell.claim(words.state()).is_none());
        cell.note_walk(state, 5);
        cell.note_walk(words.state(), 5);
        assert!(cell.claim(words.state()).is_none());
        assert_eq!(walk(&words), (false, None, live(&words)));
        words.validate().unwrap();
        // A claim that never ends leaves an old bitmap.
        _ = claim;
        words.refresh();
        assert_eq!(walk(&words), (true, None, live(&words)));
    }

    #[test]
    fn a_removal_after_a_shared_walk_clears_its_bit() {
        let mut words = words(100, false, 1);
        (0..70).step_by(2).for_each(|index| words.set_live(index, 1));
        words.set_slow_from(9);
        assert_eq!(words.fast_below.get(), 9);
        walk(&words);
        assert_eq!(words.fast_below.get(), 9);
        walk(&words);
        assert_eq!(words.fast_below.get(), 0);
    }

    /// A copy of words whose bitmap a thread is gathering, and of one that is old.
    #[test]
    fn a_copy_does_not_take_over_a_claim() {
        let mut words = words(100, false, 1);
        (0..70).step_by(2).for_each(|index| words.set_live(index, 1));
        walk(&words);
        let _claim = words.place.bitmap().unwrap().claim(words.state()).unwrap();
        let copy = words.try_clone().unwrap();
        assert_eq!((walk(&copy).0, walk(&copy).0), (false, true));
        assert_eq!(live(&copy), live(&words));
    }

    /// Only a file leads to so many: here, numbers that would be those of the last gathering, if they were below 2^62.
    #[test]
    fn an_old_bitmap_is_old_after_any_number_of_changes() {
        for changes in [1 << 62, (1 << 62) + 35, (1 << 63) - 1, 1 << 63, u64::MAX - 3] {
            let low = changes & ((1 << 62) - 1);
            for state in
                [BitmapState::gathered_at(low), BitmapState::gathered_at(changes), BitmapState::OLD]
            {
                assert!(state.is_old(changes) && !state.is_synced() && state.is_unknown());
            }
            assert!(low == changes || BitmapState::gathered_at(low).behind(low) == 0);
        }
        assert!(!BitmapState::gathered_at((1 << 62) - 1).is_old((1 << 62) - 1));
        assert!(BitmapState::OLD.is_old(0) && !BitmapState::NEW.is_old(0));
    }

    #[test]
    fn the_slots_of_a_pool_without_a_bitmap_are_a_prefix_while_all_that_were_used_are_live() {
        let mut words = SlotWords::unused(Inline::<(), (Roster, u32, u32), 70>::new(), 1);
        let prefix = |words: &SlotWords<_>| words.occupancy_to_walk().prefix();
        assert_eq!(prefix(&words), Some(0));
        (0..66).for_each(|index| words.set_live(index, 1));
        assert_eq!(prefix(&words), Some(66));
        words.set_dead(65, 2.as_dead());
        assert_eq!(prefix(&words), None);
        assert!(words.occupancy_to_walk().iter().eq(0..65));
        words.set_live(65, 2);
        words.set_live(69, 1);
        assert_eq!(prefix(&words), None);
        (67..69).chain([66]).for_each(|index| words.set_live(index, 1));
        assert_eq!(prefix(&words), Some(70));
    }

    #[test]
    fn the_peak_is_the_most_that_were_live_at_once() {
        let mut words = words(4, false, 1);
        let mut counts = Vec::new();
        for step in [0, 1, 2, !2, !1, 1, 3, !3, !1, !0, 2] {
            if step >= 0 {
                words.record_next_peak();
                words.set_live(step as usize, 1);
            } else {
                words.set_dead(!step as usize, 1.as_dead());
            }
            counts.push((words.live(), words.peak(), words.inserted));
        }
        let live: Vec<_> = counts.iter().map(|(live, ..)| *live).collect();
        assert_eq!(live, [1, 2, 3, 2, 1, 2, 3, 2, 1, 0, 1]);
        assert!(counts[2..].iter().all(|(_, peak, _)| *peak == 3));
        assert_eq!(counts[10].2, 6);
        words.set_all_dead(&cycle(false));
        assert_eq!((words.live(), words.peak(), words.inserted), (0, 3, 6));
        for index in 0..4 {
            words.record_next_peak();
            words.set_live(index, 1);
        }
        assert_eq!((words.live(), words.peak(), words.inserted), (4, 4, 10));
        words.set_all_dead(&cycle(false));
        assert_eq!((words.live(), words.peak(), words.inserted), (0, 4, 10));
    }

    #[test]
    fn the_end_of_all_lifetimes_is_the_end_of_each() {
        for wraps in [false, true] {
            let cycle = cycle(wraps);
            // Every generation, in a long stretch in which none needs care, and in stretches with one that does.
            let generations: [u16; 6] = [254, 255, 1, 2, 3, 4];
            for pattern in 0..6 {
                let slots = 100;
                let generation =
                    |index: usize| generations[if index < 40 { 2 } else { (index + pattern) % 6 }];
                let mut together = words(slots, false, 2);
                for index in (0..slots).filter(|index| index % 5 != pattern) {
                    together.set_live(index, generation(index));
                }
                let mut each = together.try_clone().unwrap();
                each.record_peak();
                for index in live(&together) {
                    match cycle.word_after(generation(index)) {
                        u16::RETIRED => each.retire(index),
                        word => each.set_dead(index, word),
                    }
                }
                together.set_all_dead(&cycle);
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
            let mut words = words(200, false, 254);
            words.set_live(70, 254);
            words.refresh();
            set_state(&mut words, |words| BitmapState::gathered_at(words.changes()));
            if is_old {
                words.set_dead(70, 255.as_dead());
            }
            words.validate().unwrap();
            words.place.parts_mut().bits[2] = if is_old { 1 } else { 0 };
            assert_eq!(words.validate().err().map(|found| found.rule()), is_old.then_some(rule));
            words.mark_used_until(129);
            words.validate().unwrap();
            words.place.parts_mut().words[150] = 5 | u16::DEAD;
            let rule = "slots beyond those that were used are as in a new pool";
            assert_eq!(words.validate().unwrap_err().rule(), rule);
        }
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut Words)| {
            let cycle = cycle(false);
            let mut words = words(3, false, 254);
            words.record_next_peak();
            words.set_live(0, 254);
            words.record_next_peak();
            words.set_live(2, 255);
            words.refresh();
            let sound = |words: &Words| {
                words.validate().and_then(|()| {
                    validate_lifetimes(
                        &cycle,
                        |index| words.get(index),
                        words.counters().retired(),
                        0,
                    )
                })
            };
            sound(&words).unwrap();
            change(&mut words);
            sound(&words).unwrap_err().rule()
        };
        let counted = "as many slots are live as lifetimes have begun and not ended";
        assert_eq!(broken(|words| words.inserted += 1), counted);
        assert_eq!(broken(|words| words.removed += 5), counted);
        let bits = "the bitmap has the bits of the live slots, or is known to be old";
        assert_eq!(broken(|words| words.place.parts_mut().bits[0] |= 2), bits);
        assert_eq!(broken(|words| words.place.parts_mut().bits[0] |= 8), bits);
        let old_and_clears = |words: &mut Words| {
            words.set_dead(0, 255.as_dead());
            words.set_slow_from(9);
            words.fast_below.set_shared(0);
        };
        assert_eq!(broken(old_and_clears), "no lifetime clears a bit of a bitmap that is old");
        let synced_and_does_not = |words: &mut Words| {
            words.start_syncing();
            words.set_slow_from(9);
            words.fast_below.set_shared(9);
        };
        let rule = "no lifetime ends without its bit if the bitmap is synced";
        assert_eq!(broken(synced_and_does_not), rule);
        let lowest = "the live slots are the lowest ones if they are said to be";
        fn say(words: &mut Words, are_lowest: bool, live: usize) {
            words.start_syncing();
            set_state(words, |_| BitmapState::of_checked(are_lowest, live));
        }
        assert_eq!(broken(|words| say(words, true, 2)), lowest);
        let untrue = |words: &mut Words| {
            words.start_syncing();
            words.set_dead(2, 255.as_dead());
            say(words, false, 1);
        };
        assert_eq!(broken(untrue), lowest);
        assert_eq!(broken(|words| words.retired += 1), "the retired slots are counted");
        let own = "a slot is in one of its lifetimes";
        assert_eq!(broken(|words| words.place.parts_mut().words[0] = 5), own);
        assert_eq!(broken(|words| words.place.parts_mut().words[1] = 5 | u16::DEAD), own);
        let mut words = words(1, false, 254);
        words.place.parts_mut().words[0] = u16::RETIRED;
        words.mark_used_until(1);
        words.retired = 1;
        let validate = |cycle: GenerationCycle<_>| {
            validate_lifetimes(&cycle, |index| words.get(index), words.counters().retired(), 0)
        };
        validate(cycle(false)).unwrap();
        let rule = validate(cycle(true)).unwrap_err().rule();
        assert_eq!(rule, "no slot of a pool that wraps retires");
    }
}
