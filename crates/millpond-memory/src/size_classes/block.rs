//! One block of memory, divided into slots of one size: the unsafe code that allocates and frees a slot.
//!
//! ```text
//! block   [ header: 64 bytes | slot | slot | slot | …            | rest, too small for a slot ]
//!                              ▲ dead: its first 4 bytes lead to the next dead slot
//!                                             ▲ fresh: from here on no slot was ever used
//! ```
//!
//! # Invariant
//!
//! 1. The memory of a [`Block`] has `block_bytes` bytes, is aligned to as many, begins with a [`Header`], is exposed,
//!    and stays valid while any copy of the `Block` is used: this is the contract of [`Block::create`].
//! 2. A slot is *dead*, *fresh* or *live*. The dead slots are in the list that begins at `header.free`; the first four
//!    bytes of each are the offset of the next one, or 0. The fresh slots start at `header.fresh`. All others are live
//!    and belong to the program.
//! 3. Offsets count from the start of the block; a slot lies wholly between the header and the block's
//!    end, and is at least [`GRANULE`] bytes long.
//!
//! Headers are changed through `Cell`s only, slots through raw pointers only, so that no reference ever
//! covers what another pointer writes.

use core::cell::Cell;
use core::ptr::{self, NonNull};

use millpond::__parts::address::behind;
use millpond::__parts::sanitizer;

pub(super) const BLOCK_BYTES_MIN: usize = 1024;
pub(super) const BLOCK_BYTES_MAX: usize = 1 << 30;
/// The sizes of slots are multiples of this, and so are their addresses.
pub(super) const GRANULE: usize = 8;
/// The size of the header at the beginning of a block.
pub(super) const HEADER_BYTES: usize = size_of::<Header>();
const _: () = assert!(HEADER_BYTES == 64, "as documented");
/// The largest alignment of slots.
pub(super) const ALIGN_MAX: usize = align_of::<Header>();

/// The header of a block.
#[derive(Debug)]
#[repr(C, align(64))]
struct Header {
    free: Cell<u32>,
    fresh: Cell<u32>,
    live: Cell<u32>,
    /// Of the first block of a chunk: how many blocks the chunk has, and how many of them classes use.
    chunk_blocks: Cell<u32>,
    chunk_used: Cell<u32>,
    /// Whether the block is in the list of its class' blocks with room.
    is_listed: Cell<bool>,
    list: Cell<Links>,
    /// The first block of the chunk that was taken before this one.
    next_chunk: Cell<Option<Block>>,
    /// The first block of the chunk, unless this is it.
    chunk: Option<Block>,
}

/// The neighbours of a block in a list.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Links {
    pub(super) next: Option<Block>,
    pub(super) previous: Option<Block>,
}

/// A block, by the address of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block(NonNull<Header>);

// SAFETY: a block's memory belongs to one allocator, which is used by one thread at a time,
// together with its blocks.
unsafe impl Send for Block {}

impl Block {
    /// A block without a class, of the chunk that begins with another block or with itself.
    ///
    /// # Safety
    ///
    /// The memory has `block_bytes` bytes, is aligned to as many, which are a power of two and more than
    /// [`HEADER_BYTES`], is nobody else's, and stays as long as any copy of the block is used.
    #[inline]
    pub(super) unsafe fn create(memory: NonNull<u8>, chunk: Option<Block>) -> Self {
        let header = memory.cast::<Header>();
        // So that a slot's address leads back to the block.
        let _ = memory.as_ptr().expose_provenance();
        let fresh = Header {
            free: Cell::new(0),
            fresh: Cell::new(0),
            live: Cell::new(0),
            chunk_blocks: Cell::new(0),
            chunk_used: Cell::new(0),
            is_listed: Cell::new(false),
            list: Cell::default(),
            next_chunk: Cell::new(None),
            chunk,
        };
        // SAFETY: the memory has room for a header, and is aligned for it.
        unsafe { header.write(fresh) };
        Self(header)
    }

    #[inline]
    fn header(&self) -> &Header {
        // SAFETY: the header is there (invariant 1), and only `Cell`s of it are ever changed.
        unsafe { self.0.as_ref() }
    }

    /// The block's memory.
    #[inline]
    pub(super) fn memory(self) -> NonNull<u8> {
        self.0.cast()
    }

    /// The address at this offset from the block's start.
    #[inline]
    fn at(self, offset: usize) -> *mut u8 {
        self.memory().as_ptr().wrapping_add(offset)
    }

    /// The first block of the chunk.
    #[inline]
    pub(super) fn chunk(self) -> Self {
        self.header().chunk.unwrap_or(self)
    }

    /// Of the first block of a chunk: how many blocks the chunk has.
    #[inline]
    pub(super) fn chunk_blocks(self) -> usize {
        self.header().chunk_blocks.get() as usize
    }

    #[inline]
    pub(super) fn set_chunk_blocks(self, blocks: usize) {
        self.header().chunk_blocks.set(blocks as u32);
    }

    /// Of the first block of a chunk: how many of the chunk's blocks classes use.
    #[inline]
    pub(super) fn chunk_used(self) -> u32 {
        self.header().chunk_used.get()
    }

    #[inline]
    pub(super) fn count_used(self, change: i32) {
        self.header().chunk_used.set(self.chunk_used().wrapping_add_signed(change));
    }

    /// The block that comes this many blocks later in the chunk.
    ///
    /// # Safety
    ///
    /// The chunk goes on for this many blocks, which have this many bytes, and they were created.
    #[inline]
    pub(super) unsafe fn neighbour(self, blocks: usize, block_bytes: usize) -> Self {
        // The chunk is one allocation, and extends that far.
        Self(behind(self.memory(), blocks * block_bytes).cast())
    }

    /// Forgets all slots: from now on they are fresh, and of the size that is requested next. The
    /// block has this many bytes.
    #[inline]
    pub(super) fn reset(self, block_bytes: usize) {
        debug_assert_eq!(self.live(), 0);
        sanitizer::poison_at(self.at(HEADER_BYTES), block_bytes - HEADER_BYTES);
        self.header().free.set(0);
        self.header().fresh.set(HEADER_BYTES as u32);
    }

    /// The number of live slots.
    #[inline]
    pub(super) fn live(self) -> u32 {
        self.header().live.get()
    }

    #[inline]
    pub(super) fn is_listed(self) -> bool {
        self.header().is_listed.get()
    }

    #[inline]
    pub(super) fn set_listed(self, is_listed: bool) {
        self.header().is_listed.set(is_listed);
    }

    /// The neighbours in the list of a class' blocks with room, or of the blocks without a class.
    #[inline]
    pub(super) fn links(&self) -> &Cell<Links> {
        &self.header().list
    }

    #[inline]
    pub(super) fn next_chunk(&self) -> &Cell<Option<Block>> {
        &self.header().next_chunk
    }

    /// Makes a dead or fresh slot live; `None` if there is none. All slots of the block must have
    /// this size, a multiple of [`GRANULE`].
    #[inline]
    pub(super) fn take(self, slot_bytes: usize, block_bytes: usize) -> Option<NonNull<u8>> {
        let header = self.header();
        let mut offset = header.free.get() as usize;
        if offset != 0 {
            // SAFETY: the offset is that of a dead slot, within the block (invariants 2 and 3), which begins with the
            // offset of the next one.
            header.free.set(unsafe { self.at(offset).cast::<u32>().read() });
        } else {
            offset = header.fresh.get() as usize;
            if offset + slot_bytes > block_bytes {
                return None;
            }
            header.fresh.set((offset + slot_bytes) as u32);
        }
        header.live.set(header.live.get() + 1);
        sanitizer::unpoison_at(self.at(offset), slot_bytes);
        // SAFETY: the offset is that of a slot, within the block.
        Some(unsafe { self.memory().add(offset) })
    }

    /// Makes a live slot of this size dead, and returns the block that it lies in.
    ///
    /// # Safety
    ///
    /// The slot is a live one of a block of this many bytes, and is no longer used.
    #[inline]
    pub(super) unsafe fn give_back(
        slot: NonNull<u8>,
        slot_bytes: usize,
        block_bytes: usize,
    ) -> Self {
        let offset = slot.as_ptr().addr() & (block_bytes - 1);
        let start = ptr::with_exposed_provenance_mut::<Header>(slot.as_ptr().addr() - offset);
        // SAFETY: the block is aligned to its size, so this is its address, which is not null.
        let block = Self(unsafe { NonNull::new_unchecked(start) });
        let header = block.header();
        // Not through `slot` itself, whose provenance may cover only the freed value, which may be
        // smaller than a link. SAFETY: the slot, within the block, now belongs to it, and is long enough for a link.
        unsafe { block.at(offset).cast::<u32>().write(header.free.get()) };
        sanitizer::poison_at(block.at(offset + GRANULE), slot_bytes - GRANULE);
        header.free.set(offset as u32);
        header.live.set(header.live.get() - 1);
        block
    }
}
