use core::fmt;

use super::PackedPool;
use crate::handle::HandleLayout;

/// The slot that a packed pool's next value goes to; made by [`PackedPool::vacant_entry`].
#[must_use = "an entry that is dropped inserts nothing"]
pub struct VacantEntry<'a, T, H: HandleLayout> {
    pub(super) pool: &'a mut PackedPool<T, H>,
    pub(super) handle: H,
}

impl<T, H: HandleLayout> VacantEntry<'_, T, H> {
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
        match self.pool.insert(value) {
            Ok(handle) => {
                debug_assert_eq!(handle, self.handle);
                handle
            }
            Err(_) => unreachable!("an entry holds the pool, which had a vacant slot"),
        }
    }
}

impl<T, H: HandleLayout> fmt::Debug for VacantEntry<'_, T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VacantEntry").field("handle", &self.handle).finish_non_exhaustive()
    }
}
