/// How one class of a [`SizeClasses`](super::SizeClasses) stands, and what it has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ClassStats {
    /// How many bytes a slot has.
    pub slot_bytes: usize,
    /// How many slots there are in the blocks that the class has now.
    pub slots: usize,
    /// How many slots the class was promised.
    pub slots_reserved: usize,
    /// The number of live slots.
    pub live: usize,
    /// How many were live at once at most.
    pub peak: usize,
    /// How many bytes the program asked for in the slots that are live.
    pub bytes_asked: usize,
    /// How many bytes of live slots the program did not ask for: what the class is too large by.
    pub bytes_wasted: usize,
    /// How many blocks the class has now.
    pub blocks: usize,
    /// How many requests found no slot: they were refused, or fell back.
    pub overflows: u64,
}

/// How a [`SizeClasses`](super::SizeClasses) stands as a whole, and what it has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SizeClassesStats {
    /// How many bytes a block has.
    pub block_bytes: usize,
    /// How many blocks there are, with and without a class.
    pub blocks: usize,
    /// How many blocks there were at once at most.
    pub blocks_peak: usize,
    /// How many blocks have no class now.
    pub blocks_spare: usize,
    /// How many allocations live with the global allocator, because no class fits or none had room.
    pub fallen_back: usize,
    /// How many bytes these have.
    pub fallen_back_bytes: usize,
    /// How many bytes these had at once at most.
    pub fallen_back_bytes_peak: usize,
    /// How many requests were refused.
    pub refused: u64,
}
