use core::fmt;

use super::sealed::HasEntries;

/// The free slot reserved for a pool's next value; returned by its method `vacant_entry`.
#[must_use = "an entry that is dropped inserts nothing"]
pub struct VacantEntry<'a, P: HasEntries> {
    pool: &'a mut P,
    handle: P::Handle,
}

impl<'a, P: HasEntries> VacantEntry<'a, P> {
    /// The pool's next slot has this handle.
    #[inline]
    pub(crate) fn new(pool: &'a mut P, handle: P::Handle) -> Self {
        Self { pool, handle }
    }

    /// Returns the value's future handle. It is refused until the value is inserted.
    #[inline]
    #[must_use]
    pub fn handle(&self) -> P::Handle {
        self.handle
    }

    /// Moves `value` into the slot and returns its handle. O(1).
    #[inline]
    #[track_caller]
    pub fn insert(self, value: P::Value) -> P::Handle {
        // The entry has borrowed the pool since it peeked the handle.
        self.pool.put_next(self.handle, value);
        self.handle
    }
}

impl<P: HasEntries> fmt::Debug for VacantEntry<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VacantEntry").field("handle", &self.handle).finish_non_exhaustive()
    }
}
