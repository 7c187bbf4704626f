/// The counters of one class of a [`SizeClasses`](super::SizeClasses).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ClassStats {
    /// The number of bytes in a slot.
    pub slot_bytes: usize,
    /// The number of slots in the class' current blocks.
    pub slots: usize,
    /// The number of slots reserved for the class.
    pub slots_reserved: usize,
    /// The number of live slots.
    pub live: usize,
    /// The largest number of slots that were live at once.
    pub peak: usize,
    /// The number of bytes requested for the live slots.
    pub bytes_asked: usize,
    /// The number of bytes in live slots that were not requested, because the class is larger.
    pub bytes_wasted: usize,
    /// The number of blocks that the class has now.
    pub blocks: usize,
    /// The number of requests that found no slot: they were refused, or fell back.
    pub overflows: u64,
}

/// The counters of a whole [`SizeClasses`](super::SizeClasses).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SizeClassesStats {
    /// The number of bytes in a block.
    pub block_bytes: usize,
    /// The number of blocks, with and without a class.
    pub blocks: usize,
    /// The largest number of blocks that existed at once.
    pub blocks_peak: usize,
    /// The number of blocks that have no class now.
    pub blocks_spare: usize,
    /// The number of live allocations of the global allocator, because no class fits or the class
    /// had no slot.
    pub fallen_back: usize,
    /// The number of bytes in these allocations.
    pub fallen_back_bytes: usize,
    /// The largest number of bytes that these allocations had at once.
    pub fallen_back_bytes_peak: usize,
    /// The number of refused requests.
    pub refused: u64,
}
