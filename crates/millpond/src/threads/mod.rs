//! Pools for many threads.

#[cfg(all(feature = "lots", target_has_atomic = "32"))]
pub mod lots;
#[cfg(all(feature = "sync", target_has_atomic = "64"))]
pub mod sync;
