//! Where the slots of each block are: a lookup goes straight from a handle to its slot's word and value, without
//! the block's pool.
//!
//! # Invariant
//!
//! 1. A block with a start in the table is [`Taken`](Block::Taken) by a pool of `slot_mask + 1` slots, and the
//!    start is that pool's own pointer to its words ([`Pool::starts`]).
//! 2. That pool's values begin `values_at` bytes after its words.
//!
//! A pool's memory stays where it is until the pool is dropped, wherever the pool itself moves. So [`Table::note`],
//! which tests the number of slots and `values_at`, is called once a block is there, and [`Table::forget`] or
//! [`Table::forget_all`] *before* a block's pool is dropped or replaced. The callers are all in `growth.rs`
//! (taking a block, giving it back, noting all blocks anew after a copy or a load) and in `snapshot.rs`
//! (restoring). A table that lacks a start is never unsound: handles into the block are refused.
//!
//! The starts are raw pointers, and what they point to is read and lent out only while the [`BlockPool`] is
//! borrowed as the pool of the block would have to be.

use alloc::vec::Vec;
use core::ptr::NonNull;

#[cfg(doc)]
use super::Block;
use super::BlockPool;
use crate::handle::{HandleLayout, Word};
use crate::memory::OutOfMemory;
use crate::pool::Pool;
use crate::reuse::ReuseOrder;

/// See the module.
#[derive(Debug)]
pub(super) struct Table<W> {
    /// Of each block the first word, if the block is there.
    starts: Vec<Option<NonNull<W>>>,
    /// Which bits of an index are the slot's in its block.
    slot_mask: usize,
    /// How many bytes after the first word the first value is; 0 until a block was there.
    values_at: usize,
}

// SAFETY: a start is followed only by methods of the `BlockPool` that owns the block, which is sent or shared
// only if its values and words may be.
unsafe impl<W: Send> Send for Table<W> {}
// SAFETY: as above.
unsafe impl<W: Sync> Sync for Table<W> {}

impl<W: Word> Table<W> {
    /// The table of no blocks.
    pub(super) fn new(slots_per_block: usize) -> Self {
        debug_assert!(slots_per_block.is_power_of_two());
        Self { starts: Vec::new(), slot_mask: slots_per_block - 1, values_at: 0 }
    }

    /// Which slot of its block a slot is.
    #[inline(always)]
    pub(super) fn slot_of(&self, index: usize) -> usize {
        index & self.slot_mask
    }

    /// Makes space for the blocks below this number. If there is no memory, nothing has changed.
    pub(super) fn try_grow(&mut self, blocks: usize) -> Result<(), OutOfMemory> {
        let more = blocks.saturating_sub(self.starts.len());
        self.starts.try_reserve(more).map_err(|_| OutOfMemory)
    }

    /// This block is there.
    pub(super) fn note<T, R: ReuseOrder, H: HandleLayout<Word = W>>(
        &mut self,
        block: usize,
        pool: &Pool<T, R, H>,
    ) {
        let (words, values) = pool.starts();
        let values_at = values.addr().get() - words.addr().get();
        if self.values_at == 0 {
            self.values_at = values_at;
        }
        let is_alike = values_at == self.values_at && pool.capacity() == self.slot_mask + 1;
        assert!(is_alike, "all blocks are laid out alike");
        if block >= self.starts.len() {
            self.starts.resize(block + 1, None);
        }
        self.starts[block] = Some(words);
    }

    /// This block is about to go.
    pub(super) fn forget(&mut self, block: usize) {
        if let Some(start) = self.starts.get_mut(block) {
            *start = None;
        }
    }

    /// Any block may be about to go.
    pub(super) fn forget_all(&mut self) {
        self.starts.clear();
    }

    /// Whether the table says of this block what is true of it.
    #[cfg(feature = "validate")]
    pub(super) fn agrees<T, R: ReuseOrder, H: HandleLayout<Word = W>>(
        &self,
        block: usize,
        pool: Option<&Pool<T, R, H>>,
    ) -> bool {
        let words = pool.map(|pool| pool.starts().0);
        self.starts.get(block).copied().flatten() == words
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// Where the handle's object is, if it lives.
    #[inline(always)]
    fn find(&self, handle: H) -> Option<NonNull<T>> {
        let index = handle.index() as usize;
        let words = (*self.table.starts.get(self.block_of(index))?)?;
        let slot = self.table.slot_of(index);
        // SAFETY: the block has a word for each slot up to the mask (invariant 1).
        let word = unsafe { words.add(slot) };
        // SAFETY: words are initialised, and nobody writes them while the block pool is borrowed.
        let word = unsafe { word.read() };
        // A block keeps its words as they are, and that of a dead slot is no handle's.
        if word != handle.word() {
            return None;
        }
        // SAFETY: the values begin there (invariant 2), in the same memory, one for each word.
        let values = unsafe { words.byte_add(self.table.values_at) };
        // SAFETY: as above.
        Some(unsafe { values.cast::<T>().add(slot) })
    }

    /// Whether the handle's object lives. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.find(handle).is_some()
    }

    /// The value, unless the handle is refused. O(1).
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.get(handle), Some(&"a"));
    /// pool.remove(handle);
    /// assert_eq!(pool.get(handle), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self, handle: H) -> Option<&T> {
        let value = self.find(handle)?;
        // SAFETY: the slot is live, so its value is initialised; it is lent out for as long as the block pool.
        Some(unsafe { value.as_ref() })
    }

    /// The value, to change, unless the handle is refused. O(1).
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// let handle = pool.insert(1).unwrap();
    /// if let Some(value) = pool.get_mut(handle) {
    ///     *value += 1;
    /// }
    /// assert_eq!(pool[handle], 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        let mut value = self.find(handle)?;
        // SAFETY: as in `get`, and the block pool is borrowed alone.
        Some(unsafe { value.as_mut() })
    }

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
        // SAFETY: `find` finds what the pool contains.
        let value = unsafe { self.find(handle).unwrap_unchecked() };
        // SAFETY: as in `get`.
        unsafe { value.as_ref() }
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
        // SAFETY: `find` finds what the pool contains.
        let mut value = unsafe { self.find(handle).unwrap_unchecked() };
        // SAFETY: as in `get_mut`.
        unsafe { value.as_mut() }
    }
}
