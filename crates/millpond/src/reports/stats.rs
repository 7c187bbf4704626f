/// What a pool has done since it was built, and how it stands. All of it is kept as the pool works:
/// reading it is O(1).
///
/// ```
/// use millpond::Pool;
///
/// let mut pool = Pool::new(2);
/// let a = pool.insert('a').unwrap();
/// let b = pool.insert('b').unwrap();
/// assert!(pool.insert('c').is_err());
/// pool.remove(a);
///
/// let stats = pool.stats();
/// assert_eq!((stats.live, stats.peak, stats.capacity), (1, 2, 2));
/// assert_eq!((stats.inserted, stats.removed, stats.refused), (2, 1, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stats {
    /// How many slots there are.
    pub capacity: usize,
    /// How many of them are live.
    pub live: usize,
    /// How many were live at once at most.
    pub peak: usize,
    /// How many will never be handed out again, because their generations are used up.
    pub retired: usize,
    /// How many lifetimes have begun.
    pub inserted: u64,
    /// How many lifetimes have ended, in whatever way.
    pub removed: u64,
    /// How many insertions the pool has refused because it was full.
    pub refused: u64,
    /// How many objects had to go to make room for others; counted in `removed` as well.
    pub evicted: u64,
}

/// How often a [`BlockPool`](crate::BlockPool) has grown and shrunk; made by
/// [`BlockPool::growth_stats`](crate::BlockPool::growth_stats).
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct GrowthStats {
    /// How many blocks are there.
    pub blocks: usize,
    /// How many of them were there at once at most.
    pub blocks_peak: usize,
    /// How many blocks were taken in all, by insertions and by `reserve`.
    pub taken: u64,
    /// How many of these an insertion had to wait for.
    pub taken_by_insertions: u64,
    /// How many blocks were given back.
    pub given_back: u64,
}
