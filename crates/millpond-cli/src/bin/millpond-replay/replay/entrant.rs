//! The contenders without their types: all of them in a list.

use millpond::reuse::{Fifo, Lifo, LowestFirst, Roster};

use super::contender::{Boxed, Contender, Growing, Packed, Pooled, Recycled, Way};
use super::run::{Lap, lap, timed};
use super::script::Script;

/// The kinds of contenders that a program may choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Values move in and out.
    Pool,
    /// Objects are kept and renewed: less work, for programs that can reuse them.
    Recycler,
    /// The contender that the pools are compared with.
    Box,
}

/// A contender without its types.
pub(super) struct Entrant {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// How a walk visits the objects, if there are several ways.
    pub(super) way: Way,
    /// Replays the script this many times in new stores.
    pub(super) lap: fn(&Script, usize, Way) -> Lap,
    /// Replays it once in new stores, lowers the nanoseconds of each event to its time if that is less, and returns the
    /// longest time.
    pub(super) timed: fn(&Script, &mut [u32], Way) -> u32,
}

/// This contender.
pub(super) fn entrant<C: Contender>(name: &'static str, kind: Kind, way: Way) -> Entrant {
    Entrant { name, kind, way, lap: lap::<C>, timed: timed::<C> }
}

macro_rules! contenders {
    ($($contender:ty, $kind:ident, $name:literal $(and $runs:literal)?;)*) => {
        /// All contenders: the pools, the simplest to use first, and the system's allocator. For walks, a pool occurs
        /// twice if it has two ways to visit its objects.
        pub(super) fn all(walks: bool) -> Vec<Entrant> {
            let mut all = Vec::new();
            $(
                all.push(entrant::<$contender>($name, Kind::$kind, Way::Values));
                $(if walks {
                    all.push(entrant::<$contender>($runs, Kind::$kind, Way::Runs));
                })?
            )*
            all
        }

        /// The names and kinds of all of them, without the code of their replays.
        #[cfg(test)]
        pub(super) const NAMES: &[(&str, Kind)] =
            &[$(($name, Kind::$kind), $(($runs, Kind::$kind),)?)*];
    };
}
// The objects of a `PackedPool` are one slice, and boxes are not adjacent, so each has only one way.
contenders! {
    Pooled<Lifo>, Pool, "Pool, Lifo" and "Pool, Lifo; runs";
    Pooled<Fifo>, Pool, "Pool, Fifo" and "Pool, Fifo; runs";
    Pooled<LowestFirst>, Pool, "Pool, LowestFirst" and "Pool, LowestFirst; runs";
    Pooled<Roster>, Pool, "Pool, Roster" and "Pool, Roster; runs";
    Packed, Pool, "PackedPool";
    Growing, Pool, "VecPool" and "VecPool; runs";
    Recycled, Recycler, "Recycler, Lifo" and "Recycler, Lifo; runs";
    Boxed, Box, "Box";
}
