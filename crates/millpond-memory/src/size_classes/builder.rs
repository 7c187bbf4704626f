use alloc::vec::Vec;

use super::block::{BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, GRANULE, HEADER_BYTES};
use super::table::CLASSES_MAX;
use super::{Overflow, SizeClasses, SizeClassesError};
use millpond::__parts::or_panic;

/// Builds a [`SizeClasses`] with its classes, its block size, and an overflow policy.
///
/// ```
/// use millpond_memory::size_classes::{Overflow, SizeClasses};
///
/// let memory = SizeClasses::builder()
///     .class(24, 10_000) // room for 10,000 allocations of up to 24 bytes
///     .class(64, 2_000)
///     .overflow(Overflow::FallBack)
///     .name("strings")
///     .build();
/// assert_eq!(memory.class_stats().map(|class| class.slot_bytes).collect::<Vec<_>>(), [24, 64]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "call `.build()` to get the allocator"]
pub struct SizeClassesBuilder {
    /// Size and reserved slots of each class, in the order of the sizes.
    pub(super) classes: Vec<(usize, usize)>,
    /// Whether there was not enough memory for this list.
    is_cut_off: bool,
    pub(super) block_bytes: usize,
    pub(super) blocks_per_chunk: usize,
    pub(super) max_blocks: usize,
    pub(super) overflow: Overflow,
    pub(super) name: Option<&'static str>,
}

/// The default block size.
const BLOCK_BYTES: usize = 16 * 1024;
/// The default number of blocks allocated at once.
const BLOCKS_PER_CHUNK: usize = 8;
const BLOCKS_PER_CHUNK_MAX: usize = 1 << 20;

impl SizeClassesBuilder {
    #[inline]
    pub(super) fn new() -> Self {
        Self {
            classes: Vec::new(),
            is_cut_off: false,
            block_bytes: BLOCK_BYTES,
            blocks_per_chunk: BLOCKS_PER_CHUNK,
            max_blocks: usize::MAX,
            overflow: Overflow::Grow,
            name: None,
        }
    }

    /// Adds a class of slots of `bytes` bytes, rounded up to a multiple of 8. Blocks for `slots` of
    /// them are allocated from the beginning; no other class can use these up. Sizes that are equal
    /// after rounding form one class, with the slots of all.
    #[inline]
    pub fn class(mut self, bytes: usize, slots: usize) -> Self {
        self.add(bytes, slots);
        self
    }

    /// If there is not enough memory for the list, building fails.
    #[inline]
    fn add(&mut self, bytes: usize, slots: usize) {
        match self.classes.binary_search_by_key(&bytes, |class| class.0) {
            Ok(at) => self.classes[at].1 = self.classes[at].1.saturating_add(slots),
            Err(_) if self.classes.try_reserve(1).is_err() => self.is_cut_off = true,
            Err(at) => self.classes.insert(at, (bytes, slots)),
        }
    }

    /// Adds several classes, each as `(bytes, slots)`, as `millpond plan --size-classes` prints
    /// them.
    ///
    /// ```
    /// use millpond_memory::size_classes::SizeClasses;
    ///
    /// const CLASSES: [(usize, usize); 3] = [(16, 4900), (32, 20_000), (64, 1200)];
    /// let memory = SizeClasses::builder().classes(CLASSES).build();
    /// assert_eq!(memory.class_stats().count(), 3);
    /// ```
    pub fn classes(mut self, classes: impl IntoIterator<Item = (usize, usize)>) -> Self {
        classes.into_iter().for_each(|(bytes, slots)| self.add(bytes, slots));
        self
    }

    /// Adds classes of 8, 16, 24, … 128 bytes and then four per doubling, up to `bytes_max`, with
    /// nothing reserved. No allocation of more than 32 bytes wastes more than a fifth of its slot
    /// (if its alignment is at most 8).
    ///
    /// ```
    /// use millpond_memory::size_classes::SizeClasses;
    ///
    /// let memory = SizeClasses::builder().classes_up_to(200).build();
    /// let sizes: Vec<_> = memory.class_stats().map(|class| class.slot_bytes).collect();
    /// assert_eq!(sizes[12..], [104, 112, 120, 128, 160, 192, 200]);
    /// ```
    #[inline]
    pub fn classes_up_to(mut self, bytes_max: usize) -> Self {
        let mut bytes = 0;
        while bytes < bytes_max {
            let step = match bytes {
                0..128 => GRANULE,
                _ => 1 << (bytes.ilog2() - 2),
            };
            bytes = bytes.saturating_add(step).min(bytes_max);
            self.add(bytes, 0);
        }
        self
    }

    /// Sets the block size: a power of two from 1 KiB to 1 GiB; 16 KiB by default. A block serves
    /// one class at a time, whose slots should be at most an eighth of it.
    #[inline]
    pub fn block_bytes(mut self, bytes: usize) -> Self {
        self.block_bytes = bytes;
        self
    }

    /// Sets how many blocks [`Overflow::Grow`] allocates at once: 8 by default; 0 counts as 1. They
    /// are also freed together.
    #[inline]
    pub fn blocks_per_chunk(mut self, blocks: usize) -> Self {
        self.blocks_per_chunk = blocks.clamp(1, BLOCKS_PER_CHUNK_MAX);
        self
    }

    /// Limits the number of blocks for [`Overflow::Grow`]: a request that would need one more is
    /// refused.
    #[inline]
    pub fn max_blocks(mut self, blocks: usize) -> Self {
        self.max_blocks = blocks;
        self
    }

    /// Sets what happens to a request that finds no slot; [`Overflow::Grow`] by default.
    #[inline]
    pub fn overflow(mut self, overflow: Overflow) -> Self {
        self.overflow = overflow;
        self
    }

    /// Sets a name, which [`name`](SizeClasses::name) returns and `Debug` prints.
    #[inline]
    pub fn name(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// Builds the allocator.
    ///
    /// # Panics
    ///
    /// If [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    #[inline]
    pub fn build(self) -> SizeClasses {
        or_panic(self.try_build())
    }

    /// Builds the allocator. Reserved blocks are allocated and touched here.
    ///
    /// ```
    /// use millpond_memory::size_classes::{SizeClasses, SizeClassesError};
    ///
    /// let error = SizeClasses::builder().class(20_000, 1).try_build().unwrap_err();
    /// assert_eq!(error, SizeClassesError::ClassTooLarge { bytes: 20_000, bytes_max: 16_320 });
    /// ```
    ///
    /// # Errors
    ///
    /// If there are no classes or more than 255, a class does not fit into a block, the block size
    /// is not a power of two in range, the reserved slots exceed the limit, or there is not enough
    /// memory.
    #[inline]
    pub fn try_build(mut self) -> Result<SizeClasses, SizeClassesError> {
        let block_bytes = self.block_bytes;
        if !block_bytes.is_power_of_two()
            || !(BLOCK_BYTES_MIN..=BLOCK_BYTES_MAX).contains(&block_bytes)
        {
            return Err(SizeClassesError::BlockBytes { block_bytes });
        }
        if self.is_cut_off {
            return Err(SizeClassesError::OutOfMemory { blocks: 0 });
        }
        let bytes_max = block_bytes - HEADER_BYTES;
        for (bytes, _) in &mut self.classes {
            if *bytes > bytes_max {
                return Err(SizeClassesError::ClassTooLarge { bytes: *bytes, bytes_max });
            }
            *bytes = bytes.next_multiple_of(GRANULE).max(GRANULE);
        }
        self.classes.dedup_by(|class, kept| {
            let is_same = class.0 == kept.0;
            if is_same {
                kept.1 = kept.1.saturating_add(class.1);
            }
            is_same
        });
        match self.classes.len() {
            0 => return Err(SizeClassesError::NoClass),
            1..=CLASSES_MAX => {}
            classes => return Err(SizeClassesError::TooManyClasses { classes }),
        }
        SizeClasses::from_builder(&self)
    }
}
