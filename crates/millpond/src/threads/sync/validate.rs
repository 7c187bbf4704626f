//! Checks that the parts of a shared pool are consistent.

use core::sync::atomic::Ordering::Relaxed;

use super::SyncPool;
use super::free::WORD_SLOTS;
use super::slots::SharedSlots;
use super::word::Word;
use crate::reports::validate::{Violation, ensure};

impl<T> SyncPool<T> {
    /// Checks every invariant, while no other thread uses the pool: each slot with a free bit is
    /// dead, each slot without one is live, doomed or retired, and the counters agree with the
    /// words. O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), Violation> {
        self.slots().validate()
    }
}

impl<T> SharedSlots<T> {
    fn validate(&self) -> Result<(), Violation> {
        let (mut doomed, mut retired) = (0, 0);
        for index in 0..self.capacity() {
            let bits = self.free.word_of(index).load(Relaxed);
            let is_free = bits >> (index % WORD_SLOTS) & 1 != 0;
            let word = self.word(index).unwrap_or(Word::RETIRED);
            let is_taken = word.has_value() || word == Word::RETIRED;
            ensure(
                is_free != is_taken,
                "a slot is free, or has a value, or is retired",
                format_args!("slot {index} is {word:?}, and its bit is {is_free}"),
            )?;
            ensure(
                word.has_value() || word.guards() == 0,
                "a slot without a value has no guards",
                format_args!("slot {index} is {word:?}"),
            )?;
            let generation = word.generation();
            let is_spent = word == Word::RETIRED || word == Word::SPENT;
            ensure(
                is_spent || self.cycle.contains(generation),
                "a slot is in one of its lifetimes",
                format_args!("slot {index} is in generation {generation}"),
            )?;
            doomed += u32::from(word.is_doomed());
            retired += u32::from(word == Word::RETIRED);
        }
        let counted = (self.doomed.0.load(Relaxed), self.retired.load(Relaxed));
        ensure(
            counted == (doomed, retired),
            "as many slots are doomed and retired as were counted",
            format_args!("{doomed} and {retired}, counted {counted:?}"),
        )
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&SharedSlots<u8>)| {
            let pool = SyncPool::new(3);
            let first = pool.insert(1).unwrap();
            pool.insert(2).unwrap();
            pool.remove(first);
            pool.validate().unwrap();
            change(pool.slots());
            let rule = pool.validate().unwrap_err().rule();
            // It would find what was broken, too.
            core::mem::forget(pool);
            rule
        };
        let one = "a slot is free, or has a value, or is retired";
        assert_eq!(broken(|slots| _ = slots.free.word_of(0).fetch_and(!1, Relaxed)), one);
        assert_eq!(broken(|slots| _ = slots.free.word_of(0).fetch_or(2, Relaxed)), one);
        let guards = "a slot without a value has no guards";
        assert_eq!(broken(|slots| _ = slots.words[0].fetch_add(1, Relaxed)), guards);
        let own = "a slot is in one of its lifetimes";
        assert_eq!(broken(|slots| slots.words[1].store(0, Relaxed)), own);
        let counted = "as many slots are doomed and retired as were counted";
        assert_eq!(broken(|slots| slots.doomed.0.store(1, Relaxed)), counted);
        assert_eq!(broken(|slots| slots.retired.store(1, Relaxed)), counted);
    }
}
