//! What the builders of all pools have in common.

use core::fmt;
use core::marker::PhantomData;

use crate::base::OutOfMemory;

pub(crate) use crate::slots::lifetimes::Lifetimes;

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
    #[inline]
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
            BuildError::BeyondLimit { capacity, capacity_max } => {
                write!(
                    f,
                    "{capacity} slots are more than the {capacity_max} that the table may have"
                )
            }
            BuildError::OutOfMemory { capacity } => {
                write!(f, "no memory for a pool of {capacity} slots")
            }
        }
    }
}

impl core::error::Error for BuildError {}

/// The settings that a builder has gathered.
#[derive(Debug)]
pub(crate) struct Settings<R, H> {
    pub(crate) capacity: Option<usize>,
    pub(crate) lifetimes: Lifetimes,
    pub(crate) debug_aids: crate::reports::debug::DebugAids,
    types: PhantomData<fn() -> (R, H)>,
}

impl<R, H> Settings<R, H> {
    pub(crate) fn new() -> Self {
        Self {
            capacity: None,
            lifetimes: Lifetimes::default(),
            debug_aids: crate::reports::debug::DebugAids::none(),
            types: PhantomData,
        }
    }

    pub(crate) fn of_capacity(capacity: usize) -> Self {
        Self { capacity: Some(capacity), ..Self::new() }
    }

    /// The settings of a part of a pool whose first slot is `slot` in the whole: reports about
    /// its slots and handles count from there.
    pub(crate) fn part_from(mut self, slot: usize) -> Self {
        self.debug_aids = self.debug_aids.part_from(slot);
        self
    }

    /// These settings for a pool with another reuse order or other handles.
    pub(crate) fn with_types<R2, H2>(self) -> Settings<R2, H2> {
        Settings {
            capacity: self.capacity,
            lifetimes: self.lifetimes,
            debug_aids: self.debug_aids,
            types: PhantomData,
        }
    }
}

impl<R, H> Clone for Settings<R, H> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<R, H: crate::handle::HandleLayout> Settings<R, H> {
    /// The capacity, if the layout can name as many slots.
    pub(crate) fn checked_capacity(&self) -> Result<usize, BuildError> {
        let capacity = self.capacity.ok_or(BuildError::NoCapacity)?;
        if capacity > H::CAPACITY_MAX {
            let capacity_max = H::CAPACITY_MAX;
            return Err(BuildError::CapacityTooLarge { capacity, capacity_max });
        }
        Ok(capacity)
    }

    /// What `make` allocates for this capacity, which is checked first.
    pub(crate) fn allocate<P>(
        &self,
        make: impl FnOnce(usize) -> Result<P, OutOfMemory>,
    ) -> Result<P, BuildError> {
        let capacity = self.checked_capacity()?;
        make(capacity).map_err(|OutOfMemory| BuildError::OutOfMemory { capacity })
    }
}
