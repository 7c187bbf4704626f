//! The blocks of an allocator of size classes: taking them, passing them between classes, and giving
//! them back.
//!
//! # Invariant
//!
//! 1. `reserved` is one allocation of `reserved_count` blocks, or dangling if there are none; it is freed
//!    when this is dropped, and not before.
//! 2. Every block in the list `grown` is an allocation of its own, and no other block is; it is freed
//!    when it leaves the list.
//! 3. A block in the list `spare` has no live slot, and no class uses it.
//! 4. There are at least as many spare blocks as are promised: `promised` is how many blocks the classes
//!    have reserved and do not have.

use alloc::alloc::{alloc, dealloc};
use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use super::block::{Block, ListKind};
use super::list::BlockList;
use crate::memory::OutOfMemory;

#[derive(Debug)]
pub(super) struct Blocks {
    spare: BlockList,
    spare_count: Cell<usize>,
    promised: Cell<usize>,
    grown: BlockList,
    count: Cell<usize>,
    peak: Cell<usize>,
    max: usize,
    reserved: NonNull<u8>,
    reserved_count: usize,
    /// Of one block.
    layout: Layout,
}

// SAFETY: the memory that `reserved` points to belongs to this, and is reached through it alone.
unsafe impl Send for Blocks {}

impl Blocks {
    /// So many blocks, all of them promised, touched; there will never be more than `max`.
    pub(super) fn try_new(
        block_bytes: usize,
        reserved_count: usize,
        max: usize,
    ) -> Result<Self, OutOfMemory> {
        let layout = Layout::from_size_align(block_bytes, block_bytes).map_err(|_| OutOfMemory)?;
        let mut blocks = Self {
            spare: BlockList::new(ListKind::Room),
            spare_count: Cell::new(0),
            promised: Cell::new(0),
            grown: BlockList::new(ListKind::Grown),
            count: Cell::new(0),
            peak: Cell::new(0),
            max,
            reserved: NonNull::dangling(),
            reserved_count: 0,
            layout,
        };
        if reserved_count > 0 {
            blocks.reserve(reserved_count)?;
        }
        Ok(blocks)
    }

    fn reserve(&mut self, count: usize) -> Result<(), OutOfMemory> {
        let bytes = self.layout.size().checked_mul(count).ok_or(OutOfMemory)?;
        let layout =
            Layout::from_size_align(bytes, self.layout.align()).map_err(|_| OutOfMemory)?;
        self.reserved = take(layout)?;
        self.reserved_count = count;
        // SAFETY: the memory was just taken, with as many bytes.
        unsafe { self.reserved.write_bytes(0, bytes) };
        // From the last, so that the lowest is handed out first.
        for at in (0..count).rev() {
            // SAFETY: the block is within the memory.
            let memory = unsafe { self.reserved.add(at * self.layout.size()) };
            // SAFETY: the memory is aligned to a block, as each block in it is, and stays until this is
            // dropped.
            self.spare.push(unsafe { Block::create(memory) });
        }
        self.spare_count.set(count);
        self.promised.set(count);
        self.count.set(count);
        self.peak.set(count);
        Ok(())
    }

    /// Where the reserved blocks are: the first address, and how many bytes.
    pub(super) fn reserved_range(&self) -> (usize, usize) {
        (self.reserved.as_ptr().addr(), self.reserved_count * self.layout.size())
    }

    pub(super) fn count(&self) -> usize {
        self.count.get()
    }

    /// Whether there may be no more blocks.
    pub(super) fn is_at_limit(&self) -> bool {
        self.count.get() >= self.max
    }

    pub(super) fn peak(&self) -> usize {
        self.peak.get()
    }

    pub(super) fn spare(&self) -> usize {
        self.spare_count.get()
    }

    /// A block for a class, with no slot in it yet. Whether it is promised: the class has fewer than it
    /// has reserved.
    pub(super) fn take(&self, is_promised: bool) -> Option<Block> {
        let block = if is_promised {
            self.promised.set(self.promised.get() - 1);
            self.take_spare()?
        } else if self.spare_count.get() > self.promised.get() {
            self.take_spare()?
        } else {
            self.grow()?
        };
        block.reset();
        Some(block)
    }

    fn take_spare(&self) -> Option<Block> {
        let block = self.spare.pop()?;
        self.spare_count.set(self.spare_count.get() - 1);
        Some(block)
    }

    fn grow(&self) -> Option<Block> {
        if self.is_at_limit() {
            return None;
        }
        let memory = take(self.layout).ok()?;
        // SAFETY: the memory was just taken, with the size and alignment of a block, and is freed only
        // when the block leaves the list below.
        let block = unsafe { Block::create(memory) };
        self.grown.push(block);
        self.count.set(self.count.get() + 1);
        self.peak.set(self.peak.get().max(self.count.get()));
        Some(block)
    }

    /// A class gives an empty block back. Whether it is promised: the class has fewer now than it has
    /// reserved.
    pub(super) fn give_back(&self, block: Block, is_promised: bool) {
        self.spare.push(block);
        self.spare_count.set(self.spare_count.get() + 1);
        self.promised.set(self.promised.get() + usize::from(is_promised));
    }

    /// Gives spare blocks back that were not reserved and are not promised; says how many.
    pub(super) fn shrink_to_fit(&self) -> usize {
        let mut given_back = 0;
        let mut next = self.spare.first();
        while let Some(block) = next.filter(|_| self.spare_count.get() > self.promised.get()) {
            next = self.spare.next(block);
            let (from, bytes) = self.reserved_range();
            if block.memory().as_ptr().addr().wrapping_sub(from) < bytes {
                continue;
            }
            self.spare.remove(block);
            self.spare_count.set(self.spare_count.get() - 1);
            self.free(block);
            given_back += 1;
        }
        given_back
    }

    /// Frees a block of the list `grown` that is in no other.
    fn free(&self, block: Block) {
        self.grown.remove(block);
        self.count.set(self.count.get() - 1);
        // SAFETY: the block is an allocation of its own, of this layout (invariant 2), and nobody uses
        // it any more.
        unsafe { dealloc(block.memory().as_ptr(), self.layout) };
    }
}

/// Memory of the global allocator.
fn take(layout: Layout) -> Result<NonNull<u8>, OutOfMemory> {
    assert!(layout.size() > 0);
    // SAFETY: the layout has a size, as just tested.
    NonNull::new(unsafe { alloc(layout) }).ok_or(OutOfMemory)
}

/// What is still live in the blocks is gone: whoever could use it has borrowed this.
impl Drop for Blocks {
    fn drop(&mut self) {
        while let Some(block) = self.grown.first() {
            self.free(block);
        }
        if self.reserved_count > 0 {
            let bytes = self.reserved_count * self.layout.size();
            if let Ok(layout) = Layout::from_size_align(bytes, self.layout.align()) {
                // SAFETY: it was taken with this layout (invariant 1).
                unsafe { dealloc(self.reserved.as_ptr(), layout) };
            }
        }
    }
}
