//! Snapshots of a side table.

use core::iter;
use core::ops::Range;

use super::SideTable;
use super::growth::TableGrowth;
use crate::handle::{HandleLayout, Word};
use crate::reports::stats::Stats;
use crate::slots::AnyCycle;
use crate::slots::reuse::OrderOf;
use crate::snapshot::State;
use crate::snapshot::state::Shape;

impl<H: HandleLayout, V> State for SideTable<H, V> {
    type Value = V;
    type Handle = H;
    const ORDER_OF: OrderOf = OrderOf::Nothing;

    /// A table has no generations of its own.
    fn shape(&self) -> Shape {
        let (capacity, capacity_max) = match self.growth {
            TableGrowth::Never => (self.capacity(), self.capacity()),
            TableGrowth::InProportion => (Shape::GROWS, usize::MAX),
            TableGrowth::UpTo(slots_max) => (Shape::GROWS, slots_max),
        };
        let cycle = AnyCycle::from_to(0, H::LIFETIMES_MAX, H::LIFETIMES_MAX, true);
        Shape { capacity, capacity_max, cycle }
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

    /// In a file, the counters hold how the table grows.
    fn counted(&self) -> Stats {
        let (grows, slots_max) = match self.growth {
            TableGrowth::Never => (0, 0),
            TableGrowth::InProportion => (1, 0),
            TableGrowth::UpTo(slots_max) => (1, slots_max.min(H::CAPACITY_MAX)),
        };
        let capacity = self.capacity();
        Stats { capacity, inserted: grows, peak: slots_max, ..Stats::default() }
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        iter::empty()
    }

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
        self.expect_slots_of(other);
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
    use crate::handle;
    use crate::pools::settings::BuildError;
    use crate::slots::saved::Checked;
    use crate::snapshot::MigrateError;
    use crate::snapshot::format::{NewPool, Refused, serde_of_pool};

    impl<H: HandleLayout, V> SideTable<H, V> {
        /// Takes over all values of an old table, with the generations of its slots, for a pool that has [taken
        /// over](crate::Pool::migrate_from) the objects. The table keeps its own limit, and its own values are dropped.
        ///
        /// ```
        /// use millpond::{Pool, SideTable};
        ///
        /// let mut old = Pool::new(2);
        /// let barge = old.insert("barge").unwrap();
        /// let mut old_cargo = SideTable::with_capacity(2);
        /// old_cargo.insert(barge, "coal").unwrap();
        ///
        /// let mut ships = Pool::new(4);
        /// let mut cargo = SideTable::with_capacity(4);
        /// ships.migrate_from(old)?;
        /// cargo.migrate_from(old_cargo)?;
        /// assert_eq!(cargo[barge], "coal");
        /// # Ok::<(), millpond::snapshot::MigrateError>(())
        /// ```
        ///
        /// # Errors
        ///
        /// If the table may have fewer slots than the old one used, a value's handle has a generation that the table's
        /// handle layout does not have, or memory runs out. The table is then unchanged.
        ///
        /// # Panics
        ///
        /// If the drop of one of the table's own values panics.
        pub fn migrate_from<K: HandleLayout>(
            &mut self,
            old: SideTable<K, V>,
        ) -> Result<(), MigrateError> {
            self.migrate_with(old, |_, value| value)
        }

        /// Like [`migrate_from`](Self::migrate_from), for values of a type that has changed: `convert` makes each value
        /// from its handle and the old value.
        ///
        /// ```
        /// use millpond::{Handle, Handle32, SideTable};
        ///
        /// let barge = Handle::<u8>::from_parts(0, 1).unwrap();
        /// let old = SideTable::from_iter([(barge, 5_u8)]);
        /// let mut cargo = SideTable::<Handle32<u8>, u32>::new();
        /// cargo.migrate_with(old, |_, crates| u32::from(crates))?;
        /// assert_eq!(cargo[Handle32::from_parts(0, 1).unwrap()], 5);
        /// # Ok::<(), millpond::snapshot::MigrateError>(())
        /// ```
        ///
        /// # Errors
        ///
        /// If `migrate_from` would fail. `convert` is not called then.
        ///
        /// # Panics
        ///
        /// If `convert` panics, and the table is unchanged then, but for its capacity; or if `migrate_from` does.
        pub fn migrate_with<K: HandleLayout, U>(
            &mut self,
            old: SideTable<K, U>,
            mut convert: impl FnMut(H, U) -> V,
        ) -> Result<(), MigrateError> {
            let old_used = old.storage.words().used();
            let words = (0..old_used).map(|slot| kept_word::<K, H>(slot, old.word(slot)));
            let mut words = words.collect::<Result<Vec<_>, _>>()?;
            let never = H::Word::ZERO.as_dead();
            let used = words.iter().rposition(|word| *word != never).map_or(0, |last| last + 1);
            self.reserve(used).map_err(|error| match error {
                BuildError::OutOfMemory { capacity } => {
                    MigrateError::OutOfMemory { slots: capacity }
                }
                _ => MigrateError::TooFewSlots { needed: used, capacity_max: self.limit() },
            })?;
            words.resize(self.capacity(), never);
            let values = old.into_iter().map(|(handle, value)| {
                let index = handle.index() as usize;
                (index, convert(handle::kept::<H>(index, words[index]), value))
            });
            let values: Vec<_> = values.collect();
            self.clear();
            let live = values.len();
            self.storage.load(&words, values, live as u64, live);
            Ok(())
        }
    }

    /// The state of a slot in the words of another layout. Where that does not have the generation of the last value that
    /// is gone, it has none of the handles that are stale, either.
    fn kept_word<K: HandleLayout, H: HandleLayout>(
        slot: usize,
        word: K::Word,
    ) -> Result<H::Word, MigrateError> {
        let generation = word.generation();
        match (word.is_dead(), generation <= H::LIFETIMES_MAX) {
            (true, true) => Ok(H::Word::from_generation(generation).as_dead()),
            (false, true) => Ok(H::Word::from_generation(generation)),
            (true, false) => Ok(H::Word::ZERO.as_dead()),
            (false, false) => Err(MigrateError::BeyondLifetimes { slot, generation }),
        }
    }

    impl<H: HandleLayout, V> NewPool for SideTable<H, V> {
        const KIND: &'static str = "SideTable";
        const COUNTS: bool = false;

        fn unused(state: &Checked<H::Word>) -> Result<Self, Refused> {
            let capacity = state.slots;
            Self::try_with_capacity(capacity).map_err(|_| Refused::out_of_memory(capacity))
        }

        fn take_over(
            &mut self,
            state: &Checked<H::Word>,
            values: Vec<(usize, V)>,
        ) -> Result<(), MigrateError> {
            let live = values.len();
            self.storage.load(&state.words, values, live as u64, live);
            self.growth = match (state.inserted, state.peak) {
                (0, _) => TableGrowth::Never,
                (_, 0) => TableGrowth::InProportion,
                (_, slots_max) => TableGrowth::UpTo(slots_max),
            };
            Ok(())
        }
    }

    serde_of_pool!(SideTable<H, V>, [H: HandleLayout, V], values V);
}
