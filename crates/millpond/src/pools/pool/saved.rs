//! The saved form of a pool.

use alloc::vec::Vec;

use super::Pool;
use crate::handle::HandleLayout;
use crate::pools::unused::slots_to_load;
use crate::reports::stats::Stats;
use crate::slots::EntryOf;
use crate::slots::reuse::{Queue, ReuseOrder};
use crate::slots::saved::{Checked, OrderOf, fresh_cost_nothing};
use crate::snapshot::format::Refused;
use crate::snapshot::state::sealed;
use crate::values::PoolStorage;

impl<T, R: ReuseOrder, H: HandleLayout> sealed::Load for Pool<T, R, H> {
    const KIND: &'static str = "Pool";
    const REUSE_NAME: &'static str = R::NAME;
    const ORDER_OF: OrderOf = <R::Queue<H::Index> as Queue<H::Index>>::ORDER_OF;
    // An allocator that is asked for more than a cache line writes zeros.
    const MAY_LEAVE_OUT: bool =
        fresh_cost_nothing::<EntryOf<R, H>>(Self::ORDER_OF) && align_of::<T>() <= 64;

    fn saved_stats(&self) -> Stats {
        self.stats()
    }

    fn load(checked: &Checked<H::Word>, values: Vec<(usize, T)>) -> Result<Self, Refused> {
        let mut pool = Self::of_unused(slots_to_load(checked, PoolStorage::<T, R, H>::VALUE)?);
        pool.storage.load(&checked.words, values, checked.inserted, checked.peak);
        pool.storage.slots_mut().load(checked);
        Ok(pool)
    }
}
