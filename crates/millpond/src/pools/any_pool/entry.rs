use core::fmt;

use super::{AnyPool, CoercesFrom};
use crate::handle::HandleLayout;
use crate::slots::reuse::ReuseOrder;

/// The free slot reserved for a pool's next value; returned by [`AnyPool::vacant_entry`].
#[must_use = "an entry that is dropped inserts nothing"]
pub struct VacantEntry<'a, D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> {
    pub(super) pool: &'a mut AnyPool<D, SLOT_BYTES, R, H>,
    pub(super) handle: H,
}

impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout>
    VacantEntry<'_, D, SLOT_BYTES, R, H>
{
    /// Returns the value's future handle. It is refused until the value is inserted.
    #[inline]
    #[must_use]
    pub fn handle(&self) -> H {
        self.handle
    }

    /// Moves `value` into the slot and returns its handle. O(1).
    #[inline]
    #[track_caller]
    pub fn insert<T: 'static>(self, value: T) -> H
    where
        D: CoercesFrom<T>,
    {
        match self.pool.insert(value) {
            Ok(handle) => {
                debug_assert_eq!(handle, self.handle);
                handle
            }
            Err(_) => unreachable!("an entry holds the pool, which had a vacant slot"),
        }
    }
}

impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> fmt::Debug
    for VacantEntry<'_, D, SLOT_BYTES, R, H>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VacantEntry").field("handle", &self.handle).finish_non_exhaustive()
    }
}
