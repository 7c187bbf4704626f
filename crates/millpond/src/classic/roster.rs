use core::fmt;

use crate::handle::Handle;
use crate::pools::recycler::Recycler;
use crate::reports::stats::Stats;
use crate::slots::reuse::{Roster, roster};

/// Design 1, the swap-delete pool: all slots in one array, a roster of them, and a partition.
///
/// ```text
/// slots      [ 0 ][ 1 ][ 2 ][ 3 ][ 4 ][ 5 ]    objects, live and dead; nothing ever moves
/// roster     [ 5 ][ 1 ][ 3 ][ 2 ]│[ 4 ][ 0 ]   a permutation of the slots
///                       partition 4            entries below are live; the entry at it comes next
/// ```
///
/// Allocation hands out the entry at the partition and moves the partition up. A free swaps the
/// slot's entry with the one below the partition and moves the partition down, so the slot freed last
/// comes next. Both are O(1), by the reverse table from slot to roster entry.
///
/// Nothing is stored in freed objects: the game may process **all** slots
/// ([`as_mut_slice`](Self::as_mut_slice)) without asking which are live.
///
/// **Memory**, all taken at creation: per slot the object, 8 bytes for roster and reverse table, 4 for
/// the generation, one bit.
///
/// The example of the design's publication, step by step:
///
/// ```
/// use millpond::classic::RosterPool;
///
/// let mut pool = RosterPool::<u32>::new(6);
/// assert_eq!(pool.roster(), [5, 4, 3, 2, 1, 0]);
///
/// let handles: Vec<_> = (0..5).map(|_| pool.allocate().unwrap()).collect();
/// assert_eq!(pool.partition(), 5);
/// assert_eq!(pool.next_slot(), Some(0));
///
/// let slot_4 = handles[1];
/// assert_eq!(slot_4.index(), 4);
/// pool.free(slot_4); // swaps roster entries 1 and 4
/// assert_eq!(pool.roster(), [5, 1, 3, 2, 4, 0]);
/// assert_eq!(pool.partition(), 4);
///
/// assert_eq!(pool.allocate().unwrap().index(), 4);
/// assert!(pool.get(slot_4).is_none()); // the old handle of the slot is refused
/// ```
#[derive(Clone)]
pub struct RosterPool<T> {
    slots: Recycler<T, Roster>,
}

impl<T> RosterPool<T> {
    /// A pool of nil objects: `T::default()`. The roster starts with the highest slot.
    ///
    /// # Panics
    ///
    /// If there is no memory for so many.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self
    where
        T: Default,
    {
        Self::from_fn(capacity, |_| T::default())
    }

    /// A pool of objects that the function makes from the indices of their slots.
    ///
    /// # Panics
    ///
    /// If there is no memory for so many.
    #[must_use]
    #[track_caller]
    pub fn from_fn(capacity: usize, make: impl FnMut(usize) -> T) -> Self {
        let mut slots = Recycler::builder().reuse(Roster).capacity(capacity).build_with(make);
        slots.allocator_mut().highest_first();
        Self { slots }
    }

    /// The handle of a slot that is now live; `None` when the partition has come to the end. The
    /// object is as it was when it was freed. O(1).
    #[inline]
    #[must_use = "a handle that is dropped leaves its slot live"]
    pub fn allocate(&mut self) -> Option<Handle<T>> {
        self.slots.acquire().map(|(handle, _)| handle)
    }

    /// Makes the slot dead. `false`, and nothing happens, if the handle is refused. O(1).
    #[inline]
    pub fn free(&mut self, handle: Handle<T>) -> bool {
        self.slots.release(handle)
    }

    /// The object, unless the handle is refused. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, handle: Handle<T>) -> Option<&T> {
        self.slots.get(handle)
    }

    /// The object, to change, unless the handle is refused. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: Handle<T>) -> Option<&mut T> {
        self.slots.get_mut(handle)
    }

    /// All objects, live and dead.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.slots.as_slice()
    }

    /// All objects, live and dead, to change.
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.slots.as_mut_slice()
    }

    /// The roster: every slot once, live ones below the [`partition`](Self::partition).
    #[inline]
    #[must_use]
    pub fn roster(&self) -> &[u32] {
        roster(self.slots.allocator().words())
    }

    /// How many slots are live, and where the roster is split.
    #[inline]
    #[must_use]
    pub fn partition(&self) -> usize {
        self.slots.allocator().words().live()
    }

    /// The slot that [`allocate`](Self::allocate) will hand out next.
    #[inline]
    #[must_use]
    pub fn next_slot(&self) -> Option<u32> {
        self.roster().get(self.partition() + self.slots.stats().retired).copied()
    }

    /// How many slots there are.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// How the pool stands, and what it has done. O(1).
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.slots.stats()
    }
}

#[cfg(feature = "validate")]
impl<T> RosterPool<T> {
    /// Checks that all which must hold does; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), crate::reports::validate::Violation> {
        self.slots.validate()
    }
}

impl<T: fmt::Debug> fmt::Debug for RosterPool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RosterPool")
            .field("partition", &self.partition())
            .field("roster", &self.roster())
            .field("live", &self.slots)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// That takes 2^32 lifetimes in a pool that programs can make.
    #[test]
    fn a_retired_slot_does_not_come_next() {
        let mut slots = Recycler::builder().reuse(Roster).capacity(2).lifetimes(1).build();
        slots.allocator_mut().highest_first();
        let mut pool: RosterPool<u8> = RosterPool { slots };
        let first = pool.allocate().unwrap();
        assert!(pool.free(first));
        assert_eq!((first.index(), pool.stats().retired), (1, 1));
        assert_eq!((pool.next_slot(), pool.allocate().unwrap().index()), (Some(0), 0));
        assert_eq!((pool.next_slot(), pool.allocate()), (None, None));
    }

    #[test]
    #[cfg(feature = "validate")]
    fn validation_looks_at_the_slots() {
        let mut pool = RosterPool::<u8>::new(3);
        pool.validate().unwrap();
        pool.slots.allocator_mut().order_mut().1.swap(0, 1);
        assert!(pool.validate().is_err());
    }
}
