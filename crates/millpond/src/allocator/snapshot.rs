//! The past of a handle allocator.

use core::ops::Range;

use super::HandleAllocator;
use crate::handle::{HandleLayout, Word};
use crate::reuse::{Queue, ReuseOrder};
use crate::snapshot::state::{self, Shape, sealed};
use crate::snapshot::{SnapshotOf, snapshot_methods};

impl<R: ReuseOrder, H: HandleLayout> sealed::State for HandleAllocator<R, H> {
    type Value = ();
    type Handle = H;

    fn shape(&self) -> Shape {
        Shape::new(self.capacity(), self.core.circle())
    }

    fn used(&self) -> usize {
        self.core.used(&self.words)
    }

    #[inline]
    fn word(&self, index: usize) -> H::Word {
        self.words.get(index).unwrap_or(H::Word::RETIRED)
    }

    #[inline]
    fn value(&self, index: usize) -> Option<&()> {
        self.words.is_live(index).then_some(&())
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.core.queue().order(&self.words, self.used())
    }
}

/// The past.
impl<R: ReuseOrder, H: HandleLayout> HandleAllocator<R, H> {
    /// Everything that the allocator's future depends on, as it is now; see [`snapshot`](crate::snapshot).
    /// Takes the memory of a second allocator; [`save_into`](Self::save_into) uses it again, and takes none.
    ///
    /// ```
    /// use millpond::HandleAllocator;
    ///
    /// let mut slots = HandleAllocator::new(8);
    /// let handle = slots.acquire().unwrap();
    /// let snapshot = slots.snapshot();
    /// slots.release(handle);
    /// slots.restore(&snapshot).unwrap();
    /// assert!(slots.contains(handle));
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> SnapshotOf<Self> {
        SnapshotOf::new(self.clone(), Self::take_over)
    }

    snapshot_methods!(@common);

    /// A sum over everything that the future depends on: which handles are live, the generations, and which
    /// slots come next. Allocators in the same state have the same sum, on every machine. O(used slots).
    #[must_use]
    pub fn checksum(&self) -> u64 {
        state::checksum_of_values(self)
    }

    pub(crate) fn take_over(&mut self, other: &Self) {
        let used = self.core.used(&self.words).max(other.core.used(&other.words));
        self.words.take_over(&other.words, used);
        self.core.take_over(&other.core, used);
    }

    /// The sealed trait's view of a pool that has this allocator.
    pub(crate) fn used(&self) -> usize {
        self.core.used(&self.words)
    }
}
