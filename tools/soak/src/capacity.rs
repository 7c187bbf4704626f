//! How many slots a pool may have.

use millpond_classic::BytemapPool;

/// The maximum number of slots of each pool: the limit of the narrowest handle.
pub(crate) const CAPACITY_MAX: u64 = 1 << 20;

const _: () = assert!(CAPACITY_MAX as usize <= BytemapPool::<()>::CAPACITY_MAX);
