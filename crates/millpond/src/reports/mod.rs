//! What a pool reports: errors, statistics, recordings, violations, and misuse of its objects.

#[cfg(feature = "debug-aids")]
pub mod debug;
pub(crate) mod errors;
#[cfg(feature = "recorder")]
pub mod recorder;
pub(crate) mod recorder_hook;
pub(crate) mod stats;
#[cfg(all(feature = "alloc", feature = "validate"))]
pub mod validate;
