//! What is used beside pools: tables keyed by handles, and policies chosen at run time.

#[cfg(feature = "budget")]
pub mod budget;
#[cfg(all(feature = "alloc", feature = "policies"))]
pub(crate) mod evict_oldest;
#[cfg(feature = "budget")]
pub(crate) mod policy_pool;
#[cfg(feature = "tables")]
pub mod side_table;
