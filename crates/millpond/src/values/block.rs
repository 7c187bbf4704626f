//! Values that lie in a block.

use core::alloc::Layout;
use core::marker::PhantomData;

use super::Storage;
use crate::base::memory::OutOfMemory;
use crate::handle::{HandleLayout, Word};
use crate::occupancy::WORD_SLOTS;
use crate::slots::{Bare, Block, LedgerOf, Needs, Room, SlotKind, SlotWords, Slots};

/// The storage of a pool of this order and layout, in one block of memory.
pub(crate) type PoolStorage<T, R, H> = Storage<
    T,
    Block<(R, <H as HandleLayout>::Word, <H as HandleLayout>::Index)>,
    LedgerOf<R, <H as HandleLayout>::Erased>,
>;

/// Storage without a reuse order.
pub(crate) type TableStorage<T, W> = Storage<T, Block<Bare<W, ()>>>;

impl<T, K: SlotKind, L> Storage<T, Block<K>, L> {
    /// What a block of these slots has room for.
    pub(crate) const ROOM: Room = Room { value: Layout::new::<T>(), links: Self::LINKED };

    /// The values of slots that were never used.
    ///
    /// # Panics
    ///
    /// If the slots were made for values of another layout; but they may be larger than values without size.
    pub(crate) fn of_unused(slots: Slots<Block<K>, L>) -> Self {
        slots.words().expect_unused_for(Self::ROOM);
        // So the place has room for a `T` in each slot (invariant 1), none of which is live (2).
        let mut storage = Self { slots, values: PhantomData };
        if Self::IS_POISONED {
            storage.poison_dead(true);
        }
        storage
    }

    /// Slots that were never used and have this first generation, every page touched, for a pool with this order.
    pub(crate) fn try_new(
        needs: Needs<K::Entry>,
        slots: usize,
        start: u32,
        ledger: L,
    ) -> Result<Self, OutOfMemory> {
        let block = Block::try_new(slots, needs.entries_for(slots, Self::ROOM), Self::ROOM.value)?;
        let words = SlotWords::of_unused(block, needs.is_synced, start);
        Ok(Self::of_unused(Slots::new(words, ledger)))
    }

    /// As many slots that were never used, with the same first generation. `touch`: touch every page, if
    /// this one has not left its own untouched.
    pub(crate) fn try_like(&self, touch: bool) -> Result<Self, OutOfMemory>
    where
        L: Clone,
    {
        let words = self.words();
        let block = words.place().try_like(touch)?;
        let like = SlotWords::of_unused(block, words.is_synced(), words.start());
        Ok(Self::of_unused(Slots::new(like, self.ledger().clone())))
    }

    /// The 64 values of a word, if all of its slots are live.
    #[inline]
    pub(crate) fn get_word(&self, word: usize) -> Option<&[T; WORD_SLOTS]> {
        self.words().full_word(word)?;
        let values = self.values().get(word * WORD_SLOTS..)?.first_chunk::<WORD_SLOTS>()?;
        let values = core::ptr::from_ref(values).cast::<[T; WORD_SLOTS]>();
        // SAFETY: all of these slots are live, as just tested, and so their values initialised
        // (invariant 2). `MaybeUninit<T>` has the layout of `T`.
        Some(unsafe { &*values })
    }
}

impl<W: Word, T> TableStorage<T, W> {
    /// Slots that were never used, every page touched. `is_synced`: the bitmap is synced whatever the number of slots.
    pub(crate) fn try_table(slots: usize, is_synced: bool) -> Result<Self, OutOfMemory> {
        Self::try_new(Needs { is_synced, ..Needs::NONE }, slots, 0, ())
    }
}

impl<T: Clone, K: SlotKind, L: Clone> Storage<T, Block<K>, L> {
    /// A copy with the same words. If a value's clone panics, what was copied is dropped. `touch`: touch every page.
    pub(crate) fn try_clone(&self, touch: bool) -> Result<Self, OutOfMemory> {
        let mut storage = self.try_like(touch)?;
        storage.clone_into_dead(self);
        Ok(storage)
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::slots::generation_settings::GenerationSettings;
    use crate::slots::{LedgerOf, Link};

    use crate::handle::{Handle, Word};
    use crate::slots::reuse::Intrusive;

    const PLAIN: GenerationSettings = GenerationSettings::PLAIN;
    type Ledger = LedgerOf<Intrusive, Handle<()>>;

    #[test]
    fn takes_unused_slots_that_were_made_for_its_values_and_no_others() {
        use std::panic::catch_unwind;

        type Linking = Block<(Intrusive, u32, u32)>;
        fn takes<T>(value: Layout, entries: usize, use_one: bool) -> bool {
            let made = catch_unwind(|| {
                let mut words =
                    SlotWords::of_unused(Linking::try_new(2, entries, value).unwrap(), false, 1);
                words.mark_used_until(usize::from(use_one));
                drop(Storage::<T, Linking>::of_unused(Slots::new(words, ())));
            });
            made.is_ok()
        }
        let [small, large] = [Layout::new::<u32>(), Layout::new::<[u32; 2]>()];
        assert!(takes::<u32>(small, 2, false) && takes::<[u32; 2]>(large, 0, false));
        assert!(takes::<()>(small, 2, false) && takes::<()>(large, 2, false));
        // Another size, another alignment, no room for links, links in place of no values, and a slot that was used.
        assert!(!takes::<u32>(large, 2, false) && !takes::<u64>(large, 2, false));
        assert!(!takes::<u32>(small, 0, false) && !takes::<()>(large, 0, false));
        assert!(!takes::<u32>(small, 2, true));
    }

    #[test]
    fn only_a_dead_slot_with_room_has_a_link() {
        let link = Link { next: 2, previous: 1 };
        type Roomy = PoolStorage<u64, Intrusive, Handle<()>>;
        let mut storage = Roomy::try_new(Ledger::NEEDS, 3, 1, Ledger::fresh(&PLAIN)).unwrap();
        storage.put(1, 1, 70);
        storage.words_mut().set_link(0, link);
        storage.words_mut().set_link(1, link);
        let links = [0, 1, 2].map(|index| storage.words().link(index));
        assert_eq!(links, [Some(link), Some(Link::NONE), Some(Link::NONE)]);
        assert_eq!(storage.get(1), Some(&70));
        // What a value leaves behind is none.
        assert_eq!(storage.take(1, 2.as_dead()), Some(70));
        assert_eq!(storage.words().link(1), Some(Link::NONE));

        type Narrow = PoolStorage<[u8; 7], Intrusive, Handle<()>>;
        let storage = Narrow::try_new(Ledger::NEEDS, 3, 1, Ledger::fresh(&PLAIN)).unwrap();
        assert!(!storage.words().holds_links());
    }
}
