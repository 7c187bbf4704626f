//! [`SizeClasses`], an allocator for vectors, boxes and maps, and what its methods return.

#[allow(unsafe_code)]
mod block;
#[allow(unsafe_code)]
mod blocks;
mod builder;
mod error;
mod list;
#[allow(unsafe_code)]
mod request;
mod stats;
mod table;
#[cfg(feature = "allocator-api2")]
#[allow(unsafe_code)]
mod traits;

pub use builder::SizeClassesBuilder;
pub use error::SizeClassesError;
pub use request::Refused;
pub use stats::{ClassStats, SizeClassesStats};

use alloc::boxed::Box;
use core::alloc::Layout;
use core::cell::Cell;
use core::fmt;

use block::{Block, HEADER_BYTES};
use blocks::Blocks;
use list::BlockList;
use millpond::__parts::memory;
use table::ClassTable;

/// What happens to a request that finds no slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// The request is refused: only reserved memory is ever used.
    Refuse,
    /// The global allocator serves it, whether no class fits or the class has no slot left. There
    /// are never more blocks than the reserved ones.
    FallBack,
    /// The class gets another block from the global allocator, up to the limit of blocks. The
    /// global allocator serves requests that no class fits.
    #[default]
    Grow,
}

/// An allocator of slots in several sizes, for vectors, boxes and hash maps.
///
/// Use it for many small, short-lived allocations of one thread (strings, tree nodes, short lists):
/// allocating and freeing a slot takes a few instructions, without a lock, and reserved slots are
/// available without growth. For objects of one type, use a [`Pool`](millpond::Pool), with handles and
/// iteration.
///
/// ```text
/// request of 20 bytes ──▶ class of 24 ──▶ its block with room ──▶ the slot freed last
///
///   class of 16   [ block ][ block ]           a block holds slots of one size, and is given to
///   class of 24   [ block ]                    another class when it has run empty
///   class of 64   [ block ][ block ][ block ]
///   spare         [ block ]
/// ```
///
/// **Classes**: chosen by you, or computed from a trace: `millpond plan --size-classes` prints them
/// for a heaptrack file. A request goes to the smallest class whose size and alignment suffice
/// (alignments up to 64).
///
/// **Overflow**: refuse, fall back to the global allocator, or grow by blocks: see [`Overflow`].
///
/// **Memory**: blocks of 16 KiB (or as set on the builder), each with a header of 64 bytes,
/// allocated eight at a time; 4 bytes per 8 bytes of the largest class, once; 128 bytes per class.
/// Reserved blocks are allocated and touched when the allocator is created.
///
/// **Time**: allocating and freeing are O(1), except for growth. A slot's address alone determines
/// its block, and one comparison of addresses shows whether it is a slot at all.
///
/// **Threads**: an allocator is used by one thread at a time, by shared reference. It can move to
/// another thread while nothing is borrowed from it, but cannot be shared. So it needs no lock and
/// no atomic instruction, which is why it is fast. With several threads, give each its own
/// allocator, or put one behind a lock and call [`allocate`](Self::allocate) and
/// [`deallocate`](Self::deallocate) yourself.
///
/// With the feature `allocator-api2`, `&SizeClasses` implements the `Allocator` of the crate of
/// that name (on the nightly toolchain also that of the standard library, if that crate's feature
/// `nightly` is enabled and this crate is compiled with `--cfg millpond_nightly`):
///
/// ```
/// use allocator_api2::{boxed::Box, vec::Vec};
/// use hashbrown::{DefaultHashBuilder, HashMap};
/// use millpond_memory::SizeClasses;
///
/// let memory = SizeClasses::new();
/// let mut names = Vec::new_in(&memory);
/// names.extend(["cutter", "barge", "tug"]);
/// let ship = Box::new_in(names[1], &memory);
/// let mut crews = HashMap::with_hasher_in(DefaultHashBuilder::default(), &memory);
/// crews.insert(*ship, 12);
/// assert_eq!(crews["barge"], 12);
/// assert!(memory.stats().blocks > 0);
/// ```
pub struct SizeClasses {
    table: ClassTable,
    classes: Box<[Class]>,
    block_bytes: usize,
    /// The range of the classes' slots: everything, unless requests of a class' size can fall back.
    slots_from: usize,
    slots_bytes: usize,
    blocks: Blocks,
    overflow: Overflow,
    name: Option<&'static str>,
    fallen_back: Cell<usize>,
    fallen_back_bytes: Cell<usize>,
    fallen_back_bytes_peak: Cell<usize>,
    refused: Cell<u64>,
}

/// One class: slots of one size. What every request needs comes first, and lies in one cache line.
#[repr(C, align(64))]
struct Class {
    /// The blocks with room. A block that has none is in no list.
    room: BlockList,
    slot_bytes: usize,
    live: Cell<usize>,
    peak_before_death: Cell<usize>,
    bytes_asked: Cell<usize>,
    blocks: Cell<usize>,
    blocks_reserved: usize,
    slots_reserved: usize,
    overflows: Cell<u64>,
}

impl Class {
    #[inline]
    fn note_birth(&self, bytes: usize) {
        self.live.set(self.live.get() + 1);
        self.bytes_asked.set(self.bytes_asked.get() + bytes);
    }

    #[inline]
    fn note_death(&self, bytes: usize) {
        // The number of live slots falls only here, so the peak is updated just before.
        if self.live.get() > self.peak_before_death.get() {
            self.peak_before_death.set(self.live.get());
        }
        self.live.set(self.live.get() - 1);
        self.bytes_asked.set(self.bytes_asked.get() - bytes);
    }

    #[inline]
    fn stats(&self, block_bytes: usize) -> ClassStats {
        let live = self.live.get();
        ClassStats {
            slot_bytes: self.slot_bytes,
            slots: self.blocks.get() * slots_per_block(block_bytes, self.slot_bytes),
            slots_reserved: self.slots_reserved,
            live,
            peak: self.peak_before_death.get().max(live),
            bytes_asked: self.bytes_asked.get(),
            bytes_wasted: live * self.slot_bytes - self.bytes_asked.get(),
            blocks: self.blocks.get(),
            overflows: self.overflows.get(),
        }
    }
}

#[inline]
fn slots_per_block(block_bytes: usize, slot_bytes: usize) -> usize {
    (block_bytes - HEADER_BYTES) / slot_bytes
}

impl SizeClasses {
    /// Creates classes for requests of up to 1 KiB, with nothing reserved: each grows by blocks of
    /// 16 KiB, allocated eight at a time.
    ///
    /// ```
    /// use millpond_memory::SizeClasses;
    ///
    /// let memory = SizeClasses::new();
    /// assert_eq!(memory.class_stats().last().unwrap().slot_bytes, 1024);
    /// assert_eq!(memory.stats().blocks, 0);
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not enough memory for its tables.
    #[must_use]
    #[inline]
    pub fn new() -> Self {
        Self::builder().classes_up_to(1024).build()
    }

    /// Returns a builder, to choose the classes, how much is reserved for each, and what happens
    /// when it is used up.
    ///
    /// ```
    /// use millpond_memory::size_classes::{Overflow, SizeClasses};
    ///
    /// let memory =
    ///     SizeClasses::builder().class(32, 1000).overflow(Overflow::Refuse).name("nodes").build();
    /// assert_eq!(memory.name(), Some("nodes"));
    /// ```
    #[inline]
    pub fn builder() -> SizeClassesBuilder {
        SizeClassesBuilder::new()
    }

    #[inline]
    fn from_builder(builder: &SizeClassesBuilder) -> Result<Self, SizeClassesError> {
        let block_bytes = builder.block_bytes;
        let reserved =
            |(bytes, slots): &(usize, usize)| slots.div_ceil(slots_per_block(block_bytes, *bytes));
        let blocks = builder.classes.iter().map(reserved).fold(0, usize::saturating_add);
        let max_blocks = builder.max_blocks;
        if blocks > max_blocks {
            return Err(SizeClassesError::ReservedTooMuch { blocks, max_blocks });
        }
        let out_of_memory = |_| SizeClassesError::OutOfMemory { blocks };
        let table = ClassTable::try_new(&builder.classes).map_err(out_of_memory)?;
        let classes = memory::from_fn(builder.classes.len(), |class| {
            let (slot_bytes, slots_reserved) = builder.classes[class];
            Class {
                room: BlockList::default(),
                slot_bytes,
                live: Cell::new(0),
                peak_before_death: Cell::new(0),
                bytes_asked: Cell::new(0),
                blocks: Cell::new(0),
                blocks_reserved: reserved(&builder.classes[class]),
                slots_reserved,
                overflows: Cell::new(0),
            }
        });
        let classes = classes.map_err(out_of_memory)?;
        let max_blocks = if builder.overflow == Overflow::Grow { max_blocks } else { blocks };
        let chunk = builder.blocks_per_chunk;
        let blocks =
            Blocks::try_new(block_bytes, blocks, max_blocks, chunk).map_err(out_of_memory)?;
        let (slots_from, slots_bytes) = match builder.overflow {
            Overflow::FallBack => blocks.reserved_range(),
            Overflow::Refuse | Overflow::Grow => (0, usize::MAX),
        };
        Ok(Self {
            table,
            classes,
            block_bytes,
            slots_from,
            slots_bytes,
            blocks,
            overflow: builder.overflow,
            name: builder.name,
            fallen_back: Cell::new(0),
            fallen_back_bytes: Cell::new(0),
            fallen_back_bytes_peak: Cell::new(0),
            refused: Cell::new(0),
        })
    }

    /// Returns the name set on the builder.
    #[must_use]
    #[inline]
    pub fn name(&self) -> Option<&'static str> {
        self.name
    }

    /// Returns what happens to a request that finds no slot.
    #[must_use]
    #[inline]
    pub fn overflow(&self) -> Overflow {
        self.overflow
    }

    /// Returns the class for requests of `layout`, as its position in
    /// [`class_stats`](Self::class_stats), or `None` if no class fits or `layout` has size 0. O(1).
    ///
    /// ```
    /// use std::alloc::Layout;
    ///
    /// use millpond_memory::SizeClasses;
    ///
    /// let memory = SizeClasses::builder().classes([(24, 0), (32, 0), (100, 0)]).build();
    /// let class = |bytes, align| memory.class_of(Layout::from_size_align(bytes, align).unwrap());
    /// assert_eq!((class(20, 4), class(25, 4), class(100, 8)), (Some(0), Some(1), Some(2)));
    /// assert_eq!(class(20, 16), Some(1)); // slots of 24 bytes are not aligned to 16
    /// assert_eq!(class(105, 1), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn class_of(&self, layout: Layout) -> Option<usize> {
        let class = self.table.class_of(layout);
        (class < self.classes.len()).then_some(class)
    }

    /// Iterates over the counters of the classes, by ascending size. O(1) for each.
    ///
    /// ```
    /// use std::alloc::Layout;
    ///
    /// use millpond_memory::SizeClasses;
    ///
    /// let memory = SizeClasses::builder().classes([(16, 0), (64, 0)]).build();
    /// let slot = memory.allocate(Layout::new::<[u8; 40]>())?;
    /// let large = memory.class_stats().nth(1).unwrap();
    /// assert_eq!((large.live, large.bytes_asked, large.bytes_wasted), (1, 40, 24));
    /// # Ok::<(), millpond_memory::size_classes::Refused>(())
    /// ```
    #[inline]
    pub fn class_stats(&self) -> impl ExactSizeIterator<Item = ClassStats> {
        self.classes.iter().map(|class| class.stats(self.block_bytes))
    }

    /// Returns the counters of the whole allocator. O(1).
    #[must_use]
    #[inline]
    pub fn stats(&self) -> SizeClassesStats {
        SizeClassesStats {
            block_bytes: self.block_bytes,
            blocks: self.blocks.count(),
            blocks_peak: self.blocks.peak(),
            blocks_spare: self.blocks.unused(),
            fallen_back: self.fallen_back.get(),
            fallen_back_bytes: self.fallen_back_bytes.get(),
            fallen_back_bytes_peak: self.fallen_back_bytes_peak.get(),
            refused: self.refused.get(),
        }
    }

    /// Frees the chunks without live slots that were not reserved, and returns how many blocks they
    /// had. O(classes + chunks + freed blocks).
    ///
    /// ```
    /// use std::alloc::Layout;
    ///
    /// use millpond_memory::SizeClasses;
    ///
    /// let memory = SizeClasses::new();
    /// let layout = Layout::new::<[u8; 40]>();
    /// let slot = memory.allocate(layout)?;
    /// assert_eq!(memory.shrink_to_fit(), 0);
    /// // SAFETY: the slot was just allocated with this layout.
    /// unsafe { memory.deallocate(slot.cast(), layout) };
    /// assert_eq!(memory.shrink_to_fit(), 8);
    /// assert_eq!(memory.stats().blocks, 0);
    /// # Ok::<(), millpond_memory::size_classes::Refused>(())
    /// ```
    #[inline]
    pub fn shrink_to_fit(&self) -> usize {
        for class in &self.classes {
            // Blocks other than the first are given up when they run empty.
            if let Some(block) = class.room.first().filter(|block| block.live() == 0) {
                self.give_up(class, block);
            }
        }
        self.blocks.shrink_to_fit()
    }

    /// Takes an empty block from a class.
    #[inline]
    fn give_up(&self, class: &Class, block: Block) {
        class.room.remove(block);
        block.set_listed(false);
        class.blocks.set(class.blocks.get() - 1);
        self.blocks.give_back(block, class.blocks.get() < class.blocks_reserved);
    }
}

impl Default for SizeClasses {
    #[inline]
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SizeClasses {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SizeClasses")
            .field("name", &self.name)
            .field("overflow", &self.overflow)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
