//! What stands beside pools: tables by handle, and choices made while the program runs.

#[cfg(feature = "alloc")]
pub mod budget;
#[cfg(feature = "alloc")]
pub(crate) mod evict_oldest;
#[cfg(feature = "alloc")]
pub(crate) mod policy_pool;
#[cfg(feature = "alloc")]
pub mod side_table;
