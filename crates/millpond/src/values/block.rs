//! Values that lie in a block.

use core::alloc::Layout;
use core::marker::PhantomData;

use super::Storage;
use crate::slots::{Block, OwnSlots, SlotKind};

impl<T, K: SlotKind, L> Storage<T, Block<K>, L> {
    /// What a block of these slots has room for.
    pub(crate) const VALUE: Layout = Layout::new::<T>();

    /// The values of slots that were never used.
    ///
    /// # Panics
    ///
    /// If the slots were made for values of another layout; but they may be larger than values without size.
    pub(crate) fn of_unused(slots: OwnSlots<Block<K>, L>) -> Self {
        let slots = slots.expect_unused_for(Self::VALUE);
        // So the place has room for a `T` in each slot (invariant 1), none of which is live (2).
        let mut storage = Self { slots, values: PhantomData };
        if Self::IS_POISONED {
            storage.poison_dead(true);
        }
        if cfg!(feature = "debug-aids") {
            storage.mark_each_dead();
        }
        storage
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use crate::slots::SlotWords;
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
