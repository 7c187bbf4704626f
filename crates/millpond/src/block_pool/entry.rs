use core::fmt;

use super::BlockPool;
use crate::handle::{Handle, HandleLayout};
use crate::reuse::{Lifo, ReuseOrder};

/// The slot that a pool's next value goes to; made by [`BlockPool::vacant_entry`].
#[must_use = "an entry that is dropped inserts nothing"]
pub struct VacantEntry<'a, T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    pub(super) pool: &'a mut BlockPool<T, R, H>,
    pub(super) handle: H,
}

impl<T, R: ReuseOrder, H: HandleLayout> VacantEntry<'_, T, R, H> {
    /// The handle that the value will have. It is refused until then.
    #[inline]
    #[must_use]
    pub fn handle(&self) -> H {
        self.handle
    }

    /// Moves the value in. O(1).
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert(self, value: T) -> H {
        // The entry has held the pool since it asked for the handle.
        self.pool.insert_peeked(self.handle, value);
        self.handle
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> fmt::Debug for VacantEntry<'_, T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VacantEntry").field("handle", &self.handle).finish_non_exhaustive()
    }
}
