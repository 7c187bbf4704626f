use super::Recycler;
use crate::handle::HandleLayout;
use crate::policies::lifetimes;
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> Recycler<T, R, H> {
    /// Releases an object to make room for another.
    #[track_caller]
    pub(crate) fn evict(&mut self, handle: H) {
        if self.release(handle) {
            self.handles.storage_mut().slots_mut().count_eviction();
        }
    }
}

lifetimes! {
    [T, R: ReuseOrder, H: HandleLayout] Recycler<T, R, H>, H,
    last: |recycler, handle| recycler.handles.ledger().is_last(handle.erase()),
}
