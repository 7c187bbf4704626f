//! The saved form of a pool.

use alloc::vec::Vec;

use super::Pool;
use crate::handle::HandleLayout;
use crate::pools::settings::Settings;
use crate::reports::stats::Stats;
use crate::slots::reuse::{Queue, ReuseOrder};
use crate::slots::saved::{Checked, OrderOf};
use crate::snapshot::format::Refused;
use crate::snapshot::state::sealed;

impl<T, R: ReuseOrder, H: HandleLayout> sealed::Load for Pool<T, R, H> {
    const KIND: &'static str = "Pool";
    const REUSE_NAME: &'static str = R::NAME;
    const ORDER_OF: OrderOf = <R::Queue<H::Index> as Queue<H::Index>>::ORDER_OF;

    fn saved_stats(&self) -> Stats {
        self.stats()
    }

    fn load(checked: &Checked<H::Word>, values: Vec<(usize, T)>) -> Result<Self, Refused> {
        let capacity = checked.words.len();
        let mut pool = Self::from_settings(&Settings::of_capacity(capacity), false)
            .map_err(|_| Refused::out_of_memory(capacity))?;
        pool.storage.load(&checked.words, values, checked.inserted, checked.peak);
        pool.core.load(checked, pool.storage.slots_mut());
        Ok(pool)
    }
}
