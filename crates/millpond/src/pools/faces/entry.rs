use core::fmt;

use super::sealed::Face;

/// The slot that a pool's next value goes to; made by its method `vacant_entry`.
#[must_use = "an entry that is dropped inserts nothing"]
pub struct VacantEntry<'a, P: Face> {
    pool: &'a mut P,
    handle: P::Handle,
}

impl<'a, P: Face> VacantEntry<'a, P> {
    /// The pool's next slot has this handle.
    #[inline]
    pub(crate) fn new(pool: &'a mut P, handle: P::Handle) -> Self {
        Self { pool, handle }
    }

    /// The handle that the value will have. It is refused until then.
    #[inline]
    #[must_use]
    pub fn handle(&self) -> P::Handle {
        self.handle
    }

    /// Moves the value in. O(1).
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert(self, value: P::Value) -> P::Handle {
        // The entry has held the pool since it asked for the handle.
        self.pool.put_next(self.handle, value);
        self.handle
    }
}

impl<P: Face> fmt::Debug for VacantEntry<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VacantEntry").field("handle", &self.handle).finish_non_exhaustive()
    }
}
