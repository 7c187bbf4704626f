//! The saved form of a pool, and taking over the objects of another pool, with the generations of its slots.

use alloc::vec::Vec;

use super::{Growth, PoolPlace, SlotPool};
use crate::base::OutOfMemory;
use crate::base::guard::{defuse, guard, half_way};
use crate::handle::HandleLayout;
use crate::slots::reuse::ReuseOrder;
use crate::slots::saved::{Checked, fresh_cost_nothing};
use crate::snapshot::format::{NewPool, Refused, migrations, serde_of_pool};
use crate::snapshot::{MigrateError, OldPool, State};

serde_of_pool!(SlotPool<T, G, R, H, P>, [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>], values T);

migrations! {
    [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>] SlotPool<T, G, R, H, P>, T, H,
    example: "Pool"
}

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    From<SlotPool<T, G, R, H, P>> for OldPool<T>
{
    fn from(pool: SlotPool<T, G, R, H, P>) -> Self {
        let with_slot = |(handle, value): (H, T)| (handle.index() as usize, value);
        Self::of(&pool).with(pool.into_iter().map(with_slot))
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>> NewPool
    for SlotPool<T, G, R, H, P>
{
    const KIND: &'static str = G::KIND;
    const REUSE: &'static str = R::NAME;
    const GROWS: bool = G::GROWS;
    const FRESH_COST_NOTHING: bool = fresh_cost_nothing::<P::Entry>(Self::ORDER_OF);

    fn unused(state: &Checked<H::Word>) -> Result<Self, Refused> {
        let (storage, growth) = G::unused(state)?;
        Ok(Self::of_parts(storage, growth))
    }

    fn take_over(
        &mut self,
        state: &Checked<H::Word>,
        values: Vec<(usize, T)>,
    ) -> Result<(), MigrateError> {
        let slots = state.slots;
        let out_of_memory = |OutOfMemory| MigrateError::OutOfMemory { slots };
        let Self { storage, growth, .. } = self;
        storage.lend_to_grow(|own| growth.make_slots(slots, own)).map_err(out_of_memory)?;
        storage.clear();
        // Half-way between two states, the slots and their order do not agree.
        let mut pool = guard(self, |pool| {
            let _ = pool.growth.set_former(&[]);
            pool.detached.clear();
            pool.storage.renew();
        });
        let Self { storage, growth, detached, .. } = &mut **pool;
        // Only a pool that was just read has some.
        growth.set_former(&state.former).map_err(out_of_memory)?;
        detached.clear();
        half_way();
        for index in 0..storage.words().used().max(state.words.len()) {
            storage.watched().into_iter().for_each(|watch| watch.restored(index));
        }
        storage.load(&state.words, values, state.inserted, state.peak);
        // First, because the order finds its fresh slots by it.
        storage.recount(state.words.len() + state.former.len());
        storage.slots_mut().load(state);
        defuse(pool);
        Ok(())
    }
}
