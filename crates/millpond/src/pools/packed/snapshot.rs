//! Snapshots of a packed pool.

use core::ops::Range;

use super::PackedPool;
use crate::handle::{HandleLayout, Word};
use crate::slots::Census;
use crate::snapshot::state::{Shape, sealed};

impl<T, H: HandleLayout> sealed::State for PackedPool<T, H> {
    type Value = T;
    type Handle = H;

    fn shape(&self) -> Shape {
        Shape::new(self.capacity(), &self.roster.circle())
    }

    fn into_past(mut self) -> Self {
        self.unwatch();
        self
    }

    fn used(&self) -> usize {
        self.roster.used()
    }

    fn word(&self, index: usize) -> H::Word {
        self.roster.slots().word(index).unwrap_or(H::Word::RETIRED)
    }

    fn value(&self, index: usize) -> Option<&T> {
        self.get_at(index)
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.roster.order()
    }
}

impl<T, H: HandleLayout> sealed::Restore for PackedPool<T, H> {
    fn copy_state_from(&mut self, other: &Self)
    where
        T: Copy,
    {
        self.note_restored(other);
        self.roster.copy_state_from(&other.roster);
        self.values.copy_from(&other.values);
    }

    fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        self.values.clone_from(&other.values);
        self.note_restored(other);
        self.roster.copy_state_from(&other.roster);
    }

    fn empty(&mut self) {
        self.clear();
    }
}

#[cfg(feature = "serde")]
mod saved {
    use alloc::vec::Vec;

    use super::*;
    use crate::pools::settings::Settings;
    use crate::reports::stats::Stats;
    use crate::slots::saved::{Checked, OrderOf};
    use crate::snapshot::format::{Refused, serde_of_pool};

    impl<T, H: HandleLayout> sealed::Load for PackedPool<T, H> {
        const KIND: &'static str = "PackedPool";
        const REUSE_NAME: &'static str = "";
        const ORDER_OF: OrderOf = OrderOf::All;

        fn saved_stats(&self) -> Stats {
            self.stats()
        }

        fn load(checked: &Checked<H::Word>, mut values: Vec<(usize, T)>) -> Result<Self, Refused> {
            let capacity = checked.words.len();
            let mut pool = Self::from_settings(&Settings::of_capacity(capacity))
                .map_err(|_| Refused::out_of_memory(capacity))?;
            pool.roster.load(checked);
            values.sort_unstable_by_key(|(index, _)| pool.roster.position_at(*index));
            pool.values.extend(values.into_iter().map(|(_, value)| value));
            Ok(pool)
        }
    }

    serde_of_pool!(PackedPool<T, H>, [T, H: HandleLayout], values T);
}
