//! The end of a pool, and the operations with exclusive access.
//!
//! The invariants are those of [`slots`](super::slots). All callers have exclusive access (invariant 5). So only a
//! slot's own guards can change it meanwhile: they count down, or up from at least one, and the last guard of a doomed
//! value ends it.

use core::ptr::NonNull;
use core::sync::atomic::Ordering::Relaxed;

use super::TakeError;
use super::atomics::AtomicU64;
use super::batch::Batch;
use super::free::WORD_SLOTS;
use super::order;
use super::slots::SharedSlots;
use super::word::Word;
use crate::base::guard::guard;
use crate::handle;
use crate::slots::GenerationCycle;

/// The slot of a live value without guards, from the words of all slots. Only the caller can access
/// the value, as long as it has exclusive access.
#[inline]
pub(super) fn find_for_writing(
    words: &[AtomicU64],
    index: usize,
    generation: u32,
) -> Result<usize, TakeError> {
    let word = words.get(index).map(|word| Word::from_bits(word.load(order::exclusive())));
    // Live, and without guards: one comparison.
    if word == Some(Word::live(generation)) {
        Ok(index)
    } else {
        Err(not_for_writing(word, generation))
    }
}

#[cold]
#[inline]
fn not_for_writing(word: Option<Word>, generation: u32) -> TakeError {
    match word {
        Some(word) if word.is_live_in(generation) => TakeError::Busy,
        _ => TakeError::Stale,
    }
}

impl<T> SharedSlots<T> {
    /// The word of a slot, after all reads through guards that it no longer counts.
    #[inline]
    pub(super) fn word_for_writing(&self, index: usize) -> Option<Word> {
        self.words.get(index).map(|word| Word::from_bits(word.load(order::exclusive())))
    }

    /// Ends removed values that were deferred and have no guards. Returns how many.
    pub(super) fn settle(&self) -> usize {
        let mut settled = 0;
        let mut batch = Batch::new(self);
        for index in 0..self.capacity() {
            let word = self.word_for_writing(index);
            if self.defers && word.is_some_and(|word| word.is_doomed() && word.guards() == 0) {
                self.doomed.0.fetch_sub(1, Relaxed);
                settled += 1;
                // SAFETY: the value was deferred to this call (invariant 3).
                unsafe { batch.end(index) };
            }
        }
        settled
    }

    /// The value of a live slot.
    pub(super) fn live_value(&self, index: usize) -> Option<&T> {
        let is_live = self.word_for_writing(index).is_some_and(|word| word.is_live());
        // SAFETY: the caller has exclusive access, and the word is live.
        is_live.then(|| unsafe { self.value(index) })
    }

    /// Whether each slot is live without guards, free or retired: no guard refers to the pool.
    pub(super) fn is_at_rest(&self) -> bool {
        (0..self.capacity()).all(|index| {
            let bits = self.free.word_of(index).load(order::shut());
            let is_free = bits >> (index % WORD_SLOTS) & 1 != 0;
            let word = self.word_for_writing(index).unwrap_or(Word::RETIRED);
            is_free || word == Word::RETIRED || (word.is_live() && word.guards() == 0)
        })
    }

    /// Sets the word of a slot without a value, while no guard refers to the pool; its bit follows.
    fn set_dead_word(&self, index: usize, word: Word) {
        debug_assert!(!word.has_value());
        if self.is_retired(index) {
            self.retired.fetch_sub(1, Relaxed);
        }
        let bit = 1 << (index % WORD_SLOTS);
        self.words[index].store(word.to_bits(), Relaxed);
        self.free.word_of(index).fetch_or(bit, order::give_back());
    }

    /// Restores a slot without a value from a snapshot, while no guard refers to the pool: live
    /// with this value, or free.
    pub(super) fn begin_as(&self, index: usize, word: u32, value: Option<T>) {
        self.set_dead_word(index, Word::dead(word | 1 << 31));
        if let Some(value) = value {
            let handle = handle::kept(index, word);
            if let Ok(slot) = self.claim_at(handle, GenerationCycle::check_begin) {
                slot.put_restored(value);
            }
        }
    }

    /// Sets the counters; `peak` is at least what it was.
    pub(super) fn recount(&self, stats: &crate::reports::stats::Stats, unshown: i64) {
        self.add_unshown(unshown.wrapping_sub(self.unshown()));
        self.evicted.store(stats.evicted, Relaxed);
        self.peak.store(stats.peak as u32, Relaxed);
        self.free.set_refused(stats.refused);
    }

    /// Closes the pool: drops all values without guards, and frees the memory if no values are
    /// left.
    ///
    /// # Safety
    ///
    /// The caller has exclusive access, and gives it up with the pool's share.
    pub(super) unsafe fn close(slots: NonNull<Self>) {
        let closing = Closing { slots, next: 0, free: 0, shares: 1 };
        let mut closing = guard(closing, |closing| {
            // Slots are left only after a panic.
            closing.close_all();
            // SAFETY: these are the pool's share and those of unreachable slots.
            unsafe { SharedSlots::leave(closing.slots, closing.shares) };
        });
        closing.close_all();
    }
}

/// The slots of a pool that is being dropped, up to the next one. If the drop of a value panics,
/// the others are still dropped while unwinding, as in a `Vec`.
struct Closing<T> {
    slots: NonNull<SharedSlots<T>>,
    next: usize,
    /// The slots of the current word that were free.
    free: u64,
    /// The number of shares to give up: the pool's, and those of unreachable slots.
    shares: usize,
}

impl<T> Closing<T> {
    fn close_all(&mut self) {
        // SAFETY: the pool's share is given up only by the guard's end.
        let slots = unsafe { self.slots.as_ref() };
        while self.next < slots.capacity() {
            let index = self.next;
            if index % WORD_SLOTS == 0 {
                self.free = slots.free.word_of(index).fetch_or(!0, order::shut());
            }
            self.next += 1;
            let is_free = self.free >> (index % WORD_SLOTS) & 1 != 0;
            if is_free || slots.is_retired(index) {
                self.shares += 1;
            } else if slots.doom_at_close(index) {
                self.shares += 1;
                // SAFETY: this thread has orphaned a value without guards (invariant 3).
                unsafe { slots.drop_value(index) };
            }
            // Otherwise the last guard's drop gives up the slot's share.
        }
    }
}

impl<T> SharedSlots<T> {
    fn is_retired(&self, index: usize) -> bool {
        self.word(index) == Some(Word::RETIRED)
    }

    /// Dooms the value in a slot that is not free. Returns whether this thread now owns the slot,
    /// because it had no guard.
    fn doom_at_close(&self, index: usize) -> bool {
        let at = &self.words[index];
        let word = Word::from_bits(at.fetch_or(Word::ORPHAN, order::doom_at_close()));
        if !word.has_value() || word.guards() > 0 {
            // The last guard of its value has ended it and is about to free the slot, or will do
            // so.
            return false;
        }
        // A doomed value without guards belongs to its last guard, unless it was deferred to
        // `settle`.
        word.is_live() || self.defers
    }

    /// # Safety
    ///
    /// This thread owns the slot, which has a value, and will not access it again.
    pub(super) unsafe fn drop_value(&self, index: usize) {
        self.values[index].with_mut(|value| {
            // SAFETY: there is a value (invariant 2), and this thread owns the slot.
            unsafe { value.cast::<T>().drop_in_place() }
        });
    }
}
