#[cfg(feature = "__c")]
#[allow(unsafe_code)]
pub(crate) mod beside;

use crate::handle::{Handle, HandleLayout};
use crate::occupancy::Runs;
use crate::pools::pool::{OneBlock, Pool, PoolBuilder};
use crate::pools::slot_pool::{Fixed, SlotPool};
use crate::reports::errors::InsertAtError;
use crate::slots::reuse::{Lifo, ReuseOrder};

/// Handles without storage, for programs that keep their own arrays: structure of arrays, slots in
/// a GPU buffer, rows of a file.
///
/// It is a name of a [`Pool`] of values without a size, so it has all that a pool has; below are the names for it that speak
/// of handles.
///
/// **Memory**: each slot takes a generation word (4 bytes; 2 with [`Handle32`](crate::Handle32) of
/// 16 or more index bits), one bit, and the [reuse order](crate::reuse)'s data. All of it is
/// allocated at creation.
///
/// ```
/// use millpond::HandleAllocator;
///
/// const CAPACITY: usize = 1000;
/// let mut particles = HandleAllocator::new(CAPACITY);
/// let mut x = vec![0.0; CAPACITY];
/// let mut speed = vec![0.0; CAPACITY];
///
/// let handle = particles.acquire().unwrap();
/// x[handle.index() as usize] = 3.0;
/// speed[handle.index() as usize] = 0.5;
///
/// // Live particles are adjacent: each run is a plain loop over slices.
/// for run in particles.slot_runs() {
///     for (x, speed) in x[run.clone()].iter_mut().zip(&speed[run]) {
///         *x += speed;
///     }
/// }
/// assert!(particles.release(handle));
/// assert!(!particles.release(handle));
/// ```
pub type HandleAllocator<R = Lifo, H = Handle<()>> = SlotPool<(), Fixed, R, H, OneBlock<R, H>>;

/// Builds a [`HandleAllocator`].
pub type HandleAllocatorBuilder<T, R, H> = PoolBuilder<T, R, H>;

/// Pools of handles alone.
impl<R: ReuseOrder, H: HandleLayout> Pool<(), R, H> {
    /// Makes a free slot live and returns its handle, or `None` if no slot is free. O(1); in the
    /// [reuse order](crate::reuse) `Lifo` amortised once `acquire_at` is used.
    ///
    /// ```
    /// use millpond::HandleAllocator;
    ///
    /// let mut slots = HandleAllocator::new(1);
    /// let handle = slots.acquire().unwrap();
    /// assert_eq!(slots.acquire(), None);
    /// slots.release(handle);
    /// assert_eq!(slots.acquire().unwrap().index(), handle.index());
    /// ```
    #[inline]
    #[must_use = "a handle that is dropped leaves its slot live"]
    #[track_caller]
    pub fn acquire(&mut self) -> Option<H> {
        self.insert(()).ok()
    }

    /// Returns the handle that [`acquire`](Self::acquire) will return next, or `None` if no slot is
    /// free. It is refused until then.
    #[inline]
    #[must_use]
    pub fn next_handle(&mut self) -> Option<H> {
        self.storage.slots_mut().peek().map(H::from_erased)
    }

    /// Makes exactly this handle live, for loading a saved state. O(1) amortised.
    ///
    /// ```
    /// use millpond::{Handle, HandleAllocator};
    ///
    /// let mut slots = HandleAllocator::new(10);
    /// let saved = Handle::from_parts(7, 3).unwrap();
    /// slots.acquire_at(saved).unwrap();
    /// assert!(slots.contains(saved));
    /// assert!(slots.acquire_at(saved).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// As [`insert_at`](Self::insert_at).
    #[track_caller]
    pub fn acquire_at(&mut self, handle: H) -> Result<(), InsertAtError<()>> {
        self.insert_at(handle, ()).map(|_| ())
    }

    /// Ends the handle's lifetime. Returns `false`, and does nothing, if the handle is refused.
    /// O(1).
    #[inline]
    #[track_caller]
    pub fn release(&mut self, handle: H) -> bool {
        self.remove(handle).is_some()
    }

    /// Iterates over the runs of live slots in index order, as ranges of indices for slicing your
    /// own arrays.
    #[inline]
    pub fn slot_runs(&self) -> Runs<'_> {
        self.storage.words().occupancy_to_walk().runs()
    }
}

#[cfg(test)]
impl<R: ReuseOrder, H: HandleLayout> Pool<(), R, H> {
    /// The order, to be broken.
    #[allow(clippy::type_complexity, reason = "the order and its entries")]
    pub(crate) fn order_mut(
        &mut self,
    ) -> (&mut R::Queue<H::Index>, &mut [crate::slots::EntryOf<R, H>]) {
        self.storage.slots_mut().order_mut()
    }
}
