//! What the builders of all pools have in common.

use core::fmt;

use crate::base::OutOfMemory;
use crate::handle::HandleLayout;
use crate::reports::debug::DebugAids;

pub(crate) use crate::slots::generation_settings::GenerationSettings;

/// Why a pool cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// No capacity was set on the builder.
    NoCapacity,
    /// The handle layout cannot name that many slots: choose one with more index bits.
    CapacityTooLarge {
        /// The requested number.
        capacity: usize,
        /// The number of slots that the handle layout can name.
        capacity_max: usize,
    },
    /// A pool that grows would begin with more slots than its limit.
    ReservedTooMuch {
        /// The requested number.
        reserved: usize,
        /// The limit that was set.
        capacity_max: usize,
    },
    /// The memory given for the pool is too small.
    MemoryTooSmall {
        /// The number of bytes needed, given where the memory begins.
        needed: usize,
        /// The number of bytes given.
        bytes: usize,
    },
    /// A side table with a fixed capacity or a limit would need more slots.
    BeyondLimit {
        /// The requested number.
        capacity: usize,
        /// The number of slots that the table may have.
        capacity_max: usize,
    },
    /// The allocator has no memory for a pool of this capacity.
    OutOfMemory {
        /// The requested number.
        capacity: usize,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::NoCapacity => {
                f.write_str("a pool needs a capacity: call `.capacity(slots)` on its builder")
            }
            BuildError::CapacityTooLarge { capacity, capacity_max } => write!(
                f,
                "a capacity of {capacity} is more than the {capacity_max} slots that its handles \
                 can name"
            ),
            BuildError::ReservedTooMuch { reserved, capacity_max } => write!(
                f,
                "{reserved} reserved slots are more than the pool's limit of {capacity_max}: reserve \
                 fewer, or raise `capacity_max` or the handle layout's index bits"
            ),
            BuildError::MemoryTooSmall { needed, bytes } => write!(
                f,
                "the memory has {bytes} bytes, but at its address the pool needs {needed}: see the \
                 builder's `memory_layout`"
            ),
            BuildError::BeyondLimit { capacity, capacity_max } => write!(
                f,
                "{capacity} slots are more than the {capacity_max} that the table may have"
            ),
            BuildError::OutOfMemory { capacity } => {
                write!(f, "no memory for a pool of {capacity} slots")
            }
        }
    }
}

impl core::error::Error for BuildError {}

/// The settings that a builder has gathered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) capacity: Option<usize>,
    /// The limit of a pool that grows.
    pub(crate) capacity_max: usize,
    pub(crate) generations: GenerationSettings,
    pub(crate) debug_aids: DebugAids,
}

impl Settings {
    pub(crate) const NONE: Self = Self {
        capacity: None,
        capacity_max: usize::MAX,
        generations: GenerationSettings::PLAIN,
        debug_aids: DebugAids::none(),
    };

    pub(crate) const fn of_capacity(capacity: usize) -> Self {
        Self { capacity: Some(capacity), ..Self::NONE }
    }

    /// The capacity, if it is within that of the handle layout, which is given, and within the limit.
    pub(crate) fn checked_capacity(&self, capacity_max: usize) -> Result<usize, BuildError> {
        let capacity = self.capacity.ok_or(BuildError::NoCapacity)?;
        if capacity > capacity_max {
            return Err(BuildError::CapacityTooLarge { capacity, capacity_max });
        }
        match self.capacity_max {
            capacity_max if capacity > capacity_max => {
                Err(BuildError::ReservedTooMuch { reserved: capacity, capacity_max })
            }
            _ => Ok(capacity),
        }
    }

    /// What `make` allocates for this capacity, which is checked first.
    pub(crate) fn allocate<H: HandleLayout, P>(
        &self,
        make: impl FnOnce(usize) -> Result<P, OutOfMemory>,
    ) -> Result<P, BuildError> {
        let capacity = self.checked_capacity(H::CAPACITY_MAX)?;
        make(capacity).map_err(|OutOfMemory| BuildError::OutOfMemory { capacity })
    }
}
