use core::fmt;

use super::StaticPool;
use crate::handle::HandleLayout;

/// The slot that a static pool's next value goes to; made by [`StaticPool::vacant_entry`].
#[must_use = "an entry that is dropped inserts nothing"]
pub struct VacantEntry<'a, T, const N: usize, H: HandleLayout> {
    pub(super) pool: &'a mut StaticPool<T, N, H>,
    pub(super) handle: H,
}

impl<T, const N: usize, H: HandleLayout> VacantEntry<'_, T, N, H> {
    /// The handle that the value will have. It is refused until then.
    #[inline]
    #[must_use]
    pub fn handle(&self) -> H {
        self.handle
    }

    /// Moves the value in. O(1).
    #[inline]
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

impl<T, const N: usize, H: HandleLayout> fmt::Debug for VacantEntry<'_, T, N, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VacantEntry").field("handle", &self.handle).finish_non_exhaustive()
    }
}
