//! Snapshots of a packed pool.

use core::ops::Range;

use super::{PackedGrowth, PackedSlotPool};
use crate::handle::{HandleLayout, Word};
use crate::reports::errors::PoolName;
use crate::reports::stats::Stats;
use crate::slots::reuse::OrderOf;
use crate::snapshot::state::Shape;
use crate::snapshot::{Checksum, State};
use crate::values::packed::PackedValues;

impl<T, G: PackedGrowth<H::Word>, H: HandleLayout> State for PackedSlotPool<T, G, H> {
    type Value = T;
    type Handle = H;
    const ORDER_OF: OrderOf = OrderOf::All;

    /// Pools of the same limit have the same shape, however far they have grown.
    fn shape(&self) -> Shape {
        Shape::new(self.slots_max(), &self.roster.cycle())
    }

    fn add_growth_to(&self, sum: &mut Checksum) {
        if self.growth.doubling().is_some() {
            sum.add(&self.capacity());
        }
    }

    fn into_past(mut self) -> Self {
        self.unwatch();
        self
    }

    fn detached(&self) -> &[(u32, u32)] {
        self.roster.detached().as_slice()
    }

    fn used(&self) -> usize {
        match self.former().len() {
            0 => self.roster.used(),
            former => self.capacity() + former,
        }
    }

    fn word(&self, index: usize) -> H::Word {
        self.word_of(index).unwrap_or(H::Word::RETIRED)
    }

    fn value(&self, index: usize) -> Option<&T> {
        self.get_at(index)
    }

    fn counted(&self) -> Stats {
        self.stats()
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.roster.order()
    }

    fn copy_state_from(&mut self, other: &Self)
    where
        T: Copy,
    {
        self.take_on(other, |values, others| values.copy_from(others));
    }

    fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        self.take_on(other, PackedValues::clone_from);
    }

    /// If the values' own code has panicked, only they are others: the roster, with what is out of the pool, follows them.
    fn empty(&mut self) {
        self.clear();
    }
}

impl<T, G: PackedGrowth<H::Word>, H: HandleLayout> PackedSlotPool<T, G, H> {
    fn take_on(
        &mut self,
        other: &Self,
        replace: impl FnOnce(&mut PackedValues<T>, &PackedValues<T>),
    ) {
        self.expect_slots_of(other);
        if self.become_like(other, replace).is_err() {
            panic!("no memory for the slots of {}", PoolName(self.name()));
        }
    }
}

#[cfg(feature = "serde")]
mod saved {
    use alloc::vec::Vec;

    use super::super::PackedRoster;
    use super::*;
    use crate::base::guard::{defuse, guard, half_way};
    use crate::base::memory::OutOfMemory;
    use crate::slots::generation_settings::GenerationSettings;
    use crate::slots::saved::Checked;
    use crate::snapshot::format::{NewPool, Refused, migrations, serde_of_pool};
    use crate::snapshot::{MigrateError, OldPool};

    impl<T, G: PackedGrowth<H::Word>, H: HandleLayout> From<PackedSlotPool<T, G, H>> for OldPool<T> {
        fn from(pool: PackedSlotPool<T, G, H>) -> Self {
            let with_slot = |(handle, value): (H, T)| (handle.index() as usize, value);
            Self::of(&pool).with(pool.into_iter().map(with_slot))
        }
    }

    impl<T, G: PackedGrowth<H::Word>, H: HandleLayout> NewPool for PackedSlotPool<T, G, H> {
        const KIND: &'static str = G::KIND;
        const GROWS: bool = G::GROWS;

        fn unused(state: &Checked<H::Word>) -> Result<Self, Refused> {
            let slots = if G::GROWS { 0 } else { state.slots };
            let roster = PackedRoster::try_new(slots, &GenerationSettings::PLAIN);
            let parts = roster.and_then(|roster| Ok((roster, PackedValues::try_new(slots)?)));
            let (roster, values) = parts.map_err(|OutOfMemory| Refused::out_of_memory(slots))?;
            Ok(Self { roster, values, growth: G::with_limit(state.slots_max) })
        }

        fn take_over(
            &mut self,
            state: &Checked<H::Word>,
            mut values: Vec<(usize, T)>,
        ) -> Result<(), MigrateError> {
            let slots = state.words.len();
            let out_of_memory = |OutOfMemory| MigrateError::OutOfMemory { slots };
            self.make_slots(slots).map_err(out_of_memory)?;
            self.clear();
            // Half-way between two states, the slots have other values than there are.
            let mut pool = guard(self, |pool| {
                let _ = pool.set_former(&[]);
                pool.roster.renew();
                pool.values.clear();
            });
            // Only a pool that was just read has some.
            pool.set_former(&state.former).map_err(out_of_memory)?;
            pool.roster.load(state);
            half_way();
            values.sort_unstable_by_key(|(index, _)| pool.roster.position_at(*index));
            for (_, value) in values {
                pool.values.extend([value]);
                half_way();
            }
            pool.roster.slots_mut().mark_used_until(slots + state.former.len());
            defuse(pool);
            Ok(())
        }
    }

    migrations! {
        [T, G: PackedGrowth<H::Word>, H: HandleLayout] PackedSlotPool<T, G, H>, T, H,
        example: "PackedPool"
    }

    serde_of_pool!(PackedSlotPool<T, G, H>, [T, G: PackedGrowth<H::Word>, H: HandleLayout], values T);
}
