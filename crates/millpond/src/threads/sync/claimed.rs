//! A free slot that is about to receive a value.
//!
//! # Invariant
//!
//! The thread that has a [`Claimed`] has cleared the slot's free bit: it owns the slot (invariant 1 of
//! [`slots`](super::slots)). So it does with each slot of a [`Claims`], which nobody else has the list of meanwhile.

use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;

use super::free::WORD_SLOTS;
use super::order;
use super::slots::SharedSlots;
use super::word::Word;
use crate::handle::{self, Handle};
use crate::reports::errors::InsertAtErrorKind;
use crate::slots::CheckWord;

/// A free slot that this thread has claimed for a value. Dropping it frees the slot.
pub(super) struct Claimed<'a, T> {
    slots: &'a SharedSlots<T>,
    index: usize,
    generation: u32,
}

impl<'a, T> Claimed<'a, T> {
    /// The caller has claimed the slot, and begins this lifetime.
    #[inline]
    #[track_caller]
    pub(super) fn new(slots: &'a SharedSlots<T>, index: usize, generation: u32) -> Self {
        let claimed = Self { slots, index, generation };
        // If it panics, the slot is freed.
        slots.inspect(index);
        claimed
    }

    #[inline]
    pub(super) fn handle(&self) -> Handle<T> {
        handle::kept(self.index, self.generation)
    }

    /// Moves a value in, which the caller's caller inserts.
    #[inline(always)]
    #[track_caller]
    pub(super) fn put(self, value: T) -> Handle<T> {
        if let Some(watch) = &self.slots.watch {
            watch.inserted(self.index);
        }
        self.fill(value)
    }

    /// Moves a restored value in, whose origin is unknown.
    pub(super) fn put_restored(self, value: T) {
        if let Some(watch) = &self.slots.watch {
            watch.restored(self.index);
        }
        self.fill(value);
    }

    /// Moves a value in, which makes its handle valid.
    #[inline]
    fn fill(self, value: T) -> Handle<T> {
        let handle = self.handle();
        let Self { slots, index, generation } = self;
        // It is no longer freed on drop, and nothing between here and the end can panic.
        core::mem::forget(self);
        slots.values[index].with_mut(|to| {
            // SAFETY: this thread has cleared the slot's bit, and owns it until it stores a live word (invariant 1).
            unsafe { (*to).write(value) };
        });
        slots.report(move |track| track.birth(index as u32));
        slots.words[index].store(Word::live(generation).to_bits(), order::publish());
        handle
    }
}

impl<T> Drop for Claimed<'_, T> {
    fn drop(&mut self) {
        let bit = 1 << (self.index % WORD_SLOTS);
        self.slots.free.word_of(self.index).fetch_or(bit, order::give_back());
    }
}

/// Slots that this thread has claimed, as the handles that their values will have: those from `next` on. Dropping it frees
/// them, and takes their handles off the list.
pub(super) struct Claims<'a, 'h, T> {
    slots: &'a SharedSlots<T>,
    handles: &'h mut Vec<Handle<T>>,
    next: usize,
}

impl<'a, 'h, T> Claims<'a, 'h, T> {
    /// None yet. The handles are added to these.
    pub(super) fn new(slots: &'a SharedSlots<T>, handles: &'h mut Vec<Handle<T>>) -> Self {
        let next = handles.len();
        Self { slots, handles, next }
    }

    /// Claims another slot; returns whether one was seen free. There is room for its handle.
    #[track_caller]
    pub(super) fn claim(&mut self, home: usize) -> bool {
        let Some(claimed) = self.slots.claim(home) else { return false };
        self.handles.push(claimed.handle());
        core::mem::forget(claimed);
        true
    }

    /// Moves a value into the first of the slots, if there is one left.
    #[track_caller]
    pub(super) fn put(&mut self, value: T) {
        let Some(handle) = self.handles.get(self.next) else { return };
        let (index, generation) = (handle.index() as usize, handle.generation());
        // It is another's from here on: this one's, and then that of the value.
        self.next += 1;
        Claimed { slots: self.slots, index, generation }.put(value);
    }
}

impl<T> Drop for Claims<'_, '_, T> {
    fn drop(&mut self) {
        for handle in self.handles.drain(self.next..) {
            let (index, generation) = (handle.index() as usize, handle.generation());
            drop(Claimed { slots: self.slots, index, generation });
        }
    }
}

impl<T> SharedSlots<T> {
    /// Claims a free slot for a new value. Returns `None` if no slot was seen free.
    #[inline]
    #[track_caller]
    pub(super) fn claim(&self, home: usize) -> Option<Claimed<'_, T>> {
        loop {
            let index = self.free.claim(home, order::claim())?;
            let word = Word::from_bits(self.words[index].load(Relaxed));
            if word.is_vacant() {
                return Some(Claimed::new(self, index, word.generation()));
            }
            self.retire_spent(index, word);
        }
    }

    /// The slot of this word, whose bit this thread has cleared, has no generation left.
    ///
    /// # Panics
    ///
    /// If it has, or a value: then the bits are wrong.
    #[cold]
    #[inline(never)]
    fn retire_spent(&self, index: usize, word: Word) {
        assert!(word == Word::SPENT, "slot {index} is free by its bit, but not vacant");
        self.retire(index);
    }
}

/// With exclusive access.
impl<T> SharedSlots<T> {
    /// Claims the free slot of this handle, to begin exactly its lifetime, if the slot may have it by `check`.
    #[track_caller]
    pub(super) fn claim_at(
        &self,
        handle: Handle<T>,
        check: CheckWord<Handle<()>>,
    ) -> Result<Claimed<'_, T>, InsertAtErrorKind> {
        let (index, generation) = (handle.index() as usize, handle.generation());
        let word = self.word(index).ok_or(InsertAtErrorKind::OutOfRange)?;
        check(&self.cycle, word.plain(), generation)?;
        if !self.free.claim_at(index, order::claim()) {
            // The last guard of its value is about to free it.
            return Err(InsertAtErrorKind::Occupied);
        }
        let claimed = Claimed::new(self, index, generation);
        // Only after the slot was inspected, which may panic.
        let next = i64::from(self.cycle.age(word.generation()));
        self.add_unshown(next - i64::from(self.cycle.age(generation)));
        Ok(claimed)
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;
    use crate::SyncPool;

    /// The last guard of a removed value ends the lifetime first and sets the bit afterwards. In between, on another
    /// thread, the slot is the guard's.
    #[test]
    fn a_slot_is_not_claimed_before_the_last_guard_has_freed_it() {
        let mut pool = SyncPool::new(1);
        let handle = pool.insert('a').unwrap();
        assert!(pool.remove(handle));
        pool.slots().free.word_of(0).fetch_and(!1, Relaxed);
        let next = Handle::from_parts(0, handle.generation() + 1).unwrap();
        assert_eq!(pool.insert_at(next, 'b').unwrap_err().kind(), InsertAtErrorKind::Occupied);
        assert_eq!(pool.revive(handle, 'b').unwrap_err().kind(), InsertAtErrorKind::Occupied);
        assert!(!pool.contains(next) && !pool.contains(handle));
        assert_eq!(pool.stats().inserted, 1);
        pool.slots().free.word_of(0).fetch_or(1, Relaxed);
        assert_eq!(pool.insert_at(next, 'b'), Ok(next));
    }

    #[test]
    #[should_panic(expected = "slot 0 is free by its bit, but not vacant")]
    fn a_bit_of_a_live_slot_panics() {
        let pool = SyncPool::new(1);
        pool.insert('a').unwrap();
        pool.slots().free.word_of(0).fetch_or(1, Relaxed);
        let _ = pool.insert('b');
    }
}
