use core::fmt;

/// Why a pool cannot be saved into a snapshot or restored from it. Both are unchanged.
///
/// ```
/// use millpond::Pool;
///
/// let small = Pool::<u8>::new(8);
/// let mut large = Pool::<u8>::new(16);
/// let error = large.restore(&small.snapshot()).unwrap_err();
/// assert_eq!(error.to_string(), "the snapshot has 8 slots, the pool 16");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The capacities differ.
    OtherCapacity {
        /// The number of slots that the pool may have; `usize::MAX` for a side table without a limit.
        pool: usize,
        /// The number of slots of the pool that the snapshot was taken of.
        snapshot: usize,
    },
    /// The generations differ: the pools have another name or salt, another limit of lifetimes per
    /// slot, or one wraps and the other retires.
    OtherLifetimes,
    /// The overflow policies differ.
    OtherPolicy,
    /// The pools, shared by threads, have different numbers of homes.
    OtherHomes,
    /// The snapshot is empty, because a value's `clone` panicked while it was taken.
    Incomplete,
}

impl fmt::Display for SnapshotError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotError::OtherCapacity { pool, snapshot: usize::MAX } => write!(
                f,
                "the snapshot is of a side table without a limit, this one has at most {pool} slots"
            ),
            SnapshotError::OtherCapacity { pool: usize::MAX, snapshot } => write!(
                f,
                "the snapshot is of a side table of at most {snapshot} slots, this one has no limit"
            ),
            SnapshotError::OtherCapacity { pool, snapshot } if pool == snapshot => {
                write!(f, "of {pool} slots, one side table has all from the start, the other grows")
            }
            SnapshotError::OtherCapacity { pool, snapshot } => {
                write!(f, "the snapshot has {snapshot} slots, the pool {pool}")
            }
            SnapshotError::OtherLifetimes => f.write_str(
                "the snapshot is of a pool whose generations run differently: another name, salt, limit of \
                 lifetimes, or wrapping",
            ),
            SnapshotError::OtherPolicy => f.write_str("the snapshot is of a pool with another policy"),
            SnapshotError::OtherHomes => {
                f.write_str("the snapshot is of a pool with another number of homes")
            }
            SnapshotError::Incomplete => f.write_str(
                "the snapshot is empty: a value's clone panicked while it was taken",
            ),
        }
    }
}

impl core::error::Error for SnapshotError {}
