//! The saved form of a static pool.

use alloc::vec::Vec;

use super::{StaticPool, StaticStorage};
use crate::handle::HandleLayout;
use crate::reports::stats::Stats;
use crate::slots::saved::{Checked, OrderOf};
use crate::snapshot::format::Refused;
use crate::snapshot::state::sealed;

impl<T, const N: usize, H: HandleLayout> sealed::Load for StaticPool<T, N, H> {
    const KIND: &'static str = "StaticPool";
    const REUSE_NAME: &'static str = "";
    const ORDER_OF: OrderOf = OrderOf::All;

    fn saved_stats(&self) -> Stats {
        self.stats()
    }

    fn load(checked: &Checked<H::Word>, values: Vec<(usize, T)>) -> Result<Self, Refused> {
        let found = checked.words.len();
        if found != N {
            return Err(Refused::new(alloc::format!(
                "a saved pool of {found} slots, expected {N}"
            )));
        }
        let start = checked.cycle.start();
        let mut pool = Self::with_handle();
        let ledger = pool.storage.ledger().clone();
        *pool.storage = StaticStorage::<T, N, H>::fresh(start, ledger);
        pool.storage.load(&checked.words, values, checked.inserted, checked.peak);
        pool.storage.slots_mut().load(checked);
        Ok(pool)
    }
}
