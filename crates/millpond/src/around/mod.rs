//! What is used beside pools: tables keyed by handles, and policies chosen at run time.

#[cfg(feature = "alloc")]
pub mod budget;
#[cfg(feature = "alloc")]
pub(crate) mod evict_oldest;
#[cfg(feature = "alloc")]
pub(crate) mod policy_pool;
#[cfg(feature = "alloc")]
pub mod side_table;
