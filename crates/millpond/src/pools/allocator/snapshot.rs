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
        Shape::new(self.capacity(), &self.ledger().cycle())
    }

    fn into_past(mut self) -> Self {
        self.unwatch();
        self
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.storage.slots().order()
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
        self.storage.slots_mut().copy_order_from(other.storage.slots(), used);
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
    use crate::pools::unused::slots_to_load;
    use crate::reports::stats::Stats;
    use crate::slots::EntryOf;
    use crate::slots::saved::{Checked, OrderOf, fresh_cost_nothing};
    use crate::snapshot::format::Refused;
    use crate::snapshot::{MigrateError, OldPool, migrate};
    use crate::values::PoolStorage;
    use sealed::{State, Written};

    impl<R: ReuseOrder, H: HandleLayout> HandleAllocator<R, H> {
        /// Takes over all handles of an old allocator, with the generations of its slots; see
        /// [`Pool::migrate_from`](crate::Pool::migrate_from).
        ///
        /// ```
        /// use millpond::reuse::Fifo;
        /// use millpond::{Handle, HandleAllocator};
        ///
        /// let mut old = HandleAllocator::new(2);
        /// let [first, second] = [(); 2].map(|()| old.acquire().unwrap());
        /// old.release(first);
        /// let mut rows = HandleAllocator::<Fifo, Handle<()>>::with_capacity(4);
        /// rows.migrate_from(old)?;
        /// assert!(rows.contains(second) && !rows.contains(first));
        /// # Ok::<(), millpond::snapshot::MigrateError>(())
        /// ```
        ///
        /// # Errors
        ///
        /// If the allocator cannot keep all generations; the [error](MigrateError) says what to change.
        pub fn migrate_from(&mut self, old: impl OldPool<Value = ()>) -> Result<(), MigrateError> {
            migrate(self, old, |_, ()| ())
        }

        /// Takes on a saved state of as many slots, in place of one in which no slot was ever used.
        fn load_state(&mut self, state: &Checked<H::Word>) {
            let live = (0..state.words.len()).filter(|index| !state.words[*index].is_dead());
            let values = live.map(|index| (index, ()));
            self.storage.load(&state.words, values, state.inserted, state.peak);
            self.storage.slots_mut().load(state);
        }
    }

    impl<R: ReuseOrder, H: HandleLayout> sealed::Leave for HandleAllocator<R, H> {
        const ORDER_OF: OrderOf = <R::Queue<H::Index> as Queue<H::Index>>::ORDER_OF;

        fn stats_left(&self) -> Stats {
            self.stats()
        }

        fn leave(self) -> Vec<(usize, ())> {
            self.handles().map(|handle| (handle.index() as usize, ())).collect()
        }
    }

    impl<R: ReuseOrder, H: HandleLayout> sealed::TakeOver for HandleAllocator<R, H> {
        const ORDER: OrderOf = <R::Queue<H::Index> as Queue<H::Index>>::ORDER_OF;
        const FRESH_COST_NOTHING: bool = fresh_cost_nothing::<EntryOf<R, H>>(Self::ORDER);

        fn slots_there(&self) -> usize {
            self.capacity()
        }

        fn take_over(
            &mut self,
            state: &Checked<H::Word>,
            _: Vec<(usize, ())>,
        ) -> Result<(), MigrateError> {
            self.clear();
            for index in 0..self.used().max(state.words.len()) {
                self.storage.watched().into_iter().for_each(|watch| watch.restored(index));
            }
            self.storage.forget_used();
            self.load_state(state);
            Ok(())
        }
    }

    impl<R: ReuseOrder, H: HandleLayout> sealed::Load for HandleAllocator<R, H> {
        const KIND: &'static str = "HandleAllocator";
        const REUSE_NAME: &'static str = R::NAME;
        const ORDER_OF: OrderOf = <R::Queue<H::Index> as Queue<H::Index>>::ORDER_OF;
        const MAY_LEAVE_OUT: bool = fresh_cost_nothing::<EntryOf<R, H>>(Self::ORDER_OF);

        fn saved_stats(&self) -> Stats {
            self.stats()
        }

        fn load(checked: &Checked<H::Word>, _: Vec<(usize, ())>) -> Result<Self, Refused> {
            let slots = slots_to_load(checked, PoolStorage::<(), R, H>::ROOM)?;
            let mut slots = Self::of_unused(slots);
            slots.load_state(checked);
            Ok(slots)
        }
    }

    /// Serialises everything that the allocator's future depends on, and its statistics; see
    /// [`snapshot`](crate::snapshot#saving-to-a-file).
    impl<R: ReuseOrder, H: HandleLayout> Serialize for HandleAllocator<R, H> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.write(false, serializer)
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
