//! Access without any check.
//!
//! # Invariant
//!
//! A handle that the pool contains is in a block that is there, and the block's own pool contains the
//! handle with the same generation and the index within the block.

use super::BlockPool;
use crate::handle::HandleLayout;
use crate::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// The value, without any check.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// let handle = pool.insert("a").unwrap();
    /// // SAFETY: the value was just inserted.
    /// assert_eq!(unsafe { pool.get_unchecked(handle) }, &"a");
    /// ```
    ///
    /// # Safety
    ///
    /// [`contains`](Self::contains) says `true` of the handle.
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked(&self, handle: H) -> &T {
        debug_assert!(self.contains(handle));
        let pool = self.pool_of(handle.index() as usize);
        // SAFETY: the pool contains the handle, so its block is there.
        let pool = unsafe { pool.unwrap_unchecked() };
        // SAFETY: the block's pool contains the handle.
        unsafe { pool.get_unchecked(self.inner(handle)) }
    }

    /// The value, to change, without any check.
    ///
    /// # Safety
    ///
    /// [`contains`](Self::contains) says `true` of the handle.
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked_mut(&mut self, handle: H) -> &mut T {
        debug_assert!(self.contains(handle));
        let inner = self.inner(handle);
        let pool = self.pool_of_mut(handle.index() as usize);
        // SAFETY: the pool contains the handle, so its block is there.
        let pool = unsafe { pool.unwrap_unchecked() };
        // SAFETY: the block's pool contains the handle.
        unsafe { pool.get_unchecked_mut(inner) }
    }
}
