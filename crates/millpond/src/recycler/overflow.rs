use super::Recycler;
use crate::handle::HandleLayout;
use crate::overflow::{Lifetimes, sealed};
use crate::reuse::ReuseOrder;
use crate::stats::Stats;

impl<T, R: ReuseOrder, H: HandleLayout> Recycler<T, R, H> {
    /// Releases an object to make room for another.
    pub(crate) fn evict(&mut self, handle: H) {
        if self.release(handle) {
            self.handles.core_mut().count_eviction();
        }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> sealed::Sealed for Recycler<T, R, H> {}

impl<T, R: ReuseOrder, H: HandleLayout> Lifetimes for Recycler<T, R, H> {
    type Handle = H;

    fn capacity(&self) -> usize {
        self.capacity()
    }
    fn len(&self) -> usize {
        self.len()
    }
    fn is_full(&self) -> bool {
        self.is_full()
    }
    fn contains(&self, handle: H) -> bool {
        self.contains(handle)
    }
    fn stats(&self) -> Stats {
        self.stats()
    }
    fn is_in_last_lifetime(&self, handle: H) -> bool {
        Lifetimes::is_in_last_lifetime(&self.handles, handle)
    }
}
