//! The saved form of a pool.

use alloc::vec::Vec;

use super::Pool;
use crate::handle::HandleLayout;
use crate::pools::settings::Settings;
use crate::reports::stats::Stats;
use crate::slots::EntryOf;
use crate::slots::reuse::{Queue, ReuseOrder};
use crate::slots::saved::{Checked, OrderOf, fresh_cost_nothing};
use crate::snapshot::format::Refused;
use crate::snapshot::state::sealed;
use crate::values::PoolStorage;

/// The most addresses of a pool that was read and some of whose slots its file does not list: they are untouched. Where a
/// system that provides memory page by page is unlikely, or has few addresses, it is as much as a program may well have.
const UNLISTED_BYTES_MAX: usize =
    if cfg!(all(any(unix, windows), target_pointer_width = "64")) { 2 << 30 } else { 64 << 20 };

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
        let (capacity, listed) = (checked.slots, checked.words.len());
        let settings = Settings::of_capacity(capacity);
        let layout = settings.layout::<R, H>(PoolStorage::<T, R, H>::ROOM);
        let bytes = layout.map_or(usize::MAX, |layout| layout.size());
        if listed < capacity && bytes > UNLISTED_BYTES_MAX {
            return Err(Refused::unlisted(capacity, listed, UNLISTED_BYTES_MAX));
        }
        let mut pool = Self::from_settings(&settings, listed < capacity)
            .map_err(|_| Refused::out_of_memory(capacity))?;
        pool.storage.load(&checked.words, values, checked.inserted, checked.peak);
        pool.core.load(checked, pool.storage.slots_mut());
        Ok(pool)
    }
}
