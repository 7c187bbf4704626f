//! The blocks of an allocator of size classes: allocating them, moving them between classes, and
//! freeing them.
//!
//! Blocks are allocated from the global allocator in *chunks* of several adjacent blocks.
//!
//! ```text
//! chunk   [ block, used by a class ][ block, spare ][ not made yet … ]
//!           counts how many blocks                    ▲ `unmade`, in the newest chunk only
//!           of the chunk classes use
//! ```
//!
//! # Invariant
//!
//! 1. Every block of the chain `chunks` is the first of an allocation of as many blocks as its header says. It stays as
//!    long as a class uses a block of it. `reserved` is the one of `reserved_count` blocks, which stays until this is
//!    dropped, or dangling if there is none.
//! 2. `unmade` are the last `unmade_count` blocks of a chunk, whose headers were not written yet.
//! 3. A block in the list `spare` has no live slot, and no class uses it.
//! 4. There are at least as many spare and unmade blocks as are promised: `promised` is how many blocks
//!    the classes have reserved and do not have.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use super::block::Block;
use super::list::BlockList;
use millpond::__parts::OutOfMemory;
use millpond::__parts::address::behind;
use millpond::__parts::memory;
use millpond::__parts::sanitizer;

#[derive(Debug)]
pub(super) struct Blocks {
    spare: BlockList,
    spare_count: Cell<usize>,
    unmade: Cell<NonNull<u8>>,
    unmade_count: Cell<usize>,
    /// The first block of the chunk that the unmade ones are in.
    unmade_chunk: Cell<Option<Block>>,
    promised: Cell<usize>,
    /// The first block of the chunk taken last, which leads to the others.
    chunks: Cell<Option<Block>>,
    count: Cell<usize>,
    peak: Cell<usize>,
    max: usize,
    blocks_per_chunk: usize,
    reserved: NonNull<u8>,
    reserved_count: usize,
    block_bytes: usize,
}

// SAFETY: the memory that the pointers lead to belongs to this, and is reached through it alone.
unsafe impl Send for Blocks {}

impl Blocks {
    /// Allocates this many blocks, all of them promised and touched; there will never be more than
    /// `max`.
    #[inline]
    pub(super) fn try_new(
        block_bytes: usize,
        reserved_count: usize,
        max: usize,
        blocks_per_chunk: usize,
    ) -> Result<Self, OutOfMemory> {
        let mut blocks = Self {
            spare: BlockList::default(),
            spare_count: Cell::new(0),
            unmade: Cell::new(NonNull::dangling()),
            unmade_count: Cell::new(0),
            unmade_chunk: Cell::new(None),
            promised: Cell::new(reserved_count),
            chunks: Cell::new(None),
            count: Cell::new(0),
            peak: Cell::new(0),
            max,
            blocks_per_chunk,
            reserved: NonNull::dangling(),
            reserved_count: 0,
            block_bytes,
        };
        if reserved_count > 0 {
            let layout = blocks.chunk_layout(reserved_count)?;
            blocks.reserved = memory::take_touched(layout)?;
            blocks.reserved_count = reserved_count;
            // SAFETY: the memory was just allocated, has this many blocks, and stays until this is dropped.
            let first = unsafe { blocks.enter(blocks.reserved, reserved_count) };
            blocks.make_spare(first);
        }
        Ok(blocks)
    }

    #[inline]
    fn chunk_layout(&self, blocks: usize) -> Result<Layout, OutOfMemory> {
        let bytes = self.block_bytes.checked_mul(blocks).ok_or(OutOfMemory)?;
        Layout::from_size_align(bytes, self.block_bytes).map_err(|_| OutOfMemory)
    }

    /// The reserved blocks: the first address, and the number of bytes.
    #[inline]
    pub(super) fn reserved_range(&self) -> (usize, usize) {
        (self.reserved.as_ptr().addr(), self.reserved_count * self.block_bytes)
    }

    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count.get()
    }

    /// Whether there may be no more blocks.
    #[inline]
    pub(super) fn is_at_limit(&self) -> bool {
        self.count.get() >= self.max
    }

    #[inline]
    pub(super) fn peak(&self) -> usize {
        self.peak.get()
    }

    /// The number of blocks that no class uses.
    #[inline]
    pub(super) fn unused(&self) -> usize {
        self.spare_count.get() + self.unmade_count.get()
    }

    /// A block for a class, with no slot in it yet. `is_promised`: whether the class has fewer
    /// blocks than it has reserved.
    #[inline]
    pub(super) fn take(&self, is_promised: bool) -> Option<Block> {
        if is_promised {
            self.promised.set(self.promised.get() - 1);
        } else if self.unused() == self.promised.get() {
            let grown = self.grow()?;
            return Some(self.start(grown));
        }
        let block = self.spare.pop();
        if block.is_some() {
            self.spare_count.set(self.spare_count.get() - 1);
        }
        block.or_else(|| self.make()).map(|block| self.start(block))
    }

    /// A class uses the block from now on.
    #[inline]
    fn start(&self, block: Block) -> Block {
        block.reset(self.block_bytes);
        block.chunk().count_used(1);
        block
    }

    /// The first of the unmade blocks.
    #[inline]
    fn make(&self) -> Option<Block> {
        self.unmade_count.set(self.unmade_count.get().checked_sub(1)?);
        let memory = self.unmade.get();
        self.unmade.set(behind(memory, self.block_bytes));
        // SAFETY: the memory is a block of the chunk, aligned as all are (invariant 2).
        Some(unsafe { Block::create(memory, self.unmade_chunk.get()) })
    }

    #[inline]
    fn make_spare(&self, block: Block) {
        self.spare.push(block);
        self.spare_count.set(self.spare_count.get() + 1);
    }

    /// Enters a chunk of new blocks, all of which but the first are unmade, and returns the first.
    ///
    /// # Safety
    ///
    /// The memory has this many blocks, is aligned to one, and stays as long as a class uses one.
    #[inline]
    unsafe fn enter(&self, memory: NonNull<u8>, blocks: usize) -> Block {
        // The rest of the previous chunk is not forgotten.
        while let Some(block) = self.make() {
            self.make_spare(block);
        }
        // SAFETY: the memory has at least one block.
        let first = unsafe { Block::create(memory, None) };
        first.set_chunk_blocks(blocks);
        self.chain(first);
        self.unmade.set(behind(memory, self.block_bytes));
        self.unmade_count.set(blocks - 1);
        self.unmade_chunk.set(Some(first));
        self.count.set(self.count.get() + blocks);
        self.peak.set(self.peak.get().max(self.count.get()));
        first
    }

    #[inline]
    fn chain(&self, first: Block) {
        first.next_chunk().set(self.chunks.replace(Some(first)));
    }

    /// Allocates a chunk, and returns its first block. If there is not enough memory for the whole
    /// chunk, tries one block.
    #[inline]
    fn grow(&self) -> Option<Block> {
        let blocks = self.blocks_per_chunk.min(self.max.saturating_sub(self.count.get()));
        if blocks == 0 {
            return None;
        }
        let chunk = |blocks| Some((memory::take(self.chunk_layout(blocks).ok()?).ok()?, blocks));
        let (memory, blocks) = chunk(blocks).or_else(|| chunk(1))?;
        // SAFETY: the memory was just allocated for this many blocks, and is freed only when the
        // first leaves the chain, after no class uses any of them.
        Some(unsafe { self.enter(memory, blocks) })
    }

    /// A class returns an empty block. `is_promised`: whether the class now has fewer blocks than
    /// it has reserved.
    #[inline]
    pub(super) fn give_back(&self, block: Block, is_promised: bool) {
        block.chunk().count_used(-1);
        self.make_spare(block);
        self.promised.set(self.promised.get() + usize::from(is_promised));
    }

    /// Frees the chunks that were not reserved, have no block in use, and are not needed for what
    /// is promised; returns how many blocks they had.
    #[inline]
    pub(super) fn shrink_to_fit(&self) -> usize {
        let mut given_back = 0;
        let mut next = self.chunks.take();
        while let Some(first) = next {
            next = first.next_chunk().get();
            let blocks = first.chunk_blocks();
            let may_go = first.chunk_used() == 0 && first.memory() != self.reserved;
            if may_go && self.unused() - blocks >= self.promised.get() {
                self.forget_blocks_of(first);
                self.free(first);
                given_back += blocks;
            } else {
                self.chain(first);
            }
        }
        given_back
    }

    /// Removes the blocks of a chunk, which no class uses, from the spare and the unmade ones.
    #[inline]
    fn forget_blocks_of(&self, first: Block) {
        let mut made = first.chunk_blocks();
        if self.unmade_chunk.get() == Some(first) {
            made -= self.unmade_count.take();
            self.unmade_chunk.set(None);
        }
        for at in 0..made {
            // SAFETY: the chunk has this many blocks that were made.
            let block = unsafe { first.neighbour(at, self.block_bytes) };
            self.spare.remove(block);
        }
        self.spare_count.set(self.spare_count.get() - made);
    }

    /// Frees a chunk that has left the chain, no block of which is used any more.
    #[inline]
    fn free(&self, first: Block) {
        let blocks = first.chunk_blocks();
        self.count.set(self.count.get() - blocks);
        if let Ok(layout) = self.chunk_layout(blocks) {
            sanitizer::unpoison_at(first.memory().as_ptr(), layout.size());
            // SAFETY: it was taken with this layout (invariant 1), and it is no longer used.
            unsafe { memory::give_back(first.memory(), layout) };
        }
    }
}

/// Frees the blocks with all live slots: nothing can use these any more, because every user borrows
/// this.
impl Drop for Blocks {
    #[inline]
    fn drop(&mut self) {
        while let Some(first) = self.chunks.get() {
            self.chunks.set(first.next_chunk().get());
            self.free(first);
        }
    }
}
