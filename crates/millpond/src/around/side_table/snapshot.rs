//! Snapshots of a side table.

use core::iter;
use core::ops::Range;

use super::SideTable;
use super::growth::Growth;
use crate::handle::{HandleLayout, Word};
use crate::snapshot::state::{Shape, sealed};

impl<H: HandleLayout, V> sealed::State for SideTable<H, V> {
    type Value = V;
    type Handle = H;

    /// A table has no generations of its own.
    fn shape(&self) -> Shape {
        let (capacity, capacity_max) = match self.growth {
            Growth::Never => (self.capacity(), self.capacity()),
            Growth::InProportion => (Shape::GROWS, usize::MAX),
            Growth::UpTo(slots_max) => (Shape::GROWS, slots_max),
        };
        Shape { capacity, capacity_max, first: 0, last: H::LIFETIMES_MAX, wraps: true }
    }

    fn used(&self) -> usize {
        self.storage.words().used()
    }

    #[inline]
    fn word(&self, index: usize) -> H::Word {
        self.storage.words().get(index).unwrap_or(H::Word::RETIRED)
    }

    #[inline]
    fn value(&self, index: usize) -> Option<&V> {
        self.storage.get(index)
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        iter::empty()
    }
}

impl<H: HandleLayout, V> sealed::Restore for SideTable<H, V> {
    fn copy_state_from(&mut self, other: &Self)
    where
        V: Copy,
    {
        self.make_room_like(other);
        self.storage.copy_state_from(&other.storage, self.used_beside(other));
    }

    fn clone_state_from(&mut self, other: &Self)
    where
        V: Clone,
    {
        self.make_room_like(other);
        self.storage.clone_state_from(&other.storage, self.used_beside(other));
    }

    fn empty(&mut self) {
        self.clear();
    }
}

impl<H: HandleLayout, V> SideTable<H, V> {
    /// Makes room for the slots that `other` uses, and forgets those that `other` lacks. Only
    /// matters for a table that has grown.
    fn make_room_like(&mut self, other: &Self) {
        if self.storage.words().used() > other.capacity() {
            self.clear();
            self.storage.forget_words();
        }
        let used = other.storage.words().used();
        if used > self.capacity() {
            let Ok(()) = self.storage.try_grow_table(used) else {
                panic!("no memory for {used} slots of a side table");
            };
        }
    }

    /// Slots from here on were never used in this table, nor in the other.
    fn used_beside(&self, other: &Self) -> usize {
        self.storage.words().used().max(other.storage.words().used())
    }
}

#[cfg(feature = "serde")]
mod saved {
    use alloc::vec::Vec;

    use super::*;
    use crate::reports::stats::Stats;
    use crate::slots::saved::{Checked, OrderOf};
    use crate::snapshot::format::{Refused, serde_of_pool};

    impl<H: HandleLayout, V> sealed::Load for SideTable<H, V> {
        const KIND: &'static str = "SideTable";
        const COUNTS: bool = false;
        const REUSE_NAME: &'static str = "";
        const ORDER_OF: OrderOf = OrderOf::Nothing;

        /// The counters hold how the table grows.
        fn saved_stats(&self) -> Stats {
            let (grows, slots_max) = match self.growth {
                Growth::Never => (0, 0),
                Growth::InProportion => (1, 0),
                Growth::UpTo(slots_max) => (1, slots_max.min(H::CAPACITY_MAX)),
            };
            Stats { inserted: grows, peak: slots_max, ..Stats::default() }
        }

        fn load(checked: &Checked<H::Word>, values: Vec<(usize, V)>) -> Result<Self, Refused> {
            let capacity = checked.words.len();
            let mut table =
                Self::try_with_capacity(capacity).map_err(|_| Refused::out_of_memory(capacity))?;
            let live = values.len();
            table.storage.load(&checked.words, values, live as u64, live);
            table.growth = match (checked.inserted, checked.peak) {
                (0, _) => Growth::Never,
                (_, 0) => Growth::InProportion,
                (_, slots_max) => Growth::UpTo(slots_max),
            };
            Ok(table)
        }
    }

    serde_of_pool!(SideTable<H, V>, [H: HandleLayout, V], values V);
}
