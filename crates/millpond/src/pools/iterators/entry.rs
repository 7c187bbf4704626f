use core::fmt;

use crate::overflow::Bounded;

/// The free slot reserved for a pool's next value; returned by its method `vacant_entry`.
#[must_use = "an entry that is dropped inserts nothing"]
pub struct VacantEntry<'a, P: Bounded> {
    pool: &'a mut P,
    handle: P::Handle,
}

impl<'a, P: Bounded> VacantEntry<'a, P> {
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
        // The entry has borrowed the pool since this slot came next.
        let inserted = self.pool.insert_if_room(value).ok();
        assert!(inserted == Some(self.handle), "the pool's next slot is another one");
        self.handle
    }
}

impl<P: Bounded> fmt::Debug for VacantEntry<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VacantEntry").field("handle", &self.handle).finish_non_exhaustive()
    }
}
