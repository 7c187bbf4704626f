//! What tests share. The tests of the commands need the feature `commands`.

pub mod allocations;
#[cfg(feature = "commands")]
mod commands;
mod random;

#[cfg(feature = "commands")]
pub use commands::*;
pub use random::SplitMix64;
