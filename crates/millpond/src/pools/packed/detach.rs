//! Values that are out of the pool for a while, and keep their slots.

use super::{PackedGrowth, PackedSlotPool};
use crate::handle::HandleLayout;
use crate::reports::errors::InsertAtError;

impl<T, G: PackedGrowth<H::Word>, H: HandleLayout> PackedSlotPool<T, G, H> {
    /// Moves the handle's value out and keeps its slot for it, or returns `None` if the handle is refused; see
    /// [`Pool::detach`](crate::Pool::detach). The last value takes its place. A pool that grows keeps the slot when it
    /// [shrinks](Self::shrink_to_fit). O(1), plus O(detached values).
    ///
    /// ```
    /// # use millpond::*; let mut pool = PackedPool::new(3);
    /// let [red, green] = ["red", "green"].map(|spark| pool.insert(spark).unwrap());
    /// let spark = pool.detach(red).unwrap();
    /// pool.insert("blue").unwrap();
    /// pool.reattach(red, spark).unwrap();
    /// assert_eq!(pool.as_slice(), ["green", "blue", "red"]);
    /// ```
    #[doc(alias = "take_reserve")]
    #[must_use = "the value is dropped, and its slot is lost unless another one is reattached"]
    #[track_caller]
    pub fn detach(&mut self, handle: H) -> Option<T> {
        self.note_removal(handle);
        let position = self.position_of(handle)?;
        self.roster.detach(handle.erase(), position);
        Some(self.values.swap_remove(position))
    }

    /// Puts `value` into the slot of a [detached](Self::detach) one, after the other values. The handle is valid again. O(1),
    /// plus O(detached values).
    ///
    /// ```
    /// # use millpond::*; let mut pool = PackedPool::new(1);
    /// let red = pool.insert("red").unwrap();
    /// let spark = pool.detach(red).unwrap();
    /// assert!(pool.insert("blue").is_err()); // the slot is kept
    /// pool.reattach(red, spark).unwrap();
    /// assert_eq!(pool[red], "red");
    /// ```
    ///
    /// # Errors
    ///
    /// If no value with this handle is detached. The error returns `value`.
    #[doc(alias = "put_back")]
    #[must_use = "a refused handle returns the value in the error, and ignoring it drops the value"]
    #[track_caller]
    pub fn reattach(&mut self, handle: H, value: T) -> Result<H, InsertAtError<T>> {
        self.inspect_next();
        match self.roster.reattach(handle.erase()) {
            Ok(()) => {
                self.values.push(value);
                Ok(handle)
            }
            Err(kind) => Err(self.error_at(handle, kind, value)),
        }
    }

    /// Frees the slot of a [detached](Self::detach) value, which will not come back: every copy of `handle` is stale for
    /// ever. Returns whether such a value was detached. O(1), plus O(detached values).
    ///
    /// ```
    /// # use millpond::*; let mut pool = PackedPool::new(1);
    /// let red = pool.insert("red").unwrap();
    /// drop(pool.detach(red).unwrap());
    /// assert!(pool.free_detached(red) && !pool.free_detached(red));
    /// assert!(pool.insert("blue").is_ok() && !pool.contains(red));
    /// ```
    #[doc(alias = "forget_ticket")]
    pub fn free_detached(&mut self, handle: H) -> bool {
        self.roster.end_detached(handle.erase())
    }

    /// Returns the handles of the [detached](Self::detach) values, in index order.
    ///
    /// ```
    /// # use millpond::*; let mut pool = PackedPool::new(2);
    /// let [red, green] = ["red", "green"].map(|spark| pool.insert(spark).unwrap());
    /// drop(pool.detach(green));
    /// assert_eq!(pool.detached().collect::<Vec<_>>(), [green]);
    /// ```
    pub fn detached(&self) -> impl ExactSizeIterator<Item = H> + '_ {
        self.roster.detached().handles()
    }
}
