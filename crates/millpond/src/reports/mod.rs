//! What a pool reports: errors, statistics, recordings, violations, and misuse of its objects.

#[cfg_attr(not(feature = "debug-aids"), path = "no_debug.rs")]
pub mod debug;
pub(crate) mod errors;
pub(crate) mod peak;
#[cfg_attr(not(feature = "recorder"), path = "no_recorder.rs")]
pub mod recorder;
pub(crate) mod recorder_hook;
pub(crate) mod stats;
#[cfg_attr(not(feature = "validate"), path = "no_validate.rs")]
pub mod validate;
