use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

use crate::base::memory::OutOfMemory;
use crate::handle::Word;
use crate::slots::Counters;

/// The generation of the slot's live value, or of the next one, or the mark of a retired slot; and
/// the slot's position in the order. Both lie together, because code that compares the generation
/// then reads the position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<W, I> {
    pub(super) word: W,
    pub(super) position: I,
}

impl<W: Word, I: Word> Slot<W, I> {
    /// The word, marked as dead if the position is not that of one of this many live slots.
    pub(super) fn state(&self, live: usize) -> W {
        if self.position.to_index() < live { self.word } else { self.word.as_dead() }
    }
}

/// The slots of a packed pool, and what watches over them. Kept apart from the values, whose type
/// may borrow from what does not outlive the pool: with debug aids, dropping this runs code.
#[derive(Debug)]
pub(super) struct RosterSlots<W: Word, I: Word> {
    slots: Vec<Slot<W, I>>,
    /// See [`mark_used`](Self::mark_used).
    used: u32,
    counters: Counters,
    pub(super) watch: Option<crate::reports::debug::Watch>,
}

impl<W: Word, I: Word> RosterSlots<W, I> {
    /// Not watched.
    pub(super) const fn new(slots: Vec<Slot<W, I>>) -> Self {
        Self { slots, used: 0, counters: Counters::NONE, watch: None }
    }

    /// A copy, watched alike, of whose slots these are copies.
    pub(super) fn copied_into(&self, slots: Vec<Slot<W, I>>) -> Self {
        Self { slots, used: self.used, counters: self.counters, watch: self.watch.clone() }
    }

    /// Makes all slots as if never used, with this first generation; their positions are their indices.
    pub(super) fn renew(&mut self, start: W) {
        for (index, slot) in self.slots.iter_mut().enumerate() {
            *slot = Slot { word: start, position: I::from_index(index) };
        }
        self.used = 0;
        self.counters = Counters::loaded(self.counters.inserted, 0, 0, 0);
    }

    /// Makes room for this many slots in all.
    pub(super) fn try_reserve(&mut self, slots: usize) -> Result<(), OutOfMemory> {
        self.try_watch(slots)?;
        self.slots.try_reserve_exact(slots - self.slots.len()).map_err(|_| OutOfMemory)
    }

    /// Makes room for what the watch, if any, keeps of this many slots.
    pub(super) fn try_watch(&mut self, slots: usize) -> Result<(), OutOfMemory> {
        self.watch.as_mut().map_or(Ok(()), |watch| watch.try_grow(slots))
    }

    /// Appends slots, for which there is room.
    pub(super) fn extend(&mut self, slots: impl Iterator<Item = Slot<W, I>>) {
        self.slots.extend(slots);
    }

    /// There are these slots from now on; of those that are no more, this many had retired.
    pub(super) fn shrink_to(&mut self, slots: Vec<Slot<W, I>>, retired: usize) {
        self.slots = slots;
        self.counters.retired -= retired as u32;
    }

    /// There are these slots from now on, copies of those of `other`.
    pub(super) fn replace(&mut self, slots: Vec<Slot<W, I>>, other: &Self) {
        self.slots = slots;
        self.counters = other.counters;
        self.used = other.used;
    }

    #[inline(always)]
    pub(super) fn counters_mut(&mut self) -> &mut Counters {
        &mut self.counters
    }

    /// One of this many live slots is about to die: insertions are not expected.
    #[inline(always)]
    pub(super) fn expect_removal(&mut self, live: usize) {
        debug_assert_eq!(live, self.counters.live());
        // No layout names more slots than a `u32`.
        if live as u32 > self.counters.peak {
            self.raise_peak(live);
        }
    }

    #[cold]
    #[inline]
    fn raise_peak(&mut self, live: usize) {
        self.counters.peak = live as u32;
    }

    /// This slot was taken although it does not bring a new peak.
    pub(super) fn mark_used(&mut self, index: usize) {
        self.mark_used_until(index + 1);
    }

    /// Slots below this number may have been used.
    pub(super) fn mark_used_until(&mut self, slots: usize) {
        self.used = self.used.max(slots as u32);
    }

    /// Takes on these words and this history. The positions are set later.
    pub(super) fn load(&mut self, words: &[W], inserted: u64, peak: usize) {
        let (mut live, mut retired) = (0, 0);
        for (slot, &word) in self.slots.iter_mut().zip(words) {
            live += usize::from(!word.is_dead());
            retired += usize::from(word == W::RETIRED);
            slot.word = if word == W::RETIRED { word } else { word.as_live() };
        }
        // The peak is what a file says, and may be that of more slots.
        self.used = u32::try_from(self.slots.len().max(peak)).unwrap_or(u32::MAX);
        self.counters = Counters::loaded(inserted, live, peak, retired);
    }

    /// Takes on the state of `other`. Slots from `used` on were never used in either.
    pub(super) fn copy_state_from(&mut self, other: &Self, used: usize) {
        self.slots[..used].copy_from_slice(&other.slots[..used]);
        self.counters = other.counters;
        self.used = other.used;
    }

    /// Slots from here on were never used. One that was never used comes next only if each that was used is live, so it is
    /// counted by the peak; or has retired, and then the roster [marks](Self::mark_used) it.
    pub(super) fn used(&self) -> usize {
        (self.used as usize).max(self.counters.peak()).min(self.slots.len())
    }

    #[inline(always)]
    pub(super) fn counters(&self) -> Counters {
        self.counters
    }

    /// For a live slot its generation; for a dead one the next, with the top bit set, or [`RETIRED`](Word::RETIRED).
    pub(super) fn word(&self, index: usize) -> Option<W> {
        self.slots.get(index).map(|slot| slot.state(self.counters.live()))
    }

    /// Of the slots that were used.
    pub(super) fn used_words(&self) -> impl Iterator<Item = W> {
        self.slots[..self.used()].iter().map(|slot| slot.state(self.counters.live()))
    }
}

impl<W: Word, I: Word> Deref for RosterSlots<W, I> {
    type Target = [Slot<W, I>];

    #[inline]
    fn deref(&self) -> &[Slot<W, I>] {
        &self.slots
    }
}

impl<W: Word, I: Word> DerefMut for RosterSlots<W, I> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Slot<W, I>] {
        &mut self.slots
    }
}

/// Reports the values that are still live, if that aid is enabled.
impl<W: Word, I: Word> Drop for RosterSlots<W, I> {
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            let is_live = |index: &usize| self.word(*index).is_some_and(|word| !word.is_dead());
            watch.report_drop((0..self.slots.len()).filter(is_live));
        }
    }
}
