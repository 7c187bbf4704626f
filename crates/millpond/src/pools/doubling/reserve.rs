//! What a pool that grows says when there is no room.

use core::fmt;

use crate::reports::errors::{Full, FullPool, PoolName};
use crate::reports::stats::Stats;

/// The error of `reserve` of a pool that grows: it cannot have that many more slots.
///
/// ```
/// use millpond::VecPool;
///
/// let mut pool = VecPool::<u8>::builder().capacity_max(128).build();
/// let error = pool.reserve(200).unwrap_err();
/// assert!(!error.is_out_of_memory());
/// assert_eq!(
///     error.to_string(),
///     "the pool cannot make room for 200 more values: it may have 128 slots, and 0 are live",
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReserveError {
    pub(crate) name: Option<&'static str>,
    pub(crate) additional: usize,
    pub(crate) live: usize,
    pub(crate) retired: usize,
    pub(crate) capacity_max: usize,
    pub(crate) out_of_memory: bool,
}

impl ReserveError {
    /// The error of a whole with these counters, and at most so many slots, of which the pool that grows is a part.
    #[doc(hidden)]
    #[must_use]
    pub fn of_whole(self, additional: usize, stats: &Stats, capacity_max: usize) -> Self {
        Self { additional, live: stats.live, retired: stats.retired, capacity_max, ..self }
    }

    /// Returns whether memory ran out; otherwise, the slots would exceed the pool's limit.
    #[must_use]
    #[inline]
    pub fn is_out_of_memory(&self) -> bool {
        self.out_of_memory
    }
}

impl fmt::Display for ReserveError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = PoolName(self.name);
        write!(f, "{name} cannot make room for {} more values: ", self.additional)?;
        if self.out_of_memory {
            return f.write_str("there is no memory");
        }
        write!(f, "it may have {} slots, and {} are live", self.capacity_max, self.live)?;
        match self.retired {
            0 => Ok(()),
            retired => write!(f, ", {retired} retired"),
        }
    }
}

impl core::error::Error for ReserveError {}

/// Panics, because there is no room for the pushed value.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_room(pool: FullPool) -> ! {
    panic!("{}", Full { value: (), pool })
}
