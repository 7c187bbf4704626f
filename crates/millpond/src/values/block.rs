//! Values that lie in a block.

use core::alloc::Layout;
use core::marker::PhantomData;

use super::Storage;
use crate::base::memory::{OutOfMemory, PAGE_BYTES};
use crate::handle::{HandleLayout, Word};
use crate::occupancy::WORD_SLOTS;
use crate::slots::{Block, LedgerOf, OwnSlots, SlotKind, SlotWords, full_word};

/// The storage of a pool of this order and layout, in one block of memory.
pub(crate) type PoolStorage<T, R, H> = Storage<
    T,
    Block<(R, <H as HandleLayout>::Word, <H as HandleLayout>::Index)>,
    LedgerOf<R, <H as HandleLayout>::Erased>,
>;

/// Storage without a reuse order.
pub(crate) type TableStorage<T, W> = Storage<T, Block<W>>;

impl<T, K: SlotKind, L> Storage<T, Block<K>, L> {
    /// What a block of these slots has room for.
    pub(crate) const VALUE: Layout = Layout::new::<T>();

    /// The values of slots that were never used.
    ///
    /// # Panics
    ///
    /// If the slots were made for values of another layout; but they may be larger than values without size.
    pub(crate) fn of_unused(mut slots: OwnSlots<Block<K>, L>) -> Self {
        slots.sealed().words().expect_unused_for(Self::VALUE);
        // So the place has room for a `T` in each slot (invariant 1), none of which is live (2).
        let mut storage = Self { slots, values: PhantomData };
        if Self::IS_POISONED {
            storage.poison_dead(true);
        }
        storage
    }

    /// Slots that were never used and have this first generation, every page touched, for a pool with this order.
    pub(crate) fn try_new(slots: usize, start: u32, ledger: L) -> Result<Self, OutOfMemory> {
        let words = SlotWords::of_unused(Block::try_new(slots, Self::VALUE)?, start);
        Ok(Self::of_unused(OwnSlots::new(words, ledger)))
    }

    /// As many slots that were never used, with the same first generation. `touch`: from which slot on to touch every page,
    /// if any, and if this one has not left its own untouched.
    fn try_like(&self, touch: Option<usize>) -> Result<Self, OutOfMemory>
    where
        L: Clone,
    {
        let words = self.words();
        let block = words.place().try_like(touch)?;
        let mut like = SlotWords::of_unused(block, words.start());
        if words.is_synced() {
            like.start_syncing();
        }
        Ok(Self::of_unused(OwnSlots::new(like, self.ledger().clone())))
    }

    /// The 64 values of a word, if all of its slots are live.
    #[inline]
    pub(crate) fn get_word(&self, word: usize) -> Option<&[T; WORD_SLOTS]> {
        full_word(self.words().as_slice(), word)?;
        let values = self.values().get(word * WORD_SLOTS..)?.first_chunk::<WORD_SLOTS>()?;
        let values = core::ptr::from_ref(values).cast::<[T; WORD_SLOTS]>();
        // SAFETY: all of these slots are live, as just tested, and so their values initialised
        // (invariant 2). `MaybeUninit<T>` has the layout of `T`.
        Some(unsafe { &*values })
    }
}

impl<W: Word, T> TableStorage<T, W> {
    /// Slots that were never used, every page touched.
    pub(crate) fn try_table(slots: usize) -> Result<Self, OutOfMemory> {
        Self::try_new(slots, 0, ())
    }
}

impl<T: Clone, K: SlotKind, L: Clone> Storage<T, Block<K>, L> {
    /// A copy with the same words. If a value's clone panics, what was copied is dropped. `touch`: touch every page.
    pub(crate) fn try_clone(&self, touch: bool) -> Result<Self, OutOfMemory> {
        let words = self.words();
        // Where each slot that was used is live, the copies touch the pages of their values, unless one has a page that a copy
        // need not write.
        let is_full = words.live() == words.used() && size_of::<T>() <= PAGE_BYTES;
        let copies = if is_full { words.used() } else { 0 };
        let mut storage = self.try_like(touch.then_some(copies))?;
        storage.clone_into_unused(self);
        Ok(storage)
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::slots::reuse::Fifo;
    use std::panic::catch_unwind;

    #[test]
    fn takes_unused_slots_that_were_made_for_its_values_and_no_others() {
        type Listed = Block<(Fifo, u32, u32)>;
        fn takes<T>(value: Layout, use_one: bool) -> bool {
            let made = catch_unwind(|| {
                let mut words = SlotWords::of_unused(Listed::try_new(2, value).unwrap(), 1);
                words.mark_used_until(usize::from(use_one));
                drop(Storage::<T, Listed>::of_unused(OwnSlots::new(words, ())));
            });
            made.is_ok()
        }
        let [small, large] = [Layout::new::<u32>(), Layout::new::<[u32; 2]>()];
        assert!(takes::<u32>(small, false) && takes::<[u32; 2]>(large, false));
        assert!(takes::<()>(small, false) && takes::<()>(large, false));
        // Another size, another alignment, and a slot that was used.
        assert!(!takes::<u32>(large, false) && !takes::<u64>(large, false));
        assert!(!takes::<u32>(small, true));
    }
}
