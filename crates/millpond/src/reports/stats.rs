use core::fmt;

#[cfg(feature = "bevy_reflect")]
use crate::base::reflect::*;

/// A pool's counters: its slots by state, and its operations since it was built. The pool updates
/// them as it works, so reading them is O(1) (except in a `SyncPool`, which counts its slots when
/// asked, in O(capacity)).
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
/// assert_eq!(stats.to_string(), "1 of 2 slots live, peak 2; 2 inserted, 1 removed, 1 refused");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "bevy_reflect",
    derive(bevy_reflect::Reflect),
    reflect(Clone, Debug, Default, Hash, PartialEq),
    type_path = "millpond",
    cfg_attr(feature = "serde", reflect(Serialize, Deserialize))
)]
#[non_exhaustive]
pub struct Stats {
    /// The number of slots.
    pub capacity: usize,
    /// The number of live slots.
    pub live: usize,
    /// The most slots that were live at once. In a pool whose memory is [untouched](crate::PoolBuilder::untouched), it
    /// tells the memory that was touched, unless its order uses all slots in turn; see
    /// [`slots_used`](crate::Pool::slots_used).
    pub peak: usize,
    /// The number of slots that will never be used again, because their generations are used up.
    pub retired: usize,
    /// The number of lifetimes that have begun.
    pub inserted: u64,
    /// The number of lifetimes that have ended, in any way.
    pub removed: u64,
    /// The number of insertions that the pool refused because it was full.
    pub refused: u64,
    /// The number of objects that were removed to make room for others. `removed` counts them as well.
    pub evicted: u64,
}

impl Stats {
    /// Those of a pool without slots, which has done nothing: for pools of other crates, which set the fields that they
    /// have.
    ///
    /// ```
    /// use millpond::Stats;
    ///
    /// let mut stats = Stats::NONE;
    /// (stats.capacity, stats.live) = (8, 3);
    /// assert_eq!(stats.to_string(), "3 of 8 slots live, peak 0; 0 inserted, 0 removed");
    /// ```
    pub const NONE: Self = Self {
        capacity: 0,
        live: 0,
        peak: 0,
        retired: 0,
        inserted: 0,
        removed: 0,
        refused: 0,
        evicted: 0,
    };
}

/// Formats the counters as one line, without those that are 0 in most pools.
impl fmt::Display for Stats {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { capacity, live, peak, retired, inserted, removed, refused, evicted } = self;
        write!(f, "{live} of {capacity} slots live, peak {peak}")?;
        if *retired > 0 {
            write!(f, ", {retired} retired")?;
        }
        write!(f, "; {inserted} inserted, {removed} removed")?;
        if *refused > 0 {
            write!(f, ", {refused} refused")?;
        }
        if *evicted > 0 {
            write!(f, ", {evicted} evicted")?;
        }
        Ok(())
    }
}
