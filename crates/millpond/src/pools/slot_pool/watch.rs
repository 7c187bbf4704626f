//! What a pool does for its debug aids.

use super::{Growth, PoolPlace, SlotPool};
use crate::handle::HandleLayout;
use crate::pools::watching::watching;
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// What watches over the slots, if any aid is enabled.
    pub(crate) fn watched(&self) -> Option<&crate::reports::debug::Watch> {
        self.storage.watched()
    }

    /// Inspects the slot that comes next, if there is one.
    #[track_caller]
    #[inline]
    pub(in crate::pools) fn inspect_next(&mut self) {
        if cfg!(feature = "debug-aids") && self.storage.watched().is_some() {
            if let Some(handle) = self.storage.slots_mut().peek() {
                self.storage.inspect(handle.index() as usize);
            }
        }
    }
}

watching! {
    [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>] SlotPool<T, G, R, H, P>, H
}
