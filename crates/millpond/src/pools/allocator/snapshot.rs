//! Snapshots of a handle allocator.

use core::ops::Range;

use super::HandleAllocator;
use crate::handle::{HandleLayout, Word};
use crate::slots::reuse::{Queue, ReuseOrder};
use crate::snapshot::state::{Shape, sealed};

impl<R: ReuseOrder, H: HandleLayout> sealed::State for HandleAllocator<R, H> {
    type Value = ();
    type Handle = H;

    fn shape(&self) -> Shape {
        Shape::new(self.capacity(), &self.core.circle())
    }

    fn into_past(mut self) -> Self {
        self.unwatch();
        self
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.core.queue().order(self.storage.words(), self.used())
    }

    fn used(&self) -> usize {
        self.storage.words().used()
    }

    #[inline]
    fn word(&self, index: usize) -> H::Word {
        self.storage.words().get(index).unwrap_or(H::Word::RETIRED)
    }

    #[inline]
    fn value(&self, index: usize) -> Option<&()> {
        self.storage.get(index)
    }
}

impl<R: ReuseOrder, H: HandleLayout> sealed::Restore for HandleAllocator<R, H> {
    fn copy_state_from(&mut self, other: &Self) {
        let used = sealed::State::used(self).max(sealed::State::used(other));
        self.storage.copy_state_from(&other.storage, used);
        let entries = other.storage.words().entries();
        self.core.copy_state_from(&other.core, entries, used, self.storage.slots_mut());
    }

    fn clone_state_from(&mut self, other: &Self) {
        self.copy_state_from(other);
    }

    fn empty(&mut self) {
        self.clear();
    }
}

#[cfg(feature = "serde")]
mod saved {
    use alloc::vec::Vec;

    use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::*;
    use crate::pools::settings::Settings;
    use crate::reports::stats::Stats;
    use crate::slots::saved::{Checked, OrderOf};
    use crate::snapshot::format::Refused;
    use sealed::Written;

    impl<R: ReuseOrder, H: HandleLayout> sealed::Load for HandleAllocator<R, H> {
        const KIND: &'static str = "HandleAllocator";
        const REUSE_NAME: &'static str = R::NAME;
        const ORDER_OF: OrderOf = <R::Queue<H::Index> as Queue<H::Index>>::ORDER_OF;

        fn saved_stats(&self) -> Stats {
            self.stats()
        }

        fn load(checked: &Checked<H::Word>, _: Vec<(usize, ())>) -> Result<Self, Refused> {
            let capacity = checked.words.len();
            let mut slots = Self::from_settings(&Settings::of_capacity(capacity))
                .map_err(|_| Refused::out_of_memory(capacity))?;
            let live = (0..capacity).filter(|index| !checked.words[*index].is_dead());
            let live = live.map(|index| (index, ())).collect();
            slots.storage.load(&checked.words, live, checked.inserted, checked.peak);
            slots.core.load(checked, slots.storage.slots_mut());
            Ok(slots)
        }
    }

    /// Serialises everything that the allocator's future depends on, and its statistics; see
    /// [`snapshot`](crate::snapshot#saving-to-a-file).
    impl<R: ReuseOrder, H: HandleLayout> Serialize for HandleAllocator<R, H> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.write(serializer)
        }
    }

    /// Deserialises an allocator without a name; see
    /// [`snapshot`](crate::snapshot#saving-to-a-file).
    impl<'de, R: ReuseOrder, H: HandleLayout> Deserialize<'de> for HandleAllocator<R, H> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            Self::read(deserializer)
        }
    }
}
