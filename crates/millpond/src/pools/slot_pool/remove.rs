//! Removal of one object, of some, and of all.

use super::{Growth, PoolPlace, SlotPool};
use crate::handle::HandleLayout;
use crate::pools::iterators::{Drain, ExtractIf};
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// Moves the handle's value out, or returns `None` if the handle is refused. O(1). Every
    /// copy of `handle` is stale afterwards.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.remove(handle), Some("a"));
    /// assert_eq!(pool.remove(handle), None);
    /// ```
    #[doc(alias = "free")]
    #[doc(alias = "despawn")]
    #[doc(alias = "delete")]
    // Always inlined, for the reason that `insert` gives.
    #[inline(always)]
    #[track_caller]
    pub fn remove(&mut self, handle: H) -> Option<T> {
        self.note_removal(handle);
        self.storage.remove(handle.index() as usize, handle.word())
    }

    /// Moves the value out of slot `index`, or returns `None` if the slot is not live. O(1).
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.remove_at(0), Some("a"));
    /// assert_eq!(pool.remove_at(0), None);
    /// assert!(!pool.contains(handle));
    /// ```
    #[inline]
    #[track_caller]
    pub fn remove_at(&mut self, index: usize) -> Option<T> {
        if cfg!(feature = "debug-aids") {
            if let Some(handle) = self.handle_at(index) {
                self.note_removal(handle);
            }
        }
        self.storage.end(index)
    }

    /// Moves all values out, in index order. Dropping the iterator removes the values that it has not returned;
    /// leaking it leaves them in the pool.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.drain().collect::<Vec<_>>(), [(handle, "a")]);
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    #[inline]
    #[track_caller]
    pub fn drain(&mut self) -> Drain<'_, Self> {
        self.note_iteration();
        Drain::new(self)
    }

    /// Moves out the values for which `choose` returns `true`, one at a time, in index order. Values that the
    /// iterator has not reached stay in the pool.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// for i in 0..6 {
    ///     pool.insert(i).unwrap();
    /// }
    /// let even: Vec<_> = pool.extract_if(|_, value| *value % 2 == 0).map(|(_, v)| v).collect();
    /// assert_eq!(even, [0, 2, 4]);
    /// assert_eq!(pool.len(), 3);
    /// ```
    #[inline]
    #[track_caller]
    pub fn extract_if<F: FnMut(H, &mut T) -> bool>(&mut self, choose: F) -> ExtractIf<'_, Self, F> {
        self.note_iteration();
        ExtractIf::new(self, choose)
    }

    /// Calls `keep` once per live object, in index order, and removes the values for which it returns `false`. It
    /// removes them in batches: each is dropped at most 63 calls of `keep` later. If `keep` panics, the object of
    /// that call and all later ones stay in the pool; if a value's drop panics, the values not yet dropped stay.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// for frames_left in [3, 1, 2] {
    ///     pool.insert(frames_left).unwrap();
    /// }
    /// pool.retain(|_, frames_left| {
    ///     *frames_left -= 1;
    ///     *frames_left > 0
    /// });
    /// assert_eq!(pool.values().copied().collect::<Vec<_>>(), [2, 1]);
    /// ```
    #[track_caller]
    pub fn retain(&mut self, mut keep: impl FnMut(H, &mut T) -> bool) {
        if cfg!(feature = "debug-aids") && self.remembers_removals() {
            return self.extract_if(|handle, value| !keep(handle, value)).for_each(drop);
        }
        self.storage.retain(keep);
    }

    /// Removes and drops all values. O(capacity). Every handle is stale afterwards, and the
    /// next insertions use the lowest slots. If the drop of a value panics, the values not yet
    /// dropped stay in the pool.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// pool.clear();
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    #[track_caller]
    pub fn clear(&mut self) {
        self.note_removal_of_all();
        self.storage.clear();
    }
}
