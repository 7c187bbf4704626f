//! What the builders of all pools have in common.

use core::fmt;

pub(crate) use crate::lifetimes::Lifetimes;

/// Why a pool cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// The builder was not told a capacity.
    NoCapacity,
    /// The handle layout cannot name so many slots.
    CapacityTooLarge {
        /// What was asked for.
        capacity: usize,
        /// What the handle layout can name.
        capacity_max: usize,
    },
    /// The blocks of a pool that grows have a number of slots that is not a power of two.
    SlotsPerBlock {
        /// What was asked for.
        slots_per_block: usize,
    },
    /// The slots that a pool is to have from the beginning are more than it may ever have.
    ReservedTooMuch {
        /// What was asked for.
        reserved: usize,
        /// The limit that was set.
        capacity_max: usize,
    },
    /// The allocator has no room for a pool of this capacity.
    OutOfMemory {
        /// What was asked for.
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
                "a capacity of {capacity} is more than the {capacity_max} slots that this handle \
                 layout can name: choose one with more index bits"
            ),
            BuildError::SlotsPerBlock { slots_per_block } => write!(
                f,
                "blocks of {slots_per_block} slots: call `.slots_per_block(slots)` with a power of \
                 two, so that an index is taken apart with a shift"
            ),
            BuildError::ReservedTooMuch { reserved, capacity_max } => write!(
                f,
                "{reserved} slots from the beginning are more than the pool's limit of \
                 {capacity_max}: raise `max_blocks`"
            ),
            BuildError::OutOfMemory { capacity } => {
                write!(f, "no memory for a pool of {capacity} slots")
            }
        }
    }
}

impl core::error::Error for BuildError {}

/// The methods that set what the builder of every pool has: it has `settings: Settings<R, H>`.
macro_rules! lifetime_methods {
    () => {
        /// How many slots: the pool takes the memory for them when it is built, and none after.
        pub fn capacity(mut self, slots: usize) -> Self {
            self.settings.capacity = Some(slots);
            self
        }

        $crate::settings::lifetime_methods!(without capacity);
    };
    (without capacity) => {
        $crate::lifetimes::lifetimes_methods!(settings.lifetimes);
    };
}
pub(crate) use lifetime_methods;

/// The methods of the builders of pools with a reuse order: as above, and the builder is generic over
/// `T, R, H`, with a method `with_settings` that changes `R` and `H`.
macro_rules! builder_methods {
    ($builder:ident) => {
        $crate::settings::lifetime_methods!();
        $crate::settings::order_and_handle_methods!($builder);
    };
    ($builder:ident without capacity) => {
        $crate::settings::lifetime_methods!(without capacity);
        $crate::settings::order_and_handle_methods!($builder);
    };
}
pub(crate) use builder_methods;

/// The part of `builder_methods` that changes the builder's type.
macro_rules! order_and_handle_methods {
    ($builder:ident) => {
        /// In which order dead slots are handed out again; see [`reuse`](crate::reuse).
        pub fn reuse<R2: $crate::reuse::ReuseOrder>(self, _order: R2) -> $builder<T, R2, H> {
            self.with_settings(|settings| $crate::settings::Settings {
                capacity: settings.capacity,
                lifetimes: settings.lifetimes,
                types: core::marker::PhantomData,
            })
        }

        /// Which handles the pool issues: [`Handle`](crate::Handle) (the default) or
        /// [`Handle32`](crate::Handle32).
        pub fn handle<H2: $crate::handle::HandleLayout>(self) -> $builder<T, R, H2> {
            self.with_settings(|settings| $crate::settings::Settings {
                capacity: settings.capacity,
                lifetimes: settings.lifetimes,
                types: core::marker::PhantomData,
            })
        }
    };
}
pub(crate) use order_and_handle_methods;

/// What a builder has gathered.
#[derive(Debug)]
pub(crate) struct Settings<R, H> {
    pub(crate) capacity: Option<usize>,
    pub(crate) lifetimes: Lifetimes,
    pub(crate) types: core::marker::PhantomData<fn() -> (R, H)>,
}

impl<R, H> Settings<R, H> {
    pub(crate) fn new() -> Self {
        Self { capacity: None, lifetimes: Lifetimes::default(), types: core::marker::PhantomData }
    }

    pub(crate) fn of_capacity(capacity: usize) -> Self {
        Self { capacity: Some(capacity), ..Self::new() }
    }
}

impl<R, H> Clone for Settings<R, H> {
    fn clone(&self) -> Self {
        Self {
            capacity: self.capacity,
            lifetimes: self.lifetimes,
            types: core::marker::PhantomData,
        }
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
}
